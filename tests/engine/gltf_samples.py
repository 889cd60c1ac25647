"""glTF files for tests of their reader, written by hand as the specification says."""

import base64
import json
import math
import struct
from pathlib import Path

import numpy as np
import pytest
from mesh_samples import BOX_TRIANGLES, BOX_VERTICES

COMPONENTS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}


class Gltf:
    """A document that grows: binary data, and the JSON that names it."""

    def __init__(self):
        self.blob = bytearray()
        self.json = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "meshes": []}
        self.json |= {"accessors": [], "bufferViews": []}

    def view(self, data, **more):
        """A buffer view of bytes."""
        self.blob += bytes(-len(self.blob) % 4)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data), **more})
        self.blob += data
        return len(self.json["bufferViews"]) - 1

    def accessor(self, values, kind="f4", normalized=False, stride=0, offset=0, sparse=None, width=None):
        """An accessor of rows: ``stride`` bytes apart, the first one ``offset`` bytes after the view's beginning.

        ``sparse``: places and rows that replace others; with ``values`` None they replace zeros of ``width``.
        """
        rows = np.asarray(values, "<" + kind)
        rows = rows.reshape(len(rows), -1)
        size = rows.shape[1] * rows.itemsize
        stride_of = stride or size
        data = bytearray(b"\xa5" * (offset + max(len(rows) - 1, 0) * stride_of + size))
        for k, row in enumerate(rows):
            data[offset + k * stride_of : offset + k * stride_of + size] = row.tobytes()
        name = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}[rows.shape[1]]
        made = {"componentType": COMPONENTS[kind], "count": len(rows), "type": name}
        made |= {"bufferView": self.view(bytes(data), **({"byteStride": stride} if stride else {}))}
        made |= {"byteOffset": offset} if offset else {}
        made |= {"normalized": True} if normalized else {}
        if sparse is not None:
            places, others = sparse
            made["sparse"] = {
                "count": len(places),
                "indices": {"bufferView": self.view(np.asarray(places, "<u2").tobytes()), "componentType": 5123},
                "values": {"bufferView": self.view(np.asarray(others, "<" + kind).tobytes())},
            }
        self.json["accessors"].append(made)
        return len(self.json["accessors"]) - 1

    def mesh(self, *primitives, **more):
        """A mesh of primitives."""
        self.json["meshes"].append({"primitives": list(primitives), **more})
        return len(self.json["meshes"]) - 1

    def node(self, parent=None, **members):
        """A node below another, or a root of the scene."""
        self.json["nodes"].append(members)
        number = len(self.json["nodes"]) - 1
        owner = self.json["scenes"][0] if parent is None else self.json["nodes"][parent]
        owner.setdefault("nodes" if parent is None else "children", []).append(number)
        return number

    def require(self, *names):
        """Extensions that a reader must know."""
        self.json["extensionsUsed"] = self.json["extensionsRequired"] = list(names)

    def write(self, path: Path, form: str = "") -> Path:
        """The file, as .glb, or as .gltf with its buffer inside or, with ``form`` "beside", in a file beside it."""
        text = dict(self.json)
        buffer = {"byteLength": len(self.blob)}
        if path.suffix == ".glb":
            text["buffers"] = [buffer, *text.get("buffers", [])[1:]]
            head, body = json.dumps(text).encode(), bytes(self.blob) + bytes(-len(self.blob) % 4)
            head += b" " * (-len(head) % 4)
            chunks = struct.pack("<II", len(head), 0x4E4F534A) + head + struct.pack("<II", len(body), 0x004E4942) + body
            path.write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks)
            return path
        if form == "beside":
            buffer["uri"] = "the%20data.bin"
            (path.parent / "the data.bin").write_bytes(self.blob)
        else:
            buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(self.blob).decode()
        text["buffers"] = [buffer, *text.get("buffers", [])[1:]]
        path.write_text(json.dumps(text))
        return path


