"""Make meshes of a robot's links: mesh files in packages, and meshes that enclose boxes and round shapes."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..convex import primitives
from ..errors import InvalidFile, InvalidMesh, UnsupportedOption
from ..messages import shown
from ..types.arguments import items_of
from ..types.mesh import TriangleMesh
from ..types.pose import transform_points
from .read import raw_parts
from .urdf_files import UrdfLink, UrdfShape
from .uris import path_of, unescaped

Packages = Mapping[str, str | os.PathLike[str]] | Iterable[str | os.PathLike[str]] | str | os.PathLike[str] | None
"""Locations of the packages in ``package://NAME/...``: folders by name, or folders that contain packages."""


class PackageFolders(NamedTuple):
    """Locations of packages."""

    named: Mapping[str, Path]
    """Folders of packages by package name."""
    holding: tuple[Path, ...]
    """Folders that contain packages."""


_Arrays = tuple[np.ndarray, np.ndarray]


@dataclass(eq=False)
class ShapeReader:
    """Makes meshes of shapes; each file is read once.

    Attributes:
        urdf: the file that the shapes come from.
        packages: locations of packages.
        tolerance: fraction of its radius by which the mesh of a round shape may exceed the true shape.
    """

    urdf: Path
    packages: PackageFolders
    tolerance: float
    _read: dict[Path, _Arrays] = field(default_factory=dict)

    def mesh_of(self, link: UrdfLink) -> TriangleMesh:
        """Return all shapes of a link as one mesh in the link's frame.

        Raises:
            InvalidFile, InvalidMesh: a file cannot be found or read, or has no triangles; the message names the link.
        """
        parts = [self._placed(shape) for shape in link.shapes]
        starts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
        triangles = [faces + start for (_, faces), start in zip(parts, starts, strict=False)]
        try:
            return TriangleMesh(np.concatenate([vertices for vertices, _ in parts]), np.concatenate(triangles))
        except InvalidMesh as error:
            raise InvalidMesh(f"{self.urdf}: link '{link.name}': {error}") from error

    def _placed(self, shape: UrdfShape) -> _Arrays:
        if shape.kind == "mesh":
            vertices, triangles = self._of_file(shape)
            vertices = vertices * shape.sizes
            if np.prod(np.sign(shape.sizes)) < 0.0:
                triangles = triangles[:, ::-1]
        else:
            made = self._primitive(shape)
            vertices, triangles = made.vertices, made.triangles
        return transform_points(shape.origin, vertices), triangles

    def _primitive(self, shape: UrdfShape) -> TriangleMesh:
        if shape.kind == "box":
            return primitives.box(shape.sizes)
        if shape.kind == "sphere":
            return primitives.sphere(shape.sizes[0], self.tolerance, circumscribed=True)
        made = primitives.cylinder if shape.kind == "cylinder" else primitives.capsule
        radius, length = shape.sizes
        return made(radius, length, self.tolerance, circumscribed=True)

    def _of_file(self, shape: UrdfShape) -> _Arrays:
        file = self._located(shape)
        if file not in self._read:
            try:
                self._read[file] = _arrays(file)
            except InvalidFile as error:
                raise InvalidFile(f"{shape.where}: {error}") from error
        return self._read[file]

    def _located(self, shape: UrdfShape) -> Path:
        """Find the file of a mesh; raises InvalidFile, which lists the places that were searched."""
        tried = dict[Path, None]()
        for candidate in self._candidates(shape):
            for path in dict.fromkeys((candidate, Path(unescaped(str(candidate))))):
                if _is_file(path):
                    return path
                tried[path] = None
        advice = "put it there"
        if shape.mesh.startswith(("package://", "model://")):
            package = shape.mesh.partition("://")[2].partition("/")[0]
            advice = f"give the folder of the package, packages={{{package!r}: FOLDER}}"
        elif not Path(shape.mesh).is_absolute() and "://" not in shape.mesh:
            advice = "give a folder to look in, packages=[FOLDER]"
        places = "".join(f"\n  {path}" for path in list(tried)[:12]) + ("\n  ..." if len(tried) > 12 else "")
        raise InvalidFile(f"{shape.where}: the file '{shape.mesh}' is missing: {advice}. Looked for:{places}")

    def _candidates(self, shape: UrdfShape) -> Iterator[Path]:
        """Yield the possible paths of a mesh file, the most likely path first."""
        scheme, separator, rest = shape.mesh.partition("://")
        above = list(dict.fromkeys((*self.urdf.absolute().parents, *self.urdf.resolve().parents)))
        if not separator:
            yield from (folder / shape.mesh for folder in (*above, *self.packages.holding))
        elif scheme == "file":
            yield path_of(shape.mesh)
        elif scheme in ("package", "model"):
            package, _, inner = rest.partition("/")
            if package in self.packages.named:
                yield self.packages.named[package] / inner
                return
            yield from (folder / package / inner for folder in (*self.packages.holding, *above))
            yield from (folder / inner for folder in above)  # the package's folder has another name
            yield from (folder / package / inner for folder in _of_ros())
        else:
            raise InvalidFile(f"{shape.where}: '{shape.mesh}' is not on this computer: save it, and name the file")


def package_folders(packages: Any) -> PackageFolders:
    """Convert ``Packages`` to folders; raises UnsupportedOption for other types and for missing folders."""
    wrong = UnsupportedOption(f"packages must be folders, or a dict of names and folders, not {shown(packages)}")
    if isinstance(packages, Mapping):
        found = PackageFolders({name: _folder(folder, wrong) for name, folder in packages.items()}, ())
    elif packages is None:
        found = PackageFolders({}, ())
    elif isinstance(packages, str | os.PathLike):
        found = PackageFolders({}, (_folder(packages, wrong),))
    elif isinstance(packages, Iterable):
        folders = items_of("packages", packages, "folders")
        found = PackageFolders({}, tuple(_folder(folder, wrong) for folder in folders))
    else:
        raise wrong
    return found


def _folder(folder: Any, wrong: UnsupportedOption) -> Path:
    if not isinstance(folder, str | os.PathLike):
        raise wrong
    if not Path(folder).is_dir():
        raise UnsupportedOption(f"packages: '{folder}' is not a folder")
    return Path(folder)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long, or the folder must not be read
        return False


def _of_ros() -> Iterator[Path]:
    """Yield the folders in which ROS 1 and ROS 2 look for packages."""
    for folder in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep):
        if folder:
            yield Path(folder)
    for folder in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        if folder:
            yield Path(folder) / "share"


def _arrays(file: Path) -> _Arrays:
    """Return vertices [m] and triangles of all parts of a file, placed by its scene graph.

    ``up_axis`` of COLLADA files is ignored, as RViz and Pinocchio do; robot models rely on that.

    Raises:
        InvalidFile: the file cannot be read, or a part is not a triangle mesh.
    """
    raw = raw_parts(file)
    if file.suffix.lower() == ".dae":
        raw.y_up = False
    parts = raw.made(file, 1.0)
    for name, reason in parts.left_out:
        raise InvalidFile(f"{file}: '{name}' cannot be read: {reason}")
    vertices, triangles, count = list[np.ndarray](), list[np.ndarray](), 0
    for part in parts:
        faces = part.shape.triangles
        if faces is None:
            raise InvalidFile(f"{file}: the file contains points without faces")
        vertices.append(transform_points(part.matrix, part.shape.vertices))
        triangles.append(count + (faces[:, ::-1] if np.linalg.det(part.matrix[:3, :3]) < 0.0 else faces))
        count += len(vertices[-1])
    return np.concatenate(vertices), np.concatenate(triangles)
