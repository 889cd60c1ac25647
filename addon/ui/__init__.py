"""The sidebar tab."""

from . import hierarchy, lists, massive, panels, scans, timeline, voxels

CLASSES = (
    *lists.CLASSES,
    *panels.CLASSES,
    *timeline.CLASSES,
    *voxels.CLASSES,
    *scans.CLASSES,
    *massive.CLASSES,
    *hierarchy.CLASSES,
)
"""The sidebar tab's panels."""
