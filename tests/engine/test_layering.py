"""Rules about the engine's sources that a machine can check: which stage may import which, and what nobody may."""

import ast
import importlib
import inspect
import pkgutil
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import meshclash
import pytest
from layers import (
    ENGINE,
    LAYERS,
    PICTURE,
    ROOMS,
    ROOT,
    SOLVERS,
    SOURCES,
    arrows,
    below,
    imported_modules,
    layer_of,
    picture,
    target_layer,
)
from subprocesses import run_python

FORBIDDEN = ("bpy", "mathutils", "gpu", "bmesh", "numba.cuda", "threading", "pickle")
CUDA_MODULE = ENGINE / "gpu" / "cuda_gpu.py"
"""The one place that may import the CUDA target."""
PERMITTED = ((CUDA_MODULE, "numba.cuda"),)


def ids(paths):
    return [str(path.relative_to(ENGINE)) for path in paths]


@pytest.mark.parametrize("path", SOURCES, ids=ids(SOURCES))
def test_imports_point_down_only(path):
    own = LAYERS.index(layer_of(path))
    for level, name in imported_modules(path):
        if level:
            target = target_layer(path, level, name)
            assert target in LAYERS, f"{target} is no known stage"
            assert LAYERS.index(target) <= own, f"{layer_of(path)} imports {target}, which is above it"


@pytest.mark.parametrize("path", SOURCES, ids=ids(SOURCES))
def test_nothing_of_blender_cuda_or_threads_is_imported(path):
    for level, name in imported_modules(path):
        forbidden = [f for f in FORBIDDEN if (path, f) not in PERMITTED]
        bad = [f for f in forbidden if level == 0 and (name == f or name.startswith(f + "."))]
        assert not bad, name
        assert level or name.split(".")[0] not in ("bench", "oracles", "tasks"), "these are in no package"


def test_what_needs_a_device_is_imported_by_its_like_only():
    """Modules that import CUDA end in _gpu, and nothing else imports them: the package works without CUDA."""
    for path in SOURCES:
        if path.stem.endswith("_gpu"):
            continue
        assert not [name for level, name in imported_modules(path) if level and "_gpu" in name], path


def test_only_workers_import_dask():
    """Here, where no thread of Dask runs: Python 3.11.7 cannot parse in two threads at once."""
    importers = [
        path.name
        for folder in ("addon", "engine", "blender_scripts")
        for path in (ROOT / folder).rglob("*.py")
        if {name.split(".")[0] for level, name in imported_modules(path) if level == 0} & {"dask", "distributed"}
    ]
    assert importers == ["dask_workers.py"]


def test_only_answering_asks_devices():
    """Above ``answering`` nothing imports ``gpu``, but kernels of other systems, the lab and the package's settings."""
    for path in SOURCES:
        above = LAYERS.index("answering") < LAYERS.index(layer_of(path)) < len(LAYERS) - 1
        if not above or path.stem.endswith("_gpu") or layer_of(path) == "lab":
            continue
        targets = [target_layer(path, level, name) for level, name in imported_modules(path) if level]
        assert "gpu" not in targets, path


def test_only_command_lines_import_the_application():
    """``clash`` stands above the library, which is complete without it."""
    importers = [
        path.relative_to(ENGINE).as_posix()
        for path in SOURCES
        if layer_of(path) != "clash"
        and "clash" in {target_layer(path, level, name) for level, name in imported_modules(path) if level}
    ]
    assert importers == ["commands.py"]


def test_the_application_does_not_name_blender():
    """The extension and the command line share it."""
    pattern = re.compile(r"blender|\bbpy\b|\baddon\b", re.IGNORECASE)
    sources = [path for path in SOURCES if layer_of(path) == "clash"]
    assert sources and not [path.name for path in sources if pattern.search(path.read_text("utf-8"))]


@pytest.mark.parametrize("path", SOURCES, ids=ids(SOURCES))
def test_the_engine_never_imports_itself_by_name(path):
    """It also runs as a sub-package of the extension."""
    assert not [name for level, name in imported_modules(path) if level == 0 and name.split(".")[0] == "meshclash"]


@pytest.mark.parametrize("path", SOURCES, ids=ids(SOURCES))
def test_relative_imports_stay_inside_the_package(path):
    depth = len(path.relative_to(ENGINE).parts)
    assert all(level <= depth for level, _ in imported_modules(path))


def test_every_stage_is_named_in_the_order():
    found = {layer_of(path) for path in SOURCES}
    assert found == set(LAYERS)


