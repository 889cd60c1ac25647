"""Depths and normals of pairs of convex hulls by coal and MuJoCo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import meshclash as mc
import numpy as np

Ask = Callable[[int, int, np.ndarray, np.ndarray], tuple[float, np.ndarray]]
"""Of two hulls and their poses: depth [m], and the unit normal from the first to the second."""


class Hull(NamedTuple):
    """A hull as arrays."""

    vertices: np.ndarray
    triangles: np.ndarray


def same_hull(hull: mc.shapes.ConvexHull) -> Hull:
    """The mesh of a hull."""
    mesh = hull.mesh()
    return Hull(np.array(mesh.vertices), np.array(mesh.triangles))


def coal_convex(hull: Hull) -> Any:
    """A hull as coal's Convex, which takes points and triangles."""
    import coal

    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend([np.array(x) for x in hull.vertices])
    triangles.extend([coal.Triangle(*t) for t in hull.triangles.tolist()])
    return coal.Convex(points, triangles)


def coal_depth(hulls: list[Hull]) -> Ask:
    """By coal."""
    import coal

    made = [coal_convex(hull) for hull in hulls]

    def ask(i: int, j: int, pose_a: np.ndarray, pose_b: np.ndarray) -> tuple[float, np.ndarray]:
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        request.enable_signed_distance = True
        places = [coal.Transform3s(pose[:3, :3], pose[:3, 3]) for pose in (pose_a, pose_b)]
        depth = -coal.distance(made[i], places[0], made[j], places[1], request, result)
        return float(depth), np.array(result.normal)

    return ask


def mujoco_depth(hulls: list[Hull]) -> Ask:
    """By MuJoCo: bodies that are put where they are asked about, two of each hull."""
    import mujoco

    spec = mujoco.MjSpec()
    for k, hull in enumerate(hulls):
        spec.add_mesh(name=f"m{k}", uservert=hull.vertices.ravel(), userface=hull.triangles.ravel())
        for side in "ab":
            body = spec.worldbody.add_body(name=f"{side}{k}", mocap=True)
            body.add_geom(name=f"{side}{k}", type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"m{k}")
    spec.option.ccd_tolerance, spec.option.ccd_iterations = 1e-10, 1000
    model = spec.compile()
    data = mujoco.MjData(model)

    def ask(i: int, j: int, pose_a: np.ndarray, pose_b: np.ndarray) -> tuple[float, np.ndarray]:
        for name, pose in ((f"a{i}", pose_a), (f"b{j}", pose_b)):
            place = model.body(name).mocapid[0]
            data.mocap_pos[place] = pose[:3, 3]
            mujoco.mju_mat2Quat(data.mocap_quat[place], pose[:3, :3].ravel())
        mujoco.mj_kinematics(model, data)
        ends = np.zeros(6)
        depth = -mujoco.mj_geomDistance(model, data, model.geom(f"a{i}").id, model.geom(f"b{j}").id, 10.0, ends)
        way = ends[:3] - ends[3:]
        return float(depth), way / np.linalg.norm(way)

    return ask
