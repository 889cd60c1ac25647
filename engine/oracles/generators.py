"""Triangle pairs of every class in which exactness is hard, made in bulk with a seed.

Each maker takes a generator of random numbers and a count n, and returns two float64 arrays of shape (n, 3, 3): the
corners of a and of b. `CLASSES` names them. A class says how a pair was *built*; what it really is after rounding is
for the oracle to say, and the bench prints how often each kind occurred.

Relations that must hold exactly (coplanar, collinear, a corner on an edge) are built on dyadic lattices, where no
operation rounds, or by giving the same float to several corners (a common plane x = c, a common line in it).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Random = np.random.Generator
Pairs = tuple[np.ndarray, np.ndarray]
Maker = Callable[[Random, int], Pairs]
Draw = Callable[[Random, tuple[int, ...]], np.ndarray]

FAR = 1e6


def mixed(*makers: Maker) -> Maker:
    """A maker that takes an equal share from each of several."""

    def make(rng: Random, n: int) -> Pairs:
        counts = np.diff(np.linspace(0, n, len(makers) + 1).astype(int))
        parts = [maker(rng, int(count)) for maker, count in zip(makers, counts, strict=True)]
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    return make


def _real(rng: Random, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers in [1/8, 1) with full mantissas."""
    return rng.uniform(0.125, 1.0, shape)


def _single(rng: Random, shape: tuple[int, ...]) -> np.ndarray:
    """As `_real`, but float32 values, which is what modelling programs store."""
    return _real(rng, shape).astype(np.float32).astype(np.float64)


def _dyadic(rng: Random, shape: tuple[int, ...]) -> np.ndarray:
    """Multiples of 1/8 in [1/8, 1]: sums, products by small integers and halves are exact."""
    return rng.integers(1, 9, shape) / 8.0


def _signs(rng: Random, shape: tuple[int, ...]) -> np.ndarray:
    return rng.choice([-1.0, 1.0], shape)


def _rotations(rng: Random, n: int) -> np.ndarray:
    """Random orthogonal matrices up to rounding, shape (n, 3, 3)."""
    return np.linalg.qr(rng.normal(size=(n, 3, 3)))[0]


def _shuffled(rng: Random, pairs: Pairs) -> Pairs:
    """The same pairs with the corners of each triangle, and the two triangles, in random order."""
    sides = []
    for side in pairs:
        order = np.argsort(rng.random(side.shape[:2]), axis=1)
        sides.append(np.take_along_axis(side, order[:, :, None], axis=1))
    swap = rng.random((len(sides[0]), 1, 1)) < 0.5
    return np.where(swap, sides[1], sides[0]), np.where(swap, sides[0], sides[1])


def _nudged(rng: Random, pairs: Pairs, share: float = 1.0) -> Pairs:
    """A share of the coordinates moved by -3..3 units in their last place (zeros to subnormal numbers)."""
    a, b = (s + (rng.random(s.shape) < share) * rng.integers(-3, 4, s.shape) * np.spacing(s) for s in pairs)
    return a, b


# Random position


def random_pairs(rng: Random, n: int) -> Pairs:
    """Triangles of all sizes close to each other; half of the pairs have float32 coordinates."""
    a, b = rng.uniform(-1, 1, (2, n, 3, 3))
    b = b * rng.uniform(0.1, 1.0, (n, 1, 1))
    rounded = rng.random((n, 1, 1)) < 0.5
    return np.where(rounded, a.astype(np.float32), a), np.where(rounded, b.astype(np.float32), b)


def grid_pairs(rng: Random, n: int) -> Pairs:
    """Corners on the integer grid 0..3: ties of every sort."""
    a, b = rng.integers(0, 4, (2, n, 3, 3)).astype(np.float64)
    return a, b


