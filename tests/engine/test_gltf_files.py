"""glTF: every feature that changes geometry is read as the specification says, or refused or lost by name."""

import json
import math
import sys

import meshclash as mc
import numpy as np
import pytest
from gltf_samples import Drawn, Gltf, box, draco_box, world_triangles
from hypothesis import given, settings
from hypothesis import strategies as st
from mesh_samples import BOX_TRIANGLES, BOX_VERTICES
from meshclash.reading.gltf_document import Document

FINER = 1e-12


def bounds(part):
    corners = world_triangles(part)
    return corners.min(axis=(0, 1)).tolist(), corners.max(axis=(0, 1)).tolist()


def read(gltf, tmp_path, name="model.gltf", form=""):
    return mc.read(gltf.write(tmp_path / name, form))


@pytest.mark.parametrize(("name", "form"), [("m.glb", ""), ("m.gltf", ""), ("m.gltf", "beside")])
def test_a_box_in_each_form(tmp_path, name, form):
    parts = read(box(), tmp_path, name, form)
    assert [part.name for part in parts] == ["n"] and bounds(parts[0]) == ([0, 0, 0], [1, 1, 1])
    assert parts.unit_known and parts.metres == 1.0 and parts.left_out == () and parts.no_geometry == {}
    assert parts[0].shape.resolution is None


@pytest.mark.parametrize(("kind", "largest"), [("i1", 127), ("u1", 255), ("i2", 32767), ("u2", 65535)])
@pytest.mark.parametrize("normalized", [True, False])
def test_quantised_positions_have_their_step_as_resolution(tmp_path, kind, largest, normalized):
    gltf = Gltf()
    points = gltf.accessor(np.c_[BOX_VERTICES * largest, BOX_VERTICES[:, :1]], kind)
    gltf.json["accessors"][points] |= {"type": "VEC3", "normalized": normalized}
    gltf.json["bufferViews"][0]["byteStride"] = 4 * np.dtype(kind).itemsize
    mesh = gltf.mesh({"attributes": {"POSITION": points}, "indices": gltf.accessor(BOX_TRIANGLES.ravel(), "u1")})
    gltf.node(mesh=mesh, scale=[2.0, 0.5, 1.0])
    gltf.require("KHR_mesh_quantization")
    part = read(gltf, tmp_path)[0]
    size = 1 if normalized else largest
    assert bounds(part) == ([0, 0, 0], [2.0 * size, 0.5 * size, size])
    step = 1.0 / largest if normalized else 1.0
    assert part.shape.resolution == pytest.approx(step * math.sqrt(3.0) / 2.0)
    assert part.mesh.resolution == pytest.approx(2.0 * step * math.sqrt(3.0) / 2.0), "the scale stretches it"


def test_the_least_signed_integer_is_minus_one(tmp_path):
    gltf = Gltf()
    points = gltf.accessor([[-128, 0, 0], [127, 0, 0], [-127, 64, 0]], "i1", True, stride=4)
    gltf.node(mesh=gltf.mesh({"attributes": {"POSITION": points}}))
    assert world_triangles(read(gltf, tmp_path)[0])[0].tolist() == [[-1, 0, 0], [1, 0, 0], [-1, 64 / 127, 0]]


def test_sparse_values_replace_others_and_zeros(tmp_path):
    def change(gltf):
        place = gltf.accessor(BOX_VERTICES, sparse=([7], [[3, 3, 3]]))
        zeros = gltf.accessor(BOX_VERTICES, sparse=([1, 2], [[0, 1, 0], [0, 0, 1]]))
        del gltf.json["accessors"][zeros]["bufferView"]
        gltf.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = place
        gltf.node(mesh=gltf.mesh({"attributes": {"POSITION": zeros}, "indices": gltf.accessor([0, 1, 2], "u1")}))

    one, other = read(box(change), tmp_path)
    assert bounds(one) == ([0, 0, 0], [3, 3, 3])
    assert world_triangles(other).tolist() == [[[0, 0, 0], [0, 1, 0], [0, 0, 1]]]


