"""Rows of many objects at one place: pairs of copies share data, and every row is that of its pair alone."""

import dataclasses
import gc

import meshclash
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mesh_samples import BOX_TRIANGLES, BOX_VERTICES
from meshclash.clash import row_list
from meshclash.clash.followed import Followed
from meshclash.clash.frame_scene import FrameScene, SourceMesh, SourceObject
from meshclash.clash.options import DetectOptions
from meshclash.clash.pair_row import PairRow, PairSide
from meshclash.clash.review.groups import Clashes, Part, _repeats, _Rows
from meshclash.clash.rows import first_contact_draft, row_steps
from meshclash.solid.pair_verdict import PairVerdict
from meshclash.types.steps import run_to_end

OPTIONS = DetectOptions()
FACES = {
    "triangles": np.arange(12, dtype=np.int32),
    "quads": np.arange(12, dtype=np.int32) // 2,
    "backwards": np.arange(12, dtype=np.int32)[::-1] // 2,
}
"""The faces of the twelve triangles of a box: meshes that are equal for the engine have other faces."""


def box(name: str, kind: tuple[str, bool, float]) -> tuple[SourceObject, SourceMesh]:
    faces, are_original, x = kind
    matrix = np.eye(4)
    matrix[0, 3] = x
    mesh = SourceMesh(BOX_VERTICES.astype(np.float32), BOX_TRIANGLES.astype(np.int32), FACES[faces], are_original)
    return SourceObject(name, name, name, matrix, name, name, True, True), mesh


def rows_of(boxes: list[tuple[SourceObject, SourceMesh]], highlights: bool) -> dict[str, list]:
    """Rows as lists of plain values, by their ids."""
    frame = FrameScene(1, [item for item, _ in boxes], {item.mesh_key: mesh for item, mesh in boxes})
    followed = Followed(meshclash)
    run_to_end(followed.take_steps(frame, OPTIONS, 1.0))
    run_to_end(followed.ask_steps())
    run_to_end(followed.write_steps(highlights=highlights))
    return {row.id: plain(row) for row in followed.rows()}


def plain(value):
    if dataclasses.is_dataclass(value):
        return [plain(getattr(value, field.name)) for field in dataclasses.fields(value)]
    return value.tolist() if isinstance(value, np.ndarray) else value


KINDS = st.tuples(st.sampled_from([*FACES]), st.booleans(), st.sampled_from([0.0, 0.5, 1.0]))


@settings(max_examples=60, deadline=None)
@given(st.lists(KINDS, min_size=2, max_size=8), st.randoms(use_true_random=False), st.booleans())
def test_a_row_among_copies_is_the_row_of_its_pair_alone(kinds, random, highlights):
    names = [f"box{k}" for k in range(len(kinds))]
    random.shuffle(names)  # the first object of a row is the first by name, not the first by the engine's id
    boxes = [box(name, kind) for name, kind in zip(names, kinds, strict=True)]
    alone = {}
    for k, first in enumerate(boxes):
        for second in boxes[k + 1 :]:
            alone |= rows_of([first, second], highlights)
    assert rows_of(boxes, highlights) == alone


@given(st.lists(KINDS, min_size=2, max_size=8), st.randoms(use_true_random=False), st.integers(0, 20))
def test_the_rows_of_first_contacts_are_those_of_each_contact_alone(kinds, random, looked):
    """However many steps run before somebody else displays the rows."""
    names = [f"box{k}" for k in range(len(kinds))]
    random.shuffle(names)
    boxes = [box(name, kind) for name, kind in zip(names, kinds, strict=True)]
    frame = FrameScene(3, [item for item, _ in boxes], {item.mesh_key: mesh for item, mesh in boxes})
    followed = Followed(meshclash)
    run_to_end(followed.take_steps(frame, OPTIONS, 1.0))
    run_to_end(followed.ask_steps(first_contact=True))
    question, follower = followed._following()
    firsts = list(follower.firsts.values())
    drafts = [first_contact_draft(meshclash, question.world, first, 3) for first in firsts]
    alone = {row.id: row for row in run_to_end(row_steps(meshclash, drafts, highlights=False))}
    listed = followed.rows_when_shown()
    for _ in zip(range(looked), listed.make_steps(), strict=False):
        pass
    rows = list(listed)
    assert rows == sorted(rows, key=lambda row: row.order) and len(rows) == len(listed) == len(alone)
    triangles = {frozenset((first.a, first.b)): first.contacts for first in firsts}
    ids = {item.name: key for key, item in question.world.objects.items()}
    for row in rows:
        own = alone[row.id]
        for side, expected in zip(row.sides, own.sides, strict=True):
            assert plain(dataclasses.replace(side, highlight=expected.highlight)) == plain(expected)
        contacts = triangles[frozenset(ids[name] for name in row.names)]
        turned = ids[row.a.name] > ids[row.b.name]
        for place, side in enumerate(row.sides):
            corners = contacts.world_triangles(place ^ turned)
            np.testing.assert_array_equal(side.highlight, corners.astype(np.float32))
        segments = contacts.segments()
        np.testing.assert_array_equal(row.curves, segments.astype(np.float32))
        np.testing.assert_allclose(row.location, segments[0].mean(axis=0), rtol=1e-15)
        assert (row.frame, row.verdict, row.severity, row.contacts) == (3, own.verdict, own.severity, own.contacts)


