"""Read USD files with usd-core: surfaces at the earliest time, with instances and point instancers."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import InvalidFile
from . import round_shapes
from .part import PartShape
from .polygons import triangulated
from .raw_parts import RawPart, RawParts
from .usd_skin import Skins

MOST_OBJECTS = 2_000_000
"""Largest number of objects that a file may place; nested instances could exceed any memory."""
MATERIAL = re.compile(r"\.mtlx@")
"""Marks errors of USD about material files, which usd-core does not read."""
IMPLICIT = ("Cube", "Sphere", "Cylinder", "Cylinder_1", "Cone", "Capsule", "Capsule_1", "Plane")
SEEN, PROXY, RENDER = "", "proxy", "render"
"""USD purposes of visible geometry, of proxies, and of the geometry that proxies replace."""


def read_usd(file: Path, _pxr: ModuleType) -> RawParts:
    """Read every active and visible surface, once for each instance.

    Raises:
        InvalidFile: USD cannot read the file, or it places too many objects.
    """
    from pxr import Tf

    try:
        return _Reader(file).read()
    except Tf.ErrorException as error:
        raise InvalidFile(f"{file}: USD cannot read it: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """Return the message of a USD error, which may contain bytes of the file that are not text."""
    try:
        first = (str(error).strip().splitlines() or [""])[0]
    except UnicodeDecodeError:
        return "it is damaged"
    return first.partition(" : ")[2] or first  # the message begins with the function that failed


@dataclass(frozen=True, eq=False)
class _Placed:
    """The place at which a subtree is read: its own, or that of an instance.

    Attributes:
        root: root of the subtree; None for the stage.
        matrix: (4, 4) from the root's parent to the world, for an instance.
        name: name of the instance; "" for the stage.
        groups: names of the groups above the instance.
        instancers: paths of the instancers that contain it, to detect instancers that contain themselves.
    """

    root: Any = None
    matrix: np.ndarray = field(default_factory=lambda: np.eye(4))
    name: str = ""
    groups: tuple[str, ...] = ()
    instancers: tuple[Any, ...] = ()


class _Reader:
    """Reads one file."""

    def __init__(self, file: Path) -> None:
        from pxr import Usd, UsdGeom

        self._file, self._time = file, Usd.TimeCode.EarliestTime()
        self._stage = Usd.Stage.Open(str(file))
        self._predicate = Usd.TraverseInstanceProxies(Usd.PrimIsDefined & ~Usd.PrimIsAbstract)
        self._cache = UsdGeom.XformCache(self._time)
        self._skins = Skins(self._stage)
        self._counts = dict[tuple[Any, bool], int]()
        self._instancers = dict[Any, _Instances]()
        up = UsdGeom.GetStageUpAxis(self._stage)
        metres = float(UsdGeom.GetStageMetersPerUnit(self._stage))
        self._found = RawParts(metres=metres, y_up=up == UsdGeom.Tokens.y)

    def read(self) -> RawParts:
        """Read the parts; raises InvalidFile."""
        found = self._found
        for path, told in (errors := _errors(self._stage)):
            if MATERIAL.search(told):
                found.no_geometry["material that is not there"] += 1
            else:
                found.left_out.append((path, told))
        found.found = len(errors) + self._count(self._stage.GetPseudoRoot(), ())
        if found.found > MOST_OBJECTS:
            raise InvalidFile(
                f"{self._file}: the file contains {found.found} object instances, more than the limit of {MOST_OBJECTS}"
            )
        self._walk(self._stage.GetPseudoRoot(), _Placed(), SEEN)
        return found

    # Objects are counted before they are read; each prototype is counted once and multiplied by its instances.

    def _count(self, root: Any, instancers: tuple[Any, ...]) -> int:
        """Return how many objects a subtree places."""
        key = (root.GetPath(), bool(instancers))
        if key in self._counts:
            return self._counts[key]
        total, left = 0, [root]
        while left:
            prim = left.pop()
            if prim.IsActive() and _is_instancer(prim):
                total += self._count_instancer(prim, instancers)
                continue
            total += not prim.IsPseudoRoot() and not prim.IsPrototype() and _is_object(prim)
            if prim.IsInstance():
                total += self._count(prim.GetPrototype(), instancers)
            elif prim.IsActive():
                left += self._children(prim, bool(instancers))
        self._counts[key] = total
        return total

    def _count_instancer(self, prim: Any, instancers: tuple[Any, ...]) -> int:
        instances = self._instances_of(prim)
        return 1 if instances.wrong else max(sum(self._counts_of(prim, instances, instancers)), 1)

    def _counts_of(self, prim: Any, instances: "_Instances", instancers: tuple[Any, ...]) -> list[int]:
        """Return how many objects the instances of each prototype place.

        Raises InvalidFile for an instancer that is a prototype of itself.
        """
        path = prim.GetPath()
        if path in instancers:
            raise InvalidFile(f"{self._file}: the point instancer {path} contains itself as a prototype")
        return [
            times and times * (self._count(root, (*instancers, path)) if root else 1)
            for root, times in zip(instances.prototypes, instances.times, strict=True)
        ]

    def _instances_of(self, prim: Any) -> "_Instances":
        path = prim.GetPath()
        if path not in self._instancers:
            self._instancers[path] = _Instances(prim, self._time)
        return self._instancers[path]

    def _children(self, prim: Any, in_prototype: bool) -> list[Any]:
        """Return the children to read; in prototypes of instancers also overs and classes."""
        return list(prim.GetFilteredChildren(_every() if in_prototype else self._predicate))

    def _walk(self, root: Any, placed: _Placed, hidden: str) -> None:
        """Read a subtree, in the order of the file."""
        left = [(root, hidden)]
        while left:
            prim, hidden = left.pop()
            if not prim.IsActive():
                self._found.no_geometry["inactive"] += 1
                continue
            hidden = hidden if prim.IsPseudoRoot() else self._hidden(prim, hidden)
            if _is_instancer(prim):
                self._read_instancer(prim, placed, hidden)
                continue
            if not prim.IsPseudoRoot() and _is_object(prim):
                self._read_object(prim, placed, hidden)
            children = self._children(prim, bool(placed.instancers))
            left += [(child, hidden) for child in reversed(children)]

    def _hidden(self, prim: Any, above: str) -> str:
        """Return why a prim is hidden: "invisible", "guide" or "proxy"; "" if it is visible."""
        from pxr import UsdGeom

        image = UsdGeom.Imageable(prim)
        if not image or above == "invisible":
            return above
        if image.GetVisibilityAttr().Get(self._time) == UsdGeom.Tokens.invisible:
            return "invisible"
        if not image.GetPurposeAttr().HasAuthoredValue():
            return above
        purpose = str(image.GetPurposeAttr().Get())
        if purpose == PROXY:
            return PROXY if self._is_stand_in(prim) else SEEN
        return "guide" if purpose == "guide" else SEEN

    def _is_stand_in(self, prim: Any) -> bool:
        """Return whether a proxy replaces render geometry, which is its sibling or refers to it as its proxy."""
        from pxr import UsdGeom

        siblings = prim.GetParent().GetFilteredChildren(_every())
        if any(_purpose(other) == RENDER for other in siblings):
            return True
        partners = (UsdGeom.Imageable(other).GetProxyPrimRel() for other in siblings if other != prim)
        return any(prim.GetPath() in partner.GetForwardedTargets() for partner in partners if partner)

    def _read_instancer(self, prim: Any, placed: _Placed, hidden: str) -> None:
        """Read the objects that each instance places."""
        found, instances = self._found, self._instances_of(prim)
        if hidden:
            found.no_geometry[hidden] += self._count_instancer(prim, placed.instancers)
            return
        if instances.wrong:
            found.left_out.append((_title(prim, placed), instances.wrong))
            return
        counts = self._counts_of(prim, instances, placed.instancers)
        if not sum(counts):
            found.no_geometry["instancer without instances"] += 1
            return
        inside = (*placed.instancers, prim.GetPath())
        base = self._world(prim, placed)
        for number in range(len(instances.indices)):
            which = int(instances.indices[number])
            root, name = instances.prototypes[which], f"{prim.GetName()}[{instances.ids[number]}]"
            if root is None:
                found.left_out.append((name, f"the prototype {which} is missing"))
            elif instances.masked[number]:
                found.no_geometry["invisible"] += counts[which] // instances.times[which]
            else:
                matrix = base @ instances.matrices[number]
                groups = (*placed.groups, *_groups(prim, placed.root), prim.GetName())
                self._walk(root, _Placed(root, matrix, name, groups, inside), SEEN)

    def _world(self, prim: Any, placed: _Placed) -> np.ndarray:
        """Return the matrix (4, 4) from a prim's frame to the world."""
        if placed.root is None:
            return np.array(self._cache.GetLocalToWorldTransform(prim), np.float64).T
        relative, resets = self._cache.ComputeRelativeTransform(prim, placed.root)
        if resets:
            raise InvalidFile(f"{self._file}: {prim.GetPath()} resets the transforms above it inside a point instancer")
        return placed.matrix @ np.array(relative, np.float64).T

    def _read_object(self, prim: Any, placed: _Placed, hidden: str) -> None:
        """Add a part, or record the object as left out or as no geometry."""
        found, kind = self._found, _no_geometry(prim)
        if kind or hidden:
            found.no_geometry[kind or hidden] += 1
            return
        reason = _lost(prim, self._time)
        if reason:
            found.left_out.append((_title(prim, placed), reason))
            return
        source = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
        try:
            key, frame = self._shape(prim, source)
        except ValueError as error:
            found.left_out.append((_title(prim, placed), str(error)))
            return
        if key is None:
            found.no_geometry[f"{_kind(prim)} without a surface"] += 1
            return
        name = placed.name if placed.name and self._count(placed.root, placed.instancers) == 1 else _name(prim)
        name = name if not placed.name or name == placed.name else f"{placed.name} {name}"
        groups = (*placed.groups, *_groups(prim, placed.root))
        properties = _properties(prim)
        found.parts.append(RawPart(name, key, self._world(frame, placed), properties, groups))

    def _shape(self, prim: Any, source: Any) -> tuple[str | None, Any]:
        """Return the key of a prim's shape, None if it has no surface, and the prim that defines its frame.

        Raises:
            ValueError: the shape is damaged or cannot be computed; the message gives the reason.
        """
        shapes = self._found.shapes
        key = str(source.GetPath())
        if key not in shapes:
            shape = _shape(source, self._time)
            if shape is None:
                return None, prim
            shapes[key] = shape
        deformed = self._skins.deformed(prim, shapes[key].vertices)
        if deformed is None:
            return key, prim
        points, frame = deformed
        posed = f"{prim.GetPath()} posed"
        shapes.setdefault(posed, PartShape(points, shapes[key].triangles))
        return posed, frame


