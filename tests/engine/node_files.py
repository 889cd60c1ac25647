"""Files of nodes beside a clustered mesh (levels, progressive meshes), made wrong on purpose."""

import zlib

import numpy as np
from hypothesis import strategies as st


def with_right_checksums(raw, node):
    """A file's bytes with checksums that fit what it holds; ``node`` is the type of a row of its table."""
    raw = bytearray(raw)
    at = int.from_bytes(raw[32:40], "little")
    if at < len(raw):
        for row in np.frombuffer(raw, node, (len(raw) - at) // node.itemsize, at):
            row["crc"] = zlib.crc32(raw[int(row["at"]) : int(row["at"]) + int(row["bytes"])])
        raw[76:80] = zlib.crc32(raw[at:]).to_bytes(4, "little")
    raw[252:256] = zlib.crc32(raw[:252]).to_bytes(4, "little")
    return bytes(raw)


@st.composite
def made_wrong(draw, raw, node):
    """A file's bytes with up to three other numbers in its header, pages or table, and right checksums."""
    raw = bytearray(raw)
    table_at = int.from_bytes(raw[32:40], "little")
    for _ in range(draw(st.integers(1, 3))):
        width = draw(st.sampled_from((1, 2, 4, 8)))
        at = draw(st.integers(8, 88) | st.integers(256, table_at - 9) | st.integers(table_at, len(raw) - 9))
        value = draw(st.sampled_from((0, 1, 2 ** (8 * width) - 1, 2 ** (8 * width - 1), 65, 1 << 4)))
        raw[at : at + width] = (value % (1 << (8 * width))).to_bytes(width, "little")
    return with_right_checksums(raw, node)
