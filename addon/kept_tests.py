"""Named tests that are kept in the file: what they ask, which of them run, and matrices of disciplines.

A test is kept as its JSON says it. Collections and objects that are sets of their own are pointed to, so that they may
be renamed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

import bpy
from bpy.props import BoolProperty, PointerProperty, StringProperty
from bpy.types import PropertyGroup
from meshclash.clash.errors import InputError
from meshclash.clash.named_tests import TESTS_SCHEMA, NamedTest, matrix, parse_tests, test_of
from meshclash.clash.options import DetectOptions
from meshclash.clash.sets import LISTS
from meshclash.messages import Sentence

from .adapters.ifc_properties import told
from .adapters.lookup import object_named
from .adapters.objects import COLLECTION_PREFIX, OBJECT_PREFIX, has_shape

MOST_DISCIPLINES = 40
WORD = "word"
"""The first word of a name, up to what is neither letter nor digit."""


class MESHCLASH_PG_kept_test(PropertyGroup):
    """A test that is kept; `name` is its name."""

    definition: StringProperty(description="What it asks, as JSON", options={"HIDDEN"})
    enabled: BoolProperty(name="Run", description="Include this test when you run the tests", default=True)
    collection_a: PointerProperty(type=bpy.types.Collection, options={"HIDDEN"})
    collection_b: PointerProperty(type=bpy.types.Collection, options={"HIDDEN"})
    object_a: PointerProperty(type=bpy.types.Object, options={"HIDDEN"})
    object_b: PointerProperty(type=bpy.types.Object, options={"HIDDEN"})

    def data(self) -> dict[str, Any]:
        """What it asks as JSON has it, by the names that things have now.

        Raises:
            InputError: what is kept is damaged; the message names the test.
        """
        try:
            data = dict(json.loads(self.definition))
        except (ValueError, TypeError, RecursionError) as error:
            raise InputError(Sentence("test '{name}' is damaged: remove it", name=self.name)) from error
        sets = {f"set_{side}": self._expression(side, str(data.get(f"set_{side}", "all"))) for side in "ab"}
        return {**data, **sets, "name": self.name}

    def named_test(self) -> NamedTest:
        """The same as a test; raises InputError, too."""
        (test,) = parse_tests({"schema": TESTS_SCHEMA, "tests": [self.data()]})
        return test

    def keep(self, test: NamedTest) -> None:
        """Makes it ask what `test` asks."""
        self.name, self.definition = test.name, json.dumps(test.as_dict(), ensure_ascii=False)
        for side in "ab":
            kind, _, name = getattr(test.options, f"set_{side}").partition(":")
            setattr(self, f"collection_{side}", bpy.data.collections.get(name) if kind == "collection" else None)
            setattr(self, f"object_{side}", object_named(name) if kind == "object" else None)

    def _expression(self, side: str, written: str) -> str:
        for prefix, name in ((COLLECTION_PREFIX, "collection"), (OBJECT_PREFIX, "object")):
            pointed = getattr(self, f"{name}_{side}")
            if pointed is not None and written.startswith(prefix):
                return f"{prefix}{pointed.name_full}"
        return written


def tests_of(scene: bpy.types.Scene, enabled: bool = False) -> list[NamedTest]:
    """The tests of a scene; excluded pairs are those of the scene, too.

    Args:
        scene: the scene.
        enabled: whether those that do not run are left out.

    Raises:
        InputError: one is damaged, or there are none.
    """
    excluded = scene.meshclash.excluded_names
    found = [item.named_test() for item in scene.meshclash.kept_tests if item.enabled or not enabled]
    if not found:
        raise InputError("no test is chosen to run" if len(scene.meshclash.kept_tests) else "there are no tests")
    return [replace(test, options=_without(test.options, excluded)) for test in found]


def are_asked(scene: bpy.types.Scene, asked: Sequence[NamedTest]) -> bool:
    """Whether the tests that run now ask what some tests asked; pairs that were excluded since need no new answer.

    Raises:
        InputError: one is damaged.
    """
    kept = [_own(item.data()) for item in scene.meshclash.kept_tests if item.enabled]
    return kept == [_own(test.as_dict()) for test in asked]


def _own(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != "exclude_pairs"}


def _without(options: DetectOptions, excluded: frozenset[tuple[str, str]]) -> DetectOptions:
    rules = options.rules
    return replace(options, rules=replace(rules, listed_pairs=rules.listed_pairs | excluded))


def keep(scene: bpy.types.Scene, tests: list[NamedTest]) -> None:
    """Adds tests to those of a scene; one of the same name is replaced."""
    known = scene.meshclash.kept_tests
    for test in tests:
        item = known.get(test.name) or known.add()
        item.keep(test)
        scene.meshclash.active_test = known.find(test.name)


def disciplines(scene: bpy.types.Scene, by: str) -> dict[str, str]:
    """The sets that a matrix is made of.

    Args:
        scene: the scene.
        by: "collection", "material", `WORD`, or a property, as "class", "storey" or one of the user's own.

    Returns:
        What each discipline means, by its name.

    Raises:
        InputError: there are fewer than two, or too many.
    """
    things = [item for item in scene.objects if item is not None and has_shape(item)]
    if by == "collection":
        found = {item.name_full: f"{COLLECTION_PREFIX}{item.name_full}" for item in _branches(scene.collection)}
    elif by == WORD:
        found = {word: f"{OBJECT_PREFIX}{word}*" for word in _words(things)}
    else:
        values = _values(things, by)
        kind = by if by in ("material", "class", "storey", "system", "type") else f"property:{by}="
        found = {text: f"{kind}{'' if kind.endswith('=') else ':'}{text}" for text in values}
    if len(found) < 2:
        raise InputError(
            Sentence("there are fewer than two different disciplines by {by}: choose something else", by=by)
        )
    if len(found) > MOST_DISCIPLINES:
        raise InputError(
            Sentence(
                "there are {count} disciplines by {by}, more than {most}: choose another",
                count=f"{len(found):,}",
                by=by,
                most=MOST_DISCIPLINES,
            )
        )
    return found


def make_matrix(scene: bpy.types.Scene, by: str, options: DetectOptions, within: bool) -> list[NamedTest]:
    """A test for each pair of disciplines, which ask what `options` ask; raises InputError as `disciplines`."""
    return matrix(disciplines(scene, by), _of_its_own(options), within)


def as_test(name: str, options: DetectOptions) -> NamedTest:
    """A test that asks what Detect asks; the scene's excluded pairs are left out of every run, whatever it keeps."""
    return test_of(name, _of_its_own(options))


def _of_its_own(options: DetectOptions) -> DetectOptions:
    return replace(options, rules=replace(options.rules, listed_pairs=frozenset()))


def _branches(root: bpy.types.Collection) -> list[bpy.types.Collection]:
    """The collections at the highest level where there are several with objects."""
    found = [item for item in root.children if any(map(has_shape, item.all_objects))]
    return _branches(found[0]) if len(found) == 1 and not any(map(has_shape, found[0].objects)) else found


def _words(things: list[bpy.types.Object]) -> list[str]:
    """The first words of names; each stands for the names that begin so, and no word begins another."""
    words = sorted({"".join(takewhile(str.isalpha, item.name_full)) for item in things} - {""})
    return [word for word in words if not any(word != other and word.startswith(other) for other in words)]


def _values(things: list[bpy.types.Object], name: str) -> list[str]:
    values = {value for item in things if (value := told(item).get(name)) is not None}
    return sorted({text for value in values for text in (value.split(", ") if name in LISTS else (value,))})
