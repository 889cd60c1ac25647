"""Self-contact test: find objects whose surface crosses itself, as cloth and skin do."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from ...messages import Sentence
from ..frame_scene import Progress
from ..surface_regions import RegionMemory
from .followers import Follower, Pair
from .question import DetectQuestion
from .surfaces import SurfaceFollower, SurfaceMeeting, SurfaceTest


class SelfContactTest(SurfaceTest):
    """Finds exact crossings of a surface with itself; neighbours along edges and around vertices do not count.

    Each pair of regions of the surface that cross each other has a row of its own.
    """

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

    def follower(self, question: DetectQuestion) -> Follower:
        """Implement `DetectTest.follower`."""
        return _SelfContactFollower(self)


class _SelfContactFollower(SurfaceFollower):
    """Divides the contacts of an object with itself by the regions of its surface."""

    def __init__(self, test: SurfaceTest) -> None:
        super().__init__(test)
        self._regions = RegionMemory()

    def parts(self, question: DetectQuestion, meeting: SurfaceMeeting) -> list[SurfaceMeeting]:
        """Implement `SurfaceFollower.parts`: one meeting for each pair of regions, the lower region first."""
        world, contacts = question.world, meeting.contacts
        mesh = world.meshes[world.objects[meeting.a].mesh_key]
        found = []
        for region, (some, turned) in self._regions.regions(mesh.triangles).parts(contacts.pairs).items():
            pairs = contacts.pairs[some]
            pairs = np.where(turned[:, None], pairs[:, ::-1], pairs)
            part = question.engine.Contacts(
                pairs, contacts.kinds[some], contacts.pose[some], contacts.stats, contacts.meshes, contacts.rows
            )
            found.append(SurfaceMeeting(meeting.a, meeting.b, part, region))
        return found
