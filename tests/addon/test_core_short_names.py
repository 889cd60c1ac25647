"""Long names keep what tells them apart."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from addon.core.short_names import CUT, commonness, cut_in_the_middle, shorten, told_apart

WORD = st.text("abcxyz", min_size=1, max_size=9)
PARTS = st.lists(WORD, max_size=5)


def short(name, room, among):
    return shorten(name, room, len, commonness(among))


@pytest.mark.parametrize(
    ("names", "room", "expected"),
    [
        (["Assembly.Bolt.M8.0123", "Assembly.Bolt.M8.0124"], 10, ["Assem…0123", "Assem…0124"]),
        (["Assembly.Bolt.M8.0123", "Assembly.Nut.M8.0123"], 15, ["Assem…Bolt…0123", "Assemb…Nut…0123"]),
        (["Left.Arm.Cover.001", "Left.Leg.Cover.001"], 10, ["Le…Arm…001", "Le…Leg…001"]),
        (["Short", "Names"], 10, ["Short", "Names"]),
    ],
)
def test_what_differs_stays(names, room, expected):
    found = [short(name, room, names) for name in names]
    assert found == expected and all(len(text) <= room for text in found)


@settings(max_examples=300, deadline=None)
@given(PARTS, PARTS, st.lists(WORD, min_size=2, max_size=6, unique=True), st.integers(12, 40))
def test_the_word_in_which_a_family_differs_is_always_seen(before, after, words, room):
    assume(not set(words) & {*before, *after})
    names = [".".join((*before, word, *after)) for word in words]
    texts = [short(name, room, names) for name in names]
    for word, text in zip(words, texts, strict=True):
        assert len(text) <= room and word in text
    assert len(set(texts)) == len(texts)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40), st.lists(st.text(max_size=20), max_size=4), st.integers(1, 30))
def test_any_text_fits_and_what_is_left_is_of_the_name(name, others, room):
    text = short(name, room, [name, *others])
    assert len(text) <= room
    assert text == name if len(name) <= room else True
    place = 0
    for part in text.split(CUT):
        found = name.find(part, place)
        assert found >= 0 or CUT in name
        place = max(found, 0)


@given(st.text("abc", min_size=1, max_size=30), st.integers(1, 30))
def test_one_long_word_keeps_both_ends_and_uses_the_room(name, room):
    text = cut_in_the_middle(name, room, len)
    assert len(text) == min(len(name), room)
    if len(name) > room:
        head, tail = text.split(CUT)
        assert name.startswith(head) and name.endswith(tail) and 0 <= len(head) - len(tail) <= 1


SOUGHT = st.text("abc.", min_size=1, max_size=6)


@settings(max_examples=300, deadline=None)
@given(st.text("abcxyz.12", max_size=30), SOUGHT, st.text("abcxyz.12", max_size=30), st.data())
def test_what_was_sought_is_always_seen(before, word, after, data):
    name = before + word.upper() + after
    others = [before + "abc" + after, word * 3]  # which make it common
    room = data.draw(st.integers(len(word) + 2, max(len(word) + 2, len(name))))
    text = shorten(name, room, len, commonness([name, *others]), [word])
    assert len(text) <= room and word.casefold() in text.casefold()


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text("ab .1", max_size=30), max_size=8, unique=True), st.integers(4, 30))
def test_names_that_are_told_apart_fit(names, room):
    texts = told_apart(names, room, len)
    assert set(texts) == set(names) and all(len(text) <= room for text in texts.values())
    assert all(text == name for name, text in texts.items() if len(name) <= room)


@settings(max_examples=300, deadline=None)
@given(st.text("ab", max_size=30), st.text("ab", max_size=30), st.text("xyz", min_size=1, max_size=3), st.data())
def test_two_names_that_differ_in_some_letters_are_told_apart(before, after, letters, data):
    others = data.draw(st.text("pqr", min_size=len(letters), max_size=len(letters)))
    names = [before + letters + after, before + others + after]
    texts = told_apart(names, len(letters) + 2, len)
    assert texts[names[0]] != texts[names[1]]
