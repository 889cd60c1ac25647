"""Counters of long runs of a bench: stopped and gone on with, and files that cannot be used."""

import pytest
from bench.tally import Tally, TallyError

KEY = {"bench": "x", "seed": 3}


def test_a_run_goes_on_where_it_was(tmp_path):
    path = tmp_path / "counters.json"
    first = Tally(KEY, path)
    first.counts["wrong"] += 2
    first.notes.append("pair 7")
    first.portion_done(last=True)
    second = Tally(KEY, path)
    assert (second.done, second.counts, second.notes) == (1, {"wrong": 2}, ["pair 7"])
    assert second.total_seconds() >= first.seconds
    assert list(tmp_path.iterdir()) == [path], "nothing is left beside"


def test_classes_are_counted_by_themselves_and_only_their_first_notes_kept(tmp_path):
    path = tmp_path / "counters.json"
    first = Tally(KEY, path)
    first.add("near", {"pairs": 10, "wrong": 1}, ["one"])
    first.portion_done(last=True)
    second = Tally(KEY, path)
    second.add("near", {"pairs": 5, "wrong": 4}, ["two", "three", "four"])
    second.add("far", {"pairs": 2, "wrong": 0}, ["five"])
    assert second.of("near", ("pairs", "wrong", "late")) == {"pairs": 15, "wrong": 5, "late": 0}
    assert (second.sum(("pairs",)), second.sum(("wrong", "late"))) == (17, 5)
    assert second.notes == ["near: one", "near: two", "near: three", "far: five"]


def test_counters_of_another_run_are_refused(tmp_path):
    path = tmp_path / "counters.json"
    Tally(KEY, path).portion_done(last=True)
    with pytest.raises(TallyError, match="is of a run with"):
        Tally({**KEY, "seed": 4}, path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"key": 1, "done": "x"}'])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "counters.json"
    path.write_text(text)
    with pytest.raises(TallyError, match="holds no counters"):
        Tally(KEY, path)
