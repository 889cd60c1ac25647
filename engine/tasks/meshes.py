"""Clustered meshes that tasks name: opened by the worker only if they are those of the client."""

from meshclash.errors import InvalidFile
from meshclash.massive.mesh import ClusteredMesh

from .files import FileMark, compare


def mark_of(mesh: ClusteredMesh) -> FileMark:
    """The mark of an open mesh."""
    header = mesh.pages.header
    return FileMark(str(mesh.path.resolve()), header.file_bytes, header.table_crc)


_open: dict[tuple[FileMark, int], ClusteredMesh] = {}
"""What the last task of this process had open: the next one is often about the same files."""


def opened(marks: list[FileMark], memory: int) -> list[ClusteredMesh]:
    """Clustered meshes with so many bytes of memory each, open until another task opens others; a file once.

    Raises:
        InvalidFile: one cannot be opened here, or is another file than the client's.
        UnsupportedOption: the memory is too little.
    """
    wanted = [(mark, memory) for mark in marks]
    for key in set(_open).difference(wanted):
        _open.pop(key).close()
    for mark, _ in wanted:
        if (mark, memory) not in _open:
            mesh = ClusteredMesh.open(mark.path, memory)
            try:
                compare(mark, mesh.pages.header.file_bytes, mesh.pages.header.table_crc)
            except InvalidFile:
                mesh.close()
                raise
            _open[mark, memory] = mesh
    return [_open[key] for key in wanted]
