"""The sidebar tab."""

from . import hierarchy, lists, panels

CLASSES = (*lists.CLASSES, *panels.CLASSES, *hierarchy.CLASSES)