class _Instances:
    """The instances of a point instancer.

    Attributes:
        prototypes: roots of the prototypes; None if a prototype is missing or inactive.
        indices: (n,) index of each instance's prototype.
        times: number of instances of each prototype.
        ids: ids of the instances, which are part of their names.
        matrices: (n, 4, 4) from the frame of a prototype root's parent to the frame of the instancer.
        masked: (n,) whether each instance is inactive or invisible.
        wrong: description of invalid values; "" for valid values.
    """

    def __init__(self, prim: Any, time: Any) -> None:
        from pxr import UsdGeom

        instancer = UsdGeom.PointInstancer(prim)
        stage = prim.GetStage()
        roots = (stage.GetPrimAtPath(path) for path in instancer.GetPrototypesRel().GetForwardedTargets())
        self.prototypes = [root if root and root.IsActive() else None for root in roots]
        indices = _array(instancer.GetProtoIndicesAttr().Get(time), np.int64)
        self.indices = np.empty(0, np.int64) if indices is None else indices.ravel()
        self.matrices, self.masked = np.empty((0, 4, 4)), np.zeros(len(self.indices), bool)
        self.ids, self.wrong, self.times = list(range(len(self.indices))), "", list[int]()
        if len(self.indices) and (self.indices.min() < 0 or self.indices.max() >= len(self.prototypes)):
            self.wrong = f"it names prototype {self.indices.max()} of {len(self.prototypes)}"
            return
        self.times = np.bincount(self.indices, minlength=len(self.prototypes)).tolist()
        if not len(self.indices):
            return
        positions = _array(instancer.GetPositionsAttr().Get(time), np.float64)
        if positions is None or positions.shape != (len(self.indices), 3):
            self.wrong = (
                f"it has {0 if positions is None else len(positions)} positions of {len(self.indices)} instances"
            )
            return
        turns = instancer.GetOrientationsAttr(), instancer.GetOrientationsfAttr(), instancer.GetScalesAttr()
        lengths = {0, len(self.indices), *(len(item.Get(time) or ()) for item in turns)}
        matrices = instancer.ComputeInstanceTransformsAtTime(
            time, time, UsdGeom.PointInstancer.IncludeProtoXform, UsdGeom.PointInstancer.IgnoreMask
        )
        if len(lengths) > 2 or len(matrices) != len(self.indices):  # USD ignores arrays of other lengths
            self.wrong = "the orientations or scales do not fit its positions"
            return
        self.matrices = np.asarray(matrices, np.float64).transpose(0, 2, 1)
        ids = _array(instancer.GetIdsAttr().Get(time), np.int64)
        if ids is not None and len(ids) == len(self.indices):
            self.ids = ids.tolist()
        mask = instancer.ComputeMaskAtTime(time)
        if len(mask):
            self.masked = ~np.asarray(mask, bool)


