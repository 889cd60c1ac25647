"""Pairs of objects, and changes of how they are written that must not change what they do to each other.

    python tests/engine/metamorphic.py COUNT [SEED]           # writes what contradicts, and how many are certain
    python tests/engine/metamorphic.py COUNT [SEED] --doors   # so many objects, all pairs asked by every door
    python tests/engine/metamorphic.py COUNT [SEED] --models FILES...   # .npz, .obj, .ply, .stl, .ifc and others

Solids with curved, thin, hollow and branching forms are written in many ways: closed, open, doubled, unwelded, with
inner faces, cracks and seams. A change permutes triangles and vertices, swaps the sides, turns by quarters, moves and
scales by powers of two, cuts triangles at representable middles, or joins the parts of an object in another order.
"""

import argparse
import itertools
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import meshclash as mc
import numpy as np
from meshclash.clash.engine_scene import EngineScene
from meshclash.clash.frame_scene import FrameScene, SourceMesh, SourceObject

sys.path.insert(0, str(Path(__file__).parent))

from solids import box, gear, joined, l_shape, moved, open_box, prism, shell, torus, tube
from strategies import rotation

Written = tuple[np.ndarray, np.ndarray]
GRID = 2.0**-10  # of all coordinates: turns, moves, scales and middles are exact


def on_grid(mesh: Written) -> Written:
    return np.round(np.asarray(mesh[0], float) / GRID) * GRID, np.asarray(mesh[1])


def solids() -> dict[str, Written]:
    made = {
        "box": box((-1, -1, -1), (1, 1, 1)),
        "plate": box((-1.5, -1.5, -0.03125), (1.5, 1.5, 0.03125)),
        "rod": box((-2, -0.125, -0.125), (2, 0.125, 0.125)),
        "torus": torus(1.0, 0.375, 16, 8),
        "tube": tube(1.0, 0.75, 12, -1.0, 1.0),
        "prism": prism(1.0, 7, -0.5, 0.5),
        "gear": gear(1.0, 7, -0.25, 0.25),
        "angle": l_shape(1.5, 0.375, -0.5, 0.5),
        "hollow": shell((-1, -1, -1), (1, 1, 1), 0.25),
        "two": joined(box((-1, -1, -1), (-0.25, 0, 0)), box((0.25, 0, 0), (1, 1, 1))),
        "side by side": joined(box((-1, -1, -1), (0, 0, 0)), box((0, -1, -1), (1, 0, 0))),
    }
    return {name: on_grid(mesh) for name, mesh in made.items()}


def soup(mesh: Written) -> Written:
    return mesh[0][mesh[1]].reshape(-1, 3), np.arange(3 * len(mesh[1])).reshape(-1, 3)


def _flipped(mesh: Written, rng: np.random.Generator) -> Written:
    return mesh[0], mesh[1][:, ::-1]


def _some_flipped(mesh: Written, rng: np.random.Generator) -> Written:
    return mesh[0], np.where(rng.random(len(mesh[1]))[:, None] < 0.3, mesh[1][:, ::-1], mesh[1])


def _doubled(mesh: Written, rng: np.random.Generator) -> Written:
    return mesh[0], np.vstack([mesh[1], mesh[1]])


def _two_sided(mesh: Written, rng: np.random.Generator) -> Written:
    return mesh[0], np.vstack([mesh[1], mesh[1][:, ::-1]])


