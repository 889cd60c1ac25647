"""What Live costs, the longest hold of the main thread and the mean per frame, and whether it finds what Detect finds.

python blender_scripts/measure_live.py [--frames 100] [--budget 20] [NAME ...]    # on the bpy wheel

parts      two bodies of 100,000 triangles, one dragged through the other
character  a body of 50,000 triangles bent by an armature, against a prop
many       3,000 rough spheres that drift: Blender's update, then reading and answering
few        10,000 rough spheres of which 100 drift: the same
read       1,000 objects of 1,000 triangles: reading, the first answer, and the next while one of them moves
deforming  a body of 260,000 triangles that bulges by a shape key against another one, beside mathutils' BVHTree
gaps       the two bodies apart, one dragged past the other: their distance, and all faces within a tolerance
scans      the scanned plant room of examples/ and the machine that is moved through it: who meets, and how near
probable   the assembly of examples/, time-critical: from the first guesses to certain answers while nothing moves
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

os.environ.setdefault("BLENDER_USER_RESOURCES", tempfile.mkdtemp(prefix="meshclash-live-"))

import bpy  # isort: skip
import numpy as np

TIMER = SimpleNamespace(type="TIMER", value="NOTHING")
ROOT = Path(__file__).resolve().parent.parent
for folder in (ROOT / "engine", ROOT):
    sys.path.insert(0, str(folder))


def main() -> int:
    """Runs the measurements that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measurements", nargs="*", choices=[[], *MEASUREMENTS], default=[])
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--budget", type=int, default=20, help="of Live, in milliseconds")
    options = parser.parse_args()
    import addon

    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon.register()
    try:
        for name in options.measurements or MEASUREMENTS:
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            bpy.context.scene.meshclash.live_budget = options.budget
            print(f"\n== {name}")
            MEASUREMENTS[name](options.frames)
    finally:
        addon.unregister()
    return 0


class Follower:
    """Live driven as the interface drives it, with every slice timed: by the clock, and the thread's processor time."""

    def __init__(self, settle: bool = True) -> None:
        from addon.core import live
        from addon.ops.live import LiveRun

        live.QUIET_SECONDS = 0.0
        self.run = LiveRun(bpy.context)
        self.slices: list[tuple[float, float]] = []
        while not self.run.live.ready:  # loading and compiling the engine is another matter
            self.slice()
        self.slices.clear()
        if not settle:
            return
        self.settle()
        self.first, self.longest_of_first = self.spent(), self.longest()
        self.slices.clear()

    def slice(self) -> None:
        """One timer event."""
        clock, work = time.perf_counter(), time.thread_time()
        self.run.step(bpy.context, TIMER)
        self.slices.append((time.perf_counter() - clock, time.thread_time() - work))

    def settle(self) -> None:
        """Runs until the answer is complete."""
        while self.run.live.busy:
            self.slice()

    def spent(self, begin: int = 0) -> tuple[float, float]:
        """Seconds of the slices from `begin` on, by the clock and of the processor."""
        return sum(clock for clock, _ in self.slices[begin:]), sum(work for _, work in self.slices[begin:])

    def longest(self) -> tuple[float, float]:
        """The longest slice."""
        return max(clock for clock, _ in self.slices), max(work for _, work in self.slices)

    def rows(self) -> list:
        """The rows of the last answer."""
        from addon import scene_results

        result = scene_results.result_of(self.run.scene_uid)
        return result.report.rows if result else []

    def stop(self) -> None:
        """Ends Live."""
        from addon import running_work

        running_work.stop_live()


def same_as_detect(rows: list) -> bool:
    """Whether a fresh Detect of the scene finds the same pairs, verdicts, faces and highlighted triangles."""
    from meshclash.clash.job import detect_steps
    from meshclash.types.steps import run_to_end

    from addon import engine
    from addon.adapters.source import BlenderSource

    options = bpy.context.scene.meshclash.checked_options(1.0)
    steps = detect_steps(BlenderSource.from_context(bpy.context), options, engine.load())
    return described(rows) == described(run_to_end(steps).rows)


def described(rows: list) -> list:
    """What two runs must agree on."""
    return sorted(
        (row.id, row.verdict, row.distance, row.a.faces.tolist(), row.b.faces.tolist(), row.a.highlight.tobytes(),
         row.b.highlight.tobytes())
        for row in rows
    )  # fmt: skip


