"""``read``: names, instances, units and placements of every format, and files that are none."""

import os
import sys
from pathlib import PurePosixPath

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mesh_samples import BOX_TRIANGLES, BOX_VERTICES, USDA, moved, scene_of_boxes, write_stl
from meshclash.clash.identity import identities
from meshclash.reading import read as reading
from meshclash.reading.file_names import file_names
from meshclash.reading.part import MeshPart, PartShape, unique_names
from meshclash.reading.polygons import triangulated

trimesh = pytest.importorskip("trimesh")


def turn(a, b):
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def bounds(part):
    matrix = np.vstack([part.pose.matrix, [0, 0, 0, 1]]) if part.pose.matrix.shape == (3, 4) else part.pose.matrix
    points = part.mesh.vertices @ matrix[:3, :3].T + matrix[:3, 3]
    return points.min(axis=0).tolist(), points.max(axis=0).tolist()


@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "off", "glb", "3mf"])
def test_a_box_of_every_format(tmp_path, ending):
    if ending == "3mf":
        pytest.importorskip("networkx", reason="trimesh writes 3MF with it")
        pytest.importorskip("lxml")
    box = trimesh.Trimesh(BOX_VERTICES, BOX_TRIANGLES, process=False)
    path = tmp_path / f"box.{ending}"
    (scene_of_boxes(trimesh, {"box": np.eye(4)}) if ending == "3mf" else box).export(path)
    parts = mc.read(path)
    assert len(parts) == 1 and len(parts[0].mesh.triangles) == 12
    known = {"glb": (1.0, True), "3mf": (1e-3, True)}
    assert (parts.metres, parts.unit_known) == known.get(ending, (1.0, False))
    low, high = bounds(parts[0])
    flat = np.sort(np.abs([low, high]), axis=0) / parts.metres
    assert np.allclose(flat, [[0, 0, 0], [1, 1, 1]])


def test_the_scene_graph_of_glb_gives_names_instances_and_baked_scales(tmp_path):
    path = tmp_path / "scene.glb"
    scene_of_boxes(trimesh, {"one": moved(0.0), "two": moved(5.0), "large": moved(9.0, 2.0)}).export(path)
    parts = {part.name: part for part in mc.read(path)}
    assert set(parts) == {"one", "two", "large"}
    assert parts["one"].shape is parts["two"].shape is parts["large"].shape
    assert parts["one"].mesh is parts["two"].mesh and parts["large"].mesh is not parts["one"].mesh
    low, high = bounds(parts["large"])
    assert np.allclose(low, [9, -2, 0]) and np.allclose(high, [11, 0, 2]), "y up becomes z up"


def test_a_unit_counts_where_the_file_names_none(tmp_path):
    parts = mc.read(write_stl(tmp_path / "part.stl", size=250.0), unit="mm")
    assert parts.size == pytest.approx(0.25) and not parts.unit_known
    glb = tmp_path / "scene.glb"
    scene_of_boxes(trimesh, {"one": moved(0.0)}).export(glb)
    assert mc.read(glb, unit="mm").metres == 1.0
    for unit in ("furlong", -1.0, float("nan")):
        with pytest.raises(mc.UnsupportedOption, match="unit"):
            mc.read(glb, unit=unit)


def test_usd_keeps_units_axes_instances_and_concave_faces(tmp_path):
    pytest.importorskip("pxr")
    path = tmp_path / "scene.usda"
    path.write_text(USDA)
    parts = {part.name: part for part in mc.read(path)}
    assert set(parts) == {"Pump", "Plate", "Plate2"}
    assert parts["Plate"].shape is parts["Plate2"].shape
    low, high = bounds(parts["Pump"])
    assert np.allclose(low, [1.0, -3.0, 2.0]) and np.allclose(high, [1.04, -3.0, 2.04])
    corners = parts["Pump"].mesh.vertices[parts["Pump"].mesh.triangles[:3]]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum() / 2
    assert area == pytest.approx(10e-4), "a fan around a corner of the concave face would have more"


def test_ears_of_any_simple_polygon_add_up_to_its_area():
    random = np.random.default_rng(7)
    for _ in range(200):
        count = int(random.integers(4, 12))
        angles = np.sort(random.uniform(0.0, 2.0 * np.pi, count))
        if np.diff(np.concatenate([angles, [angles[0] + 2.0 * np.pi]])).max() > 0.95 * np.pi:
            continue  # not around the middle
        radii = random.uniform(0.2, 1.0, count)
        flat = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
        basis = np.linalg.qr(random.normal(size=(3, 3)))[0]
        triangles = triangulated(flat @ basis[:2], np.array([count]), np.arange(count))
        a, b, c = (flat[triangles[:, k]] for k in range(3))
        areas, after = turn(b - a, c - a) / 2.0, np.roll(flat, -1, axis=0)
        whole = 0.5 * float(turn(flat, after).sum())
        assert len(triangles) == count - 2 and (areas > -1e-12).all() and areas.sum() == pytest.approx(whole)


