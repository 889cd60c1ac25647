"""Overlaps within the resolution of the coordinates: flush, not a clash, where that is asked for."""

import meshclash as mc
import pytest
from solids import box, moved

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
    ids = [scene.add(unit, mc.Pose.from_matrix(shifted(p)), r) for p, r in zip(places, (0, 2e-6, 5e-7), strict=True)]
    expected = {(0, 1): (mc.Verdict.TOUCHING, True), (0, 2): (mc.Verdict.CLASH, False)}
    rows = scene.contacts(permitted_overlap="resolution").pairs
    assert {(r.a, r.b): (r.verdict, r.verdict.flush) for r in rows} == expected
    gaps = mc.scene_clearances(scene, 0.0, permitted_overlap="resolution").pairs
    assert {(g.a, g.b): (g.verdict, g.verdict.flush) for g in gaps} == expected
    watch = mc.Watch(scene, permitted_overlap="resolution")
    list(watch.update_steps())
    assert {p: (r.verdict, r.verdict.flush) for p, r in watch.take_changes().found.items()} == expected
    scene.set_pose(ids[2], shifted(places[2]), resolution=1e-6)
    list(watch.update_steps())
    assert {p: (r.verdict, r.verdict.flush) for p, r in watch.take_changes().found.items()} == {
        (0, 2): (mc.Verdict.TOUCHING, True)
    }


def shifted(place):
    return [[1, 0, 0, place[0]], [0, 1, 0, place[1]], [0, 0, 1, place[2]], [0, 0, 0, 1]]


@pytest.mark.parametrize("wrong", ["fine", "", b"resolution", -1.0, None])
def test_what_is_neither_a_length_nor_the_word_is_refused(wrong):
    with pytest.raises(mc.UnsupportedOption, match="permitted_overlap"):
        mc.verdict(*map(of_resolution, neighbour(0.0)), permitted_overlap=wrong)