def test_instances_share_a_shape(tmp_path):
    def change(gltf):
        half = math.sqrt(0.5)
        attributes = {
            "TRANSLATION": gltf.accessor([[0, 0, 0], [5, 0, 0], [9, 0, 0]]),
            "ROTATION": gltf.accessor([[0, 0, 0, 127], [0, 0, 90, 90], [0, 0, 0, 127]], "i1", True),
            "SCALE": gltf.accessor([[1, 1, 1], [1, 1, 1], [2, 2, 2]]),
            "_ID": gltf.accessor([7, 8, 9], "u2"),
        }
        gltf.json["nodes"][0] |= {
            "translation": [0, 10, 0],
            "rotation": [0, 0, half, half],
            "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}},
        }
        gltf.require("EXT_mesh_gpu_instancing")

    parts = read(box(change), tmp_path)
    assert [part.name for part in parts] == ["n", "n (2)", "n (3)"] and len({id(part.shape) for part in parts}) == 1
    found = [np.round(bounds(part), 6).tolist() for part in parts]
    assert found == [[[-1, 10, 0], [0, 11, 1]], [[-1, 14, 0], [0, 15, 1]], [[-2, 19, 0], [0, 21, 2]]]


@pytest.mark.parametrize(
    ("mode", "triangles"),
    [(4, [[0, 1, 2], [3, 4, 5]]), (5, [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]),
     (6, [[1, 2, 0], [2, 3, 0], [3, 4, 0], [4, 5, 0]])],
)  # fmt: skip
@pytest.mark.parametrize("indexed", [True, False])
def test_lists_strips_and_fans_keep_their_sides(tmp_path, mode, triangles, indexed):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1], [0, 2, 0], [1, 2, 3]], np.float64)
    gltf = Gltf()
    primitive = {"attributes": {"POSITION": gltf.accessor(points)}, "mode": mode}
    if indexed:
        primitive["indices"] = gltf.accessor(range(6), "u1")
    gltf.node(mesh=gltf.mesh(primitive))
    assert world_triangles(read(gltf, tmp_path)[0]).tolist() == points[triangles].tolist()


def test_points_are_a_cloud_and_lines_are_no_geometry(tmp_path):
    def change(gltf):
        points = gltf.accessor(np.random.default_rng(1).uniform(size=(20, 3)))
        few = gltf.accessor(np.eye(3))
        gltf.json["meshes"][0]["primitives"] += [
            {"attributes": {"POSITION": points}, "mode": 0}, {"attributes": {"POSITION": few}, "mode": 1},
            {"attributes": {"POSITION": few}, "mode": 3},
        ]  # fmt: skip
        gltf.node(mesh=gltf.mesh({"attributes": {"POSITION": few}, "mode": 0}), name="few")
        gltf.node(mesh=gltf.mesh({"attributes": {"POSITION": few}, "mode": 2}), name="wire")

    parts = read(box(change), tmp_path)
    assert [(part.name, part.shape.triangles is None) for part in parts] == [("n", False), ("n (2)", True)]
    assert len(parts[1].shape.vertices) == 20
    assert [name for name, _ in parts.left_out] == ["few"] and "at least 8 points, not 3" in parts.left_out[0][1]
    assert parts.no_geometry == {"lines": 2}


