"""Tiles worked off here and on Dask: the bytes of `collide`, whoever works, is lost, joins or ends first."""

import os
import random
from types import SimpleNamespace

import meshclash as mc
import numpy as np
import pytest
from massive_cases import assert_same
from meshclash.__main__ import main as meshclash_main
from meshclash.massive.operands import side_of
from meshclash.types.steps import run
from solids import refined, torus
from strategies import matrix
from subprocesses import run_python
from tasks.__main__ import main
from tasks.contacts import ModelPair, collide_pairs
from tasks.task import VERSION, Task, ThisProcess, work_off
from tasks.tiles import tiles_of

distributed = pytest.importorskip("distributed") if not os.environ.get("CI") else __import__("distributed")
dask_workers = pytest.importorskip("tasks.dask_workers")
psutil = pytest.importorskip("psutil")

RING, FINE = refined(torus(1.0, 0.4), 1), refined(torus(1.0, 0.3), 2)
C, S = np.cos(0.9), np.sin(0.9)
TURNED = ((C, 0.0, S), (0.0, 1.0, 0.0), (-S, 0.0, C))
POSES = np.stack([matrix(shift=(0.5, 0.0, 0.1)), matrix(TURNED, (0.2, -0.3, 0.4)), matrix(shift=(9.0, 0.0, 0.0))])
SMALL = 1000  # triangles of a tile
QUIET = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "memory_limit": 0, "silence_logs": 50}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name, mesh in (("ring", RING), ("fine", FINE)):
        mc.massive.ClusteredMesh.build(mesh, folder / name, cluster_triangles=64).close()
    with mc.massive.ClusteredMesh.open(folder / "ring") as ring, mc.massive.ClusteredMesh.open(folder / "fine") as fine:
        yield ring, fine


@pytest.fixture(scope="module")
def pairs(models):
    ring, fine = models
    return [ModelPair(ring, fine, None, POSES), ModelPair(fine, fine, POSES[1], POSES[0]), ModelPair(ring, ring)]


@pytest.fixture(scope="module")
def expected(pairs):
    meshes = {len(mesh[1]): mc.TriangleMesh(*mesh) for mesh in (RING, FINE)}
    return [mc.collide(meshes[p.a.triangle_count], meshes[p.b.triangle_count], p.pose_a, p.pose_b) for p in pairs]


@pytest.fixture(scope="module")
def threads():
    """Workers that are four threads of this process: cheap, and the hardest case for files that are shared."""
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=4, processes=False, protocol="tcp", **QUIET
        ) as cluster,
        dask_workers.DaskWorkers(cluster.scheduler_address) as workers,
    ):
        yield workers


def check(pairs, expected, workers, **options):
    for found, right in zip(collide_pairs(pairs, workers, tile_triangles=SMALL, **options), expected, strict=True):
        assert len(right)
        assert_same(found, right)


def test_tiles_have_every_pair_of_clusters_once_and_keep_their_size(models):
    sides = [side_of(model) for model in models]
    counts = [model.cluster_count for model in models]
    rng = np.random.default_rng(1)
    every = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 2)
    for share in (0.01, 0.2, 1.0):
        some = every[rng.random(len(every)) < share]
        tiles = list(tiles_of(*sides, some, SMALL))
        joined = np.concatenate(tiles)
        assert (joined[np.lexsort(joined.T[::-1])] == some).all()
        for tile in tiles:
            numbers = [np.unique(tile[:, k]) for k in range(2)]
            size = sum(int(m.pages.table["triangles"][n].sum()) for m, n in zip(models, numbers, strict=True))
            assert size <= SMALL or len(tile) == 1
            inside = ((some >= tile.min(axis=0)) & (some <= tile.max(axis=0))).all(axis=1)
            assert inside.sum() == len(tile)  # ranges of both objects
    assert list(tiles_of(*sides, every[:0])) == []
    assert len(list(tiles_of(*sides, every))) == 1


def test_tiles_of_any_size_in_any_order_give_the_bytes_of_collide(pairs, expected):
    class Shuffled:
        def run_steps(self, tasks, take):
            answers = [None] * len(tasks)
            for k in random.Random(len(tasks)).sample(range(len(tasks)), len(tasks)):
                answers[k] = work_off(VERSION, tasks[k].work, tasks[k].given)
                yield mc.Progress(0.5, tasks[k].name)
            for answer in answers:
                take(answer)

    check(pairs, expected, ThisProcess())
    check(pairs, expected, Shuffled())
    for size in (1, 1 << 30):
        found = collide_pairs(pairs[:1], Shuffled(), tile_triangles=size)
        assert_same(found[0], expected[0])
    crossing = mc.collide(mc.TriangleMesh(*RING), mc.TriangleMesh(*RING), touching=False)
    assert_same(collide_pairs(pairs[2:], ThisProcess(), touching=False)[0], crossing)