def follow(frames: int, pose: Callable[[int], None]) -> None:
    """Poses the scene frame by frame, and prints what Live did with it."""
    follower = Follower()
    costs, contacts, equal, in_step = [], [], 0, 0
    for frame in range(frames):
        pose(frame)
        bpy.context.view_layer.update()
        begin = len(follower.slices)
        follower.slice()
        in_step += not follower.run.live.busy
        follower.settle()
        costs.append(follower.spent(begin))
        rows = follower.rows()
        contacts.append(sum(row.contacts for row in rows))
        equal += same_as_detect(rows)
    print(f"{frames} frames, {min(contacts)} to {max(contacts)} triangle pairs in contact; by the clock / processor")
    _print("first answer", follower.first)
    _print("longest hold of that", follower.longest_of_first)
    _print("a frame, mean", *(statistics.mean(column) for column in zip(*costs, strict=True)))
    _print("a frame, worst", *(max(column) for column in zip(*costs, strict=True)))
    _print("longest hold", *follower.longest())
    print(f"  {'complete at once':24}{in_step:6d} of {frames} frames, equal to Detect {equal} of {frames}")
    follower.stop()


def _print(name: str, *values: object) -> None:
    clock, work = values[0] if len(values) == 1 else values
    print(f"  {name:24}{1000 * clock:8.1f} / {1000 * work:.1f} ms")


def body(name: str, rings: int, radius: float, height: float) -> bpy.types.Object:
    """A closed, bumpy tube along z of 4 * rings^2 triangles or so."""
    around = 2 * rings
    angle, level = np.meshgrid(
        np.linspace(0, 2 * math.pi, around, endpoint=False), np.linspace(0, math.pi, rings + 2)[1:-1]
    )
    bumps = radius * np.sin(level) * (1 + 0.05 * np.sin(9 * angle) * np.sin(13 * level))
    points = np.stack([bumps * np.cos(angle), bumps * np.sin(angle), -0.5 * height * np.cos(level)], axis=-1).reshape(
        -1, 3
    )
    points = np.vstack([points, [[0, 0, -0.5 * height], [0, 0, 0.5 * height]]])
    row, column = np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij")
    corner, right = row * around + column, row * around + (column + 1) % around
    sides = np.stack([corner, right, right + around, corner, right + around, corner + around], axis=-1).reshape(-1, 3)
    ring, bottom, top = np.arange(around), rings * around, rings * around + 1
    following, last = (ring + 1) % around, (rings - 1) * around
    caps = [
        np.stack([np.full(around, bottom), following, ring], 1),
        np.stack([np.full(around, top), last + ring, last + following], 1),
    ]
    return add_mesh(name, points, np.vstack([sides, *caps]))


