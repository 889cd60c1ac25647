"""Writers of mesh files, for the readers' tests; only what the formats' descriptions say."""

import io
import struct

import numpy as np


def ply(vertices, faces, form="binary_little_endian", extra=False):
    """The bytes of a PLY file; ``extra``: other properties and elements around and between what matters."""
    order = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}[form]
    kind = "float" if vertices.dtype == np.float32 else "double"
    lines = ["ply", f"format {form} 1.0", "comment made here"]
    if extra:
        lines += ["element material 2", "property list uchar float colour", "property int number"]
    lines += [f"element vertex {len(vertices)}"]
    lines += ["property uchar red"] * extra + [f"property {kind} {axis}" for axis in "xyz"]
    lines += [f"element face {len(faces)}", *["property short flag"] * extra, "property list uchar int vertex_indices"]
    lines += ["property list ushort double weights"] * extra + ["end_header", ""]
    out = io.BytesIO("\n".join(lines).encode())
    out.seek(0, 2)

    def put(*rows):
        for codes, values in rows:
            text = " ".join(repr(v) for v in values) + " "
            out.write(struct.pack(order + codes, *values) if order else text.encode())

    def end():
        out.write(b"" if order else b"\n")

    if extra:
        for k in range(2):
            put(("B", [k + 1]), (f"{k + 1}f", [0.5] * (k + 1)), ("i", [-k]))
            end()
    for vertex in vertices:
        put(*[("B", [7])] * extra, ("3f" if kind == "float" else "3d", vertex.tolist()))
        end()
    for face in faces:
        put(*[("h", [-1])] * extra, ("B", [len(face)]), (f"{len(face)}i", [int(v) for v in face]))
        put(*[("H", [2]), ("2d", [0.25, 0.5])] * extra)
        end()
    return out.getvalue()


def stl(corners, form="binary"):
    if form == "binary":
        facet = np.dtype([("n", "<f4", 3), ("c", "<f4", (3, 3)), ("a", "<u2")])
        facets = np.zeros(len(corners), facet)
        facets["c"] = corners
        return b"solid looks like text".ljust(80) + struct.pack("<I", len(corners)) + facets.tobytes()
    lines = ["solid thing"]
    for triangle in corners:
        rows = [f"vertex {x!r} {y!r} {z!r}" for x, y, z in triangle.tolist()]
        lines += ["facet normal 0 0 1", "  outer loop", *rows, "  endloop", "endfacet"]
    return "\n".join([*lines, "endsolid thing", ""]).encode()


def obj(vertices, faces, relative=False):
    lines = ["# a comment", "mtllib none.mtl", "o thing"]
    lines += [f"v {x!r} {y!r} {z!r} 1.0" for x, y, z in vertices.tolist()]
    lines += ["vn 0 0 1", "vt 0 0", "usemtl red", "s off"]
    for k, face in enumerate(faces):
        words = [
            f"{int(v) - len(vertices) if relative else int(v) + 1}{('', '/1', '//1', '/1/1')[k % 4]}" for v in face
        ]
        lines.append("f " + " ".join(words))
    return "\n".join(lines).encode()  # without an end of the last line


def npz(vertices, triangles, packed=True, names=("vertices", "triangles")):
    out = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(out, **dict(zip(names, (vertices, triangles), strict=True)))
    return out.getvalue()
