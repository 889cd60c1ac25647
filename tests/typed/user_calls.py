"""Calls as a user's typed program has them; `mypy --strict` accepts them, and a test runs them."""

from tempfile import TemporaryDirectory

import meshclash as mc
import numpy as np


def boxes() -> tuple[mc.TriangleMesh, mc.TriangleMesh]:
    """Two boxes of 12 triangles."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    faces = quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    return mc.TriangleMesh(corners, faces), mc.TriangleMesh(0.5 * corners, faces)


def main() -> dict[str, float]:
    """Asks what the README shows; returns some of the answers."""
    a, b = boxes()
    pose = np.eye(4)
    pose[:3, 3] = 0.75, 0.2, 0.2
    hits = mc.collide(a, b, pose_b=pose, touching=False)
    pairs: np.ndarray = hits.pairs
    free: bool = mc.collides(a, b, pose_b=pose)
    colliding = int(mc.collides(a, b, pose_b=np.stack([pose, pose])).sum())
    met = mc.motion.swept_collide((a.vertices, a.triangles), b, end_b=b.vertices + 1.0)
    first = mc.motion.time_of_contact((a.vertices, a.triangles), b)
    verdict: mc.PairVerdict = mc.verdict(a, b, pose_b=mc.Pose.from_matrix(pose), permitted_overlap=0.001)
    apart = mc.distance(a, b, None, [[1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    with (
        TemporaryDirectory() as folder,
        mc.massive.ClusteredMesh.build((a.vertices, a.triangles), f"{folder}/a") as on_disk,
    ):
        paged: mc.Contacts = mc.collide(on_disk, b, pose_b=pose, touching=False)
        assert len(paged) == len(pairs) and mc.distance(on_disk, b).distance == 0.0
    scene = mc.Scene()
    ids: list[int] = [scene.add(a), scene.add(b, pose)]
    found: mc.SceneContacts = scene.contacts(set_a=ids[:1], keep=lambda pairs: pairs[:, 0] >= 0)
    near: mc.SceneGaps = scene.clearances(0.1)
    for progress in mc.steps(scene.contacts, depth=False):
        assert progress.fraction <= 1.0
    try:
        mc.collide(a, b, device="cuda")
    except mc.DeviceUnavailable as error:
        print(error)
    return {
        "free": free, "colliding": colliding, "met": len(met), "first": first.time == 0.0,
        "contacts": len(pairs), "severity": verdict.severity, "distance": apart.distance, "scene": len(found.pairs),
        "near": len(near.pairs),
    }  # fmt: skip


if __name__ == "__main__":
    print(main())
