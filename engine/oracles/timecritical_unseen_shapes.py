"""Meshes of kinds that no probability was fitted to: only for judging. Nothing here is shared with the fitted shapes.

Each maker takes the number of triangles wished for and a seed, which chooses proportions, and returns vertices (n, 3)
float64 and triangles (m, 3) int32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

Mesh = tuple[np.ndarray, np.ndarray]
Surface = Callable[[np.ndarray, np.ndarray], Iterable[np.ndarray]]
_TURN = 2.0 * np.pi


def _patch(surface: Surface, count: int, seam_u: bool = True, seam_v: bool = True, ratio: float = 1.0) -> Mesh:
    """Triangles of a surface over (0, 1)^2; ``ratio`` is the number of rows divided by that of columns."""
    rows = max(3, round(np.sqrt(0.5 * count * ratio)))
    columns = max(3, round(0.5 * count / rows))
    u = np.linspace(0.0, 1.0, rows + 1)
    v = np.linspace(0.0, 1.0, columns + 1)
    points = np.stack(np.broadcast_arrays(*surface(*np.meshgrid(u, v, indexing="ij"))), -1)
    name = np.arange((rows + 1) * (columns + 1)).reshape(rows + 1, columns + 1)
    if seam_u:
        name[-1] = name[0]
    if seam_v:
        name[:, -1] = name[:, 0]
    a, b, c, d = name[:-1, :-1].ravel(), name[1:, :-1].ravel(), name[1:, 1:].ravel(), name[:-1, 1:].ravel()
    return points.reshape(-1, 3), np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def _joined(parts: Iterable[Mesh]) -> Mesh:
    """All parts as one mesh of float32 values, without unused vertices."""
    vertices, triangles, offset = [], [], 0
    for points, corners in parts:
        vertices.append(points)
        triangles.append(corners + offset)
        offset += len(points)
    used, index = np.unique(np.concatenate(triangles), return_inverse=True)
    points = np.concatenate(vertices)[used].astype(np.float32).astype(np.float64)
    return points, index.reshape(-1, 3).astype(np.int32)


def _cuboid(low: Iterable[float], high: Iterable[float], count: int = 12) -> Mesh:
    """A closed box, each face a grid of squares."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    parts = []
    for axis in range(3):
        for end in (0.0, 1.0):

            def face(u: np.ndarray, v: np.ndarray, axis: int = axis, end: float = end) -> list[np.ndarray]:
                place = [np.full_like(u, end), u, v] if end > 0.5 else [np.full_like(u, end), v, u]
                return [low[k] + (high[k] - low[k]) * place[(k - axis) % 3] for k in range(3)]

            parts.append(_plain(face, max(1, round(np.sqrt(count / 12.0)))))
    return _joined(parts)


