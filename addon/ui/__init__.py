"""The sidebar tab and the menus."""

from . import (
    common_solid,
    groups,
    hierarchy,
    lists,
    massive,
    menus,
    methods,
    panels,
    presets,
    results_area,
    scans,
    tests,
    timeline,
    voxels,
)

CLASSES = (
    *lists.CLASSES,
    *presets.CLASSES,
    *panels.CLASSES,
    *tests.CLASSES,
    *groups.CLASSES,
    *results_area.CLASSES,
    *timeline.CLASSES,
    *common_solid.CLASSES,
    *voxels.CLASSES,
    *scans.CLASSES,
    *massive.CLASSES,
    *hierarchy.CLASSES,
    *methods.CLASSES,
    *menus.CLASSES,
)
"""Classes of panels, lists and menus, parents first."""
