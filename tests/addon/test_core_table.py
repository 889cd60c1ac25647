"""Rows as columns: found and sorted as one look at each row says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.clash.verdicts import VERDICTS
from ui_fakes import make_row

from addon.core.table import FACES, MEASURE, NAME_A, NAME_B, STATUS, WORST, ListQuery, RowTable, natural

STATUSES = ("OPEN", "REVIEWED", "APPROVED")
MEASURES = ("volume", "depth", "distance", "probability")
EVERYTHING = frozenset(VERDICTS)
NAMES = st.sampled_from(["Bolt 2", "bolt 10", "Bolt 10", "Wall:Ä.1", "wall:ä.2", "Pipe"])
MAYBE = st.none() | st.sampled_from([0.0, 0.25, 1.5])
OVERLAP = st.one_of(
    st.just((None, None, None)), st.sampled_from([0.25, 1.5]).map(lambda depth: (depth, depth, 2.0 * depth)),
    st.sampled_from([0.25, 1e-9, 4.0]).map(lambda upper: (None, 0.0, upper)),
)  # fmt: skip
"""Nothing known, a ball proved, or only a bound from above."""
FOUND = st.tuples(NAMES, NAMES, st.sampled_from(tuple(VERDICTS)), OVERLAP, MAYBE, MAYBE, st.integers(0, 3), MAYBE)
QUERIES = st.builds(
    ListQuery,
    st.frozensets(st.sampled_from(tuple(VERDICTS))) | st.just(EVERYTHING),
    st.sampled_from(["", "bolt", "BOLT wall", "ä", "nobody", "2 10"]),
    st.none() | st.frozensets(st.sampled_from(STATUSES)),
    st.none() | st.frozensets(NAMES),
    st.sampled_from([WORST, NAME_A, NAME_B, FACES, MEASURE, STATUS]),
    st.booleans(),
    st.sampled_from([0.0, 0.25, 1.0]),
)


def made(found):
    return [
        make_row(
            a,
            b,
            verdict,
            overlap[0],
            depth_lower=overlap[1],
            depth_upper=overlap[2],
            distance=distance,
            probability=probability,
            id=str(at),
            counted_a=faces,
            counted_b=1,
            volume_lower=volume and 0.5 * volume,
            volume_upper=volume,
        )
        for at, (a, b, verdict, overlap, distance, probability, faces, volume) in enumerate(found)
    ]


def large_enough(row, query, measured):
    """Whether the common volume of one row may be as large as is asked for, where any was measured."""
    if not measured or query.least_volume == 0.0:
        return True
    known = row.volume_upper is not None
    return row.verdict not in ("touching", "near", "apart") and not (known and row.volume_upper < query.least_volume)


def asked(row, query, status):
    """Whether one row is asked for."""
    names = [name.casefold() for name in row.names]
    return (
        row.verdict in query.verdicts
        and all(any(word in name for name in names) for word in query.text.casefold().split())
        and (query.statuses is None or status in query.statuses)
        and (query.owners is None or bool(query.owners & {row.a.owner, row.b.owner, row.a.source, row.b.source}))
    )


def value(row, key, status):
    """What a row is sorted by; None at the end."""
    said = {name: getattr(row, name) for name in MEASURES}
    if row.depth is None and row.depth_upper is not None:
        said["depth"] = 0.0  # no more is proved
    measured = [(name, said[name]) for name in MEASURES if said[name] is not None]
    signed = [(x if name == "distance" else -x, -(row.depth_upper or 0.0)) for name, x in measured[:1]]
    return {
        WORST: int(row.id), NAME_A: natural(row.a.name), NAME_B: natural(row.b.name), FACES: -row.a.count - row.b.count,
        MEASURE: signed[0] if signed else None, STATUS: STATUSES.index(status),
    }[key]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(FOUND, max_size=12), QUERIES, st.dictionaries(st.integers(0, 14).map(str), st.sampled_from(STATUSES)))
def test_a_query_finds_what_each_row_says_in_the_order_of_its_values(found, query, reviews):
    rows = made(found)
    status = {row.id: reviews.get(row.id, "OPEN") for row in rows}
    measured = any(row.volume is not None for row in rows)
    wanted = [row for row in rows if large_enough(row, query, measured)]
    expected = [row for row in wanted if asked(row, query, status[row.id])]
    keyed = [(value(row, query.key, status[row.id]), row) for row in expected]
    known = [pair for pair in keyed if pair[0] is not None]
    known.sort(key=lambda pair: pair[0], reverse=query.reverse)  # turned round, but equal ones stay as they are
    order = [row.id for _, row in known] + [row.id for first, row in keyed if first is None]
    positions = RowTable(rows).find(query, MEASURES, reviews, STATUSES)
    assert [rows[at].id for at in positions.tolist()] == order


@given(st.lists(st.integers(-9, 9), max_size=12), st.integers(-9, 9), st.integers(0, 9), st.integers(1, 4))
def test_a_query_finds_the_rows_of_its_frames(frames, first, more, step):
    table, wanted = RowTable([make_row(frame=frame) for frame in frames]), range(first, first + more + 1, step)
    found = table.find(ListQuery(EVERYTHING, frames=wanted), MEASURES, {}, STATUSES)
    assert found.tolist() == [at for at, frame in enumerate(frames) if frame in wanted]
    assert table.has_frames == (len(set(frames)) > 1)


@given(st.lists(st.text("aAß\n.1*", max_size=5), max_size=6), st.text("aAß.1*", min_size=1, max_size=3))
def test_a_word_is_found_in_names_alone(names, word):
    table = RowTable([make_row(name, "x") for name in names])
    found = table.find(ListQuery(EVERYTHING, word), MEASURES, {}, STATUSES)
    assert found.tolist() == [at for at, name in enumerate(names) if word.casefold() in name.casefold()]


@pytest.mark.parametrize("count", [0, 1])
def test_short_tables(count):
    table = RowTable([make_row()] * count)
    assert len(table) == count and table.nbytes == count * table.nbytes
    assert len(table.find(ListQuery(EVERYTHING, owners=frozenset({"A"})), MEASURES, {}, STATUSES)) == count
    assert table.about({"B"}).tolist() == [True] * count


def test_names_may_have_any_number_of_digits():
    longest = "A" + "9" * 5000
    assert sorted([longest, "A10", "A2"], key=natural) == ["A2", "A10", longest]


def test_names_are_in_natural_order_and_owners_are_known():
    rows = [make_row("Bolt 10", "x"), make_row("Bolt 9", "X"), make_row("bolt 9", "Inst", owner_b="Owner")]
    table = RowTable(rows)
    assert table.names == ["Bolt 9", "bolt 9", "Bolt 10", "Inst", "Owner", "X", "x"][: len(table.names)]
    assert "Owner" in table.owner_names and "Inst" not in table.owner_names


def test_columns_are_small():
    table = RowTable([make_row(b=str(k)) for k in range(1000)])
    assert table.nbytes / 1000 <= 66.0
    assert table.verdicts.dtype == np.int8
