"""Load the engine, or raise an error that explains why it cannot be loaded.

An installed extension contains the engine as its sub-package `meshclash`; in a checkout it is the installed package.
Numba is imported only here, on first use, so that Blender does not open its libraries at startup.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from meshclash.clash.errors import InputError
from meshclash.clash.terminal import say
from meshclash.messages import Sentence, capital

from .core.bytecode import bytecode_steps

SUB_PACKAGE = "meshclash"
NUMBA_TESTED = "0.68"
PRELOADED = (
    "uuid", "logging", "llvmlite.ir", "llvmlite.binding", "importlib.metadata", "fractions", "numpy.random",
    "numpy.polynomial", "numba", "numba.cpython.unicode", "numba.np.arrayobj", "numba.np.random.legacy",
    "numba.np.linalg", "numba.np.arraymath", "numba.np.npyimpl", "numba.np.random.generator_methods",
    "numba.cpython.setobj", "numba.core.inline_closurecall",
    "numba.typed.typeddict", "numba.typed.typedset", "numba.experimental.jitclass.base", ".jit",
    ".compile_notice", ".geometry.lane_triangles", ".volumes.registry", ".hierarchy.build", ".traversal.point",
    ".traversal.near_wide", ".traversal.near_engine", ".gpu.device", ".answering.answer", ".solid.nearest_points",
    ".solid.depth_intervals", ".solid.open_judge", ".solid.rules", ".solid.judge",
    ".pointcloud.build", ".pointcloud.cloud", ".pointcloud.query",
    ".voxels.collide", ".massive.inputs", ".massive.mesh",
    ".convex.convexity", ".convex.hull_separation", ".convex.exact_shapes", ".traversal.ray_casting",
    ".query.shortcuts.prepared_contacts", ".query.collide", ".massive.cluster_contacts",
    ".timecritical.search", ".query.shape_pairs", ".scene.object_pair", ".scene.proximity",
    ".scene.scene", ".continuous.impacts", ".query.swept_collide",
    ".query.penetration", ".query.signed_distance", ".query.distance", ".convex.closest_features", ".voxels.map",
    ".massive.levels", ".warming",
)  # fmt: skip
"""Modules that the engine and its first kernel import, in steps that do not block the window for long.

The engine's own modules begin with a dot. Numba itself is imported in one step; its modules for types of Python and
NumPy would otherwise be imported with the first kernel.
"""
COMPILING = "MeshClash compiles on this computer what its package has not brought, once; that takes a minute or two"
PIP_HINT = "pip install 'meshclash[gpu]'"
ZIP_HINT = "it comes with a zip that build_extension.py --gpu makes"
"""The engine's advice if CUDA is missing, and the advice for Blender users instead."""

_engine: ModuleType | None = None
_gpu_from: list[dict[str, int]] = [{}]


class EngineMissing(Exception):
    """The engine cannot be loaded.

    Attributes:
        reason: why the engine cannot be loaded.
        remedy: what the user can do.
    """

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}. {remedy}")
        self.reason = reason
        self.remedy = remedy


def load(cache_dir: str | None = None, quiet: bool = False) -> ModuleType:
    """Return the engine module `meshclash`; the first call imports Numba.

    Args:
        cache_dir: folder for compiled kernels; None leaves the choice to the engine. Only the first call counts.
        quiet: whether the notice before compiling is suppressed.

    Raises:
        EngineMissing: Numba or the engine cannot be imported.
    """
    global _engine  # noqa: PLW0603 - loaded once per process
    if _engine is None:
        _choose_cache(cache_dir)
        _import_numba()
        _engine = _import_engine()
        _imported(".compile_notice").tell_compiling([] if quiet else [_say_compiling])
        if _gpu_from[0]:
            _engine.configure_device(**_gpu_from[0])
    return _engine


def kernel_builder() -> Any:
    """Return the engine's module that compiles kernels in another process; raises EngineMissing."""
    return _imported(".kernels.builder")


def _say_compiling() -> None:
    say(sys.stderr, COMPILING)


def output_file(path: Path, purpose: str, suffixes: tuple[str, ...]) -> Any:
    """Return the engine's `OutputFile`, which raises InputError. Raises EngineMissing. Does not import Numba."""
    return _imported(".output").OutputFile(path, purpose, suffixes, error=InputError)


def use_gpu_from(sizes: dict[str, int] | None) -> None:
    """Set the smallest sizes of questions that are sent to a GPU, now or as soon as the engine is loaded.

    Args:
        sizes: settings of the engine's ``configure_device`` for the queries that a GPU may compute; None disables the
            GPU.
    """
    sizes = sizes or {}
    if _gpu_from[0] == sizes:
        return
    _gpu_from[0] = sizes
    if _engine is not None:
        _engine.configure_device(**sizes)


def device_known() -> tuple[bool, str]:
    """Return whether a GPU can be used and a message about it, without searching for one."""
    if _engine is None:
        return False, "The engine is not loaded yet"
    return _described(_engine.device_state(look=False))


