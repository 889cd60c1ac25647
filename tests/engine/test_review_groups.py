"""Groups of clashes: on made scenes whose causes are known, and as promised for any rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.clash import Clashes, Group, Part, families, group_clashes
from meshclash.clash.grouping import parts_of
from meshclash.clash.review.groups import WAYS
from meshclash.errors import UnsupportedOption


class Made:
    """A building with details and faults that are put in, each with a number of its own."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.parts, self.rows, self.causes = [], [], []

    def family(self, name: str, count: int) -> list[int]:
        first = len(self.parts)
        self.parts += [Part(f"{name}:{k}", f"{name}:{100000 + k}", name) for k in range(count)]
        return list(range(first, first + count))

    def clash(self, cause: int, a: int, b: int, depth: float) -> None:
        a, b = (a, b) if self.rng.random() < 0.5 else (b, a)
        corner = self.rng.uniform(0, 50, 3)
        self.rows.append((a, b, depth, [corner, corner + depth]))
        self.causes.append(cause)

    def building(self) -> None:
        """Columns that stand in slabs, doors in floors, ducts through walls, one duct that lies wrong."""
        rng, cause = self.rng, 0
        kinds = {
            k: self.family(k, int(rng.integers(4, 80))) for k in ("Column", "Door", "Beam", "Lamp", "Rail", "Step")
        }
        slabs, walls = self.family("Slab", 6), {k: self.family(k, 40) for k in ("Wall 20", "Wall 30", "Glass", "Roof")}
        ducts = self.family("Duct", 30)
        for members in kinds.values():  # a detail of the family: all of it stands in what carries it
            depth = rng.uniform(0.003, 0.05)
            for member in members:
                self.clash(cause, member, int(rng.choice(slabs)), depth * rng.uniform(0.95, 1.05))
            cause += 1
        for duct in rng.choice(ducts, 3, replace=False):  # lies wrong: meets walls of several kinds
            for wall in walls.values():
                for one in rng.choice(wall, int(rng.integers(1, 6)), replace=False):
                    self.clash(cause, int(duct), int(one), rng.uniform(0.1, 0.3))
            cause += 1
        for a, b in (("Column", "Beam"), ("Lamp", "Door"), ("Rail", "Step")):  # pairs of families, deep or shallow
            for depth in (0.004, 0.4):
                for _ in range(int(rng.integers(1, 12))):
                    self.clash(
                        cause, int(rng.choice(kinds[a])), int(rng.choice(kinds[b])), depth * rng.uniform(0.9, 1.1)
                    )
                cause += 1

    def clashes(self) -> Clashes:
        a, b, depths, boxes = zip(*self.rows, strict=True)
        return Clashes(np.array(a), np.array(b), np.array(depths), np.array(boxes), ["CLASH"] * len(a))


def test_groups_by_cause_are_the_causes_that_were_made():
    whole = single = groups_of_one = groups = causes = 0
    for seed in range(50):
        made = Made(seed)
        made.building()
        found = group_clashes(made.parts, made.clashes())
        of_row = np.array(made.causes)
        held = [set(of_row[group.rows].tolist()) for group in found]
        groups, single = groups + len(found), single + sum(len(some) == 1 for some in held)
        for cause in set(made.causes):
            causes += 1
            whole += sum(cause in some for some in held) == 1
        groups_of_one += sum(len(group.rows) == 1 for group in found)
    assert single >= 0.95 * groups
    assert whole >= 0.9 * causes
    assert groups_of_one < 0.2 * groups


@st.composite
def some_rows(draw):
    names = draw(st.lists(st.sampled_from(["A.001", "A", "B-1", "B-2", "C:123456", "", "D"]), min_size=1, max_size=12))
    kinds = st.sampled_from(["", "Wall", "Slab"])
    found = families(names)
    parts = [Part(str(k), name, found[k], {"class": draw(kinds)}) for k, name in enumerate(names)]
    place = st.integers(0, len(parts) - 1)
    length = st.one_of(st.just(np.nan), st.floats(0, 10))
    rows = draw(
        st.lists(st.tuples(place, place, length, st.floats(-5, 5), st.integers(0, 9), st.integers(0, 3)), max_size=30)
    )
    corner = np.array([row[3] for row in rows])[:, None, None] * np.ones((1, 1, 3)) + [[[0.0], [1.0]]]
    columns = [np.array([row[k] for row in rows], kind) for k, kind in ((0, int), (1, int), (2, float))]
    frames = np.array([(row[4], row[4] + row[5]) for row in rows], np.int64).reshape(-1, 2)
    corners = corner.reshape(-1, 2, 3)
    corners[np.isnan(columns[2])] = np.nan
    return parts, Clashes(*columns, corners, (["CLASH", "CONTAINED", "CONTACT"] * 10)[: len(columns[0])], frames)