def wide_range_pairs(rng: Random, n: int) -> Pairs:
    """Numbers of very different magnitude in one triangle, the whole pair scaled by 2**-180..2**150.

    Half of the pairs have a magnitude per number (2**-40..2**40) and often a common corner; half have one per axis, on
    an integer grid, which keeps its ties.
    """
    a, b = rng.integers(-4, 5, (2, n, 3, 3)) * np.ldexp(1.0, rng.integers(-40, 41, (2, n, 3, 3)))
    b[::2, 0] = a[::2, 1]
    a[: n // 2], b[: n // 2] = rng.integers(0, 4, (2, n // 2, 3, 3)) * np.ldexp(
        1.0, rng.integers(-40, 41, (n // 2, 1, 3))
    )
    scale = np.ldexp(1.0, rng.integers(-180, 151, (n, 1, 1)))
    return a * scale, b * scale


# Neighbours in a mesh


def shared_vertex_pairs(rng: Random, n: int) -> Pairs:
    """One corner in common."""
    return mixed(*(_shared(draw, 1) for draw in (_real, _single, _dyadic)))(rng, n)


def shared_edge_pairs(rng: Random, n: int) -> Pairs:
    """Two corners in common."""
    return mixed(*(_shared(draw, 2) for draw in (_real, _single, _dyadic)))(rng, n)


def identical_pairs(rng: Random, n: int) -> Pairs:
    """The same triangle twice, its corners in another order."""
    return mixed(*(_shared(draw, 3) for draw in (_real, _single, _dyadic)))(rng, n)


def _shared(draw: Draw, count: int) -> Maker:
    def make(rng: Random, n: int) -> Pairs:
        a, b = draw(rng, (2, n, 3, 3)) * _signs(rng, (2, n, 3, 3))
        b[:, :count] = a[:, :count]
        return _shuffled(rng, (a, b))

    return make


# Touching up to rounding


def near_tangent_pairs(rng: Random, n: int) -> Pairs:
    """Touching configurations, as good as floats can build them, every coordinate nudged by -3..3 ulps; and exact ones
    with only a few coordinates nudged, so that all kinds occur."""
    made = mixed(_corner_on_face, _edge_on_edge, _corner_on_edge, _edge_in_plane, shared_vertex_pairs, _tilted_touch)
    exact = mixed(grid_pairs, _in_lattice_plane(_touch_2d), _in_lattice_plane(_overlap_2d))
    all_nudged, few_nudged = _nudged(rng, made(rng, n - n // 3)), _nudged(rng, exact(rng, n // 3), share=0.08)
    return _shuffled(rng, tuple(np.concatenate(sides) for sides in zip(all_nudged, few_nudged, strict=True)))


def _corner_on_face(rng: Random, n: int) -> Pairs:
    a, b = rng.uniform(-1, 1, (2, n, 3, 3))
    b[:, 0] = _inner_point(rng, a)
    return a, b


def _edge_on_edge(rng: Random, n: int) -> Pairs:
    a, b = rng.uniform(-1, 1, (2, n, 3, 3))
    s, t, u = rng.uniform(0.1, 0.9, (3, n, 1))
    point = a[:, 0] + s * (a[:, 1] - a[:, 0])
    b[:, 1] = point + (point - b[:, 0]) * (t / u)
    return a, b


def _corner_on_edge(rng: Random, n: int) -> Pairs:
    a, b = rng.uniform(-1, 1, (2, n, 3, 3))
    b[:, 0] = a[:, 0] + rng.uniform(0.1, 0.9, (n, 1)) * (a[:, 1] - a[:, 0])
    return a, b


def _edge_in_plane(rng: Random, n: int) -> Pairs:
    a, b = rng.uniform(-1, 1, (2, n, 3, 3))
    b[:, 0] = _inner_point(rng, a)
    b[:, 1] = a[:, 0] + np.einsum("nk,nkx->nx", rng.uniform(-2, 2, (n, 2)), a[:, 1:] - a[:, :1])
    return a, b


def _inner_point(rng: Random, triangles: np.ndarray) -> np.ndarray:
    weights = rng.dirichlet((1.0, 1.0, 1.0), len(triangles))
    return np.einsum("nk,nkx->nx", weights, triangles)


# Coplanar


def _beside_line(rng: Random, n: int, draw: Draw) -> Pairs:
    """a to the right of the line x = 0 of a plane, b to its left; the callers move corners onto the line."""
    a, b = draw(rng, (2, n, 3, 2))
    b[:, :, 0] *= -1
    return a, b


def _touch_2d(rng: Random, n: int, draw: Draw) -> Pairs:
    """Corner at corner, corner on edge, edges overlapping in part, equal edges, edges in line that share an end."""
    a, b = _beside_line(rng, n, draw)
    y = np.cumsum(draw(rng, (n, 4)), axis=1)
    ends_a = np.array([[0, -1], [0, 2], [0, 2], [0, 1], [0, 1]])
    ends_b = np.array([[0, -1], [1, -1], [1, 3], [0, 1], [1, 2]])
    case = rng.integers(0, 5, n)
    for side, ends in ((a, ends_a[case]), (b, ends_b[case])):
        _put_on_line(side, ends, y)
    return a, b


def _apart_2d(rng: Random, n: int, draw: Draw) -> Pairs:
    """With a strip between them, or both on the line but at disjoint places of it."""
    a, b = _beside_line(rng, n, draw)
    y = np.cumsum(draw(rng, (n, 4)), axis=1)
    case = rng.integers(0, 5, n)
    ends_a = np.array([[-1, -1], [0, -1], [0, -1], [0, 1], [0, 1]])[case]
    ends_b = np.array([[0, -1], [1, -1], [1, 2], [2, -1], [2, 3]])[case]
    _put_on_line(a, ends_a, y)
    _put_on_line(b, ends_b, y)
    return a, b


def _put_on_line(side: np.ndarray, ends: np.ndarray, y: np.ndarray) -> None:
    """Corner k of each triangle goes to (0, y[ends[k]]) where ends[k] is not -1."""
    for k in range(2):
        on_line = np.flatnonzero(ends[:, k] >= 0)
        side[on_line, k, 0] = 0.0
        side[on_line, k, 1] = y[on_line, ends[on_line, k]]


def _overlap_2d(rng: Random, n: int, draw: Draw) -> Pairs:
    """A corner inside, an edge in common, a corner in common, the triangle of the edge midpoints, a mirrored copy."""
    a, b = draw(rng, (2, n, 3, 2)) * _signs(rng, (2, n, 3, 2))
    a, b = _proper(a), _proper(b)
    inner = a[:, 0] / 2 + a[:, 1] / 4 + a[:, 2] / 4
    case = rng.integers(0, 5, n)[:, None, None]
    corner_inside = np.stack((inner, b[:, 1], b[:, 2]), axis=1)
    same_edge = np.stack((a[:, 0], a[:, 1], a[:, 2] / 2 + inner / 2), axis=1)
    same_corner = np.stack((a[:, 0], inner, b[:, 2]), axis=1)
    midpoints = (a + a[:, [1, 2, 0]]) / 2
    mirrored = 2 * inner[:, None] - a
    b = np.select([case == k for k in range(4)], (corner_inside, same_edge, same_corner, midpoints), mirrored)
    return a, b


def _proper(triangles: np.ndarray) -> np.ndarray:
    """Plane triangles of small area replaced by a fixed one."""
    e, f = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    flat = np.abs(e[:, 0] * f[:, 1] - e[:, 1] * f[:, 0]) < 1e-2
    return np.where(flat[:, None, None], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], triangles)


def _in_axis_plane(plane_pairs: Callable[[Random, int, Draw], Pairs], draw: Draw) -> Maker:
    """In a plane x, y or z = c, where every float is possible."""

    def make(rng: Random, n: int) -> Pairs:
        height = rng.normal(size=(n, 1, 1))
        turn = (rng.integers(0, 3, (n, 1)) + np.arange(3)) % 3
        sides = []
        for side in plane_pairs(rng, n, draw):
            points = np.concatenate((side, np.broadcast_to(height, (n, 3, 1))), axis=2)
            sides.append(np.take_along_axis(points, turn[:, None, :], axis=2))
        return _shuffled(rng, (sides[0], sides[1]))

    return make


def _in_lattice_plane(plane_pairs: Callable[[Random, int, Draw], Pairs]) -> Maker:
    """In a tilted plane spanned by small integer vectors, scaled by a power of two: exactly coplanar."""

    def make(rng: Random, n: int) -> Pairs:
        basis = rng.integers(-3, 4, (n, 2, 3)).astype(np.float64)
        parallel = ~np.cross(basis[:, 0], basis[:, 1]).any(axis=1)
        basis[parallel] = [[1, 2, 3], [-2, 1, 1]]
        origin, scale = rng.integers(-8, 9, (n, 1, 3)), np.ldexp(1.0, rng.integers(-12, 13, (n, 1, 1)))
        a, b = ((side @ basis + origin) * scale for side in plane_pairs(rng, n, _dyadic))
        return _shuffled(rng, (a, b))

    return make


def _in_rotated_plane(plane_pairs: Callable[[Random, int, Draw], Pairs]) -> Maker:
    """In a plane of any direction, which the corners leave by rounding; half of them rounded to float32."""

    def make(rng: Random, n: int) -> Pairs:
        frame = _rotations(rng, n)
        origin = rng.normal(size=(n, 1, 3))
        a, b = (side @ frame[:, :2] + origin for side in plane_pairs(rng, n, _real))
        half = slice(0, n // 2)
        a[half], b[half] = a[half].astype(np.float32), b[half].astype(np.float32)
        return _shuffled(rng, (a, b))

    return make


def _exactly_coplanar(plane_pairs: Callable[[Random, int, Draw], Pairs]) -> Maker:
    return mixed(
        _in_axis_plane(plane_pairs, _real), _in_axis_plane(plane_pairs, _single), _in_lattice_plane(plane_pairs)
    )


def coplanar_rounded_pairs(rng: Random, n: int) -> Pairs:
    """Overlapping, touching and apart in one tilted plane, then rounded."""
    return mixed(*(_in_rotated_plane(made) for made in (_overlap_2d, _touch_2d, _apart_2d)))(rng, n)


def _tilted_touch(rng: Random, n: int) -> Pairs:
    return _in_rotated_plane(_touch_2d)(rng, n)


# Needles and triangles without area


def needle_pairs(rng: Random, n: int) -> Pairs:
    """Triangles 1e2 to 1e15 times as long as wide, through or beside a point of another triangle or needle."""
    a, b = rng.uniform(-1, 1, (2, n, 3, 3))
    target = _inner_point(rng, a)
    along = rng.normal(size=(n, 3))
    width = 10.0 ** rng.uniform(-15, -2, (n, 1))
    b[:, 0] = target - along * rng.uniform(0.0, 1.0, (n, 1))
    b[:, 1] = target + along * rng.uniform(0.0, 1.0, (n, 1))
    b[:, 2] = b[:, rng.integers(0, 2)] + width * rng.normal(size=(n, 3))
    both = rng.random((n, 1)) < 0.5
    a[:, 2] = np.where(both, a[:, 0] + width * rng.normal(size=(n, 3)), a[:, 2])
    on_edge = rng.random(n) < 0.2
    b[on_edge, 0] = a[on_edge, 0] + rng.uniform(0, 1, (int(on_edge.sum()), 1)) * (a[on_edge, 1] - a[on_edge, 0])
    same = rng.random(n) < 0.2
    b[same, 1] = a[same, 1]
    return _shuffled(rng, (a, b))


def zero_area_pairs(rng: Random, n: int) -> Pairs:
    """Points, repeated corners and collinear triples against each other and against proper triangles."""
    return mixed(*(_flat_against(proper, draw) for proper in (True, False) for draw in (_small_grid, _real)))(rng, n)


def _small_grid(rng: Random, shape: tuple[int, ...]) -> np.ndarray:
    return rng.integers(0, 4, shape).astype(np.float64)


def _flat_against(proper: bool, draw: Draw) -> Maker:
    def make(rng: Random, n: int) -> Pairs:
        a, b = draw(rng, (2, n, 3, 3))
        b = _flattened(rng, b, exact=draw is _small_grid)
        if not proper:
            a = _flattened(rng, a, exact=draw is _small_grid)
        meet = np.flatnonzero(rng.random(n) < 0.4)
        b[meet] += (a[meet, 0] - b[meet, 1])[:, None]  # a common point up to rounding, exact on the grid
        return _shuffled(rng, (a, b))

    return make


def _flattened(rng: Random, triangles: np.ndarray, exact: bool) -> np.ndarray:
    """Each triangle made a point, a segment with a repeated end, or three points in line (if not exact: nearly)."""
    n = len(triangles)
    p, q = triangles[:, 0], triangles[:, 1]
    steps = rng.integers(-1, 4, (n, 3, 1)) if exact else rng.uniform(-1, 2, (n, 3, 1))
    in_line = p[:, None] + steps * (q - p)[:, None]
    point, segment = np.stack((p, p, p), axis=1), np.stack((p, q, q), axis=1)
    case = rng.integers(0, 6, n)[:, None, None]
    return np.select([case == 0, case <= 2], (point, segment), in_line)


# Far from the origin


def far_pairs(rng: Random, n: int) -> Pairs:
    """Every other class moved by 1e6: half by integers, which keeps lattices exact, half by any vector."""
    near = mixed(*(maker for name, maker in CLASSES.items() if name not in ("far", "wide range")))
    a, b = near(rng, n)
    offset = rng.normal(size=(n, 1, 3))
    offset *= FAR / np.linalg.norm(offset, axis=2, keepdims=True)
    offset = np.where(rng.random((n, 1, 1)) < 0.5, np.rint(offset), offset)
    return a + offset, b + offset


CLASSES: dict[str, Maker] = {
    "random": random_pairs,
    "near-tangent": near_tangent_pairs,
    "shared vertex": shared_vertex_pairs,
    "shared edge": shared_edge_pairs,
    "coplanar overlapping": _exactly_coplanar(_overlap_2d),
    "coplanar touching": _exactly_coplanar(_touch_2d),
    "coplanar apart": _exactly_coplanar(_apart_2d),
    "coplanar rounded": coplanar_rounded_pairs,
    "identical": identical_pairs,
    "needles": needle_pairs,
    "zero area": zero_area_pairs,
    "integer grid": grid_pairs,
    "wide range": wide_range_pairs,
    "far": far_pairs,
}


def make_pairs(name: str, n: int, seed: int, portion: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """n pairs of a class; the same ones for the same seed and portion, whatever other classes there are."""
    return CLASSES[name](np.random.default_rng([seed, portion, *name.encode()]), n)
