"""Verdicts where everything touches: against cutting space into convex cells in fractions."""

import itertools

import meshclash as mc
import numpy as np
import pytest
from exact import fractions, minus, orient3d
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.solid import cell_membership
from meshclash.solid.sampling import UNDECIDED
from solids import box, joined, moved, refined, reversed_winding
from verdict_cases import flush_bodies

APART, TOUCHING, CLASH, CONTAINED, DUPLICATE = "APART", "TOUCHING", "CLASH", "CONTAINED", "DUPLICATE"
FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])


def tetrahedron(corners):
    """Its mesh, faces outwards."""
    vertices = np.array(corners, float)
    turned = orient3d(*vertices) < 0
    return vertices, FACES[:, ::-1] if turned else FACES


def determinant(a, b, c, d):
    u, v, w = minus(a, d), minus(b, d), minus(c, d)
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0])


def clipped(faces, plane):
    """The part of a convex body (a list of polygons) where a plane's value is not negative; None without volume."""
    kept, cut = [], []
    for face in faces:
        values = [determinant(*plane, p) for p in face]
        polygon = []
        for (p, vp), (q, vq) in itertools.pairwise([*zip(face, values, strict=True), (face[0], values[0])]):
            if vp >= 0:
                polygon.append(p)
            if vp * vq < 0:
                s = vp / (vp - vq)
                polygon.append(tuple(x + s * (y - x) for x, y in zip(p, q, strict=True)))
        if len(set(polygon)) > 2:
            kept.append(polygon)
        cut += [p for p in polygon if determinant(*plane, p) == 0]
    points = {p for face in kept for p in face}
    if all(determinant(*plane, p) == 0 for p in points):
        return None
    return [*kept, around(set(cut))] if len(set(cut)) > 2 else kept


def around(points):
    """Points of a plane as the polygon around them, in order."""
    points = list(points)
    centre = [sum(p[k] for p in points) / len(points) for k in range(3)]
    u = minus(points[0], centre)
    normal = next(n for p in points[1:] if any(n := np.cross(u, minus(p, centre)).tolist()))
    v = [normal[1] * u[2] - normal[2] * u[1], normal[2] * u[0] - normal[0] * u[2], normal[0] * u[1] - normal[1] * u[0]]

    def angle(p):
        d = minus(p, centre)
        x, y = sum(a * b for a, b in zip(d, u, strict=True)), sum(a * b for a, b in zip(d, v, strict=True))
        size = abs(x) + abs(y)  # |v| is |u| times that of the normal, which keeps the order on each side
        return (0, -x / size) if y >= 0 else (1, x / size)

    return sorted(points, key=angle)


def cells_of(faces, tetrahedra):
    """Convex bodies into which the planes of tetrahedra cut one."""
    bodies = [faces]
    for corners in tetrahedra:
        for face in FACES:
            plane = [corners[i] for i in face]
            parts = [part for body in bodies for turn in (plane, plane[::-1]) if (part := clipped(body, turn))]
            bodies = parts
    return bodies


def holds(corners, point) -> bool:
    sign = determinant(*corners)
    return all(determinant(*(point if k == i else corners[k] for k in range(4))) * sign > 0 for i in range(4))


def true_verdict(a, b) -> str:
    """Of two unions of tetrahedra (n, 4, 3), by an inner point of every cell of every one of them."""
    a, b = ([fractions(t) for t in side] for side in (a, b))
    found = set()
    for corners in (*a, *b):
        faces = [[corners[i] for i in face] for face in FACES]
        for body in cells_of(faces, [*a, *b]):
            points = list({p for face in body for p in face})
            point = tuple(sum(p[k] for p in points) / len(points) for k in range(3))
            found.add((any(holds(t, point) for t in a), any(holds(t, point) for t in b)))
    if (True, True) not in found:
        return ""
    if len(found) == 3:
        return CLASH
    return CONTAINED if len(found) == 2 else DUPLICATE


def corners_on_a_grid(size):
    place = st.tuples(*[st.integers(0, size)] * 3)
    return st.lists(place, min_size=4, max_size=4, unique=True).filter(lambda p: orient3d(*np.array(p, float)) != 0)


def names_of(a, b):
    """Verdicts of two meshes in both orders, and with the second one turned inside out."""
    first, second, turned = (mc.TriangleMesh(*m) for m in (a, b, reversed_winding(b)))
    return [mc.verdict(*pair).name for pair in ((first, second), (second, first), (first, turned))]


def verdict_of_tetrahedra(a, b) -> str:
    meshes = [mc.TriangleMesh(*joined(*map(tetrahedron, side))) for side in (a, b)]
    return true_verdict(a, b) or (TOUCHING if mc.collides(*meshes) else APART)


