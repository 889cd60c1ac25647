"""Read the two objects of a row in their current state, as meshes and poses of the engine."""

from __future__ import annotations

from collections.abc import Generator
from types import ModuleType
from typing import Any

from meshclash.clash.errors import InputError
from meshclash.clash.frame_scene import Progress, SceneSource, refuse_lost
from meshclash.clash.pair_row import PairRow
from meshclash.clash.placed_mesh import placed_mesh
from meshclash.messages import Sentence


def placed_pair_steps(
    source: SceneSource, engine: ModuleType, row: PairRow
) -> Generator[Progress, None, list[tuple[Any, Any]]]:
    """Read the two objects of a row; return the mesh and pose of the first, then those of the second.

    Raises:
        InputError: one of the two is gone, hidden, a scan, or cannot be used.
    """
    frame = yield from source.read_steps(f"object:{row.a.owner}", f"object:{row.b.owner}", None)
    refuse_lost(frame.skipped)
    placed = []
    for name in row.names:
        item = next((item for item in frame.objects if item.name == name), None)
        if item is None:
            raise InputError(Sentence("object '{name}' has no faces of its own", name=name))
        placed.append(placed_mesh(engine, frame, item))
    return placed
