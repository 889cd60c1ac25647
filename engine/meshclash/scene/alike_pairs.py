"""Find groups of equal pairs of objects, so that among many copies of objects each different pair is judged only once.

Two objects are equal in this sense if their meshes have the same arrays, and their poses and resolutions are the same
numbers. Two pairs of equal objects have the same world coordinates, hence the same verdict, the same contacts and the
same measures, to the last bit.
"""

from collections.abc import Generator, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from ..hierarchy.bvh import MeshLike
from ..messages import counting
from ..types.mesh import TriangleMesh
from ..types.results import Progress
from ..types.slices import Slice

_DIGEST = "digest of the arrays"
_FACTORS = np.random.default_rng(0).integers(1, 2**62, 14, dtype=np.int64) | 1  # of a hash of an object's numbers


class AlikePairs(NamedTuple):
    """Pairs of objects in groups; all pairs of a group have the same result."""

    first: np.ndarray
    """Ids of the first pair of each group, (u, 2) int64, in the order in which they were given."""
    pairs: np.ndarray
    """Ids of all pairs, group by group, (k, 2) int64."""
    start: np.ndarray
    """Group g consists of ``pairs[start[g]:start[g + 1]]``, (u + 1,) int64."""

    def chosen(self, begin: int, end: int) -> "AlikePairs":
        """Return the groups ``begin`` to ``end``."""
        start = self.start[begin : end + 1]
        return AlikePairs(self.first[begin:end], self.pairs[start[0] : start[-1]], start - start[0])

    def masked(self, mask: np.ndarray) -> "AlikePairs":
        """Return the groups for which ``mask`` (u,) bool is true."""
        counts = np.diff(self.start)
        start = np.append(0, np.cumsum(counts[mask]))
        return AlikePairs(self.first[mask], self.pairs[np.repeat(mask, counts)], start)


def alike_pairs(pairs: np.ndarray, kinds: np.ndarray) -> AlikePairs:
    """Return pairs of ids (k, 2) in groups, from the kinds (k, 2) of their objects; objects of one kind are equal."""
    keys = kinds[:, 0] * (int(kinds.max(initial=0)) + 1) + kinds[:, 1]
    _, first, groups, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(pairs):
        return separate_pairs(pairs)
    turn = np.argsort(first)  # groups in the order of their first pairs
    place = np.empty(len(turn), np.int64)
    place[turn] = np.arange(len(turn))
    order = np.argsort(place[groups.reshape(-1)], kind="stable")
    return AlikePairs(pairs[first[turn]], pairs[order], np.append(0, np.cumsum(counts[turn])))


def separate_pairs(pairs: np.ndarray) -> AlikePairs:
    """Return pairs of ids (k, 2) as groups of one pair each."""
    return AlikePairs(pairs, pairs, np.arange(len(pairs) + 1))


def kinds_of_objects(trees: np.ndarray, rows: np.ndarray, resolutions: np.ndarray) -> np.ndarray:
    """Return the kind of each of n objects, (n,) int64: objects are of one kind if all their numbers are the same.

    Args:
        trees: the tree of each object, (n,) int64.
        rows: poses, (n, 3, 4) float64.
        resolutions: resolutions, (n,) float64 [m].
    """
    count = len(trees)
    numbers = np.column_stack([trees, np.column_stack([rows.reshape(count, 12), resolutions]).view(np.int64)])
    with np.errstate(over="ignore"):
        hashes = (numbers * _FACTORS).sum(axis=1)
    _, first, kinds = np.unique(hashes, return_index=True, return_inverse=True)
    kinds = kinds.reshape(-1).astype(np.int64)
    if len(first) < count:  # another object with the same hash is a kind of its own
        other = np.flatnonzero((numbers != numbers[first[kinds]]).any(axis=1))
        kinds[other] = len(first) + np.arange(len(other))
    return kinds


def equal_meshes_steps(things: Sequence[MeshLike]) -> Generator[Progress, None, list[MeshLike]]:
    """Return for each object the first object with the same arrays; hierarchies made by the caller are never shared."""
    similar = dict[tuple[object, ...], TriangleMesh]()
    known = dict[tuple[object, ...], TriangleMesh]()
    found: list[MeshLike] = []
    piece = Slice()
    for done, thing in enumerate(things):
        found.append(thing)
        if type(thing) is TriangleMesh:
            key = thing.vertex_count, thing.triangle_count, thing.shell, thing.bounds.tobytes()
            first = similar.setdefault(key, thing)
            if first is not thing:
                known.setdefault((*key, _digest(first)), first)
                found[-1] = known.setdefault((*key, _digest(thing)), thing)
        if piece.over:
            yield Progress(0.0, counting("comparing mesh", done + 1, len(things)))
            piece = Slice()
    return found


def _digest(mesh: TriangleMesh) -> bytes:
    """Return a hash of a mesh's arrays, which is cached with the mesh."""
    if _DIGEST not in mesh.derived:
        digest = blake2b(digest_size=16)
        for array in mesh.arrays:
            digest.update(array.tobytes())
        mesh.derived[_DIGEST] = digest.digest()
    found: bytes = mesh.derived[_DIGEST]
    return found