@pytest.mark.slow
@settings(max_examples=60)
@given(corners_on_a_grid(2), corners_on_a_grid(2))
def test_tetrahedra_on_a_grid(a, b):
    assert names_of(tetrahedron(a), tetrahedron(b)) == [verdict_of_tetrahedra([a], [b])] * 3


@pytest.mark.slow
@settings(max_examples=25)
@given(corners_on_a_grid(2), corners_on_a_grid(2), corners_on_a_grid(2), st.integers(0, 3))
def test_subdivided_tetrahedra_and_unions_that_do_not_cross(a, b, c, corner):
    """Splitting, renumbering and joining what only touches change nothing."""
    expected = verdict_of_tetrahedra([a], [b])
    fine = refined(tetrahedron(b))
    order = np.random.default_rng(corner).permutation(len(fine[1]))
    assert names_of(tetrahedron(a), (fine[0], np.roll(fine[1][order], corner, axis=1))) == [expected] * 3
    pieces = split(b, corner)
    assert names_of(tetrahedron(a), joined(*map(tetrahedron, pieces))) == [expected] * 3
    if true_verdict([a], [c]) == "":
        joint = joined(tetrahedron(a), tetrahedron(c))
        assert names_of(joint, tetrahedron(b)) == [verdict_of_tetrahedra([a, c], [b])] * 3


def split(corners, i):
    """A tetrahedron in two that meet in a face, cut at the middle of an edge."""
    j = (i + 1) % 4
    middle = tuple((np.array(corners[i], float) + np.array(corners[j], float)) / 2)
    return [
        [middle if k == i else p for k, p in enumerate(corners)],
        [middle if k == j else p for k, p in enumerate(corners)],
    ]


@pytest.mark.slow
@settings(max_examples=15)
@given(corners_on_a_grid(2), corners_on_a_grid(2))
def test_coordinates_that_doubles_cannot_multiply(a, b):
    """Scaled by a power of two nothing changes, though every sign now needs fractions."""
    expected = verdict_of_tetrahedra([a], [b])
    tiny = [(vertices * 2.0**-400, triangles) for vertices, triangles in map(tetrahedron, (a, b))]
    assert names_of(*tiny) == [expected] * 3


@settings(max_examples=10)
@given(corners_on_a_grid(2), corners_on_a_grid(2))
def test_fractions_say_what_expansions_say(a, b):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cell_membership, "sample_sides", lambda *arguments: np.copyto(arguments[-1], UNDECIDED) is None)
        names = names_of(tetrahedron(a), tetrahedron(b))
    assert names == names_of(tetrahedron(a), tetrahedron(b))


def verdict_in_scene(a, b):
    """The verdict of two meshes by ``judge.py``; of two alone another file has a short way."""
    scene = mc.Scene()
    for mesh in (a, b):
        scene.add(mc.TriangleMesh(*mesh))
    return [pair.verdict.name for pair in scene.contacts(depth=False).pairs]


@pytest.mark.parametrize("seed", range(12))
def test_flush_bodies_are_what_fractions_say(seed):
    bodies = flush_bodies(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cell_membership, "sample_sides", lambda *arguments: np.copyto(arguments[-1], UNDECIDED) is None)
        expected = verdict_in_scene(*bodies)
    assert verdict_in_scene(*bodies) == expected


def near(value):
    return st.integers(-3, 3).map(lambda n: value + n * np.spacing(value))


def boxes_near(size, away):
    """Boxes whose coordinates are a few ulps from those of a grid of four places."""
    places = st.integers(0, 3).flatmap(lambda k: near(away + 0.3 * size * (k + 1)))
    interval = st.tuples(places, places).filter(lambda x: x[0] != x[1]).map(sorted)
    return st.tuples(interval, interval, interval).map(lambda x: np.array(x).T)


def verdict_of_boxes(a, b) -> str:
    """Of boxes (2, 3), by comparing coordinates."""
    low, high = np.maximum(a[0], b[0]), np.minimum(a[1], b[1])
    if (low > high).any():
        return APART
    if (low == high).any():
        return TOUCHING
    within = [bool((low == x[0]).all() and (high == x[1]).all()) for x in (a, b)]
    return (CLASH, CONTAINED, DUPLICATE)[sum(within)]


