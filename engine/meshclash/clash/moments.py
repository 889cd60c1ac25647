"""Find when contacts begin and end between two frames, for rigid objects, with the engine's continuous collision
detection.

An object is assumed to move uniformly from frame to frame: its origin on a straight line, with a rotation about the
origin at constant speed. For objects that deform, appear or vanish, no times between frames are computed. A scale or
shear is part of the shape. Single precision changes it slightly in every frame, so the shape of the later frame is used
in both frames.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from ..types.steps import scale_progress
from .between_frames import Moved, passages_steps
from .engine_scene import EngineScene, Shape
from .events import Moments
from .followed import Followed
from .frame_scene import Progress
from .options import DetectOptions
from .pair_row import PairRow
from .queries.registry import test_named

SAME_SHAPE = 1e-5
"""Maximum difference between a matrix of motion between two frames and a rigid one; the rounding of single precision
stays below a tenth of it."""


class Between:
    """The objects of the last frame, and their motion to the next one.

    Args:
        engine: the meshclash module.
        options: the options of the test; for tests without contacts, no times are computed.
        passages: whether to search for pairs that meet only between two frames.
    """

    def __init__(self, engine: ModuleType, options: DetectOptions, passages: bool = False) -> None:
        test = test_named(options.test)
        self._engine = engine
        self._wanted = test.has_moments and test.reach(options) == 0.0
        self._passages = self._wanted and passages and test.name == "intersection"
        self._frame: int | None = None
        self._shapes: dict[str, Shape] = {}

    def note(self, frame: int, world: EngineScene) -> None:
        """Store the objects of a frame and their poses; scans and massive files are ignored."""
        if self._wanted:
            ids = [key for key in world.objects if key not in world.scans and not world.is_massive(key)]
            self._frame, self._shapes = frame, {world.objects[key].name: world.shape(key) for key in ids}

    def moments_steps(
        self, frame: int, followed: Followed, before: Mapping[Any, PairRow]
    ) -> Generator[Progress, None, Moments]:
        """Return the times at which contacts began and ended since the stored frame; then store the current frame.

        Args:
            frame: number of the frame.
            followed: the results for the current frame.
            before: the rows of the frame noted last, by anything.
        """
        found, old = Moments(), self._frame
        last = self._shapes
        self.note(frame, followed.world)
        if old is None or not self._wanted:
            return found
        now = {row.id: row for row in followed.rows()}
        known = {row.id: row for row in before.values()}
        begun = [row for name, row in now.items() if name not in known]
        ended = [row for name, row in known.items() if name not in now]
        total = len(begun) + len(ended)
        for done, row in enumerate((*begun, *ended)):
            if any(name not in last or name not in self._shapes for name in row.names):
                continue
            moved = [way for name in row.names if (way := self._moved(last[name], self._shapes[name])) is not None]
            if len(moved) < len(row.names):
                continue
            forward = done < len(begun)
            share = yield from scale_progress(self._share_steps(moved, forward), done / total, (done + 1) / total)
            if share is not None and forward:
                found.begun[row.id] = old + share * (frame - old)
            elif share is not None:
                found.ended[row.id] = frame - share * (frame - old)
        if self._passages:
            told = {*before, *followed.pairs()}
            passed = yield from scale_progress(
                passages_steps(followed.question, self._rigid(last, followed), told, frame), 0, 1
            )
            found.passed = [
                (item.row, old + item.start * (frame - old), old + item.end * (frame - old)) for item in passed
            ]
            found.before = old
        return found

    def _rigid(self, last: Mapping[str, Shape], followed: Followed) -> dict[int, Moved]:
        """Return the objects that keep their shape from the stored frame to the current one, by engine id."""
        found: dict[int, Moved] = {}
        for key, item in followed.world.objects.items():
            if item.name in last and item.name in self._shapes:
                way = self._moved(last[item.name], self._shapes[item.name])
                found |= {} if way is None else {key: way}
        return found

    def _moved(self, old: Shape, new: Shape) -> Moved | None:
        """Return the motion of an object from one frame to the next; None if the shape changed."""
        if not (old.mesh is new.mesh or old.mesh.is_like(new.mesh)):
            return None
        mesh, stretch = new.built, new.stretch.copy()
        if stretch[:3, 3].any():  # a shear is baked together with the place, about which the object is to turn
            stretch[:3, 3] = 0.0
            plain = self._engine.TriangleMesh(new.mesh.vertices, new.mesh.triangles, shell=new.shell)
            mesh = plain.transformed(stretch)
        if not np.linalg.det(stretch[:3, :3]):
            return None  # it is flat
        inverse = np.linalg.inv(stretch)
        start, end = (np.asarray(matrix, np.float64) @ inverse for matrix in (old.matrix, new.matrix))
        turned = start[:3, :3]
        if not np.abs(turned.T @ turned - np.eye(3)).max() <= SAME_SHAPE or np.linalg.det(turned) < 0.0:
            return None
        return Moved(mesh, start, end)

    def _share_steps(self, moved: list[Moved], forward: bool) -> Generator[Any, None, float | None]:
        """Return the fraction of the motion after which two objects meet; None if rounding makes this undecidable."""
        poses = [(way.start, way.end) if forward else (way.end, way.start) for way in moved]
        motions = [self._engine.motion.KeyframedMotion([0.0, 1.0], list(ends)) for ends in poses]
        try:
            found = yield from self._engine.steps(
                self._engine.motion.time_of_contact, *(way.mesh for way in moved), *motions
            )
        except self._engine.errors.UnsupportedOption:
            return None
        return None if found.time is None else float(found.time)
