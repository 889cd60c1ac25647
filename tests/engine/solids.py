"""Meshes of simple bodies, closed and open, for configurations whose verdict is known by construction.

A mesh is (vertices (n, 3) float64, triangles (m, 3) int); triangles run counter-clockwise seen from outside.
Coordinates are dyadic (multiples of 1/64 for round bodies) unless said otherwise, so that faces which should meet do so
exactly, also after quarter turns and dyadic shifts.
"""

import numpy as np

Mesh = tuple[np.ndarray, np.ndarray]

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])


def box(low, high) -> Mesh:
    """An axis-aligned box of 12 triangles."""
    low, high = np.array(low, float), np.array(high, float)
    steps = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    return np.where(steps, high, low), QUADS[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def open_box(low, high) -> Mesh:
    """A box without its face at the top (largest z)."""
    vertices, triangles = box(low, high)
    at_top = (vertices[triangles][:, :, 2] == vertices[:, 2].max()).all(axis=1)
    return vertices, triangles[~at_top]


def sheet(low, high, z, cells=1) -> Mesh:
    """An open rectangle in the plane of height z: cells x cells rectangles of two triangles."""
    x, y = (np.linspace(low[k], high[k], cells + 1) for k in range(2))
    vertices = np.array([[p, q, z] for p in x for q in y], float)
    index = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    corners = (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:])
    quads = np.stack([c.ravel() for c in corners], axis=1)
    return vertices, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def extruded(outline, caps, loops, bottom, top) -> Mesh:
    """A prism over plane points (k, 2): `caps` triangulate them, `loops` list the border indices (holes clockwise)."""
    count = len(outline)
    levels = [np.column_stack([outline, np.full(count, z)]) for z in (bottom, top)]
    caps = np.asarray(caps)
    triangles = [caps[:, ::-1], caps + count]
    for loop in loops:
        p, q = np.asarray(loop), np.roll(loop, -1)
        triangles += [np.stack([p, q, q + count], axis=1), np.stack([p, q + count, p + count], axis=1)]
    return np.concatenate(levels).astype(float), np.concatenate(triangles)


def _around_centre(outline, bottom, top) -> Mesh:
    """A prism over an outline that is star-shaped about the origin, its caps fans around the centre."""
    count = len(outline)
    ring = np.arange(count)
    fan = np.stack([np.full(count, count), ring, np.roll(ring, -1)], axis=1)
    return extruded(np.concatenate([outline, [[0.0, 0.0]]]), fan, [ring], bottom, top)


def on_circle(radius, count, grid=64.0) -> np.ndarray:
    """Corners of a regular polygon, rounded to multiples of 1/grid (None: not rounded), shape (count, 2)."""
    angle = np.arange(count) / count * 2 * np.pi
    points = np.stack([np.cos(angle), np.sin(angle)], axis=1) * np.reshape(radius, (-1, 1))
    return points if grid is None else np.rint(points * grid) / grid


def prism(radius, sides, bottom, top, grid=64.0) -> Mesh:
    """A prism over a regular polygon, or a cylinder when it has many sides."""
    return _around_centre(on_circle(radius, sides, grid), bottom, top)


def gear(radius, teeth, bottom, top) -> Mesh:
    """A wheel with teeth of a quarter of the radius."""
    profile = np.tile([radius * 0.75, radius, radius, radius * 0.75], teeth)
    return _around_centre(on_circle(profile, 4 * teeth), bottom, top)


def tube(outer, inner, sides, bottom, top, grid=64.0) -> Mesh:
    """A ring with a prismatic hole; both outlines have the same number of sides and phase."""
    outline = np.concatenate([on_circle(outer, sides, grid), on_circle(inner, sides, grid)])
    p = np.arange(sides)
    q = np.roll(p, -1)
    caps = np.concatenate([np.stack([p, q, q + sides], axis=1), np.stack([p, q + sides, p + sides], axis=1)])
    return extruded(outline, caps, [p, (p + sides)[::-1]], bottom, top)


def l_shape(width, thickness, bottom, top) -> Mesh:
    """Two bars at a right angle, the inner corner at (thickness, thickness)."""
    w, t = width, thickness
    outline = np.array([[0, 0], [w, 0], [w, t], [t, t], [t, w], [0, w]])
    return extruded(outline, [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], [np.arange(6)], bottom, top)


