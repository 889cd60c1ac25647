"""Closed solids for the example scenes: outlines in a plane, extruded along an axis.

Coordinates are multiples of 1/1024, which float32 holds exactly up to 8192: two parts made from one outline meet
without any rounding wherever they stand on dyadic positions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import bpy
from mathutils import Vector
from mathutils.geometry import delaunay_2d_cdt

Outline = list[tuple[float, float]]
Section = tuple[Outline, float, float]

GRID = 1024
CIRCLE_POINTS = 64
FACE_SIZE = 16.0


def on_grid(value: float) -> float:
    """The nearest multiple of 1/1024."""
    return round(value * GRID) / GRID


def circle(radius: float, centre: tuple[float, float] = (0.0, 0.0), points: int = CIRCLE_POINTS) -> Outline:
    """A regular polygon with its corners on the circle."""
    return [
        (on_grid(centre[0] + radius * math.cos(angle)), on_grid(centre[1] + radius * math.sin(angle)))
        for angle in (2 * math.pi * k / points for k in range(points))
    ]


def rectangle(low: tuple[float, float], high: tuple[float, float]) -> Outline:
    """An axis-aligned rectangle; long edges are divided, so that no face is much larger than the features on it."""
    corners = [low, (high[0], low[1]), high, (low[0], high[1])]
    points = []
    for (au, av), (bu, bv) in zip(corners, [*corners[1:], low], strict=True):
        parts = max(1, round(max(abs(bu - au), abs(bv - av)) / FACE_SIZE))
        points += [(on_grid(au + (bu - au) * k / parts), on_grid(av + (bv - av) * k / parts)) for k in range(parts)]
    return points


def notched_circle(radius: float, half_width: float, level: float) -> Outline:
    """A circle with a rectangular keyway around the second axis, from the circle to `level` (inside or outside it)."""
    corner = on_grid(math.sqrt(radius**2 - half_width**2))
    rest = [point for point in circle(radius) if abs(point[0]) > half_width or point[1] < 0]
    start = next(k for k, point in enumerate(rest) if point[0] < -half_width and point[1] > 0)
    keyway = [(half_width, corner), (half_width, level), (-half_width, level), (-half_width, corner)]
    return rest[:start] + keyway + rest[start:]


def gear(teeth: int, module: float, turned: float = 0.0) -> Outline:
    """A spur gear with straight flanks and ample backlash; `turned` is in tooth pitches."""
    radius, pitch = teeth * module / 2, 2 * math.pi / teeth
    flank = [(-0.30, radius - 1.25 * module), (-0.22, radius), (-0.12, radius + module)]
    profile = flank + [(-where, at) for where, at in reversed(flank)]
    return [
        (on_grid(at * math.cos(angle)), on_grid(at * math.sin(angle)))
        for tooth in range(teeth)
        for angle, at in (((tooth + turned + where) * pitch, at) for where, at in profile)
    ]


def extrude(outline: Outline, low: float, high: float, axis: str, holes: Iterable[Outline] = ()) -> bpy.types.Mesh:
    """A prism with through holes.

    Args:
        outline: counter-clockwise in the plane of the other two axes (see `AXES`).
        low, high: where it begins and ends along the axis.
        axis: "x", "y" or "z".
        holes: outlines inside, apart from one another.
    """
    solid = _Solid(axis)
    rings = [outline, *holes]
    solid.cap(rings, low, facing=-1)
    solid.cap(rings, high, facing=1)
    solid.wall(outline, low, high, facing=1)
    for hole in holes:
        solid.wall(hole, low, high, facing=-1)
    return solid.mesh()


def stepped(sections: Sequence[Section], axis: str) -> bpy.types.Mesh:
    """Prisms in a row, each outline wholly inside or around the next: a shaft with shoulders, a bolt with its head."""
    solid = _Solid(axis)
    solid.cap([sections[0][0]], sections[0][1], facing=-1)
    for outline, low, high in sections:
        solid.wall(outline, low, high, facing=1)
    for (before, _, level), (after, _, _) in itertools.pairwise(sections):
        if _size(before) > _size(after):
            solid.cap([before, after], level, facing=1)
        else:
            solid.cap([after, before], level, facing=-1)
    solid.cap([sections[-1][0]], sections[-1][2], facing=1)
    return solid.mesh()


AXES = {"x": (1, 2, 0), "y": (0, 2, 1), "z": (0, 1, 2)}  # first and second coordinate of the plane, then the axis
MIRRORED = {"y"}  # its plane is left-handed, so faces are turned


class _Solid:
    """Collects faces over shared vertices."""

    def __init__(self, axis: str) -> None:
        self._axis = axis
        self._index: dict[tuple[float, ...], int] = {}
        self._faces: list[tuple[int, ...]] = []

    def cap(self, rings: Sequence[Outline], level: float, facing: int) -> None:
        """A flat region, the first ring less the others, in triangles of about `FACE_SIZE`."""
        flat = [point for ring in rings for point in ring]
        inner = _points_between(rings)
        starts = list(itertools.accumulate([0, *map(len, rings)]))
        edges = [
            (start + k, start + (k + 1) % len(ring))
            for start, ring in zip(starts, rings, strict=False)
            for k in range(len(ring))
        ]
        points = [Vector(point) for point in flat + inner]
        _, _, triangles, origins, _, _ = delaunay_2d_cdt(points, edges, [], 0, 0.0, True)
        for triangle in triangles:
            corners = [(flat + inner)[origins[k][0]] for k in triangle]
            if not _is_inside(_middle(corners), rings):
                continue
            (ax, ay), (bx, by), (cx, cy) = corners
            turned = (bx - ax) * (cy - ay) < (by - ay) * (cx - ax)
            self._face([(*corner, level) for corner in (corners[::-1] if turned else corners)], facing)

    def wall(self, ring: Outline, low: float, high: float, facing: int) -> None:
        """The quads between two levels of a ring."""
        for (au, av), (bu, bv) in zip(ring, [*ring[1:], ring[0]], strict=True):
            self._face([(au, av, low), (bu, bv, low), (bu, bv, high), (au, av, high)], facing)

    def mesh(self) -> bpy.types.Mesh:
        """The mesh datablock."""
        mesh = bpy.data.meshes.new("Solid")
        mesh.from_pydata(list(self._index), [], self._faces)
        return mesh

    def _face(self, corners: list[tuple[float, float, float]], facing: int) -> None:
        order = AXES[self._axis]
        indices = []
        for corner in corners:
            place = [0.0, 0.0, 0.0]
            for target, value in zip(order, corner, strict=True):
                place[target] = value
            indices.append(self._index.setdefault(tuple(place), len(self._index)))
        outward = facing < 0 if self._axis in MIRRORED else facing > 0
        self._faces.append(tuple(indices if outward else indices[::-1]))


def _size(outline: Outline) -> float:
    return max(math.hypot(u, v) for u, v in outline)


def _middle(corners: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return sum(u for u, _ in corners) / len(corners), sum(v for _, v in corners) / len(corners)


def _is_inside(point: tuple[float, float], rings: Sequence[Outline]) -> bool:
    """Whether a point lies in the first ring and in none of the others: an odd number of edges to its right."""
    u, v = point
    crossings = 0
    for ring in rings:
        for (au, av), (bu, bv) in zip(ring, [*ring[1:], ring[0]], strict=True):
            if (av > v) != (bv > v) and u < au + (v - av) * (bu - au) / (bv - av):
                crossings += 1
    return crossings % 2 == 1


def _points_between(rings: Sequence[Outline]) -> list[tuple[float, float]]:
    """Grid points inside the region that keep away from its edges."""
    low = [math.floor(min(point[k] for point in rings[0]) / FACE_SIZE) for k in (0, 1)]
    high = [math.ceil(max(point[k] for point in rings[0]) / FACE_SIZE) for k in (0, 1)]
    grid = itertools.product(*(range(low[k], high[k] + 1) for k in (0, 1)))
    points = [(FACE_SIZE * u, FACE_SIZE * v) for u, v in grid]
    edge_points = [point for ring in rings for point in ring]
    margin = FACE_SIZE / 4
    around = [(u, v) for u in (-margin, margin) for v in (-margin, margin)]
    return [
        (u, v)
        for u, v in points
        if all(_is_inside((u + du, v + dv), rings) for du, dv in around)
        and min(math.dist((u, v), other) for other in edge_points) > margin
    ]
