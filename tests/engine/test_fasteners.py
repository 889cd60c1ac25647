"""Fasteners are recognised by name, class and shape, and left out only when asked, each of them named."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.__main__ import main
from meshclash.clash.fasteners import BY_CLASS, BY_NAME, BY_SHAPE, REASONS, Fasteners, is_fastener_name, screw_of
from meshclash.clash.frame_scene import FrameScene, SourceMesh, SourceObject
from meshclash.types.steps import run_to_end

FASTENERS = (
    """
Bolt|bolts|Hex Bolt|HexBolt|hex_bolt_M8|BOLT.001|Cap Screw|Screw-12|socket head cap screw|SetScrew|Wood Screws
Nut|Hex Nut|hexnut_3|LockNut|Washer|Spring Washer|Flat_Washer_8|Rivet|Blind rivets|Stud Bolt|EYEBOLT
Schraube|Sechskantschraube|Zylinderschraube M6x20|Mutter|Sechskantmutter.002|Hutmuttern|Unterlegscheibe|Federring
Bolzen|Gewindestift|Splint 4x40|Blindniet|Linsenkopfschrauben
ISO 4014|ISO4762 - M6|iso_7089|DIN 912|DIN933-M10|DIN EN ISO 4017|EN ISO 10642|DIN EN 934|DIN-ISO 7380|Part DIN_125 A
M8x30|M12 x 40|m3×8|Hex M6x20 A2|六角ボルト|ナット M8|平座金|十字穴付き小ねじ
""".strip()
    .replace("\n", "|")
    .split("|")
)
OTHERS = (
    """
