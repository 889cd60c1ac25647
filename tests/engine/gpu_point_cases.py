"""Questions about many points for the device, the host and the simulator: arrays made once, steps of a backend."""

import meshclash as mc
import numpy as np
from clouds import random_pose, sphere, torus
from meshclash.gpu.breadth_first import Workspace
from meshclash.gpu.device import Session
from meshclash.pointcloud import measure
from meshclash.pointcloud.tree import PointTree
from meshclash.traversal.forest import Forest, pack_trees
from meshclash.traversal.solids import Solids, gather_solids
from solids import box, joined, refined, shell

POSE = random_pose(4, (0.3, -0.2, 0.1))


def clouds():
    """Name -> a cloud: plain, with normals, of algebraic spheres."""
    rng = np.random.default_rng(11)
    points, normals = torus(rng, 900, noise=0.005)
    return {
        "plain": mc.clouds.PointCloud(sphere(rng, 700)[0]),
        "with normals": mc.clouds.PointCloud(points, normals),
        "of spheres": mc.clouds.PointCloud(points, normals, surface="apss"),
    }


def solid():
    """A closed mesh of two bodies, one of them hollow, away from the origin."""
    hollow, beside = shell((10, 0, 0), (12, 2, 2), 0.5), box((12.5, 0, 0), (13, 1, 1))
    return mc.TriangleMesh(*refined(joined(hollow, beside)))


def points_near(cloud, count):
    """Points near a cloud's surface, on it, at its border, and far away."""
    rng = np.random.default_rng(count)
    near = cloud.points[rng.integers(0, cloud.point_count, count)]
    return near + cloud.bandwidth * rng.choice([0.0, 0.3, 1.5, 20.0], count)[:, None] * rng.normal(size=near.shape)


def world_points(mesh, count):
    """World points in, out, on and near a posed mesh; on it where float64 cannot tell the side."""
    rng = np.random.default_rng(count)
    low, high = mesh.bounds
    inside = rng.uniform(low - 0.3, high + 0.3, (count, 3))
    corners = mesh.vertices[mesh.triangles[rng.integers(0, mesh.triangle_count, count // 2)]]
    on = np.einsum("ij,ijk->ik", rng.dirichlet((1.0, 1.0, 1.0), count // 2), corners)
    return np.concatenate([inside, on, corners[:, 0], inside + 1e3]) @ POSE[:3, :3].T + POSE[:3, 3]


def arrays(counts=(40, 24)):
    """Everything that the steps need, as plain arrays by name, for another process."""
    found = {}
    for name, cloud in clouds().items():
        found |= {f"{name}/{field}": array for field, array in cloud.built.tree._asdict().items()}
        found[f"{name}/at"] = points_near(cloud, counts[0])
    mesh = solid()
    hierarchy = mc.build(mesh)
    tree_set, solids = pack_trees([hierarchy]), gather_solids([hierarchy])
    inverse = np.ascontiguousarray(np.linalg.inv(POSE[:3, :3]))
    found |= {f"forest/{field}": array for field, array in tree_set.forest._asdict().items()}
    found |= {f"solids/{field}": array for field, array in solids._asdict().items()}
    frame = {"pose": POSE[:3].copy(), "inverse": inverse, "origins": tree_set.origins, "reaches": tree_set.reaches}
    return found | {f"frame/{field}": array for field, array in frame.items()} | {"at": world_points(mesh, counts[1])}


class PackedTrees:
    """As much of a tree set as is asked for."""

    def __init__(self, forest):
        self.forest = forest


def steps(backend, given):
    """What a backend makes of these arrays, by name."""
    session = Session(backend, Workspace(backend))

    def group(name):
        return {key.partition("/")[2]: array for key, array in given.items() if key.startswith(f"{name}/")}

    found = {}
    for name in ("plain", "with normals", "of spheres"):
        fields = group(name)
        at = fields.pop("at")
        tree = PointTree(**fields)
        for what, array in zip(("f", "normal", "valid"), measure._evaluate(session, tree, at), strict=True):
            found[f"{name}: {what}"] = array
        found[f"{name}: distances"] = measure.distances_from_cloud_on(session, tree, at)
    tree_set, solids = PackedTrees(Forest(**group("forest"))), Solids(**group("solids"))
    frame = tuple(group("frame").values())
    for signed in (False, True):
        distances, undecided = measure.distances_from_mesh_on(session, tree_set, solids, frame, signed, given["at"])
        found[f"mesh, signed {signed}: distances"] = distances
        found[f"mesh, signed {signed}: undecided"] = undecided
    return found
