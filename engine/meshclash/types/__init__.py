"""Arguments and results of public functions: meshes, poses, contacts, verdicts. Arguments are checked here, once."""
