"""How long does the distance of two posed copies of one mesh take, beside python-fcl and coal in the same run?

Bumpy spheres, or meshes given by path. The copy is turned by 30 degrees and
placed at true distances of 0.1 % and 1 % of the box diagonal. *Cold*: nothing known; *warm*: after a turn by 0.2
degrees, starting from the result before it; *clearance*: all pairs within twice the distance, of gaps up to 2 % (beyond
there are millions); of the peers coal offers that, as a security margin. Trees are prepared, slabs too. Processor time
on one core, the sides asked in turn.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from meshclash.hierarchy.build import SPLITS, build
from meshclash.hierarchy.bvh import Hierarchy
from meshclash.hierarchy.slabs import slabs_of
from meshclash.query.clearance import clearance
from meshclash.query.distance import distance
from meshclash.types.mesh import TriangleMesh

from .mesh_files import read_mesh
from .mesh_generators import bumpy_sphere
from .options import parse_sizes, positive, short_size
from .rigid_peers import Coal, Fcl
from .table import Row, format_table, write_json
from .timing import Ask, Timing, called, compare, one_core

GAPS = (0.001, 0.01)
"""True distances, in diagonals of the box."""
_CLEARED = 0.02  # the largest gap for which all pairs within twice the distance are found
MADE = [69_000]
"""Triangles of the bumpy sphere that is measured when nothing is named, about."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--mesh", type=Path, action="append", default=[], help="a model; may be repeated")
    parser.add_argument("--sizes", type=parse_sizes, default=[], help="also bumpy spheres of so many triangles")
    parser.add_argument("--gaps", type=positive, nargs="+", default=GAPS, help="true distances, in diagonals of boxes")
    parser.add_argument("--split", choices=sorted(SPLITS), default="sah", help="builder of our trees")
    parser.add_argument("--runs", type=int, default=9, help="repetitions after a warm-up; the median is shown")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when a peer's distance differs from ours by more than 1e-9 of the size."""
    meshes = {path.stem: read_mesh(path) for path in options.mesh}
    sizes = options.sizes or ([] if meshes else MADE)
    meshes |= {f"bumpy {short_size(size)}": bumpy_sphere(size) for size in sizes}
    with one_core():
        rows = [_row(name, *mesh, gap, options) for name, mesh in meshes.items() for gap in options.gaps]
    print(format_table(rows))
    if options.json:
        write_json(options.json, {"bench": "distance", "split": options.split, "meshes": rows})
    return int(any(float(row["largest difference"]) > 1e-9 for row in rows))


def _row(name: str, vertices: np.ndarray, triangles: np.ndarray, gap: float, options: argparse.Namespace) -> Row:
    mesh = TriangleMesh(vertices, triangles)
    tree = build(mesh, split=options.split)
    slabs_of(tree.parts)
    size = float(np.linalg.norm(np.ptp(mesh.bounds, axis=0)))
    before, pose = (placed(tree, gap * size, degrees) for degrees in (30.0, 30.2))
    last, found = distance(tree, tree, None, before), distance(tree, tree, None, pose)
    tolerance = 2.0 * found.distance
    ours: dict[str, Ask] = {
        "cold": called(lambda: distance(tree, tree, None, pose).triangle_a),
        "warm": called(lambda: distance(tree, tree, None, pose, start=last).triangle_a),
    }
    if gap <= _CLEARED:
        ours["clearance"] = called(lambda: len(clearance(tree, tree, tolerance, None, pose)))
    peers, worst = {}, 0.0
    for peer, prepare in (("python-fcl", _fcl), ("coal", _coal)) if options.peers else ():
        try:
            peers[peer] = prepare(vertices, triangles, pose)
        except ImportError as error:
            print(f"{peer} left out: {error}")
            continue
        worst = max(worst, abs(peers[peer]() - found.distance) / size)
    asks = {**ours, **{peer: called(ask) for peer, ask in peers.items()}}
    if "coal" in peers and gap <= _CLEARED:
        asks["coal clearance"] = called(_coal_clearance(vertices, triangles, pose, tolerance))
    timings = compare(asks, options.runs)
    row: Row = {"mesh": name, "triangles": len(triangles), "gap [%]": 100.0 * found.distance / size}
    row |= {f"{part} [us]": 1e6 * timings[part].seconds for part in ("cold", "warm")}
    for peer in peers:
        seconds = timings[peer].seconds
        row[f"{peer} [us]"] = 1e6 * seconds
        row[f"{peer} / cold"] = seconds / timings["cold"].seconds
        row[f"{peer} / warm"] = seconds / timings["warm"].seconds
    row |= _cleared(timings)
    row["largest difference"] = f"{worst:.0e}"
    return row