def test_rows_of_copies_share_the_data_of_their_objects():
    """Each object is one of the two sides in rows of hundreds of other objects."""
    gc.collect()  # what other tests have left
    boxes = [box(f"box{k}", ("quads", True, 0.0)) for k in range(20)]
    frame = FrameScene(1, [item for item, _ in boxes], {item.mesh_key: mesh for item, mesh in boxes})
    followed = Followed(meshclash)
    run_to_end(followed.take_steps(frame, OPTIONS, 1.0))
    run_to_end(followed.ask_steps())
    followed.forget_answers()
    run_to_end(followed.write_steps(highlights=False))
    rows, names = followed.rows(), {item.name for item, _ in boxes}
    assert len(rows) == 190 and names == {name for row in rows for name in row.names}
    assert len({id(side) for row in rows for side in row.sides}) <= 2 * len(boxes) + 2
    assert not any(isinstance(thing, PairVerdict) for thing in gc.get_objects()), "each is freed with its row"


NUMBERS = st.sampled_from([None, 0.0, -0.0, 0.25, 1e-9, 3.0])


@given(
    st.lists(
        st.tuples(
            st.tuples(st.sampled_from(["A", "B", "a", "B 10", "B 2", "\ud800"]), st.sampled_from(["A", "C"])),
            st.integers(0, 3), st.integers(0, 4), st.lists(NUMBERS, min_size=5, max_size=5),
            st.sampled_from(["", "2", "10", "2:0", "2-10"]),
        ),
        max_size=30,
    ),
    st.sampled_from([1, 7, 512]),
)  # fmt: skip
def test_rows_sorted_by_columns_are_sorted_by_their_order(told, at_once):
    empty = np.empty(0, np.int32)
    rows = []
    for names, severity, count, numbers, region in told:
        a, b = (PairSide(name, name, name, empty, counted=count) for name in names)
        values = dict(zip(("depth", "depth_lower", "depth_upper", "distance", "probability"), numbers, strict=True))
        rows.append(PairRow("", a, b, count % 2, "clash", severity, 0, region=region, **values))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_list, "_KEYS_AT_ONCE", at_once)
        found = row_list.sorted_rows(rows)
    assert list(map(id, found)) == list(map(id, sorted(rows, key=lambda row: row.order)))


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 6))
def test_equal_relative_poses_are_found_whichever_object_comes_first(seed, count, kinds):
    rng = np.random.default_rng(seed)
    details = []
    for _ in range(kinds):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        details.append(np.column_stack([turn, rng.uniform(-5, 5, 3)]))
    poses, numbers = [], rng.integers(0, kinds, count)
    for number in numbers.tolist():
        pose = details[number]
        if rng.random() < 0.5:  # the same detail, seen from the other object
            pose = np.column_stack([pose[:, :3].T, -pose[:, :3].T @ pose[:, 3]])
        poses.append(pose)
    parts = [Part(f"{k}", f"{k}", "Bolt", shape="bolt") for k in range(2 * count)]
    places = np.arange(count)
    clashes = Clashes(
        places, places + count, np.ones(count), np.zeros((count, 2, 3)), ["CLASH"] * count, poses=np.array(poses)
    )
    first = [int(np.flatnonzero(numbers == number)[0]) for number in numbers]
    assert _repeats(_Rows(parts, clashes)).tolist() == first
