"""Convert clash sets of IfcClash 0.9 to tests of MeshClash, and back.

A clash set of IfcClash names files. For each file, a selector of IfcOpenShell is included ("i") or left out ("e"), or
all elements are included ("a"). The set searches for intersections deeper than a tolerance, for collisions, or for a
clearance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any

from ..messages import Sentence
from ..reading.file_names import file_names
from .errors import InputError
from .sets import AND, EVERYTHING, NOT, OR

if TYPE_CHECKING:
    from .named_tests import NamedTest

MODES = ("intersection", "collision", "clearance")


def is_ifc_clash(data: Any) -> bool:
    """Return whether JSON data is a list of clash sets."""
    return isinstance(data, list) and bool(data) and all(isinstance(item, dict) and "mode" in item for item in data)


def of_ifc_clash(data: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return clash sets in the form that `named_tests` reads; raises InputError."""
    names = _file_names([text for item in data for side in ("a", "b") for text in _files(item.get(side))])
    return [_of_clash_set(item, names) for item in data]


def _files(sources: Any) -> list[str]:
    """Return the files of one side of a clash set, if it is a list of sources."""
    listed = sources if isinstance(sources, list) else []
    return [str(item.get("file") or "") for item in listed if isinstance(item, dict)]


def _of_clash_set(item: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    name, mode = item.get("name"), item["mode"]
    if mode not in MODES:
        raise InputError(
            Sentence(
                "clash set '{name}': {why}",
                name=name,
                why=f"there is no mode {mode!r:.60}; there are {', '.join(MODES)}",
            )
        )
    set_a = _set(item.get("a"), name, names)
    found = {"name": name, "set_a": set_a, "set_b": _set(item["b"], name, names) if item.get("b") else set_a}
    if mode == "clearance":
        return {**found, "kind": "clearance", "tolerance": item.get("clearance", 0.0)}
    permitted = item.get("tolerance", 0.0) if mode == "intersection" else 0.0
    return {**found, "kind": "intersection", "permitted_overlap": permitted}


def _set(sources: Any, name: Any, names: Mapping[str, str]) -> str:
    if not isinstance(sources, list) or not all(isinstance(item, dict) for item in sources):
        raise InputError(
            Sentence("clash set '{name}': {why}", name=name, why="its sources must be a list of files with selectors")
        )
    return OR.join(dict.fromkeys(_source(item, name, names) for item in sources)) or EVERYTHING


def _source(item: dict[str, Any], name: Any, names: Mapping[str, str]) -> str:
    file, mode, selector = str(item.get("file") or ""), item.get("mode") or "a", str(item.get("selector") or "")
    if mode not in ("a", "e", "i"):
        raise InputError(
            Sentence("clash set '{name}': {why}", name=name, why=f"the mode of a source is a, e or i, not {mode!r:.60}")
        )
    if OR in selector or AND in selector:
        raise InputError(
            Sentence(
                "clash set '{name}': {why}", name=name, why=f"the selector {selector!r:.60} has '{OR}' or '{AND}' in it"
            )
        )
    terms = [f"collection:{names[file]}"] if file else []
    if mode != "a" and selector:
        terms.append(f"{NOT if mode == 'e' else ''}selector:{selector}")
    return AND.join(terms) or EVERYTHING


def _file_names(files: Sequence[str]) -> dict[str, str]:
    """Return the collection names of files by path; "one.ifc" also matches "models/one.ifc"."""
    paths = {file: PurePosixPath(PureWindowsPath(file).as_posix()) for file in files}
    wholes = [_whole(path, list(paths.values())) for path in paths.values()]
    return dict(zip(paths, file_names(wholes), strict=True))


def _whole(path: PurePosixPath, paths: Sequence[PurePosixPath]) -> PurePosixPath:
    """Return the longest path that ends with the given path; the given path itself if several different ones do."""
    longer = [other for other in paths if _is_tail(path, other)]
    longest = max(longer, key=lambda other: len(other.parts), default=path)
    return longest if all(_is_tail(other, longest) for other in longer) else path


def _is_tail(path: PurePosixPath, of: PurePosixPath) -> bool:
    return bool(path.parts) and of.parts[-len(path.parts) :] == path.parts


def to_ifc_clash(tests: Sequence[NamedTest], files: Sequence[str]) -> list[dict[str, Any]]:
    """Convert tests to clash sets.

    Args:
        tests: intersection or clearance tests whose sets can be written as selectors.
        files: paths of the IFC files, for sets that do not name one.

    Raises:
        InputError: a test cannot be written as a clash set; the message names it.
    """
    return [_clash_set(test, files) for test in tests]


def _clash_set(test: NamedTest, files: Sequence[str]) -> dict[str, Any]:
    options = test.options
    try:
        found = {"name": test.name, "a": _sources(options.set_a, files)}
        if options.set_b != options.set_a:
            found["b"] = _sources(options.set_b, files)
        if options.test == "clearance":
            return {**found, "mode": "clearance", "clearance": options.tolerance, "check_all": False}
        if options.test == "intersection":
            return {**found, "mode": "intersection", "tolerance": options.permitted_length, "check_all": False}
        raise InputError(f"it has no {options.test} test")
    except InputError as error:
        raise InputError(f"test '{test.name}' cannot be written as a clash set of IfcClash: {error}") from error


def _sources(expression: str, files: Sequence[str]) -> list[dict[str, Any]]:
    found, names = [], _file_names(files)
    for part in expression.split(OR):
        terms = [term.strip() for term in part.split(AND)]
        named = [term.removeprefix("collection:") for term in terms if term.startswith("collection:")]
        rest = [term for term in terms if not term.startswith("collection:") and term != EVERYTHING]
        own = [file for file in files if names[file] in named] if named else list(files)
        if len(named) > 1 or (named and not own):
            raise InputError(f"'{part}' is not one of the given files")
        selector, mode = ("", "a") if not rest else _selector(rest)
        found += [{"file": file, "mode": mode, **({"selector": selector} if selector else {})} for file in own]
    return found


def _selector(terms: Sequence[str]) -> tuple[str, str]:
    if len(terms) == 1 and terms[0].startswith(NOT):
        return _facet(terms[0].removeprefix(NOT)), "e"
    if any(term.startswith(NOT) for term in terms):
        raise InputError("a clash set can exclude only one selector, without other terms")
    facets = sorted((_facet(term) for term in terms), key=lambda text: not text.startswith("Ifc"))
    if not facets[0].startswith("Ifc"):
        facets.insert(0, "IfcElement")
    return ", ".join(facets), "i"


def _facet(term: str) -> str:
    """Convert a term to a facet of IfcOpenShell's selectors."""
    kind, _, wanted = term.partition(":")
    if kind == "selector":
        return wanted
    written = {"storey": "location", "type": "type", "material": "material", "object": "Name", "GlobalId": "GlobalId"}
    if kind == "class" and not set(wanted) & set("*?[]"):
        return wanted
    if kind in written and not set(wanted) & set('*?[]"'):
        return f'{written[kind]}="{wanted}"'
    raise InputError(f"IfcOpenShell has no selector for '{term}'")
