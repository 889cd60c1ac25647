"""Point clouds in ``Scene.step``: a pair is compared again only when one of its objects has changed."""

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from ..broadphase.sweep import overlapping_pairs
from ..types.results import Progress
from ..types.steps import scale_progress
from .members import Keep, Members
from .object_pair import ObjectPair
from .pair_keys import no_pairs, pair_keys
from .pair_memory import PairMemory
from .scene_step import SceneStep

Pair = tuple[int, int]


class CloudStepper:
    """The state of pairs with a cloud that a scene keeps between steps.

    Attributes:
        asleep: the number of pairs of the last step whose objects had not changed.
        unanswered: pairs of ids (k, 2) of the last step that cannot be compared.
    """

    def __init__(self) -> None:
        self._known = PairMemory[bool]()
        """For each pair, whether it meets."""
        self._touching: set[Pair] = set()
        self.asleep = 0
        self.unanswered = no_pairs()

    def look_steps(self, scene: Members, keep: Keep | None) -> Generator[Progress, None, None]:
        """Find which pairs with a cloud meet. Closing the generator early loses only the current pair."""
        pairs, self.unanswered = _candidates(scene, keep)
        asked = self._known.follow(scene, pairs)
        self.asleep = len(self._known)
        for k, pair in enumerate(asked):
            told = scale_progress(
                ObjectPair.of(scene, *pair).meets_steps(),
                k / len(asked),
                (k + 1) / len(asked),
                "comparing point clouds",
            )
            self._known.note(pair, (yield from told))

    def added_to(self, found: SceneStep) -> SceneStep:
        """Return the step of the meshes ``found`` with the pairs of clouds added."""
        before, now = self._touching, {pair for pair, meets in self._known.items() if meets}
        self._touching = now
        if not (before or self._known or len(self.unanswered)):
            return found
        pairs = _merged(found.pairs, now)
        place = np.searchsorted(pair_keys(pairs), pair_keys(found.pairs))
        return replace(
            found,
            begun=_merged(found.begun, now - before),
            persisting=_merged(found.persisting, now & before),
            ended=_merged(found.ended, before - now),
            pairs=pairs,
            pair_of=place[found.pair_of],
            near=found.near + len(self._known),
            asleep=found.asleep + self.asleep,
            unanswered=self.unanswered,
        )


def _candidates(scene: Members, keep: Keep | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of ids (k, 2) with a cloud whose boxes overlap and that ``keep`` accepts.

    The first array has the pairs that can be compared, the second those that cannot.
    """
    if not scene.has_special:
        return no_pairs(), no_pairs()
    ids, boxes = scene.boxes()
    everybody = np.ones(len(ids), np.bool_)
    places = overlapping_pairs(boxes, everybody, everybody)
    places = places[scene.with_special(ids[places])]
    if keep is not None and len(places):
        places = places[keep(ids[places])]
    told = scene.comparable(everybody, everybody).told(ids, places)
    return ids[places[told]], ids[places[~told]]


def _merged(pairs: np.ndarray, more: set[Pair]) -> np.ndarray:
    """Return the union of two collections of different pairs, (k, 2) int64, sorted."""
    every = np.concatenate([pairs, np.array(sorted(more), np.int64).reshape(-1, 2)])
    return every[np.argsort(pair_keys(every))]