def _array(value: Any, kind: Any) -> np.ndarray | None:
    return None if value is None else np.asarray(value).astype(kind)


def _errors(stage: Any) -> list[tuple[str, str]]:
    """Return the composition errors of the stage: path and message."""
    told = dict[tuple[str, str], None]()
    for error in stage.GetCompositionErrors():
        path = str(error.rootSite.path)
        told[stage.GetRootLayer().GetDisplayName() if path == "/" else path, str(error).strip().splitlines()[0]] = None
    return list(told)


def _every() -> Any:
    """Return a predicate that accepts every prim, also prims in instances."""
    from pxr import Usd

    return Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)


def _is_instancer(prim: Any) -> bool:
    from pxr import UsdGeom

    return bool(prim.IsA(UsdGeom.PointInstancer))


def _is_object(prim: Any) -> bool:
    """Return whether a prim counts as an object: not groups with children, nor prims without a place, as materials."""
    from pxr import UsdGeom, UsdLux

    if not prim.IsActive():
        return True
    if prim.IsA(UsdGeom.Boundable) or prim.IsA(UsdGeom.Camera) or prim.HasAPI(UsdLux.LightAPI):
        return not _is_skeletal(prim)
    if _is_unknown(prim):
        return True
    return bool(prim.IsA(UsdGeom.Xform)) and not prim.GetFilteredChildren(_every())


