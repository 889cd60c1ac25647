"""Pairs of bodies that fit: they share a part of their boundaries and no volume, exactly, as their coordinates stand.

Flat bodies are unions of the cells of one division of the plane, extruded: what belongs to one body does not belong to
the other, and walls between both have the same corners. Round and threaded ones have the same triangles where they
meet. So nothing here hangs on a tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from solids import Mesh, box, cell_body, joined, on_circle, refined, reversed_winding

Cells = Sequence[Sequence[int]]
Span = tuple[float, float]
"""Heights of a bottom and a top."""


@dataclass(frozen=True, eq=False)
class Shapes:
    """Two bodies that fit; ``factor``: the second grown by e on all sides is factor * e deep in the first, where known.

    ``fine``: the thinnest thing of either, about; what b is grown by stays well below it.
    """

    a: Mesh
    b: Mesh
    factor: float | None = None
    fine: float = 0.1


# Bodies of cells of the plane


def cells_body(points: np.ndarray, cells: Cells, span: Span) -> Mesh:
    """Some cells (convex, counter-clockwise corners in ``points`` (n, 2)), extruded; unused points are left out."""
    edges = {edge for cell in cells for edge in _edges(cell)}
    caps = np.array([(cell[0], p, q) for cell in cells for p, q in list(_edges(cell))[1:-1]])
    walls = np.array(sorted((p, q) for p, q in edges if (q, p) not in edges))
    count = len(points)
    levels = [np.column_stack([points, np.full(count, z)]) for z in span]
    p, q = walls.T
    sides = [np.stack([p, q, q + count], axis=1), np.stack([p, q + count, p + count], axis=1)]
    triangles = np.concatenate([caps[:, ::-1], caps + count, *sides])
    used, index = np.unique(triangles, return_inverse=True)
    return np.concatenate(levels)[used], index.reshape(-1, 3)


def _edges(cell: Sequence[int]) -> zip[tuple[int, int]]:
    return zip(cell, [*cell[1:], cell[0]], strict=True)


def _divided(points: np.ndarray, cells: Cells, of_b: set[int], rng: np.random.Generator, **known: float) -> Shapes:
    """The cells of b and all others, extruded to the same or to other heights."""
    height = _some(rng, 0.25, 2.0)
    spans: list[tuple[Span, Span]] = [
        ((0.0, height), (0.0, height)),
        ((0.0, height), (-0.5, height + 0.25)),
        ((0.0, height), (height / 4, height / 2)),
        ((0.0, height), (height / 2, height + 1.0)),
    ]
    first, second = spans[int(rng.integers(len(spans)))]
    parts = [[cell for k, cell in enumerate(cells) if (k in of_b) == mine] for mine in (False, True)]
    return Shapes(cells_body(points, parts[0], first), cells_body(points, parts[1], second), **known)


def _grid(x: Sequence[float], y: Sequence[float]) -> tuple[np.ndarray, list[list[int]]]:
    """Corners and rectangles between the lines x and y; rectangle (i, j) has the number i * (len(y) - 1) + j."""
    across = len(y)
    points = np.array([(p, q) for p in x for q in y], float)
    corners = [(i * across + j) for i in range(len(x) - 1) for j in range(across - 1)]
    return points, [[k, k + across, k + across + 1, k + 1] for k in corners]


def _rings(radii: Sequence[float | np.ndarray], sides: int) -> tuple[np.ndarray, list[list[int]]]:
    """Corners on circles (or along profiles of radii) about the origin, and the quads between neighbouring ones."""
    points = np.concatenate([on_circle(radius, sides, None) for radius in radii])
    ring, after = np.arange(sides), np.roll(np.arange(sides), -1)
    quads = [
        [sides * k + i, sides * (k + 1) + i, sides * (k + 1) + j, sides * k + j]
        for k in range(len(radii) - 1)
        for i, j in zip(ring.tolist(), after.tolist(), strict=True)
    ]
    return points, quads


def _some(rng: np.random.Generator, low: float, high: float) -> float:
    """A multiple of 1/64 between two numbers."""
    return float(np.rint(rng.uniform(low, high) * 64) / 64)


def _lines(rng: np.random.Generator, count: int, low: float = 0.25, high: float = 1.5) -> list[float]:
    return np.cumsum([0.0, *(_some(rng, low, high) for _ in range(count - 1))]).tolist()


def _corner_factor(angle: float) -> float:
    """How deep a body grown by e lies in another around a convex edge of it: beside two planes and the old edge."""
    return 2.0 / (1.0 + float(np.sin(angle / 2)))


# Kinds


def window(rng: np.random.Generator) -> Shapes:
    """A panel in the hole of a wall."""
    points, cells = _grid(_lines(rng, 4), _lines(rng, 4))
    return _divided(points, cells, {4}, rng, factor=_corner_factor(np.pi / 2))


def windows(rng: np.random.Generator) -> Shapes:
    """Panels in all holes of a wall, as one object."""
    across, up = (int(n) for n in rng.integers(1, 4, 2))
    points, cells = _grid(_lines(rng, 2 * across + 2), _lines(rng, 2 * up + 2))
    rows = 2 * up + 1
    of_b = {i * rows + j for i in range(1, 2 * across + 1, 2) for j in range(1, rows, 2)}
    return _divided(points, cells, of_b, rng, factor=_corner_factor(np.pi / 2))


def opening(rng: np.random.Generator) -> Shapes:
    """A frame around nothing in the opening of a wall that reaches down to the ground."""
    thin = 1 / 16
    x, y = _lines(rng, 4), _lines(rng, 3)
    x, y = [x[0], x[1], x[1] + thin, x[2] - thin, x[2], x[3]], [y[0], y[1] - thin, y[1], y[2]]
    points, cells = _grid(x, y)
    rows = len(y) - 1
    leaf = 2 * rows
    of_b = {rows, rows + 1, leaf + 1, 3 * rows, 3 * rows + 1}
    kept = [k for k in range(len(cells)) if k != leaf]
    chosen = [cells[k] for k in kept]
    return _divided(points, chosen, {kept.index(k) for k in of_b}, rng, fine=thin)


def groove(rng: np.random.Generator) -> Shapes:
    """A brick in a groove."""
    points, cells = _grid(_lines(rng, 4), _lines(rng, 3))
    return _divided(points, cells, {3}, rng, factor=_corner_factor(np.pi / 2))


def tee(rng: np.random.Generator) -> Shapes:
    """The end of a wall against the side of another one."""
    points, cells = _grid(_lines(rng, 4), _lines(rng, 3))
    chosen = [cells[k] for k in (0, 2, 4, 3)]
    return _divided(points, chosen, {3}, rng, factor=1.0)


def corner(rng: np.random.Generator) -> Shapes:
    """Two walls that meet at a right angle, the end of one flush with the side of the other, or mitred."""
    width, deep, long = _some(rng, 0.125, 0.5), _some(rng, 0.125, 0.5), _some(rng, 1.0, 3.0)
    points = np.array([[0, 0], [width, 0], [long, 0], [long, deep], [width, deep], [width, long], [0, long], [0, deep]])
    if rng.random() < 0.5:
        cells = [[0, 1, 4, 7], [7, 4, 5, 6], [1, 2, 3, 4]]
        return _divided(points, cells, {2}, rng, factor=1.0)
    return _divided(points, [[0, 4, 5, 6], [0, 2, 3, 4]], {1}, rng)


def dovetail(rng: np.random.Generator) -> Shapes:
    """A dovetail in its socket, or several of them side by side."""
    neck, head, deep = _some(rng, 0.25, 0.5), _some(rng, 0.6, 0.9), _some(rng, 0.25, 1.0)
    points: list[tuple[float, float]] = []
    cells: list[list[int]] = []
    of_b: set[int] = set()
    count = int(rng.integers(1, 5))
    for k in range(count):
        n, middle = len(points), 2.0 * k
        below = [(x, -0.5) for x in (-1.0, -neck, neck, 1.0)]
        foot = [(x, 0.0) for x in (-1.0, -neck, neck, 1.0)]
        top = [(x, deep) for x in (-1.0, -head, head, 1.0)]
        above = [(x, deep + 0.5) for x in (-1.0, -head, head, 1.0)]
        points += [(middle + x, y) for x, y in (*below, *foot, *top, *above)]
        of_b |= {len(cells) + i for i in (0, 1, 2, 4)}
        lowest = [n + 4 * j + i for j in range(3) for i in range(3)]
        cells += [[k, k + 1, k + 5, k + 4] for k in lowest]
    merged, index = np.unique(np.array(points), axis=0, return_inverse=True)
    return _divided(merged, [[int(index.ravel()[c]) for c in cell] for cell in cells], of_b, rng)


def honeycomb(rng: np.random.Generator) -> Shapes:
    """A hexagon among six others, or a flower of them."""
    middles = [(0.0, 0.0), *on_circle(np.sqrt(3.0), 12, None)[1::2]]
    points = np.concatenate([on_circle(1.0, 6, None) + middle for middle in middles])
    _, first, index = np.unique(np.rint(points * 1e6), axis=0, return_index=True, return_inverse=True)
    cells = index.reshape(-1, 6).tolist()
    if rng.random() < 0.5:
        return _divided(points[first], cells, {0}, rng, factor=_corner_factor(2 * np.pi / 3))
    return _divided(points[first], cells, {0, *(int(k) for k in 1 + np.flatnonzero(rng.random(5) < 0.4))}, rng)


def hexagon(rng: np.random.Generator) -> Shapes:
    """A bolt of a few sides in the hole of a plate or nut."""
    sides = int(rng.choice([3, 4, 5, 6, 6, 6, 8]))
    points, cells = _rings([1.0, _some(rng, 1.25, 3.0)], sides)
    cells.append(list(range(sides)))
    return _divided(points, cells, {sides}, rng, factor=_corner_factor(np.pi * (1 - 2 / sides)))


def pipe(rng: np.random.Generator) -> Shapes:
    """A pipe in a sleeve."""
    sides = int(rng.integers(8, 65))
    points, cells = _rings([_some(rng, 0.25, 0.9), 1.0, _some(rng, 1.125, 2.0)], sides)
    return _divided(points, cells, set(range(sides)), rng, factor=_corner_factor(np.pi * (1 - 2 / sides)))


def gear_ring(rng: np.random.Generator) -> Shapes:
    """A wheel with teeth in a ring with as many gaps."""
    teeth = int(rng.integers(4, 20))
    profile = np.tile([0.75, 1.0, 1.0, 0.75], teeth)
    points, cells = _rings([0.5, profile, 1.5], 4 * teeth)
    return _divided(points, cells, set(range(4 * teeth)), rng, fine=0.02)


def jigsaw(rng: np.random.Generator) -> Shapes:
    """The cells of a crooked grid, shared out at random: pieces that meet along edges only, and hold each other."""
    across, up = (int(n) for n in rng.integers(2, 6, 2))
    points, cells = _grid(range(across + 1), range(up + 1))
    points = points + np.rint(rng.uniform(-0.2, 0.2, points.shape) * 64) / 64
    chosen = np.flatnonzero(rng.random(len(cells)) < 0.5)
    of_b = {int(k) for k in chosen} if 0 < len(chosen) < len(cells) else {0}
    return _divided(points, cells, of_b, rng)


# Kinds that are not extruded


def stack(rng: np.random.Generator) -> Shapes:
    """A brick on a brick, moved along it and turned about its normal."""
    size, other = rng.uniform(0.1, 3.0, (2, 3))
    lower = box((0, 0, 0), size)
    vertices, triangles = box(-0.5 * other, 0.5 * other)
    angle = rng.uniform(0, 2 * np.pi) if rng.random() < 0.7 else 0.0
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    on_top = np.column_stack([vertices[:, :2] @ turn.T + rng.uniform(0.3, 0.7, 2) * size[:2], np.zeros(8)])
    on_top[:, 2] = np.where(vertices[:, 2] > 0, size[2] + other[2], size[2])
    return Shapes(lower, (on_top, triangles), factor=1.0)


def courses(rng: np.random.Generator) -> Shapes:
    """Every other course of a wall of bricks, as two objects."""
    bricks: list[list[Mesh]] = [[], []]
    rows, columns = (int(n) for n in rng.integers(2, 5, 2))
    for row in range(rows):
        lows = [(0.5 * (row % 2) + k, 0.0, 0.5 * row) for k in range(columns)]
        bricks[row % 2] += [box(low, np.add(low, (0.9375, 0.5, 0.5))) for low in lows]
    return Shapes(joined(*bricks[0]), joined(*bricks[1]))


def nested(rng: np.random.Generator) -> Shapes:
    """A box that fills the cavity of another one."""
    size = rng.uniform(0.2, 3.0, 3)
    wall = rng.uniform(0.1, 1.0)
    inner = box(np.zeros(3), size)
    root = float(np.sqrt(3.0))
    return Shapes(joined(box(-wall * np.ones(3), size + wall), reversed_winding(inner)), inner, 2 * root / (1 + root))


def mould(rng: np.random.Generator) -> Shapes:
    """A ball in a block."""
    around, up = int(rng.integers(4, 20)), int(rng.integers(3, 12))
    rings = [on_circle(np.sin(t), around, None) for t in np.arange(1, up) / up * np.pi]
    heights = np.cos(np.arange(1, up) / up * np.pi)
    vertices = [np.column_stack([ring, np.full(around, z)]) for ring, z in zip(rings, heights, strict=True)]
    poles = [[[0.0, 0.0, 1.0]], [[0.0, 0.0, -1.0]]]
    p, q = np.arange(around), np.roll(np.arange(around), -1)
    last, top, bottom = around * (up - 2), around * (up - 1), around * (up - 1) + 1
    triangles = [np.stack([np.full(around, top), p, q], axis=1)]
    for k in range(0, last, around):
        triangles += [np.stack([p + k, p + k + around, q + k + around], axis=1)]
        triangles += [np.stack([p + k, q + k + around, q + k], axis=1)]
    triangles.append(np.stack([p + last, np.full(around, bottom), q + last], axis=1))
    ball = np.concatenate([*vertices, *poles]) * rng.uniform(0.5, 1.5, 3), np.concatenate(triangles)
    return Shapes(joined(box((-2, -2, -2), (2, 2, 2)), reversed_winding(ball)), ball)


def thread(rng: np.random.Generator) -> Shapes:
    """A bolt with a thread, in a nut that holds some of its turns."""
    around, turns, fine = int(rng.choice([8, 12, 16, 24])), int(rng.integers(2, 5)), int(rng.choice([4, 6]))
    rows = turns * fine + 1
    begin, end = 0, rows - 1
    if rng.random() < 0.6:
        begin, end = int(rng.integers(0, fine)), rows - 1 - int(rng.integers(0, fine))
    height = np.arange(rows) / fine * 0.25
    phase = (height[:, None] / 0.25 - np.arange(around) / around) % 1.0
    radii = 1.0 - 0.2 * np.abs(2.0 * phase - 1.0)
    flank = np.concatenate([_ring(r, z) for r, z in zip(radii, height, strict=True)])
    index = np.arange(rows * around).reshape(rows, around)
    p, q = index, np.roll(index, -1, axis=1)
    caps = [_fan(rows * around, q[0], p[0]), _fan(rows * around + 1, p[-1], q[-1])]
    bolt = np.concatenate([flank, [[0, 0, height[0]], [0, 0, height[-1]]]]), np.concatenate([_band(index), *caps])
    held, outer = index[begin : end + 1], rows * around + np.arange(2 * around).reshape(2, around)
    radius = np.full(around, _some(rng, 1.25, 2.0))
    sides = [_band(pair) for pair in (outer, np.stack([outer[1], held[-1]]), np.stack([held[0], outer[0]]))]
    outside = np.concatenate([_ring(radius, height[begin]), _ring(radius, height[end])])
    nut = np.concatenate([flank, outside]), np.concatenate([_band(held)[:, ::-1], *sides])
    return Shapes(_compact(nut), bolt, fine=0.02)


def _ring(radii: np.ndarray, height: float) -> np.ndarray:
    """Points (n, 3) around the z axis."""
    return np.column_stack([on_circle(radii, len(radii), None), np.full(len(radii), height)])


def _band(rows: np.ndarray) -> np.ndarray:
    """Triangles between closed rows of vertices (m, n), seen from the right of going around and up."""
    p, q = rows[:-1], rows[1:]
    after_p, after_q = np.roll(p, -1, axis=1), np.roll(q, -1, axis=1)
    return np.concatenate([np.stack([p, after_p, after_q], axis=-1), np.stack([p, after_q, q], axis=-1)]).reshape(-1, 3)


def _fan(centre: int, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.stack([np.full(len(p), centre), p, q], axis=1)


def _compact(mesh: Mesh) -> Mesh:
    """The mesh without vertices that no triangle has."""
    used, index = np.unique(mesh[1], return_inverse=True)
    return mesh[0][used], index.reshape(-1, 3)


def blocks(rng: np.random.Generator) -> Shapes:
    """The unit cubes of a block, shared out at random: a puzzle in three dimensions."""
    size = rng.integers(2, 4, 3)
    cells = np.argwhere(np.ones(size))
    mine = rng.random(len(cells)) < rng.choice([0.2, 0.5])
    mine[0], mine[-1] = True, False
    return Shapes(cell_body(cells[~mine]), cell_body(cells[mine]))


def cut_anew(rng: np.random.Generator) -> Shapes:
    """Two bodies with a crooked common face, cut into other and smaller triangles on one side."""
    shapes = (window, groove, dovetail, corner, tee)[int(rng.integers(5))](rng)
    mesh = refined(shapes.b, int(rng.integers(1, 3)))
    return Shapes(shapes.a, _other_diagonals(mesh, rng), shapes.factor, shapes.fine)


def _other_diagonals(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """Some pairs of triangles that make a flat parallelogram, cut along the other diagonal."""
    vertices, triangles = mesh[0], mesh[1].copy()
    where = {edge: t for t, triangle in enumerate(triangles.tolist()) for edge in _edges(triangle)}
    done: set[int] = set()
    for (p, q), t in where.items():
        u = where[q, p]
        if t in done or u in done or rng.random() < 0.5:
            continue
        r, s = (next(c for c in triangles[k].tolist() if c not in (p, q)) for k in (t, u))
        if np.array_equal(vertices[p] + vertices[q], vertices[r] + vertices[s]):
            triangles[t], triangles[u] = (r, p, s), (s, q, r)
            done |= {t, u}
    return vertices, triangles


KINDS: dict[str, Callable[[np.random.Generator], Shapes]] = {
    make.__name__: make
    for make in (
        window, windows, opening, groove, tee, corner, dovetail, honeycomb, hexagon, pipe, gear_ring, jigsaw, stack,
        courses, nested, mould, thread, blocks, cut_anew,
    )
}  # fmt: skip
