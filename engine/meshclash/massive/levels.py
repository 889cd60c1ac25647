"""``MeshLevels``: levels of detail of a clustered mesh, with proved bounds of the distances to the mesh and back."""

import math
from collections import OrderedDict
from collections.abc import Generator
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..jit import thread_limit
from ..messages import Sentence, a_type, shown
from ..types.numbers import float_array, real_number, whole_number
from ..types.results import Progress
from ..types.steps import in_slices
from .companion_files import companion_path, drop_companion, kept_companion, open_companion
from .file import HoldsFile, PartFile
from .level_build import LEVELS, build_level_steps
from .level_layout import KIND, decode_node, decode_nodes, header_for
from .level_pages import LevelPages
from .mesh import DEFAULT_MEMORY, ClusteredMesh, checked_memory, tree_within

NOTHING_SIMPLIFIED = (
    "nothing could be simplified: there are too few triangles, or they share no corners; "
    "a weld tolerance joins corners that are near each other"
)
_NEAREST = 0.02
"""Minimum distance of a part from the eye, as a fraction of the mesh's size; nearer parts count as this far."""
_KEPT = 2
"""Number of levels that stay open, since they are likely to be used again."""


class MeshLevel(ClusteredMesh):
    """A level of detail of a clustered mesh. You can pass a level wherever a clustered mesh is accepted.

    ``MeshLevels.level`` returns a MeshLevel. A level consists of simplified nodes. Where a node would be too far from
    the mesh, the level contains the original clusters of the mesh instead. The triangles of a level have their own
    indices, and they do not share vertices. You do not have to close a level, because it uses the open files of the
    mesh and of its levels.

    Attributes:
        out: largest distance of any point of the mesh from the level [m].
        back: largest distance of any point of the level from the mesh [m].
        outs, backs: error bounds of each part of the level, (cluster_count,) float64. Part k represents some clusters
            of the mesh: every point of these clusters is at most outs[k] from part k, and every point of part k at most
            backs[k] from the clusters.
        runs: the first cluster of the mesh that each part represents, and the one after the last, (cluster_count, 2).
    """

    def __init__(self, pages: LevelPages, errors: tuple[np.ndarray, np.ndarray], runs: np.ndarray, memory: int) -> None:
        super().__init__(pages, tree_within(pages, memory), memory)
        self.outs, self.backs = errors
        self.runs = runs
        self.out, self.back = float(self.outs.max()), float(self.backs.max())


