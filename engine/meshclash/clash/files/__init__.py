"""Reports as files of other programs: tables, tests of pipelines, BCF, pages."""