def test_threads_of_one_worker_take_turns(pairs, expected, threads):
    check(pairs, expected, threads)


def test_the_command_writes_the_same_file_whoever_works(models, threads, tmp_path, capsys):
    paths = [str(models[0].path)] * 2
    files = [tmp_path / "here.npz", tmp_path / "there.npz"]
    scheduler = ["--scheduler", threads.client.scheduler.address]
    assert meshclash_main(["massive", "collide", *paths, "--output", str(files[0])]) == 1
    assert main([*paths, *scheduler, "--output", str(files[1])]) == 1
    assert files[0].read_bytes() == files[1].read_bytes()
    said = capsys.readouterr().out.splitlines()
    assert said[0] == said[1] and said[0].startswith("Contacts(")
    for extra, message in (
        ([*scheduler, "--workers", "2"], "give either its address or a number"),
        (["--workers", "0"], "1 worker at least"),
    ):
        assert main([*paths, *extra]) == 2 and message in capsys.readouterr().err


def test_tasks_that_wait_without_any_worker_are_done_by_those_that_join_also_in_the_middle(pairs, expected):
    with (
        distributed.LocalCluster(
            n_workers=0, threads_per_worker=1, processes=False, protocol="tcp", **QUIET
        ) as cluster,
        dask_workers.DaskWorkers(cluster.scheduler_address) as workers,
    ):
        steps, told = mc.steps(collide_pairs, pairs * 2, workers, tile_triangles=SMALL), ""
        while told != "waiting for a worker":
            told = next(steps).text
        cluster.scale(1)
        until_some_are_done(steps)
        cluster.scale(3)
        compare(steps, expected * 2)


@pytest.mark.slow
def test_one_two_and_four_processes_one_of_them_killed_give_the_same_bytes_and_end(pairs, expected):
    """They also listen on this machine only."""
    with dask_workers.DaskWorkers(count=1) as workers:
        check(pairs, expected, workers)
        for count in (2, 4):
            workers.cluster.scale(count)
            workers.client.wait_for_workers(count)
            check(pairs, expected, workers)
        processes = psutil.Process().children(recursive=True)
        heard = [listening(process) for process in [psutil.Process(), *processes]]
        assert sum(map(bool, heard)) == 5 and set.union(*heard) == {"127.0.0.1"}
        with pytest.raises(mc.massive.WorkersUnavailable, match="no Dask scheduler answers"):
            dask_workers.DaskWorkers(workers.cluster.scheduler_address)  # without its certificate
        steps = mc.steps(collide_pairs, pairs * 2, workers, tile_triangles=SMALL)
        until_some_are_done(steps)
        killed = next(process for process in processes if listening(process))
        killed.kill()
        compare(steps, expected * 2)
        assert not killed.is_running()
        processes += psutil.Process().children(recursive=True)
    assert not [p for p in processes if p.is_running() and "spawn_main" in " ".join(p.cmdline())]


def listening(process):
    return {c.laddr.ip for c in process.net_connections() if c.status == psutil.CONN_LISTEN}


def compare(steps, expected):
    for found, right in zip(run(steps), expected, strict=True):
        assert_same(found, right)


def until_some_are_done(steps):
    while not 0.02 < next(steps).fraction < 1.0:
        pass


def test_another_file_under_the_name_is_an_error_that_names_it(models, threads, tmp_path):
    mc.massive.ClusteredMesh.build(RING, tmp_path / "a", cluster_triangles=64).close()
    for workers in (ThisProcess(), threads):
        with mc.massive.ClusteredMesh.open(tmp_path / "a") as mesh:
            pair = ModelPair(mesh, models[0])
            mc.massive.ClusteredMesh.build((RING[0] * 1.01, RING[1]), tmp_path / "a", cluster_triangles=64).close()
            with pytest.raises(mc.InvalidFile, match=f"{tmp_path}/a: this worker has another file"):
                collide_pairs([pair], workers)
            (tmp_path / "a").unlink()
            with pytest.raises(mc.InvalidFile, match="No such file"):
                collide_pairs([pair], workers)
        mc.massive.ClusteredMesh.build(RING, tmp_path / "a", cluster_triangles=64).close()


def test_another_version_is_an_error_that_names_both(pairs, threads, monkeypatch):
    monkeypatch.setattr(dask_workers, "VERSION", "0.0.9")
    with pytest.raises(
        mc.massive.WorkersUnavailable, match=r"the client is meshclash 0\.0\.9, this worker is meshclash 0\.2"
    ):
        collide_pairs(pairs, threads)