def test_rooms_import_down_only_and_solvers_no_other_solver():
    order = list(ROOMS)
    for room, targets in arrows(typed=True).items():
        assert all(order.index(target) < order.index(room) for target in targets), f"{room} looks up: {targets}"
    for solver in SOLVERS:
        assert below(solver).isdisjoint(SOLVERS), f"{solver} stands on another solver"


def test_the_picture_of_the_rooms_is_drawn_from_the_imports():
    assert PICTURE.read_text("utf-8") == picture(), "draw it anew: python tests/engine/layers.py"
    assert all(f">{room}</text>" in picture() for room in arrows())


def test_the_check_sees_imports_of_every_form(tmp_path):
    source = tmp_path / "some.py"
    source.write_text(
        "import numba.cuda\nfrom ..types import mesh\ndef f():\n    from . import bvh\nfrom numba import cuda\n"
    )
    assert imported_modules(source) == [(0, "numba.cuda"), (2, "types.mesh"), (1, "bvh"), (0, "numba.cuda")]
    source.write_text("if typing.TYPE_CHECKING:\n    from .a import b\nelse:\n    from .c import d\n")
    assert [len(imported_modules(source, typed)) for typed in (True, False)] == [2, 1]
    inside = ENGINE / "hierarchy" / "build.py"
    assert [target_layer(inside, level, name) for level, name in ((2, "types.mesh"), (1, "bvh"))] == [
        "types",
        "hierarchy",
    ]


SUBJECTS = "clouds", "lab", "massive", "motion", "shapes", "voxels"


@pytest.mark.parametrize("subject", ["", *SUBJECTS])
def test_public_names_are_those_that_type_checkers_see(subject):
    package = importlib.import_module(f"meshclash.{subject}".rstrip("."))
    stub = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text("utf-8"))
    lines = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.module]
    assert package.__all__ == sorted(alias.asname for node in lines for alias in node.names)
    for node in lines:
        module = importlib.import_module("." * node.level + node.module, package.__name__)
        assert all(getattr(package, alias.asname) is getattr(module, alias.name) for alias in node.names)


def test_no_public_name_stands_in_two_packages():
    packages = [meshclash, *(getattr(meshclash, subject) for subject in SUBJECTS)]
    every = [name for package in packages for name in package.__all__]
    assert len(every) == len(set(every))


def test_no_public_name_is_that_of_a_module():
    """Importing the module would put it in the place of the name."""
    for package in [meshclash, *(getattr(meshclash, subject) for subject in SUBJECTS)]:
        assert {name for _, name, _ in pkgutil.iter_modules(package.__path__)}.isdisjoint(package.__all__), package


@pytest.mark.parametrize("subject", ["", *SUBJECTS, "clash", "manifold"])
def test_dir_shows_the_public_names_only(subject):
    package = importlib.import_module(f"meshclash.{subject}".rstrip("."))
    shown = {name for name in dir(package) if not name.startswith("__")}
    packages = {"clash", "lab", "manifold", *SUBJECTS} if package is meshclash else set()
    assert shown == {*package.__all__, *packages}


def test_signatures_name_types_as_the_source_does():
    """An alias that Python writes out fills a screen of ``help``."""
    packages = [meshclash, *(importlib.import_module(f"meshclash.{name}") for name in (*SUBJECTS, "clash", "manifold"))]
    functions = {getattr(package, name) for package in packages for name in package.__all__}
    functions |= {
        method for kind in functions if inspect.isclass(kind) for method in vars(kind).values()
        if inspect.isfunction(method)
    }  # fmt: skip
    shown = {
        function.__qualname__: str(inspect.signature(function)) for function in functions if inspect.isroutine(function)
    }
    assert len(shown) > 200 and not [name for name, text in shown.items() if "numpy._typing" in text]


def test_names_that_do_not_exist_are_refused():
    for name in ("no_such_name", "_private", "__wrapped__"):
        with pytest.raises(AttributeError, match=name):
            getattr(meshclash, name)
    with pytest.raises(ImportError):
        exec("from meshclash import no_such_name")


LAZY = """
import json, sys
import meshclash
before = "numba" in sys.modules
listed = set(meshclash.__all__) <= set(dir(meshclash))
still = "numba" in sys.modules
error, jit = meshclash.errors.InvalidMesh, meshclash.jit.kernel
same = error is meshclash.InvalidMesh
some = [name for name in sys.modules if name.startswith("meshclash.")]
names = {}
exec("from meshclash import *", names)
import pickle, pydoc
pickled = pickle.loads(pickle.dumps(meshclash.TriangleMesh)) is meshclash.TriangleMesh
text = pydoc.render_doc(meshclash, renderer=pydoc.plaintext)
documented = [name for name in meshclash.__all__ if name in text]
print(json.dumps([
    before, still, listed, same, some, sorted(set(names) - {"__builtins__"}), pickled, documented, meshclash.__all__
]))
"""


