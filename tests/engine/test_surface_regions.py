"""The regions of a surface: connected, fixed by the topology, and rows of self-contact about pairs of them."""

from collections import Counter

import meshclash
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.clash.followed import Followed
from meshclash.clash.frame_scene import FrameScene, SourceMesh, SourceObject
from meshclash.clash.options import DetectOptions
from meshclash.clash.review.history import Decision, region_question, whole_question
from meshclash.clash.review.revisions import pair_id
from meshclash.clash.surface_regions import REMEMBERED, RegionMemory, region_numbers, region_text, surface_regions
from meshclash.types.steps import run_to_end

OPTIONS = DetectOptions(test="self")
TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def sheet(across, along):
    """Triangles of a grid of squares."""
    at = np.arange((across + 1) * (along + 1)).reshape(across + 1, along + 1)
    a, b, c, d = (part.reshape(-1) for part in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def joined(*parts):
    """Triangles of several meshes in one list."""
    begin, found = 0, []
    for part in parts:
        found.append(part + begin)
        begin += int(part.max()) + 1
    return np.concatenate(found)


def pieces_by_walking(triangles):
    """How many pieces triangles with common vertices form: one step after the other, as a check."""
    left, count = set(range(len(triangles))), 0
    while left:
        count, front = count + 1, [left.pop()]
        while front:
            corners = {*triangles[front.pop()].tolist()}
            near = [k for k in left if corners & {*triangles[k].tolist()}]
            left.difference_update(near)
            front += near
    return count


def test_each_large_connected_part_is_a_region():
    regions = surface_regions(joined(TETRAHEDRON, TETRAHEDRON, TETRAHEDRON))
    assert regions.tolist() == [1] * 4 + [2] * 4 + [3] * 4


def test_a_connected_mesh_that_is_not_large_is_one_region():
    assert {*surface_regions(sheet(10, 10)).tolist()} == {1}


def test_a_large_part_is_divided_into_connected_pieces():
    triangles = sheet(64, 64)
    regions = surface_regions(triangles)
    sizes = Counter(regions.tolist())
    assert sorted(sizes) == [*range(1, 9)]
    assert max(sizes.values()) <= len(triangles) / 3
    for number in sizes:
        assert pieces_by_walking(triangles[regions == number]) == 1


def test_small_parts_that_follow_each_other_are_one_region():
    coat, strands = sheet(20, 20), [TETRAHEDRON] * 10
    regions = surface_regions(joined(*strands, coat, *strands))
    assert len({*regions[:40].tolist()}) == len({*regions[-40:].tolist()}) == 1
    assert regions[0] != regions[-1]


def test_a_mesh_of_small_parts_only_is_several_regions():
    regions = surface_regions(joined(*[TETRAHEDRON] * 1000))
    assert len({*regions.tolist()}) == 8
    assert max(Counter(regions.tolist()).values()) <= 500


def test_no_triangles_have_no_regions():
    assert not len(surface_regions(np.empty((0, 3), np.int32)))


def test_regions_in_words():
    assert (region_numbers(""), region_numbers("2-5:9f86d081"), region_numbers("3-3:9f86d081")) == ((), (2, 5), (3,))
    assert (region_text(""), region_text("2-5:9f86d081"), region_text("3-3:9f86d081")) == ("", "2 × 5", "3")


def test_a_memory_keeps_the_last_meshes_only():
    memory = RegionMemory()
    first = memory.regions(TETRAHEDRON)
    assert memory.regions(TETRAHEDRON.astype(np.int32)) is first
    for k in range(REMEMBERED):
        memory.regions(sheet(1, k + 1))
    assert memory.regions(TETRAHEDRON) is not first


def scene(triangles, places):
    faces = np.arange(len(triangles), dtype=np.int32)
    mesh = SourceMesh(places, triangles.astype(np.int32), faces, faces_are_original=True)
    return FrameScene(1, [SourceObject("Figure", "figure", "mesh", np.eye(4), "Figure", "Figure")], {"mesh": mesh})


def rows_of(frame, followed):
    run_to_end(followed.take_steps(frame, OPTIONS, 1.0))
    run_to_end(followed.ask_steps())
    run_to_end(followed.write_steps(highlights=False))
    run_to_end(followed.bring_up_steps())
    return followed.rows()


def described(rows):
    return {row.id: (row.region, row.contacts, row.a.faces.tolist(), row.b.faces.tolist()) for row in rows}


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_rows_divide_the_contacts_by_regions_in_every_pose(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 7))
    triangles = joined(*[TETRAHEDRON] * count)
    region, followed, ids = surface_regions(triangles), Followed(meshclash), {}
    for _ in range(4):
        places = np.concatenate([CORNERS @ rng.normal(size=(3, 3)) + rng.normal(size=3) for _ in range(count)])
        frame = scene(triangles, places.astype(np.float32))
        rows = rows_of(frame, followed)
        assert described(rows) == described(rows_of(frame, Followed(meshclash)))
        contacts = meshclash.self_collide(meshclash.TriangleMesh(places.astype(np.float32), triangles), touching=False)
        expected: dict[tuple[int, int], list[list[int]]] = {}
        for pair in contacts.pairs.tolist():
            one, other = sorted(pair, key=lambda triangle: region[triangle])
            expected.setdefault((int(region[one]), int(region[other])), []).append([one, other])
        assert len({row.id for row in rows}) == len(rows)
        found = {}
        for row in rows:
            numbers = region_numbers(row.region) or (1,)
            found[numbers[0], numbers[-1]] = row
            assert ids.setdefault(numbers, row.id) == row.id  # a deformed mesh keeps the ids of its rows
            assert row.title == (f"Figure ({region_text(row.region)})" if count > 1 else "Figure")
        assert found.keys() == expected.keys()
        for numbers, pairs in expected.items():
            assert found[numbers].contacts == len(pairs)
            for side, faces in enumerate((found[numbers].a.faces, found[numbers].b.faces)):
                assert faces.tolist() == sorted({pair[side] for pair in pairs})


def test_another_topology_has_other_ids():
    places = np.concatenate([CORNERS, CORNERS + 0.1, CORNERS + 9.0]).astype(np.float32)
    two = rows_of(scene(joined(TETRAHEDRON, TETRAHEDRON), places[:8]), Followed(meshclash))
    three = rows_of(scene(joined(TETRAHEDRON, TETRAHEDRON, TETRAHEDRON), places), Followed(meshclash))
    assert [region_numbers(row.region) for row in (*two, *three)] == [(1, 2), (1, 2)]
    assert two[0].id != three[0].id


def test_a_mesh_of_one_region_has_the_id_of_the_pair():
    triangles = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6], [3, 4, 6]])
    places = np.array([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [0.5, 0.5, 1], [1.5, 0.7, -1], [1, 1.5, -1]])
    rows = rows_of(scene(triangles, places.astype(np.float32)), Followed(meshclash))
    assert [(row.region, row.id) for row in rows] == [("", pair_id("figure", "figure"))]


@pytest.mark.parametrize("test", ["", "Cloth"])
def test_a_decision_about_a_part_moves_with_its_object(test):
    whole = f"test:{test}" if test else "self|all|all"
    question = region_question(whole, "2-5:9f86d081")
    said = Decision(questions=(question,))
    assert (said.test, said.region, whole_question(question)) == (test, "2-5:9f86d081", whole)
    assert Decision(questions=(whole,)).region == ""
    assert region_question(whole, "") == whole_question(whole) == whole
