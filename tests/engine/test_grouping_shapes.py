"""Groups by what things are: shared meshes and relative places decide, whatever the names say."""

import uuid

import numpy as np
import pytest
from meshclash.clash import families
from meshclash.clash.frame_scene import FrameScene, SourceMesh, SourceObject
from meshclash.clash.grouping import grouped, parts_of, placed_steps
from meshclash.clash.pair_row import PairRow, PairSide
from meshclash.types.steps import run_to_end

NOTHING = np.empty(0, np.int32)
TRIANGLES = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]], np.int32)


def guid(k: int) -> str:
    return str(uuid.UUID(int=k * 7919 * 2**64 + 2**90 + k))


def pose(rng: np.random.Generator, reach: float = 30.0) -> np.ndarray:
    q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = q * np.sign(np.linalg.det(q)), rng.uniform(-reach, reach, 3)
    return matrix


def mesh(rng: np.random.Generator) -> SourceMesh:
    return SourceMesh(rng.normal(size=(4, 3)).astype(np.float32), TRIANGLES, np.arange(4, dtype=np.int32))


class Model:
    """Objects and clashes, put in one by one."""

    def __init__(self, seed: int, unit: float = 1.0) -> None:
        self.rng, self.frame, self.rows, self.unit = np.random.default_rng(seed), FrameScene(1), [], unit

    def add(self, name: str, shape: SourceMesh, matrix: np.ndarray, copied: bool = False) -> str:
        key = len(self.frame.meshes) if copied else id(shape)
        vertices = shape.vertices.copy() if copied else shape.vertices
        self.frame.meshes[key] = SourceMesh(vertices, shape.triangles, shape.face_of_triangle)
        self.frame.objects.append(SourceObject(name, name, key, matrix, name, name))
        return name

    def clash(self, a: str, b: str, depth: float, at: tuple[float, float, float] = (0, 0, 0)) -> None:
        a, b = (a, b) if self.rng.random() < 0.5 else (b, a)
        sides = (PairSide(name, name, name, NOTHING) for name in (a, b))
        number = f"{len(self.rows):016x}"
        self.rows.append(PairRow(number, *sides, 1, "clash", 4, 1, location=at, depth=depth, depth_lower=depth))

    def groups(self, objects=None, way="cause"):
        placed = run_to_end(placed_steps(self.frame))
        parts = parts_of([item.name for item in self.frame.objects], objects or {}, placed)
        return grouped(self.rows, parts, self.unit, way, placed)


NAMINGS = {
    "GUIDs": lambda k: f"product-{guid(k)}-body",
    "GlobalIds": lambda k: "3" + f"hV9x{k:04d}QqWeRtYuIoPa_"[:21],
    "numbers": lambda k: f"mesh_{k}",
    "copies": lambda k: f"Cube.{k:03d}",
    "random": lambda k: "".join(chr(97 + (k * p) % 26) for p in (1, 3, 5, 7, 11, 17, 19)) + f"{k}",
}


@pytest.mark.parametrize("naming", NAMINGS)
@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_two_details_that_repeat_are_two_groups_whatever_the_names(naming, copied, seed):
    model = Model(seed)
    rng, number = model.rng, iter(model.rng.permutation(56).tolist())
    for times in (19, 9):
        first, second = mesh(rng), mesh(rng)
        within = pose(rng, 0.3)
        for _ in range(times):
            at = pose(rng, 100.0)
            names = [
                model.add(NAMINGS[naming](next(number)), shape, matrix, copied)
                for shape, matrix in ((first, at), (second, at @ within))
            ]
            model.clash(*names, 0.0381 * rng.uniform(0.9999, 1.0001), tuple(at[:3, 3].tolist()))
    assert [len(pairs) for _, pairs in model.groups()] == [19, 9]


MEANINGLESS = ("body", "mesh", "solid")
WORDS = ("Bolt", "Housing", "Gear", "Cover", "Pin", *MEANINGLESS)


def assembly(seed: int, times: int, naming: str, repeated: bool = True) -> Model:
    """An assembly whose parts clash in details and by single parts, that many times; few shapes, or most only once."""
    model = Model(seed)
    plan = np.random.default_rng(1000 + seed)
    shapes = [mesh(plan) for _ in range(int(plan.integers(8, 16)) if repeated else 36)]
    of_part = plan.integers(0, len(shapes), 40) if repeated else np.minimum(np.arange(40), len(shapes) - 1)
    known = WORDS if repeated else MEANINGLESS
    words = [known[k] for k in plan.integers(0, len(known), len(shapes))]
    places = [pose(plan, 2.0) for _ in of_part]
    pairs = {tuple(sorted(plan.choice(40, 2, replace=False).tolist())) for _ in range(60)}
    depths = {pair: float(10.0 ** plan.uniform(-4, -1)) for pair in sorted(pairs)}
    for k in range(times):
        at = pose(model.rng, 50.0)
        called = [_called(naming, words[of_part[part]], k, part, of_part[part]) for part in range(40)]
        for part, name in enumerate(called):
            model.add(name, shapes[of_part[part]], at @ places[part])
        for (a, b), depth in depths.items():
            model.clash(called[a], called[b], depth * float(model.rng.uniform(0.999, 1.001)))
    return model


