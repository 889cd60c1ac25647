"""The sidebar tab."""

from . import hierarchy, lists, panels, scans, voxels

CLASSES = (*lists.CLASSES, *panels.CLASSES, *voxels.CLASSES, *scans.CLASSES, *hierarchy.CLASSES)
