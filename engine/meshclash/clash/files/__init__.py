"""Write reports as files for other programs: tables, test results for CI, BCF, web pages."""
