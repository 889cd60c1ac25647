"""Reading triangle meshes from files: enough for benches, not an importer.

Returns vertices (n, 3) float64 and triangles (m, 3) int32; polygons are cut into fans, equal STL corners are merged.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

Mesh = tuple[np.ndarray, np.ndarray]
_PLY_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4",
    "double": "f8", "float64": "f8",
}  # fmt: skip


def read_mesh(path: Path) -> Mesh:
    """Read .npz (arrays v and f), .obj, .ply or binary .stl; raises ValueError that names the file."""
    readers = {".npz": _read_npz, ".obj": _read_obj, ".ply": _read_ply, ".stl": _read_stl}
    if path.suffix.lower() not in readers:
        raise ValueError(f"{path}: a model must be one of {', '.join(readers)}")
    try:
        vertices, triangles = readers[path.suffix.lower()](path)
    except (KeyError, IndexError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as a mesh: {error}") from error
    return np.ascontiguousarray(vertices, np.float64), np.ascontiguousarray(triangles, np.int32)


def _read_npz(path: Path) -> Mesh:
    with np.load(path) as arrays:
        return arrays["v"], arrays["f"]


def _read_obj(path: Path) -> Mesh:
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in path.read_text(encoding="latin-1").splitlines():
        if line.startswith("v "):
            vertices.append([float(word) for word in line.split()[1:4]])
        elif line.startswith("f "):
            corners = [int(word.split("/")[0]) for word in line.split()[1:]]
            triangles += _fan([c - 1 if c > 0 else len(vertices) + c for c in corners])
    return np.array(vertices), np.array(triangles)


def _fan(corners: list[int]) -> list[tuple[int, int, int]]:
    return [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]


def _read_stl(path: Path) -> Mesh:
    data = path.read_bytes()
    count = int.from_bytes(data[80:84], "little")
    if len(data) != 84 + 50 * count:
        raise ValueError("it is not a binary STL file")
    facet = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    corners = np.frombuffer(data, facet, count, 84)["corners"].reshape(-1, 3)
    vertices, index = np.unique(corners, axis=0, return_inverse=True)
    return vertices, index.reshape(-1, 3)


def _read_ply(path: Path) -> Mesh:
    data = path.read_bytes()
    end = data.index(b"end_header")
    end = data.index(b"\n", end) + 1
    header = data[:end].decode("ascii").split("\n")
    form = next(line.split()[1] for line in header if line.startswith("format"))
    elements: list[tuple[str, int, list[list[str]]]] = []
    for words in (line.split() for line in header):
        if words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"]:
            elements[-1][2].append(words[1:])
    read = _PlyText(data[end:]) if form == "ascii" else _PlyBytes(data[end:], "<" if "little" in form else ">")
    vertices = triangles = np.empty((0, 3))
    for name, count, properties in elements:
        columns = read.element(count, properties)
        if name == "vertex":
            vertices = np.stack([np.asarray(columns[axis], np.float64) for axis in "xyz"], axis=1)
        elif name == "face":
            polygons = columns["vertex_indices" if "vertex_indices" in columns else "vertex_index"]
            triangles = np.array([t for polygon in polygons for t in _fan([int(c) for c in polygon])])
    return vertices, triangles


class _PlyText:
    """Elements of an ascii PLY body, column by column."""

    def __init__(self, data: bytes) -> None:
        self._words = iter(data.split())

    def element(self, count: int, properties: list[list[str]]) -> dict[str, list]:
        columns: dict[str, list] = {words[-1]: [] for words in properties}
        for _ in range(count):
            for words in properties:
                if words[0] == "list":
                    value = [float(next(self._words)) for _ in range(int(next(self._words)))]
                else:
                    value = float(next(self._words))
                columns[words[-1]].append(value)
        return columns


class _PlyBytes:
    """The same of a binary body; lists of equal length are read at once."""

    def __init__(self, data: bytes, order: str) -> None:
        self._data, self._order, self._at = data, order, 0

    def element(self, count: int, properties: list[list[str]]) -> dict[str, np.ndarray]:
        lengths = {}
        fields = []
        for words in properties:
            name = words[-1]
            if words[0] == "list":
                lengths[name] = self._first_length(fields, words[1])
                fields += [(f"length {name}", self._type(words[1])), (name, self._type(words[2]), lengths[name])]
            else:
                fields.append((name, self._type(words[0])))
        table = np.frombuffer(self._data, np.dtype(fields), count, self._at)
        self._at += table.nbytes
        for name, length in lengths.items():
            if (table[f"length {name}"] != length).any():
                raise ValueError("polygons of different sizes in a binary PLY file are not supported")
        return {name: table[name] for name in table.dtype.names}

    def _type(self, name: str) -> str:
        return self._order + _PLY_TYPES[name]

    def _first_length(self, fields: list, kind: str) -> int:
        at = self._at + np.dtype(fields).itemsize
        return int(np.frombuffer(self._data, self._type(kind), 1, at)[0])


def write_ply(path: Path, vertices: np.ndarray, triangles: np.ndarray) -> None:
    """A binary PLY file with float32 coordinates."""
    faces = np.empty(len(triangles), [("count", "u1"), ("corners", "<i4", 3)])
    faces["count"], faces["corners"] = 3, triangles
    header = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\nproperty float x\nproperty float y\n"
        f"property float z\nelement face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    with path.open("wb") as stream:
        stream.write(header.encode())
        stream.write(vertices.astype("<f4").tobytes())
        stream.write(faces.tobytes())
