"""When contacts begin and end between two frames: for objects that keep their shape, by the engine's rigid motions.

An object is taken to move evenly from frame to frame: its origin on a straight line, while it turns about it at one
speed. What deforms, appears or vanishes has no such moments.
"""

from __future__ import annotations

from collections.abc import Generator
from types import ModuleType
from typing import Any

import numpy as np

from .engine_scene import EngineScene
from .events import Moments
from .followed import Followed
from .frame_scene import Progress
from .options import DetectOptions
from .pair_row import PairRow
from .queries import test_named
from .steps import within

Pair = tuple[int, int]


class Between:
    """The objects of the last frame, and how they came from there to the next one.

    Args:
        engine: the meshclash module.
        options: the question; where it is not one of contact, no moments are told.
    """

    def __init__(self, engine: ModuleType, options: DetectOptions) -> None:
        test = test_named(options.test)
        self._engine = engine
        self._wanted = test.has_moments and test.reach(options) == 0.0
        self._frame: int | None = None
        self._meshes: dict[int, Any] = {}
        self._rows: dict[int, np.ndarray] = {}

    def note(self, frame: int, world: EngineScene) -> None:
        """Remembers where the objects are in a frame, and the meshes; of scans and files no moments are told."""
        if self._wanted:
            scene = world.scene
            ids = scene.boxes()[0].tolist()
            self._frame = frame
            self._meshes = {
                key: scene.member(key).mesh for key in ids if key not in world.scans and not world.is_massive(key)
            }
            self._rows = dict(zip(ids, scene.all_rows(), strict=True))

    def moments_steps(
        self, frame: int, followed: Followed, before: dict[Pair, PairRow]
    ) -> Generator[Progress, None, Moments]:
        """When contacts began and ended since the frame that was noted last; notes this one.

        Args:
            frame: its number.
            followed: what is known of it.
            before: the rows of the frame noted last.
        """
        found, old = Moments(), self._frame
        last, meshes = self._rows, self._meshes
        self.note(frame, followed.world)
        if old is None or not self._wanted:
            return found
        now = followed.pairs()
        begun = [(pair, row) for pair, row in now.items() if pair not in before]
        ended = [(pair, row) for pair, row in before.items() if pair not in now]
        total = len(begun) + len(ended)
        for done, (pair, row) in enumerate((*begun, *ended)):
            if any(key not in self._meshes or meshes.get(key) is not self._meshes[key] for key in pair):
                continue
            forward = done < len(begun)
            poses = [(last[key], self._rows[key]) if forward else (self._rows[key], last[key]) for key in pair]
            share = yield from within(self._share_steps(pair, poses), done / total, (done + 1) / total)
            if share is not None and forward:
                found.begun[row.id] = old + share * (frame - old)
            elif share is not None:
                found.ended[row.id] = frame - share * (frame - old)
        return found

    def _share_steps(self, pair: Pair, poses: list[Any]) -> Generator[Any, None, float | None]:
        """The share of the way after which two objects meet; None where rounding lets nothing be said."""
        a, b = (self._meshes[key] for key in pair)
        motions = [self._engine.KeyframedMotion([0.0, 1.0], [_pose(rows) for rows in ends]) for ends in poses]
        try:
            found = yield from self._engine.time_of_contact_steps(a, b, *motions)
        except self._engine.errors.UnsupportedOption:
            return None
        return None if found.time is None else float(found.time)


def _pose(rows: np.ndarray) -> np.ndarray:
    """(4, 4) of rows (3, 4)."""
    return np.vstack([rows, (0.0, 0.0, 0.0, 1.0)])
