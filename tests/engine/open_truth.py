"""Verdicts of open meshes against those of the same meshes before faces were taken away.

    python tests/engine/open_truth.py COUNT [SEED]                    # made solids, to which the numbers are fitted
    python tests/engine/open_truth.py COUNT [SEED] --locked FILES...  # other made ones, and closed models (.npz, .obj)

A closed solid loses a patch of faces, several patches, or the rims of all its faces. A second solid is put through
the hole, beside it, inside, or anywhere; the verdict of the closed solid is the truth. The table has, for each verdict
and range of certainties, how many were stated, how certain they were on average, and how many were right. The exit
status is 1 where an answer with certainty 1 is wrong.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import meshclash as mc
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "engine"))

from oracles.damage import holes
from oracles.mesh_files import read_mesh
from oracles.mesh_generators import MAKERS
from solids import box, gear, joined, l_shape, prism, refined, shell, torus, tube
from strategies import rotation

Written = tuple[np.ndarray, np.ndarray]
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 0.99, 1.0)
TRIANGLES = 2000  # of made solids, about
DAMAGES = ("patch", "patch", "face", "patches", "crack")
PLACES = ("through", "through", "beside", "inside", "anywhere")


class Placed(NamedTuple):
    """An open mesh, the closed one that it was, and another solid."""

    name: str
    closed: Written
    opened: Written
    other: Written


def fit_solids() -> dict[str, Written]:
    """Solids to which the certainties may be fitted."""
    made = {
        "box": refined(box((-1, -1, -1), (1, 1, 1)), 3),
        "long box": refined(box((-1, -0.25, -0.25), (1, 0.25, 0.25)), 3),
        "plate": refined(box((-1, -1, -0.0625), (1, 1, 0.0625)), 3),
        "torus": torus(1.0, 0.375, 32, 16),
        "tube": refined(tube(1.0, 0.75, 12, -1.0, 1.0), 2),
        "prism": refined(prism(1.0, 9, -0.5, 0.5), 2),
        "gear": refined(gear(1.0, 7, -0.25, 0.25), 2),
        "angle": refined(l_shape(1.5, 0.375, -0.5, 0.5), 3),
        "hollow": refined(shell((-1, -1, -1), (1, 1, 1), 0.25), 2),
        "two": refined(joined(box((-1, -1, -1), (-0.25, 0, 0)), box((0.25, 0, 0), (1, 1, 1))), 3),
    }
    vertices, triangles = refined(prism(1.0, 9, -1.0, 1.0), 3)
    for name, width in (("cone", (1.0 - vertices[:, 2]) / 2 + 0.01), ("spindle", np.cos(1.5 * vertices[:, 2]))):
        made[name] = vertices * np.column_stack([0.6 * width, 0.6 * width, np.ones(len(width))]), triangles
    return {name: scaled(mesh) for name, mesh in made.items()}


def locked_solids(files: list[Path]) -> dict[str, Written]:
    """Solids to which nothing was fitted: closed models, and bodies of other generators."""
    made = {f"made {name}": make(TRIANGLES, 12345) for name, make in MAKERS.items()}
    made |= {file.stem: read_mesh(file) for file in files}
    return {name: scaled(mesh) for name, mesh in made.items() if mc.TriangleMesh(*mesh).is_closed}


def scaled(mesh: Written) -> Written:
    """A mesh about the origin with a largest side of 2 m."""
    vertices = np.asarray(mesh[0], float)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return (vertices - 0.5 * (low + high)) * (2.0 / (high - low).max()), np.asarray(mesh[1])


def opened(mesh: Written, damage: str, rng: np.random.Generator) -> Written:
    """A solid with faces missing or cracks."""
    if damage == "crack":
        corners = mesh[0][mesh[1]]
        corners = corners + 10.0 ** rng.uniform(-3, -1) * (corners.mean(axis=1, keepdims=True) - corners)
        return corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)
    if damage == "face":
        return mesh[0], np.delete(mesh[1], rng.integers(len(mesh[1])), axis=0)
    return holes(mesh, 10.0 ** rng.uniform(-2.7, -0.8), rng, 1 if damage == "patch" else int(rng.integers(2, 8)))


def things() -> dict[str, Written]:
    """Solids that are put into others, 2 m long or less, about the origin; the first ones are long along z."""
    return {
        "rod": box((-0.03, -0.03, -1), (0.03, 0.03, 1)),
        "bar": box((-0.1, -0.1, -1), (0.1, 0.1, 1)),
        "bolt": joined(box((-0.05, -0.05, -1), (0.05, 0.05, 0)), box((-0.2, -0.2, 0), (0.2, 0.2, 0.3))),
        "block": box((-0.3, -0.3, -0.3), (0.3, 0.3, 0.3)),
        "ball": scaled(torus(0.5, 0.25, 16, 8)),
        "board": box((-1, -1, -0.02), (1, 1, 0.02)),
    }


def placed_pairs(solids: dict[str, Written], count: int, seed: int) -> Iterator[Placed]:
    """Pairs of a damaged solid and another one."""
    names, others = list(solids), things()
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        name, damage = names[rng.integers(len(names))], DAMAGES[rng.integers(len(DAMAGES))]
        closed, place = solids[name], PLACES[rng.integers(len(PLACES))]
        damaged = opened(closed, damage, rng)
        other = list(others)[rng.integers(3 if place == "through" else len(others))]
        thing = others[other][0] * 10.0 ** rng.uniform(-1.5, 0.0), others[other][1]
        yield Placed(f"{name} {damage}, {other} {place}", closed, damaged, _put(thing, closed, damaged, place, rng))


def _put(thing: Written, closed: Written, damaged: Written, place: str, rng: np.random.Generator) -> Written:
    """A solid in a place that is told by words."""
    gone = _gone(closed, damaged)
    corners = closed[0][gone if place in ("through", "beside") and len(gone) else closed[1]]
    corners = corners[rng.integers(len(corners))]
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    normal /= max(float(np.linalg.norm(normal)), 1e-12)
    at = corners.mean(axis=0)
    size = float(np.ptp(thing[0], axis=0).max())
    if place == "anywhere":
        return thing[0] @ rotation(rng).T + rng.uniform(-1.1, 1.1, 3), thing[1]
    if place == "inside":
        return thing[0] @ rotation(rng).T + at - normal * rng.uniform(0.3, 1.2) * size, thing[1]
    if place == "beside":
        return thing[0] @ rotation(rng).T + at + normal * rng.uniform(-0.3, 0.8) * size, thing[1]
    tilted = normal + rng.normal(0.0, 0.2, 3)
    tilted /= np.linalg.norm(tilted)
    one = np.cross(tilted, np.eye(3)[np.abs(tilted).argmin()])
    one /= np.linalg.norm(one)
    turn = np.stack([one, np.cross(tilted, one), tilted], axis=1)
    return thing[0] @ turn.T + at + tilted * rng.uniform(-0.5, 0.5) * size, thing[1]


def _gone(closed: Written, damaged: Written) -> np.ndarray:
    """Triangles (k, 3) that a solid lost."""
    if len(closed[0]) != len(damaged[0]):
        return np.empty((0, 3), int)
    left = {tuple(row) for row in damaged[1].tolist()}
    return np.array([row for row in closed[1].tolist() if tuple(row) not in left], int).reshape(-1, 3)


class Answer(NamedTuple):
    """What was said of an open mesh, and whether the closed one says so too."""

    name: str
    verdict: str
    certainty: float
    truth: str


def answers(pairs: Iterator[Placed]) -> Iterator[Answer]:
    """What is said of pairs whose open mesh means a solid."""
    for pair in pairs:
        mesh, other = mc.TriangleMesh(*pair.opened), mc.TriangleMesh(*pair.other)
        if not mc.solidity(mesh).solid:
            continue
        found = mc.verdict(mesh, other, depth=False)
        truth = mc.verdict(mc.TriangleMesh(*pair.closed), other, depth=False)
        yield Answer(pair.name, found.name, found.certainty, truth.name)


def table(found: list[Answer]) -> str:
    """Stated certainties beside the shares that are right, by verdict and range."""
    lines = ["| verdict | certainty | answers | stated | right |", "|---|---|---|---|---|"]
    for name in sorted({answer.verdict for answer in found}):
        for low, high in zip(BINS, (*BINS[1:], 2.0), strict=True):
            own = [a for a in found if a.verdict == name and low <= a.certainty < high]
            if own:
                stated, right = np.mean([a.certainty for a in own]), np.mean([a.verdict == a.truth for a in own])
                span = "1" if low == 1.0 else f"{low} to {high}"
                lines.append(f"| {name} | {span} | {len(own)} | {stated:.4f} | {right:.4f} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--locked", type=Path, nargs="*", help="judge solids to which nothing was fitted")
    parser.add_argument("--wrong", type=float, default=1.0, help="write wrong answers from this certainty on")
    options = parser.parse_args()
    solids = fit_solids() if options.locked is None else locked_solids(options.locked)
    found = list(answers(placed_pairs(solids, options.count, options.seed)))
    for answer in found:
        if answer.verdict != answer.truth and answer.certainty >= options.wrong:
            print(*answer)
    print(table(found))
    return int(any(a.verdict != a.truth and a.certainty == 1.0 for a in found))


if __name__ == "__main__":
    sys.exit(main())
