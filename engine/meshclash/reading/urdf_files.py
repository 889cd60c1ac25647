"""Read URDF files: links with shapes, and the joints that move them.

The format is defined at https://docs.ros.org/en/rolling/p/urdfdom/ and http://wiki.ros.org/urdf/XML. Elements that do
not describe shapes or motion (inertial, material, gazebo, transmission, ...) are ignored.
"""

import difflib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from ..errors import InvalidFile
from ..messages import suggestion
from .xml_files import read_xml

KINDS = {
    "fixed": (),
    "revolute": ("",),
    "continuous": ("",),
    "prismatic": ("",),
    "planar": ("/x", "/y", "/theta"),
    "floating": ("/x", "/y", "/z", "/qx", "/qy", "/qz", "/qw"),
}
"""Suffixes that are appended to the name of a joint for its coordinates, by the type of the joint."""
LIMITED = ("revolute", "prismatic")
"""Types of joints whose positions have limits."""
TAGS = ("collision", "visual")
"""Elements of a link that have a shape."""
SIZES = {
    "box": (),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
    "capsule": ("radius", "length"),
    "mesh": (),
}
"""Attributes that state the lengths of each kind of geometry."""


class JointLimits(NamedTuple):
    """Limits of a joint's position, velocity and effort; infinite if the file states none."""

    lower: float = -math.inf
    """[rad] or [m]."""
    upper: float = math.inf
    velocity: float = math.inf
    """[rad/s] or [m/s]."""
    effort: float = math.inf
    """[N m] or [N]."""


