"""glTF files for tests of their reader, written by hand as the specification says."""

import base64
import json
import struct
from pathlib import Path

import numpy as np
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
