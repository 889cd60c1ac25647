"""Clouds sampled from shapes whose surface is known, and what NumPy says about them, computed another way."""

import meshclash as mc
import numpy as np
from hypothesis import strategies as st
from strategies import matrix, rotation


def sphere(rng, count, radius=1.0, noise=0.0):
    """Points on a sphere about the origin, moved along the normal by normal noise."""
    normals = rng.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return normals * (radius + noise * rng.normal(size=(count, 1))), normals


def plane(rng, count, size=2.0, noise=0.0):
    """Points on a square in z = 0, ``size`` wide, moved along z by normal noise."""
    points = rng.uniform(-0.5 * size, 0.5 * size, (count, 3))
    points[:, 2] = noise * rng.normal(size=count)
    return points, np.tile((0.0, 0.0, 1.0), (count, 1))


def torus(rng, count, radius=1.0, tube=0.4, noise=0.0):
    """Points on a torus around z, even on its surface, moved along the normal by normal noise."""
    v = np.empty(0)
    while len(v) < count:
        angle = rng.uniform(0, 2 * np.pi, count)
        keep = rng.uniform(0, radius + tube, count) < radius + tube * np.cos(angle)
        v = np.concatenate([v, angle[keep]])[:count]
    u = rng.uniform(0, 2 * np.pi, count)
    normals = np.stack([np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v)], axis=1)
    ring = radius * np.stack([np.cos(u), np.sin(u), np.zeros(count)], axis=1)
    return ring + normals * (tube + noise * rng.normal(size=(count, 1))), normals


@st.composite
def awkward_clouds(draw):
    """Even, noisy, of two densities, with duplicates, flat, on a grid."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(("sphere", "torus", "two densities", "duplicates", "flat", "grid")))
    count = draw(st.integers(8, 3000))
    if kind == "two densities":
        return np.concatenate([sphere(rng, count)[0], 0.02 * sphere(rng, 2000)[0] + 3.0])
    if kind == "duplicates":
        return np.repeat(sphere(rng, count)[0], 3, axis=0)
    if kind == "flat":
        return plane(rng, count)[0]
    if kind == "grid":
        return rng.integers(0, 12, (count, 3)).astype(float) + np.arange(count)[:, None] % 2 * (0.25, 0.5, 0.75)
    return (sphere if kind == "sphere" else torus)(rng, count, noise=0.01)[0]


def shifted(x=0.0, y=0.0, z=0.0):
    """A pose that only moves."""
    return matrix(shift=(x, y, z))


def random_pose(seed, shift):
    """A turned pose with a given shift."""
    return matrix(rotation(np.random.default_rng(seed)), shift)


def reference_value(points, x, bandwidth, horizon):
    """(f, normal, points in the horizon, spectrum, a - x, nearest point) by the definition and LAPACK; eq. 1 to 6."""
    offset = points - x
    near = (offset * offset).sum(axis=1) <= horizon * horizon
    offset = offset[near]
    weight = np.exp(-(offset * offset).sum(axis=1) / bandwidth**2)
    mean = (weight[:, None] * offset).sum(axis=0) / weight.sum()
    centred = offset - mean
    values, vectors = np.linalg.eigh((weight[:, None] * centred).T @ centred)
    nearest = np.sqrt((offset * offset).sum(axis=1)).min() if len(offset) else np.inf
    return float(vectors[:, 0] @ mean), vectors[:, 0], len(offset), values, mean, nearest


def reference_sphere(points, normals, x, bandwidth, horizon):
    """Signed distance from x to the algebraic sphere fitted to points and normals, by least squares, not closed form.

    Guennebaud and Gross (2007): gradients fit the normals first (linear in u, u4), then the constant fits the points.
    """
    offset = points - x
    near = (offset * offset).sum(axis=1) <= horizon * horizon
    offset, n = offset[near], normals[near]
    weight = np.exp(-(offset * offset).sum(axis=1) / bandwidth**2)
    root = np.sqrt(weight)[:, None]
    rows = np.concatenate([np.column_stack([np.tile(np.eye(3)[k], (len(n), 1)), 2 * offset[:, k]]) for k in range(3)])
    scale = np.concatenate([root[:, 0]] * 3)
    u = np.linalg.lstsq(rows * scale[:, None], n.T.reshape(-1) * scale, rcond=None)[0]
    square = (offset * offset).sum(axis=1)
    u0 = -(weight * (offset @ u[:3] + u[3] * square)).sum() / weight.sum()
    centre = -u[:3] / (2 * u[3])
    radius = np.sqrt(centre @ centre - u0 / u[3])
    return (np.linalg.norm(centre) - radius) * np.sign(u[3])


def grid_mesh(size=2.0, cells=16):
    """A square in z = 0 of small triangles."""
    line = np.linspace(-0.5 * size, 0.5 * size, cells + 1)
    x, y = np.meshgrid(line, line)
    i = np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)
    i = i.ravel()
    triangles = np.concatenate([np.stack([i, i + 1, i + cells + 2], 1), np.stack([i, i + cells + 2, i + cells + 1], 1)])
    return mc.TriangleMesh(np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], 1), triangles)


def ball_mesh(radius=1.0, rings=64):
    """A closed mesh inscribed to a sphere."""
    v, u = np.meshgrid(np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings + 1)[:-1], indexing="ij")
    points = radius * np.stack([np.sin(v) * np.cos(u), np.sin(v) * np.sin(u), np.cos(v)], -1)
    index = np.arange((rings + 1) * 2 * rings).reshape(rings + 1, -1)
    index[0], index[-1] = index[0, 0], index[-1, 0]
    a, b = index[:-1], np.roll(index, -1, 1)[:-1]
    c, d = index[1:], np.roll(index, -1, 1)[1:]
    triangles = np.concatenate([np.stack([a, c, d], -1).reshape(-1, 3), np.stack([a, d, b], -1).reshape(-1, 3)])
    triangles = triangles[(triangles != np.roll(triangles, 1, 1)).all(1)]
    return mc.TriangleMesh(points.reshape(-1, 3), triangles)
