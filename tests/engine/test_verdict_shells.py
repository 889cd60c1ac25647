"""Things in open surfaces without thickness: the wider those stand open, the less certain it is that they hold them."""

import math

import meshclash as mc
import numpy as np
import pytest
import shells
from hypothesis import given, settings
from hypothesis import strategies as st
from solids import box, joined, moved, open_box, prism
from strategies import matrix, rotation

pytestmark = pytest.mark.needs_jit

THINGS = shells.things()
WIDE, NARROW = 0.5, 0.1
"""Openings: at most 0.9 from the one on, at least 0.8 up to the other."""


def certainty_inside(shell, thing):
    """The probability that a verdict gives to one thing being in the other; 0 where it is sure that it is not."""
    found = mc.verdict(mc.TriangleMesh(*shell), mc.TriangleMesh(*thing))
    assert found in (mc.Verdict.CONTAINED, mc.Verdict.APART), found
    assert (found == mc.Verdict.CONTAINED) == (found.depth is not None)
    return found.certainty if found == mc.Verdict.CONTAINED else 1.0 - found.certainty


def placed(mesh, scale, turn, shift):
    """A mesh scaled, turned and shifted."""
    return scale * mesh[0] @ turn.T + shift, mesh[1]


def scaled(name, size, shift=(0.0, 0.0, 0.0)):
    """One of the things, of some size and not in the middle."""
    return size * THINGS[name][0] + np.array(shift), THINGS[name][1]


def some_shell(rng, kind):
    """A shell of a kind and its opening; things smaller than 0.3 around the origin do not meet it."""
    if kind == "dome":
        degrees = rng.uniform(110.0, 179.0) if rng.random() < 0.7 else rng.uniform(174.5, 179.0)
        return shells.dome(degrees), math.sin(math.radians(degrees))
    if kind == "garment":
        return shells.shirt(rng, rng.uniform(1.0, 6.0)), 1.0
    if kind == "vase":
        neck = rng.uniform(0.03, 0.95)
        return shells.vase(neck, rng.uniform(0.5, 4.0)), neck
    if kind == "lampshade":
        return shells.lampshade(rng.uniform(0.5, 0.9), rng.uniform(0.8, 3.0)), 1.0
    if kind == "helmet":
        degrees = rng.uniform(95.0, 150.0)
        return shells.helmet(degrees), math.sin(math.radians(degrees))
    sides = rng.uniform(1.0, 4.0, 3)
    share = rng.uniform(0.02, 0.95)
    return shells.room(*sides, share * min(sides[0], sides[2]), share * sides[2]), share


KINDS = ("dome", "garment", "vase", "lampshade", "helmet", "room")


