"""The kernels that came with the package, compiled for a processor level when it was built.

A folder ``store/PYTHON-PLATFORM-LEVEL`` holds files of kernels and ``manifest.json`` with their hashes. It is only
read. It was made by ``python -m meshclash.kernels build``; a package without one compiles on the user's machine.
"""

import hashlib
import json
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba

from .files import ENDING, DamagedKernel
from .folders import trusted_bytes

STORE = Path(__file__).resolve().parent / "store"
"""Place of the stores inside the package."""
MANIFEST = "manifest.json"
_SCHEMA = "meshclash.kernels/1"


def store_name(level: str) -> str:
    """Folder of the store of a processor level for this Python."""
    return f"cp{sys.version_info[0]}{sys.version_info[1]}-{sys.platform}-{level}"


def made_for(level: str, sources: str) -> dict[str, str]:
    """What a store that is built here says about itself.

    Args:
        level: of the processor.
        sources: hash of the engine's sources.
    """
    versions = {"numba": numba.__version__, "llvmlite": llvmlite.__version__, "python": sys.version.split()[0]}
    return {"sources": sources, "level": level, **versions}


def names() -> list[str]:
    """Folders of all stores that came with the package, for whatever Python and processor they are."""
    return sorted(path.parent.name for path in STORE.glob(f"*/{MANIFEST}"))


def write_manifest(folder: Path, about: dict[str, str]) -> None:
    """Writes the hashes of all kernels of a folder, and for what they were compiled."""
    files = {path.name: _hash(path) for path in sorted(folder.glob(f"*{ENDING}"))}
    content = {"schema": _SCHEMA, "about": about, "files": files}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    unfinished = folder / f"{MANIFEST}.{os.getpid()}"
    unfinished.write_text(json.dumps({**content, "sha256": digest}, sort_keys=True, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(folder / MANIFEST)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The content of a store's manifest: ``about`` and ``files``.

    Raises:
        DamagedKernel: it is not as it was written.
        OSError: it cannot be read, or others than who can write the package can have written it.
    """
    try:
        content = json.loads(trusted_bytes(folder / MANIFEST, shipped=True))
        digest = content.pop("sha256")
        whole = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest() == digest
        whole = whole and content["schema"] == _SCHEMA
    except (ValueError, KeyError, AttributeError, TypeError):
        whole = False
    if not whole:
        raise DamagedKernel(f"{folder / MANIFEST} is damaged")
    return dict(content)


def verify(folder: Path) -> list[str]:
    """What is wrong with a store, a line each: damaged, missing and foreign files."""
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


@cache
def usable_files(folder: Path, sources: str) -> dict[str, str]:
    """Names and hashes of the kernels of a store; none where there is no store.

    Args:
        folder: the store.
        sources: hash of the engine's sources.

    Raises:
        DamagedKernel: the manifest is damaged, or the store was built from other sources or by another Numba.
    """
    try:
        manifest = read_manifest(folder)
    except FileNotFoundError:
        return {}
    about = manifest["about"]
    if about.get("sources") != sources:
        raise DamagedKernel(f"{folder} was built from other sources of the engine")
    for library in (numba, llvmlite):
        built, here = about.get(library.__name__), library.__version__
        if built != here:
            raise DamagedKernel(f"{folder} was built by {library.__name__} {built}, and this is {here}")
    return dict(manifest["files"])


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
