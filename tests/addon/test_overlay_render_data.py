"""The arrays of the overlay."""

import dataclasses

import numpy as np
from ui_fakes import make_row

from addon.core.table import ListQuery, RowTable
from addon.overlay import render_data

ALL = frozenset(("clash", "contained", "duplicate", "touching"))


def test_collect_joins_the_rows():
    data = render_data.collect([make_row(), make_row(b="C", offset=2.0)])
    assert data.faces_a.shape == (6, 3)
    assert data.faces_b.shape == (12, 3)
    assert data.curves.shape == (4, 3)
    assert data.faces_a.dtype == np.float32 and data.faces_a.flags["C_CONTIGUOUS"]
    assert np.array_equal(data.faces_a[3:], make_row().a.highlight.reshape(-1, 3) + 2.0)


def test_collect_of_nothing_is_empty():
    data = render_data.collect([])
    assert len(data.faces_a) == len(data.faces_b) == len(data.curves) == 0


def drawn(rows, verdicts=ALL, approved=()):
    """The rows drawn of those whose verdicts are listed."""
    table = RowTable(rows)
    found = table.find(ListQuery(frozenset(verdicts)), ("depth",), {}, ("OPEN",))
    return [row for row, mask in zip(rows, render_data.rows_to_draw(table, found, approved), strict=True) if mask]


def test_touching_pairs_are_left_out():
    clash, touching = make_row(), make_row(b="C", verdict="touching")
    assert drawn([clash, touching]) == [clash]


def test_unlisted_verdicts_are_not_drawn():
    assert drawn([make_row()], ALL - {"clash"}) == []


def test_any_choice_of_rows_is_what_joining_only_these_gives():
    rng = np.random.default_rng(8)
    rows = [
        make_row(b=f"B{k}", offset=float(k), verdict=["clash", "near", "likely"][k % 3], probability=0.1 * (k % 7),
                 **({"distance": 0.5, "point_a": (k, 0, 0), "point_b": (k, 0, 1)} if k % 3 == 1 else {}),
                 dots_a=rng.random((k % 4, 3), np.float32), dots_b=rng.random((k % 3, 3), np.float32))
        for k in range(40)
    ]  # fmt: skip
    joined, stale = render_data.JoinedRows(rows), rng.random(40) < 0.3
    for share in (0.0, 0.4, 1.0):
        chosen = rng.random(40) < share
        some = [row for row, mask in zip(rows, chosen, strict=True) if mask]
        old = {row.id for row, mask in zip(rows, stale, strict=True) if mask}
        one, other = joined.take(chosen, stale), render_data.collect(some, lambda row, old=old: row.id in old)
        assert sum(len(row.a.highlight) for row in some if row.id not in old) * 3 == len(one.faces_a)
        for field in dataclasses.fields(one)[:-1]:
            assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name
        assert one.labels == other.labels


def test_stale_pairs_are_drawn_apart_and_without_curves():
    rows = [make_row(), make_row(b="C")]
    data = render_data.collect(rows, lambda row: row.b.name == "C")
    assert (len(data.faces_a), len(data.faces_b), len(data.curves), len(data.stale)) == (3, 6, 2, 9)


def test_a_pair_of_which_only_the_first_contact_is_known_is_drawn_as_its_filter_says():
    row = make_row(verdict="contact")
    assert drawn([row], (ALL - {"clash"}) | {"contact"}) == [row]
    assert drawn([row]) == []


def test_approved_pairs_are_not_drawn():
    rows = [make_row(), make_row(b="C")]
    assert drawn(rows, approved=frozenset({rows[0].id, "gone"})) == rows[1:]


def test_bounds_hold_faces_and_curves():
    low, high = render_data.bounds(make_row(offset=1.0))
    assert low.tolist() == [1.0, 1.0, 1.0] and high.tolist() == [2.0, 2.0, 1.0]


def test_bounds_of_a_pair_without_contact_are_none():
    nothing = np.empty((0, 3, 3), np.float32)
    row = make_row(highlight_a=nothing, highlight_b=nothing, curves=np.empty((0, 2, 3), np.float32))
    assert render_data.bounds(row) is None


GAP = {"distance": 0.5, "point_a": (0.0, 0.0, 0.0), "point_b": (0.0, 0.0, 0.5), "depth": None, "verdict": "near"}


def test_a_gap_is_a_line_with_two_points_and_its_length():
    data = render_data.collect([make_row(**GAP)])
    assert data.gaps.tolist() == [[0, 0, 0], [0, 0, 0.5]] and data.witnesses.tolist() == data.gaps.tolist()
    assert data.gaps.dtype == data.witnesses.dtype == np.float32
    assert data.labels == (((0.0, 0.0, 0.25), 0.5),)