def test_a_name_is_imported_when_it_is_asked_for():
    before, still, listed, same, some, starred, pickled, documented, everything = run_python(LAZY)
    assert (before, still, listed, same, pickled) == (False, False, True, True, True)
    assert "meshclash.jit" in some and "meshclash.query.collide" not in some
    assert starred == documented == everything


@cache
def imports_of(path: Path) -> set[Path]:
    """The engine's sources that a module imports, also inside functions, but not for type checkers."""
    found = {path.parent / "__init__.py"} if path.parent != ENGINE else set()

    def visit(nodes):
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.level:
                folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                places = [
                    place for place in (folder, *(folder / alias.name for alias in node.names)) if place != ENGINE
                ]
                found.update(place.with_suffix(".py") for place in places)
                found.update(place / "__init__.py" for place in places)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                visit(node.orelse)
            else:
                visit(ast.iter_child_nodes(node))

    visit(ast.parse(path.read_text("utf-8")).body)
    return {file for file in found - {path} if file.is_file()}


def test_any_module_may_be_imported_first():
    """No module waits, while it is imported, for one that waits for it; a topological order proves it."""
    TopologicalSorter({path: imports_of(path) for path in SOURCES}).prepare()  # raises CycleError


def test_the_search_for_cycles_sees_one():
    inside = {path: imports_of(path) for path in SOURCES}
    assert ENGINE / "jit.py" in inside[ENGINE / "reference.py"] | inside[ENGINE / "traversal" / "pairs.py"]
    inside[ENGINE / "errors.py"] = {ENGINE / "jit.py"}
    with pytest.raises(CycleError):
        TopologicalSorter(inside).prepare()


PROMISED = (
    "TriangleMesh", "Pose", "split_matrix", "collide", "collides", "self_collide", "verdict", "build", "refit", "Scene",
    "warm_up", "steps", "ContactKind", "Verdict", "QueryStats", "Progress", "MeshClashError",
    "InvalidMesh", "InvalidPose", "UnknownObject", "UnsupportedOption", "DeviceUnavailable",
)  # fmt: skip


def test_promised_names_are_there():
    assert set(PROMISED) <= set(meshclash.__all__)


def public_objects():
    """Every public class, function, method and property of every module."""
    names = [name for _, name, _ in pkgutil.walk_packages(meshclash.__path__, "meshclash.")]
    names = [name for name in names if not name.endswith("_gpu")]
    for module in [meshclash, *(__import__(name, fromlist=["_"]) for name in names)]:
        yield module.__name__, module
        for name, value in vars(module).items():
            function = getattr(value, "py_func", value)
            if name.startswith("_") or getattr(function, "__module__", None) != module.__name__:
                continue
            if inspect.isclass(value):
                yield f"{module.__name__}.{name}", value
                for attribute, member in vars(value).items():
                    inner = getattr(member, "fget", None) or getattr(member, "func", None) or member
                    inner = getattr(inner, "__func__", inner)
                    if not attribute.startswith("_") and inspect.isfunction(inner) and inner.__name__ == attribute:
                        yield f"{module.__name__}.{name}.{attribute}", inner
            elif inspect.isfunction(function):
                yield f"{module.__name__}.{name}", function


def test_every_public_name_has_a_docstring():
    objects = dict(public_objects())
    assert len(objects) > 100
    missing = [name for name, value in objects.items() if not (value.__doc__ or "").strip()]
    assert missing == []


def test_helpers_of_tests_are_modules_of_their_own():
    """A test module that imports another one runs its fixtures and decorators, and ties two subjects together."""
    folder = Path(__file__).parents[1]
    importing = re.compile(r"^\s*(?:from|import) test_\w+", re.MULTILINE)
    assert importing.search("\nfrom test_volumes import shape\n")
    assert [path.name for path in folder.rglob("*.py") if importing.search(path.read_text(encoding="utf-8"))] == []


def test_no_two_classes_of_the_engine_share_a_name():
    """A reader who meets a name looks for one meaning; ``compat`` has the names of other libraries."""
    public = re.compile(r"^class ([A-Z]\w*)", re.MULTILINE)
    own = [path for path in SOURCES if not path.is_relative_to(ENGINE / "compat")]
    names = [name for path in own for name in public.findall(path.read_text(encoding="utf-8"))]
    assert sorted({name for name in names if names.count(name) > 1}) == []
    assert "Question" in names
