"""Overlaps within the resolution of the coordinates: flush, not a clash, where that is asked for."""

import meshclash as mc
import numpy as np
import pytest
from solids import box, gear, moved, prism, refined, sheet, shell

FINE = 1e-6


def of_resolution(mesh, resolution=FINE) -> mc.TriangleMesh:
    return mc.TriangleMesh(*mesh, resolution=resolution)


def neighbour(overlap: float):
    """A unit box and one beside it, offset along the face, that overlaps it."""
    unit = box((0, 0, 0), (1, 1, 1))
    return unit, moved(unit, (1 - overlap, 0.25, 0.125))


@pytest.mark.parametrize(
    ("overlap", "resolutions", "name"),
    [
        (1.9e-6, (FINE, FINE), "TOUCHING"),
        (2.1e-6, (FINE, FINE), "CLASH"),
        (0.9e-6, (FINE, 0.0), "TOUCHING"),
        (1.1e-6, (0.0, FINE), "CLASH"),
        (0.5e-6, (0.0, 0.0), "CLASH"),
    ],
)
def test_an_overlap_within_both_resolutions_is_flush(overlap, resolutions, name):
    meshes = [of_resolution(m, r) for m, r in zip(neighbour(overlap), resolutions, strict=True)]
    for one, other in (meshes, meshes[::-1]):
        found = mc.verdict(one, other, permitted_overlap="resolution")
        assert (found.name, found.flush) == (name, name == "TOUCHING")
        assert found.permitted_overlap == sum(resolutions)
        assert mc.verdict(one, other) == mc.Verdict.CLASH


def test_what_touches_as_stored_is_not_marked():
    found = mc.verdict(*map(of_resolution, neighbour(0.0)), permitted_overlap="resolution")
    assert (found.name, found.flush) == ("TOUCHING", False)


def test_a_permitted_length_marks_nothing_flush():
    found = mc.verdict(*map(of_resolution, neighbour(1e-3)), permitted_overlap=2e-3)
    assert (found.name, found.flush, found.permitted_overlap) == ("TOUCHING", False, 2e-3)


def test_scenes_and_watches_ask_each_pair_by_its_own_resolution():
    unit = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    scene = mc.Scene()
    places = [(0, 0, 0), (1 - 1e-6, 0.25, 0.125), (-1 + 1e-6, 0.25, 0.125)]
    ids = [
        scene.add(unit, mc.Pose.from_matrix(shifted(p)), resolution=r)
        for p, r in zip(places, (0, 2e-6, 5e-7), strict=True)
    ]
    expected = {(0, 1): (mc.Verdict.TOUCHING, True), (0, 2): (mc.Verdict.CLASH, False)}
    rows = scene.contacts(permitted_overlap="resolution").pairs
    assert {(r.a, r.b): (r.verdict, r.flush) for r in rows} == expected
    gaps = scene.clearances(0.0, permitted_overlap="resolution").pairs
    assert {(g.a, g.b): (g.verdict, g.flush) for g in gaps} == expected
    watch = mc.motion.LiveContacts(scene, permitted_overlap="resolution")
    assert {p: (r.verdict, r.flush) for p, r in watch.update().found.items()} == expected
    scene.set_pose(ids[2], shifted(places[2]), resolution=1e-6)
    assert {p: (r.verdict, r.flush) for p, r in watch.update().found.items()} == {(0, 2): (mc.Verdict.TOUCHING, True)}


def shifted(place):
    return [[1, 0, 0, place[0]], [0, 1, 0, place[1]], [0, 0, 1, place[2]], [0, 0, 0, 1]]


@pytest.mark.parametrize("wrong", ["fine", "", b"resolution", -1.0, None])
def test_what_is_neither_a_length_nor_the_word_is_refused(wrong):
    with pytest.raises(mc.UnsupportedOption, match="permitted_overlap"):
        mc.verdict(*map(of_resolution, neighbour(0.0)), permitted_overlap=wrong)


