"""Writers of point cloud files, for the readers' tests; only what the formats' descriptions say."""

import struct

import numpy as np

PLY_TYPES = {"f4": "float", "f8": "double", "u1": "uchar", "i4": "int"}


def ply(points, kind="f8", order="<", normals=None, extra="", elements_before=()):
    """A PLY file; ``order`` "" is ascii. ``elements_before`` are (header, ascii text, bytes)."""
    columns = [*points.T, *(normals.T if normals is not None else ())]
    names = ["x", "y", "z", *(("nx", "ny", "nz") if normals is not None else ())]
    form = {"": "ascii", "<": "binary_little_endian", ">": "binary_big_endian"}[order]
    head = ["ply", f"format {form} 1.0", "comment made for a test"]
    for header, _, _ in elements_before:
        head += header
    head += [f"element vertex {len(points)}"]
    head += [f"property {PLY_TYPES[kind]} {name}" for name in names[:1]]
    head += ["property uchar red"] + [f"property {PLY_TYPES[kind]} {name}" for name in names[1:]]
    head += ["element face 1", "property list uchar int vertex_indices", "end_header"]
    text = "\n".join(head).encode() + b"\n"
    if order == "":
        body = "".join(part for _, part, _ in elements_before)
        body += "".join(
            " ".join([repr(float(row[0])), "7", *(repr(float(v)) for v in row[1:])]) + "\n"
            for row in np.stack(columns, 1)
        )
        return text + body.encode() + b"3 0 1 2\n"
    record = np.zeros(
        len(points), [(n, order + kind) if n != "red" else (n, "u1") for n in [names[0], "red", *names[1:]]]
    )
    for name, column in zip(names, columns, strict=True):
        record[name] = column
    before = b"".join(part for _, _, part in elements_before)
    return text + before + record.tobytes() + b"\x03" + np.arange(3, dtype=order + "i4").tobytes()


def pack_lzf(data):
    """LZF without any compression but one back reference per run of equal bytes."""
    out, at = bytearray(), 0
    while at < len(data):
        run = 1
        while at + run < len(data) and data[at + run] == data[at] and run < 264:
            run += 1
        if run >= 4:
            out += bytes([0, data[at]])
            length = run - 1 - 2
            out += bytes([length << 5, 0]) if length < 7 else bytes([7 << 5, length - 7, 0])
            at += run
        else:
            out += bytes([0, data[at]])
            at += 1
    return bytes(out)


def pcd(points, data="binary", kind="f4", normals=None):
    """A PCD file with an unused field in the middle."""
    names = ["x", "rgb", "y", "z", *(("normal_x", "normal_y", "normal_z") if normals is not None else ())]
    columns = [points[:, 0], np.zeros(len(points)), points[:, 1], points[:, 2]]
    columns += list(normals.T) if normals is not None else []
    size = np.dtype(kind).itemsize
    head = (
        "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n"
        f"FIELDS {' '.join(names)}\nSIZE {' '.join([str(size)] * len(names))}\nTYPE {' '.join('F' * len(names))}\n"
        f"COUNT {' '.join('1' * len(names))}\nWIDTH {len(points)}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\n"
        f"POINTS {len(points)}\nDATA {data}\n"
    ).encode()
    table = np.stack(columns, 1).astype("<" + kind)
    if data == "ascii":
        return head + "".join(" ".join(repr(float(v)) for v in row) + "\n" for row in table).encode()
    if data == "binary":
        return head + table.tobytes()
    raw = np.ascontiguousarray(table.T).tobytes()
    packed = pack_lzf(raw)
    return head + struct.pack("<II", len(packed), len(raw)) + packed


def las(whole, scale, offset, minor=2, kind=0):
    """A LAS file of whole coordinates (n, 3)."""
    size = {2: 227, 3: 235, 4: 375}[minor]
    record = {0: 20, 1: 28, 6: 30}[kind]
    header = bytearray(size)
    header[:4] = b"LASF"
    header[24:26] = bytes([1, minor])
    struct.pack_into("<HIIBHI", header, 94, size, size, 0, kind, record, 0 if minor == 4 else len(whole))
    struct.pack_into("<6d", header, 131, *scale, *offset)
    if minor == 4:
        struct.pack_into("<Q", header, 247, len(whole))
    rows = np.zeros((len(whole), record), np.uint8)
    rows[:, :12] = np.ascontiguousarray(whole, "<i4").view(np.uint8).reshape(-1, 12)
    return bytes(header) + rows.tobytes()
