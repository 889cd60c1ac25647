"""The volume advisor: compares bounding volumes and split rules on two objects of the scene, in slices."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from meshclash.clash.errors import DetectError, InputError
from meshclash.clash.frame_scene import Progress, SceneSource, refuse_lost
from meshclash.clash.placed_mesh import placed_mesh
from meshclash.messages import Sentence
from meshclash.types.steps import scale_progress

from .levels import LABELS, READ_END, VOLUMES, parts_to_build

QUICK_VOLUMES, QUICK_SPLITS = ("aabb", "boxtree", "sphere", "dop18", "obb", "rss"), ("lbvh", "sah")
"""Representatives of each kind, enough for a choice; trying all takes minutes on large meshes."""


def parts_to_measure(volumes: Sequence[str], splits: Sequence[str]) -> tuple[str, ...]:
    """Return the parts of the engine's warm-up that `advise_steps` needs in addition to those of every test."""
    contacts = (f"{volume} contacts" for volume in volumes if volume != VOLUMES[0][0])
    return (*parts_to_build(volumes, splits), *contacts)


@dataclass(frozen=True)
class MeasuredAdvice:
    """The results of the advisor.

    Attributes:
        names: names of the two objects.
        triangles: number of triangles of both.
        candidates: the engine's `Candidate` objects, fastest queries first.
    """

    names: tuple[str, str]
    triangles: int
    candidates: tuple[Any, ...]

    @property
    def best(self) -> Any:
        """The fastest candidate for objects that are queried many times."""
        return self.candidates[0]

    @property
    def best_once(self) -> Any:
        """The fastest candidate for objects that are queried once, including the time to build the hierarchies."""
        return min(self.candidates, key=lambda candidate: candidate.build_seconds + candidate.query_seconds)


def advise_steps(
    source: SceneSource, engine: ModuleType, volumes: Sequence[str], splits: Sequence[str]
) -> Generator[Progress, None, MeasuredAdvice]:
    """Build and query the two selected objects with each volume and split rule.

    Args:
        source: the scene.
        engine: the meshclash module.
        volumes, splits: names to try.

    Yields:
        Progress, in slices. If this process compiles kernels, the first run of a volume takes longer.

    Raises:
        InputError: not exactly two objects with faces are selected, or one cannot be used.
        DetectError: the engine raised another error.
    """
    frame = yield from scale_progress(source.read_steps("selection", "selection", None), 0.0, READ_END)
    refuse_lost(frame.skipped)
    if len(frame.objects) != 2:
        raise InputError(
            Sentence("select two objects with faces to measure: {count} are selected", count=len(frame.objects))
        )
    (mesh_a, pose_a), (mesh_b, pose_b) = (placed_mesh(engine, frame, item) for item in frame.objects)
    try:
        steps = engine.steps(engine.lab.advise, mesh_a, mesh_b, pose_a, pose_b, volumes=volumes, splits=splits)
        advice = yield from scale_progress(_in_words(steps), READ_END, 1.0)
    except engine.errors.MeshClashError as error:
        raise DetectError(Sentence("the engine reported an error: {why}", why=error)) from error
    a, b = frame.objects
    return MeasuredAdvice((a.name, b.name), mesh_a.triangle_count + mesh_b.triangle_count, advice.candidates)


def _in_words(steps: Generator[Any, None, Any]) -> Generator[Progress, None, Any]:
    """Pass progress on, with the panel's names of volumes and split rules."""
    while True:
        try:
            progress = next(steps)
        except StopIteration as done:
            return done.value
        text = " ".join(LABELS.get(word, word) for word in progress.text.split())
        yield Progress(progress.fraction, text)
