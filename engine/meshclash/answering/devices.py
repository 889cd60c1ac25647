"""Use a GPU for other work than questions about pairs of trees: object boxes, points, voxels.

Packages above this one do not import ``gpu``.
"""

import numpy as np

from ..broadphase.sweep import overlapping_pairs
from ..gpu.device import Session, kernel_steps, may_answer, on_device, require_device
from ..gpu.object_pairs import find_object_pairs

__all__ = [
    "Session", "kernel_steps", "may_answer", "object_pairs", "on_device", "require_device",
]  # fmt: skip


def object_pairs(device: str, boxes: np.ndarray, in_a: np.ndarray, in_b: np.ndarray) -> tuple[np.ndarray, str]:
    """Return ``overlapping_pairs`` computed on a device, and the reason for a CPU fallback (or "")."""
    note = ""
    if len(boxes) and may_answer(device, "object_crossover", len(boxes)) and np.isfinite(boxes).all():
        pairs, note = on_device(lambda session: find_object_pairs(session.space, boxes, in_a, in_b))
        if pairs is not None:
            return pairs, note
    return overlapping_pairs(boxes, in_a, in_b), note
