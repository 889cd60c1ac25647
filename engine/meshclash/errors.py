"""The errors that the engine raises; each message describes the problem, its location and the solution."""


class MeshClashError(Exception):
    """Base class of all errors that the engine raises deliberately."""


class InvalidMesh(MeshClashError, ValueError):
    """Vertices or triangles cannot form a mesh: empty, not finite, out of range, or of the wrong shape."""


class NotASolid(MeshClashError, ValueError):
    """A query needs a solid, but a mesh has no certain inside; the message gives the reason and the open edges."""


class InvalidPointCloud(MeshClashError, ValueError):
    """Points or normals cannot form a surface: too few, on a line, not finite, or of the wrong shape."""


class InvalidFile(MeshClashError, ValueError):
    """A file is missing, damaged, truncated, of an unknown format or too large; names the file and the place."""


class InvalidPose(MeshClashError, ValueError):
    """A matrix is not a rigid pose: wrong shape, not finite, scaled, sheared or mirrored."""


class UnknownObject(MeshClashError, KeyError):
    """An object id does not belong to the scene."""

    def __str__(self) -> str:
        """Show the message itself, because KeyError would show its repr."""
        return str(self.args[0]) if self.args else ""


class SceneChanged(MeshClashError, RuntimeError):
    """A scene was changed during a query in slices; only the result of this query is lost."""


class UnsupportedOption(MeshClashError, ValueError):
    """An option has an unknown value; the message lists the supported values."""


class DeviceUnavailable(MeshClashError, RuntimeError):
    """The requested device cannot be used; the message gives the reason."""


class WorkersUnavailable(MeshClashError, RuntimeError):
    """Worker processes cannot be started or cannot run their tasks; the message gives the reason."""
