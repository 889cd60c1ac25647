"""The sidebar tab."""

from . import hierarchy, lists, panels, scans, timeline, voxels

CLASSES = (*lists.CLASSES, *panels.CLASSES, *timeline.CLASSES, *voxels.CLASSES, *scans.CLASSES, *hierarchy.CLASSES)
