"""``ProgressiveMeshes``: a clustered mesh as a hierarchy of progressive meshes, each with proved bounds (CHPM)."""

from collections.abc import Generator

import numpy as np

from ...errors import UnsupportedOption
from ...massive.companion_files import companion_path, drop_companion, kept_companion, open_companion
from ...massive.file import HoldsFile, PartFile
from ...massive.level_build import build_level_steps
from ...massive.level_layout import header_for
from ...massive.levels import NOTHING_SIMPLIFIED, checked_mesh, checked_weld
from ...massive.mesh import ClusteredMesh, checked_memory
from ...messages import Sentence
from ...types.results import Progress
from ...types.steps import in_slices
from .build import progressive_form
from .cluster_tree import ClusterTree, tree_with_stops
from .layout import KIND, decode_progressive, decode_table
from .pages import StopPages


class MeshesAtStops(ClusteredMesh):
    """The meshes of all nodes at all levels of detail, and the clusters, as pages of one file."""

    def __init__(self, mesh: ClusteredMesh, pages: StopPages, memory: int) -> None:
        super().__init__(pages, mesh.clusters, memory)
        self._stop_pages = pages

    @property
    def nbytes(self) -> int:
        """Bytes in memory of the hierarchy, its meshes and their sources."""
        return super().nbytes - self._stop_pages.unused


class ProgressiveMeshes(HoldsFile):
    """The progressive meshes of a clustered mesh, which ``progressive_collide`` uses. The progressive meshes are stored
    in a file next to the mesh file.

    ``ProgressiveMeshes.open`` and ``ProgressiveMeshes.build`` create a ProgressiveMeshes object. The clusters of the
    mesh are joined in pairs, which gives a binary hierarchy. Each node stores a simplified mesh and a series of vertex
    splits, which turn the simplified mesh back into the original mesh of the node. Some of the meshes between these two
    are called stops, and the file contains two proved error bounds for each stop. Source: Yoon, Salomon, Lin, Manocha,
    "Fast collision detection between massive models using dynamic simplification" (2004).

    Attributes:
        path: path of the file: the path of the mesh file followed by ".progressive".
        mesh: the ClusteredMesh.
        node_count: number of nodes of the hierarchy.
        triangle_count: number of triangles of the finest meshes of all nodes together.
    """

    def __init__(self, mesh: ClusteredMesh, file: PartFile, table: np.ndarray) -> None:
        self.mesh = mesh
        self.path = file.path
        self.node_count = len(table)
        self.triangle_count = int(table["stop_triangles"][:, 0].sum())
        self.tree: ClusterTree = tree_with_stops(table, mesh.bounds)
        """The hierarchy."""
        self._file, self._table = file, table
        self._stops: MeshesAtStops | None = None

    @classmethod
    @in_slices
    def build(cls, mesh: ClusteredMesh, *, weld: float = 0.0) -> Generator[Progress, None, "ProgressiveMeshes"]:
        """Simplify a clustered mesh step by step, and write the simplified meshes to a file next to the mesh file.

        The build works like ``MeshLevels.build``. Only some pages are in memory at a time. If a build is interrupted,
        the next call resumes it. When the file is finished, it replaces any old file in a single step.

        Args:
            mesh: an open ClusteredMesh.
            weld: as for ``MeshLevels.build``.
            progress: function that is called with Progress.

        Raises:
            InvalidFile: the mesh is damaged, or the file cannot be written.
            UnsupportedOption: the mesh was closed, or ``weld`` is no length.
        """
        form = progressive_form(checked_mesh(mesh).bounds)._replace(weld=checked_weld(weld))
        yield from build_level_steps(mesh.pages, companion_path(mesh, KIND), header_for(mesh.pages.header), form)
        drop_companion(mesh, KIND)
        return cls.open(mesh)

    @classmethod
    def open(cls, mesh: ClusteredMesh) -> "ProgressiveMeshes":
        """Open the file of progressive meshes that is stored next to a clustered mesh.

        Raises:
            InvalidFile: the file does not exist, is damaged, or belongs to another mesh.
        """
        return cls(mesh, *open_companion(checked_mesh(mesh), KIND, decode_table))

    def stops(self, memory: int) -> MeshesAtStops:
        """Return the meshes of all nodes. The meshes and the hierarchy together use at most ``memory`` bytes.

        Raises:
            UnsupportedOption: the memory is too small for two pages.
        """
        memory = checked_memory(memory)
        if self._stops is None or self._stops.memory != memory:
            pages = StopPages(self.mesh.pages, self._file, self._table, memory)
            resident = self.tree.nbytes + self._table.nbytes + pages.table.nbytes
            needed = resident + 2 * int(pages.bytes_of().max())
            pages.memory -= resident
            if pages.memory < needed - resident:
                raise UnsupportedOption(f"{self.path} needs at least memory={needed * 8 // 7 + 1}")
            self._stops = MeshesAtStops(self.mesh, pages, memory)
        return self._stops

    @property
    def note(self) -> str:
        """The reason why the file contains no simplified meshes. If the file contains simplified meshes, the text is
        empty.
        """
        return "" if self._table["stops"].any() else NOTHING_SIMPLIFIED

    @property
    def nbytes(self) -> int:
        """The memory that the hierarchy and its meshes use [bytes]."""
        return self.tree.nbytes if self._stops is None else self._stops.nbytes

    @in_slices
    def verify(self) -> Generator[Progress, None, None]:
        """Read every node, and compare it with its checksum and with the table of nodes. At the first mismatch, the
        method raises InvalidFile.

        The check does not prove that the error bounds in the file are valid.
        """
        for number, row in enumerate(self._table):
            if row["stops"]:
                decode_progressive(self.path, row, number, self._file.read(int(row["at"]), int(row["bytes"])))
            yield Progress((number + 1) / self.node_count, Sentence("reading {name}", name=self.path))

    def close(self) -> None:
        """Close the file. After you close the file, you cannot use its progressive meshes."""
        self._file.close()

    def __enter__(self) -> "ProgressiveMeshes":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ProgressiveMeshes({str(self.path)!r}, {self.triangle_count} triangles in {self.node_count} nodes)"


def progressive_beside(mesh: ClusteredMesh) -> ProgressiveMeshes | None:
    """Return the progressive meshes stored next to a clustered mesh, open as long as the mesh; None without such a
    file.
    """
    found: ProgressiveMeshes | None = kept_companion(mesh, KIND, ProgressiveMeshes.open)
    return found
