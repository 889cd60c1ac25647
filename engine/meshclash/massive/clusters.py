"""Cut sorted triangles into clusters, and encode clusters as pages."""

import zlib
from collections.abc import Iterator

import numpy as np

from .layout import ROW, Header, PageData, encode_page

_ODD = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


def cut(blocks: Iterator[np.ndarray], most: int) -> Iterator[np.ndarray]:
    """Yield clusters of at most ``most`` records; all but the last have at least half as many.

    A cluster ends where consecutive codes differ in the highest bit, because there the curve leaves the largest cell.
    """
    held = next(blocks)
    ended = False
    while True:
        while len(held) <= most and not ended:
            block = next(blocks, None)
            ended = block is None
            if block is not None:
                held = np.concatenate([held, block])
        begin = 0
        while len(held) - begin > most:
            codes = held["code"][begin + most // 2 - 1 : begin + most + 1]
            changes = codes[1:] ^ codes[:-1]
            end = begin + most - int(np.argmax(changes[::-1]))
            yield held[begin:end]
            begin = end
        held = held[begin:]
        if ended:
            yield held
            return


def page_of(cluster: np.ndarray, header: Header) -> PageData:
    """Return the page of a cluster: triangles sorted by index, and each vertex once."""
    cluster = cluster[np.argsort(cluster["triangle"])]
    corners = np.ascontiguousarray(cluster["corners"]).reshape(-1, 3)
    keys = _position_keys(corners) if header.soup else cluster["vertices"].reshape(-1)
    first, inverse = _unlike(keys, corners)
    ids = f"u{header.id_bytes}"
    vertex_ids = np.empty(0, ids) if header.soup else keys[first]
    return PageData(corners[first], inverse.astype(np.uint16).reshape(-1, 3), cluster["triangle"], vertex_ids)


def encoded(data: PageData, at: int) -> tuple[bytes, np.ndarray]:
    """Encode a page that begins at byte ``at`` of the file; return its bytes and its row of the table."""
    raw = encode_page(data)
    row = np.zeros(1, ROW)
    row["at"], row["bytes"], row["crc"] = at, len(raw), zlib.crc32(raw)
    row["triangles"], row["vertices"] = len(data.triangle_ids), len(data.vertices)
    row["bounds"] = np.concatenate([data.vertices.min(axis=0), data.vertices.max(axis=0)])
    return raw, row


def _position_keys(corners: np.ndarray) -> np.ndarray:
    """Return hashes of positions by their bits, (n,) uint64."""
    words = corners.view(f"u{corners.itemsize}").astype(np.uint64)
    keys = np.zeros(len(words), np.uint64)
    for axis in range(3):
        keys ^= words[:, axis] * np.uint64(_ODD[axis])
        keys ^= keys >> np.uint64(29)
    return keys


def _unlike(keys: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first place of each distinct key, in the order of places, and for every place the index of its key.

    Corners with equal keys but different positions stay separate.
    """
    order = np.argsort(keys, kind="stable")
    bits = corners.view(f"u{corners.itemsize}")[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (keys[order][1:] != keys[order][:-1]) | (bits[1:] != bits[:-1]).any(axis=1)
    group = np.cumsum(new) - 1
    first = order[new]
    by_place = np.argsort(first)
    rank = np.empty_like(by_place)
    rank[by_place] = np.arange(len(by_place))
    inverse = np.empty(len(order), np.int64)
    inverse[order] = rank[group]
    return first[by_place], inverse
