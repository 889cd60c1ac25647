"""Options, frame ranges and exclusion rules."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from fake_scene import make_object
from hypothesis import given
from hypothesis import strategies as st
from meshclash.clash.column_table import TEXT
from meshclash.clash.errors import InputError
from meshclash.clash.fits import Fit
from meshclash.clash.option_table import AUTO, OPTIONS, RESOLUTION
from meshclash.clash.options import (
    UNASKED_RESOLUTION,
    DetectOptions,
    changed_settings,
    format_frames,
    parse_frames,
    set_in_words,
)
from meshclash.clash.queries.registry import TESTS
from meshclash.clash.rules import Rules, keep_mask, parse_pair
from meshclash.clash.verdicts import FINAL_VERDICTS

TEXT_OF_SETS = st.one_of(
    st.text(min_size=1).filter(lambda text: text not in ("all", "selection")),
    st.builds("{} | {}".format, st.text("abc|>= "), st.integers(-9, 9)),
)


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("5", range(5, 6)),
        ("1-3", range(1, 4)),
        ("1-250:100", range(1, 251, 100)),
        ("1:3", range(1, 4)),
        ("-5:250:100", range(-5, 251, 100)),
        ("-10--5:2", range(-10, -4, 2)),
    ],
)
def test_frames_are_read_and_written(text, frames):
    assert list(parse_frames(text)) == list(frames)
    assert list(parse_frames(format_frames(frames))) == list(frames)
    assert format_frames(frames[:0]) == ""


@pytest.mark.parametrize("text", ["", "a", "1-", "5-1", "1-9:0", "1..5", "1-2-3", "9:1", "1:9:0", "1:2:3:4", "1:"])
def test_wrong_frames_are_refused(text):
    with pytest.raises(InputError, match="range"):
        parse_frames(text)


@pytest.mark.parametrize(
    "wrong",
    [
        {"permitted_overlap": -1.0},
        {"touch_tolerance": float("nan")},
        {"test": "magic"},
        {"test": "clearance"},
        {"test": "clearance", "tolerance": -0.001},
        {"test": "clearance", "tolerance": float("nan")},
        {"test": "clearance", "tolerance": float("inf")},
    ],
)
def test_wrong_values_are_refused(wrong):
    with pytest.raises(InputError):
        DetectOptions(**wrong)


@pytest.mark.parametrize("name", sorted(TESTS))
def test_a_test_refuses_options_that_it_does_not_take(name):
    test = TESTS[name]
    needed = dict.fromkeys(test.required, 1.0)
    for option in (option.name for option in OPTIONS.values() if option.tests):
        value = (Fit("A", "B", 1.0),) if option == "fits" else 1.0
        given = {**needed, option: value}
        if option in test.takes:
            assert getattr(DetectOptions(test=name, **given), option) == value
        else:
            with pytest.raises(InputError, match=f"the {name} test takes no {option.replace('_', ' ')}"):
                DetectOptions(test=name, **given)


@pytest.mark.parametrize("name", sorted(TESTS))
def test_a_test_says_what_it_needs(name):
    for option in TESTS[name].required:
        with pytest.raises(InputError, match=f"the {name} test needs a {option.replace('_', ' ')}"):
            DetectOptions(test=name)


def test_every_test_is_whole():
    for name, test in TESTS.items():
        assert test.name == name and test.required <= test.takes <= OPTIONS.keys()
        assert test.tolerance_means in ("", *test.takes)
        assert set(test.verdicts) <= set(FINAL_VERDICTS)
        given = DetectOptions(test=name, **dict.fromkeys(test.required, 1.0))
        assert test.apart in test.verdicts and test.reach(given) >= 0.0
        measured = {
            column.name for column in TEXT
            if test.name in column.tests and not column.option and column.kind != "text"
        }  # fmt: skip
        assert set(test.measures) == measured


def test_options_are_strict_json():
    rules = Rules(same_parent=True, listed_pairs=frozenset({("B", "A")}))
    data = DetectOptions(frames=range(1, 10, 3), rules=rules).as_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["frames"] == "1-7:3"
    assert data["exclude"] == ["same-parent"]
    assert data["exclude_pairs"] == [["A", "B"]]


def test_pairs_of_names():
    assert parse_pair("Gear 1::Shaft: left") == ("Gear 1", "Shaft: left")
    for wrong in ("A", "A::", "::B", "A::B::C"):
        with pytest.raises(InputError):
            parse_pair(wrong)


def kept(rules, objects):
    """The names of the pairs that stay."""
    first, second = np.triu_indices(len(objects), k=1)
    mask = keep_mask(rules, objects)(np.stack((first, second), axis=1))
    return {objects[a].name + objects[b].name for a, b in zip(first[mask], second[mask], strict=True)}


def test_no_rule_is_no_mask():
    assert Rules().is_empty
    assert keep_mask(Rules(), [make_object("A")]) is None


def test_same_parent_leaves_out_siblings_and_the_parent():
    objects = [make_object("P"), make_object("A", parent="P"), make_object("B", parent="P"), make_object("C")]
    assert kept(Rules(same_parent=True), objects) == {"PC", "AC", "BC"}


def test_same_parent_holds_for_instances_of_one_instancer():
    objects = [make_object(name, owner=name[0], parent=name[0]) for name in ("E1", "E2", "F1")]
    assert kept(Rules(same_parent=True), objects) == {"E1F1", "E2F1"}


def test_same_armature_and_collection_share_any_group():
    objects = [
        make_object("A", armatures=frozenset("x"), collections=frozenset("mn")),
        make_object("B", armatures=frozenset("xy"), collections=frozenset("n")),
        make_object("C", armatures=frozenset("y"), collections=frozenset("o")),
        make_object("D"),
    ]
    assert kept(Rules(same_armature=True), objects) == {"AC", "AD", "BD", "CD"}
    assert kept(Rules(same_collection=True), objects) == {"AC", "BC", "AD", "BD", "CD"}


def test_listed_pairs_in_any_order_and_by_instancer():
    objects = [make_object("A"), make_object("B"), make_object("E/x[0]", owner="E"), make_object("E/x[1]", owner="E")]
    assert kept(Rules(listed_pairs=frozenset({("B", "A")})), objects).isdisjoint({"AB"})
    rest = kept(Rules(listed_pairs=frozenset({("E", "A"), ("nobody", "B")})), objects)
    assert rest == {"AB", "BE/x[0]", "BE/x[1]", "E/x[0]E/x[1]"}


def test_sets_in_words():
    """What messages say of a set: the user chose from a menu and never saw its expression."""
    words = {
        "all": "everything", "selection": "the selection", "collection:Pipes: cold": "collection 'Pipes: cold'",
        "object:Pump": "object 'Pump'", "Pump": "'Pump'", "A:B": "'A:B'",
    }  # fmt: skip
    assert {expression: set_in_words(expression) for expression in words} == words


def test_an_overlap_within_the_resolution_is_permitted_unless_a_length_is_given():
    assert DetectOptions().permitted_overlap == AUTO and DetectOptions().permitted_length == 0.0
    assert DetectOptions().coarsest == 0.5 * UNASKED_RESOLUTION
    assert DetectOptions(permitted_overlap=RESOLUTION).coarsest == math.inf
    assert DetectOptions(permitted_overlap=0.0).as_dict()["permitted_by"] == "length"
    assert DetectOptions().as_dict()["permitted_overlap"] == 0.0
    with pytest.raises(InputError, match="not 'thick'"):
        DetectOptions(permitted_overlap="thick")
    assert DetectOptions(test="time-critical", budget=1.0).permitted_overlap == AUTO
    with pytest.raises(InputError, match="takes no permitted overlap"):
        DetectOptions(test="time-critical", budget=1.0, permitted_overlap=0.0)


def test_pairs_below_the_smallest_volume_are_not_gone():
    """A detection that hides small overlaps does not answer a question that listed them."""
    every = DetectOptions(set_a="all", set_b="all", overlap_volume=True)
    large, larger = replace(every, min_volume=1e-6), replace(every, min_volume=1e-3)
    questions = [options.question("clash") for options in (every, large, larger)]
    assert [every.answers(question) for question in questions] == [True, True, True]
    assert [large.answers(question) for question in questions] == [False, True, True]
    assert [larger.answers(question) for question in questions] == [False, False, True]


@given(TEXT_OF_SETS, TEXT_OF_SETS, st.sampled_from((0.0, 1e-6, 5.0)), st.sampled_from(("clash", "near")))
def test_a_detection_answers_its_own_question(set_a, set_b, least, verdict):
    """Whatever names the sets are; a smaller volume makes another question."""
    options = DetectOptions(set_a, set_b, "clearance", tolerance=0.1, min_volume=least)
    assert options.answers(options.question(verdict))
    assert replace(options, min_volume=0.0).answers(options.question(verdict))
    assert not replace(options, min_volume=least + 1.0).answers(options.question(verdict))
    assert not replace(options, set_b=f"{set_b}x").answers(options.question(verdict))


def test_an_option_of_all_tests_makes_a_result_old(monkeypatch):
    monkeypatch.setitem(OPTIONS, "overlap_volume", replace(OPTIONS["overlap_volume"], in_window=True, tests=()))
    assert changed_settings(DetectOptions(), DetectOptions(overlap_volume=True))
