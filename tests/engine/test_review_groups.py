"""Groups of clashes: on made scenes whose causes are known, and as promised for any rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.clash import Clashes, Part, families, group_clashes
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


@pytest.mark.parametrize("way", [*WAYS, "class"])
@given(asked=some_rows(), seed=st.integers(0, 99))
def test_every_row_is_in_one_group_whatever_the_order(way, asked, seed):
    parts, clashes = asked
    found = group_clashes(parts, clashes, way)
    assert sorted(row for group in found for row in group.rows.tolist()) == list(range(len(clashes)))
    assert all(group.reason and group.key for group in found)
    assert [len(group.rows) for group in found] == sorted((len(group.rows) for group in found), reverse=True)
    order = np.random.default_rng(seed).permutation(len(clashes))
    columns = (clashes.a, clashes.b, clashes.depths, clashes.boxes)
    mixed = Clashes(*(column[order] for column in columns), [clashes.verdicts[k] for k in order], clashes.frames[order])
    again = {frozenset(order[group.rows].tolist()) for group in group_clashes(parts, mixed, way)}
    if way not in ("object", "pattern"):  # greedy: of several right answers, the order chooses one
        assert again == {frozenset(group.rows.tolist()) for group in found}
    assert len(again) == len(found) or way in ("object", "pattern")


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


def test_reasons_say_who_and_how_deep():
    parts = [Part(str(k), f"Column-{k}", "Column") for k in range(3)] + [Part("s", "Slab", "Slab")]
    boxes = np.zeros((3, 2, 3))
    found = group_clashes(parts, Clashes(np.arange(3), np.full(3, 3), np.full(3, 0.02), boxes, ["CLASH"] * 3))
    assert [group.reason for group in found] == ["3 Column and Slab overlap, 20 mm deep"]


def test_a_number_stands_apart_from_a_name_that_starts_with_a_digit():
    """A type named 023 gave "6 023 and Slab overlap"."""
    parts = [Part(str(k), f"Panel-{k}", "023") for k in range(3)] + [Part("s", "Slab", "Slab")]
    boxes = np.zeros((3, 2, 3))
    found = group_clashes(parts, Clashes(np.arange(3), np.full(3, 3), np.full(3, 0.02), boxes, ["CLASH"] * 3))
    assert [group.reason for group in found] == ["3 × 023 and Slab overlap, 20 mm deep"]
