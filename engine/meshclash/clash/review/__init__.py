"""Lists of clashes as decisions: groups with one cause, who decided what, and whether it is still true."""