def _called(naming: str, word: str, k: int, part: int, shape: int) -> str:
    if naming == "instances":
        return f"Saw.{k:03d}/{word}_{142 + part}[{7 * k + part}]"
    if naming == "linked":
        return f"{word}_{142 + part}" + f".{k:03d}" * (k > 0)
    return guid(k * 1000 + part)


@pytest.mark.parametrize("naming", ["instances", "linked", "guids"])
@pytest.mark.parametrize("repeated", [True, False])
@pytest.mark.parametrize("collection", ["", "Saw"])
@pytest.mark.parametrize("seed", range(6))
def test_instances_of_an_assembly_have_the_groups_of_one(naming, repeated, collection, seed):
    found = []
    for times in (1, 12):
        model = assembly(seed, times, naming, repeated)
        said = {item.name: {"collection": collection} for item in model.frame.objects} if collection else None
        found.append([pairs for _, pairs in model.groups(said)])
    one, twelve = map(len, found)
    assert one / 2 <= twelve <= 2 * one
    rows = found[1]
    assert sorted(pair for pairs in rows for pair in pairs) == [f"{k:016x}" for k in range(sum(map(len, rows)))]


def test_one_place_to_each_other_is_the_same_in_every_unit_and_mirrored_ones_are_others():
    for unit in (1.0, 0.001, 0.3048):
        model = Model(3, unit)
        shapes = mesh(model.rng), mesh(model.rng)
        for k, mirrored in enumerate([False] * 5 + [True] * 4):
            at = pose(model.rng, 20.0 / unit) @ np.diag([-1.0 if mirrored else 1.0, 1.0, 1.0, 1.0])
            names = [model.add(guid(9 * k + j), shape, at) for j, shape in enumerate(shapes)]
            model.clash(*names, 0.01 / unit)
        assert [len(pairs) for _, pairs in model.groups()] == [5, 4]


def test_parts_of_one_shape_are_one_family_and_types_are_not_joined():
    model = Model(5)
    shape, other = mesh(model.rng), mesh(model.rng)
    for name in ("Lamp A", "Light B", "Fixture"):
        model.add(name, shape, pose(model.rng))
    model.add("Shelf", other, pose(model.rng))
    model.add("Rack", other, pose(model.rng))
    placed = run_to_end(placed_steps(model.frame))
    names = [item.name for item in model.frame.objects]
    assert len({part.family for part in parts_of(names, {}, placed)}) == 2
    typed = {"Lamp A": {"type": "L1"}, "Light B": {"type": "L2"}, "Fixture": {"type": "L3"}}
    assert len({part.family for part in parts_of(names, typed, placed)}) == 4
    assert parts_of(names, {}) and len({part.family for part in parts_of(names, {})}) == 5


@pytest.mark.parametrize("said", [{}, {"collection": "Saw"}, {"material": "Steel", "collection": "Saw"}])
def test_parts_of_which_nothing_is_known_are_kinds_of_their_own(said):
    """What all parts have in common tells none apart; a class or a material of some of them does."""
    names = [f"body_{2 * k}" for k in range(6)]
    kinds = [part.family for part in parts_of(names, dict.fromkeys(names, said))]
    assert len({*kinds}) == 6 and sorted(kinds) == sorted(names)
    some = {name: {**said, "material": "Brass" if k % 2 else "Rubber"} for k, name in enumerate(names)}
    assert [part.family for part in parts_of(names, some)] == ["Rubber", "Brass"] * 3
    pipes = {name: {**said, "class": "IfcPipeSegment"} for name in names}
    assert {part.family for part in parts_of(names, pipes)} == {"IfcPipeSegment"}


def test_families_leave_out_keys():
    names = [
        f"product-{guid(1)}-body",
        f"product-{guid(2)}-body",
        guid(3),
        "Wall (3hV9x0001QqWeRtYuIoPa_)",
        "Saw/Pin[3]",
    ]
    assert families(names) == ["product-body", "product-body", guid(3), "Wall", "Pin"]