def placements(seed, count):
    """So many shells around things, turned and scaled: kind, opening, certainty."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        kind, thing = KINDS[number % len(KINDS)], THINGS[list(THINGS)[rng.integers(len(THINGS))]]
        shell, opening = some_shell(rng, kind)
        size, low = rng.uniform(0.1, 0.4), -0.2 if kind in ("garment", "vase", "lampshade") else 0.0
        inner = placed(thing, size, rotation(rng), rng.uniform(low, 0.2, 3))
        pose = 10.0 ** rng.uniform(-3, 3), rotation(rng), rng.uniform(-5.0, 5.0, 3)
        yield kind, opening, certainty_inside(placed(shell, *pose), placed(inner, *pose))


@pytest.mark.slow
def test_what_stands_wide_open_is_never_certain_and_what_hardly_does_nearly_is():
    found = list(placements(0, 100))
    wide = [c for _, opening, c in found if opening > WIDE]
    narrow = [c for _, opening, c in found if opening < NARROW]
    assert len(wide) > 40 and len(narrow) > 5
    assert max(wide) <= 0.9 and min(narrow) >= 0.8, sorted(found, key=lambda row: row[1])


SHAPES = {  # by how far they are open, 0 to 1; the others of their sizes stay
    "dome": lambda x, _: shells.dome(179.0 - 60.0 * x),
    "vase": lambda x, length: shells.vase(0.05 + 0.9 * x, length),
    "room": lambda x, length: shells.room(2.0, length, 2.0, 0.04 + 1.9 * x, 0.04 + 1.9 * x),
    "lid": lambda x, length: shells.turned([[0, -1], [1, -1], [1, length], [x + 0.01, length]]),
}


@pytest.mark.slow
@settings(max_examples=12)
@given(
    st.sampled_from(sorted(SHAPES)), st.sampled_from(sorted(THINGS)), st.floats(0.0, 1.0), st.floats(0.02, 0.3),
    st.floats(1.0, 3.0), st.floats(-0.3, 0.3),
)  # fmt: skip
def test_certainty_never_grows_with_the_opening_and_jumps_nowhere(shape, name, x, more, length, height):
    thing = scaled(name, 0.3, (0.0, 0.0, height))
    less, wider = (certainty_inside(SHAPES[shape](min(y, 1.0), length), thing) for y in (x, x + more))
    assert wider <= less + 0.02
    assert less - wider < 0.5 + more


def test_a_cloth_over_a_ball_does_not_hold_it():
    ball = placed(THINGS["ball"], 1.9, np.eye(3), np.zeros(3))
    assert certainty_inside(shells.dome(128), scaled("box", 0.4)) < 0.6
    assert certainty_inside(shells.shirt(np.random.default_rng(0), 2.2), ball) < 0.5
    part = scaled("box", 0.4)
    assert [round(certainty_inside(shells.dome(d), part), 1) for d in (110, 150, 179)] == [0.0, 0.8, 1.0]


@pytest.mark.parametrize(("door", "clash"), [(1.5, False), (0.5, True)])
def test_what_touches_a_shell_from_within_shares_volume_with_it_by_how_wide_that_is_open(door, clash):
    """A bracket that hangs from the ceiling of a room and leaves through its door, so that its box is not within."""
    room = mc.TriangleMesh(*shells.room(2.0, 2.0, 2.0, door, door))
    bracket = joined(box((-0.1, -0.5, -0.9), (0.1, -0.3, 1.0)), box((-0.1, -3.0, -0.9), (0.1, -0.3, -0.7)))
    found = mc.verdict(room, mc.TriangleMesh(*bracket))
    assert found == (mc.Verdict.CLASH if clash else mc.Verdict.TOUCHING)
    assert 0.5 <= found.certainty <= (0.95 if clash else 0.9)


def without(mesh, gone):
    """A mesh without some of its triangles."""
    return mesh[0], np.delete(mesh[1], gone, axis=0)


def slit_along(mesh, width):
    """A mesh whose triangles on one side of the plane y = 0 are moved off it, so that a slit goes all around."""
    points, triangles = mesh
    right = points[triangles][:, :, 1].mean(axis=1) > 0.0
    apart = points + np.array([0.0, width, 0.0])
    return np.concatenate([points, apart]), np.where(right[:, None], triangles + len(points), triangles)


def parts():
    """Parts as CAD programs write them, open by little, and the same closed."""
    angles = np.linspace(0.0, math.pi, 41)
    profile = np.stack([np.sin(angles), np.cos(angles)], axis=1)
    profile[[0, -1], 0] = 0.0
    ball, rod = shells.turned(profile), shells.turned([[0, -2], [1, -2], [1, 0], [1, 2], [0.03, 2], [0, 2]])
    cap = (np.linalg.norm(rod[0][rod[1]] - [0.0, 0.0, 2.0], axis=2) < 0.05).all(axis=1)
    yield "cap of a bore", without(rod, np.flatnonzero(cap)), rod
    yield "slit", slit_along(ball, 1e-4), ball
    yield "one triangle", without(ball, [700]), ball
    soup = ball[0][ball[1]] * (1.0 + 1e-7 * np.random.default_rng(0).random((len(ball[1]), 3, 1)))
    yield "every edge by rounding", (soup.reshape(-1, 3), np.arange(3 * len(soup)).reshape(-1, 3)), ball


@pytest.mark.parametrize("name", ["cap of a bore", "slit", "one triangle", "every edge by rounding"])
def test_parts_that_are_open_by_little_keep_depths_and_certainties(name):
    (damaged, whole), pin = next((d, w) for n, d, w in parts() if n == name), THINGS["box"]
    for shift, inside in (((0.0, 0.0, 0.0), True), ((0.0, 0.8, 0.4), False), ((0.0, 0.7, 0.7), False)):
        part = mc.TriangleMesh(*moved(pin, shift))
        found, right = mc.verdict(mc.TriangleMesh(*damaged), part), mc.verdict(mc.TriangleMesh(*whole), part)
        assert found == right and found.depth == pytest.approx(right.depth, rel=0.1)
        assert found.certainty >= (0.99 if right == mc.Verdict.CONTAINED else 1.0)
        assert not inside or right == mc.Verdict.CONTAINED


@pytest.mark.parametrize("surface", [box((-1.0,) * 3, (1.0,) * 3), shells.dome(175), open_box((-1.0,) * 3, (1.0,) * 3)])
def test_nothing_is_inside_a_mesh_that_was_made_a_shell(surface):
    shell, part = mc.TriangleMesh(*surface, shell=True), mc.TriangleMesh(*scaled("box", 0.5))
    for one, other in ((shell, part), (part, shell), (shell, mc.TriangleMesh(*scaled("box", 0.2), shell=True))):
        found = mc.verdict(one, other)
        assert found == mc.Verdict.APART and found.certainty == 1.0
    crossing = mc.verdict(shell, part, None, matrix(shift=(1.0, 0.0, 0.0)))
    assert crossing == mc.Verdict.CLASH and crossing.depth is None and crossing.certainty == 1.0
    scene = mc.Scene()
    for mesh in (shell, part):
        scene.add(mesh)
    assert scene.contacts().pairs == [] and len(scene.collides().pairs) == 0
    assert not mc.solidity(shell).solid
    with pytest.raises(mc.errors.NotASolid, match="shell"):
        mc.contains(shell, np.zeros((1, 3)))
    with pytest.raises(mc.errors.NotASolid, match="a is a shell"):
        mc.voxels.voxel_collide(shell, part, mode="solid")
    with pytest.raises(mc.errors.InvalidMesh, match="b is a shell"):
        mc.penetration(part, shell)
    moved_ = shell.with_vertices(shell.vertices + 1.0), shell.transformed(np.diag([2.0, 2.0, 2.0, 1.0]))
    assert all(mesh.shell and not mesh.is_closed for mesh in moved_)


def test_a_shell_lies_in_a_solid_as_an_open_surface_does():
    room, bell = (
        mc.TriangleMesh(*box((-2.0,) * 3, (2.0,) * 3)),
        mc.TriangleMesh(*box((-1.0,) * 3, (1.0,) * 3), shell=True),
    )
    assert mc.verdict(room, bell) == mc.Verdict.CONTAINED


def test_the_widest_of_several_holes_counts():
    tube, part = prism(1.0, 32, 0.0, 2.0), box((-0.3, -0.3, 0.9), (0.3, 0.3, 1.5))
    assert certainty_inside(without(tube, [70]), part) > 0.9
    assert certainty_inside(without(tube, [*range(32), 70]), part) <= 0.9


@pytest.mark.parametrize("shell", [2, "yes", None, math.nan])
def test_a_shell_is_true_or_false(shell):
    with pytest.raises(mc.errors.InvalidMesh, match="shell"):
        mc.TriangleMesh(*THINGS["box"], shell=shell)