def mixed(clashes: Clashes, order: np.ndarray) -> Clashes:
    """The same rows in another order."""
    columns = (clashes.a, clashes.b, clashes.depths, clashes.boxes)
    others = (None if column is None else column[order] for column in (clashes.frames, clashes.poses))
    return Clashes(*(column[order] for column in columns), [clashes.verdicts[k] for k in order], *others)


def said(found: list[Group], order: np.ndarray | None = None) -> set[tuple]:
    """All that groups say, with the rows in the original order."""
    return {
        (frozenset((group.rows if order is None else order[group.rows]).tolist()), *told[1:])
        for group in found
        for told in [(group.rows, group.reason, group.key, group.sides, group.depths)]
    }


@pytest.mark.parametrize("way", [*WAYS, "class"])
@given(asked=some_rows(), seed=st.integers(0, 99))
def test_every_row_is_in_one_group_whatever_the_order(way, asked, seed):
    parts, clashes = asked
    found = group_clashes(parts, clashes, way)
    assert sorted(row for group in found for row in group.rows.tolist()) == list(range(len(clashes)))
    assert all(group.reason and group.key for group in found)
    assert [len(group.rows) for group in found] == sorted((len(group.rows) for group in found), reverse=True)
    order = np.random.default_rng(seed).permutation(len(clashes))
    assert said(group_clashes(parts, mixed(clashes, order), way), order) == said(found)


def test_clashes_without_a_place_part_no_others():
    parts = [Part(str(k), str(k), "A") for k in range(2)]
    boxes = np.full((9, 2, 3), np.nan)
    boxes[[0, 8]] = 0.0
    for order in (np.arange(9), np.array([1, 0, *range(2, 9)]), np.array([0, 8, *range(1, 8)])):
        clashes = Clashes(np.zeros(9, int), np.ones(9, int), np.full(9, np.nan), boxes[order], ["CLASH"] * 9)
        assert sorted(len(group.rows) for group in group_clashes(parts, clashes, "place")) == [1] * 7 + [2]


def test_an_unknown_way_is_refused():
    with pytest.raises(UnsupportedOption, match="cannot be grouped by 'colour'"):
        group_clashes(
            [Part("1", "a", "a")], Clashes(*np.zeros((2, 0), int), np.zeros(0), np.zeros((0, 2, 3)), []), "colour"
        )


def test_families_leave_out_numbers_of_instances():
    names = [
        "Bolt",
        "Bolt.001",
        "Wall-3",
        "Wall-12",
        "Basic Wall:20 cm:143410",
        "Pipe DN 50",
        "Pipe DN 50",
        "PL200*1500",
        ".001",
        "IfcMember (12)",
        "Cabinet:800 mm:800 mm:157200",
    ]
    assert families(names) == [
        "Bolt",
        "Bolt",
        "Wall",
        "Wall",
        "Basic Wall:20 cm",
        "Pipe DN 50",
        "Pipe DN 50",
        "PL200*1500",
        ".001",
        "IfcMember",
        "Cabinet:800 mm",
    ]


def test_names_that_say_their_type_say_the_family():
    said = {"Cabinet:800 mm:157200": "800 mm", "Shelf:800 mm:157201": "800 mm", "W-1": "Wall 20:4711", "W-2": "Wall 20"}
    parts = parts_of([*said, "Lamp"], {name: {"type": kind} for name, kind in said.items()})
    assert [part.family for part in parts] == ["Cabinet:800 mm", "Shelf:800 mm", "Wall 20", "Wall 20", "Lamp"]


def reasons(parts, pairs, depths, verdict="CLASH"):
    a, b = np.array(pairs).T
    boxes = np.zeros((len(pairs), 2, 3))
    return [group.reason for group in group_clashes(parts, Clashes(a, b, np.array(depths), boxes, [verdict] * len(a)))]


