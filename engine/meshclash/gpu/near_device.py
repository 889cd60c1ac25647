"""Asking a CUDA device for distances, clearances and pairs of boxes, as ``device.answer_on_device`` for contacts."""

from collections.abc import Sequence

import numpy as np

from ..traversal.near import NearAnswer
from ..types.mesh import TriangleMesh
from .device import Session, on_device, pays, with_trees
from .jobs import Asked
from .nearness import find_clearances, find_distances
from .object_pairs import find_object_pairs
from .trees import Trees


def clearances_on_device(
    device: str, meshes_a: Sequence[TriangleMesh], meshes_b: Sequence[TriangleMesh], asked: Asked, tolerance: float
) -> tuple[NearAnswer | None, str]:
    """All pairs of triangles no farther apart than a tolerance [m]; the rest as ``answer_on_device``."""

    def work(session: Session, a: Trees, b: Trees) -> NearAnswer:
        return find_clearances(session.space, a, b, asked, tolerance)

    return with_trees(device, "clearance_crossover", meshes_a, meshes_b, asked, work)


def distances_on_device(
    device: str,
    meshes_a: Sequence[TriangleMesh],
    meshes_b: Sequence[TriangleMesh],
    asked: Asked,
    limits: np.ndarray | None = None,
) -> tuple[NearAnswer | None, str]:
    """The nearest pair of triangles of each job; ``limits`` as ``find_distances``, the rest as ``answer_on_device``."""
    known = np.full(len(asked.jobs), np.inf) if limits is None else limits

    def work(session: Session, a: Trees, b: Trees) -> NearAnswer:
        return find_distances(session.space, a, b, asked, known)

    return with_trees(device, "distance_crossover", meshes_a, meshes_b, asked, work)


def object_pairs_on_device(
    device: str, boxes: np.ndarray, in_a: np.ndarray, in_b: np.ndarray
) -> tuple[np.ndarray | None, str]:
    """``overlapping_pairs``; the result as ``answer_on_device``."""
    if not len(boxes) or not pays(device, "object_crossover", len(boxes)) or not np.isfinite(boxes).all():
        return None, ""
    return on_device(lambda session: find_object_pairs(session.space, boxes, in_a, in_b))
