"""How often, and how deep, each face takes part in clashes over a range of frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from meshclash.clash.pair_row import PairRow
from meshclash.clash.verdicts import QUIET_VERDICTS
from numpy.typing import NDArray


@dataclass
class FaceHeat:
    """Of the faces of one mesh before its modifiers.

    Attributes:
        frames: in how many frames each face was in contact, (n,) int32; faces beyond the end never were.
        depth: the greatest depth of a clash that it took part in [Blender units], (n,) float32; 0 where none is known.
    """

    frames: NDArray[np.int32]
    depth: NDArray[np.float32]

    def take(self, faces: NDArray[np.int32], depths: NDArray[np.float32]) -> None:
        """Takes in one frame: faces, repeated where they belong to several clashes, and the depths of these."""
        most = int(faces.max()) + 1
        if most > len(self.frames):
            self.frames = np.concatenate((self.frames, np.zeros(most - len(self.frames), np.int32)))
            self.depth = np.concatenate((self.depth, np.zeros(most - len(self.depth), np.float32)))
        self.frames[np.unique(faces)] += 1
        np.maximum.at(self.depth, faces, depths)


class HeatMap:
    """The heat of all objects; of pairs that only touch, or are apart, nothing is counted.

    Attributes:
        objects: by the full name of the object whose mesh it is.
        unknown: objects whose modifiers make other faces, so that nothing can be said of their own.
    """

    def __init__(self) -> None:
        self.objects: dict[str, FaceHeat] = {}
        self.unknown: set[str] = set()

    def take(self, rows: Iterable[PairRow]) -> None:
        """Takes in the rows of one frame."""
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