def _is_skeletal(prim: Any) -> bool:
    from pxr import UsdSkel

    return bool(prim.IsA(UsdSkel.Root) or prim.IsA(UsdSkel.Skeleton))


def _is_unknown(prim: Any) -> bool:
    """Return whether the type of a prim has no known schema."""
    from pxr import Usd

    return (
        bool(prim.GetTypeName())
        and Usd.SchemaRegistry.GetTypeFromSchemaTypeName(prim.GetTypeName()).isUnknown
        and (not prim.GetPrimTypeInfo().GetSchemaTypeName())
    )


def _no_geometry(prim: Any) -> str | None:
    """Return the kind of an object without geometry that could collide; None for other objects."""
    from pxr import UsdGeom, UsdLux

    if prim.IsA(UsdGeom.Camera):
        return "camera"
    if prim.HasAPI(UsdLux.LightAPI) and not prim.IsA(UsdGeom.Mesh):
        return "light"
    if _is_unknown(prim):
        return None if prim.HasAttribute("points") or prim.HasAttribute("extent") else "prim of an unknown type"
    return "empty group" if prim.IsA(UsdGeom.Xform) else None


def _lost(prim: Any, time: Any) -> str | None:
    """Return why the surface of an object cannot be read; None if it can be read, or if the object has no surface."""
    from pxr import UsdGeom

    kind = _type(prim)
    for schema, told in ((UsdGeom.Curves, "curves with a width are not read as tubes"),
                         (UsdGeom.Points, "points with a width are not read as spheres")):  # fmt: skip
        if prim.IsA(schema):
            widths = _array(schema(prim).GetWidthsAttr().Get(time), np.float64)
            return told if widths is not None and bool(np.any(widths > 0.0)) else None
    if prim.IsA(UsdGeom.Mesh) or kind in IMPLICIT:
        return None
    return f"prims of type {kind} are not read"


def _type(prim: Any) -> str:
    """Return the schema of a prim, which may be a fallback for an unknown type."""
    return str(prim.GetPrimTypeInfo().GetSchemaTypeName() or prim.GetTypeName())


def _kind(prim: Any) -> str:
    from pxr import UsdGeom

    if prim.IsA(UsdGeom.Curves):
        return "curves"
    return "mesh" if prim.IsA(UsdGeom.Mesh) else _type(prim)


def _shape(prim: Any, time: Any) -> PartShape | None:
    """Return the surface of an object in its own frame, or None; raises ValueError if the surface is damaged."""
    from pxr import UsdGeom

    if prim.IsA(UsdGeom.Mesh):
        return _mesh(UsdGeom.Mesh(prim), time)
    if prim.IsA(UsdGeom.Points):
        points = _array(UsdGeom.Points(prim).GetPointsAttr().Get(time), np.float64)
        return None if points is None or not len(points) else PartShape(points.reshape(-1, 3))
    return None if prim.IsA(UsdGeom.Curves) else _implicit(prim, time)


