"""Named tests that are saved in the file: their options, which of them are enabled, and matrices of disciplines.

A test is saved as JSON. If a set is a single collection or object, a pointer to it is saved, so that it can be renamed.
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

MOST_DISCIPLINES, MOST_IN_GRID = 40, 8
WORD = "word"
"""Option to use the first word of a name, up to the first character that is neither letter nor digit."""


class MESHCLASH_PG_kept_test(PropertyGroup):
    """A named test that is stored in the file; `name` is its name."""

    definition: StringProperty(description="What it asks, as JSON", options={"HIDDEN"})
    enabled: BoolProperty(name="Run", description="Include this test when you run the tests", default=True)
    collection_a: PointerProperty(type=bpy.types.Collection, options={"HIDDEN"})
    collection_b: PointerProperty(type=bpy.types.Collection, options={"HIDDEN"})
    object_a: PointerProperty(type=bpy.types.Object, options={"HIDDEN"})
    object_b: PointerProperty(type=bpy.types.Object, options={"HIDDEN"})

    def data(self) -> dict[str, Any]:
        """Return the test as JSON data, with the current names of its sets.

        Raises:
            InputError: the saved data are damaged; the message names the test.
        """
        try:
            data = dict(json.loads(self.definition))
        except (ValueError, TypeError, RecursionError) as error:
            raise InputError(Sentence("test '{name}' is damaged: remove it", name=self.name)) from error
        sets = {f"set_{side}": self._expression(side, str(data.get(f"set_{side}", "all"))) for side in "ab"}
        return {**data, **sets, "name": self.name}

    def named_test(self) -> NamedTest:
        """Return the test; raises InputError."""
        (test,) = parse_tests({"schema": TESTS_SCHEMA, "tests": [self.data()]})
        return test

    def keep(self, test: NamedTest) -> None:
        """Store the options of `test` in this test."""
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
    """Return the tests of a scene; the scene's excluded pairs are added to each.

    Args:
        scene: the scene.
        enabled: whether disabled tests are left out.

    Raises:
        InputError: a test is damaged, or the list is empty.
    """
    excluded = scene.meshclash.excluded_names
    found = [item.named_test() for item in scene.meshclash.kept_tests if item.enabled or not enabled]
    if not found:
        raise InputError("no test is chosen to run" if len(scene.meshclash.kept_tests) else "there are no tests")
    return [replace(test, options=_without(test.options, excluded)) for test in found]


def are_asked(scene: bpy.types.Scene, asked: Sequence[NamedTest]) -> bool:
    """Return whether the enabled tests equal the given tests, apart from pairs that were excluded since.

    Raises:
        InputError: a test is damaged.
    """
    kept = [_own(item.data()) for item in scene.meshclash.kept_tests if item.enabled]
    return kept == [_own(test.as_dict()) for test in asked]


def grid(tests: Sequence[MESHCLASH_PG_kept_test]) -> tuple[list[str], dict[tuple[int, int], MESHCLASH_PG_kept_test]]:
    """Return tests as a matrix: the names of rows and columns, and each test by its row and column, the smaller first.

    Returns:
        Nothing if the tests are no matrix, because their sets are of several kinds or several tests are in one cell,
        or if the matrix is too large for a panel.
    """
    names: dict[tuple[str, str], int] = {}
    cells: dict[tuple[int, int], MESHCLASH_PG_kept_test] = {}
    for test in tests if len(tests) <= MOST_IN_GRID**2 else ():
        try:
            data = test.data()
        except InputError:
            return [], {}
        sets = [str(data.get(f"set_{side}", "all")).partition(":") for side in "ab"]
        row, column = sorted(names.setdefault((kind, name), len(names)) for kind, _, name in sets)
        if (row, column) in cells:
            return [], {}
        cells[row, column] = test
    kinds = {kind for kind, _ in names}
    if len(kinds) != 1 or not 2 <= len(names) <= MOST_IN_GRID or not all(name for _, name in names):
        return [], {}
    return [name for _, name in names], cells


def _own(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != "exclude_pairs"}


def _without(options: DetectOptions, excluded: frozenset[tuple[str, str]]) -> DetectOptions:
    rules = options.rules
    return replace(options, rules=replace(rules, listed_pairs=rules.listed_pairs | excluded))


def keep(scene: bpy.types.Scene, tests: list[NamedTest]) -> None:
    """Add tests to a scene; tests with the same name are replaced."""
    known = scene.meshclash.kept_tests
    for test in tests:
        item = known.get(test.name) or known.add()
        item.keep(test)
        scene.meshclash.active_test = known.find(test.name)


def disciplines(scene: bpy.types.Scene, by: str) -> dict[str, str]:
    """Return the sets of a matrix of disciplines.

    Args:
        scene: the scene.
        by: "collection", "material", `WORD`, or a property such as "class", "storey" or a custom property.

    Returns:
        The set expression of each discipline, by its name.

    Raises:
        InputError: the number of disciplines is below two, or too large.
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
    """Return a test for each pair of disciplines, with the given options; raises InputError as `disciplines`."""
    return matrix(disciplines(scene, by), _of_its_own(options), within)


def as_test(name: str, options: DetectOptions) -> NamedTest:
    """Return a test with the options of Detect, without excluded pairs: every run adds the scene's excluded pairs."""
    return test_of(name, _of_its_own(options))


def _of_its_own(options: DetectOptions) -> DetectOptions:
    return replace(options, rules=replace(options.rules, listed_pairs=frozenset()))


def _branches(root: bpy.types.Collection) -> list[bpy.types.Collection]:
    """Return the collections at the highest level that has several collections with objects."""
    found = [item for item in root.children if any(map(has_shape, item.all_objects))]
    return _branches(found[0]) if len(found) == 1 and not any(map(has_shape, found[0].objects)) else found


def _words(things: list[bpy.types.Object]) -> list[str]:
    """Return first words of names. Each selects all names that begin with it, and no word begins with another word of
    the result.
    """
    words = sorted({"".join(takewhile(str.isalpha, item.name_full)) for item in things} - {""})
    return [word for word in words if not any(word != other and word.startswith(other) for other in words)]


def _values(things: list[bpy.types.Object], name: str) -> list[str]:
    values = {value for item in things if (value := told(item).get(name)) is not None}
    return sorted({text for value in values for text in (value.split(", ") if name in LISTS else (value,))})