def look_for_gpu(cache_dir: str | None) -> tuple[bool, str]:
    """Search for a GPU; return whether it can be used, and its name or the reason. Raises EngineMissing."""
    return _described(load(cache_dir).device_state(refresh=True))


def _described(state: Any) -> tuple[bool, str]:
    if state.usable:
        return True, f"{state.name}, {state.versions}" if state.versions else state.name
    return False, capital(_for_extension(state.reason))


def _for_extension(text: str) -> str:
    """Replace pip in a message of the engine by the extension's way to install something."""
    if isinstance(text, Sentence):
        return Sentence(text.template, **{name: _for_extension(value) for name, value in text.values.items()})
    return text.replace(PIP_HINT, ZIP_HINT)


def preload(module: str, cache_dir: str | None = None) -> None:
    """Import one of the modules in `PRELOADED`; `load` explains a failure.

    Args:
        module: name of the module.
        cache_dir: as for `load`.
    """
    _choose_cache(cache_dir)
    with contextlib.suppress(Exception):
        importlib.import_module(f"{_engine_name()}{module}" if module.startswith(".") else module)


def bytecode() -> Iterator[None]:
    """Write the bytecode of the modules in `PRELOADED`, in steps, after an installation; does not import them."""
    name = _engine_name().split(".")[-1]
    found = {package: importlib.util.find_spec(package) for package in ("numba", "llvmlite")}
    found[name] = importlib.util.find_spec(_engine_name())
    roots = {package: Path(spec.origin).parent for package, spec in found.items() if spec and spec.origin}
    return bytecode_steps(roots, tuple(f"{name}{module}" if module[0] == "." else module for module in PRELOADED))


def _choose_cache(cache_dir: str | None) -> None:
    """Set the folder of compiled kernels, which the engine reads while it is imported."""
    if cache_dir is not None:
        os.environ["MESHCLASH_CACHE_DIR"] = cache_dir


def loaded() -> bool:
    """Return whether the engine is loaded."""
    return _engine is not None


def diagnose() -> list[str]:
    """Return versions and paths of the engine's libraries, one per line; imports nothing heavy."""
    lines = [f"Python {platform.python_version()} on {platform.platform()}"]
    for name in ("numpy", "numba", "llvmlite"):
        spec = importlib.util.find_spec(name)
        if spec is None:
            lines.append(f"{name} is not installed")
            continue
        lines.append(f"{name} {_version(name)} in {spec.origin}")
    if not _version("numba").startswith(NUMBA_TESTED):
        lines.append(f"this version of MeshClash was tested with numba {NUMBA_TESTED}")
    if _engine is not None:
        lines.append(f"engine {getattr(_engine, '__version__', '')} in {_engine.__file__}")
        kernels = ", ".join(f"{count} {kind}" for kind, count in _engine.jit.kernel_counts().items())
        lines += [f"kernels: {kernels}", *_engine.jit.kernel_notes()]
        lines.append(f"GPU: {device_known()[1]}")
    return lines


def cache_problem() -> str:
    """Return why compiled kernels are not stored on disk; "" if they are, or the engine is not loaded."""
    return "" if _engine is None else str(_engine.jit.cache_problem())


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "(version unknown)"


def _import_numba() -> None:
    try:
        importlib.import_module("numba")
    except ModuleNotFoundError as error:
        if error.name == "numba":
            raise EngineMissing(
                "Numba, which compiles the engine, is not installed for this Python",
                "Install the MeshClash extension from its zip (it brings Numba), or run: pip install meshclash",
            ) from error
        raise _numba_broken(error) from error
    except Exception as error:  # an incompatible numba or llvmlite raises any kind of error
        raise _numba_broken(error) from error


def _numba_broken(error: Exception) -> EngineMissing:
    spec = importlib.util.find_spec("numba")
    place = spec.origin if spec else "an unknown place"
    library = f"Numba {_version('numba')} (llvmlite {_version('llvmlite')}, NumPy {_version('numpy')}) in {place}"
    return EngineMissing(
        Sentence("{library} cannot be imported: {why}", library=library, why=error),
        "Another extension may have replaced it: all extensions share one folder and the highest version wins. "
        "Disable that extension, restart Blender and install MeshClash again",
    )


def _has_sub_package() -> bool:
    return bool(__package__) and importlib.util.find_spec(f"{__package__}.{SUB_PACKAGE}") is not None


def _engine_name() -> str:
    return f"{__package__}.{SUB_PACKAGE}" if _has_sub_package() else SUB_PACKAGE


def _import_engine() -> ModuleType:
    _imported(".warming")  # imports nearly all modules
    return _imported()


def _imported(module: str = "") -> ModuleType:
    """Import the engine, or a module of it."""
    try:
        return importlib.import_module(f"{_engine_name()}{module}")
    except ImportError as error:
        raise EngineMissing(
            Sentence("{library} cannot be imported: {why}", library=Sentence("the engine"), why=error),
            "Install the MeshClash extension again. In a checkout of the repository, run: pip install -e .",
        ) from error
