"""The logic of the extension, without Blender: options, rules, the detection job and its report."""
