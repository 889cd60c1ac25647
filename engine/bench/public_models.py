"""Public models of many kinds, split once by family: to fit on, to choose by, and to judge by.

``public_models.json`` names each by repository, commit, path and hash; files are fetched when they are needed. A family
has all models of one thing, so that nothing is judged on a relative of what it was fitted to. Models that the project
had looked at before the split are in "seen", one of them in "fit". The others went by a hash of the family's name: four
tenths to "fit", one to "choose", five to "test". ``test`` and ``seen`` are read to judge, and never to change a number.
"""

from __future__ import annotations

import hashlib
import json
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from meshclash.hierarchy.build import build
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.types.mesh import TriangleMesh

PARTS = ("fit", "choose", "test", "seen")
_LIST = Path(__file__).with_suffix(".json")
_SECONDS = 60.0  # for a file


class PublicModel(NamedTuple):
    """Where a model is, and what it is."""

    repository: str
    commit: str
    path: str
    sha256: str
    triangles: int
    family: str
    kind: str
    part: str

    def read(self, folder: Path) -> TriangleMesh:
        """The mesh, its longest side 1; its file is fetched into a folder where it is not there yet.

        Raises:
            ValueError: the file is another one than it was. OSError: it cannot be fetched or read.
        """
        file = folder / f"{self.sha256[:16]}{Path(self.path).suffix.lower()}"
        if not file.exists():
            address = (
                f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{urllib.parse.quote(self.path)}"
            )
            with urllib.request.urlopen(address, timeout=_SECONDS) as response:
                file.write_bytes(response.read())
        if hashlib.sha256(file.read_bytes()).hexdigest() != self.sha256:
            raise ValueError(f"{file} is not {self.path} of {self.repository} as it was: delete it, to fetch it again")
        return read_normalised(file)


def read_normalised(file: Path) -> TriangleMesh:
    """The mesh of a file, its longest side 1.

    Raises:
        ValueError, OSError: trimesh cannot read it.
    """
    import trimesh  # of the extra "peers"

    found = trimesh.load(file, force="mesh", process=False)
    vertices = np.asarray(found.vertices, np.float64)
    vertices = (vertices - vertices.mean(axis=0)) / np.ptp(vertices, axis=0).max()
    return TriangleMesh(vertices, np.asarray(found.faces, np.int32))


def public_models(*parts: str) -> list[PublicModel]:
    """The models of some parts of the split."""
    every = [PublicModel(**entry) for entry in json.loads(_LIST.read_text(encoding="utf-8"))]
    return [model for model in every if model.part in parts]


def public_trees(folder: Path, *parts: str) -> Iterator[tuple[str, Hierarchy]]:
    """(family, hierarchy) of each model of some parts, read from a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for model in public_models(*parts):
        yield model.family, build(model.read(folder))
