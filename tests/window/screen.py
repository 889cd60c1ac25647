"""Pictures of the virtual screen, read from its memory: Blender's own screenshots are black on software OpenGL."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import numpy as np

HEADER = struct.Struct(">25I")  # of an X window dump, version 7
COLOUR_ENTRY = 12  # bytes
LSB_FIRST = 0


def pixels() -> np.ndarray:
    """The screen as (height, width, 3) uint8 RGB.

    Raises:
        ValueError: its pixels are not 32 bits wide.
    """
    dump = Path(os.environ["MESHCLASH_SCREEN"]).read_bytes()
    head = HEADER.unpack_from(dump)
    size, width, height, byte_order, bits, line, colours = (head[i] for i in (0, 4, 5, 7, 11, 12, 19))
    if bits != 32:
        raise ValueError(f"a screen of depth 24 is needed, this one has {bits} bits a pixel")
    start = size + colours * COLOUR_ENTRY
    rows = np.frombuffer(dump, np.uint8, line * height, start).reshape(height, line // 4, 4)[:, :width]
    return np.ascontiguousarray(rows[..., 2::-1] if byte_order == LSB_FIRST else rows[..., 1:])


def write_png(path: Path, picture: np.ndarray) -> None:
    """Writes (height, width, 3) uint8 RGB as a PNG file."""
    height, width = picture.shape[:2]
    lines = np.zeros((height, 1 + 3 * width), np.uint8)  # each line begins with its filter: none
    lines[:, 1:] = picture.reshape(height, 3 * width)
    header = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 6)), (b"IEND", b""))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