def box(change=lambda gltf: None):
    """A document of one box from 0 to 1, whose node is "n", changed."""
    gltf = Gltf()
    points, corners = gltf.accessor(BOX_VERTICES), gltf.accessor(BOX_TRIANGLES.ravel(), "u2")
    gltf.node(mesh=gltf.mesh({"attributes": {"POSITION": points}, "indices": corners}), name="n")
    change(gltf)
    return gltf


def world_triangles(part):
    """(t, 3, 3) of a part, with y up again as the file has it."""
    points = part.shape.vertices @ part.matrix[:3, :3].T + part.matrix[:3, 3]
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)[part.shape.triangles]


def draco_box(bits=None, required=True):
    """A box of 1, 2 and 4 that Draco compressed; where it is not required, the box of 1 stands beside it."""
    draco = pytest.importorskip("DracoPy")
    gltf = box()
    options = {} if bits is None else {"quantization_bits": bits}
    points = np.asarray(BOX_VERTICES * [1.0, 2.0, 4.0], np.float32)
    view = gltf.view(draco.encode(points, BOX_TRIANGLES.astype(np.uint32), **options))
    primitive = gltf.json["meshes"][0]["primitives"][0]
    primitive["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": view, "attributes": {"POSITION": 0}}}
    if required:
        for accessor in gltf.json["accessors"]:
            del accessor["bufferView"]
        gltf.require("KHR_draco_mesh_compression")
    return gltf


QUANTISED = [
    "a00100c000002f0100c0000006010ccc00002f302f010ccc0000060506013fff00002f302f302f302f0206565656000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000",
    "a166ae0010007d0054007d7d7d007d7d7d7d7d7d7d000000000000000000000000000000000000000000005252",
]
"""The box times 1000 as four uint16 a vertex, of versions 0 and 1."""
EXPONENTIAL = (
    "a0000100cc0000080300013c480000c60600010ccc00000a090a00013c480000c606013fff0000aaa9a9aaaaa9a9013c2400000a090001"
    "3c480000c6060000000000000000000000000000000000000000000000910000009100000091"
)
"""The box times (1, 2.5, 1/3), with mantissas of 12 bits."""
QUATERNIONS = (
    "a0011c000000fe013c000000fe4c010c000000fb010c000000b4010c000000fb010c000000b4011c000000030000000000000000000000"
    "0000000000000000000000000000000000000000ff7f"
)
TRIANGLES = "e1fe00ff0f0716a102071391050f06ff02040203007687566778a9866589689801690000"
INDICES = "d10004080a0c020808040a0c0612100412140e0404101214021608101618060a100816180e00000000"


def compressed(gltf, data, count, stride, mode, **more):
    """A buffer view of compressed data, whose own buffer has none."""
    place = gltf.view(data)
    size = {"byteLength": count * stride}
    gltf.json.setdefault("buffers", [None, {"byteLength": 1 << 20}])
    extension = {"buffer": 0, "byteOffset": gltf.json["bufferViews"][place]["byteOffset"], "byteLength": len(data)}
    extension |= {"count": count, "byteStride": stride, "mode": mode, **more}
    gltf.json["bufferViews"].append({"buffer": 1, **size, "extensions": {"EXT_meshopt_compression": extension}})
    return len(gltf.json["bufferViews"]) - 1


def compressed_box(version, mode):
    """The box of 0 to 1 as quantised and compressed data."""

    def change(gltf):
        points, corners = gltf.json["accessors"]
        view = compressed(gltf, bytes.fromhex(QUANTISED[version]), 8, 8, "ATTRIBUTES")
        gltf.json["bufferViews"][view]["byteStride"] = 8
        points |= {"bufferView": view, "componentType": 5123}
        coded = bytes.fromhex(TRIANGLES if mode == "TRIANGLES" else INDICES)
        corners["bufferView"] = compressed(gltf, coded, 36, 2, mode)
        gltf.json["nodes"][0]["scale"] = [1e-3] * 3
        gltf.require("KHR_mesh_quantization", "EXT_meshopt_compression")

    return box(change)


# A document built at random, and what it says worked out point by point, without matrices.


