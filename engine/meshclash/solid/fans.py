"""Vertices at which a surface touches itself, taken apart: one copy for each fan of triangles around the same material.

Two blocks of one object that meet along an edge only share its vertices. To move a surface inward there each block
needs vertices of its own. Around an edge of more than two triangles those belong together that have the material
between them; triangles are in one fan of a vertex when edges of that kind, or of two triangles, join them.
"""

import numpy as np


def split_fans(
    vertices: np.ndarray, triangles: np.ndarray, outward: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Triangles (m, 3) int32 with a vertex for each fan, and which vertex each of these was, (n,) int64.

    None where every vertex has one fan: then nothing has to be taken apart.

    Args:
        vertices: (v, 3) float64 [m].
        triangles: (m, 3) of welded vertices.
        outward: 1 or -1 of each triangle: times its normal it points out of the material, (m,).
    """
    first, last = triangles.ravel(), triangles[:, (1, 2, 0)].ravel()
    ends = np.stack([np.minimum(first, last), np.maximum(first, last)], axis=1)
    sides = np.flatnonzero(first != last)
    order = sides[np.lexsort((ends[sides, 1], ends[sides, 0]))]
    begins = np.flatnonzero(np.append(True, (np.diff(ends[order], axis=0) != 0).any(axis=1)))
    sizes = np.diff(np.append(begins, len(order)))
    joined = [np.stack([order[begins[sizes == 2]], order[begins[sizes == 2] + 1]], axis=1)]
    for begin, size in zip(begins[sizes > 2], sizes[sizes > 2], strict=True):
        around = order[begin : begin + size]
        joined.append(around[_pairs_around(vertices, triangles, outward, ends[around[0]], around // 3)])
    fans = _fans(triangles, np.concatenate(joined))
    kept, numbers = np.unique(fans, return_inverse=True)
    if len(kept) == len(np.unique(first)):
        return None
    return numbers.reshape(-1, 3).astype(np.int32), first[kept].astype(np.int64)


def _fans(triangles: np.ndarray, joined: np.ndarray) -> np.ndarray:
    """The first corner of the fan that each corner belongs to, (3 m,), from pairs (k, 2) of sides that join triangles.

    Side s goes from corner s to the next one of its triangle.
    """
    vertex = triangles.ravel()
    ahead = np.arange(len(vertex)).reshape(-1, 3)[:, (1, 2, 0)].ravel()
    one, other = joined.T
    alike = vertex[one] == vertex[other]  # both run the same way
    pairs = np.concatenate([
        np.stack([one, np.where(alike, other, ahead[other])], axis=1),
        np.stack([ahead[one], np.where(alike, ahead[other], other)], axis=1),
    ])  # fmt: skip
    fans = np.arange(len(vertex))
    while True:
        least = fans[pairs].min(axis=1)
        before = fans.copy()
        np.minimum.at(fans, pairs.ravel(), np.repeat(least, 2))
        fans = fans[fans]
        if (fans == before).all():
            return fans


def _pairs_around(
    vertices: np.ndarray, triangles: np.ndarray, outward: np.ndarray, ends: np.ndarray, around: np.ndarray
) -> np.ndarray:
    """Which of the triangles around an edge have material between them, (k, 2) places in ``around``."""
    start, edge = vertices[ends[0]], vertices[ends[1]] - vertices[ends[0]]
    edge = edge / max(float(np.linalg.norm(edge)), 1e-300)
    corners = vertices[triangles[around]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) * outward[around, None]
    away = corners.mean(axis=1) - start
    away -= (away @ edge)[:, None] * edge
    turned = np.argsort(np.arctan2(away @ np.cross(edge, away[0]), away @ away[0]), kind="stable")
    opens = (np.einsum("nk,nk->n", normals, np.cross(edge, away)) < 0.0)[turned]
    if (opens == np.roll(opens, 1)).any():  # faces that coincide: angles do not tell them apart
        return np.stack([np.zeros(len(around) - 1, np.int64), np.arange(1, len(around))], axis=1)
    return np.roll(turned, -int(np.argmax(opens))).reshape(-1, 2)
