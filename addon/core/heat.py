"""Collect how often and how deep each face takes part in clashes over a range of frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from meshclash.clash.pair_row import PairRow
from meshclash.clash.verdicts import QUIET_VERDICTS
from numpy.typing import NDArray


@dataclass
class FaceHeat:
    """The heat of the faces of one mesh before its modifiers.

    Attributes:
        frames: number of frames in which each face was in contact, (n,) int32; 0 for faces beyond the end.
        depth: greatest depth of the clashes of each face [Blender units], (n,) float32; 0 if unknown.
    """

    frames: NDArray[np.int32]
    depth: NDArray[np.float32]

    def take(self, faces: NDArray[np.int32], depths: NDArray[np.float32]) -> None:
        """Add one frame: faces, repeated if they are in several clashes, and the depths of these clashes."""
        most = int(faces.max()) + 1
        if most > len(self.frames):
            self.frames = np.concatenate((self.frames, np.zeros(most - len(self.frames), np.int32)))
            self.depth = np.concatenate((self.depth, np.zeros(most - len(self.depth), np.float32)))
        self.frames[np.unique(faces)] += 1
        np.maximum.at(self.depth, faces, depths)


class HeatMap:
    """The heat of all objects. Only clashes are counted, not pairs that touch or are apart.

    Attributes:
        objects: heat by the full name of the object with the mesh.
        unknown: objects whose modifiers change the faces, so that the heat of their own faces is unknown.
    """

    def __init__(self) -> None:
        self.objects: dict[str, FaceHeat] = {}
        self.unknown: set[str] = set()

    def take(self, rows: Iterable[PairRow]) -> None:
        """Add the rows of one frame."""
        parts: dict[str, list[tuple[NDArray[np.int32], float]]] = {}
        for row in rows:
            if row.verdict in QUIET_VERDICTS:
                continue
            for side in row.sides:
                if side.original_faces is None and not side.is_scan:
                    self.unknown.add(side.source)
                elif side.original_faces is not None and len(side.original_faces) and not side.is_scan:
                    parts.setdefault(side.source, []).append((side.original_faces, row.depth or 0.0))
        for name, found in parts.items():
            faces = np.concatenate([part for part, _ in found])
            depths = np.concatenate([np.full(len(part), depth, np.float32) for part, depth in found])
            heat = self.objects.setdefault(name, FaceHeat(np.empty(0, np.int32), np.empty(0, np.float32)))
            heat.take(faces, depths)
