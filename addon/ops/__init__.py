"""Operators: they ask the core or an adapter and report to the user."""

from . import (
    detect,
    export,
    groups,
    hierarchy,
    listing,
    live,
    maintenance,
    marks,
    massive,
    pairs,
    presets,
    results_area,
    review,
    scans,
    timeline,
    voxels,
)

CLASSES = (
    *detect.CLASSES,
    *live.CLASSES,
    *listing.CLASSES,
    *pairs.CLASSES,
    *presets.CLASSES,
    *results_area.CLASSES,
    *review.CLASSES,
    *groups.CLASSES,
    *marks.CLASSES,
    *export.CLASSES,
    *hierarchy.CLASSES,
    *maintenance.CLASSES,
    *scans.CLASSES,
    *massive.CLASSES,
    *timeline.CLASSES,
    *voxels.CLASSES,
)