Bolt plate|Bolt Hole Plate|Plate with bolt holes|Lead Screw|ball screw|Ball Nut|Leadscrew|Screwdriver|Screw Conveyor
Screw pump|Nut cracker|Coconut|Walnut Table|Peanut|Dish Washer|Dishwasher|Pressure washer|Washer Dryer|washer fluid tank
Thunderbolt|Deadbolt|Corkscrew|Schraubenschlüssel|Schraubenzieher|Schiffsschraube|Perlmutter|Grossmutter
DIN 2448|DIN 1025 I 200|ISO 9001|DIN rail|ISO 6708 DN 50|DIN 625 bearing|Ordinary 912|Radisson 933|Cube|Wall-1
Pipe DN 50|M8|RM8x30|Nutzer|Mutterschiff|Boltzmann|Scheibe|Riemenscheibe|Basic Wall:143410|3vB2YO$MX4xv5uCqZZG05e
""".strip()
    .replace("\n", "|")
    .split("|")
)


@pytest.mark.parametrize("name", FASTENERS)
def test_a_name_of_a_fastener(name):
    assert is_fastener_name(name)
    assert is_fastener_name(f"{name}.003")


@pytest.mark.parametrize("name", OTHERS)
def test_a_name_of_something_else(name):
    assert not is_fastener_name(name)
    assert not is_fastener_name(f"{name}.003")


def turned(profile, sides=24, corners=24):
    """A solid of revolution about z: (z, radius) from one end to the other; its first half has `corners` corners."""
    rings = []
    for k, (z, radius) in enumerate(profile):
        count = corners if k < len(profile) // 2 else sides
        angle = 2 * np.pi * np.arange(sides) / sides
        sector = 2 * np.pi / count
        inner = np.cos(sector / 2) / np.cos((angle % sector) - sector / 2)  # the straight sides of a polygon
        radii = radius * (inner if count != sides else 1.0)
        rings.append(np.stack([radii * np.cos(angle), radii * np.sin(angle), np.full(sides, z)], axis=1))
    points = np.concatenate([*rings, [[0, 0, profile[0][0]]], [[0, 0, profile[-1][0]]]])
    here = np.arange(sides)
    after = (here + 1) % sides
    faces = []
    for k in range(len(profile) - 1):
        low, high = k * sides, (k + 1) * sides
        faces.append(np.stack([low + here, low + after, high + after], axis=1))
        faces.append(np.stack([low + here, high + after, high + here], axis=1))
    last = (len(profile) - 1) * sides
    faces.append(np.stack([np.full(sides, len(points) - 2), after, here], axis=1))
    faces.append(np.stack([np.full(sides, len(points) - 1), last + here, last + after], axis=1))
    return points, np.concatenate(faces)


def hexagon_screw(diameter=8.0, length=30.0, width=1.8, height=0.65):
    head, radius = height * diameter, diameter / 2
    return turned(
        [(0, width * radius), (head, width * radius), (head, radius), (head + length, radius)], sides=24, corners=6
    )


def threaded_screw():
    steps = np.arange(0, 24.0, 0.5)
    shaft = [(8.0 + z, 4.0 if k % 2 else 3.4) for k, z in enumerate(steps)]
    return turned([(0.0, 6.5), (8.0, 6.5), *shaft, (33.0, 2.5)])


def countersunk_screw():
    return turned([(0.0, 7.8), (4.0, 4.0), (30.0, 4.0)])


def socket_screw():
    """With a hole in its head."""
    return turned([(6.0, 3.0), (0.0, 3.0), (0.0, 6.5), (8.0, 6.5), (8.0, 4.0), (40.0, 4.0), (41.0, 3.2)])


SCREWS = {
    "hexagon": hexagon_screw(), "long": hexagon_screw(length=120.0), "short": hexagon_screw(length=9.0),
    "cap": turned([(0, 6.5), (8, 6.5), (8, 4), (38, 4)]), "threaded": threaded_screw(),
    "countersunk": countersunk_screw(), "socket": socket_screw(),
}  # fmt: skip
NO_SCREWS = {
    "cylinder": turned([(0, 4), (30, 4)]),
    "cone": turned([(0, 8), (30, 1)]),
    "bottle": turned([(0, 30), (150, 30), (170, 15), (220, 15)]),
    "shaft with a gear": turned([(0, 5), (20, 5), (20, 12), (28, 12), (28, 5), (60, 5)]),
    "wheel on an axle": turned([(0, 40), (8, 40), (8, 4), (60, 4)]),
    "knob": turned([(0, 12), (20, 12), (20, 7), (25, 7)]),
    "table leg": turned([(0, 9), (8, 9), (8, 4), (60, 4)], sides=4, corners=4),
    "dumb-bell": turned([(0, 8), (6, 8), (6, 4), (40, 4), (40, 8), (46, 8)]),
    "plate": turned([(0, 40), (2, 40)]),
    "sphere": turned([(-np.cos(a) * 9, np.sin(a) * 9) for a in np.linspace(0.05, 3.09, 12)]),
}


def placed(points, seed):
    """Points in another pose and size."""
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return float(rng.uniform(0.2, 5.0)), turn, rng.normal(size=3) * 100.0


@given(st.sampled_from(sorted(SCREWS)), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_a_screw_has_its_shape_in_every_pose(kind, seed):
    points, faces = SCREWS[kind]
    size, turn, place = placed(points, seed)
    own, found = screw_of(points, faces), screw_of(size * points @ turn.T + place, faces)
    assert own is not None and found is not None, kind
    assert found == pytest.approx([size * value for value in own], rel=1e-6)
    assert 7.8 <= own.diameter <= 8.1
    assert own.length == pytest.approx(float(np.ptp(points[:, 2])))


@given(st.sampled_from(sorted(NO_SCREWS)), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_other_parts_have_not(kind, seed):
    points, faces = NO_SCREWS[kind]
    size, turn, place = placed(points, seed)
    assert screw_of(points, faces) is None and screw_of(size * points @ turn.T + place, faces) is None


@pytest.mark.parametrize("points", [np.zeros((8, 3)), np.full((8, 3), np.nan), np.ones((8, 3)) * np.inf])
def test_what_has_no_shape_is_no_screw(points):
    with np.errstate(invalid="ignore"):
        assert screw_of(points, np.arange(24).reshape(8, 3) % 8) is None
        assert screw_of(points, np.tile(np.arange(24).reshape(8, 3) % 8, (3, 1))) is None


def thing(name, mesh="box", **changes):
    return SourceObject(name, name, mesh, np.eye(4), name, name, **changes)


def frame_of(*items):
    points, faces = turned([(0, 4), (30, 4)])
    box = SourceMesh(points, faces, np.arange(len(faces)))
    screw_points, screw_faces = hexagon_screw()
    screw = SourceMesh(screw_points, screw_faces, np.arange(len(screw_faces)))
    return FrameScene(1, items, {"box": box, "screw": screw})


def ignored(frame, scale=0.001):
    return run_to_end(Fasteners().ignored_steps(frame, scale))


def test_each_fastener_is_left_out_with_its_reason():
    frame = frame_of(
        thing("Plate"), thing("Bolt.001"), thing("Part 7", "screw"), thing("GUID", properties={"type": "DIN 934 M8"}),
        thing("X", properties={"class": "IfcMechanicalFastener"}), thing("Copy (2)", own_name="Washer"),
    )  # fmt: skip
    found = ignored(frame)
    assert [item.name for item in found.objects] == ["Plate"]
    assert [(item.name, item.reason, item.lost) for item in found.skipped] == [
        ("Bolt.001", BY_NAME, False), ("Part 7", BY_SHAPE, False), ("GUID", BY_NAME, False), ("X", BY_CLASS, False),
        ("Copy (2)", BY_NAME, False),
    ]  # fmt: skip
    assert {item.reason for item in found.skipped} == {*REASONS}


def test_only_small_things_are_screws():
    frame = frame_of(thing("Pillar", "screw"))
    assert not ignored(frame).objects
    assert len(ignored(frame, scale=1.0).objects) == 1  # 8 m across
    large = frame_of(replace(thing("Pillar", "screw"), matrix=np.diag([100.0, 100.0, 100.0, 1.0])))
    assert len(ignored(large).objects) == 1


def test_an_instance_goes_by_its_own_name():
    frame = frame_of(
        replace(thing("Bolts/Plate[1]"), source="Plate", owner="Bolts"),
        replace(thing("Frame/Bolt[1]"), source="Bolt", owner="Frame"),
    )
    assert [item.name for item in ignored(frame).objects] == ["Bolts/Plate[1]"]


def test_a_scene_without_fasteners_is_handed_back():
    frame = frame_of(thing("Plate"), thing("Wall"))
    assert ignored(frame) is frame


def plate_with_bolts(tmp_path):
    """A file of a plate, two bolts through it, and a pipe that crosses it."""
    cube = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    lines, count = [], 0
    for name, low, high in (
        ("Plate", (0, 0, 0), (10, 10, 1)), ("Bolt.001", (2, 2, -1), (3, 3, 3)), ("Bolt.002", (6, 6, -1), (7, 7, 3)),
        ("Pipe", (4, 4, -5), (5, 5, 5)),
    ):  # fmt: skip
        lines.append(f"o {name}")
        places = np.array(low) + np.array(cube) * (np.array(high) - np.array(low))
        lines += [f"v {x} {y} {z}" for x, y, z in places]
        lines += [f"f {' '.join(str(count + corner + 1) for corner in quad)}" for quad in quads]
        count += len(cube)
    path = tmp_path / "plate.obj"
    path.write_text("\n".join(lines), "utf-8")
    return path


def run(path, *options):
    report = path.parent / "report.json"
    assert main(["detect", str(path), "--unit", "mm", "--report", str(report), *options]) == 0
    return json.loads(report.read_text("utf-8"))


def test_the_command_line_says_how_many_were_left_out(tmp_path, capsys):
    path = plate_with_bolts(tmp_path)
    page = tmp_path / "report.html"
    report = run(path)
    assert len(report["pairs"]) == 3 and "fastener" not in "".join(capsys.readouterr())
    report = run(path, "--ignore-fasteners", "--report", str(page))
    done = capsys.readouterr()
    assert [(pair["a"], pair["b"]) for pair in report["pairs"]] == [("Pipe", "Plate")]
    assert "2 fasteners ignored." in done.out
    assert "left out: 2 × fastener, recognised by its name: Bolt.001, Bolt.002" in done.err
    assert report["options"]["ignore_fasteners"] is True
    assert [item["name"] for item in report["stats"]["skipped"]] == ["Bolt.001", "Bolt.002"]
    assert "2 fasteners ignored." in page.read_text("utf-8") and "Bolt.002: fastener" in page.read_text("utf-8")


def test_a_clash_of_a_fastener_is_not_said_to_be_gone(tmp_path):
    path = plate_with_bolts(tmp_path)
    run(path)
    before = tmp_path / "before.json"
    (tmp_path / "report.json").rename(before)
    report = run(path, "--ignore-fasteners", "--baseline", str(before))
    assert {item["why"] for item in report["gone"]} == {"set or rule changed"}
    assert [item["detail"] for item in report["gone"]] == ["ignore_fasteners"] * 2
