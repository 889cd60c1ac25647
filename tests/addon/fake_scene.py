"""A scene source and an engine without Blender and Numba, for tests of the core."""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
from meshclash.clash.errors import InputError
from meshclash.clash.frame_scene import FrameScene, Progress, SourceMesh, SourceObject
from meshclash.errors import InvalidFile, MeshClashError
from meshclash.types.mesh import TriangleMesh

BOX = SourceMesh(
    vertices=np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32),
    triangles=np.array(
        [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3],
        np.int32,
    ).reshape(12, 3),
    face_of_triangle=np.repeat(np.arange(6, dtype=np.int32), 2),
    faces_are_original=True,
)


def make_object(name, x=0.0, mesh_key="box", **changes):
    matrix = np.eye(4)
    matrix[0, 3] = x
    values = {"name": name, "identity": name, "mesh_key": mesh_key, "matrix": matrix, "owner": name, "source": name}
    return SourceObject(**{**values, **changes})


class FakeSource:
    """Frames made by a function of the frame number; remembers whether it was restored."""

    file = "fake.blend"

    def __init__(self, make_frame: Callable[[int], list[SourceObject]], meshes=None, scale_length=1.0, skipped=()):
        self.scale_length = scale_length
        self.restored = 0
        self.read: list[int | None] = []
        self._make_frame, self._meshes, self._skipped = make_frame, meshes or {"box": BOX}, list(skipped)

    def read_steps(self, set_a, set_b, frame):
        if "missing" in (set_a, set_b):
            raise InputError("there is no object 'missing'")
        self.read.append(frame)
        yield Progress(0.5, "Reading")
        number = 1 if frame is None else frame
        return FrameScene(number, self._make_frame(number), dict(self._meshes), self._skipped)

    def restore(self):
        self.restored += 1


class FakeContacts:
    """Two triangle pairs."""

    pairs = np.array([[2, 0], [2, 0]], np.int32)
    kinds = np.array([1, 2], np.uint8)

    def __len__(self):
        return len(self.pairs)

    def segments(self, select):
        return np.zeros((len(select), 2, 3))

    @staticmethod
    def joined(parts):
        return FakeJoined(sum(len(select) for _, select in parts))


class FakeJoined:
    """A segment and a triangle for each contact."""

    def __init__(self, count):
        self._count = count

    def segments(self):
        return np.zeros((self._count, 2, 3))

    def outline_edges(self):
        corners = np.eye(3)
        edges = np.stack((corners, np.roll(corners, -1, axis=0)), axis=1)
        return np.tile(edges, (self._count, 1, 1)), np.repeat(np.arange(self._count), 3)


class FakeScene:
    """Boxes along x: two objects clash when their intervals overlap, and touch when they only meet."""

    def __init__(self):
        self.log = []
        self.objects = {}

    def add(self, mesh, pose, resolution):
        key = len(self.log) + 10
        self.objects[key] = [mesh, pose]
        self.log.append("add")
        return key

    def remove(self, key):
        del self.objects[key]
        self.log.append("remove")

    def set_poses(self, keys, poses, resolutions):
        for key, pose, _ in zip(keys, poses, resolutions, strict=True):
            if not np.array_equal(self.objects[key][1], pose):
                self.log.append("pose")
            self.objects[key][1] = pose

    def set_vertices(self, key, vertices):
        self.objects[key][0] = self.objects[key][0].with_vertices(vertices)
        self.log.append("vertices")

    def contacts(self, set_a, set_b, keep, permitted_overlap, touch_tolerance):
        self.asked = {"permitted_overlap": permitted_overlap, "touch_tolerance": touch_tolerance}
        yield Progress(0.5, "Testing")
        keys = sorted(self.objects)
        set_a, set_b = (keys if some is None else some for some in (set_a, set_b))
        pairs = np.array(
            [
                (a, b)
                for a in keys
                for b in keys
                if a < b and ((a in set_a and b in set_b) or (b in set_a and a in set_b))
            ],
            np.int64,
        ).reshape(-1, 2)
        if keep is not None:
            pairs = pairs[keep(pairs)]
        found = [self._pair(a, b) for a, b in pairs]
        stats = SimpleNamespace(volume_tests=len(pairs), primitive_tests=1, exact_tests=0, threads=1, device="fake")
        return SimpleNamespace(pairs=[item for item in found if item], stats=stats, timings={"query": 0.25})

    def boxes(self):
        return np.array(sorted(self.objects), np.int64), np.empty((len(self.objects), 6))

    def posed(self, key):
        return tuple(self.objects[key])

    def _pair(self, a, b):
        (low_a, high_a), (low_b, high_b) = (self._interval(key) for key in (a, b))
        overlap = min(high_a, high_b) - max(low_a, low_b)
        if overlap < 0:
            return None
        verdict = SimpleNamespace(name="CLASH", severity=2) if overlap else SimpleNamespace(name="TOUCHING", severity=1)
        depths = dict.fromkeys(("depth", "depth_lower", "depth_upper"), overlap or None)
        location = np.array([low_b, 0.5, 0.5])
        return SimpleNamespace(
            undecided=False,
            a=a,
            b=b,
            verdict=verdict,
            **depths,
            flush=False,
            certainty=1.0,
            contacts=FakeContacts(),
            location=location,
        )

    def _interval(self, key):
        mesh, pose = self.objects[key]
        x = mesh.vertices[:, 0] + pose[0, 3]
        return x.min(), x.max()


class FakeWatch:
    """Asks about all pairs at every update."""

    def __init__(self, scene):
        self._scene = scene
        self._known, self._found = {}, {}

    def change_limits(self, permitted_overlap, touch_tolerance):
        self._lengths = permitted_overlap, touch_tolerance

    def update(self, set_a, set_b, keep, first_contact, device):
        answer = yield from self._scene.contacts(set_a, set_b, keep, *self._lengths)
        self._found = {(item.a, item.b): item for item in answer.pairs}
        answer.stats.timings = answer.timings
        self.stats = answer.stats
        return self.take_changes()

    def take_changes(self):
        gone, self._known = self._known.keys() - self._found.keys(), self._found
        return SimpleNamespace(found=self._found, meeting={}, gone=gone)


def make_engine():
    """A module-like object; `.scenes` collects the scenes that were made."""
    scenes = []

    def make_scene():
        scenes.append(FakeScene())
        return scenes[-1]

    return SimpleNamespace(
        Scene=make_scene,
        motion=SimpleNamespace(
            LiveContacts=FakeWatch, KeyframedMotion=lambda times, poses: poses, time_of_contact=_halfway
        ),
        steps=lambda question, *given, **options: question(*given, **options),
        scenes=scenes,
        TriangleMesh=TriangleMesh,
        warm_up=_warm_up,
        ContactKind=SimpleNamespace(CROSSING=1, COPLANAR=2),
        Contacts=FakeContacts,
        errors=SimpleNamespace(
            MeshClashError=MeshClashError, UnsupportedOption=MeshClashError, InvalidFile=InvalidFile
        ),
    )


def _warm_up(parts=()):
    yield Progress(1.0, "Compiling")


def _halfway(a, b, motion_a, motion_b):
    yield Progress(0.5, "Advancing")
    return SimpleNamespace(time=0.5)
