"""Surfaces without thickness around a place at the origin, and things to put there; openings are known.

An opening is the width of the largest hole over the width of the shell.
"""

import math

import numpy as np
from solids import Mesh, box, joined, l_shape, moved, torus


def turned(profile, around=32) -> Mesh:
    """The surface of revolution of points (k, 2), radius and height, about the z axis; a radius of 0 is a pole."""
    profile = np.asarray(profile, float)
    turn = np.arange(around) / around * 2.0 * math.pi
    points = np.stack(
        [np.outer(profile[:, 0], np.cos(turn)), np.outer(profile[:, 0], np.sin(turn)),
         np.repeat(profile[:, 1:], around, axis=1)], axis=-1,
    ).reshape(-1, 3)  # fmt: skip
    own = np.arange(len(points)).reshape(len(profile), around)
    right = np.roll(own, -1, axis=1)
    triangles = [np.stack([own[:-1], own[1:], right[1:]], -1), np.stack([own[:-1], right[1:], right[:-1]], -1)]
    triangles = np.concatenate([t.reshape(-1, 3) for t in triangles])
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return points, triangles[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-9]


def dome(degrees, around=32, rings=40) -> Mesh:
    """The part of a sphere of radius 1 up to so many degrees from its pole, which is up; opening sin(degrees)."""
    angles = np.radians(degrees) * np.arange(rings + 1) / rings
    return turned(np.stack([np.sin(angles), np.cos(angles)], axis=1), around)


def room(width, depth, height, door_width, door_height, cells=12) -> Mesh:
    """Four walls, floor and ceiling around the origin, with a door in the middle of a wall."""
    low = -0.5 * np.array([width, depth, height])
    line = [np.linspace(low[k], -low[k], cells + 1) for k in range(3)]
    line[0] = np.sort([*np.linspace(low[0], -low[0], cells - 1), -0.5 * door_width, 0.5 * door_width])
    line[2] = np.sort([*np.linspace(low[2], -low[2], cells), low[2] + door_height])
    parts = []
    for axis in range(3):
        i, j = (k for k in range(3) if k != axis)
        u, v = np.meshgrid(line[i], line[j], indexing="ij")
        own = np.arange(u.size).reshape(u.shape)
        quads = np.stack([own[:-1, :-1], own[1:, :-1], own[1:, 1:], own[:-1, 1:]], -1).reshape(-1, 4)
        triangles = quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
        for end in (low[axis], -low[axis]):
            points = np.empty((u.size, 3))
            points[:, i], points[:, j], points[:, axis] = u.ravel(), v.ravel(), end
            kept = triangles
            if axis == 1 and end < 0.0:
                middles = points[triangles].mean(axis=1)
                in_door = (np.abs(middles[:, 0]) < 0.5 * door_width) & (middles[:, 2] < low[2] + door_height)
                kept = triangles[~in_door]
            parts.append((points, kept))
    points, triangles = joined(*parts)
    places, welded = np.unique(points.round(9), axis=0, return_inverse=True)
    return places, welded.ravel()[triangles]


def shirt(rng, length, cells=24) -> Mesh:
    """A tube about z, wavy as cloth is, open above and below; opening 1."""
    height = np.linspace(-0.5 * length, 0.5 * length, cells)
    points, triangles = turned(np.stack([np.ones(cells), height], axis=1), cells)
    angle = np.arctan2(points[:, 1], points[:, 0])
    waves = 1.0 + 0.05 * np.cos(rng.integers(2, 6) * angle + points[:, 2])
    return points * np.stack([waves, waves, np.ones(len(waves))], axis=1), triangles


def vase(neck, length) -> Mesh:
    """A round bottom, straight walls and a neck that is so much of the width; opening ``neck``."""
    angles = np.radians(np.linspace(90.0, 0.0, 12))
    bottom = np.stack([np.cos(angles), -0.5 * length - np.sin(angles)], axis=1)
    angles = np.radians(np.linspace(0.0, math.degrees(math.acos(neck)), 12))[1:]
    top = np.stack([np.cos(angles), 0.5 * length + np.sin(angles)], axis=1)
    bottom[0, 0] = 0.0
    return turned(np.concatenate([bottom, top]))


def lampshade(above, length) -> Mesh:
    """A truncated cone, open above and below, where it is 2 wide."""
    return turned(np.stack([np.linspace(1.0, above, 12), np.linspace(-0.5 * length, 0.5 * length, 12)], axis=1))


def helmet(degrees, around=32) -> Mesh:
    """A dome that is longer than wide, its rim lower behind than in front."""
    points, triangles = dome(degrees, around)
    low = np.maximum(0.0, -points[:, 2])
    return points * [1.2, 1.0, 1.1] + np.outer(low * 0.2 * points[:, 0], [0.0, 0.0, 1.0]), triangles


def things() -> dict[str, Mesh]:
    """Closed solids of size 1 around the origin: convex ones and others."""
    angles = np.linspace(0.0, math.pi, 10)
    profile = 0.5 * np.stack([np.sin(angles), np.cos(angles)], axis=1)
    profile[[0, -1], 0] = 0.0
    return {
        "box": box((-0.5,) * 3, (0.5,) * 3),
        "plate": box((-0.5, -0.5, -0.1), (0.5, 0.5, 0.1)),
        "ball": turned(profile, 12),
        "ring": (torus(3, 1)[0] / 8.0, torus(3, 1)[1]),
        "corner": moved(l_shape(1.0, 0.25, -0.2, 0.2), (-0.5, -0.5, 0.0)),
    }
