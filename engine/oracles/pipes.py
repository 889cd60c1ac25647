"""Bundles of bent pipes: much surface that is nowhere near a plane piece, and boxes that are mostly empty."""

from __future__ import annotations

import numpy as np

from .mesh_generators import MAKERS, Mesh

_PIPES = 14


def pipes(count: int, seed: int = 1) -> Mesh:
    """Closed pipes around smooth curves in a cube of about one metre; ``count`` triangles in all, as ``MAKERS``."""
    rng = np.random.default_rng(seed)
    around = max(3, round(np.sqrt(count / _PIPES / 40.0)))
    along = max(8, round(count / (2 * _PIPES * around)))
    vertices = np.concatenate([_pipe(rng, around, along) for _ in range(_PIPES)])
    index = np.arange(around * along, dtype=np.int32).reshape(along, around)
    beside, above = np.roll(index, -1, axis=0), np.roll(index, -1, axis=1)
    across = np.roll(beside, -1, axis=1)
    pipe = np.concatenate([np.stack([index, beside, across], -1), np.stack([index, across, above], -1)]).reshape(-1, 3)
    triangles = np.concatenate([pipe + k * around * along for k in range(_PIPES)]).astype(np.int32)
    return vertices.astype(np.float32).astype(np.float64), triangles


def _pipe(rng: np.random.Generator, around: int, along: int) -> np.ndarray:
    """Vertices of one pipe, (along * around, 3)."""
    t = np.arange(along) * (2.0 * np.pi / along)
    waves = rng.normal(size=(3, 3, 2)) / np.arange(1, 4)[None, :, None]
    phases = [np.stack([np.cos(k * t), np.sin(k * t)]) for k in range(1, 4)]
    curve = sum(waves[:, k] @ phases[k] for k in range(3)).T
    curve *= 0.45 / np.abs(curve).max()
    tangent = np.roll(curve, -1, axis=0) - np.roll(curve, 1, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    side = np.cross(tangent, np.array([0.36, 0.48, 0.8]))
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    up = np.cross(tangent, side)
    angle = np.arange(around) * (2.0 * np.pi / around)
    ring = side[:, None] * np.cos(angle)[:, None] + up[:, None] * np.sin(angle)[:, None]
    return (curve[:, None] + 0.02 * ring).reshape(-1, 3)


MODELS = {**MAKERS, "pipes": pipes}
"""The made meshes that time-critical detection is measured on."""