def torus(radius, thickness, around=24, across=12) -> Mesh:
    """A ring about the z axis through circles of radius `thickness`; coordinates rounded to multiples of 1/64."""
    u, v = np.meshgrid(np.arange(around) / around * 2 * np.pi, np.arange(across) / across * 2 * np.pi, indexing="ij")
    reach = radius + thickness * np.cos(v)
    vertices = np.stack([reach * np.cos(u), reach * np.sin(u), thickness * np.sin(v)], axis=-1).reshape(-1, 3)
    p = np.arange(around * across).reshape(around, across)
    q, r, s = np.roll(p, -1, axis=0), np.roll(p, (-1, -1), axis=(0, 1)), np.roll(p, -1, axis=1)
    quads = np.stack([c.ravel() for c in (p, q, r, s)], axis=1)
    return np.rint(vertices * 64) / 64, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def shell(low, high, wall) -> Mesh:
    """A hollow box: an outer surface, and an inner one turned inside out."""
    low, high = np.array(low, float), np.array(high, float)
    return joined(box(low, high), reversed_winding(box(low + wall, high - wall)))


def tetrahedron(tip, base_height, size) -> Mesh:
    """A tip, and a horizontal triangular base centred above or below it."""
    x, y, _ = tip
    base = [[x - size, y - size, base_height], [x + size, y - size, base_height], [x, y + size, base_height]]
    vertices, triangles = np.array([tip, *base], float), np.array([[1, 2, 3], [0, 2, 1], [0, 3, 2], [0, 1, 3]])
    return (vertices, triangles) if base_height > tip[2] else (vertices, triangles[:, ::-1])


def roof(low, high, ridge) -> Mesh:
    """A wedge over the rectangle low..high (x, y, z of one level) with a ridge along x at height `ridge`."""
    (x0, y0, z), (x1, y1, _) = low, high
    middle = (y0 + y1) / 2
    outline = np.array([[y0, z], [y1, z], [middle, ridge]], float)
    vertices, triangles = extruded(outline, [[0, 1, 2]], [np.arange(3)], x0, x1)
    return vertices[:, [2, 0, 1]], triangles if ridge > z else triangles[:, ::-1]


def cell_body(cells) -> Mesh:
    """The boundary of a union of unit cubes given by their lowest corners (k, 3) int, two triangles per outer face.

    Cubes may meet in an edge or a corner only, so edges of four faces and several components occur.
    """
    filled = {tuple(cell) for cell in np.asarray(cells).tolist()}
    corners, triangles = box((0, 0, 0), (1, 1, 1))
    outwards = np.repeat(np.eye(3, dtype=int), 2, axis=0) * [[-1], [1], [-1], [1], [-1], [1]]  # in the order of QUADS
    faces = [
        corners[triangles[2 * k : 2 * k + 2]] + cell
        for cell in sorted(filled)
        for k, step in enumerate(outwards)
        if tuple(np.add(cell, step).tolist()) not in filled
    ]
    vertices, index = np.unique(np.concatenate(faces).reshape(-1, 3), axis=0, return_inverse=True)
    return vertices, index.reshape(-1, 3)


# Changes that keep a body what it is, or move it


def joined(*meshes) -> Mesh:
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    triangles = [t + start for (_, t), start in zip(meshes, starts[:-1], strict=True)]
    return np.concatenate([v for v, _ in meshes]), np.concatenate(triangles)


def moved(mesh, shift) -> Mesh:
    """The mesh shifted."""
    return mesh[0] + np.array(shift, float), mesh[1]


def reversed_winding(mesh) -> Mesh:
    """The same triangles seen from the other side."""
    return mesh[0], mesh[1][:, ::-1]


def axes_swapped(mesh, order) -> Mesh:
    """Two axes exchanged (`order` is an odd permutation); the triangles are turned over, so outside stays outside."""
    return mesh[0][:, order], mesh[1][:, ::-1]


def mirrored(mesh, axis) -> Mesh:
    """Mirrored about the middle of its box along one axis; the winding is kept, so it ends up inside out."""
    vertices = mesh[0].copy()
    vertices[:, axis] = vertices[:, axis].min() + vertices[:, axis].max() - vertices[:, axis]
    return vertices, mesh[1]


def refined(mesh, times=1) -> Mesh:
    """The same surface with every triangle cut into four at the midpoints of its edges."""
    for _ in range(times):
        corners = mesh[0][mesh[1]]
        p, q, r = corners[:, 0], corners[:, 1], corners[:, 2]
        u, v, w = (p + q) / 2, (q + r) / 2, (r + p) / 2
        parts = [(p, u, w), (u, q, v), (w, v, r), (u, v, w)]
        soup = np.concatenate([np.stack(part, axis=1) for part in parts]).reshape(-1, 3)
        vertices, index = np.unique(soup, axis=0, return_inverse=True)
        mesh = vertices, index.reshape(-1, 3)
    return mesh


def bounds(mesh) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest coordinates."""
    return mesh[0].min(axis=0), mesh[0].max(axis=0)
