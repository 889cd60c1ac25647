"""What hypothesis draws from: coordinates, triangles, meshes and poses, ordinary and awkward ones."""

import numpy as np
from hypothesis import strategies as st

GRID = st.integers(0, 3).map(float)
WIDE = st.floats(-1e30, 1e30)
SMALL_SCALES = (5e-324, 2.0**-1040, 2.0**-600, 2.0**-250, 1e-30)
LARGE_SCALES = (1.0, 1e6, 1e15, 2.0**90, 2.0**299, 2.0**900)


def points(coordinate, count, dimensions=3):
    """Arrays (count, dimensions)."""
    return st.lists(coordinate, min_size=count * dimensions, max_size=count * dimensions).map(
        lambda numbers: np.array(numbers, np.float64).reshape(count, dimensions)
    )


@st.composite
def nudged_points(draw, count, dimensions=3):
    """Grid points, some coordinates moved by up to 3 ulps (zeros to subnormal numbers): nearly every coincidence."""
    grid = draw(points(GRID, count, dimensions))
    ulps = draw(points(st.sampled_from((0, 0, 0, 1, -1, 2, -3)), count, dimensions))
    return grid + ulps * np.spacing(grid)


@st.composite
def scaled_points(draw, count, dimensions=3):
    """Grid points times one scale, or one scale for each axis: subnormal to huge."""
    scale = st.sampled_from(SMALL_SCALES + LARGE_SCALES)
    return draw(points(GRID, count, dimensions)) * np.array(
        draw(st.lists(scale, min_size=dimensions, max_size=dimensions) | scale)
    )


@st.composite
def dependent_points(draw, count, dimensions=3):
    """Random points, the last of them a rounded combination of the others: nearly degenerate in every direction."""
    numbers = st.floats(-1.0, 1.0)
    free = draw(points(numbers, count - 1, dimensions))
    weights = np.array(draw(st.lists(numbers, min_size=count - 1, max_size=count - 1)))
    last = (weights[:, None] * (free - free[0])).sum(axis=0) + free[0]
    last = last + np.array(draw(st.lists(st.integers(-2, 2), min_size=dimensions, max_size=dimensions))) * np.spacing(
        last
    )
    return np.vstack([free, last])


def any_points(count, dimensions=3):
    """Points of all sorts, coordinates at most 1e30."""
    return st.one_of(
        points(GRID, count, dimensions),
        nudged_points(count, dimensions),
        dependent_points(count, dimensions),
        points(WIDE, count, dimensions),
        points(st.floats(-1e-300, 1e-300), count, dimensions),
    )


@st.composite
def triangle_pairs(draw):
    """Two triangles (3, 3), from every source; often with corners in common."""
    corners = draw(st.one_of(any_points(6), scaled_points(6)))
    for _ in range(draw(st.integers(0, 2))):
        corners[draw(st.integers(3, 5))] = corners[draw(st.integers(0, 2))]
    return corners[:3], corners[3:]


@st.composite
def grid_meshes(draw, most_triangles=12):
    """Vertices on a small grid and any triangles over them: degenerate, repeated, folded, of every size."""
    vertices = draw(points(GRID, draw(st.integers(1, 10))))
    corner = st.integers(0, len(vertices) - 1)
    triangles = draw(st.lists(st.tuples(corner, corner, corner), min_size=1, max_size=most_triangles))
    return vertices, np.array(triangles)


def rotation(rng: np.random.Generator) -> np.ndarray:
    """A random rotation up to rounding."""
    q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return q * np.sign(np.linalg.det(q))


def matrix(linear=None, shift=(0.0, 0.0, 0.0)) -> np.ndarray:
    """A (4, 4) matrix."""
    result = np.eye(4)
    if linear is not None:
        result[:3, :3] = linear
    result[:3, 3] = shift
    return result


@st.composite
def poses(draw):
    """Rigid (4, 4) matrices: quarter turns with dyadic shifts, and arbitrary ones near and far."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        turn = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)
        return matrix(turn * np.sign(np.linalg.det(turn)), rng.integers(-4, 5, 3) / 2)
    return matrix(rotation(rng), rng.normal(size=3) * draw(st.sampled_from((0.0, 1.0, 3.0))))


def soup(triangles) -> tuple[np.ndarray, np.ndarray]:
    """A mesh whose triangles (m, 3, 3) share no vertices."""
    corners = np.asarray(triangles, float).reshape(-1, 3)
    return corners, np.arange(len(corners)).reshape(-1, 3)
