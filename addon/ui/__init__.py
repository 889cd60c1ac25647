"""The sidebar tab."""

from . import hierarchy, lists, panels, scans

CLASSES = (*lists.CLASSES, *panels.CLASSES, *scans.CLASSES, *hierarchy.CLASSES)
