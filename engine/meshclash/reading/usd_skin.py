"""Deform meshes of USD by skeletons and blend shapes, in the pose of the earliest time."""

from typing import Any

import numpy as np


class Skins:
    """The skinned meshes of a stage.

    Args:
        stage: opened by usd-core.
    """

    def __init__(self, stage: Any) -> None:
        from pxr import Usd, UsdSkel

        self._found = dict[Any, tuple[Any, Any]]()
        predicate = Usd.TraverseInstanceProxies()
        cache = UsdSkel.Cache()
        for prim in Usd.PrimRange.Stage(stage, predicate):
            if not prim.IsA(UsdSkel.Root):
                continue
            root = UsdSkel.Root(prim)
            cache.Populate(root, predicate)
            for binding in cache.ComputeSkelBindings(root, predicate):
                query = cache.GetSkelQuery(binding.GetSkeleton())
                for target in binding.GetSkinningTargets():
                    self._found[target.GetPrim().GetPath()] = target, query

    def deformed(self, prim: Any, points: np.ndarray) -> tuple[np.ndarray, Any] | None:
        """Return the posed points (n, 3) of a prim, and the prim that defines their frame; None if nothing deforms it.

        Raises:
            ValueError: the pose cannot be computed; the message gives the reason.
        """
        from pxr import Usd, UsdSkel, Vt

        if prim.GetPath() not in self._found:
            return None
        target, skeleton = self._found[prim.GetPath()]
        time = Usd.TimeCode.EarliestTime()
        moved = Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(points, np.float32))
        if target.HasBlendShapes() and (animation := skeleton.GetAnimQuery()):
            weights = animation.ComputeBlendShapeWeights(time)
            mapper = target.GetBlendShapeMapper()
            weights = mapper.Remap(weights) if mapper else weights
            shapes = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(prim))
            parts = shapes.ComputeSubShapeWeights(weights)
            indices, offsets = shapes.ComputeBlendShapePointIndices(), shapes.ComputeSubShapePointOffsets()
            if not shapes.ComputeDeformedPoints(*parts, indices, offsets, moved):
                raise ValueError("the blend shapes do not match the points of the mesh")
        if not target.HasJointInfluences():
            return np.asarray(moved, np.float64), prim
        transforms = skeleton.ComputeSkinningTransforms(time)
        if transforms is None or not target.ComputeSkinnedPoints(transforms, moved, time):
            raise ValueError("the joints do not match the skeleton")
        return np.asarray(moved, np.float64), skeleton.GetPrim()