class MeshLevels(HoldsFile):
    """The levels of detail of a clustered mesh. The levels are stored in a file next to the mesh file.

    ``MeshLevels.open`` and ``MeshLevels.build`` create a MeshLevels object. The file consists of nodes. Each node is a
    simplified mesh for a range of consecutive clusters. A node has at most a quarter of the triangles of these
    clusters, and two proved bounds for its error. If a mesh cannot be simplified, such as a set of scattered triangles,
    the file has no nodes, and each level consists of the original triangles. The attribute ``note`` then gives the
    reason.

    Attributes:
        path: path of the file: that of the mesh with ".levels" appended.
        mesh: the ClusteredMesh.
        node_count, triangle_count: the number of nodes, and the number of triangles of all nodes together.
    """

    def __init__(self, mesh: ClusteredMesh, file: PartFile, table: np.ndarray) -> None:
        self.mesh = mesh
        self.path = file.path
        self.node_count = len(table)
        self.triangle_count = int(table["triangles"].sum())
        self._file, self._table = file, table
        self._errors: np.ndarray = np.nextafter(table["out"] + table["back"], math.inf)
        self._kept: OrderedDict[tuple[float, int], MeshLevel] = OrderedDict()

    @classmethod
    @in_slices
    def build(
        cls, mesh: ClusteredMesh, *, weld: float = 0.0, threads: int | None = None
    ) -> Generator[Progress, None, "MeshLevels"]:
        """Compute the levels of detail of a clustered mesh, write them to a file next to the mesh file, and open that
        file.

        Only a few pages of the mesh are in memory at a time. If a build is interrupted, call ``build`` again with the
        same arguments to resume it. When the file is finished, it replaces any older file in a single step.

        Args:
            mesh: an open ClusteredMesh.
            weld: vertices within this distance [m] are merged, which helps if the faces of a model were written one by
                one, with cracks between them; the mesh itself does not change, and the error bounds of the levels
                include the movement of the vertices.
            threads: maximum number of threads, which does not change the file; None uses all cores.
            progress: a function that is called with Progress.

        Raises:
            InvalidFile: the mesh is damaged, or the file cannot be written.
            UnsupportedOption: the mesh was closed, ``weld`` is not a length, or ``threads`` is not a number of threads.
        """
        pages, count = checked_mesh(mesh).pages, thread_limit(threads)
        form = LEVELS._replace(weld=checked_weld(weld))
        yield from build_level_steps(pages, companion_path(mesh, KIND), header_for(pages.header), form, count)
        drop_companion(mesh, KIND)
        return cls.open(mesh)

    @classmethod
    def open(cls, mesh: ClusteredMesh) -> "MeshLevels":
        """Open the file of levels that is stored next to a clustered mesh.

        Raises:
            InvalidFile: the levels file does not exist, is damaged, or belongs to another mesh.
        """
        return cls(mesh, *open_companion(checked_mesh(mesh), KIND, decode_nodes))

    def level(self, error: float, memory: int = DEFAULT_MEMORY) -> MeshLevel:
        """Return the level with the fewest triangles whose error is small enough. In every part of the level, the sum
        of the two error bounds is at most ``error``.

        Args:
            error: [m], 0 or more; 0 gives the triangles of the mesh.
            memory: maximum memory of the level's boxes and pages in bytes, as for ``ClusteredMesh.open``.

        Raises:
            UnsupportedOption: ``error`` is negative or not a number, or ``memory`` is too small.
        """
        wanted = real_number(error)
        if not 0.0 <= wanted < math.inf:
            raise UnsupportedOption(f"error must be a length of at least 0, not {shown(error)}")
        key = wanted, checked_memory(memory)
        if key not in self._kept:
            self._kept[key] = self._opened(self._nodes_within(self._errors, wanted), key[1])
        self._kept.move_to_end(key)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return self._kept[key]

    def shown(self, most: int, eye: Any = None, finest: float = 0.0, memory: int = DEFAULT_MEMORY) -> MeshLevel:
        """Return a level for display. The level is as fine as ``most`` triangles allow. If even the coarsest level has
        more triangles, return that level.

        Args:
            most: largest number of triangles, at least 1.
            eye: position of the viewer, (3,) [m] in the mesh's frame. If you give an eye, the permitted error grows
                with the distance from it, so that all errors look equally large on the screen. None: the same error is
                permitted everywhere.
            finest: error [m] below which the level does not have to be refined; with an eye, a fraction of the distance
                from it.
            memory: as for ``level``.

        Raises:
            UnsupportedOption: ``most`` is not an integer, ``eye`` is not a point, ``finest`` is not a number, or
                ``memory`` is too small.
        """
        most = whole_number("most", most, 1, of="triangles")
        room, sizes = checked_memory(memory), self._errors / self._distances(eye)
        steps = np.unique(sizes)
        low, high = int(np.searchsorted(steps, real_number(finest), "right")), len(steps)
        while low < high:
            middle = (low + high) // 2
            # The nodes up to the largest permitted size.
            nodes = self._nodes_within(sizes, steps[middle - 1] if middle else -1.0)
            low, high = (low, middle) if self._count(nodes) <= most else (middle + 1, high)
        return self._opened(self._nodes_within(sizes, steps[low - 1] if low else -1.0), room)

    def _distances(self, eye: Any) -> np.ndarray:
        """Return the distance from the eye to each node [m], never 0; or 1 for each node without an eye."""
        if eye is None:
            return np.ones(self.node_count)
        place = float_array("eye", eye, UnsupportedOption)
        if place.shape != (3,) or not np.isfinite(place).all():
            raise UnsupportedOption(f"eye must be three coordinates, not {shown(eye)}")
        boxes = self._table["bounds"]
        away = np.maximum(0.0, np.maximum(boxes[:, :3] - place, place - boxes[:, 3:]))
        size = float((self.mesh.bounds[1] - self.mesh.bounds[0]).max())
        nearest = max(_NEAREST * size, math.ulp(0.0))
        distances: np.ndarray = np.maximum(np.sqrt((away * away).sum(axis=1)), nearest)
        return distances

    def _count(self, nodes: np.ndarray) -> int:
        """Return the number of triangles of the level that consists of the given nodes."""
        rows, clusters = self._table[nodes], self.mesh.pages.table["triangles"]
        ends = np.concatenate([[0], np.cumsum(clusters, dtype=np.int64)])
        first = rows["first"].astype(np.int64)
        instead = ends[first + rows["clusters"].astype(np.int64)] - ends[first]
        return int(ends[-1] + rows["triangles"].sum(dtype=np.int64) - instead.sum())

    def _opened(self, nodes: np.ndarray, memory: int) -> MeshLevel:
        """Open the level that consists of the given nodes, and of clusters elsewhere."""
        rows = self._table[nodes]
        free = np.ones(self.mesh.cluster_count, np.bool_)
        for row in rows:
            free[int(row["first"]) : int(row["first"] + row["clusters"])] = False
        clusters = np.flatnonzero(free)
        firsts = np.concatenate([rows["first"].astype(np.int64), clusters])
        counts = np.concatenate([rows["clusters"].astype(np.int64), np.ones(len(clusters), np.int64)])
        order = np.argsort(firsts)
        sources = np.concatenate([-1 - nodes, clusters])[order]
        errors = tuple(np.concatenate([rows[name], np.zeros(len(clusters))])[order] for name in ("out", "back"))
        runs = np.stack([firsts, firsts + counts], axis=1)[order]
        pages = LevelPages(self.mesh.pages, self._file, self._table, sources, memory)
        return MeshLevel(pages, (errors[0], errors[1]), runs, memory)

    def _nodes_within(self, sizes: np.ndarray, most: float) -> np.ndarray:
        """Return the nodes of a level, (n,) int64: of the nodes with sizes up to ``most``, those with longest runs."""
        near = np.flatnonzero(sizes <= most)
        taken = np.zeros(self.mesh.cluster_count, np.bool_)
        chosen = []
        for node in near[np.argsort(-self._table["clusters"][near].astype(np.int64), kind="stable")].tolist():
            first, count = int(self._table["first"][node]), int(self._table["clusters"][node])
            if not taken[first : first + count].any():
                taken[first : first + count] = True
                chosen.append(node)
        return np.array(chosen, np.int64)

    @property
    def note(self) -> str:
        """The reason why the file has no levels, and what you can do about it. The text is empty if the file has
        levels.
        """
        return "" if self.node_count else NOTHING_SIMPLIFIED

    @property
    def nbytes(self) -> int:
        """The memory that the boxes and pages of all open levels use [bytes]."""
        return sum(level.nbytes for level in self._kept.values())

    @in_slices
    def verify(self) -> Generator[Progress, None, None]:
        """Read every node, and compare it with its checksum and with the table of nodes. At the first wrong node, the
        method raises InvalidFile.

        The check does not prove that the error bounds in the file are valid.
        """
        for number, row in enumerate(self._table):
            decode_node(self.path, row, number, self._file.read(int(row["at"]), int(row["bytes"])), 0)
            yield Progress((number + 1) / self.node_count, Sentence("reading {name}", name=self.path))

    def close(self) -> None:
        """Close the file. After you close the file, you cannot use its levels."""
        self._file.close()

    def __enter__(self) -> "MeshLevels":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"MeshLevels({str(self.path)!r}, {self.triangle_count} triangles in {self.node_count} nodes)"


def levels_beside(mesh: ClusteredMesh) -> MeshLevels | None:
    """Return the levels stored next to a clustered mesh, which stay open as long as the mesh; None without such a
    file.
    """
    levels: MeshLevels | None = None if isinstance(mesh, MeshLevel) else kept_companion(mesh, KIND, MeshLevels.open)
    return levels


def checked_weld(weld: Any) -> float:
    """Return a checked welding distance [m]; raise UnsupportedOption if it is invalid."""
    length = real_number(weld)
    if not 0.0 <= length < math.inf:
        raise UnsupportedOption(f"weld must be a length of at least 0, not {shown(weld)}")
    return length


def checked_mesh(mesh: Any) -> ClusteredMesh:
    """Return a clustered mesh that is not itself a level; raise UnsupportedOption for other objects."""
    if not isinstance(mesh, ClusteredMesh) or isinstance(mesh, MeshLevel):
        raise UnsupportedOption(f"levels can be built for a ClusteredMesh, not for {a_type(mesh)}")
    return mesh
