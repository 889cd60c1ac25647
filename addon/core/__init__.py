"""What the extension does, without Blender: options, rules, the detection job and its report."""
