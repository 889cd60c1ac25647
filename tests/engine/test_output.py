"""Files for users: whole or not at all, and never in the place of a device, a pipe or what is read for them."""

import errno
import os
import stat
import sys
from pathlib import Path

import meshclash as mc
import numpy as np
import pytest
import report_kills
from meshclash.output import OutputFile
from solids import refined, torus

RING = refined(torus(1.0, 0.4), 1)
posix = pytest.mark.skipif(os.name == "nt", reason="there are no pipes in folders, and links need rights")


@pytest.fixture
def source(tmp_path):
    """A mesh of two files, each of them a source of what lies beside it."""
    np.savez(tmp_path / "ring.npz", vertices=RING[0], triangles=RING[1])
    mc.massive.ClusteredMesh.build(tmp_path / "ring.npz", tmp_path / "ring.mcl").close()
    return tmp_path


def special(path: Path, kind: str) -> None:
    """Something that is no file, at a path."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "circle":
        path.symlink_to(path.name)
    elif kind == "link to a pipe":
        os.mkfifo(path.with_name("far"))
        path.symlink_to("far")
    else:
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        except PermissionError:
            pytest.skip("only root makes devices, and not in every container")


KINDS = ("pipe", "folder", "circle", "link to a pipe", "device")


def kind_of(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return stat.S_IFMT(found.st_mode), found.st_ino


@posix
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_never_replaced(source, kind):
    mesh = mc.massive.ClusteredMesh.open(source / "ring.mcl")
    for path, act in (
        (source / "any.json", lambda path: OutputFile(path, "report")),
        (source / "any.mcl", lambda path: mc.massive.ClusteredMesh.build(source / "ring.npz", path)),
        (source / "ring.mcl.levels", lambda _: mc.massive.MeshLevels.build(mesh)),
        (source / "ring.mcl.progressive", lambda _: mc.lab.ProgressiveMeshes.build(mesh)),
    ):
        special(path, kind)
        before, names = kind_of(path), set(source.iterdir())
        with pytest.raises(mc.InvalidFile, match=r"cannot be written: (it is a|its links)"):
            act(path)
        assert kind_of(path) == before and set(source.iterdir()) == names
        (source / "far").unlink(missing_ok=True)


@posix
@pytest.mark.parametrize("kind", KINDS)
def test_what_came_to_be_no_file_meanwhile_is_not_replaced(tmp_path, kind):
    path = tmp_path / "mesh.mcl"
    steps = mc.steps(mc.massive.ClusteredMesh.build, RING, path)
    next(steps)
    special(path, kind)
    before = kind_of(path)
    with pytest.raises(mc.InvalidFile, match="cannot be written"):
        list(steps)
    assert kind_of(path) == before and not list(tmp_path.glob("*.building"))


@pytest.mark.parametrize("way", ["name", "link", "other spelling"])
def test_a_source_is_never_replaced(source, way):
    path = source / "ring.npz"
    if way == "link":
        path = source / "link"
        path.symlink_to("ring.npz")
    elif way == "other spelling":
        (source / "sub").mkdir()
        path = source / "sub" / ".." / "ring.npz"
    before = (source / "ring.npz").read_bytes()
    with pytest.raises(mc.InvalidFile, match="would replace"):
        mc.massive.ClusteredMesh.build(source / "ring.npz", path)
    assert (source / "ring.npz").read_bytes() == before


@posix
def test_a_mesh_is_written_where_a_link_leads(source):
    (source / "far").mkdir()
    (source / "link.mcl").symlink_to(Path("far") / "mesh.mcl")
    with mc.massive.ClusteredMesh.build(source / "ring.npz", source / "link.mcl") as mesh:
        mc.massive.MeshLevels.build(mesh).close()
    assert (source / "link.mcl").is_symlink()
    assert [path.name for path in (source / "far").iterdir()] == ["mesh.mcl"]


@posix
def test_a_folder_of_a_build_that_is_a_link_is_not_followed(source):
    (source / "mine").mkdir()
    (source / "mine" / "vertices").write_text("precious")
    (source / "new.mcl.building").symlink_to("mine")
    with pytest.raises(mc.InvalidFile, match="is a link"):
        mc.massive.ClusteredMesh.build(source / "ring.npz", source / "new.mcl")
    assert (source / "mine" / "vertices").read_text() == "precious"


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root makes folders of others")
def test_a_folder_of_a_build_of_another_user_is_not_used(source):
    (source / "new.mcl.building").mkdir()
    os.chown(source / "new.mcl.building", 54321, 54321)
    with pytest.raises(mc.InvalidFile, match="belongs to another user"):
        mc.massive.ClusteredMesh.build(source / "ring.npz", source / "new.mcl")


def test_names_that_no_file_can_have(tmp_path):
    for name in ("a\0b", "a\ud800b", "n" * 300):
        with pytest.raises(mc.InvalidFile, match="cannot be written"):
            OutputFile(tmp_path / name, "report")


def test_an_output_file_appears_only_when_committed(tmp_path):
    path = tmp_path / "report.json"
    with OutputFile(path, "report", (".json",)) as file:
        assert not path.exists()
    assert list(tmp_path.iterdir()) == []
    with OutputFile(path, "report", (".json",)) as file:
        file.commit("Grüße \udc80")
    assert path.read_bytes() == "Grüße ".encode() + b"\\udc80"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_an_output_file_is_written_through_links_and_keeps_its_mode(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target.json", tmp_path / "link.json"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(Path("there") / "target.json")
    with OutputFile(link, "report", (".json",)) as file:
        assert target.read_text(encoding="utf-8") == "old"
        file.commit("new")
    assert link.is_symlink() and target.read_text(encoding="utf-8") == "new"
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(item.name for item in tmp_path.rglob("*")) == ["link.json", "target.json", "there"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failing_disk_leaves_the_old_file(tmp_path, monkeypatch, call):
    path = tmp_path / "report.json"
    path.write_text("old", encoding="utf-8")

    def fail(*_arguments):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(*((os, "fsync", fail) if call == "fsync" else (Path, "replace", fail)))
    refused = pytest.raises(mc.InvalidFile, match=r"report\.json.*cannot be written")
    with OutputFile(path, "report", (".json",)) as file, refused:
        file.commit("new")
    assert path.read_text(encoding="utf-8") == "old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="processes are killed by signals")
def test_a_killed_run_leaves_the_old_report_or_the_new_one(tmp_path):
    assert report_kills.attack(tmp_path, kills=8, seed=1) == {"torn": 0, "failed": 0}


def test_an_output_file_that_cannot_be_written_is_refused_at_once(tmp_path):
    (tmp_path / "folder.json").mkdir()
    for path in (tmp_path / "no" / "report.json", tmp_path / "report.txt", tmp_path / "folder.json"):
        with pytest.raises(mc.InvalidFile, match="report"):
            OutputFile(path, "report", (".json",))
    assert [item.name for item in tmp_path.iterdir()] == ["folder.json"]


def test_refusals_are_errors_of_the_kind_that_is_asked_for(tmp_path):
    with pytest.raises(KeyError):
        OutputFile(tmp_path, "report", error=KeyError)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are of POSIX")
def test_a_full_disk_leaves_the_old_mesh(source):
    resource = pytest.importorskip("resource")
    before, limits = (source / "ring.mcl").read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(mc.InvalidFile, match="cannot be written"):
            mc.massive.ClusteredMesh.build(source / "ring.npz", source / "ring.mcl")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (source / "ring.mcl").read_bytes() == before
