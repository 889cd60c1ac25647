"""Build the hierarchy of one object, and show it level by level."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from meshclash.clash.errors import DetectError, InputError
from meshclash.clash.frame_scene import Progress, SceneSource, refuse_lost
from meshclash.clash.placed_mesh import placed_mesh
from meshclash.clash.world import to_world
from meshclash.messages import Sentence
from meshclash.types.steps import scale_progress

VOLUMES = (
    ("aabb", "Boxes", "Boxes aligned with the object's axes"),
    (
        "boxtree",
        "Restricted Boxes",
        "Boxes that share most planes with their parent box, 8 bytes each",
    ),
    ("obb", "Oriented Boxes", "Oriented boxes fitted to the surface"),
    ("obb_hull", "Oriented Boxes (Hull)", "Oriented boxes fitted to the convex hull"),
    ("dop6", "6-DOP", "Polytopes with 6 fixed directions"),
    ("dop14", "14-DOP", "Polytopes with 14 fixed directions"),
    ("dop18", "18-DOP", "Polytopes with 18 fixed directions"),
    ("dop26", "26-DOP", "Polytopes with 26 fixed directions"),
    ("sphere", "Spheres", "Spheres"),
    ("pss", "Point Swept Spheres", "Spheres around points"),
    ("lss", "Line Swept Spheres", "Spheres swept along segments"),
    ("rss", "Rectangle Swept Spheres", "Spheres swept along rectangles"),
    ("ssv", "Swept Spheres", "The cheapest of the three kinds of swept spheres for each node"),
)
SPLITS = (
    ("lbvh", "Morton Curve", "Sort the triangles along a Morton curve: fastest to build"),
    ("sah", "Surface Area", "Minimise the surface area heuristic (SAH)"),
    ("volume", "Smallest Volume", "Minimise the sum of the two volumes, as published"),
    ("volume_n", "Weighted Volume", "Minimise the sum of the volumes, each multiplied by its number of triangles"),
    ("kah", "Kinematic", "Keep apart volumes that cannot fit into each other (kinematic heuristic)"),
    ("median", "Median", "Split at the median of the triangles along the longest side"),
    ("mean", "Mean", "Split at the mean of the triangles along the longest axis of their oriented box"),
    ("mean_side", "Mean of Side", "Split at the mean of the triangles along the longest side"),
)
LABELS = {name: label for name, label, _tip in (*VOLUMES, *SPLITS)}
READ_END = 0.2
MOST_NODES = 20_000
"""Largest number of boxes that are drawn: more are illegible, and making their lines blocks the window."""
COSTS = {"sphere": 8, "pss": 16, "lss": 16, "rss": 16, "ssv": 16, "dop14": 16, "dop18": 32, "dop26": 80}
"""Cost of drawing a volume of each kind, in boxes."""


def parts_to_build(volumes: Sequence[str], splits: Sequence[str]) -> tuple[str, ...]:
    """Return the parts of the engine's warm-up that hierarchies need in addition to those of every test."""
    builders = ("builders",) if set(splits) - {SPLITS[0][0]} else ()
    return (*(f"{volume} volumes" for volume in volumes if volume != VOLUMES[0][0]), *builders)


@dataclass
class ShownHierarchy:
    """A hierarchy that is shown.

    Attributes:
        name: full name of the object.
        volume, split: bounding volume and split rule of the hierarchy.
        depth: deepest level of the hierarchy.
        level: the level shown: the requested one, or the deepest level above it that can be drawn.
        count: number of volumes in the level.
        lines: (2 k, 3) float32 end points of the level's lines, in the object's space.
        stale: whether the object's mesh has changed since.
    """

    name: str
    volume: str
    split: str
    depth: int
    _engine: ModuleType = field(repr=False)
    _hierarchy: Any = field(repr=False)
    _placing: np.ndarray = field(repr=False)
    """Matrix (4, 4) from the hierarchy's space, in which scale and shear are baked, to the object's space."""
    level: int = -1
    count: int = 0
    lines: np.ndarray = field(default_factory=lambda: np.empty((0, 3), np.float32), repr=False)
    stale: bool = False

    def show(self, wanted: int) -> None:
        """Show a level, counted from 0, or the deepest level above it that costs at most `MOST_NODES` boxes."""
        most = MOST_NODES // COSTS.get(self.volume, 1)
        found = self._engine.lab.hierarchy_level(self._hierarchy, max(wanted, 0), most=most)
        if found.number == self.level:
            return
        self.level, self.count = found.number, len(found.nodes)
        self.lines = to_world(found.lines.reshape(-1, 3), self._placing).astype(np.float32)


def hierarchy_steps(
    source: SceneSource, engine: ModuleType, name: str, volume: str, split: str
) -> Generator[Progress, None, ShownHierarchy]:
    """Build the hierarchy of the object with a name, in slices.

    Raises:
        InputError: the object has no faces, is hidden, has no size along an axis, or cannot be used.
        DetectError: the engine raised another error.
    """
    frame = yield from scale_progress(source.read_steps(f"object:{name}", f"object:{name}", None), 0.0, READ_END)
    refuse_lost(frame.skipped)
    item = next((item for item in frame.objects if item.name == name), None)
    if item is None:
        raise InputError(Sentence("object '{name}' has no faces of its own", name=name))
    if not np.linalg.matrix_rank(item.matrix) == 4:
        raise InputError(Sentence("object '{name}' has a scale of 0 along an axis", name=name))
    mesh, pose = placed_mesh(engine, frame, item)
    try:
        hierarchy = yield from _build_steps(engine, mesh, volume, split)
    except engine.errors.MeshClashError as error:
        raise DetectError(Sentence("the engine reported an error: {why}", why=error)) from error
    placing = np.linalg.inv(item.matrix) @ pose
    return ShownHierarchy(name, volume, split, int(hierarchy.tree.depth), engine, hierarchy, placing)


def _build_steps(engine: ModuleType, mesh: Any, volume: str, split: str) -> Generator[Progress, None, Any]:
    """Build the hierarchy of a mesh."""
    steps = engine.steps(engine.build, mesh, volume, split)
    while True:
        try:
            share = next(steps)
        except StopIteration as done:
            return done.value
        yield Progress(
            READ_END + (1.0 - READ_END) * share.fraction,
            Sentence("Building {volume}, {builder}", volume=Sentence(LABELS[volume]), builder=Sentence(LABELS[split])),
        )
