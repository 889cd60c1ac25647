"""A made building of tens of thousands of elements, whose pairs are known by construction, and how its cost grows.

A bay of the building has five elements: a slab, a column and a wall between slabs, a pipe through the wall, and a
sleeve inside the slab. Slabs lie side by side, so they touch their neighbours in faces and edges. All coordinates are
multiples of 1/64 m, so nothing hangs on rounding.

Beside it python-fcl's manager, which knows neither verdicts nor contained objects, and where it is installed
ifcopenshell's tree on the same triangles. Times are processor times.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from meshclash.scene.results import SceneContacts
from meshclash.scene.scene import Scene
from meshclash.types.mesh import TriangleMesh
from meshclash.types.results import CLASH, CONTAINED, TOUCHING
from oracles.mesh_exactness import CUBE_CORNERS, CUBE_TRIANGLES

from .table import Row, format_table, write_json

PARTS = 5  # elements of a bay
_BAY, _STOREY = 4.0, 3.0  # [m]
_SIDES = 16  # of a pipe
_TREE = "opencascade.trianglebvh"

Arrays = tuple[np.ndarray, np.ndarray]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--sizes", default="1000,5000,10000,50000", metavar="N,N", help="elements; rounded to bays")
    parser.add_argument("--runs", type=int, default=3, help="repetitions of a question; the least is shown")
    parser.add_argument(
        "--peers", action=argparse.BooleanOptionalAction, default=True, help="also time other libraries"
    )
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 if a verdict is not the one that the building was made for."""
    _measured(_scene(elements((2, 2, 2))), 1)  # compiles, or loads from the cache
    rows: list[Row] = []
    wrong = 0
    for size in options.sizes.split(","):
        shape = bays(int(size))
        row = _row(shape, options.runs, options.peers)
        wrong += int(row["wrong"])  # type: ignore[call-overload]  # rows hold numbers and texts
        rows.append(row)
        print(format_table(rows[-1:]), flush=True)
    print("\n" + format_table(rows))
    if options.json:
        write_json(options.json, {"bench": "buildings", "models": rows})
    return int(wrong > 0)


def bays(count: int) -> tuple[int, int, int]:
    """Bays along x and y, and storeys, of a building of about so many elements."""
    total = max(1, round(count / PARTS))
    storeys = max(1, round(total ** (1 / 3)))
    along = max(1, round(math.sqrt(total / storeys)))
    return max(1, round(total / storeys / along)), along, storeys


def elements(shape: tuple[int, int, int]) -> list[Arrays]:
    """Vertices (n, 3) [m] and triangles (m, 3) of all elements in the world, bay by bay."""
    parts = (
        _box((0, 0, 0), (_BAY, _BAY, 0.25)),
        _box((0.5, 0.5, 0.25), (1, 1, _STOREY)),
        _box((1.5, 0.5, 0.25), (3.5, 0.75, _STOREY)),
        _pipe(0.125, 0.25, 3.75, (2.5, 1.5)),
        _box((2, 2, 0.0625), (2.125, 2.125, 0.1875)),
    )
    shifts = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, 3)
    return [(vertices + shift, triangles) for shift in shifts * (_BAY, _BAY, _STOREY) for vertices, triangles in parts]


def expected_verdicts(shape: tuple[int, int, int]) -> Counter[str]:
    """How many pairs of each verdict such a building has, beside those that are apart."""
    x, y, z = shape
    total = x * y * z
    slabs = z * ((x - 1) * y + x * (y - 1) + 2 * (x - 1) * (y - 1))
    upright = 2 * (total + x * y * (z - 1))  # columns and walls stand on their own slab and carry the next one
    return Counter({TOUCHING.name: slabs + upright, CLASH.name: total, CONTAINED.name: total})


def _box(low: tuple[float, ...], high: tuple[float, ...]) -> Arrays:
    return np.array(low) + CUBE_CORNERS * (np.array(high) - low), CUBE_TRIANGLES


def _pipe(radius: float, begin: float, end: float, centre: tuple[float, float]) -> Arrays:
    """A prism along y, its corners on a grid of 1/64 m."""
    turn = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    ring = np.round(64.0 * radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)) / 64.0 + centre
    vertices = np.concatenate([np.insert(ring, 1, y, axis=1) for y in (begin, end)])
    i = np.arange(_SIDES)
    j = (i + 1) % _SIDES
    sides = np.concatenate([np.stack([i, j, _SIDES + i], 1), np.stack([j, _SIDES + j, _SIDES + i], 1)])
    fan = np.stack([np.zeros(_SIDES - 2, int), i[2:], i[1:-1]], axis=1)
    return vertices, np.concatenate([sides, fan, _SIDES + fan[:, ::-1]])


def _scene(parts: list[Arrays]) -> Scene:
    scene = Scene()
    for vertices, triangles in parts:
        scene.add(TriangleMesh(vertices, triangles))
    return scene


