"""Groups of kernels that the extension can ask the engine to compile; its packages contain them.

No module is imported here: the script that builds packages runs this file alone.
"""

BASIC_PARTS = ("depths", "contacts", "verdicts", "scenes", "points")
"""What every test needs."""
LARGE_PARTS = ("large",)
"""What objects of many triangles need beside the parts of a test."""
CLOUD_PARTS = ("clouds",)
"""What scans need, or files of points."""
MASSIVE_PARTS = ("massive",)
"""What files of clustered meshes need."""
WAY_PARTS = ("penetration",)
"""What finds how solids are moved out of each other."""
_KINDS = (
    "boxtree", "obb", "obb_hull", "dop6", "dop14", "dop18", "dop26", "sphere", "pss", "lss", "rss", "ssv",
)  # fmt: skip

EVERYTHING = (
    *BASIC_PARTS, *LARGE_PARTS, "more", "distances", "gaps", "voxels", *CLOUD_PARTS, "probabilities", *MASSIVE_PARTS,
    *WAY_PARTS, "builders", *(f"{kind} {what}" for kind in _KINDS for what in ("volumes", "contacts")),
)  # fmt: skip
"""All of these, in the order in which they are likely to be wanted."""
