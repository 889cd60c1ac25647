"""Models for the benches of rays and nearest points: files, or shapes that are made."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import meshclash as mc
import numpy as np


def add_models(parser: argparse.ArgumentParser) -> None:
    """The option that names models."""
    parser.add_argument("--model", type=Path, action="append", default=[], help="a mesh file, or .npz with v and f")


def models(options: argparse.Namespace) -> Iterator[tuple[str, mc.TriangleMesh]]:
    """Names and meshes: those of the option, or a ball."""
    if not options.model:
        yield "ball", mc.shapes.sphere(1.0, 2e-5)
    for path in options.model:
        if path.suffix == ".npz":
            arrays = np.load(path)
            yield path.stem, mc.TriangleMesh(arrays["v"].astype(float), arrays["f"])
        else:
            yield path.stem, mc.read(str(path))[0].mesh