class Mimic(NamedTuple):
    """Couples a joint to another joint: its position is ``multiplier`` times the other joint's position, plus
    ``offset``.
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class UrdfShape:
    """A ``<collision>`` or ``<visual>`` element.

    Attributes:
        where: the file, link and element, for error messages.
        kind: a key of ``SIZES``.
        sizes: sides of a box, radius and length of round shapes [m]; scale factors of a mesh.
        mesh: file of a mesh, as written in the URDF.
        origin: (4, 4) from the shape's frame to the link's frame.
    """

    where: str
    kind: str
    sizes: tuple[float, ...]
    mesh: str
    origin: np.ndarray


@dataclass(frozen=True, eq=False)
class UrdfLink:
    """A rigid part and its shapes."""

    name: str
    shapes: tuple[UrdfShape, ...]


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A joint: how a link moves relative to its parent.

    Attributes:
        name, kind, parent, child: ``kind`` is a key of ``KINDS``.
        origin: (4, 4) from the joint's frame to the parent's frame.
        axis: (3,), of length 1; meaningless for fixed and floating joints.
        limits: infinite if joints of this type have no limits.
        mimic: the joint that this joint mimics, or None.
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: np.ndarray
    axis: np.ndarray
    limits: JointLimits
    mimic: Mimic | None


@dataclass(frozen=True, eq=False)
class UrdfModel:
    """A tree of links.

    Attributes:
        name: name of the robot.
        links, joints: links and joints in the order of the file.
        ordered: the joints, sorted so that parents come before their children.
    """

    name: str
    links: tuple[UrdfLink, ...]
    joints: tuple[UrdfJoint, ...]
    ordered: tuple[UrdfJoint, ...]


def read_urdf(file: Path, shapes: str = "collision") -> UrdfModel:
    """Read a URDF file.

    Args:
        file: path of the file.
        shapes: "collision" or "visual": which elements are the shapes of links.

    Raises:
        InvalidFile: the file is not URDF, or is inconsistent; the message names the link or joint.
    """
    root = read_xml(file)
    if root.tag != "robot":
        raise InvalidFile(f"{file}: the root element of a URDF file must be <robot>, not <{root.tag:.80}>")
    macro = next((element.tag for element in root.iter() if element.tag.startswith("xacro:")), None)
    if macro:
        raise InvalidFile(
            f"{file}: the file contains the macro <{macro:.80}>: expand it first with 'xacro FILE > robot.urdf'"
        )
    links = tuple(_link(element, file, shapes) for element in root.findall("link"))
    if not links:
        raise InvalidFile(f"{file}: the robot has no links")
    check_unique(file, "link", [link.name for link in links])
    joints = tuple(_joint(element, file) for element in root.findall("joint"))
    check_unique(file, "joint", [joint.name for joint in joints])
    _check_mimics(file, joints)
    return UrdfModel(root.get("name", ""), links, joints, _ordered(file, links, joints))


def _link(element: Element, file: Path, shapes: str) -> UrdfLink:
    name = _name(element, file, "link")
    for child in element:
        misspelt = child.tag not in TAGS and child.find("geometry") is not None
        if misspelt and difflib.get_close_matches(child.tag, TAGS, cutoff=0.8):  # extensions have shapes, too
            raise InvalidFile(
                f"{file}: link '{name}' has the unknown element <{child.tag:.80}>{suggestion(child.tag, TAGS)}"
            )
    found = element.findall(shapes)
    places = [f"{file}: link '{name}', {shapes} {number} of {len(found)}" for number in range(1, len(found) + 1)]
    return UrdfLink(name, tuple(_shape(item, where) for item, where in zip(found, places, strict=True)))


def _shape(element: Element, where: str) -> UrdfShape:
    geometry = element.find("geometry")
    given = [] if geometry is None else list(geometry)
    if len(given) != 1:
        raise InvalidFile(f"{where}: one <geometry> with one shape is needed, not {len(given)} shapes")
    shape = given[0]
    if shape.tag not in SIZES:
        raise InvalidFile(f"{where}: the shape <{shape.tag:.80}> is not supported; expected one of {', '.join(SIZES)}")
    mesh, sizes = "", tuple(_numbers(shape, name, where, 1)[0] for name in SIZES[shape.tag])
    if shape.tag == "box":
        sizes = tuple(_numbers(shape, "size", where, 3))
    elif shape.tag == "mesh":
        mesh = shape.get("filename", "").strip()
        sizes = tuple(_numbers(shape, "scale", where, 3, (1.0, 1.0, 1.0)))
        if not mesh:
            raise InvalidFile(f"{where}: the <mesh> element has no file name")
    if shape.tag != "mesh" and min(sizes) <= 0.0:
        raise InvalidFile(f"{where}: the lengths of a {shape.tag} must be above 0, not {min(sizes):g}")
    if 0.0 in sizes:
        raise InvalidFile(f"{where}: the scale of a mesh must not be 0")
    return UrdfShape(where, shape.tag, sizes, mesh, _origin(element, where))


def _joint(element: Element, file: Path) -> UrdfJoint:
    name = _name(element, file, "joint")
    where, kind = f"{file}: joint '{name}'", element.get("type", "")
    if kind not in KINDS:
        known = f"the types are {', '.join(KINDS)}{suggestion(kind, KINDS)}"
        raise InvalidFile(f"{where}: the joint type {kind!r:.80} is not supported; {known}")
    parent, child = (_linked(element, tag, where) for tag in ("parent", "child"))
    limits, mimic = _limits(element.find("limit"), kind, where), _mimic(element.find("mimic"), where)
    if mimic is not None and len(KINDS[kind]) != 1:
        if kind != "fixed":
            raise InvalidFile(f"{where}: a {kind} joint has more than one coordinate and cannot mimic '{mimic.joint}'")
        mimic = None  # a fixed joint does not move, even if it mimics another
    return UrdfJoint(name, kind, parent, child, _origin(element, where), _axis(element, kind, where), limits, mimic)


def _linked(element: Element, tag: str, where: str) -> str:
    found = element.find(tag)
    name = None if found is None else found.get("link")
    if not name:
        raise InvalidFile(f"{where}: the element <{tag} link=...> is missing")
    return name


def _axis(element: Element, kind: str, where: str) -> np.ndarray:
    """Return the axis of a joint, of length 1; x if the file states no axis."""
    given = element.find("axis")
    if kind in ("fixed", "floating"):
        return np.array([1.0, 0.0, 0.0])
    if given is None and kind == "planar":
        # URDF then defines the plane y, z, but MoveIt and Pinocchio move in x, y.
        raise InvalidFile(f"{where}: a planar joint needs an <axis>, the normal of its plane, such as 0 0 1")
    axis = np.array([1.0, 0.0, 0.0] if given is None else _numbers(given, "xyz", where, 3))
    largest = np.abs(axis).max()
    if largest == 0.0:
        raise InvalidFile(f"{where}: the axis 0 0 0 has no direction")
    axis = axis / largest
    return axis / np.linalg.norm(axis)


def _limits(element: Element | None, kind: str, where: str) -> JointLimits:
    if element is None or kind in ("fixed", "planar", "floating"):
        return JointLimits()
    velocity, effort = (_numbers(element, name, where, 1, (math.inf,))[0] for name in ("velocity", "effort"))
    if kind not in LIMITED:
        return JointLimits(velocity=velocity, effort=effort)
    lower, upper = (_numbers(element, name, where, 1, (0.0,))[0] for name in ("lower", "upper"))
    if lower > upper:
        raise InvalidFile(f"{where}: the lower limit {lower:g} is above the upper limit {upper:g}")
    return JointLimits(lower, upper, velocity, effort)


def _mimic(element: Element | None, where: str) -> Mimic | None:
    if element is None:
        return None
    name = element.get("joint")
    if not name:
        raise InvalidFile(f"{where}: the <mimic> element has no joint name")
    multiplier = _numbers(element, "multiplier", where, 1, (1.0,))[0]
    return Mimic(name, multiplier, _numbers(element, "offset", where, 1, (0.0,))[0])


def _check_mimics(file: Path, joints: Sequence[UrdfJoint]) -> None:
    """Raise InvalidFile if a joint mimics a missing joint, a joint without a single position, or itself."""
    by_name = {joint.name: joint for joint in joints}
    for joint in joints:
        followed = [joint.name]
        while (mimic := by_name[followed[-1]].mimic) is not None:
            where = f"{file}: joint '{followed[-1]}' mimics '{mimic.joint}'"
            if mimic.joint not in by_name:
                raise InvalidFile(f"{where}, which is no joint{suggestion(mimic.joint, by_name)}")
            if mimic.joint in followed:
                ring = " -> ".join([*followed[followed.index(mimic.joint) :], mimic.joint])
                raise InvalidFile(f"{file}: joints mimic each other in a cycle: {ring}")
            kind = by_name[mimic.joint].kind
            if len(KINDS[kind]) != 1:
                raise InvalidFile(f"{where}, a {kind} joint, which has no single position")
            followed.append(mimic.joint)


def _ordered(file: Path, links: Sequence[UrdfLink], joints: Sequence[UrdfJoint]) -> tuple[UrdfJoint, ...]:
    """Return the joints in order from the root; raises InvalidFile if the links are not a tree."""
    names = [link.name for link in links]
    known, above, below = set(names), dict[str, UrdfJoint](), dict[str, list[UrdfJoint]]()
    for joint in joints:
        for name in (joint.parent, joint.child):
            if name not in known:
                raise InvalidFile(f"{file}: joint '{joint.name}': there is no link '{name}'{suggestion(name, names)}")
        other = above.setdefault(joint.child, joint)
        if other is not joint:
            raise InvalidFile(
                f"{file}: link '{joint.child}' is the child of two joints, '{other.name}' and "
                f"'{joint.name}', but a URDF robot must be a tree"
            )
        below.setdefault(joint.parent, []).append(joint)
    roots = [name for name in names if name not in above]
    if len(roots) > 1:
        raise InvalidFile(
            f"{file}: {_listed(roots)} have no parent joint, but a robot has only one root: connect "
            "them by fixed joints"
        )
    ordered = list[UrdfJoint]()
    waiting = list(roots)
    while waiting:
        found = below.get(waiting.pop(), [])
        ordered += found
        waiting += [joint.child for joint in found]
    if len(ordered) < len(joints):
        placed = {joint.name for joint in ordered}
        ring = [joint.name for joint in joints if joint.name not in placed]
        raise InvalidFile(f"{file}: the joints {_listed(ring)} form a cycle")
    return tuple(ordered)


def _origin(element: Element, where: str) -> np.ndarray:
    """Return the matrix (4, 4) of an ``<origin>``: roll, pitch and yaw about fixed axes x, y, z, then a translation."""
    matrix, origin = np.eye(4), element.find("origin")
    if origin is None:
        return matrix
    unknown = set(origin.keys()) - {"xyz", "rpy"}
    if unknown:
        raise InvalidFile(f"{where}: the origin has {_listed(sorted(unknown))}; expected xyz and rpy")
    matrix[:3, 3] = _numbers(origin, "xyz", where, 3, (0.0, 0.0, 0.0))
    (sr, cr), (sp, cp), (sy, cy) = (
        (math.sin(angle), math.cos(angle)) for angle in _numbers(origin, "rpy", where, 3, (0.0, 0.0, 0.0))
    )
    matrix[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return matrix


def _numbers(
    element: Element, attribute: str, where: str, count: int, otherwise: tuple[float, ...] | None = None
) -> list[float]:
    """Return the numbers of an attribute, finite except for limits; ``otherwise`` if the attribute is missing."""
    text = element.get(attribute)
    if text is None:
        if otherwise is None:
            raise InvalidFile(f"{where}: the <{element.tag}> element has no attribute {attribute}")
        return list(otherwise)
    try:
        numbers = [] if "_" in text else [float(word) for word in text.split()]  # Python reads 1_0 as 10
    except ValueError:
        numbers = []
    infinite = element.tag == "limit"
    if len(numbers) != count or not all(math.isfinite(x) or (infinite and math.isinf(x)) for x in numbers):
        wanted = "a number" if count == 1 else f"{count} numbers"
        raise InvalidFile(f"{where}: the attribute {attribute} of <{element.tag}> must be {wanted}, not {text!r:.80}")
    return numbers


def _name(element: Element, file: Path, what: str) -> str:
    name = element.get("name")
    if not name:
        raise InvalidFile(f"{file}: a {what} has no name")
    return name


def check_unique(file: Path, what: str, names: Sequence[str]) -> None:
    """Raise InvalidFile if a name occurs more than once."""
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise InvalidFile(f"{file}: more than one {what} has the name {_listed(twice)}")


def _listed(names: Iterable[str]) -> str:
    """Join names for messages; only the first of many are listed."""
    texts = [f"'{name:.80}'" for name in names]
    return ", ".join(texts[:6]) + (f" and {len(texts) - 6} more" if len(texts) > 6 else "")
