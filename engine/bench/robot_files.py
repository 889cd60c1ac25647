"""Robots of URDF files beside Pinocchio's and coal's: poses of all links, limits, mimics, and the shapes of links.

Pinocchio and coal read the same files by urdfdom and assimp. Meshes must have as many triangles and the same boxes.
Round shapes of ours must enclose the true ones within the tolerance that ``Robot`` states. Without arguments all robots
of the package example-robot-data are read.
"""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from meshclash import MeshClashError, Robot, TriangleMesh

from .table import Row, format_table, write_json

TOLERANCE = 0.01
WORST_POSE = 1e-12
"""Of the robot's size: what counts as the same pose."""
WORST_BOX = 1e-6
"""Of a link's size: assimp reads coordinates in single precision."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.urdf", help="robots; none: example-robot-data")
    parser.add_argument("--configurations", type=int, default=100)
    parser.add_argument("--shapes", choices=("collision", "visual"), default="collision")
    parser.add_argument("--packages", type=Path, action="append", default=[], help="folders that hold packages")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)


def run(options: argparse.Namespace) -> int:
    """Compare every robot; 1 if a pose, limit or shape differs, 2 without Pinocchio."""
    try:
        import pinocchio as pin
    except ImportError as error:
        print(f"this bench needs Pinocchio (pip install pin example-robot-data): {error}")
        return 2
    rng, rows = np.random.default_rng(options.seed), []
    for path in options.files or sorted(_share(pin).rglob("*.urdf")):
        rows.append(compare(path, options.shapes, options.packages, options.configurations, rng))
    print(format_table([row | {key: f"{row[key]:.0e}" for key in ("pose", "limits", "box")} for row in rows]))
    print(f"{sum(row['fault'] == '' for row in rows)} of {len(rows)} robots are the same")
    if options.json:
        write_json(options.json, {"bench": "robot-files", "robots": rows})
    return int(any(row["fault"] and not row["fault"].startswith("refused") for row in rows))


def _share(pin: Any) -> Path:
    """The folder of example-robot-data, which is installed beside Pinocchio."""
    prefix = next(folder for folder in Path(pin.__file__).parents if folder.name == "cmeel.prefix")
    return prefix / "share" / "example-robot-data" / "robots"


def compare(path: Path, shapes: str, packages: list[Path], count: int, rng: np.random.Generator) -> Row:
    """One robot: what differs, in ``fault``."""
    row: Row = {"robot": path.stem[:32], "links": 0, "coordinates": 0, "mimics": 0, "pose": 0.0, "limits": 0.0}
    row |= {"meshes": 0, "triangles": 0, "box": 0.0, "fault": ""}
    try:
        robot = Robot(path, packages=packages or None, shapes=shapes, tolerance=TOLERANCE)
    except MeshClashError as error:
        return row | {"fault": f"refused: {str(error).removeprefix(str(path))[:90]}"}
    theirs = _Peer(path)
    chosen = _configurations(robot, count, rng)
    names = theirs.links
    ours = robot.poses(chosen, names)
    true = np.stack([theirs.poses(dict(zip(robot.coordinates, q, strict=True))) for q in chosen])
    size = max(1.0, float(np.abs(true[..., :3, 3]).max()))
    row |= {"links": len(names), "coordinates": len(robot.coordinates), "mimics": len(theirs.mimics)}
    row["pose"] = float(np.abs(ours - true).max()) / size
    row["limits"] = theirs.limits_differ(robot)
    faults = [text for text, bad in (("poses", row["pose"] > WORST_POSE), ("limits", row["limits"] > 0.0)) if bad]
    faults += _compare_shapes(row, path, robot, theirs, shapes, packages)
    return row | {"fault": ", ".join(faults)}


def _configurations(robot: Robot, count: int, rng: np.random.Generator) -> np.ndarray:
    """Configurations (count + 2, n) within the limits, and at both of them; a turn or a metre where there is none."""
    low, high = np.where(np.isfinite(robot.limits), robot.limits, [-np.pi, np.pi]).T
    return np.vstack([low, high, rng.uniform(low, high, (count, len(low)))])


class _Peer:
    """A robot as Pinocchio reads it, with joints that mimic as joints of their own."""

    def __init__(self, path: Path) -> None:
        import pinocchio as pin

        self._pin, self.path = pin, path
        self.model = pin.buildModelFromUrdf(str(path))
        self._data = self.model.createData()
        self._frames = [k for k, frame in enumerate(self.model.frames) if frame.type == pin.FrameType.BODY]
        self.links = [self.model.frames[k].name for k in self._frames]
        self.mimics = {
            joint.attrib["name"]: (
                found.attrib["joint"],
                float(found.get("multiplier", 1)),
                float(found.get("offset", 0)),
            )
            for joint in ElementTree.parse(path).getroot().findall("joint")
            if (found := joint.find("mimic")) is not None
        }

    def poses(self, values: dict[str, float]) -> np.ndarray:
        """Poses (links, 4, 4) for the coordinates of one configuration, by their names."""
        q = self._pin.neutral(self.model)
        for index, name in enumerate(self.model.names):
            if index:
                joint, value = self.model.joints[index], self._value(name, values)
                q[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(value), np.sin(value)][: joint.nq]
                if joint.nq == 1:
                    q[joint.idx_q] = value
        self._pin.framesForwardKinematics(self.model, self._data, q)
        return np.stack([self._data.oMf[k].homogeneous for k in self._frames])

    def _value(self, name: str, values: dict[str, float]) -> float:
        if name in values:
            return values[name]
        source, multiplier, offset = self.mimics[name]
        return multiplier * self._value(source, values) + offset

    def limits_differ(self, robot: Robot) -> float:
        """The largest difference of a limit of position, velocity or effort; infinite where one has none."""
        worst, model = 0.0, self.model
        for k, name in enumerate(robot.coordinates):
            joint = model.joints[model.getJointId(name)]
            ours = [robot.velocity_limits[k], robot.effort_limits[k]]
            velocity = getattr(model, "upperVelocityLimit", None)
            effort = getattr(model, "upperEffortLimit", None)
            velocity = model.velocityLimit if velocity is None else velocity
            effort = model.effortLimit if effort is None else effort
            true = [velocity[joint.idx_v], effort[joint.idx_v]]
            if joint.nq == 1:
                ours += robot.limits[k].tolist()
                true += [model.lowerPositionLimit[joint.idx_q], model.upperPositionLimit[joint.idx_q]]
            elif np.isfinite(robot.limits[k]).any():
                return float("inf")
            worst = max(worst, *(abs(a - b) if a != b else 0.0 for a, b in zip(ours, true, strict=True)))
        return worst


def _compare_shapes(row: Row, path: Path, robot: Robot, theirs: _Peer, shapes: str, packages: list[Path]) -> list[str]:
    """What differs in the shapes of links; their figures are written into the row."""
    import pinocchio as pin

    kind = pin.GeometryType.COLLISION if shapes == "collision" else pin.GeometryType.VISUAL
    folders = [str(folder) for folder in (*packages, *path.parents)]
    geometry = pin.buildGeomFromUrdf(theirs.model, str(path), kind, package_dirs=folders)
    parts: dict[str, list[Any]] = {}
    for item in geometry.geometryObjects:
        parts.setdefault(theirs.model.frames[item.parentFrame].name, []).append(item)
    faults = []
    if {link.name for link in robot.links} != set(parts):
        faults.append(f"links with shapes: {sorted({link.name for link in robot.links} ^ set(parts))[:3]}")
    for link in robot.links:
        if link.name not in parts:
            continue
        inside = theirs.model.frames[theirs.model.getFrameId(link.name, pin.FrameType.BODY)].placement
        boxes, loose, counts = [], 0.0, []
        for item in parts[link.name]:
            pose = (inside.inverse() * item.placement).homogeneous
            box, radius, count = _shape(item, pose)
            boxes.append(box)
            counts.append(count)
            loose = max(loose, TOLERANCE * radius)
        true = np.array([np.min([b[0] for b in boxes], axis=0), np.max([b[1] for b in boxes], axis=0)])
        grown = np.array([true[0] - link.mesh.bounds[0], link.mesh.bounds[1] - true[1]])
        size = float(np.abs(true).max())
        row["box"] = max(row["box"], -float(grown.min()) / size, (float(grown.max()) - loose) / size)
        if min(grown.min(), loose - grown.max()) < -WORST_BOX * size:
            faults.append(f"box of {link.name}")
        if all(counts):
            row["meshes"] += len(counts)
            row["triangles"] += link.mesh.triangle_count
            if sum(counts) != (ours := _with_area(link.mesh)):
                faults.append(f"{link.name}: {ours} triangles, not {sum(counts)}")
    return faults


def _with_area(mesh: TriangleMesh) -> int:
    """How many triangles have three different corners: assimp takes out the others."""
    corners = mesh.vertices[mesh.triangles]
    same = (corners == np.roll(corners, 1, axis=1)).all(axis=2).any(axis=1)
    return int((~same).sum())


def _shape(item: Any, pose: np.ndarray) -> tuple[np.ndarray, float, int]:
    """The box (2, 3) of a shape in the link's frame, its radius where it is round, its triangles where it is a mesh."""
    shape, turn, centre = item.geometry, pose[:3, :3], pose[:3, 3]
    name = type(shape).__name__
    with contextlib.suppress(AttributeError):
        if shape.num_tris:
            points = shape.vertices() @ turn.T + centre
            return np.array([points.min(axis=0), points.max(axis=0)]), 0.0, shape.num_tris
    if name == "Convex":  # made by Pinocchio of a mesh
        points = np.array([shape.point(k) for k in range(shape.num_points)]) @ turn.T + centre
        return np.array([points.min(axis=0), points.max(axis=0)]), 0.0, 0
    if name == "Box":
        half, radius = np.abs(turn) @ np.asarray(shape.halfSide).ravel(), 0.0
    elif name in ("Cylinder", "Capsule"):  # Pinocchio makes capsules of cylinders that <collision_checking> names
        half = np.abs(turn[:, 2]) * shape.halfLength + shape.radius * np.sqrt(np.maximum(1.0 - turn[:, 2] ** 2, 0.0))
        radius = shape.radius
    elif name == "Sphere":
        half, radius = np.full(3, shape.radius), shape.radius
    else:
        raise TypeError(f"a {name} of coal is unknown here")
    return np.array([centre - half, centre + half]), radius, 0
