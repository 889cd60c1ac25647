"""Write two objects near their clash as a small, quantised glTF file. Source: glTF 2.0 and KHR_mesh_quantization."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from ..colours import COLOUR_A, COLOUR_B, linear
from .nearby import Nearby

COLOURS = (*linear(COLOUR_A), 0.65), (*linear(COLOUR_B), 0.65)
"""Linear colours of the two objects; the first object is transparent."""
GRID = 32_767
_MAGIC, _JSON, _BINARY = 0x46546C67, 0x4E4F534A, 0x004E4942
_SHORT, _ARRAY, _DOUBLE_SIDED = 5122, 34962, True


def to_glb(shown: Nearby) -> bytes:
    """Return the file with the clash at the origin; coordinates are rounded to 1/32767 of the size."""
    whole = np.concatenate((shown.a, shown.b)).reshape(-1, 3) - shown.centre
    scale = float(np.abs(whole).max()) or 1.0
    rows: list[bytes] = []
    for triangles in (shown.a, shown.b):
        x, y, z = np.moveaxis(np.rint((triangles.reshape(-1, 3) - shown.centre) * (GRID / scale)), -1, 0)
        padded = np.stack((x, z, -y, np.zeros_like(x)), axis=1).astype("<i2")  # y up; rows of four bytes
        rows.append(padded.tobytes())
    views, accessors, offset = list[dict[str, Any]](), list[dict[str, Any]](), 0
    for k, row in enumerate(rows):
        corners = np.frombuffer(row, "<i2").reshape(-1, 4)[:, :3]
        views.append({"buffer": 0, "byteOffset": offset, "byteLength": len(row), "byteStride": 8, "target": _ARRAY})
        accessors.append({
            "bufferView": k, "componentType": _SHORT, "count": len(corners), "type": "VEC3",
            "min": corners.min(axis=0).tolist(), "max": corners.max(axis=0).tolist(),
        })  # fmt: skip
        offset += len(row)
    document = {
        "asset": {"version": "2.0", "generator": "MeshClash", "extras": {"focus": shown.focus}},
        "extensionsUsed": ["KHR_mesh_quantization"],
        "extensionsRequired": ["KHR_mesh_quantization"],
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": k, "scale": [scale / GRID] * 3, "name": "AB"[k]} for k in range(2)],
        "meshes": [{"primitives": [{"attributes": {"POSITION": k}, "material": k}]} for k in range(2)],
        "materials": [
            {
                "pbrMetallicRoughness": {"baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.8},
                "alphaMode": "BLEND",
                "doubleSided": _DOUBLE_SIDED,
            }
            for colour in COLOURS
        ],
        "buffers": [{"byteLength": offset}],
        "bufferViews": views,
        "accessors": accessors,
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary = b"".join(rows)
    size = 12 + 8 + len(text) + 8 + len(binary)
    head = struct.pack("<III", _MAGIC, 2, size)
    return head + struct.pack("<II", len(text), _JSON) + text + struct.pack("<II", len(binary), _BINARY) + binary