def add_mesh(name: str, points: np.ndarray, triangles: np.ndarray) -> bpy.types.Object:
    """An object of the scene with these triangles."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.astype(np.float32).ravel())
    mesh.loops.add(triangles.size)
    mesh.loops.foreach_set("vertex_index", triangles.astype(np.int32).ravel())
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", np.arange(0, triangles.size, 3, dtype=np.int32))
    mesh.update(calc_edges=True)
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


def measure_parts(frames: int) -> None:
    """Two parts, one dragged through the other and turned."""
    fixed, dragged = body("Fixed", 158, 1.0, 3.0), body("Dragged", 158, 1.0, 3.0)

    def pose(frame: int) -> None:
        share = frame / max(1, frames - 1)
        dragged.location = (2.4 - 1.6 * share, 0.3 * share, 0.0)
        dragged.rotation_euler = (0.6 * share, 0.9 * share, 0.0)

    print(f"{len(fixed.data.polygons):,} and {len(dragged.data.polygons):,} triangles")
    follow(frames, pose)


def measure_deforming(frames: int) -> None:
    """A body that deforms against another one: a frame of Live, and the same frame by mathutils."""
    from mathutils.bvhtree import BVHTree

    fixed, bulging = body("Fixed", 255, 1.0, 3.0), body("Bulging", 255, 1.0, 3.0)
    _add_bulge(bulging, (1.97, 0.1, 0.2))  # in place, since mathutils' trees know no matrices
    print(f"{len(fixed.data.polygons):,} and {len(bulging.data.polygons):,} triangles")
    follower, still = Follower(), BVHTree.FromObject(fixed, bpy.context.evaluated_depsgraph_get())
    ours, theirs, contacts, pairs = [], [], [], []
    for frame in range(frames):
        bulging.data.shape_keys.key_blocks[1].value = 0.5 - 0.5 * math.cos(2 * math.pi * frame / max(1, frames))
        graph = bpy.context.evaluated_depsgraph_get()  # which both read
        begin = len(follower.slices)
        follower.slice()
        follower.settle()
        ours.append(follower.spent(begin)[1])
        contacts.append(sum(row.contacts for row in follower.rows()))
        work = time.thread_time()
        pairs.append(len(still.overlap(BVHTree.FromObject(bulging, graph))))
        theirs.append(time.thread_time() - work)
    print(f"{frames} frames, {min(contacts)} to {max(contacts)} contacts; mathutils {min(pairs)} to {max(pairs)}")
    _print("Live, median / worst", (statistics.median(ours), max(ours)))
    _print("mathutils, the same", (statistics.median(theirs), max(theirs)))
    print(f"  mathutils / Live{statistics.median(b / a for a, b in zip(ours, theirs, strict=True)):16.2f}")
    follower.stop()


def _add_bulge(item: bpy.types.Object, place: tuple[float, float, float]) -> None:
    """Move the mesh to a place, and add a shape key that moves every vertex by up to a twentieth of the size."""
    points = np.empty(3 * len(item.data.vertices), np.float32)
    item.data.vertices.foreach_get("co", points)
    points = points.reshape(-1, 3)
    bulged = points * (1.0 + 0.05 * np.cos(3.0 * points[:, 2:])) + np.array(place, np.float32)
    item.data.vertices.foreach_set("co", (points + np.array(place, np.float32)).ravel())
    item.shape_key_add(name="Basis")
    item.shape_key_add(name="Bulge").data.foreach_set("co", bulged.ravel())


def measure_gaps(frames: int) -> None:
    """Two parts, one dragged past the other."""
    _, dragged = body("Fixed", 158, 1.0, 3.0), body("Dragged", 158, 1.0, 3.0)
    settings = bpy.context.scene.meshclash

    def pose(frame: int) -> None:
        share = frame / max(1, frames - 1)
        dragged.location = (2.2, 0.8 * share - 0.4, 0.3 * share)
        dragged.rotation_euler = (0.0, 0.0, 0.5 * share)

    for settings.test, settings.tolerance in (("distance", 0.0), ("clearance", 0.15)):
        print(settings.test)
        follow(frames, pose)
        forget_results()


def measure_character(frames: int) -> None:
    """A body bent by three bones, against a prop."""
    item, prop = body("Character", 112, 0.5, 4.0), body("Prop", 40, 0.6, 1.2)
    prop.location = (0.9, 0.0, 1.2)
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    before = None
    for k in range(3):
        bone = rig.data.edit_bones.new(f"Bone{k}")
        bone.head, bone.tail = (0, 0, -2 + 4 * k / 3), (0, 0, -2 + 4 * (k + 1) / 3)
        bone.parent = before
        before = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    heights = np.empty(3 * len(item.data.vertices), np.float32)
    item.data.vertices.foreach_get("co", heights)
    position = (heights[2::3] + 2) * 0.75 - 0.5
    for k in range(3):
        weights = np.clip(1.0 - np.abs(position - k), 0.0, 1.0)
        if k == 0:
            weights[position < 0] = 1.0
        if k == 2:
            weights[position > 2] = 1.0
        group = item.vertex_groups.new(name=f"Bone{k}")
        for vertex in np.flatnonzero(weights > 0):
            group.add([int(vertex)], float(weights[vertex]), "REPLACE")
    item.modifiers.new("Rig", "ARMATURE").object = rig
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"

    def pose(frame: int) -> None:
        for k in (1, 2):
            rig.pose.bones[f"Bone{k}"].rotation_euler.z = -0.5 * math.sin(2 * math.pi * frame / max(1, frames))
            rig.pose.bones[f"Bone{k}"].rotation_euler.x = 0.3 * math.sin(4 * math.pi * frame / max(1, frames))

    print(f"{len(item.data.polygons):,} and {len(prop.data.polygons):,} triangles")
    follow(frames, pose)


def measure_many(frames: int) -> None:
    """3,000 objects that all move."""
    _measure_moving(frames, 3000, 3000)


def measure_few(frames: int) -> None:
    """10,000 objects of which 100 move."""
    _measure_moving(frames, 10_000, 100)


def _measure_moving(frames: int, count: int, movers: int) -> None:
    """First contacts while objects move: Blender's update without handlers, handlers and Live, and all rows as well.

    Processor time of the whole process, with the two sides in turn, since Blender's update has threads of its own.
    """
    from addon import scene_results
    from addon.core import live

    rng, side = np.random.default_rng(1), 47.0 * (count / 3000) ** (1 / 3)
    first = body("Ball", 11, 1.0, 1.0)
    items = [first, *(bpy.data.objects.new(f"Ball {k}", first.data) for k in range(1, count))]
    for item in items[1:]:
        bpy.context.scene.collection.objects.link(item)
    places, ways = rng.uniform(0, side, (count, 3)), 0.02 * rng.normal(size=(count, 3))
    for item, place in zip(items, places.tolist(), strict=True):
        item.location = place
    bpy.context.view_layer.update()
    follower, handlers = Follower(), bpy.app.handlers.depsgraph_update_post
    live.QUIET_SECONDS = 1e9  # as while an animation plays: first contacts
    bare, whole, shown, longest = [], [], [], []

    def move() -> None:
        places[:movers] += ways[:movers]
        for item, place in zip(items[:movers], places[:movers].tolist(), strict=True):
            item.location = place

    for frame in range(frames):
        move()
        kept = list(handlers)
        handlers.clear()
        begin = time.process_time()
        bpy.context.view_layer.update()
        bare.append(time.process_time() - begin)
        handlers.extend(kept)
        move()
        begin, events = time.process_time(), len(follower.slices)
        bpy.context.view_layer.update()
        timed = frame % 2 == 1  # the clock of a thread costs a millisecond on some systems
        while follower.run.live.pending:
            follower.slice() if timed else follower.run.step(bpy.context, TIMER)
        if timed:
            longest.append(max(work for _, work in follower.slices[events:]))
        else:
            whole.append(time.process_time() - begin)
        begin = time.process_time()
        len(scene_results.existing_result(follower.run.scene_uid).table)
        shown.append(time.process_time() - begin)
    live.QUIET_SECONDS, moved = 0.0, len(follower.slices)
    follower.settle()
    update, cost = statistics.median(bare), statistics.median(whole)
    print(f"{count:,} objects, {movers:,} move, {len(follower.rows())} pairs; processor time, medians")
    print(f"  update of Blender, without handlers {1e3 * update:6.1f} ms")
    print(f"  handlers, Live and its list         {1e3 * (cost - update):6.1f} ms, {cost / update - 1:.2f} updates")
    print(f"  all rows and their table as well    {1e3 * statistics.median(shown):6.1f} ms")
    print(f"  longest timer event, worst / median {1e3 * max(longest):.1f} / {1e3 * statistics.median(longest):.1f} ms")
    ends = 1e3 * follower.longest_of_first[1], 1e3 * max(work for _, work in follower.slices[moved:])
    print("  of the first and the last answer    {:6.1f} / {:.1f} ms".format(*ends))
    follower.stop()


def measure_read(_frames: int) -> None:
    """A thousand objects: reading them, Live's memory, and one of them moving."""
    from meshclash.types.steps import run_to_end

    from addon.adapters.source import BlenderSource

    objects = []
    for k in range(1000):
        item = body(f"Part{k}", 16, 0.6, 1.5)
        item.location = (k % 10, k // 10 % 10, k // 100)
        objects.append(item)
    bpy.context.view_layer.update()
    times = []
    for _ in range(5):
        clock, work = time.perf_counter(), time.thread_time()
        frame = run_to_end(BlenderSource.from_context(bpy.context).read_steps("all", "all", None))
        times.append((time.perf_counter() - clock, time.thread_time() - work))
    count = sum(len(mesh.triangles) for mesh in frame.meshes.values())
    print(f"{len(frame.objects)} objects, {count:,} triangles; milliseconds by the clock / processor")
    _print("reading, first", times[0])
    _print("reading, best", min(times))
    del frame
    gc.collect()
    levels, highest = [resident()], 0.0
    for _ in range(3):
        highest = max(highest, _move_one(objects[500]))
        forget_results()
        levels.append(resident())
    after = ", ".join(f"{level:.0f}" for level in levels[1:])
    print(f"  resident memory: {levels[0]:.0f} MB before, {highest:.0f} MB while on, after stopping {after} MB")


def _move_one(item: bpy.types.Object) -> float:
    """Starts Live, moves one object 20 times, stops; returns the resident memory while it was on [MB]."""
    follower = Follower()
    level, costs = resident(), []
    for _ in range(20):
        item.location.x += 0.05
        bpy.context.view_layer.update()
        begin = len(follower.slices)
        follower.settle()
        costs.append(follower.spent(begin))
    print(f"  {len(follower.rows())} pairs not apart")
    _print("first answer", follower.first)
    _print("one object moves, median", *(statistics.median(column) for column in zip(*costs, strict=True)))
    _print("longest hold", *follower.longest())
    follower.stop()
    return level


def open_example(name: str) -> None:
    """Builds an example and opens it, with the budget that was asked for."""
    budget = bpy.context.scene.meshclash.live_budget
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "example.blend")
        subprocess.run([sys.executable, ROOT / "examples" / f"{name}.py", path], check=True)
        bpy.ops.wm.open_mainfile(filepath=path)
    bpy.context.scene.meshclash.live_budget = budget


