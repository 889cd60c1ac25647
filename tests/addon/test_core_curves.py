"""Curves and rims of contacts: the same in slices as at once, and only what is drawn is computed."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from addon.core import curves
from addon.core.curves import curve_steps, rim_steps
from addon.core.job import run_to_end

ENGINE = SimpleNamespace(ContactKind=SimpleNamespace(CROSSING=1, COPLANAR=2))
SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)


class FakeContacts:
    """Counts what is asked of it: a segment for each pair, a square for each coplanar one."""

    def __init__(self, kinds, outline=SQUARE):
        self.kinds = np.array(kinds, np.uint8)
        self.pairs = np.zeros((len(kinds), 2), np.int32)
        self.asked = Counter()
        self._outline = outline

    def segments(self, select):
        self.asked["segments"] += len(select)
        return np.stack((select, select), axis=1)[..., None] + np.array([0.0, 0.25, 0.5])

    def outlines(self, select):
        self.asked["outlines"] += len(select)
        return [(int(index), self._outline + np.array([2.0 * index, 0, 0])) for index in select]


def closed(*outlines):
    return np.concatenate([np.stack((outline, np.roll(outline, -1, axis=0)), axis=1) for outline in outlines])


def rims(edges, portions=1):
    return run_to_end(rim_steps(np.array_split(edges, portions)))


def test_only_what_is_drawn_is_asked_for():
    contacts = FakeContacts([0] * 50 + [1] * 3 + [2] * 2)
    assert run_to_end(curve_steps(ENGINE, contacts)).shape == (3 + 8, 2, 3)
    assert contacts.asked == {"segments": 3, "outlines": 2}


def test_slices_change_nothing(monkeypatch):
    kinds = np.random.default_rng(3).integers(0, 3, 200)
    whole = run_to_end(curve_steps(ENGINE, FakeContacts(kinds)))
    monkeypatch.setattr(curves, "CONTACTS_AT_ONCE", 7)
    monkeypatch.setattr(curves, "EDGES_AT_ONCE", 16)
    steps = list(curve_steps(ENGINE, FakeContacts(kinds)))
    assert len(steps) > 2 * 60 / 7
    assert np.array_equal(run_to_end(curve_steps(ENGINE, FakeContacts(kinds))), whole)


def test_contacts_that_only_touch_draw_nothing():
    found = run_to_end(curve_steps(ENGINE, FakeContacts([0, 0])))
    assert found.shape == (0, 2, 3) and found.dtype == np.float32


def test_an_overlap_too_thin_for_an_outline_draws_nothing():
    assert run_to_end(curve_steps(ENGINE, FakeContacts([2, 2], outline=np.empty((0, 3))))).shape == (0, 2, 3)


def test_seams_between_neighbouring_overlaps_are_not_drawn():
    edges = rims(closed(SQUARE, *(SQUARE + np.array(move) for move in [(1, 0, 0), (0, 1, 0), (1, 1, 0)])))
    assert len(edges) == 8
    assert np.isin(edges.mean(axis=1)[:, :2], (0, 0.5, 1.5, 2)).all()
    assert len(rims(closed(SQUARE, SQUARE[::-1]))) == 0
    assert rims(np.empty((0, 2, 3))).shape == (0, 2, 3)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_patchwork_of_any_size_and_place_has_one_rim(scale):
    n = 40
    cells = [SQUARE + np.array([x, y, 0]) for x in range(n) for y in range(n)]
    turned = [np.roll(cell[:: (-1) ** k], k, axis=0) for k, cell in enumerate(cells)]
    noise = np.random.default_rng(1).uniform(-1e-9, 1e-9, (len(turned), 4, 3))
    assert len(rims(closed(*scale * (np.array(turned) + noise + 1.0 / 3.0)))) == 4 * n


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 6), max_size=60), st.integers(1, 9), st.integers(1, 5))
def test_rims_are_the_edges_that_are_there_once(rows, size, portions):
    edges = np.array(rows, float).reshape(-1, 2, 3)
    times = Counter(frozenset(map(tuple, edge)) for edge in edges.tolist())
    wanted = [edge for edge in edges.tolist() if times[frozenset(map(tuple, edge))] == 1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curves, "EDGES_AT_ONCE", size)
        assert rims(edges, portions).tolist() == wanted
