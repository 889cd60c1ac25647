"""Self-contact test: find objects whose surface crosses itself, as cloth and skin do."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from ...messages import Sentence
from ..frame_scene import Progress
from .followers import Pair
from .question import DetectQuestion
from .surfaces import SurfaceTest


class SelfContactTest(SurfaceTest):
    """Finds exact crossings of a surface with itself; neighbours along edges and around vertices do not count."""

    name = "self"
    label = "Self-Contact"
    description = "Find objects of set A whose surface crosses itself, such as folds of cloth"
    nothing = "No object crosses itself"
    found = ("crosses itself", "cross themselves")
    of_pairs = False
    timing = "query"

    def pairs(self, question: DetectQuestion) -> list[Pair]:
        """Implement `SurfaceTest.pairs`: each object with itself."""
        return [(key, key) for key in question.set_a]

    def contacts_steps(self, question: DetectQuestion, a: int, b: int) -> Generator[Any, None, Any]:
        """Implement `SurfaceTest.contacts_steps` in a single step."""
        contacts = question.engine.self_collide(*question.world.scene.posed(a), touching=False)
        yield Progress(1.0, Sentence("Comparing {name} with itself", name=question.world.objects[a].name))
        return contacts
