"""Rigid motions in closed form, and how far unions of convex parts are from each other by separating axes.

Nothing here is shared with the engine: poses are exponentials of twists in the object's own frame, where the engine
takes a pivot and an axis in the world, and contacts are decided by the axis test for convex parts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np


def turned_by(vectors: np.ndarray) -> np.ndarray:
    """Rotations (n, 3, 3) by rotation vectors (n, 3), by Rodrigues' formula."""
    angles = np.linalg.norm(vectors, axis=1)[:, None, None]
    x, y, z = (vectors / np.maximum(angles[:, 0], np.finfo(float).tiny)).T
    o = np.zeros_like(x)
    cross = np.stack([o, -z, y, z, o, -x, -y, x, o], axis=1).reshape(-1, 3, 3)
    return np.eye(3) + np.sin(angles) * cross + 2.0 * np.sin(0.5 * angles) ** 2 * (cross @ cross)


def _carried_by(vectors: np.ndarray, velocities: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Where a twist of unit duration has carried the origin after shares of it, (n, 3), in the frame of its start."""
    angles = np.linalg.norm(vectors, axis=1)[:, None]
    units = vectors / np.maximum(angles, np.finfo(float).tiny)
    s = shares[:, None]
    half = 0.5 * angles * s
    sinc = np.sinc(half / np.pi)
    once = np.cross(units, velocities)
    drift = s - s * np.sinc(angles * s / np.pi)
    return s * velocities + s * np.sin(half) * sinc * once + drift * np.cross(units, once)


@dataclass(frozen=True, eq=False)
class Path:
    """A motion of n pieces; one piece without duration is rest."""

    times: np.ndarray
    """(n + 1,) rising."""
    rotations: np.ndarray
    """At the beginnings of the pieces, (n, 3, 3)."""
    places: np.ndarray
    """Of the origin, (n + 1, 3)."""
    turns: np.ndarray
    """Rotation vector of each piece in the object's own frame, (n, 3)."""
    velocities: np.ndarray
    """Of the twist of each piece in the object's own frame, (n, 3)."""
    is_screw: bool
    """Otherwise the origin goes on a straight line."""

    def poses(self, times: np.ndarray) -> np.ndarray:
        """Poses (k, 4, 4) at times (k,)."""
        piece = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.turns) - 1)
        begin, end = self.times[piece], self.times[piece + 1]
        with np.errstate(over="ignore"):  # after the last piece, where that is an ulp long
            shares = np.clip((times - begin) / np.where(end > begin, end - begin, 1.0), 0.0, 1.0)
        found = np.tile(np.eye(4), (len(times), 1, 1))
        found[:, :3, :3] = self.rotations[piece] @ turned_by(shares[:, None] * self.turns[piece])
        if self.is_screw:
            carried = _carried_by(self.turns[piece], self.velocities[piece], shares)
            found[:, :3, 3] = self.places[piece] + (self.rotations[piece] @ carried[..., None])[..., 0]
        else:
            way = self.places[piece + 1] - self.places[piece]
            found[:, :3, 3] = self.places[piece] + shares[:, None] * way
        return found

    def turned_back(self, pieces: np.ndarray) -> Path:
        """The path with the same keys whose half turns in these pieces (k,) go the other way round."""
        turns, velocities = self.turns.copy(), self.velocities.copy()
        turns[pieces] *= -1.0
        if self.is_screw:  # the chord of half a circle is as long on either side of its axis
            axes = turns[pieces] / np.linalg.norm(turns[pieces], axis=1)[:, None]
            along = (velocities[pieces] * axes).sum(axis=1)[:, None] * axes
            velocities[pieces] = 2.0 * along - velocities[pieces]
        return replace(self, turns=turns, velocities=velocities)


def path_of(times: np.ndarray, first: np.ndarray, turns: np.ndarray, ways: np.ndarray, is_screw: bool) -> Path:
    """The path from a pose (4, 4) by rotation vectors and velocities of twists, or steps of the origin, (n, 3)."""
    rotations, places = [first[:3, :3]], [first[:3, 3]]
    for turn, way in zip(turns, ways, strict=True):
        step = rotations[-1] @ _carried_by(turn[None], way[None], np.ones(1))[0] if is_screw else way
        places.append(places[-1] + step)
        rotations.append(rotations[-1] @ turned_by(turn[None])[0])
    return Path(times, np.array(rotations[:-1]), np.array(places), turns, ways, is_screw)


