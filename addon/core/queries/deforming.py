"""Deforming: whose surfaces meet, found anew in every frame by common voxels, without any preparation."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..candidates import candidate_pairs
from ..frame_scene import Progress
from ..pair_row import MEETS
from ..rows import RowSteps, surfaces_row_steps
from ..steps import within
from .asked import Answered, Asked
from .base import BASIC_PARTS, DetectTest
from .followers import Follower, Pair

if TYPE_CHECKING:
    from ..options import DetectOptions


class Meeting(NamedTuple):
    """Two objects whose surfaces meet; ids are the engine's."""

    a: int
    b: int
    contacts: Any


class Deforming(DetectTest):
    """Exact contacts of surfaces that are others in every frame; no hierarchy is built, and nothing is kept."""

    name = "deforming"
    label = "Deforming"
    description = (
        "Every pair of objects whose surfaces meet, found anew without preparation: for cloth and simulations whose "
        "faces change from frame to frame. What lies wholly inside another object is not seen"
    )
    takes: ClassVar[frozenset[str]] = frozenset()
    verdicts = (MEETS,)
    apart = MEETS
    measures = ()
    nothing = "Nothing meets"
    found = ("meets", "meet")

    def parts(self, options: DetectOptions) -> tuple[str, ...]:
        """As `DetectTest`."""
        return (*BASIC_PARTS, "more")

    def reach(self, options: DetectOptions) -> float:
        """As `DetectTest`."""
        return 0.0

    def ask_steps(self, asked: Asked) -> Generator[Any, None, Answered]:
        """As `DetectTest`."""
        started, found, stats = time.perf_counter(), [], asked.engine.QueryStats()
        pairs = _pairs(asked)
        for done, (a, b) in enumerate(pairs):
            steps = _contacts_steps(asked, a, b)
            contacts = yield from within(steps, done / len(pairs), (done + 1) / len(pairs))
            stats = contacts.stats.plus(stats)
            if len(contacts):
                found.append(Meeting(a, b, contacts))
        return Answered(found, stats, {"voxels": time.perf_counter() - started})

    def row_steps(self, asked: Asked, found: Any, frame: int, highlights: bool) -> RowSteps:
        """As `DetectTest`."""
        return surfaces_row_steps(asked.engine, asked.world, found, MEETS, frame, highlights)

    def follower(self, asked: Asked) -> Follower:
        """As `DetectTest`."""
        return DeformingFollower()


class DeformingFollower(Follower):
    """Asks about each pair of which an object moved or deformed, and writes its row."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[Pair, tuple[int, ...]] = {}
        self._unwritten: dict[Pair, Meeting | None] = {}

    def ask_steps(self, asked: Asked, first_contact: bool) -> Generator[Any, None, Answered]:
        """As `Follower`; all contacts of a pair are found in any case."""
        started, stats = time.perf_counter(), asked.engine.QueryStats()
        pairs = _pairs(asked)
        revisions = asked.world.scene.revisions(np.array(pairs, np.int64).reshape(-1, 2)).tolist()
        now = {pair: tuple(revision) for pair, revision in zip(pairs, revisions, strict=True)}
        for pair in self._known.keys() - now.keys():
            for known in (self._known, self._unwritten, self.rows):
                known.pop(pair, None)
        due = [pair for pair, revision in now.items() if self._known.get(pair) != revision]
        for done, pair in enumerate(due):
            steps = _contacts_steps(asked, *pair)
            contacts = yield from within(steps, done / len(due), (done + 1) / len(due))
            stats = contacts.stats.plus(stats)
            self._known[pair] = now[pair]
            self._unwritten[pair] = Meeting(*pair, contacts) if len(contacts) else None
        return Answered((), stats, {"voxels": time.perf_counter() - started})

    def write_steps(self, asked: Asked, frame: int) -> Generator[Progress, None, None]:
        """As `Follower`."""
        for pair, found in list(self._unwritten.items()):
            if found is None:
                self.rows.pop(pair, None)
            else:
                steps = surfaces_row_steps(asked.engine, asked.world, found, MEETS, frame, highlights=True)
                self.rows[pair] = yield from steps
            del self._unwritten[pair]  # now, so that giving up in the middle loses nothing


def _pairs(asked: Asked) -> list[Pair]:
    """The engine's ids of objects that may meet."""
    ids, boxes = asked.world.scene.boxes()
    items = [asked.world.objects[key] for key in ids.tolist()]
    found = candidate_pairs(items, boxes, asked.options.rules, len(items))
    return [(int(ids[i]), int(ids[j])) for i, j in found.tolist()]


def _contacts_steps(asked: Asked, a: int, b: int) -> Generator[Any, None, Any]:
    """The contacts of two objects by voxels, in slices; at once by hierarchies where voxels need too much memory."""
    (thing_a, pose_a), (thing_b, pose_b) = (asked.world.scene.posed(key) for key in (a, b))
    try:
        found = yield from asked.engine.voxel_collide_steps(thing_a, thing_b, pose_a, pose_b)
    except asked.engine.errors.UnsupportedOption:
        return asked.engine.collide(thing_a, thing_b, pose_a, pose_b, engine="hierarchies")
    return found.contacts