def test_reasons_say_who_and_how_deep():
    parts = [Part(str(k), f"Column-{k}", "Column") for k in range(3)] + [Part("s", "Slab", "Slab")]
    stand = [(0, 3), (1, 3), (2, 3)]
    assert reasons(parts, stand, [0.02] * 3) == ["3 × Column and Slab overlap, 20 mm deep"]
    assert reasons(parts, stand, [0.02, 0.02, 0.025]) == ["3 × Column and Slab overlap, 20 mm to 25 mm deep"]
    assert reasons(parts, stand, [0.2, 0.3, 0.3]) == ["3 × Column and Slab overlap, 0.2 m to 0.3 m deep"]
    assert reasons(parts, stand, [np.nan] * 3) == ["3 × Column and Slab overlap"]
    inside = "in each pair of 3 × Column and Slab, one is inside the other"
    assert reasons(parts, stand, [np.nan] * 3, "CONTAINED") == [inside]
    assert reasons(parts, stand[:1], [np.nan], "CONTAINED") == ["one of Column-0 and Slab is inside the other"]


def test_reasons_count_each_object_of_one_family_once():
    """Of three pipes, each meets the two others: that is not "2 Pipe and 2 Pipe"."""
    parts = [Part(str(k), f"Pipe-{k}", "Pipe") for k in range(3)]
    among = [(0, 1), (1, 2), (2, 0)]
    assert reasons(parts, among, [0.02] * 3) == ["3 × Pipe overlap one another, 20 mm deep"]
    assert reasons(parts, among, [np.nan] * 3, "CONTAINED") == ["some of 3 × Pipe are inside others"]
    assert reasons(parts, among, [np.nan] * 3, "DUPLICATE") == ["3 × Pipe occupy the same space"]
    assert reasons(parts, among, [np.nan] * 3, "CONTACT") == ["3 × Pipe meet one another"]
    assert reasons(parts, among[:1], [0.02]) == ["Pipe-0 and Pipe-1 overlap, 20 mm deep"]


def test_a_count_is_never_taken_for_a_name_and_a_name_never_for_a_count():
    """A type named 023 gave "6 023 and Slab overlap", and one named "12 Basic Wall" gave "21 12 Basic Wall"."""
    parts = [Part(str(k), f"Panel-{k}", "12 Panel") for k in range(3)] + [Part("s", "248", "248")]
    stand = [(0, 3), (1, 3), (2, 3)]
    assert reasons(parts, stand, [0.02] * 3) == ["3 × '12 Panel' and '248' overlap, 20 mm deep"]


def scattered(seed: int) -> tuple[list[Part], Clashes]:
    """A few families of some classes; clashes at random, many of them of the first object, some of them repeated."""
    rng = np.random.default_rng(seed)
    classes = [{}, {"class": "IfcWall"}, {"class": "IfcWallStandardCase"}, {"class": "IfcDoor"}]
    of_family = rng.integers(0, len(classes), 8)
    family, shaped = rng.integers(0, 8, 30), rng.random() < 0.5
    parts = [
        Part(str(k), f"F{one}-{k}", f"F{one}", classes[of_family[one]], f"S{one}" if shaped and k % 3 else "")
        for k, one in enumerate(family.tolist())
    ]
    a = np.where(rng.random(40) < 0.4, 0, rng.integers(0, 30, 40))
    depths = rng.choice([0.001, 0.004, 0.02, 0.06, 0.3], 40) * np.where(
        rng.random(40) < 0.5, rng.uniform(0.9, 1.1, 40), 1
    )
    depths[rng.random(40) < 0.3] = np.nan
    poses = np.tile(np.eye(3, 4), (40, 1, 1))
    poses[:, :, 3] = rng.choice([0.0, 0.5, 1.0], (40, 3)) * (1.0 + 1e-5 * rng.standard_normal((40, 3)))
    verdicts = rng.choice(["CLASH", "CONTAINED"], 40).tolist()
    clashes = Clashes(a, (a + rng.integers(1, 30, 40)) % 30, depths, np.zeros((40, 2, 3)), verdicts, None, poses)
    return parts, clashes


@given(seed=st.integers(0, 2**32 - 1))
def test_the_order_of_rows_changes_no_group_and_no_word(seed):
    parts, clashes = scattered(seed)
    order = np.random.default_rng(seed).permutation(len(clashes))
    for way in WAYS:
        assert said(group_clashes(parts, mixed(clashes, order), way), order) == said(group_clashes(parts, clashes, way))


def with_known(parts: list[Part], clashes: Clashes) -> np.ndarray:
    """The depths; the largest known depth of its pair of families for an unknown one."""
    families = [part.family for part in parts]
    pairs = [frozenset((families[a], families[b])) for a, b in zip(clashes.a, clashes.b, strict=True)]
    most: dict[frozenset, float] = {}
    for pair, depth in zip(pairs, clashes.depths.tolist(), strict=True):
        if not np.isnan(depth):
            most[pair] = max(depth, most.get(pair, 0.0))
    return np.array(
        [most.get(pair, np.nan) if np.isnan(d) else d for pair, d in zip(pairs, clashes.depths, strict=True)]
    )