@dataclass(frozen=True, eq=False)
class ConvexPart:
    """A convex polyhedron or polygon by what the axis test needs."""

    points: np.ndarray
    normals: np.ndarray
    """Unit vectors (k, 3); of a polygon also those that lie in its plane, across its edges."""
    edges: np.ndarray
    """Unit vectors (k, 3)."""


def part_of_box(low: np.ndarray, high: np.ndarray) -> ConvexPart:
    """A box, whose corners may coincide in pairs."""
    corners = np.array(
        [[(low, high)[i][0], (low, high)[j][1], (low, high)[k][2]] for i, j, k in product((0, 1), repeat=3)]
    )
    return ConvexPart(corners, np.eye(3), np.eye(3))


def part_of_triangle(points: np.ndarray) -> ConvexPart:
    """A triangle that has an area."""
    edges = np.roll(points, -1, axis=0) - points
    edges /= np.linalg.norm(edges, axis=1)[:, None]
    normal = np.cross(edges[0], edges[1])
    normal /= np.linalg.norm(normal)
    return ConvexPart(points, np.vstack([normal, np.cross(edges, normal)]), edges)


def gaps(a: list[ConvexPart], b: list[ConvexPart], poses_a: np.ndarray, poses_b: np.ndarray) -> np.ndarray:
    """The widest gap between planes that part two unions in each of k poses, (k,) [m].

    Above 0 it is a lower bound of their distance, below 0 they have inner points in common.
    """
    least = np.full(len(poses_a), np.inf)
    for one, other in product(a, b):
        centres = [_centre(part, poses) for part, poses in ((one, poses_a), (other, poses_b))]
        apart = np.linalg.norm(centres[0] - centres[1], axis=1) - _radius(one) - _radius(other)
        near = apart < np.minimum(least, 0.1)
        least = np.where(near, least, np.minimum(least, apart))
        if near.any():
            found = _gaps_of_parts(one, other, poses_a[near], poses_b[near])
            least[near] = np.minimum(least[near], np.maximum(found, apart[near]))
    return least


def _centre(part: ConvexPart, poses: np.ndarray) -> np.ndarray:
    return poses[:, :3, :3] @ part.points.mean(axis=0) + poses[:, :3, 3]


def _radius(part: ConvexPart) -> float:
    return float(np.linalg.norm(part.points - part.points.mean(axis=0), axis=1).max())


def _gaps_of_parts(a: ConvexPart, b: ConvexPart, poses_a: np.ndarray, poses_b: np.ndarray) -> np.ndarray:
    turned = poses_a[:, :3, :3], poses_b[:, :3, :3]
    edges_a, edges_b = (part.edges @ turn.transpose(0, 2, 1) for part, turn in zip((a, b), turned, strict=True))
    crosses = np.cross(edges_a[:, :, None], edges_b[:, None]).reshape(len(poses_a), -1, 3)
    lengths = np.linalg.norm(crosses, axis=2, keepdims=True)
    crosses = np.where(lengths > 1e-9, crosses / np.maximum(lengths, 1e-9), 0.0)  # parallel edges: normals say all
    normals = [part.normals @ turn.transpose(0, 2, 1) for part, turn in zip((a, b), turned, strict=True)]
    axes = np.concatenate([*normals, crosses], axis=1)
    along = []
    for part, poses in ((a, poses_a), (b, poses_b)):
        points = part.points @ poses[:, :3, :3].transpose(0, 2, 1) + poses[:, None, :3, 3]
        along.append(axes @ points.transpose(0, 2, 1))
    (low_a, high_a), (low_b, high_b) = ((x.min(axis=2), x.max(axis=2)) for x in along)
    widest = np.maximum(low_b - high_a, low_a - high_b)
    widest[(axes == 0.0).all(axis=2)] = -np.inf
    return widest.max(axis=1)
