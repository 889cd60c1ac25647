"""``Robot``: the links of a URDF file, and their poses for configurations of the joints."""

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..broadphase.matrix import CollisionMatrix
from ..errors import InvalidFile, InvalidPose, UnsupportedOption
from ..messages import shown, suggestion
from ..reading.srdf_files import Srdf, read_srdf
from ..reading.urdf_files import KINDS, UrdfJoint, UrdfModel, check_unique, read_urdf
from ..reading.urdf_shapes import Packages, ShapeReader, package_folders
from ..types.arguments import one_of, several
from ..types.copying import Copyable
from ..types.numbers import float_array, real_number, truth
from .joint_motions import Driver, JointMotions
from .trimesh_scenes import PlacedMesh

SHAPES = ("collision", "visual")


class Robot(Copyable):
    """A robot: its links that have a shape, and how its joints move these links.

    A configuration contains one number for each coordinate of the joints. A revolute or continuous joint has an angle
    [rad], and a prismatic joint has a distance [m]. A planar joint named ``base`` has three coordinates: ``base/x`` and
    ``base/y`` [m] and ``base/theta`` [rad]. A planar joint moves in the plane perpendicular to its axis. If the axis of
    a planar joint is z, the x and y of the joint are those of its frame. A floating joint named ``base`` has a position
    ``base/x``, ``base/y``, ``base/z`` [m] and a quaternion ``base/qx``, ``base/qy``, ``base/qz``, ``base/qw`` of any
    length except 0. If a joint mimics another joint, it has no coordinates of its own.

    Mesh files are read in the same way as by ``mc.read``, in metres, and then multiplied by their ``scale``. As in RViz
    and Pinocchio, the axes of a COLLADA file are not changed, even if the file states another up axis. In a glTF file,
    the y axis points up, and MeshClash turns it into the z axis.

    Args:
        path: path of the URDF file.
        srdf: path of an SRDF file that lists the links not to compare; None for no file.
        packages: folders of ``package://NAME/...`` paths: a dict from package names to folders, or folders that contain
            packages. None searches the folders above the URDF file, then ``ROS_PACKAGE_PATH`` and
            ``AMENT_PREFIX_PATH``.
        shapes: "collision" or "visual": the elements of the file to use as the shapes of links.
        tolerance: cylinders, spheres and capsules become meshes that enclose the true shape and extend at most this
            fraction of the radius beyond it.

    Attributes:
        name: name of the robot.
        links: a mesh for each link with shapes, in the link's frame, with its pose in the neutral configuration, and
            its name.
        links_without_shape: names of the links without a shape.
        joints: names of the joints that move and do not mimic another joint, in the order of the file.
        coordinates: names of the numbers of a configuration, (n,). If a joint has only one coordinate, the coordinate
            has the same name as the joint.
        neutral: (n,) the configuration of zeros; quaternions are 0 0 0 1.
        limits: (n, 2) lowest and highest value of each coordinate [rad] or [m]; -inf and inf without a limit, also if a
            revolute or prismatic joint lacks a ``<limit>``.
        velocity_limits: (n,) [rad/s] or [m/s]; inf if the file states no limit.
        effort_limits: (n,) [N m] or [N]; inf if the file states no limit.
        rules: a CollisionMatrix that says which pairs of links to compare; the links have the ids 0, 1, ... in the
            order of ``links``. The rules leave out links that are connected by a joint, and pairs that the SRDF file
            disables.

    Raises:
        InvalidFile: a file is missing, damaged or contradictory; the mesh of a link is missing or unreadable; or no
            link has a shape.
        InvalidMesh: the mesh of a link is invalid.
        UnsupportedOption: an argument is invalid.
    """

    def __init__(
        self,
        path: Any,
        srdf: Any = None,
        *,
        packages: Packages = None,
        shapes: str = "collision",
        tolerance: float = 0.01,
    ) -> None:
        shapes = one_of("shapes", shapes, SHAPES)
        if not 1e-5 <= real_number(tolerance) <= 0.5:
            raise UnsupportedOption(f"tolerance must be from 1e-5 to 0.5, not {shown(tolerance)}")
        folders = package_folders(packages)
        file = _file("path", path)
        model = read_urdf(file, shapes)
        said = Srdf() if srdf is None else read_srdf(_file("srdf", srdf))
        self.name = model.name
        self._joints, self._above = model.ordered, {joint.child: joint for joint in model.joints}
        self._link_names = [link.name for link in model.links]
        moving = [joint for joint in model.joints if KINDS[joint.kind] and joint.mimic is None]
        self.joints = [joint.name for joint in moving]
        each = [(joint, suffix) for joint in moving for suffix in KINDS[joint.kind]]
        self.coordinates = [joint.name + suffix for joint, suffix in each]
        check_unique(file, "coordinate of a joint", self.coordinates)
        self._motions = JointMotions(model.ordered, _drivers(model, moving))
        self.neutral = np.array([float(suffix == "/qw") for _, suffix in each])
        table = np.array([joint.limits for joint, _ in each], np.float64).reshape(-1, 4)
        self.limits, self.velocity_limits, self.effort_limits = table[:, :2], table[:, 2], table[:, 3]
        self._names = [link.name for link in model.links if link.shapes]
        self.links_without_shape = [link.name for link in model.links if not link.shapes]
        if not self._names:
            other = SHAPES[1 - SHAPES.index(shapes)]
            raise InvalidFile(
                f"{file}: no link has a <{shapes}> element: use shapes='{other}' for the <{other}> elements"
            )
        reader = ShapeReader(file, folders, real_number(tolerance))
        meshes = [reader.mesh_of(link) for link in model.links if link.shapes]
        placed = zip(meshes, self.poses(self.neutral), self._names, strict=True)
        self.links = [PlacedMesh(mesh, pose, name) for mesh, pose, name in placed]
        self.rules = self._rules(model, said, srdf)

    def __repr__(self) -> str:
        return f"Robot({self.name!r}: {len(self._names)} links with shapes, {len(self.coordinates)} coordinates)"

    def configuration(self, values: Mapping[str, float]) -> np.ndarray:
        """Return the neutral configuration (n,), in which you can set some of the coordinates by name.

        Args:
            values: a dictionary from names of coordinates to numbers.

        Raises:
            InvalidPose: a name is unknown, or a value is not a finite number.
            UnsupportedOption: ``values`` is not a dictionary.
        """
        if not isinstance(values, Mapping):
            raise UnsupportedOption(f"values must be a dictionary of names and numbers, not {shown(values)}")
        made = self.neutral.copy()
        for name, value in values.items():
            if name not in self.coordinates:
                near = suggestion(name, self.coordinates) if isinstance(name, str) else ""
                raise InvalidPose(f"the robot has no joint coordinate {shown(name)}{near}")
            made[self.coordinates.index(name)] = real_number(value)
        self._rows(made)
        return made

    def beyond_limits(self, configurations: Any) -> np.ndarray:
        """For each coordinate, return whether it is outside its limits, as a bool array with the same shape as the
        argument.

        As in MoveIt, the method does not check joints that mimic another joint, because few files state limits that fit
        both joints.

        Raises:
            InvalidPose: as ``poses``.
        """
        rows, given = self._rows(configurations)
        return ((rows < self.limits[:, 0]) | (rows > self.limits[:, 1])).reshape(given)

    def poses(
        self, configurations: Any, links: Sequence[str] | None = None, *, check_limits: bool = False
    ) -> np.ndarray:
        """Return the poses of links in world coordinates. The root link stays at the origin.

        Args:
            configurations: (m, n), or (n,) for a single configuration; see the class.
            links: names of k links, with or without shapes. None: the poses of ``self.links``, in the order of the
                scene.
            check_limits: True raises InvalidPose if a coordinate is outside its limits.

        Returns:
            (m, k, 4, 4), or (k, 4, 4) for a single configuration.

        Raises:
            InvalidPose: ``configurations`` has a wrong shape, a number that is not finite or a zero quaternion; a link
                is unknown; or, with ``check_limits``, a coordinate is outside its limits. The message names the
                configuration or the link.
            UnsupportedOption: ``links`` is not a list of names.
        """
        rows, given = self._rows(configurations)
        if truth("check_limits", check_limits):
            self._refuse_beyond(rows)
        wanted = self._names if links is None else self._known(links)
        needed = self._needed(wanted)
        frames = dict.fromkeys(wanted, np.eye(4)[None])
        which = np.array([k for k, joint in enumerate(self._joints) if joint.child in needed], np.int64)
        moved = self._motions.poses(rows, which)
        for place, k in enumerate(which.tolist()):
            joint, local = self._joints[k], moved[:, place]
            frames[joint.child] = frames[joint.parent] @ local if joint.parent in frames else local
        poses = np.stack([np.broadcast_to(frames[name], (len(rows), 4, 4)) for name in wanted], axis=1)
        return poses if len(given) == 2 else poses[0]

    def _rows(self, configurations: Any) -> tuple[np.ndarray, tuple[int, ...]]:
        """Validate configurations; return them as (m, n), and their original shape."""
        given, count = float_array("configurations", configurations, InvalidPose), len(self.coordinates)
        if given.ndim not in (1, 2) or given.shape[-1] != count:
            names = ", ".join(self.coordinates[:8]) + (", ..." if count > 8 else "")
            raise InvalidPose(
                f"a configuration must have {count} numbers ({names}): give shape ({count},) or (m, "
                f"{count}), not {given.shape}"
            )
        rows = given if given.ndim == 2 else given[None]
        if not np.isfinite(rows).all():
            row, column = np.argwhere(~np.isfinite(rows))[0]
            raise InvalidPose(
                f"configuration {row}: the coordinate '{self.coordinates[column]}' is {rows[row, column]}"
            )
        return rows, given.shape

    def _refuse_beyond(self, rows: np.ndarray) -> None:
        beyond = np.argwhere(self.beyond_limits(rows))
        if len(beyond):
            row, column = beyond[0]
            low, high = self.limits[column]
            raise InvalidPose(
                f"configuration {row}: the coordinate '{self.coordinates[column]}' is "
                f"{rows[row, column]:g}, outside its limits {low:g} to {high:g} ({len(beyond)} such "
                "values in total)"
            )

    def _known(self, links: Sequence[str]) -> list[str]:
        names = several("links", links, str)
        for name in names:
            if name not in self._link_names:
                raise InvalidPose(f"the robot has no link {shown(name)}{suggestion(name, self._link_names)}")
        if not names:
            raise InvalidPose("links is empty")
        return names

    def _needed(self, links: Sequence[str]) -> set[str]:
        """Return the names of the links and all their ancestors."""
        needed, waiting = set[str](), list(links)
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                if name in self._above:
                    waiting.append(self._above[name].parent)
        return needed

    def _rules(self, model: UrdfModel, said: Srdf, srdf: Any) -> CollisionMatrix:
        ids, rules = {name: k for k, name in enumerate(self._names)}, CollisionMatrix()
        for name in sorted(said.names - set(self._link_names)):
            hint = suggestion(name, self._link_names)
            warnings.warn(f"{srdf}: the robot has no link '{name}'{hint}", RuntimeWarning, stacklevel=3)

        def compare(pairs: Sequence[tuple[str, str]], compared: bool) -> None:
            for a, b in pairs:
                if a in ids and b in ids and a != b:
                    rules.set_pair(ids[a], ids[b], compared)

        compare([(name, other) for name in said.uncompared for other in self._names], False)
        compare(said.enabled, True)
        compare([*((joint.parent, joint.child) for joint in model.joints), *said.disabled], False)
        return rules


def _drivers(model: UrdfModel, moving: Sequence[UrdfJoint]) -> dict[str, Driver]:
    """Return the drivers of the moving joints, including those that mimic, by joint name."""
    by_name, drivers, first = {joint.name: joint for joint in model.joints}, dict[str, Driver](), 0
    for joint in moving:
        last = first + len(KINDS[joint.kind])
        drivers[joint.name] = Driver(first, last, 1.0, 0.0)
        first = last
    for joint in model.joints:
        factor, offset, source = 1.0, 0.0, joint
        while source.mimic is not None:
            factor, offset = factor * source.mimic.multiplier, factor * source.mimic.offset + offset
            source = by_name[source.mimic.joint]
        if joint.mimic is not None:
            drivers[joint.name] = drivers[source.name]._replace(factor=factor, offset=offset)
    return drivers


def _file(argument: str, path: Any) -> Path:
    if not isinstance(path, str | bytes | os.PathLike):
        raise InvalidFile(f"{argument} must be the path of a file, not {shown(path)}")
    return Path(os.fsdecode(path))