def test_what_workers_cannot_do_is_an_error(pairs, models, threads, monkeypatch):
    with pytest.raises(mc.UnsupportedOption, match="a ClusteredMesh, not TriangleMesh"):
        collide_pairs([ModelPair(models[0], mc.TriangleMesh(*RING))], threads)
    for given in ({"scheduler": "tcp://127.0.0.1:1", "count": 2}, {"count": 0}):
        with pytest.raises(mc.UnsupportedOption):
            dask_workers.DaskWorkers(**given)
    monkeypatch.setattr(dask_workers, "_CONNECT", 1.0)
    for address in ("tcp://127.0.0.1:1", "nonsense://here"):
        with pytest.raises(mc.massive.WorkersUnavailable, match=f"no Dask scheduler answers at {address}"):
            dask_workers.DaskWorkers(address)


def test_a_run_that_is_given_up_leaves_workers_that_can_be_asked(pairs, expected, threads):
    steps = mc.steps(collide_pairs, pairs * 2, threads, tile_triangles=SMALL)
    until_some_are_done(steps)
    steps.close()
    check(pairs, expected, threads)


def test_a_broken_connection_to_the_scheduler_costs_time_only(pairs, expected, threads):
    steps, client = mc.steps(collide_pairs, pairs * 2, threads, tile_triangles=SMALL), threads.client
    until_some_are_done(steps)

    async def abort():
        client.scheduler_comm.comm.abort()

    client.sync(abort)
    while threads.client is client:
        next(steps)
    compare(steps, expected * 2)


def test_so_does_one_that_dask_cannot_mend(pairs, expected, threads):
    """Its client asserts that the scheduler greets it before it tells of tasks."""

    async def greeted_late(**_):
        raise AssertionError

    threads.client._ensure_connected = greeted_late
    test_a_broken_connection_to_the_scheduler_costs_time_only(pairs, expected, threads)


def test_a_connection_that_broke_since_the_last_tasks_is_made_again(pairs, expected, threads):
    threads.client.close()
    check(pairs[:1], expected[:1], threads)


def test_a_scheduler_that_ends_for_good_is_an_error_that_names_it(monkeypatch):
    with distributed.LocalCluster(n_workers=0, processes=False, protocol="tcp", **QUIET) as cluster:
        address = cluster.scheduler_address
        with dask_workers.DaskWorkers(address) as workers:
            monkeypatch.setattr(dask_workers, "_AGAIN", 1.0)
            steps = workers.run_steps([Task("contacts", {}, "tile 7")], print)
            next(steps)
            cluster.close()
            with pytest.raises(mc.massive.WorkersUnavailable, match=f"no Dask scheduler answers at {address}"):
                run(steps)


def test_an_answer_that_is_lost_on_its_way_is_asked_for_again_and_an_error_of_the_task_is_not():
    class Broken:
        def __init__(self, status):
            self.status = status

        def result(self):
            raise ConnectionResetError("broken")

    with pytest.raises(distributed.CancelledError, match="broken"):
        dask_workers._answer_of(Broken("finished"), Task("contacts", {}, "tile 7"))
    with pytest.raises(mc.massive.WorkersUnavailable, match="tile 7: ConnectionResetError: broken"):
        dask_workers._answer_of(Broken("error"), Task("contacts", {}, "tile 7"))


def test_a_task_that_ends_every_worker_is_an_error_that_names_it():
    class Lost:
        def result(self):
            worker = SimpleNamespace(address="tcp://here:1")
            raise distributed.KilledWorker("key", worker, 3)

    with pytest.raises(
        mc.massive.WorkersUnavailable, match=r"tile 7: each worker that began it was lost, .* tcp://here:1"
    ):
        dask_workers._answer_of(Lost(), Task("contacts", {}, "tile 7"))


@pytest.mark.slow
def test_the_package_is_imported_without_dask():
    code = """
        import json, sys, meshclash, meshclash.__main__
        for name in meshclash.__all__: getattr(meshclash, name)
        print(json.dumps(sorted({"dask", "distributed", "tasks"} & set(sys.modules))))
    """
    assert run_python("\n".join(line.strip() for line in code.splitlines())) == []


def test_without_dask_the_error_names_the_extra():
    said = run_python(
        "import sys, json; sys.modules['distributed'] = None\n"
        "import meshclash\n"
        "try: import tasks.dask_workers\n"
        "except meshclash.massive.WorkersUnavailable as error: print(json.dumps(str(error)))"
    )
    assert "pip install 'meshclash[dask]'" in said
