"""Stores: folders of kernels that were compiled for a processor level by ``python -m meshclash.kernels``.

A store ``PYTHON-PLATFORM-LEVEL`` contains files of kernels and ``manifest.json`` with their hashes. Packages contain
read-only stores. ``builder.py`` builds missing kernels in the user's folder, which is read in the same way.
"""

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite
import numba

from .files import ENDING, DamagedKernel
from .folders import KernelFolder, distrust, find_folder, trusted_bytes
from .processors import levels_here

STORE = Path(__file__).resolve().parent / "store"
"""Folder of the stores inside the package."""
OWN_NAME = "stores-1"
"""Name of the folder with this user's stores; the number is the version of their format."""
MANIFEST = "manifest.json"
_SCHEMA = "meshclash.kernels/1"


class Store(NamedTuple):
    """A folder in which a store of kernels may be."""

    folder: Path
    shipped: bool
    """Whether the store was shipped with the package; otherwise it belongs to this user."""


@cache
def own_folder() -> KernelFolder:
    """Return the folder of this user's stores; its path is None if no store was built yet."""
    return find_folder(OWN_NAME, make=False)


def stores_here() -> Iterator[Store]:
    """Yield the places of stores for this Python and processor, best level first."""
    own = own_folder().path
    for level in levels_here():
        yield Store(STORE / store_name(level), True)
        if own is not None:
            yield Store(own / store_name(level), False)


def forget_stores() -> None:
    """Clear the cached manifests, because a new one was written."""
    own_folder.cache_clear()
    usable_manifest.cache_clear()


def store_name(level: str) -> str:
    """Return the folder name of the store of a processor level for this Python."""
    return f"cp{sys.version_info[0]}{sys.version_info[1]}-{sys.platform}-{level}"


def made_for(level: str, sources: str) -> dict[str, str]:
    """Return the data that the manifest of a store built here records under ``about``.

    Args:
        level: processor level.
        sources: hash of the engine's sources.
    """
    versions = {"numba": numba.__version__, "llvmlite": llvmlite.__version__, "python": sys.version.split()[0]}
    return {"sources": sources, "level": level, **versions}


def names() -> list[str]:
    """Return the folder names of all stores that came with the package, for any Python and processor."""
    return sorted(path.parent.name for path in STORE.glob(f"*/{MANIFEST}"))


def write_manifest(folder: Path, about: dict[str, str], files: dict[str, str] | None = None) -> None:
    """Write the manifest of a store: the hashes of its kernels, and the conditions for which they were compiled.

    Args:
        folder: the store.
        about: result of ``made_for``, and the parts of the warm-up that the store has, under "parts".
        files: names and hashes of kernels; None takes all kernels in the folder.
    """
    if files is None:
        files = {path.name: _hash(path) for path in sorted(folder.glob(f"*{ENDING}"))}
    content = {"schema": _SCHEMA, "about": about, "files": files}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    unfinished = folder / f"{MANIFEST}.{os.getpid()}"
    unfinished.touch(0o644)  # even if the user's umask makes new files writable for the group
    unfinished.write_text(json.dumps({**content, "sha256": digest}, sort_keys=True, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(folder / MANIFEST)


def read_manifest(folder: Path, shipped: bool = True) -> dict[str, Any]:
    """Return the content of a store's manifest: ``about`` and ``files``.

    Args:
        folder: the store.
        shipped: the store came with the package: users who may write the package's sources may write it as well.

    Raises:
        DamagedKernel: the manifest is damaged.
        OSError: the manifest cannot be read, or other users could have written it.
    """
    try:
        content = json.loads(trusted_bytes(folder / MANIFEST, shipped))
        digest = content.pop("sha256")
        whole = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest() == digest
        whole = whole and content["schema"] == _SCHEMA
    except (ValueError, KeyError, AttributeError, TypeError):
        whole = False
    if not whole:
        raise DamagedKernel(f"{folder / MANIFEST} is damaged")
    return dict(content)


def verify(folder: Path) -> list[str]:
    """Check a store; return a line for each damaged, missing or foreign file."""
    try:
        files: dict[str, str] = read_manifest(folder)["files"]
    except (DamagedKernel, OSError) as error:
        return [str(error)]
    wrong = [
        f"{path.name} is not in the manifest" for path in sorted(folder.glob(f"*{ENDING}")) if path.name not in files
    ]
    for name, digest in files.items():
        if not (folder / name).is_file():
            wrong.append(f"{name} is missing")
        elif _hash(folder / name) != digest:
            wrong.append(f"{name} is damaged")
    return wrong


def parts_of(manifest: dict[str, Any]) -> list[str]:
    """Return the parts of the warm-up whose kernels a store has."""
    return list(filter(None, manifest["about"].get("parts", "").split(", ")))


def missing_parts(parts: Sequence[str], sources: str) -> list[str]:
    """Return the parts of the warm-up that no store has for this Python and processor.

    Args:
        parts: parts to look for.
        sources: hash of the engine's sources.
    """
    stored = set[str]()
    for place in stores_here():
        with contextlib.suppress(DamagedKernel, OSError):  # reported when a kernel is looked up
            stored.update(parts_of(usable_manifest(place, sources)))
    return [part for part in parts if part not in stored]


@cache
def usable_manifest(place: Store, sources: str) -> dict[str, Any]:
    """Like ``read_manifest``, with a check of the store's sources and versions; a missing store counts as empty.

    Args:
        place: the store.
        sources: hash of the engine's sources.

    Raises:
        DamagedKernel: the manifest is damaged, or the store was built from other sources or by another Numba.
        OSError: other users could have written it.
    """
    folder = place.folder
    try:
        problem = "" if place.shipped else distrust(folder)
        if problem.startswith("not used"):
            raise PermissionError(problem)
        manifest = read_manifest(folder, place.shipped)
    except FileNotFoundError:
        return {"about": {}, "files": {}}
    about = manifest["about"]
    if about.get("sources") != sources:
        raise DamagedKernel(f"{folder} was built from a different version of the engine's source code")
    for library in (numba, llvmlite):
        built, here = about.get(library.__name__), library.__version__
        if built != here:
            raise DamagedKernel(
                f"{folder} was built with {library.__name__} {built}, but the installed version is {here}"
            )
    return manifest


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