def test_objects_that_meet_have_one_point_and_no_gap():
    meeting = {**GAP, "distance": 0.0, "point_b": (0.0, 0.0, 0.0), "verdict": "clash"}
    data = render_data.collect([make_row(**meeting), make_row(b="C")])
    assert len(data.gaps) == 0 and data.labels == () and data.witnesses.tolist() == [[0, 0, 0]]


def test_a_gap_that_is_only_rounding_takes_no_place_of_another_label():
    flush = {**GAP, "point_a": (8.0, 0.0, 0.0), "point_b": (8.0 + 1e-6, 0.0, 0.0), "distance": 1e-6}
    rows = [make_row(b=f"B{k}", **flush) for k in range(render_data.MOST_LABELS)] + [make_row(b="C", **GAP)]
    data = render_data.collect(rows)
    assert data.labels == (((0.0, 0.0, 0.25), 0.5),) and len(data.gaps) == 2 * len(rows)


def test_stale_gaps_are_not_drawn():
    data = render_data.collect([make_row(**GAP)], lambda _row: True)
    assert len(data.gaps) == len(data.witnesses) == len(data.labels) == 0


def test_near_pairs_are_drawn_and_pairs_that_are_merely_apart_are_not():
    near, apart = make_row(**GAP), make_row(b="C", **{**GAP, "verdict": "apart"})
    assert drawn([near, apart], ALL | {"near", "apart"}) == [near]


def test_there_are_never_too_many_labels():
    rows = [make_row(b=f"B{k}", **GAP) for k in range(render_data.MOST_LABELS + 5)]
    data = render_data.collect(rows)
    assert len(data.labels) == render_data.MOST_LABELS and len(data.gaps) == 2 * len(rows)


def test_a_gap_is_looked_at_with_its_surroundings_whatever_the_size_of_the_faces():
    low, high = render_data.bounds(make_row(**GAP, offset=100.0))
    assert ((low + high) / 2).tolist() == [0, 0, 0.25]
    assert (low <= (0, 0, 0)).all() and (high >= (0, 0, 0.5)).all() and (high - low <= 5.0).all()


def test_points_in_contact_are_collected_thinned_and_framed():
    dots = np.arange(30, dtype=np.float32).reshape(-1, 3)
    rows = [make_row(dots_a=dots), make_row(b="C", dots_b=dots)]
    data = render_data.collect(rows, lambda row: row.b.name == "C")
    assert np.array_equal(data.dots_a, dots) and len(data.dots_b) == 0 and np.array_equal(data.stale_dots, dots)
    few = render_data.thinned(dots, 4)
    assert np.array_equal(few, dots[[0, 3, 6, 9]]) and few.flags["C_CONTIGUOUS"]
    assert render_data.thinned(dots, 10) is dots
    assert render_data.bounds(rows[0])[1].tolist() == [27.0, 28.0, 29.0]


def test_texts_that_would_overlap_are_left_out_the_most_important_stay():
    boxes = np.array([[0, 0, 10, 5], [5, 2, 10, 5], [14, 0, 10, 5], [0, 9, 10, 5], [0, 5.5, 10, 5]], float)
    assert render_data.apart(boxes, 2.0) == [0, 2, 3]
    assert render_data.apart(boxes[:0], 2.0) == []


def test_lines_side_by_side_have_little_space_and_one_alone_has_much():
    many = np.array([[[x, 0, 0], [x, 1, 0]] for x in np.linspace(0, 0.05, 40)], np.float32)
    alone = np.array([[[5, 0, 0], [5, 6, 0]]], np.float32)
    lines, rows = np.concatenate((many, alone)), np.repeat([0, 1], (40, 1))
    groups = render_data.line_groups(lines.reshape(-1, 3), rows)
    assert sum(len(points) for _, points in groups) == 82
    spaces = {float(x): space for space, points in groups for x in points[:, 0]}
    assert spaces[5.0] > 10 * spaces[float(many[20, 0, 0])]
    assert [space for space, _ in groups] == sorted((space for space, _ in groups), reverse=True)
    assert render_data.line_groups(np.empty((0, 3), np.float32), np.empty(0, np.int64)) == []
    point = np.zeros((2, 3), np.float32)
    assert len(render_data.line_groups(point, np.zeros(1, np.int64))) == 1


def test_rectangles_cover_their_boxes():
    boxes = np.array([(10.0, 20.0, 30.0, 5.0), (0.0, 0.0, 1.0, 2.0)])
    corners = render_data.rectangles(boxes).reshape(2, 2, 3, 3)
    sides = corners[:, :, 1:] - corners[:, :, :1]
    areas = 0.5 * np.abs(np.cross(sides[:, :, 0], sides[:, :, 1])[..., 2])
    assert areas.sum(axis=1).tolist() == [150.0, 2.0] and not corners[..., 2].any()
    assert corners[..., :2].reshape(2, -1, 2).min(axis=1).tolist() == boxes[:, :2].tolist()
    assert corners[..., :2].reshape(2, -1, 2).max(axis=1).tolist() == (boxes[:, :2] + boxes[:, 2:]).tolist()