def _mesh(mesh: Any, time: Any) -> PartShape | None:
    """Return the faces of the control cage, without holes of a subdivision surface; raises ValueError."""
    from pxr import UsdGeom

    attributes = mesh.GetPointsAttr(), mesh.GetFaceVertexCountsAttr(), mesh.GetFaceVertexIndicesAttr()
    arrays = [item.Get(time) for item in attributes]
    if any(array is None for array in arrays):
        return None
    try:
        points = np.asarray(arrays[0]).astype(np.float64).reshape(-1, 3)
        counts, corners = (np.asarray(array).astype(np.int64).ravel() for array in arrays[1:])
    except (TypeError, ValueError) as error:
        raise ValueError(f"the points or faces have an unsupported type: {error}") from error
    if not (len(points) and len(counts) and len(corners)):
        return None
    if counts.min() < 0 or counts.sum() != len(corners) or corners.min() < 0 or corners.max() >= len(points):
        raise ValueError("the faces refer to vertices that do not exist")
    holes = _array(mesh.GetHoleIndicesAttr().Get(time), np.int64)
    if holes is not None and mesh.GetSubdivisionSchemeAttr().Get() != UsdGeom.Tokens.none:
        kept = ~np.isin(np.arange(len(counts)), holes)
        corners, counts = corners[np.repeat(kept, counts)], counts[kept]
    triangles = triangulated(points, counts, corners)
    if mesh.GetOrientationAttr().Get(time) == UsdGeom.Tokens.leftHanded:
        triangles = np.ascontiguousarray(triangles[:, ::-1])
    return PartShape(points, triangles) if len(triangles) else None


def _implicit(prim: Any, time: Any) -> PartShape | None:
    """Return the mesh of a shape such as a sphere; None for a size of 0. Raises ValueError for invalid sizes."""
    kind = _type(prim)

    def number(name: str) -> float:
        value = float(prim.GetAttribute(name).Get(time))
        if not 0.0 <= value < np.inf:
            raise ValueError(f"the {name} {value:g} is not supported")
        return value

    axis = str(prim.GetAttribute("axis").Get(time)) if prim.HasAttribute("axis") else "Z"
    if axis not in round_shapes.AXES:
        raise ValueError(f"the axis must be X, Y or Z, not {axis!r:.20}")
    if kind == "Cube":
        size = number("size")
        return PartShape(*round_shapes.cube(size)) if size else None
    if kind == "Plane":
        width, length = number("width"), number("length")
        return PartShape(*round_shapes.plane(width, length, axis)) if width and length else None
    radii = ("radiusBottom", "radiusTop") if kind.endswith("_1") else ("radius", "radius")
    bottom, top = (number(name) for name in radii)
    height = 0.0 if kind == "Sphere" else number("height")
    capped = kind.startswith(("Capsule", "Sphere"))
    if not max(bottom, top) or not (height or capped):
        return None
    turned = round_shapes.capsule if capped else round_shapes.cylinder
    return PartShape(*turned(bottom, 0.0 if kind == "Cone" else top, height, axis))


def _properties(prim: Any) -> dict[str, str]:
    """Return notes about the shape for the user."""
    from pxr import UsdGeom

    kind = _type(prim)
    if prim.IsA(UsdGeom.Mesh):
        scheme = UsdGeom.Mesh(prim).GetSubdivisionSchemeAttr()
        return {"subdivision": f"control cage of {scheme.Get()}"} if scheme.Get() != UsdGeom.Tokens.none else {}
    if kind in IMPLICIT and kind not in ("Cube", "Plane"):
        return {"shape": kind, "tolerance": f"at most {100.0 * round_shapes.OUTSIDE:.2g} % of the radius outside"}
    return {"shape": kind}


def _purpose(prim: Any) -> str:
    from pxr import UsdGeom

    image = UsdGeom.Imageable(prim)
    return str(image.GetPurposeAttr().Get()) if image else ""


def _title(prim: Any, placed: _Placed) -> str:
    """Return a name for an object that is left out."""
    return f"{placed.name} {_name(prim)}" if placed.name else _name(prim)


def _name(prim: Any) -> str:
    """Return the name of an object.

    Exporters often put a mesh below a transform that has the name known to the user.
    """
    from pxr import Usd

    parent = prim.GetParent()
    alone = not parent.IsPseudoRoot() and len(parent.GetFilteredChildren(Usd.TraverseInstanceProxies())) == 1
    return str(parent.GetName() if alone else prim.GetName())


def _groups(prim: Any, root: Any) -> tuple[str, ...]:
    """Return the names of the prims above a prim, from the root of its prototype."""
    names = [name for name in str(prim.GetPath()).split("/")[1:-1] if name]
    return tuple(names) if root is None else tuple(names[len(str(root.GetPath()).split("/")) - 2 :])
