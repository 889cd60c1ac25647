"""Modules of the extension import downwards only, also inside functions."""

import ast
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ADDON = Path(__file__).resolve().parents[2] / "addon"
SOURCES = sorted(ADDON.rglob("*.py"))


LAYERS = (
    {"core"},
    {"adapters"},
    {
        "redraw",
        "reactions",
        "screens",
        "translations",
        "running_work",
        "shown_levels",
        "shown_things",
        "scene_results",
        "engine",
        "preferences",
    },
    {"bvhtree", "early_bytecode", "kernel_building"},
    {"histories", "kept_tests", "props", "reviews", "texts", "freshness", "ghosting", "view_notes"},
    {"results", "events_list", "refining", "groups"},
    {"view", "overlay"},
    {"ui"},
    {"ops", "commandline"},
    {"handlers", "keys", "__init__", "presets"},
)
"""Modules and folders of the extension, the lowest first; those of one layer may import each other."""


def layer(path: Path) -> int:
    """The place of a source in `LAYERS`."""
    name = path.relative_to(ADDON).parts[0].removesuffix(".py")
    return next(place for place, names in enumerate(LAYERS) if name in names)


def targets(path: Path, node: ast.ImportFrom) -> Iterable[Path]:
    """The sources that a relative import leads to: modules by name, or the package whose names are taken."""
    folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
    for alias in node.names:
        places = folder / f"{alias.name}.py", folder / alias.name / "__init__.py", folder.with_suffix(".py")
        yield next((place for place in places if place.is_file()), folder / "__init__.py")


def imported(path: Path, text: str = "") -> set[Path]:
    """What a source, or other text in its place, imports, type checkers' imports aside."""
    found: set[Path] = set()

    def visit(nodes):
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.level:
                found.update(targets(path, node))
            typed = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            visit(node.orelse if typed else ast.iter_child_nodes(node))

    visit(ast.parse(text or path.read_text("utf-8")).body)
    return {target for target in found - {path} if target.is_file()}


def test_no_module_waits_for_one_that_waits_for_it():
    TopologicalSorter({path: imported(path) for path in SOURCES}).prepare()  # raises CycleError


def test_the_search_sees_a_circle():
    graph = {path: imported(path) for path in SOURCES}
    assert ADDON / "running_work.py" in graph[ADDON / "ops" / "loading.py"]
    graph[ADDON / "running_work.py"] = {ADDON / "ops" / "loading.py"}
    with pytest.raises(CycleError):
        TopologicalSorter(graph).prepare()


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    from ..ops import loading",
        "class A:\n    async def f(self):\n        with x:\n            from ..ops.loading import y",
        "try:\n    pass\nexcept E:\n    from ..ops import loading",
        "if TYPE_CHECKING:\n    from .report import z\nelse:\n    from ..ops import loading",
    ],
)
def test_the_search_sees_imports_inside_of_anything(text):
    assert imported(ADDON / "core" / "rows.py", text) == {ADDON / "ops" / "loading.py"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ADDON)))
def test_modules_of_the_extension_are_imported_by_relative_statements_only(path):
    """Any other way would not be seen above, and fails where the extension has another name."""
    tree = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    names = [alias.name for node in tree if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in tree if isinstance(node, ast.ImportFrom) and not node.level]
    assert "addon" not in {name.split(".")[0] for name in names}
    called = {node.attr for node in tree if isinstance(node, ast.Attribute)}
    called |= {node.id for node in tree if isinstance(node, ast.Name)}
    assert path.name == "engine.py" or not {"import_module", "__import__"} & called  # which loads the engine


@pytest.mark.parametrize("path", sorted((ADDON / "core").rglob("*.py")), ids=lambda path: path.name)
def test_the_core_knows_nothing_of_blender_or_of_what_is_above_it(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        assert not {name.split(".")[0] for name in names} & {"bpy", "gpu", "mathutils", "bmesh", "bl_ui"}
    assert all(target.is_relative_to(ADDON / "core") for target in imported(path)), imported(path)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ADDON)))
def test_nothing_is_imported_from_above(path):
    above = [str(target.relative_to(ADDON)) for target in imported(path) if layer(target) > layer(path)]
    assert not above, f"{path.relative_to(ADDON)} imports {above}"


def test_every_name_of_the_layers_is_there():
    there = {path.relative_to(ADDON).parts[0].removesuffix(".py") for path in SOURCES}
    assert there == set().union(*LAYERS)