@pytest.mark.slow
@settings(max_examples=300)
@given(
    st.sampled_from([(1e-3, 0.0), (1.0, 0.0), (1e3, 0.0), (1e-3, 1e6), (1.0, 1e6), (1e3, 1e6)]).flatmap(
        lambda x: st.tuples(boxes_near(*x), boxes_near(*x))
    )
)
def test_boxes_an_ulp_apart(pair):
    a, b = pair
    assert names_of(box(*a), box(*b)) == [verdict_of_boxes(a, b)] * 3


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.sampled_from([(1.0, 0.0), (1e-3, 1e6)]).flatmap(
        lambda x: st.tuples(boxes_near(*x), boxes_near(*x), st.integers(0, 2), st.floats(0.1, 0.9))
    )
)
def test_a_box_in_two_pieces_is_the_box(drawn):
    """Pieces with a flush face between them, not merged: the face bounds nothing."""
    a, b, axis, share = drawn
    cut = a[0, axis] + share * (a[1, axis] - a[0, axis])
    if not a[0, axis] < cut < a[1, axis]:
        return
    low, high = a.copy(), a.copy()
    low[1, axis] = high[0, axis] = cut
    assert names_of(joined(box(*low), box(*high)), box(*b)) == [verdict_of_boxes(a, b)] * 3


UNIT = box((0, 0, 0), (1, 1, 1))
QUARTER = UNIT[0] * 0.25, UNIT[1]


@pytest.mark.parametrize("gap", [0.0, 2.0**-1074, 2.0**-53, 2.0**-52, 1e-12])
def test_what_lies_inside_a_hair_from_a_face_is_contained(gap):
    assert names_of(UNIT, moved(QUARTER, (gap, 0.3, 0.2))) == [CONTAINED] * 3


def test_what_lies_in_flush_bricks_is_contained():
    """Bricks not merged, with inner faces that coincide, also where other triangles cut them."""
    bricks = joined(*(moved(UNIT, (x, y, 0)) for x in range(3) for y in range(2)))
    inside = moved((UNIT[0] * 0.5, UNIT[1]), (0.75, 0.75, 0.25))
    for body in (bricks, joined(*(refined(moved(UNIT, (x, y, 0)), (x + y) % 2) for x in range(3) for y in range(2)))):
        assert names_of(body, inside) == [CONTAINED] * 3
        assert names_of(body, moved(inside, (0, 0, 0.25))) == [CONTAINED] * 3, "flush with the top"
        assert names_of(body, moved(inside, (0, 0, 0.25 + 2.0**-52))) == [CLASH] * 3
        assert names_of(body, box((0, 0, 0), (3, 2, 1))) == [DUPLICATE] * 3
        assert names_of(body, box((0.5, 0.5, 1), (2.5, 1.5, 2))) == [TOUCHING] * 3


def drum(low, high, cell_membership, turn=0):
    """A prism around the z axis whose ends are fans of ``sides`` triangles each; corners lie on a grid."""
    angles = 2 * np.pi * (np.arange(cell_membership) + turn) / cell_membership
    ring = np.round(1024 * np.stack([np.cos(angles), np.sin(angles)], axis=1)) / 1024
    ends = [np.column_stack([ring, np.full(cell_membership, z)]) for z in (low, high)]
    i, n = np.arange(cell_membership), cell_membership
    j = (i + 1) % n
    walls = [[i, j, n + j], [i, n + j, n + i], [j, i, 0 * i + 2 * n], [n + i, n + j, 0 * i + 2 * n + 1]]
    return np.concatenate([*ends, [[0, 0, low], [0, 0, high]]]), np.concatenate([np.stack(w, 1) for w in walls])


@pytest.mark.slow
@pytest.mark.parametrize("turn", [0, 0.5])
def test_fans_of_many_triangles_that_lie_flush(turn):
    """Around the middle of an end all triangles of both lie in its plane, or in one plane and on its two sides."""
    body = drum(0, 1, 64)
    assert names_of(body, drum(1, 2, 64, turn)) == [TOUCHING] * 3
    assert names_of(body, box((-2, -2, 1), (2, 2, 3))) == [TOUCHING] * 3
    assert names_of(body, box((-2, -2, 0), (2, 2, 3))) == [CONTAINED] * 3
    assert names_of(body, box((-0.25, -0.25, 0.5), (0.25, 0.25, 1))) == [CONTAINED] * 3, "a corner off the middle"
    assert names_of(body, drum(1 - 2.0**-52, 2, 64, turn)) == [CLASH] * 3
    assert names_of(body, drum(0, 1, 64, turn)) == [CLASH if turn else DUPLICATE] * 3
    assert names_of(body, joined(drum(0, 0.5, 64), drum(0.5, 1, 64))) == [DUPLICATE] * 3, "an inner fan"
    assert names_of(joined(drum(0, 1, 64), drum(1, 2, 64)), drum(0.5, 1, 64)) == [CONTAINED] * 3