def test_points_are_a_cloud(tmp_path):
    random = np.random.default_rng(3)
    path = tmp_path / "scan.xyz"
    np.savetxt(path, np.column_stack([random.uniform(size=(400, 2)), np.zeros(400)]))
    part = mc.read(path)[0]
    assert part.name == "scan" and isinstance(part.mesh, mc.clouds.PointCloud)
    ply = tmp_path / "scan.ply"
    trimesh.PointCloud(np.column_stack([random.uniform(size=(400, 2)), np.zeros(400)])).export(ply)
    assert isinstance(mc.read(ply)[0].mesh, mc.clouds.PointCloud)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.stl", None, "No such file"),
        ("empty.stl", b"", "not a complete STL file"),
        ("noise.glb", bytes(range(256)) * 4, "not binary glTF"),
        ("noise.usdc", bytes(range(256)) * 4, "USD cannot read it|usd-core"),
        ("cut.3mf", b"PK\x03\x04cut", "damaged or not a 3MF file"),
        ("model.iges", b"S      1", "not supported; expected one of"),
        ("no_faces.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "3 vertices, but no faces"),
    ],
)
def test_what_is_no_mesh_is_an_error_that_names_the_file(tmp_path, name, content, message):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(mc.InvalidFile, match=message) as raised:
        mc.read(path)
    assert name in str(raised.value)


def test_a_folder_and_a_pipe_are_no_files(tmp_path):
    (tmp_path / "folder.stl").mkdir()
    os.mkfifo(tmp_path / "pipe.stl")
    for name in ("folder.stl", "pipe.stl"):
        with pytest.raises(mc.InvalidFile, match="is not a mesh file"):
            mc.read(tmp_path / name)


def test_a_missing_library_is_named_with_its_extra(tmp_path, monkeypatch):
    for name in ("lxml.etree", "ifcopenshell", "pxr"):
        monkeypatch.setitem(sys.modules, name, None)  # import raises ImportError
    for ending, extra in (("3mf", "mesh"), ("ifc", "ifc"), ("usda", "usd")):
        path = tmp_path / f"model.{ending}"
        path.write_bytes(b"x")
        with pytest.raises(mc.InvalidFile, match=rf"pip install 'meshclash\[{extra}\]'"):
            mc.read(path)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = write_stl(tmp_path / "part.stl")
    reader = reading.READERS[".stl"]

    def slow(file):
        found = reader(file)
        file.write_bytes(file.read_bytes() + b" ")
        return found

    monkeypatch.setitem(reading.READERS, ".stl", slow)
    with pytest.raises(mc.InvalidFile, match="changed while it was read"):
        mc.read(path)


def test_names_are_unique_whatever_they_are():
    assert (
        unique_names(["A", "B", "A", "A", "A (2)"]) == ["A", "B", "A (3)", "A (4)", "A (2)"]
        or len(set(unique_names(["A", "B", "A", "A", "A (2)"]))) == 5
    )
    assert unique_names([]) == []


def part(name, x=0.0, size=1.0, **properties):
    return MeshPart(name, PartShape(size * BOX_VERTICES, BOX_TRIANGLES.astype(np.int32)), moved(x), properties)


def test_an_identity_is_the_model_with_the_global_id_or_the_name_and_no_two_are_alike():
    def told(parts, model="m"):
        return identities(parts, [(model,)] * len(parts))

    found = told([part("Wall", GlobalId="1abc"), part("Pipe")])
    assert told([part("Door", 2.0, 3.0, GlobalId="1abc"), part("Pipe", 2.0, 3.0)]) == found
    assert not {*found} & {*told([part("Wall", GlobalId="1abd"), part("Pump")])}
    assert not {*found} & {*told([part("Wall", GlobalId="1abc"), part("Pipe")], "n")}
    twins = [part("Bolt", 2.0), part("Bolt", 1.0), part("Bolt", 1.0, 3.0), part("Nut")]
    found = told(twins)
    assert len(set(found)) == 4 and found[3] == told([part("Nut")])[0]
    assert told([*twins[::-1]])[::-1] == found, "the order in the file does not matter"


def test_ifc_gives_elements_with_what_the_model_says_of_them(tmp_path):
    """The model is written by ifcopenshell, too; the test extra has it."""
    pytest.importorskip("ifcopenshell")
    from ifc_samples import write_model

    parts = {part.properties["GlobalId"]: part for part in mc.read(write_model(tmp_path / "model.ifc"))}
    named = {part.name: part for part in parts.values()}
    assert set(named) == {"Wall", "Pipe", "Pipe (2)"}, "the opening is left out"
    assert named["Pipe"].properties["class"] == "IfcPipeSegment"
    assert named["Pipe"].properties["type"] == "DN100" and named["Wall"].properties["storey"] == "Level 1"
    assert named["Pipe"].properties["system"] == "Heating"
    low, high = bounds(named["Wall"])
    assert np.allclose(low, [0, 0, 0]) and np.allclose(high, [4.0, 0.3, 3.0]), "millimetres become metres"
    assert len(named["Wall"].mesh.triangles) > 12, "the opening is cut out"


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["/x/a.ifc", "/x/b.ifc"], ["a", "b"]),
        (["/x/a/model.ifc", "/x/b/model.ifc", "/x/c.ifc"], ["a/model", "b/model", "c"]),
        (["/x/a/m/model.ifc", "/x/b/m/model.ifc", "/x/b/n/model.ifc"], ["a/m/model", "b/m/model", "n/model"]),
        (["/x/model.ifc", "/x/model.glb"], ["model.ifc", "model.glb"]),
        (["/x/model.ifc", "/x/model.ifc"], ["model", "model"]),
    ],
)
def test_names_of_files_tell_them_apart(files, names):
    assert file_names([PurePosixPath(file) for file in files]) == names


FOLDERS = st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join)


@given(st.lists(FOLDERS, max_size=8))
def test_different_files_have_different_names(texts):
    files = [PurePosixPath(f"/{text}.{ending}") for text in texts for ending in ("ifc", "glb")]
    assert len(set(file_names(files))) == len(set(files))
