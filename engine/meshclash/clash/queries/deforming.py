"""Deforming test: find objects whose surfaces meet, in every frame by common voxels, without preparation."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from ..candidates import candidate_pairs
from .followers import Pair
from .question import DetectQuestion
from .surfaces import SurfaceTest


class DeformingTest(SurfaceTest):
    """Finds exact contacts of surfaces that change in every frame; builds no hierarchy and stores nothing."""

    name = "deforming"
    label = "Deforming"
    description = (
        "Find pairs of objects whose surfaces meet, without preparing their meshes: for cloth and simulations whose "
        "faces change in every frame. An object inside another one is not found"
    )
    nothing = "No objects meet"
    found = ("meets", "meet")
    has_moments = True
    timing = "voxels"

    def pairs(self, question: DetectQuestion) -> list[Pair]:
        """Implement `SurfaceTest.pairs`: objects whose boxes overlap."""
        ids, boxes = question.world.scene.boxes()
        items = [question.world.objects[key] for key in ids.tolist()]
        found = candidate_pairs(items, boxes, question.options.rules)
        return [(int(ids[i]), int(ids[j])) for i, j in found.tolist()]

    def contacts_steps(self, question: DetectQuestion, a: int, b: int) -> Generator[Any, None, Any]:
        """Implement `SurfaceTest.contacts_steps`: by voxels, or directly by hierarchies if voxels need too much
        memory.
        """
        (thing_a, pose_a), (thing_b, pose_b) = (question.world.scene.posed(key) for key in (a, b))
        if question.world.has_scan((a, b)):
            return (yield from question.engine.steps(question.engine.collide, thing_a, thing_b, pose_a, pose_b))
        try:
            found = yield from question.engine.steps(
                question.engine.voxels.voxel_collide, thing_a, thing_b, pose_a, pose_b
            )
        except question.engine.errors.UnsupportedOption:
            return question.engine.collide(thing_a, thing_b, pose_a, pose_b, engine="hierarchies")
        return found.contacts
