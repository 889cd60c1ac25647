"""What callers hand in and get back: meshes, poses, contacts, verdicts. Everything is checked here, once."""
