"""Curves and rims of contacts: the same in slices as at once, and only what is drawn is computed."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.clash import curves
from meshclash.clash.curves import curve_steps, rim_steps
from meshclash.types.steps import run_to_end

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)


class FakeContacts:
    """Counts what is asked of it: a segment for each pair, a square for each coplanar one."""

    def __init__(self, kinds, outline=SQUARE):
        self.kinds = np.array(kinds, np.uint8)
        self.asked = Counter()
        self.outline = outline

    def __len__(self):
        return len(self.kinds)

    @staticmethod
    def joined(parts):
        return FakeJoined(parts)


class FakeJoined:
    def __init__(self, parts):
        self._parts = [(contacts, int(index)) for contacts, select in parts for index in select]

    def segments(self):
        for contacts, _ in self._parts:
            contacts.asked["segments"] += 1
        index = np.array([index for _, index in self._parts], float)
        return np.stack((index, index), axis=1)[..., None] + np.array([0.0, 0.25, 0.5])

    def outline_edges(self):
        edges = [closed(contacts.outline + np.array([2.0 * index, 0, 0])) for contacts, index in self._parts]
        for contacts, _ in self._parts:
            contacts.asked["outlines"] += 1
        return np.concatenate(edges), np.repeat(np.arange(len(edges)), [len(part) for part in edges])


ENGINE = SimpleNamespace(ContactKind=SimpleNamespace(CROSSING=1, COPLANAR=2), Contacts=FakeContacts)


def closed(*outlines):
    return np.concatenate([np.stack((outline, np.roll(outline, -1, axis=0)), axis=1) for outline in outlines])


def rims(edges, portions=1):
    parts = np.array_split(edges, portions)
    (found,) = run_to_end(rim_steps(parts, [np.zeros(len(part), np.int64) for part in parts], 1))
    return found


def curves_of(contacts):
    (found,) = run_to_end(curve_steps(ENGINE, [contacts]))
    return found


def test_only_what_is_drawn_is_asked_for():
    contacts = FakeContacts([0] * 50 + [1] * 3 + [2] * 2)
    assert curves_of(contacts).shape == (3 + 8, 2, 3)
    assert contacts.asked == {"segments": 3, "outlines": 2}


def test_slices_change_nothing(monkeypatch):
    kinds = np.random.default_rng(3).integers(0, 3, 200)
    whole = curves_of(FakeContacts(kinds))
    monkeypatch.setattr(curves, "CONTACTS_AT_ONCE", 7)
    monkeypatch.setattr(curves, "EDGES_AT_ONCE", 16)
    steps = list(curve_steps(ENGINE, [FakeContacts(kinds)]))
    assert len(steps) > 2 * 60 / 7
    assert np.array_equal(curves_of(FakeContacts(kinds)), whole)


def test_contacts_that_only_touch_draw_nothing():
    found = curves_of(FakeContacts([0, 0]))
    assert found.shape == (0, 2, 3) and found.dtype == np.float32


def test_an_overlap_too_thin_for_an_outline_draws_nothing():
    assert curves_of(FakeContacts([2, 2], outline=np.empty((0, 3)))).shape == (0, 2, 3)


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


@given(st.lists(st.lists(st.integers(0, 2), max_size=9), max_size=6), st.integers(1, 7))
def test_curves_of_many_are_those_of_each(kinds, size):
    found = [FakeContacts(part) for part in kinds]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curves, "CONTACTS_AT_ONCE", size)
        together = run_to_end(curve_steps(ENGINE, found))
    assert len(together) == len(found)
    for contacts, alike in zip(found, together, strict=True):
        assert np.array_equal(curves_of(contacts), alike)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 6), max_size=60), st.integers(1, 9), st.integers(1, 5), st.booleans())
def test_rims_are_the_edges_that_are_there_once(rows, size, portions, same_hash):
    edges = np.array(rows, float).reshape(-1, 2, 3)
    times = Counter(frozenset(map(tuple, edge)) for edge in edges.tolist())
    wanted = [edge for edge in edges.tolist() if times[frozenset(map(tuple, edge))] == 1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curves, "EDGES_AT_ONCE", size)
        if same_hash:
            patch.setattr(curves, "MIX", np.zeros_like(curves.MIX))
        assert rims(edges, portions).tolist() == wanted