def measure_scans(frames: int) -> None:
    """A machine that is moved through a scanned room."""
    open_example("plant_room")
    settings = bpy.context.scene.meshclash
    last = bpy.context.scene.frame_end
    for settings.test in ("intersection", "distance"):
        print(settings.test)
        follow(frames, lambda frame: bpy.context.scene.frame_set(1 + frame * (last - 1) // max(1, frames - 1)))
        forget_results()


def measure_probable(_frames: int) -> None:
    """An assembly of 106 parts: how long until every answer is certain, and how evenly that is spread over calls."""
    open_example("mechanical_assembly")
    settings = bpy.context.scene.meshclash
    settings.test, settings.budget = "time-critical", 1.0
    budget = settings.live_budget
    follower = Follower(settle=False)
    shown = count_answers()
    _print("Detect of intersections", min(_seconds_of_detect() for _ in range(3)))
    item = max((item for item in bpy.data.objects if item.type == "MESH"), key=lambda item: len(item.data.vertices))
    for title in ("at the start", "after a move"):
        follower.settle()
        print(f" {title}: {len(follower.rows())} pairs certain, {len(shown)} answers shown; a budget of {budget} ms")
        _print("until all is certain", follower.spent())
        _print("longest call", follower.longest())
        clocks = sorted(clock for clock, _ in follower.slices)
        late = sum(clock > 1e-3 * (budget + 5) for clock in clocks)
        print(f"  {len(clocks)} calls, {late} of them more than 5 ms over the budget; 50, 90 and 99 % take at most")
        print(" " * 26, *(f"{1e3 * clocks[int(share * (len(clocks) - 1))]:.1f}" for share in (0.5, 0.9, 0.99)), "ms")
        follower.slices.clear()
        shown.clear()
        item.location.x += 0.01
        bpy.context.view_layer.update()
    follower.stop()


def count_answers() -> list[bool]:
    """Grows by whether it is incomplete with every answer that is shown."""
    from addon import results

    shown: list[bool] = []
    original = results.show_live

    def show(context: object, uid: int, report: object, incomplete: bool) -> None:
        shown.append(incomplete)
        original(context, uid, report, incomplete)

    results.show_live = show
    return shown


def _seconds_of_detect() -> tuple[float, float]:
    """Of a fresh Detect of intersections, by the clock and of the processor."""
    from meshclash.clash.job import detect_steps
    from meshclash.clash.options import DetectOptions
    from meshclash.types.steps import run_to_end

    from addon import engine
    from addon.adapters.source import BlenderSource

    clock, work = time.perf_counter(), time.thread_time()
    run_to_end(detect_steps(BlenderSource.from_context(bpy.context), DetectOptions(), engine.load()))
    return time.perf_counter() - clock, time.thread_time() - work


def forget_results() -> None:
    """The last answer belongs to the user; here it would only hide what Live keeps."""
    bpy.ops.meshclash.clear_results()
    gc.collect()


def resident() -> float:
    """Resident memory of the process [MB], after the allocator has given back what it can."""
    if sys.platform != "linux":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    import ctypes

    ctypes.CDLL("libc.so.6").malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


MEASUREMENTS = {
    "parts": measure_parts, "deforming": measure_deforming, "gaps": measure_gaps, "character": measure_character,
    "many": measure_many,
    "few": measure_few, "read": measure_read, "scans": measure_scans, "probable": measure_probable,
}  # fmt: skip

if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # Blender's tear-down is none of the measurement