def _cleared(timings: dict[str, Timing]) -> Row:
    """What was measured of clearances; dashes for what was not."""
    own, theirs = timings.get("clearance"), timings.get("coal clearance")
    return {
        "clearance [ms]": 1e3 * own.seconds if own else "-",
        "pairs within": own.answer if own else "-",
        "coal clearance [ms]": 1e3 * theirs.seconds if theirs else "-",
        "/ clearance": theirs.seconds / own.seconds if own and theirs else "-",
        "coal pairs": theirs.answer if theirs else "-",
    }


def placed(tree: Hierarchy, gap: float, degrees: float) -> np.ndarray:
    """A pose (4, 4) of a turned copy, shifted along x until its true distance [m] is the gap."""
    bounds = tree.mesh.bounds
    middle = 0.5 * bounds.sum(axis=0)
    turn = np.radians(degrees)
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    pose[:3, 3] = middle - pose[:3, :3] @ middle
    together = float(pose[0, 3])
    pose[0, 3] += 1.5 * float(np.linalg.norm(bounds[1] - bounds[0]))
    approach(tree, pose, gap, together)
    return pose


def approach(tree: Hierarchy, pose: np.ndarray, gap: float, least: float) -> bool:
    """Shift a copy's pose (4, 4) along x in place, from outside, until the true distance [m] is the gap.

    Returns:
        Whether it is, up to a millionth of it; not when x came below ``least`` before, or after 200 steps.
    """
    for _ in range(200):
        rest = distance(tree, tree, None, pose).distance - gap
        if abs(rest) <= 1e-6 * gap:
            return True
        pose[0, 3] -= rest  # never too far: the distance shrinks by no more than the shift
        if pose[0, 3] < least:
            return False
    return False


def _fcl(vertices: np.ndarray, triangles: np.ndarray, pose: np.ndarray) -> Callable[[], float]:
    import fcl

    model = Fcl.build(vertices, triangles)
    first = fcl.CollisionObject(model)
    second = fcl.CollisionObject(model, fcl.Transform(pose[:3, :3], pose[:3, 3]))
    request = fcl.DistanceRequest()
    return lambda: fcl.distance(first, second, request, fcl.DistanceResult())


def _coal(vertices: np.ndarray, triangles: np.ndarray, pose: np.ndarray) -> Callable[[], float]:
    import coal

    model = Coal.build(vertices, triangles)
    still, moved = coal.Transform3s.Identity(), coal.Transform3s(pose[:3, :3], pose[:3, 3])
    request = coal.DistanceRequest()
    return lambda: coal.distance(model, still, model, moved, request, coal.DistanceResult())


def _coal_clearance(
    vertices: np.ndarray, triangles: np.ndarray, pose: np.ndarray, tolerance: float
) -> Callable[[], int]:
    """All pairs of triangles within a tolerance, as contacts with a security margin."""
    import coal

    model = Coal.build(vertices, triangles)
    still, moved = coal.Transform3s.Identity(), coal.Transform3s(pose[:3, :3], pose[:3, 3])
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    request.num_max_contacts = 10**8
    request.enable_contact = False
    request.security_margin = tolerance

    def ask() -> int:
        result.clear()
        coal.collide(model, still, model, moved, request, result)
        return result.numContacts()

    return ask
