"""Self-contact: whose own surface crosses itself, as cloth and skin do."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from ..frame_scene import Progress
from .asked import Asked
from .followers import Pair
from .surfaces import SurfaceTest


class SelfContact(SurfaceTest):
    """Exact crossings of one surface with itself; neighbours along edges and around vertices are none."""

    name = "self"
    label = "Self-Contact"
    description = "Every object of set A whose surface crosses itself: folds of cloth, joints of a skin"
    nothing = "Nothing crosses itself"
    found = ("crosses itself", "cross themselves")
    of_pairs = False
    timing = "query"

    def pairs(self, asked: Asked) -> list[Pair]:
        """As `SurfaceTest`: each object with itself."""
        return [(key, key) for key in asked.set_a]

    def contacts_steps(self, asked: Asked, a: int, b: int) -> Generator[Any, None, Any]:
        """As `SurfaceTest`; an object is asked about at once."""
        contacts = asked.engine.self_collide(*asked.world.scene.posed(a), touching=False)
        yield Progress(1.0, f"Comparing {asked.world.objects[a].name} with itself")
        return contacts