def apart(depths: np.ndarray, factor: float) -> bool:
    """Whether depths have different sizes: a gap of more than the factor and of more than 2 mm, or some are unknown."""
    if np.isnan(depths).any():
        return not np.isnan(depths).all()
    lower, upper = np.sort(depths)[:-1], np.sort(depths)[1:]
    return bool(((upper > 1.001 * factor * lower) & (upper - lower > 0.0021)).any())


@given(seed=st.integers(0, 2**32 - 1))
def test_every_cause_has_depths_of_one_size(seed):
    """A slab with a wall 300 mm and railings 8 mm deep in it does not lie wrong: these are different decisions."""
    parts, clashes = scattered(seed)
    clashes = Clashes(clashes.a, clashes.b, clashes.depths, clashes.boxes, clashes.verdicts)
    depths = with_known(parts, clashes)
    found = group_clashes(parts, clashes)
    for group in found:
        assert not apart(depths[group.rows], 2.0 if group.key.startswith("object|") else 3.0)
    assert len({group.key for group in found}) == len(found)


@given(seed=st.integers(0, 2**32 - 1))
def test_few_clashes_with_parts_of_one_class_are_one_group(seed):
    """Doors of two types stand in walls of one type: each type has too few clashes to be a cause."""
    parts, clashes = scattered(seed)
    family = [part.family for part in parts]
    kind = {part.family: part.properties.get("class", "").removesuffix("StandardCase") for part in parts}
    for group in group_clashes(parts, clashes):
        pairs = {frozenset((family[clashes.a[k]], family[clashes.b[k]])) for k in group.rows.tolist()}
        if group.key.startswith("families|") and len(pairs) > 1:
            (common,) = frozenset.intersection(*pairs)
            others = {next(iter(pair - {common}), common) for pair in pairs}
            assert len({kind[other] for other in others}) == 1
            assert group.sides == (common, f"{len(others)} kinds")


def test_few_clashes_of_one_class_say_their_families():
    doors = [Part(f"d{k}", f"Door-{k}", f"Door {width}", {"class": "IfcDoor"}) for k, width in enumerate((80, 80, 90))]
    wall = Part("w", "Wall-1", "Wall 20", {"class": "IfcWallStandardCase"})
    found = reasons([*doors, wall], [(0, 3), (1, 3), (2, 3)], [0.025] * 3)
    assert found == ["Wall-1 and 2 × Door 80, 1 × Door 90 overlap, 25 mm deep"]


def test_an_object_that_lies_wrong_is_told_from_what_it_meets_by_depths_of_another_size():
    walls = [Part(f"w{k}", f"Wall-{k}", f"Wall {k}") for k in range(5)]
    duct = Part("d", "Duct", "Duct")
    found = reasons([*walls, duct], [(k, 5) for k in range(5)], [0.1, 0.1, 0.15, np.nan, 0.001])
    assert found[0] == "Duct clashes with 1 × Wall 0, 1 × Wall 1, 1 × Wall 2, 0.1 m to 0.15 m deep"
    assert sorted(found[1:]) == ["Duct and Wall-3 overlap", "Duct and Wall-4 overlap, 1 mm deep"]


def test_all_instances_of_an_assembly_have_the_causes_of_one():
    """Of twelve ducts of one shape, each meets three walls; the depths of some are unknown."""
    parts = [
        Part(f"{k}-{name}", f"{name}.{k:03}", name, {}, name) for k in range(12) for name in ("Duct", "W1", "W2", "W3")
    ]
    a, b = np.repeat(4 * np.arange(12), 3), np.arange(48).reshape(12, 4)[:, 1:].ravel()
    poses = np.tile(np.eye(3, 4), (36, 1, 1))
    poses[:, 0, 3] = np.tile([1.0, 2.0, 3.0], 12)
    depths = np.where(np.arange(36) % 5 == 0, np.nan, 0.1)
    clashes = Clashes(a, b, depths, np.zeros((36, 2, 3)), ["CLASH"] * 36, None, poses)
    (group,) = group_clashes(parts, clashes)
    assert group.reason == "12 × Duct clash with 12 × W1, 12 × W2, 12 × W3, 0.1 m deep"
