"""The journal of a review: nothing that was written is lost, in any order, by any number of writers."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.clash import Event, Journal, decisions, event, found_events, progress
from meshclash.errors import InvalidFile, UnsupportedOption

MOMENTS = [f"2026-11-24T10:00:{k:02}.000000+00:00" for k in range(60)]
texts = st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), max_size=20)
"""Printable texts, made without a filter, which would refuse most of them."""
events = st.lists(
    st.builds(
        lambda k, author, clash, what, value: event(author, clash, what, value, MOMENTS[k]),
        st.integers(0, 59), texts, st.sampled_from(["a", "b", "c"]),
        st.sampled_from(["status", "assignee", "comment", "found", "gone"]), texts,
    ),
    max_size=20,
)  # fmt: skip


@given(said=events, seed=st.integers(0, 99))
def test_decisions_do_not_depend_on_the_order_of_events_nor_on_how_often_they_are_told(said, seed):
    mixed = said + said[:3]
    random.Random(seed).shuffle(mixed)
    assert decisions(mixed) == decisions(said)


@given(said=events, cut=st.integers(0, 5000), more=events)
def test_a_torn_journal_keeps_all_whole_lines_and_takes_new_ones(tmp_path_factory, said, cut, more):
    path = tmp_path_factory.mktemp("journal") / "scene.journal"
    Journal(path).add(said)
    if said:
        content = path.read_bytes()[:cut]
        path.write_bytes(content)
        whole = {tuple(json.loads(line)) for line in content.split(b"\n")[:-1]}
        assert {*map(tuple, Journal(path).events.values())} == whole
    kept = Journal(path)
    kept.add(more)
    again = Journal(path).events
    assert all(one.id in again for one in more)
    assert again == kept.events
    assert kept.damaged <= 1


def test_two_writers_and_a_merged_copy_hold_all_events(tmp_path):
    first, second = Journal(tmp_path / "j"), Journal(tmp_path / "j")
    first.add([event("Ann", "p", "status", "approved", MOMENTS[1])])
    second.add([event("Ben", "p", "comment", "why?", MOMENTS[2])])
    assert [said.author for said in first.read()] == ["Ben"]
    other = Journal(tmp_path / "elsewhere")
    other.add([event("Cem", "p", "status", "open", MOMENTS[3])])
    first.join(other.events.values())
    first.join(other.events.values())
    decision = decisions(Journal(tmp_path / "j").events.values())["p"]
    assert (decision.status, [remark.text for remark in decision.comments]) == ("open", ["why?"])
    assert len(first.events) == 3


WRITER = """
import sys
from pathlib import Path
from meshclash.clash import Journal, event
journal = Journal(Path(sys.argv[1]))
for k in range(10_000):
    said = event("me", f"pair {k}", "comment", "x" * (k % 300))
    journal.add([said])
    print(said.id, flush=True)
"""


@pytest.mark.slow
def test_what_was_said_before_a_kill_comes_back(tmp_path):
    told = 0
    for k in range(10):
        path = tmp_path / str(k)
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as process:
            first = process.stdout.readline().split()
            time.sleep(random.Random(k).uniform(0, 0.05))
            os.kill(process.pid, signal.SIGKILL)
            ids = first + process.stdout.read().split()
        assert {*ids} <= {*Journal(path).events}
        told += len(ids)
    assert told > 10


def test_a_clash_is_new_then_active_then_gone_then_back():
    log: list[Event] = []

    def detect(found, moment):
        log.extend(found_events(decisions(log), found, "me", moment))
        return {clash: progress(decision, moment) for clash, decision in decisions(log).items()}

    assert detect({"a", "b"}, MOMENTS[1]) == {"a": "new", "b": "new"}
    assert detect({"a"}, MOMENTS[2]) == {"a": "active", "b": "resolved"}
    assert detect({"a", "b"}, MOMENTS[3]) == {"a": "active", "b": "reopened"}
    assert detect({"a", "b"}, MOMENTS[4]) == {"a": "active", "b": "active"}
    assert len(log) == 3


@pytest.mark.parametrize(
    "line", [b"[]", b"{}", b"[1,2,3,4,5,6]", b"\xff\xfe", b"[" * 100_000, b'["a","b","c","d","status","e"]', b"null"]
)
def test_damaged_lines_are_passed_over(tmp_path, line):
    path = tmp_path / "j"
    good = event("me", "p", "status", "approved")
    Journal(path).add([good])
    path.write_bytes(line + b"\n" + path.read_bytes())
    journal = Journal(path)
    assert [*journal.events] == [good.id]
    assert journal.damaged == 1


def test_wrong_events_and_places_are_refused(tmp_path):
    for bad in ({"what": "colour"}, {"what": "comment", "value": "x" * 10_001}, {"what": "status", "time": "today"}):
        with pytest.raises(UnsupportedOption):
            event("me", "p", **bad)
    with pytest.raises(InvalidFile, match="cannot be read"):
        Journal(tmp_path)
    with pytest.raises(InvalidFile, match="cannot be written"):
        Journal(tmp_path / "no folder" / "j").add([event("me", "p", "comment", "x")])