def _row(shape: tuple[int, int, int], runs: int, peers: bool) -> Row:
    parts = elements(shape)
    before = _resident()
    add, scene = _timed(lambda: _scene(parts))
    times, found = _measured(scene, runs)
    verdicts = Counter(pair.verdict.name for pair in found.pairs)
    expected = expected_verdicts(shape)
    row: Row = {
        "elements": len(parts),
        "pairs": len(found.pairs),
        "contacts": sum(len(pair.contacts) for pair in found.pairs),
        "wrong": sum(((verdicts - expected) + (expected - verdicts)).values()),
        "add [ms]": 1e3 * add,
        **{f"{name} [ms]": 1e3 * seconds for name, seconds in times.items()},
        "us a pair": 1e6 * times["no depths"] / len(found.pairs),
    }
    if before:
        row["MiB"] = (_resident() - before) / 2**20
    if peers:
        row.update(_of_fcl(parts, runs))
        row.update(_of_ifcopenshell(parts, runs))
    return row


def _measured(scene: Scene, runs: int) -> tuple[dict[str, float], SceneContacts]:
    """Processor time [s] of the first question and of each question again, and all contacts."""
    first, _ = _timed(scene.collides)
    collides = min(_timed(scene.collides)[0] for _ in range(runs))
    scene.contacts(depth=False)
    again = [_timed(lambda: scene.contacts(depth=False)) for _ in range(runs)]
    with_depths = min(_timed(scene.contacts)[0] for _ in range(runs))
    times = {"first": first, "collides": collides, "no depths": min(seconds for seconds, _ in again)}
    return {**times, "contacts": with_depths}, again[-1][1]


def _timed(function: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    result = function()
    return time.process_time() - begin, result


def _resident() -> int:
    """Bytes of memory that this process has, 0 where the system does not say."""
    status = Path("/proc/self/statm")
    return 4096 * int(status.read_text().split()[1]) if status.exists() else 0


def _of_fcl(parts: list[Arrays], runs: int) -> Row:
    """python-fcl's manager: building, and all contacts of all pairs."""
    try:
        import fcl
    except ImportError as error:
        print(f"python-fcl is left out: {error}")
        return {}

    def build() -> Any:
        manager = fcl.DynamicAABBTreeCollisionManager()
        bodies = []
        for vertices, triangles in parts:
            model = fcl.BVHModel()
            model.beginModel(len(vertices), len(triangles))
            model.addSubModel(vertices, triangles)
            model.endModel()
            bodies.append(fcl.CollisionObject(model))
        manager.registerObjects(bodies)
        manager.setup()
        return manager, bodies

    building, (manager, _bodies) = _timed(build)

    def collide() -> None:
        request = fcl.CollisionRequest(num_max_contacts=10**9, enable_contact=False)
        manager.collide(fcl.CollisionData(request=request), fcl.defaultCollisionCallback)

    seconds = min(_timed(collide)[0] for _ in range(runs))
    return {"fcl, building [ms]": 1e3 * building, "fcl [ms]": 1e3 * seconds}


def _of_ifcopenshell(parts: list[Arrays], runs: int) -> Row:
    """ifcopenshell's tree: reading the elements, and its two questions."""
    try:
        import ifcopenshell
        from ifcopenshell import geom
    except ImportError as error:
        print(f"ifcopenshell is left out: {error}")
        return {}
    model = ifcopenshell.file(schema="IFC4")
    products = [_product(model, *part) for part in parts]

    def build() -> Any:
        settings = geom.settings()
        settings.set("use-world-coords", True)
        tree, iterator = geom.tree(backend=_TREE), geom.iterator(settings, model, 1, include=products)
        found = iterator.initialize()
        while found:
            tree.add_element(iterator.get())
            found = iterator.next()
        return tree

    building, tree = _timed(build)
    collision = min(_timed(lambda: tree.clash_collision_many(products, products, True))[0] for _ in range(runs))
    intersection = min(
        _timed(lambda: tree.clash_intersection_many(products, products, 0.0, True))[0] for _ in range(runs)
    )
    return {
        "tree, building [ms]": 1e3 * building,
        "tree collision [ms]": 1e3 * collision,
        "tree intersection [ms]": 1e3 * intersection,
    }


def _product(model: Any, vertices: np.ndarray, triangles: np.ndarray) -> Any:
    """An element of an IFC model with one mesh."""
    if not model.by_type("IfcProject"):
        origin = model.create_entity("IfcCartesianPoint", (0.0, 0.0, 0.0))
        axes = model.create_entity("IfcAxis2Placement3D", origin)
        context = model.create_entity("IfcGeometricRepresentationContext", None, "Model", 3, 1e-9, axes)
        metre = model.create_entity("IfcSIUnit", None, "LENGTHUNIT", None, "METRE")
        units = model.create_entity("IfcUnitAssignment", [metre])
        name = ifc_name(0)
        model.create_entity("IfcProject", name, RepresentationContexts=[context], UnitsInContext=units)
    (context,) = model.by_type("IfcGeometricRepresentationContext")
    points = model.create_entity("IfcCartesianPointList3D", vertices.tolist())
    faces = model.create_entity("IfcTriangulatedFaceSet", points, None, True, (triangles + 1).tolist())
    body = model.create_entity("IfcShapeRepresentation", context, "Body", "Tessellation", [faces])
    shape = model.create_entity("IfcProductDefinitionShape", None, None, [body])
    placement = model.create_entity("IfcLocalPlacement", None, model.by_type("IfcAxis2Placement3D")[0])
    name = ifc_name(faces.id())
    return model.create_entity("IfcBuildingElementProxy", name, ObjectPlacement=placement, Representation=shape)


def ifc_name(number: int) -> str:
    """A GlobalId: 22 digits to the base 64."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$"
    return "".join(digits[number >> 6 * place & 63] for place in reversed(range(22)))