def _some_doubled(mesh: Written, rng: np.random.Generator) -> Written:
    rows = rng.choice(len(mesh[1]), max(1, len(mesh[1]) // 5), replace=False)
    return mesh[0], np.vstack([mesh[1], mesh[1][rows][:, ::-1]])


def _flat_faces(mesh: Written, rng: np.random.Generator) -> Written:
    a, b, _ = mesh[1][rng.integers(len(mesh[1]), size=3)].T
    return mesh[0], np.vstack([mesh[1], np.stack([a, a, b], 1), np.stack([a, b, a], 1)])


def _with_corner_amid(mesh: Written, rng: np.random.Generator) -> Written:
    row = int(rng.integers(len(mesh[1])))
    a, b, c = mesh[1][row].tolist()
    corner = len(mesh[0])
    rest = np.delete(mesh[1], row, axis=0)
    middle = 0.5 * (mesh[0][a] + mesh[0][b])
    return np.vstack([mesh[0], middle]), np.vstack([rest, [[a, corner, c], [corner, b, c]]])


def _face_missing(mesh: Written, rng: np.random.Generator) -> Written:
    areas = np.linalg.norm(np.cross(*(mesh[0][mesh[1][:, k]] - mesh[0][mesh[1][:, 0]] for k in (1, 2))), axis=1)
    return mesh[0], np.delete(mesh[1], int(areas.argmin()), axis=0)


def _loose_face_inside(mesh: Written, rng: np.random.Generator) -> Written:
    corners = mesh[0][mesh[1][0]]
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    inside = corners.mean(axis=0) - 2.0**-6 * normal / np.linalg.norm(normal)
    loose = inside + 2.0**-4 * (corners - corners.mean(axis=0))
    return on_grid((np.vstack([mesh[0], loose]), np.vstack([mesh[1], [np.arange(3) + len(mesh[0])]])))


def _cracked(mesh: Written, rng: np.random.Generator) -> Written:
    corners = mesh[0][mesh[1]]
    shrunk = corners + 2.0**-7 * (corners.mean(axis=1, keepdims=True) - corners)
    return on_grid(soup((shrunk.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))))


def _with_sheet(mesh: Written, rng: np.random.Generator) -> Written:
    sheet = np.array([[8.0, 0, 0], [8.0, 1, 0], [8.0, 0, 1]])
    return np.vstack([mesh[0], sheet]), np.vstack([mesh[1], [np.arange(3) + len(mesh[0])]])


def _as_it_is(mesh: Written, rng: np.random.Generator) -> Written:
    return mesh


def _soup(mesh: Written, rng: np.random.Generator) -> Written:
    return soup(mesh)


def _two_sided_soup(mesh: Written, rng: np.random.Generator) -> Written:
    return soup(_two_sided(mesh, rng))


def _flipped_soup(mesh: Written, rng: np.random.Generator) -> Written:
    return soup(_some_flipped(mesh, rng))


def _doubled_with_corner(mesh: Written, rng: np.random.Generator) -> Written:
    return _doubled(_with_corner_amid(mesh, rng), rng)


def _flipped_with_corner(mesh: Written, rng: np.random.Generator) -> Written:
    return _some_flipped(_with_corner_amid(mesh, rng), rng)


def _cracked_and_flipped(mesh: Written, rng: np.random.Generator) -> Written:
    return _some_flipped(_cracked(mesh, rng), rng)


def _open_tray(mesh: Written, rng: np.random.Generator) -> Written:
    return on_grid(open_box((-1, -1, -1), (1, 1, 1)))


def _welded_sides(mesh: Written, rng: np.random.Generator) -> Written:
    """Two boxes side by side with one face between them."""
    return on_grid(joined(box((-1, -1, -1), (0, 1, 1)), box((0, -1, -1), (1, 1, 1))))


WAYS = {
    change.__name__.strip("_").replace("_", " "): change
    for change in (
        _as_it_is, _soup, _flipped, _some_flipped, _doubled, _two_sided, _some_doubled, _flat_faces, _with_corner_amid,
        _face_missing, _loose_face_inside, _cracked, _with_sheet, _two_sided_soup, _flipped_soup, _doubled_with_corner,
        _flipped_with_corner, _cracked_and_flipped, _open_tray, _welded_sides,
    )
}  # fmt: skip


class Pair(NamedTuple):
    """Two objects in world coordinates, and their resolution."""

    a: Written
    b: Written
    resolution: float = 0.0


def permuted(pair: Pair, rng: np.random.Generator) -> Pair:
    def one(mesh: Written) -> Written:
        order = rng.permutation(len(mesh[0]))
        place = np.argsort(order)
        turns = (np.arange(3) + rng.integers(3, size=(len(mesh[1]), 1))) % 3
        triangles = np.take_along_axis(place[mesh[1]], turns, axis=1)
        return mesh[0][order], rng.permutation(triangles)

    return Pair(one(pair.a), one(pair.b), pair.resolution)


def swapped(pair: Pair, rng: np.random.Generator) -> Pair:
    return Pair(pair.b, pair.a, pair.resolution)


def turned(pair: Pair, rng: np.random.Generator) -> Pair:
    """By quarter turns: axes change places, an even number of times with an even number of mirrors, or odd with odd."""
    order, signs = rng.permutation(3), rng.choice([-1.0, 1.0], 3)
    if np.linalg.det(np.eye(3)[order] * signs) < 0.0:
        signs[0] *= -1.0
    return Pair(*((mesh[0][:, order] * signs, mesh[1]) for mesh in pair[:2]), pair.resolution)


def shifted(pair: Pair, rng: np.random.Generator) -> Pair:
    shift = rng.choice([-1.0, 1.0], 3) * 2.0 ** rng.integers(-2, 8, 3)
    return Pair(*((mesh[0] + shift, mesh[1]) for mesh in pair[:2]), pair.resolution)


def scaled(pair: Pair, rng: np.random.Generator) -> Pair:
    factor = 2.0 ** int(rng.integers(-20, 20))
    return Pair(*((mesh[0] * factor, mesh[1]) for mesh in pair[:2]), pair.resolution * factor)


def subdivided(pair: Pair, rng: np.random.Generator) -> Pair:
    """Every triangle of both as four, at the middles of its sides."""

    def one(mesh: Written) -> Written:
        corners = mesh[0][mesh[1]]
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        every = np.concatenate([np.stack(four, 1) for four in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
        points, numbers = np.unique(every.reshape(-1, 3), axis=0, return_inverse=True)
        return points, numbers.reshape(-1, 3)

    return Pair(one(pair.a), one(pair.b), pair.resolution)


CHANGES = {change.__name__: change for change in (permuted, swapped, turned, shifted, scaled, subdivided)}


def random_pair(rng: np.random.Generator) -> tuple[str, Pair]:
    """Two solids, each written in one of the ways, moved in the grid: half of them end flush with each other."""
    made, sides, names = solids(), [], []
    for _ in range(2):
        name, way = rng.choice(list(made)), rng.choice(list(WAYS))
        names.append(f"{name} {way}")
        size = 2.0 ** int(rng.integers(-2, 2))
        mesh = (made[name][0] * size, made[name][1])
        step = 0.25 if rng.random() < 0.5 else GRID
        shift = np.round(rng.uniform(-1.5, 1.5, 3) / step) * step
        sides.append(WAYS[way](on_grid(moved(mesh, shift)), rng))
    return " | ".join(names), Pair(*sides)


MOST_TRIANGLES = 1500  # of a piece of a model
FINE_GRID = 2.0**-20
Model = list[Written]
"""The parts of a model at their places, in single precision."""


def read_model(path: Path) -> Model:
    """A file of arrays v and f, or NAME|v and NAME|f, or one that the engine reads."""
    if path.suffix != ".npz":
        parts = [part for part in mc.read(path) if part.mesh is not None]
        return [
            (part.mesh.vertices @ part.matrix[:3, :3].T + part.matrix[:3, 3], part.mesh.triangles) for part in parts
        ]
    with np.load(path) as arrays:
        if "v" in arrays:
            return [(np.asarray(arrays["v"], float), arrays["f"])]
        names = sorted({key.rsplit("|", 1)[0] for key in arrays if "|" in key})
        return [(np.asarray(arrays[f"{name}|v"], float), arrays[f"{name}|f"]) for name in names]


def _piece(mesh: Written, centre: np.ndarray) -> Written:
    """A part, or what of it is nearest to a place: a sheet with a rim, as scans and garments are."""
    if len(mesh[1]) <= MOST_TRIANGLES:
        return mesh
    away = np.abs(mesh[0][mesh[1]].mean(axis=1) - centre).max(axis=1)
    return mesh[0], mesh[1][np.sort(np.argpartition(away, MOST_TRIANGLES)[:MOST_TRIANGLES])]


def model_pair(models: dict[str, Model], rng: np.random.Generator) -> tuple[str, Pair]:
    """Two parts of one model at their places, or of two models in each other's box; about 2 m long, on a fine grid."""
    name, other = (str(rng.choice(list(models))) for _ in range(2))
    first = models[name][rng.integers(len(models[name]))]
    at = first[0][rng.choice(first[1].ravel())]
    if len(models[name]) > 1:
        gaps = [float(np.maximum(v.min(0) - at, at - v.max(0)).max()) for v, _ in models[name]]
        second, other = models[name][int(rng.choice(np.argsort(gaps)[1:6]))], "beside it"
    else:
        second = models[other][rng.integers(len(models[other]))]
    sides = [
        _piece(first, at),
        _piece(second, at if other == "beside it" else second[0][rng.choice(second[1].ravel())]),
    ]
    used = [mesh[0][np.unique(mesh[1])] for mesh in sides]
    size = 2.0 ** np.round(np.log2(max(float(np.ptp(points, axis=0).max()) for points in used)))
    if other != "beside it":
        turn = np.eye(3) if rng.random() < 0.5 else rotation(rng)
        shift = at + rng.normal(0.0, 0.1 * size, 3) - used[1].mean(axis=0) @ turn.T
        sides[1] = sides[1][0] @ turn.T + shift, sides[1][1]
    ways = [str(rng.choice(list(WAYS))) if rng.random() < 0.4 else "as it is" for _ in range(2)]
    placed = []
    for mesh, way in zip(sides, ways, strict=True):
        vertices = np.round((mesh[0] - at) / size / FINE_GRID) * FINE_GRID
        placed.append(WAYS[way]((vertices, mesh[1]), rng))
    return f"{name} {ways[0]} | {other} {ways[1]}", Pair(*placed)


def told(pair: Pair, permitted: float | str = 0.0) -> mc.PairVerdict:
    meshes = [mc.TriangleMesh(*mesh, pair.resolution) for mesh in pair[:2]]
    return mc.verdict(*meshes, permitted_overlap=permitted)


def contradiction(before: mc.PairVerdict, after: mc.PairVerdict, factor: float) -> str | None:
    """What two answers about the same pair, the second one ``factor`` times as large, say against each other.

    Verdicts differ although both are certain, or proved bounds of a depth do not overlap.
    """
    if before != after:
        certain = before.certainty == after.certainty == 1.0
        return f"{before.name} {before.certainty:.3g}, {after.name} {after.certainty:.3g}" if certain else None
    if before.depth_upper is not None and after.depth_upper is not None:
        slack = 1e-9 * max(before.depth_upper, after.depth_upper / factor)
        low = max(before.depth_lower or 0.0, (after.depth_lower or 0.0) / factor)
        high = min(before.depth_upper, after.depth_upper / factor)
        if low > high + slack:
            return f"depth {before.depth_lower} to {before.depth_upper}, {after.depth_lower} to {after.depth_upper}"
    return None


def case(seed: int, models: dict[str, Model] | None = None) -> tuple[str, list[str], Counter[str]]:
    """A pair, of models where there are any, what its changes contradict, and what was counted."""
    rng = np.random.default_rng(seed)
    name, pair = model_pair(models, rng) if models else random_pair(rng)
    before, found, counted = told(pair), [], Counter[str]()
    counted["answers"] += 1
    counted["certain"] += before.certainty == 1.0
    for change, apply in CHANGES.items():
        after_pair = apply(pair, rng)
        factor = _extent(after_pair) / _extent(pair)
        after = told(after_pair)
        counted["answers"] += 1
        counted["certain"] += after.certainty == 1.0
        counted["changed"] += before != after
        why = contradiction(before, after, factor)
        if why is not None:
            found.append(f"{change}: {why}")
    return name, found, counted


def written_objects(count: int, rng: np.random.Generator) -> dict[str, Written]:
    """Solids at places of a coarse grid, each written in one of the ways; single precision holds their coordinates."""
    made, found = solids(), {}
    for number in range(count):
        name, way = rng.choice(list(made)), rng.choice(list(WAYS))
        shift = np.round(rng.uniform(-1.5, 1.5, 3) / 0.25) * 0.25
        mesh = made[name][0] * 2.0 ** int(rng.integers(-2, 2)), made[name][1]
        found[f"{number} {name} {way}"] = WAYS[way](on_grid(moved(mesh, shift)), rng)
    return found


def doors(objects: dict[str, Written]) -> list[str]:
    """Pairs of objects about which ``verdict``, a scene, and that of ``detect`` and Blender do not say the same."""
    meshes = {name: mc.TriangleMesh(*mesh) for name, mesh in objects.items()}
    scene, names = mc.Scene(), list(objects)
    for name, mesh in meshes.items():
        scene.add(mesh, name=name)
    frame = FrameScene(1)
    for key, (name, (vertices, triangles)) in enumerate(objects.items()):
        faces, single = np.arange(len(triangles), dtype=np.int32), np.asarray(vertices, np.float32)
        assert (single == vertices).all()
        frame.meshes[key] = SourceMesh(single, np.asarray(triangles, np.int32), faces, True, 0.0)
        frame.objects.append(SourceObject(name, name, key, np.eye(4), name, name, True, True))
    detected = EngineScene(mc)
    for _ in detected.update_steps(frame):
        pass
    by_scene = {frozenset((pair.name_a, pair.name_b)): _said(pair) for pair in scene.contacts()}
    by_detect = {
        frozenset((detected.objects[pair.a].name, detected.objects[pair.b].name)): _said(pair)
        for pair in detected.scene.contacts()
    }
    colliding = {frozenset((names[a], names[b])) for a, b in scene.collides().pairs.tolist()}
    differ = []
    for a, b in itertools.combinations(names, 2):
        pair, alone = frozenset((a, b)), _said(mc.verdict(meshes[a], meshes[b]))
        others = [found.get(pair, ("APART", alone[1])) for found in (by_scene, by_detect)]
        if others != [alone, alone] or (pair in colliding) != (alone[0] != "APART"):
            differ.append(f"{a}, {b}: verdict {alone}, scene and detect {others}, collides {pair in colliding}")
    return differ


def _said(pair: mc.PairVerdict) -> tuple[str, float]:
    return pair.name, round(pair.certainty, 9)


def _extent(pair: Pair) -> float:
    points = np.concatenate([mesh[0][np.unique(mesh[1])] for mesh in pair[:2]])
    return float(np.ptp(points, axis=0).max())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, help="pairs, each with every change")
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--doors", action="store_true", help="COUNT objects, of which all pairs are asked")
    parser.add_argument("--models", type=Path, nargs="*", default=[], help="pairs of parts of these")
    options = parser.parse_args()
    models = {path.stem: read_model(path) for path in options.models}
    if options.doors:
        differ = doors(written_objects(options.count, np.random.default_rng(options.seed)))
        print(*differ, f"{options.count * (options.count - 1) // 2} pairs, {len(differ)} differ", sep="\n")
        return bool(differ)
    total, bad = Counter[str](), 0
    for seed in range(options.seed, options.seed + options.count):
        name, found, counted = case(seed, models)
        total += counted
        for line in found:
            bad += 1
            print(f"{seed} {name}: {line}", flush=True)
    print(f"{options.count} pairs, {bad} contradictions, " + ", ".join(f"{n} {key}" for key, n in total.items()))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