def test_what_a_scene_has_beside_meshes_is_counted(tmp_path):
    def change(gltf):
        gltf.json["cameras"] = [{"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}]
        gltf.node(camera=0)
        gltf.node(extensions={"KHR_lights_punctual": {"light": 0}})
        group = gltf.node(name="group")
        gltf.node(group, mesh=0, extensions={"KHR_node_visibility": {"visible": False}})
        gltf.json["scenes"].append({"nodes": [len(gltf.json["nodes"])]})
        gltf.json["nodes"].append({"mesh": 0, "name": "of another scene"})
        gltf.mesh({"attributes": {"POSITION": 0}})

    parts = read(box(change), tmp_path)
    assert [part.name for part in parts] == ["n"]
    assert parts.no_geometry == {
        "camera": 1, "light": 1, "empty node": 1, "invisible mesh": 1, "node outside the scene": 1,
        "mesh without a node": 1,
    }  # fmt: skip


def test_the_joints_place_a_skinned_mesh_and_its_node_does_not(tmp_path):
    def change(gltf):
        joints = gltf.accessor([[0, 1, 0, 0]] * 8, "u1")
        weights = gltf.accessor([[255, 0, 0, 0]] * 4 + [[51, 204, 0, 0]] * 4, "u1", True)
        gltf.json["meshes"][0]["primitives"][0]["attributes"] |= {"JOINTS_0": joints, "WEIGHTS_0": weights}
        inverse = np.tile(np.eye(4), (2, 1, 1))
        inverse[1, :3, 3] = [-1, 0, 0]
        gltf.json["skins"] = [{"joints": [1, 2], "inverseBindMatrices": gltf.accessor(inverse.transpose(0, 2, 1))}]
        gltf.json["nodes"][0] |= {"skin": 0, "translation": [100, 0, 0]}
        hip = gltf.node(translation=[0, 0, 5])
        gltf.node(hip, translation=[11, 0, 0])

    part = read(box(change), tmp_path)[0]
    low, high = bounds(part)
    # x = 0 stays with the first joint; x = 1 goes 0.8 of the way to the second, which moved by 10
    assert np.allclose(low, [0, 0, 5]) and np.allclose(high, [9, 1, 6])


def test_morph_targets_have_the_weights_of_the_node_or_of_the_mesh(tmp_path):
    def change(gltf):
        target = gltf.accessor([[2, 0, 0]] * 8)
        gltf.json["meshes"][0] |= {"weights": [0.5]}
        gltf.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": target}]
        gltf.node(mesh=0, weights=[2.0])
        gltf.node(mesh=0, weights=[0.0])

    parts = read(box(change), tmp_path)
    assert [bounds(part)[0][0] for part in parts] == [1.0, 4.0, 0.0]


def test_several_materials_are_one_part_and_unused_vertices_are_left(tmp_path):
    def change(gltf):
        mesh = gltf.json["meshes"][0]["primitives"]
        points = gltf.accessor([*BOX_VERTICES, [99, 99, 99]])
        halves = [gltf.accessor(rows.ravel(), "u4") for rows in (BOX_TRIANGLES[:5], BOX_TRIANGLES[5:])]
        mesh[:] = [{"attributes": {"POSITION": points}, "indices": half} for half in halves]

    part = read(box(change), tmp_path)[0]
    assert len(part.shape.vertices) == 8 and len(part.shape.triangles) == 12 and bounds(part)[1] == [1, 1, 1]


def test_draco_is_decoded_and_its_grid_is_the_resolution(tmp_path):
    part = read(draco_box(11), tmp_path)[0]
    assert np.allclose(bounds(part), [[0, 0, 0], [1, 2, 4]], atol=4.0 / 2047) and len(part.shape.triangles) == 12
    assert part.shape.resolution == pytest.approx(4.0 / 2047 * math.sqrt(3.0) / 2.0)


def test_data_beside_draco_are_taken_as_they_are(tmp_path):
    part = read(draco_box(5, required=False), tmp_path)[0]
    assert bounds(part) == ([0, 0, 0], [1, 1, 1]) and part.shape.resolution is None


def test_a_node_without_a_name_has_the_name_of_its_mesh(tmp_path):
    """Converters often name meshes only; the index of a node would change with every export."""

    def change(gltf):
        gltf.json["meshes"][0]["name"] = "bolt"
        for name in ({}, {}, {"name": ""}, {"name": "own"}):
            gltf.node(mesh=0, **name)
        gltf.json["meshes"].append({**gltf.json["meshes"][0], "name": 7})
        gltf.node(mesh=1)

    assert [part.name for part in read(box(change), tmp_path)] == ["n", "bolt", "bolt (2)", "bolt (3)", "own", "5"]


def test_draco_without_its_decoder_is_refused_by_name(tmp_path, monkeypatch):
    gltf = draco_box()
    monkeypatch.setitem(sys.modules, "DracoPy", None)
    with pytest.raises(mc.InvalidFile, match=r"the mesh is compressed by Draco.*pip install 'meshclash\[mesh\]'"):
        read(gltf, tmp_path)


@given(
    st.integers(0, 2**32),
    st.sampled_from([4, 40, 400]),
    st.sampled_from([6, 8, 11, 14]),
    st.sampled_from([0, 1, 7, 10]),
)
@settings(max_examples=25, deadline=None)
def test_the_grid_of_draco_is_found_in_its_data(seed, count, bits, level):
    draco = pytest.importorskip("DracoPy")
    from meshclash.reading.gltf_draco import _resolution

    rng = np.random.default_rng(seed)
    points = (rng.normal(size=(count, 3)) + rng.uniform(-3, 3, 3)).astype(np.float32)
    faces = np.arange(3 * (count // 3)).reshape(-1, 3)
    faces = np.concatenate([faces, rng.integers(0, count, (count, 3))]).astype(np.uint32)
    data = draco.encode(points, faces, quantization_bits=bits, compression_level=level)
    used = points[np.unique(faces)]
    step = np.ptp(used, axis=0).max() / (2**bits - 1)
    found = _resolution(data, np.asarray(draco.decode(data).points, np.float32))
    assert found == pytest.approx(step * math.sqrt(3.0) / 2.0, rel=1e-5)


BROKEN = {
    "a NaN matrix": (lambda j: j["nodes"][0].update(matrix=[math.nan] * 16), "numbers must be finite"),
    "a matrix that is none": (lambda j: j["nodes"][0].update(matrix=list(range(16))), "last row of a node's matrix"),
    "a rotation of 0": (lambda j: j["nodes"][0].update(rotation=[0, 0, 0, 0]), "a rotation quaternion is zero"),
    "too few indices": (
        lambda j: j["accessors"][1].update(count=35),
        "35 vertex indices do not form a list of triangles",
    ),
    "too many vertices": (lambda j: j["accessors"][0].update(count=9), "9 elements need 108 bytes"),
    "a large count": (lambda j: j["accessors"][0].update(count=10**15), "elements need"),
    "no data": (lambda j: j["accessors"][0].pop("bufferView"), "accessor 0 has no data"),
    "indices out of range": (lambda j: j["accessors"][0].update(count=7), "refers to vertex 7, but has only 7"),
    "positions of another type": (lambda j: j["accessors"][0].update(type="VEC2"), "must have type .*, not 'VEC2'"),
    "an unknown component type": (lambda j: j["accessors"][0].update(componentType=5130), "component type 5130"),
    "indices that are no integers": (
        lambda j: j["accessors"][1].update(componentType=5126),
        "elements need|cannot contain indices",
    ),
    "a view beyond its buffer": (lambda j: j["bufferViews"][1].update(byteOffset=10**9), "ends at byte"),
    "a small stride": (lambda j: j["bufferViews"][0].update(byteStride=4), "4 bytes apart, but each has 12"),
    "a missing mesh": (lambda j: j["nodes"][0].update(mesh=5), "there is no mesh 5"),
    "an unknown mode": (lambda j: j["meshes"][0]["primitives"][0].update(mode=9), "unsupported mode 9"),
    "no positions": (lambda j: j["meshes"][0]["primitives"][0].update(attributes={}), "has no positions"),
    "a skin without weights": (
        lambda j: (j["nodes"][0].update(skin=0), j.update(skins=[{"joints": [0]}])),
        "no joints",
    ),
    "wrong weights": (lambda j: j["nodes"][0].update(weights=[1.0]), "1 weights for 0 morph targets"),
    "a node its own ancestor": (
        lambda j: j["nodes"].extend([{"children": [2]}, {"children": [1]}]),
        "its own ancestor",
    ),
    "two parents": (lambda j: j["nodes"].extend([{"children": [2, 2]}, {}]), "has more than one parent"),
    "a missing child": (lambda j: j["nodes"][0].update(children=[9]), "has the child 9"),
    "a missing scene": (lambda j: j.update(scene=3), "there is no scene 3"),
    "an extension": (lambda j: j.update(extensionsRequired=["ACME_cubes"]), "requires the extension 'ACME_cubes'"),
    "another version": (lambda j: j.update(asset={"version": "1.0"}), "glTF version '1.0'"),
    "a list of numbers as nodes": (lambda j: j.update(nodes=[1, 2]), "must be a list of objects"),
    "meshopt of an unknown mode": (
        lambda j: j["bufferViews"][0].update(
            extensions={"EXT_meshopt_compression": {"buffer": 0, "byteLength": 9, "byteStride": 12, "count": 8}}
        ),
        "meshopt: the mode None",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_refused_by_name(tmp_path, what):
    change, message = BROKEN[what]
    with pytest.raises(mc.InvalidFile, match=message) as raised:
        read(box(lambda gltf: change(gltf.json)), tmp_path)
    assert "model.gltf" in str(raised.value)


def test_one_broken_node_is_lost_and_the_others_are_read(tmp_path):
    def change(gltf):
        bad = gltf.node(name="bad", matrix=[math.inf] * 16)
        gltf.node(bad, mesh=0, name="below")
        gltf.node(mesh=gltf.mesh({"attributes": {"POSITION": gltf.accessor([[0, 0, math.nan]] * 3)}}), name="nan")

    parts = read(box(change), tmp_path)
    assert [part.name for part in parts] == ["n"] and parts.no_geometry == {"empty node": 1}
    assert [name for name, _ in parts.left_out] == ["below", "nan"]
    assert "node 1" in parts.left_out[0][1] and "coordinates must be finite" in parts.left_out[1][1]


@pytest.mark.parametrize(
    ("uri", "message"),
    [("https://example.com/a.bin", "only files in the folder"), ("file:///etc/hosts", "only files in the folder"),
     ("../a.bin", "only files in the folder"), ("%2e%2e/a.bin", "only files in the folder"),
     ("/etc/hosts", "only files in the folder"), ("none.bin", "No such file"), (".", "cannot be read|no file"),
     ("data:;base64,AAA", "damaged"), ("data:", "damaged"), (7, "URI of buffer 0"),
     ("data:;base64,AAAA", "has only 3 of")],
)  # fmt: skip
def test_only_buffers_beside_the_file_are_read(tmp_path, uri, message):
    path = box().write(tmp_path / "model.gltf")
    text = json.loads(path.read_text())
    text["buffers"][0]["uri"] = uri
    path.write_text(json.dumps(text))
    with pytest.raises(mc.InvalidFile, match=message):
        mc.read(path)


def test_every_cut_of_a_binary_file_is_refused(tmp_path):
    whole = box().write(tmp_path / "model.glb").read_bytes()
    path = tmp_path / "cut.glb"
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(mc.InvalidFile, match=r"cut\.glb"):
            mc.read(path)


def test_a_count_without_data_allocates_nothing(tmp_path):
    def change(gltf):
        accessor = gltf.json["accessors"][0]
        del accessor["bufferView"]
        view = gltf.view(bytes(16))
        accessor |= {"count": 10**12, "sparse": {"count": 1, "indices": {"bufferView": view, "componentType": 5121}}}
        accessor["sparse"]["values"] = {"bufferView": view}

    with pytest.raises(mc.InvalidFile, match="accessor 0 has no data"):
        read(box(change), tmp_path)


def test_instances_without_data_are_not_counted_up(tmp_path):
    def change(gltf):
        accessor = gltf.accessor([[0, 0, 0]])
        gltf.json["accessors"][accessor] |= {"count": 10**12}
        gltf.json["buffers"] = [None, {"byteLength": 10**15}]
        gltf.node(mesh=0, extensions={"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": accessor}}})

    parts = read(box(change), tmp_path)
    assert len(parts) == 1 and len(parts.left_out) == 1 and "more than the file can contain" in parts.left_out[0][1]


def test_many_accessors_of_the_same_data_take_no_more_memory_than_is_usual(tmp_path, monkeypatch):
    monkeypatch.setattr("meshclash.reading.gltf_accessors.ALWAYS_POSSIBLE", 0)

    def change(gltf):
        for _ in range(200):
            gltf.json["accessors"].append(dict(gltf.json["accessors"][0]))
            place = len(gltf.json["accessors"]) - 1
            gltf.node(mesh=gltf.mesh({"attributes": {"POSITION": place}, "indices": 1}))

    parts = read(box(change), tmp_path)
    assert 20 < len(parts) < 60 and len(parts) + len(parts.left_out) == 201


def test_meshes_with_the_same_data_share_a_shape(tmp_path):
    parts = read(box(lambda gltf: gltf.node(mesh=gltf.mesh(*gltf.json["meshes"][0]["primitives"]))), tmp_path)
    assert parts[0].shape is parts[1].shape


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_any_json_is_read_or_refused(tmp_path_factory, data):
    """A value anywhere in the document becomes something else."""
    path = box().write(tmp_path_factory.mktemp("gltf") / "model.gltf")
    text = json.loads(path.read_text())
    places = []

    def walk(owner):
        for key in list(owner) if isinstance(owner, dict) else range(len(owner)):
            places.append((owner, key))
            if isinstance(owner[key], dict | list):
                walk(owner[key])

    walk(text)
    owner, key = data.draw(st.sampled_from(places))
    simple = st.none() | st.booleans() | st.integers(-3, 2**40) | st.floats() | st.text(max_size=3)
    owner[key] = data.draw(simple | st.lists(simple, max_size=3) | st.dictionaries(st.text(max_size=2), simple))
    path.write_text(json.dumps(text))
    try:
        mc.read(path)
    except mc.InvalidFile as error:
        assert "model.gltf" in str(error)


@given(st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_random_documents_are_read_as_they_are_built(tmp_path_factory, seed):
    drawn = Drawn(np.random.default_rng(seed))
    path = drawn.document().write(tmp_path_factory.mktemp("gltf") / ("m.glb" if seed % 2 else "m.gltf"))
    wanted = [(number, rows) for number, rows in drawn.expected if len(rows)]
    if not wanted:
        return
    parts = mc.read(path)
    assert parts.left_out == ()
    found = {}
    for part in parts:
        found.setdefault(int(part.name.partition(" ")[0]), []).append(world_triangles(part))
    assert sum(map(len, found.values())) == len(wanted)
    for number, rows in wanted:
        own = found[number].pop(0)
        assert own.shape == rows.shape
        assert np.abs(own - rows).max() <= FINER * max(1.0, np.abs(rows).max())


def test_an_accessor_is_decoded_once(tmp_path):
    document = Document(box().write(tmp_path / "model.glb"))
    from meshclash.reading.gltf_accessors import Accessors

    accessors = Accessors(document)
    assert accessors.floats(0, "VEC3") is accessors.floats(0, "VEC3")
