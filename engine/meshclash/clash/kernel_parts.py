"""Groups of kernels that the extension can ask the engine to compile; its packages contain them.

This file imports no module, because the script that builds packages runs it alone.
"""

BASIC_PARTS = ("depths", "contacts", "verdicts", "scenes", "points")
"""Parts that every test needs."""
LARGE_PARTS = ("large",)
"""Parts that objects with many triangles need in addition to the parts of a test."""
CLOUD_PARTS = ("clouds",)
"""Parts that scans and point files need."""
MASSIVE_PARTS = ("massive",)
"""Parts that files of clustered meshes need."""
WAY_PARTS = ("penetration",)
"""Parts for the search of a translation that separates solids."""
_KINDS = (
    "boxtree", "obb", "obb_hull", "dop6", "dop14", "dop18", "dop26", "sphere", "pss", "lss", "rss", "ssv",
)  # fmt: skip

EVERYTHING = (
    *BASIC_PARTS, *LARGE_PARTS, "more", "distances", "gaps", "voxels", *CLOUD_PARTS, "probabilities", *MASSIVE_PARTS,
    *WAY_PARTS, "builders", *(f"{kind} {what}" for kind in _KINDS for what in ("volumes", "contacts")),
)  # fmt: skip
"""All these parts, in the order in which they are probably needed."""