def _plain(surface: Surface, side: int) -> Mesh:
    """An open patch of ``side`` x ``side`` squares."""
    step = np.linspace(0.0, 1.0, side + 1)
    points = np.stack(np.broadcast_arrays(*surface(*np.meshgrid(step, step, indexing="ij"))), -1).reshape(-1, 3)
    a = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    b, c, d = a + side + 1, a + side + 2, a + 1
    return points, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def _cuboids(corners: Iterable[tuple[Iterable[float], Iterable[float]]], count: int) -> Mesh:
    every = list(corners)
    return _joined(_cuboid(low, high, max(12, count // len(every))) for low, high in every)


def _lathe(radius: Callable[[np.ndarray], np.ndarray], height: float, count: int, ratio: float = 1.0) -> Mesh:
    """A surface of revolution about z."""
    return _joined(
        [
            _patch(
                lambda u, v: (radius(u) * np.cos(_TURN * v), radius(u) * np.sin(_TURN * v), height * (u - 0.5)),
                count, seam_u=False, ratio=ratio,
            )
        ]
    )  # fmt: skip


def _tube(curve: Callable[[np.ndarray], np.ndarray], thickness: float, count: int, closed: bool) -> Mesh:
    """A tube about a curve (n,) -> (n, 3), a parameter 0 to 1."""

    def surface(u: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
        t = u[:, 0]
        ahead = curve(t + 1e-4) - curve(t - 1e-4)
        ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
        across = np.cross(ahead, (0.31, -0.52, 0.795))
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        third = np.cross(ahead, across)
        angle = _TURN * v[0]
        ring = np.cos(angle)[:, None] * across[:, None] + np.sin(angle)[:, None] * third[:, None]
        return list(np.moveaxis(curve(t)[:, None] + thickness * ring, 2, 0))

    return _joined([_patch(surface, count, seam_u=closed, ratio=8.0)])


def _prism(outline: np.ndarray, height: float, count: int) -> Mesh:
    """The walls and the two star-shaped covers over a closed outline (n, 2) around the origin."""
    corner = np.concatenate([outline, outline[:1]])
    along = np.linspace(0.0, 1.0, len(corner))

    def at(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.interp(v, along, corner[:, 0]), np.interp(v, along, corner[:, 1])

    def walls(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        return (*at(v), height * (u - 0.5))

    parts = [_patch(walls, count // 3, seam_u=False, ratio=0.3)]
    for end in (-0.5, 0.5):
        parts.append(
            _patch(lambda u, v, end=end: (u * at(v)[0], u * at(v)[1], np.full_like(u, end * height)), count // 3,
                   seam_u=False, ratio=0.3)
        )  # fmt: skip
    return _joined(parts)


def _ball(centre: Iterable[float], radius: float, count: int) -> Mesh:
    x, y, z = centre

    def surface(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        ring = radius * np.sin(np.pi * u)
        return x + ring * np.cos(_TURN * v), y + ring * np.sin(_TURN * v), z + radius * np.cos(np.pi * u)

    return _patch(surface, count, seam_u=False)


def _power(x: np.ndarray, exponent: float) -> np.ndarray:
    return np.sign(x) * np.abs(x) ** exponent


def superquadric(count: int, seed: int) -> Mesh:
    """From pillows to stars."""
    rng = np.random.default_rng(seed)
    e, f = rng.uniform(0.3, 2.5, 2)
    x, y, z = rng.uniform(0.4, 1.0, 3)
    return _joined(
        [
            _patch(
                lambda u, v: (
                    x * _power(np.sin(np.pi * u), e) * _power(np.cos(_TURN * v), f),
                    y * _power(np.sin(np.pi * u), e) * _power(np.sin(_TURN * v), f),
                    z * _power(np.cos(np.pi * u), e),
                ),
                count, seam_u=False,
            )
        ]
    )  # fmt: skip


def bottle(count: int, seed: int) -> Mesh:
    """A closed body of revolution with a neck."""
    neck = np.random.default_rng(seed).uniform(0.08, 0.25)
    return _lathe(lambda u: np.sin(np.pi * u) ** 0.2 * (neck + 0.3 / (1.0 + np.exp(18.0 * (u - 0.6)))), 2.0, count)


def bowl(count: int, seed: int) -> Mesh:
    """A thin shell, open above: inside and outside are near each other."""
    rng = np.random.default_rng(seed)
    depth, wall = rng.uniform(0.4, 1.2), rng.uniform(0.01, 0.08)

    def surface(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        out = np.where(u < 0.5, 2.0 * u, 2.0 - 2.0 * u)
        radius = np.sin(0.5 * np.pi * out) * np.where(u < 0.5, 1.0, 1.0 - wall)
        height = -depth * np.cos(0.5 * np.pi * out) * np.where(u < 0.5, 1.0, 1.0 - wall)
        return radius * np.cos(_TURN * v), radius * np.sin(_TURN * v), height

    return _joined([_patch(surface, count, seam_u=False)])


def barbell(count: int, seed: int) -> Mesh:
    """Two balls on a thin bar."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.2, 0.45)
    bar = _tube(lambda t: np.stack([2.0 * t - 1.0, 0.0 * t, 0.0 * t], 1), 0.2 * size, count // 3, False)
    return _joined([bar, _ball((-1, 0, 0), size, count // 3), _ball((1, 0, 0), size, count // 3)])


def cone(count: int, seed: int) -> Mesh:
    """A closed cone, slender to flat."""
    height = np.random.default_rng(seed).uniform(0.3, 3.0)
    return _lathe(lambda u: np.where(u < 0.2, 5.0 * u, 1.25 * (1.0 - u)), height, count)


def can(count: int, seed: int) -> Mesh:
    """A closed cylinder with long triangles."""
    height = np.random.default_rng(seed).uniform(0.4, 4.0)

    def surface(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        radius, level = (
            np.interp(u, [0, 0.3, 0.7, 1], [0, 1, 1, 0]),
            np.interp(u, [0, 0.3, 0.7, 1], [-0.5, -0.5, 0.5, 0.5]),
        )
        return radius * np.cos(_TURN * v), radius * np.sin(_TURN * v), height * level

    return _joined([_patch(surface, count, seam_u=False, ratio=0.05)])


def star_prism(count: int, seed: int) -> Mesh:
    """An extruded star."""
    rng = np.random.default_rng(seed)
    tips = int(rng.integers(4, 12))
    angle = np.arange(2 * tips) * np.pi / tips
    radius = np.where(np.arange(2 * tips) % 2 == 0, 1.0, rng.uniform(0.3, 0.8))
    outline = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
    return _prism(outline, rng.uniform(0.05, 1.0), count)


def blade(count: int, seed: int) -> Mesh:
    """A twisted slender blade."""
    rng = np.random.default_rng(seed)
    twist, thick = rng.uniform(0.3, 2.0), rng.uniform(0.02, 0.12)

    def surface(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        width = 0.35 * (1.0 - 0.5 * u)
        x, y = width * np.cos(_TURN * v), thick * width * 2.0 * np.sin(_TURN * v)
        return x * np.cos(twist * u) - y * np.sin(twist * u), x * np.sin(twist * u) + y * np.cos(twist * u), 2.0 * u

    return _joined([_patch(surface, count, seam_u=False)])


def torus_knot(count: int, seed: int) -> Mesh:
    """A tube about a torus knot."""
    rng = np.random.default_rng(seed)
    p, q = [(2, 3), (3, 2), (2, 5), (3, 4), (5, 2)][seed % 5]

    def curve(t: np.ndarray) -> np.ndarray:
        radius = 0.7 + 0.3 * np.cos(_TURN * q * t)
        return np.stack(
            [radius * np.cos(_TURN * p * t), radius * np.sin(_TURN * p * t), 0.3 * np.sin(_TURN * q * t)], 1
        )

    return _tube(curve, rng.uniform(0.03, 0.12), count, True)


def chain(count: int, seed: int) -> Mesh:
    """Links that hang in each other."""
    links = int(np.random.default_rng(seed).integers(3, 8))
    parts = []
    for k in range(links):

        def link(u: np.ndarray, v: np.ndarray, k: int = k) -> tuple[np.ndarray, ...]:
            ring, x = 0.22 + 0.05 * np.cos(_TURN * v), _TURN * u
            long, flat = 1.4 * ring * np.cos(x) + 0.42 * k, 0.05 * np.sin(_TURN * v)
            wide = ring * np.sin(x)
            return (long, wide, flat) if k % 2 else (long, flat, wide)

        parts.append(_patch(link, count // links, ratio=3.0))
    return _joined(parts)


def screw(count: int, seed: int) -> Mesh:
    """A rod with a thread and a head."""
    turns = np.random.default_rng(seed).uniform(6.0, 16.0)

    def surface(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        thread = 0.12 + 0.04 * np.abs(((turns * u + v) % 1.0) - 0.5)
        radius = np.where(u > 0.9, 0.32, thread) * np.where((u < 1e-9) | (u > 1 - 1e-9), 0.0, 1.0)
        return radius * np.cos(_TURN * v), radius * np.sin(_TURN * v), 2.0 * u

    return _joined([_patch(surface, count, seam_u=False, ratio=4.0)])


def moebius(count: int, seed: int) -> Mesh:
    """A band with half twists, open."""
    twists = 1 + seed % 4
    wide = np.random.default_rng(seed).uniform(0.15, 0.6)

    def surface(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        across = wide * (v - 0.5)
        radius = 1.0 + across * np.cos(np.pi * twists * u)
        return radius * np.cos(_TURN * u), radius * np.sin(_TURN * u), across * np.sin(np.pi * twists * u)

    return _joined([_patch(surface, count, seam_u=False, seam_v=False, ratio=4.0)])


def helicoid(count: int, seed: int) -> Mesh:
    """A spiral ramp, open."""
    turns = np.random.default_rng(seed).uniform(1.0, 5.0)
    return _joined(
        [
            _patch(
                lambda u, v: (
                    (0.1 + 0.9 * v) * np.cos(_TURN * turns * u), (0.1 + 0.9 * v) * np.sin(_TURN * turns * u), 2.0 * u,
                ),
                count, seam_u=False, seam_v=False, ratio=3.0,
            )
        ]
    )  # fmt: skip


def saddle(count: int, seed: int) -> Mesh:
    """An open saddle of three or more valleys."""
    rng = np.random.default_rng(seed)
    valleys, height = int(rng.integers(2, 6)), rng.uniform(0.1, 0.6)
    return _joined(
        [
            _patch(
                lambda u, v: (
                    u * np.cos(_TURN * v), u * np.sin(_TURN * v), height * u**2 * np.cos(_TURN * valleys * v),
                ),
                count, seam_u=False,
            )
        ]
    )  # fmt: skip


def crumpled(count: int, seed: int) -> Mesh:
    """A sheet with random folds."""
    rng = np.random.default_rng(seed)
    ways = rng.normal(size=(12, 2)) * 6.0
    lifts = rng.uniform(-0.06, 0.06, (12, 3))
    phases = rng.uniform(0, _TURN, 12)

    def surface(u: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
        folds = [np.abs((way[0] * u + way[1] * v + phase) % 2.0 - 1.0) for way, phase in zip(ways, phases, strict=True)]
        flat = (u, v, 0.0 * u)
        return [flat[k] + sum(lift[k] * fold for lift, fold in zip(lifts, folds, strict=True)) for k in range(3)]

    return _joined([_patch(surface, count, seam_u=False, seam_v=False)])


def terrain(count: int, seed: int) -> Mesh:
    """Hills of every size over a square, open."""
    rng = np.random.default_rng(seed)
    waves = [(rng.normal(size=2) * 2.0**k, rng.uniform(0, _TURN), 0.25 * 0.55**k) for k in range(7) for _ in range(3)]
    return _joined(
        [
            _patch(
                lambda u, v: (
                    u, v, sum(high * np.sin(4.0 * (way[0] * u + way[1] * v) + phase) for way, phase, high in waves),
                ),
                count, seam_u=False, seam_v=False,
            )
        ]
    )  # fmt: skip


def urchin(count: int, seed: int) -> Mesh:
    """A ball with spikes."""
    rng = np.random.default_rng(seed)
    ways = rng.normal(size=(int(rng.integers(10, 50)), 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    tall = rng.uniform(0.3, 1.5)

    def surface(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        x = np.stack([np.sin(np.pi * u) * np.cos(_TURN * v), np.sin(np.pi * u) * np.sin(_TURN * v), np.cos(np.pi * u)])
        radius = 0.5 + tall * np.clip(14.0 * (np.einsum("wk,kuv->wuv", ways, x).max(axis=0) - 0.93), 0.0, 1.0) ** 2
        return tuple(radius * x)

    return _joined([_patch(surface, count, seam_u=False)])


def bubbles(count: int, seed: int) -> Mesh:
    """Balls of many sizes here and there: most of the box is empty."""
    rng = np.random.default_rng(seed)
    number = int(rng.integers(5, 40))
    return _joined(
        _ball(rng.uniform(-1, 1, 3), rng.uniform(0.03, 0.25), max(16, count // number)) for _ in range(number)
    )


def table(count: int, seed: int) -> Mesh:
    """A plate on four legs."""
    rng = np.random.default_rng(seed)
    leg, deep = rng.uniform(0.04, 0.12), rng.uniform(0.5, 1.0)
    tops = [((-1, -deep, 0.7), (1, deep, 0.7 + leg))]
    legs = [
        ((x * (1 - leg) - leg, y * (deep - leg) - leg, 0), (x * (1 - leg) + leg, y * (deep - leg) + leg, 0.7))
        for x in (-1, 1)
        for y in (-1, 1)
    ]
    return _cuboids(tops + legs, count)


def shelf(count: int, seed: int) -> Mesh:
    """Boards between two walls."""
    boards = int(np.random.default_rng(seed).integers(3, 8))
    flat = [((-0.5, -0.2, z), (0.5, 0.2, z + 0.03)) for z in np.linspace(0.0, 1.6, boards)]
    return _cuboids([*flat, ((-0.53, -0.2, 0), (-0.5, 0.2, 1.63)), ((0.5, -0.2, 0), (0.53, 0.2, 1.63))], count)


def stairs(count: int, seed: int) -> Mesh:
    """Steps as boxes that touch."""
    steps = int(np.random.default_rng(seed).integers(5, 15))
    return _cuboids([((k / steps, 0, 0), ((k + 1) / steps, 0.4, (k + 1) / steps)) for k in range(steps)], count)


def comb(count: int, seed: int) -> Mesh:
    """Parallel plates on a bar."""
    teeth = int(np.random.default_rng(seed).integers(6, 24))
    return _cuboids(
        [
            ((0, 0, 0), (2, 0.5, 0.1)),
            *[((2 * k / teeth, 0, 0.1), (2 * k / teeth + 0.5 / teeth, 0.5, 0.8)) for k in range(teeth)],
        ],
        count,
    )


def beam(count: int, seed: int) -> Mesh:
    """A long H-section: three plates, coarse."""
    rng = np.random.default_rng(seed)
    long, thin = rng.uniform(2.0, 8.0), rng.uniform(0.03, 0.1)
    return _cuboids(
        [
            ((-0.5, -0.5, 0), (0.5, -0.5 + thin, long)), ((-0.5, 0.5 - thin, 0), (0.5, 0.5, long)),
            ((-thin / 2, -0.5, 0), (thin / 2, 0.5, long)),
        ],
        count,
    )  # fmt: skip


def frame(count: int, seed: int) -> Mesh:
    """Bars along the edges of a lattice of cubes."""
    rng = np.random.default_rng(seed)
    cells, bar = int(rng.integers(1, 4)), rng.uniform(0.01, 0.05)
    places = [np.array(place) for place in np.ndindex(cells + 1, cells + 1, cells + 1)]
    bars = [
        (place / cells - bar, place / cells + bar + np.eye(3)[axis] / cells)
        for place in places
        for axis in range(3)
        if place[axis] < cells
    ]
    return _cuboids(bars, count)


def sponge(count: int, seed: int) -> Mesh:
    """Cubes left after drilling, or at random."""
    rng = np.random.default_rng(seed)
    side = 5
    kept = rng.random((side, side, side)) < rng.uniform(0.1, 0.5)
    kept[0, 0, 0] = True
    return _cuboids([(np.array(p) / side, (np.array(p) + 1) / side) for p in np.argwhere(kept)], count)


def rooms(count: int, seed: int) -> Mesh:
    """Thin walls and floors of a house."""
    rng = np.random.default_rng(seed)
    wall = 0.02
    across, along = np.sort(rng.uniform(0.15, 1.85, 3)), np.sort(rng.uniform(0.15, 0.85, 2))
    walls = [((x, 0, 0), (x + wall, 1, 0.4)) for x in (0, *across, 2)]
    walls += [((0, y, 0), (2, y + wall, 0.4)) for y in (0, *along, 1)]
    return _cuboids([*walls, ((0, 0, -wall), (2, 1, 0))], count)


def cards(count: int, seed: int) -> Mesh:
    """Plates in random directions: an open assembly of flat pieces."""
    rng = np.random.default_rng(seed)
    number = int(rng.integers(4, 20))
    parts = []
    for _ in range(number):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        points, corners = _plain(
            lambda u, v: (u - 0.5, 0.7 * v - 0.35, 0.0 * u), max(1, round(np.sqrt(count / number / 2)))
        )
        parts.append((points @ turn + rng.uniform(-0.6, 0.6, 3), corners))
    return _joined(parts)


def rods(count: int, seed: int) -> Mesh:
    """Straight wires in all directions."""
    rng = np.random.default_rng(seed)
    number = int(rng.integers(6, 40))
    parts = []
    for _ in range(number):
        begin, end = rng.uniform(-1, 1, (2, 3))
        parts.append(
            _tube(
                lambda t, begin=begin, end=end: begin + t[:, None] * (end - begin),
                0.012,
                max(24, count // number),
                False,
            )
        )
    return _joined(parts)


def plant(count: int, seed: int) -> Mesh:
    """Branches that fork, ever thinner."""
    rng = np.random.default_rng(seed)
    ends: list[tuple[np.ndarray, np.ndarray, float]] = [(np.zeros(3), np.array([0, 0, 0.6]), 0.06)]
    parts = []
    for _ in range(31):
        root, way, thick = ends.pop(0)
        tip = root + way
        parts.append(_tube(lambda t, root=root, way=way: root + t[:, None] * way, thick, max(24, count // 31), False))
        for _ in range(2):
            turned = way + rng.normal(size=3) * 0.5 * np.linalg.norm(way)
            ends.append((tip, 0.8 * turned / np.linalg.norm(turned) * np.linalg.norm(way), 0.7 * thick))
    return _joined(parts)


def umbrella(count: int, seed: int) -> Mesh:
    """A thin cap on a stick."""
    height = np.random.default_rng(seed).uniform(0.2, 0.9)

    def surface(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        lift = height * (1.0 - u**2) * (1.0 + 0.05 * np.cos(8.0 * _TURN * v))
        return u * np.cos(_TURN * v), u * np.sin(_TURN * v), lift

    cap = _patch(surface, 2 * count // 3, seam_u=False)
    stick = _tube(lambda t: np.stack([0 * t, 0 * t, 1.8 * t - 1.8 + height], 1), 0.03, count // 3, False)
    return _joined([cap, stick])


def egg_crate(count: int, seed: int) -> Mesh:
    """A plate of bumps with two sides."""
    rng = np.random.default_rng(seed)
    waves, thick = int(rng.integers(2, 6)), rng.uniform(0.02, 0.2)

    def surface(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        x, side = np.where(u < 0.5, 2 * u, 2 - 2 * u), np.where(u < 0.5, 0.5, -0.5)
        return x, v, 0.15 * np.sin(_TURN * waves * x) * np.sin(_TURN * waves * v) + thick * side

    return _joined([_patch(surface, count, seam_v=False)])


def shell(count: int, seed: int) -> Mesh:
    """A snail: a tube that winds up and widens."""
    turns = np.random.default_rng(seed).uniform(2.0, 4.0)

    def surface(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        size = np.exp(2.0 * (u - 1.0))
        ring = size * (1.0 + 0.6 * np.cos(_TURN * v))
        return (
            ring * np.cos(_TURN * turns * u), ring * np.sin(_TURN * turns * u), size * (0.6 * np.sin(_TURN * v) - 1.5),
        )  # fmt: skip

    return _joined([_patch(surface, count, seam_u=False, ratio=3.0)])


def nested(count: int, seed: int) -> Mesh:
    """Balls in balls, open to each other nowhere."""
    layers = int(np.random.default_rng(seed).integers(2, 6))
    return _joined(_ball((0, 0, 0), (k + 1) / layers, count // layers) for k in range(layers))


def faceted(count: int, seed: int) -> Mesh:
    """The hull of random points, coarse whatever the count; its large triangles fill their boxes."""
    from scipy.spatial import ConvexHull

    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(min(max(8, count // 50), 200)), 3)) * rng.uniform(0.3, 1.0, 3)
    return _joined([(points, ConvexHull(points).simplices)])


UNSEEN: dict[str, Callable[[int, int], Mesh]] = {
    make.__name__: make
    for make in (
        superquadric, bottle, bowl, barbell, cone, can, star_prism, blade, torus_knot, chain, screw, moebius, helicoid,
        saddle, crumpled, terrain, urchin, bubbles, table, shelf, stairs, comb, beam, frame, sponge, rooms, cards, rods,
        plant, umbrella, egg_crate, shell, nested, faceted,
    )
}  # fmt: skip
"""The kinds of meshes that judge the stated probabilities."""