WALL = box((0, 0, 0), (4, 0.25, 3))
HOLLOW = shell((0, 0, 0), (4, 4, 4), 1)
SLIGHT = np.array([7e-7, -5e-7, 3e-7])
CASES = {
    "let in flush": (WALL, box((1, -5e-7, 1), (2, 0.25 + 5e-7, 2)), "CONTAINED", True),
    "let in fine": (WALL, refined(box((1, -5e-7, 1), (2, 0.25, 2)), 2), "CONTAINED", True),
    "sticking out": (WALL, box((1, -5e-6, 1), (2, 0.25, 2)), "CLASH", False),
    "let in": (WALL, box((1, 0, 1), (2, 0.25, 2)), "CONTAINED", False),
    "copy": (gear(2, 8, 0, 1), moved(gear(2, 8, 0, 1), SLIGHT), "DUPLICATE", True),
    "smaller copy": (WALL, box((4e-7,) * 3, (4 - 4e-7, 0.25 - 4e-7, 3 - 4e-7)), "DUPLICATE", True),
    "moved copy": (gear(2, 8, 0, 1), moved(gear(2, 8, 0, 1), 10 * SLIGHT), "CLASH", False),
    "through a cavity": (HOLLOW, box((-5e-7, 1.5, 1.5), (4, 2.5, 2.5)), "CLASH", False),
    "fills a cavity": (HOLLOW, box((0.9,) * 3, (3.1,) * 3), "CLASH", False),
    "as large as the cavity": (HOLLOW, box((1 - 5e-7,) * 3, (3 + 5e-7,) * 3), "TOUCHING", True),
    "hollow and full": (HOLLOW, box((0, 0, 0), (4, 4, 4)), "CONTAINED", False),
    "hollow and full, moved": (HOLLOW, moved(box((0, 0, 0), (4, 4, 4)), SLIGHT), "CONTAINED", True),
    "hollow twice": (HOLLOW, moved(HOLLOW, SLIGHT), "DUPLICATE", True),
    "another cavity": (HOLLOW, shell((0, 0, 0), (4, 4, 4), 1.1), "CONTAINED", False),
    "in one wall": (HOLLOW, box((-5e-7, 1.5, 1.5), (1, 2.5, 2.5)), "CONTAINED", True),
    "pin of the hole's size": (prism(1, 12, 0, 1), moved(prism(1, 12, -1, 2), SLIGHT), "CONTAINED", True),
    "layer": (WALL, box((1, 0.25 - 5e-7, 1), (2, 0.25 + 1, 2)), "TOUCHING", True),
}


@pytest.mark.parametrize("name", CASES)
def test_what_differs_within_the_resolution_is_what_a_person_would_call_it(name):
    one, other, expected, flush = CASES[name]
    meshes = of_resolution(one), of_resolution(other)
    for pair in (meshes, meshes[::-1]):
        found = mc.verdict(*pair, permitted_overlap="resolution")
        assert (found.name, found.flush) == (expected, flush)
        assert (mc.verdict(*pair).name != expected) == flush


@pytest.mark.parametrize("length", [2e-6, 1e-3, 0.5])
@pytest.mark.parametrize("name", CASES)
def test_a_stated_length_is_no_stricter_than_the_resolution(name, length):
    one, other, expected, _ = CASES[name]
    meshes = of_resolution(one), of_resolution(other)
    for pair in (meshes, meshes[::-1]):
        plain, found = mc.verdict(*pair), mc.verdict(*pair, permitted_overlap=length)
        shallow = expected == "CLASH" and plain.depth <= length
        assert found.name == ("TOUCHING" if shallow else expected)
        assert shallow or found.depth == plain.depth
        assert mc.verdict(*pair, permitted_overlap=1e-9).name == mc.verdict(*pair).name


def test_a_watch_whose_length_becomes_larger_asks_again_what_may_be_contained():
    scene = mc.Scene()
    for mesh in CASES["let in flush"][:2]:
        scene.add(of_resolution(mesh))
    told = {0.0: "CLASH", 1e-7: "CLASH", 1e-3: "CONTAINED", 1e-2: "CONTAINED", 2e-7: "CLASH"}
    watches = mc.motion.LiveContacts(scene), mc.motion.LiveGaps(scene, tolerance=1.0)
    for watch in watches:
        known = {}
        for length, name in told.items():
            watch.change_limits(permitted_overlap=length)
            known.update(watch.update().found)
            assert [row.verdict.name for row in scene.contacts(permitted_overlap=length).pairs] == [name]
            assert [row.verdict.name for row in known.values()] == [name]


def test_an_open_part_that_sticks_out_within_the_resolution_is_contained():
    part = of_resolution(sheet((1, -5e-7), (2, 0.25), 1.5, 3))
    assert mc.verdict(of_resolution(WALL), part) == mc.Verdict.CLASH
    found = mc.verdict(of_resolution(WALL), part, permitted_overlap="resolution")
    assert (found.name, found.flush, found.depth) == ("CONTAINED", True, None)
