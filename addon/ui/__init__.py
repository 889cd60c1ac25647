"""The sidebar tab."""

from . import lists, panels

CLASSES = (*lists.CLASSES, *panels.CLASSES)
