"""The errors that the engine raises; each message describes the problem, its location and the solution."""


class MeshClashError(Exception):
    """The base class of all errors that MeshClash raises on purpose."""


class InvalidMesh(MeshClashError, ValueError):
    """The vertices or triangles do not form a mesh. The arrays are empty, not finite, out of range, or have the wrong
    shape.
    """


class NotASolid(MeshClashError, ValueError):
    """A query needs a solid, but it is not clear what is inside the mesh. The message gives the reason and lists the
    open edges.
    """


class InvalidPointCloud(MeshClashError, ValueError):
    """The points or normals do not form a surface. There are too few points, the points lie on a line, or the arrays
    are not finite or have the wrong shape.
    """


class InvalidFile(MeshClashError, ValueError):
    """A file is missing, damaged, truncated, too large, or has an unknown format. The message names the file and the
    place of the fault.
    """


class InvalidPose(MeshClashError, ValueError):
    """A matrix is not a rigid pose. The matrix has the wrong shape, is not finite, or contains a scale, a shear or a
    mirroring.
    """


class UnknownObject(MeshClashError, KeyError):
    """The scene does not contain an object with this id or name."""

    def __str__(self) -> str:
        """Show the message itself, because KeyError would show its repr."""
        return str(self.args[0]) if self.args else ""


class SceneChanged(MeshClashError, RuntimeError):
    """The scene was changed while a query was running in slices. Only the result of this query is lost."""


class UnsupportedOption(MeshClashError, ValueError):
    """An option has a value that is not supported. The message says which values are supported."""


class DeviceUnavailable(MeshClashError, RuntimeError):
    """MeshClash cannot use the requested device. The message gives the reason."""


class WorkersUnavailable(MeshClashError, RuntimeError):
    """MeshClash cannot start worker processes, or the processes cannot run their tasks. The message gives the
    reason.
    """
