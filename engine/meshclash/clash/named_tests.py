"""Named tests that are saved and run together, as JSON of schema `meshclash.tests/1`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from ..messages import Sentence
from .errors import InputError
from .ifc_clash import is_ifc_clash, of_ifc_clash
from .json_files import is_number, read_json
from .matrix_files import read_matrix
from .option_table import OPTIONS
from .options import DEFAULT_TEST, DetectOptions
from .rules import ALL_PAIRS, MODEL_PAIRS, Rules

TESTS_SCHEMA = "meshclash.tests/1"
RULES = ("same-parent", "same-armature", "same-collection")
VALUES = ("set_a", "set_b", *OPTIONS)
"""Keys of a test that are fields of `DetectOptions`; missing keys have their default values."""
KEYS = ("name", "kind", *VALUES, "pairs", "exclude", "exclude_pairs")
_DEFAULTS = {item.name: item.default for item in fields(DetectOptions)}


@dataclass(frozen=True)
class NamedTest:
    """A test with a name.

    Attributes:
        name: unique name of the test.
        options: the options of the test; the frames belong to a run and are not stored.
    """

    name: str
    options: DetectOptions

    def as_dict(self) -> dict[str, Any]:
        """Return the test for JSON: lengths in metres; options with their default are left out."""
        options, rules = self.options, self.options.rules
        found: dict[str, Any] = {
            "name": self.name,
            "kind": options.test,
            "set_a": options.set_a,
            "set_b": options.set_b,
        }
        found |= {name: getattr(options, name) for name in VALUES if getattr(options, name) != _DEFAULTS[name]}
        exclude = [name for name in RULES if getattr(rules, name.replace("-", "_"))]
        pairs = sorted(sorted(pair) for pair in rules.listed_pairs)
        found |= {"pairs": rules.models} if rules.models != ALL_PAIRS else {}
        return found | ({"exclude": exclude} if exclude else {}) | ({"exclude_pairs": pairs} if pairs else {})


def matrix(sets: Mapping[str, str], options: DetectOptions, within: bool = False) -> list[NamedTest]:
    """Return a test for each pair of disciplines.

    Args:
        sets: the set expression of each discipline, by its name.
        options: the options that all tests share; their sets are replaced.
        within: whether disciplines are also tested against themselves.
    """
    names = list(sets)
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k if within else k + 1 :]]
    return [test_of(a if a == b else f"{a} × {b}", options, set_a=sets[a], set_b=sets[b]) for a, b in pairs]


def test_of(name: str, options: DetectOptions, **values: Any) -> NamedTest:
    """Return a test with the given options, except for some values."""
    return NamedTest(name, replace(options, frames=None, **values))


def to_json(tests: Sequence[NamedTest]) -> str:
    """Write strict JSON of schema `meshclash.tests/1`."""
    data = {"schema": TESTS_SCHEMA, "unit": "m", "tests": [test.as_dict() for test in tests]}
    return json.dumps(data, allow_nan=False, ensure_ascii=False, indent=1) + "\n"


def schema() -> dict[str, Any]:
    """Return the JSON schema of a list of tests, which `docs/tests.schema.json` contains."""
    text = {"type": "string", "minLength": 1}
    pair = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}
    test = {
        **dict.fromkeys(("name", "kind", "set_a", "set_b"), text),
        **{option.name: option.schema() for option in OPTIONS.values()},
        "pairs": {"enum": list(MODEL_PAIRS)},
        "exclude": {"type": "array", "items": {"enum": list(RULES)}},
        "exclude_pairs": {"type": "array", "items": pair},
    }
    tests = {"type": "object", "required": ["name"], "additionalProperties": False, "properties": test}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": TESTS_SCHEMA,
        "title": "Named tests of MeshClash", "type": "object", "required": ["schema", "tests"],
        "additionalProperties": False,
        "properties": {
            "schema": {"const": TESTS_SCHEMA}, "unit": {"const": "m"},
            "tests": {"type": "array", "minItems": 1, "items": tests},
        },
    }  # fmt: skip


def read_tests(path: Path) -> list[NamedTest]:
    """Read the tests of a file: schema `meshclash.tests/1`, a matrix as CSV, or clash sets of IfcClash.

    Raises:
        InputError: the file cannot be read, or a test is wrong; the message names it.
    """
    data = None if path.suffix.lower() == ".csv" else read_json(path, "list of tests")
    try:
        return parse_tests({"schema": TESTS_SCHEMA, "tests": read_matrix(path)} if data is None else data)
    except InputError as error:
        raise InputError(Sentence("'{path}': {why}", path=path, why=error)) from error


def parse_tests(data: Any) -> list[NamedTest]:
    """Return the tests in a dictionary of schema `meshclash.tests/1`, or in a list of clash sets; raises InputError."""
    if is_ifc_clash(data):
        found = of_ifc_clash(data)
    elif not isinstance(data, dict) or data.get("schema") != TESTS_SCHEMA:
        raise InputError(
            Sentence(
                'no tests of schema {schema}, and no clash sets of IfcClash: write "schema": "{schema}"',
                schema=TESTS_SCHEMA,
            )
        )
    elif not isinstance(data.get("tests"), list):
        raise InputError("'tests' must be a list")
    else:
        found = data["tests"]
    tests = [_test(item, number) for number, item in enumerate(found, start=1)]
    if not tests:
        raise InputError("there are no tests")
    check_names([test.name for test in tests])
    return tests


def check_names(names: Sequence[str]) -> None:
    """Raise InputError if two tests have the same name."""
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise InputError(Sentence("two tests are called '{name}'", name=twice))


def _test(item: Any, number: int) -> NamedTest:
    if not isinstance(item, dict) or not isinstance(item.get("name"), str) or not item["name"].strip():
        raise InputError(Sentence("test {number} has no name", number=number))
    name = item["name"]
    try:
        unknown = sorted(set(item) - set(KEYS))
        if unknown:
            raise InputError(
                Sentence("a test has no key {name}; its keys are {keys}", name=repr(unknown[0]), keys=", ".join(KEYS))
            )
        given = {key: _value(key, item[key]) for key in VALUES if key in item}
        rules = _rules(item.get("exclude", []), item.get("exclude_pairs", []), item.get("pairs", ALL_PAIRS))
        return NamedTest(name, DetectOptions(test=_value("kind", item.get("kind", DEFAULT_TEST)), rules=rules, **given))
    except InputError as error:
        raise InputError(Sentence("test '{name}': {why}", name=name, why=error)) from error


def _value(key: str, value: Any) -> Any:
    """Check the type of a value, and return the value."""
    option = OPTIONS.get(key)
    if option is None or option.kind == "choice":
        right, wanted = isinstance(value, str) and bool(value), "a text"
    elif option.kind == "fits":
        right, wanted = _is_fits(value), "a list of two names and a length [m] each"
    elif option.kind == "flag":
        right, wanted = isinstance(value, bool), "true or false"
    elif option.kind == "count":
        right, wanted = isinstance(value, int) and not isinstance(value, bool), "a whole number"
    else:
        right, wanted = is_number(value) or (bool(option.words) and isinstance(value, str)), "a number"
    if not right:
        raise InputError(
            Sentence("{key} must be {wanted}, not {given}", key=key, wanted=wanted, given=f"{value!r:.60}")
        )
    return value


def _is_fits(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(fit, list) and len(fit) == 3 and all(isinstance(x, str) for x in fit[:2]) and is_number(fit[2])
        for fit in value
    )


def _rules(exclude: Any, pairs: Any, models: Any) -> Rules:
    if not isinstance(exclude, list) or not all(rule in RULES for rule in exclude):
        raise InputError(
            Sentence("exclude must be a list of {rules}, not {given}", rules=", ".join(RULES), given=f"{exclude!r:.60}")
        )
    right = isinstance(pairs, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair) for pair in pairs
    )
    if not right:
        raise InputError(
            Sentence("exclude_pairs must be a list of pairs of names, not {given}", given=f"{pairs!r:.60}")
        )
    listed = frozenset((pair[0], pair[1]) for pair in pairs)
    if models not in MODEL_PAIRS:
        raise InputError(
            Sentence("pairs must be one of {names}, not {given}", names=", ".join(MODEL_PAIRS), given=f"{models!r:.60}")
        )
    return Rules("same-parent" in exclude, "same-armature" in exclude, "same-collection" in exclude, listed, models)