def turned(quaternion, point):
    """A point turned by a quaternion x, y, z, w of length 1: p + 2 w (u x p) + 2 u x (u x p)."""
    length = math.hypot(*quaternion)
    axis, w = np.array(quaternion[:3]) / length, quaternion[3] / length
    across = np.cross(axis, point)
    return point + 2.0 * w * across + 2.0 * np.cross(axis, across)


def placed(trs, point):
    translation, rotation, scale = trs
    return turned(rotation, np.array(scale) * point) + np.array(translation)


def decoded(raw, kind, normalized):
    """What an integer or a float of an accessor means."""
    if kind == "f4" or not normalized:
        return float(raw)
    largest = {"i1": 127, "u1": 255, "i2": 32767, "u2": 65535}[kind]
    return max(raw / largest, -1.0)


def corners_of(count, mode):
    """Triangles that a sequence of so many corners means."""
    if mode == 4:
        return [(k, k + 1, k + 2) for k in range(0, count - 2, 3)]
    if mode == 5:
        return [(k, k + 1, k + 2) if k % 2 == 0 else (k, k + 2, k + 1) for k in range(count - 2)]
    return [(k + 1, k + 2, 0) for k in range(count - 2)]


class Drawn:
    """Draws a document and says what it must be read as."""

    def __init__(self, rng):
        self.rng, self.gltf, self.expected = rng, Gltf(), []

    def trs(self):
        rotation = self.rng.normal(size=4)
        rotation /= np.linalg.norm(rotation)
        return self.rng.uniform(-5, 5, 3).tolist(), rotation.tolist(), self.rng.uniform(-2, 2, 3).tolist()

    def positions(self):
        """An accessor, and its points."""
        rng, count = self.rng, int(self.rng.integers(3, 12))
        kind = str(rng.choice(["i1", "u1", "i2", "u2", "f4"]))
        normalized = kind != "f4" and bool(rng.integers(2))
        limits = (-4, 4) if kind == "f4" else (np.iinfo(kind).min, np.iinfo(kind).max + 1)
        rows = rng.uniform(*limits, (count, 3)) if kind == "f4" else rng.integers(*limits, (count, 3))
        rows = rows.astype(kind)
        size, sparse = 3 * np.dtype(kind).itemsize, None
        stride = int(rng.choice([0, -(-size // 4) * 4, -(-size // 4) * 4 + 8]))
        if rng.integers(2):
            places = np.sort(rng.choice(count, int(rng.integers(1, count)), replace=False))
            others = rows[rng.integers(0, count, len(places))]
            sparse = places, others
        number = self.gltf.accessor(rows, kind, normalized, stride, int(rng.choice([0, 4])), sparse)
        final = rows.copy()
        if sparse is not None:
            final[sparse[0]] = sparse[1]
        return number, np.array([[decoded(x, kind, normalized) for x in row] for row in final.tolist()])

    def primitive(self):
        """A primitive, its points and its triangles."""
        number, points = self.positions()
        mode = int(self.rng.choice([4, 5, 6]))
        primitive = {"attributes": {"POSITION": number}, "mode": mode}
        order = np.arange(len(points) // 3 * 3 if mode == 4 else len(points))
        if self.rng.integers(2) or len(order) != len(points):
            count = int(self.rng.integers(1, 5)) * 3
            order = self.rng.integers(0, len(points), count)
            primitive["indices"] = self.gltf.accessor(order, str(self.rng.choice(["u1", "u2", "u4"])))
        rows = [[int(order[k]) for k in corners] for corners in corners_of(len(order), mode)]
        return primitive, points, [row for row in rows if mode == 4 or len(set(row)) == 3]

    def document(self):
        rng, meshes = self.rng, []
        for _ in range(int(rng.integers(1, 4))):
            parts = [self.primitive() for _ in range(int(rng.integers(1, 3)))]
            joints = [self.bind(primitive, len(points)) for primitive, points, _ in parts]
            meshes.append((self.gltf.mesh(*[primitive for primitive, _, _ in parts]), parts, joints))
        chains = []
        for k in range(int(rng.integers(1, 6))):
            above = int(rng.integers(-1, k)) if k else -1
            trs = self.trs()
            chain = [*(chains[above] if above >= 0 else []), trs]
            members = dict(zip(("translation", "rotation", "scale"), trs, strict=True))
            if rng.integers(2):
                columns = [placed(trs, axis) - placed(trs, np.zeros(3)) for axis in np.eye(3)]
                matrix = [[*column, 0.0] for column in columns] + [[*trs[0], 1.0]]
                members = {"matrix": np.ravel(matrix).tolist()}
            self.gltf.node(None if above < 0 else above, **members)
            chains.append(chain)
        for k, chain in enumerate(chains):
            self.fill(k, chain, meshes[int(rng.integers(len(meshes)))], chains)
        return self.gltf

    def bind(self, primitive, count):
        """Two joints for each vertex of a primitive."""
        weights = self.rng.uniform(0.1, 1.0, (count, 2)).astype(np.float32)
        names = self.rng.integers(0, 2, (count, 2))
        rows = np.zeros((2, count, 4))
        rows[0, :, :2], rows[1, :, :2] = names, weights
        primitive["attributes"] |= {"JOINTS_0": self.gltf.accessor(rows[0], "u1")}
        primitive["attributes"] |= {"WEIGHTS_0": self.gltf.accessor(rows[1])}
        return names, weights.astype(np.float64)

    def fill(self, number, chain, mesh, chains):
        """Gives a node a mesh: as it is, as instances, or with a skin."""
        index, parts, joints = mesh
        node = self.gltf.json["nodes"][number]
        node["mesh"] = index
        way = self.rng.integers(3)
        if way == 0:
            self.expect(number, [parts], lambda point, _: world(chain, point))
        elif way == 1:
            own = [self.trs() for _ in range(int(self.rng.integers(1, 4)))]
            names = ("TRANSLATION", "ROTATION", "SCALE")
            stored = [[np.float32(x).tolist() for x in (instance[k] for instance in own)] for k in range(3)]
            attributes = {name: self.gltf.accessor(stored[k]) for k, name in enumerate(names)}
            node["extensions"] = {"EXT_mesh_gpu_instancing": {"attributes": attributes}}
            for instance in range(len(own)):
                one = tuple(stored[k][instance] for k in range(3))
                self.expect(number, [parts], lambda point, _, one=one: world([*chain, one], point))
        else:
            bones = [int(self.rng.integers(len(chains))) for _ in range(2)]
            inverse = [np.float32(self.rng.uniform(-1, 1, (3, 4))).astype(np.float64) for _ in bones]
            columns = [np.vstack([rows, [0, 0, 0, 1]]).T for rows in inverse]
            self.gltf.json.setdefault("skins", []).append(
                {"joints": bones, "inverseBindMatrices": self.gltf.accessor(columns)}
            )
            node["skin"] = len(self.gltf.json["skins"]) - 1

            def skinned(point, bound):
                names, weights = bound
                total = np.zeros(3)
                for name, weight in zip(names, weights, strict=True):
                    moved = inverse[name][:, :3] @ point + inverse[name][:, 3]
                    total += weight * world(chains[bones[name]], moved)
                return total / weights.sum()

            self.expect(number, [parts, joints], skinned)

    def expect(self, number, mesh, move):
        rows = []
        for k, (_, points, triangles) in enumerate(mesh[0]):
            bound = [None] * len(points) if len(mesh) == 1 else list(zip(*mesh[1][k], strict=True))
            moved = [move(point, own) for point, own in zip(points, bound, strict=True)]
            rows += [[moved[corner] for corner in row] for row in triangles]
        self.expected.append((number, np.array(rows).reshape(-1, 3, 3)))


def world(chain, point):
    """A point below a chain of nodes, the highest first."""
    for trs in reversed(chain):
        point = placed(trs, np.asarray(point, np.float64))
    return point
