"""USD by usd-core: meshes of the default time, instances as instances."""

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import InvalidFile
from .part import PartShape
from .polygons import triangulated
from .raw import RawPart, RawParts


def read_usd(file: Path, pxr: ModuleType) -> RawParts:
    """Every mesh that is active and visible; faces are those of the control cage.

    Raises:
        InvalidFile: USD cannot read it.
    """
    from pxr import Tf

    try:
        return _read(file)
    except Tf.ErrorException as error:
        raise InvalidFile(f"{file}: USD cannot read it: {_reason(error)}") from error


def _read(file: Path) -> RawParts:
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(str(file))
    up = UsdGeom.GetStageUpAxis(stage)
    found = RawParts(metres=float(UsdGeom.GetStageMetersPerUnit(stage)), y_up=up == UsdGeom.Tokens.y)
    cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
        if not prim.IsA(UsdGeom.Mesh):
            continue
        found.found += 1
        image = UsdGeom.Imageable(prim)
        if image.ComputeVisibility() == UsdGeom.Tokens.invisible or image.ComputePurpose() == UsdGeom.Tokens.guide:
            found.no_geometry["invisible mesh or guide"] += 1
            continue
        source = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
        key = str(source.GetPath())
        if key not in found.shapes:
            shape = _shape(UsdGeom.Mesh(source), file)
            if shape is None:
                found.no_geometry["mesh without faces"] += 1
                continue
            found.shapes[key] = shape
        matrix = np.array(cache.GetLocalToWorldTransform(prim), np.float64).T
        found.parts.append(RawPart(_name(prim), key, matrix, groups=_groups(prim)))
    return found


def _reason(error: Exception) -> str:
    """What USD says; its words may hold bytes of the file that are no text."""
    try:
        first = (str(error).strip().splitlines() or [""])[0]
    except UnicodeDecodeError:
        return "it is damaged"
    return first.partition(" : ")[2] or first  # begins with the function that failed, of no use to a user


def _shape(mesh: Any, file: Path) -> PartShape | None:
    from pxr import Usd

    time = Usd.TimeCode.EarliestTime()
    attributes = mesh.GetPointsAttr(), mesh.GetFaceVertexCountsAttr(), mesh.GetFaceVertexIndicesAttr()
    arrays = [item.Get(time) for item in attributes]
    if any(array is None for array in arrays):
        return None
    try:
        points = np.asarray(arrays[0]).astype(np.float64).reshape(-1, 3)
        counts, corners = (np.asarray(array).astype(np.int64).ravel() for array in arrays[1:])
    except (TypeError, ValueError) as error:
        raise InvalidFile(f"{file}: points or faces of {mesh.GetPath()} are of another type: {error}") from error
    if not (len(points) and len(counts) and len(corners)):
        return None
    if counts.min() < 0 or counts.sum() != len(corners) or corners.min() < 0 or corners.max() >= len(points):
        raise InvalidFile(f"{file}: the faces of {mesh.GetPath()} name corners that it does not have")
    triangles = triangulated(points, counts, corners)
    return PartShape(points, triangles) if len(triangles) else None


def _name(prim: Any) -> str:
    """Of the object: an exporter puts a mesh under a transform that has the name a user knows."""
    from pxr import Usd

    parent = prim.GetParent()
    alone = not parent.IsPseudoRoot() and len(parent.GetFilteredChildren(Usd.TraverseInstanceProxies())) == 1
    return str(parent.GetName() if alone else prim.GetName())


def _groups(prim: Any) -> tuple[str, ...]:
    return tuple(name for name in str(prim.GetPath()).split("/")[1:-1] if name)
