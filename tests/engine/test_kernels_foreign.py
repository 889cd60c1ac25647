"""Machine code that another user planted is never run, however folders, files and links are owned and open."""

import os
import stat
import tempfile
from pathlib import Path

import kernel_folder_attack
import pytest
from meshclash.kernels import folders
from meshclash.kernels.files import read_kernel, write_kernel
from meshclash.kernels.folders import distrust, find_folder, trusted_bytes

posix = pytest.mark.skipif(os.name != "posix", reason="other systems protect a user's folders by other means")
root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be several users")
STRANGER = 54321


@pytest.mark.slow
@pytest.mark.needs_jit
@root
def test_nothing_of_another_user_runs():
    # Not in pytest's folders: each process of pytest that begins closes them to others again.
    with tempfile.TemporaryDirectory() as folder:
        counts = kernel_folder_attack.campaign(12, 3, Path(folder))
    assert counts["planted code ran"] == 0
    assert counts["planted code runs where its owner plants it"] == 1, "the attack works where it may"
    assert counts["arrangements in which planted code lay there"] > 0


@pytest.fixture
def kernel(tmp_path):
    path = tmp_path / "some.kernel"
    write_kernel(path, {"kernel": "a"}, {"machine_code": b"code"})
    return path


@posix
@pytest.mark.parametrize("mode", [0o644, 0o600, 0o664, 0o646, 0o666])
def test_files_that_others_may_write_are_not_used(kernel, mode):
    kernel.chmod(mode)
    if mode & 0o022:
        with pytest.raises(PermissionError, match="can be written by others"):
            read_kernel(kernel)
    else:
        assert read_kernel(kernel)[1]["machine_code"] == b"code"


@root
def test_files_of_others_are_not_used(kernel):
    os.chown(kernel, STRANGER, -1)
    with pytest.raises(PermissionError, match=f"belongs to user {STRANGER}"):
        read_kernel(kernel)


@posix
@pytest.mark.parametrize("kind", ["link", "second name", "pipe", "folder"])
def test_what_is_no_plain_file_of_one_name_is_not_used(kernel, kind):
    other = kernel.with_name("other.kernel")
    if kind == "link":
        other.symlink_to(kernel)
    elif kind == "second name":
        other.hardlink_to(kernel)
    elif kind == "pipe":
        os.mkfifo(other)
    else:
        other.mkdir()
    with pytest.raises(OSError):
        read_kernel(other)
    if kind == "second name":
        assert trusted_bytes(other, shipped=True), "installers link what they unpack"


@posix
def test_new_files_are_the_users_alone_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        write_kernel(tmp_path / "some.kernel", {"kernel": "a"}, {"machine_code": b""})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "some.kernel").stat().st_mode) == 0o644


@posix
@pytest.mark.parametrize("where", ["parent", "link's goal"])
def test_a_way_that_others_can_change_is_not_gone(tmp_path, monkeypatch, where):
    parent = tmp_path / "parent"
    (parent / "cache").mkdir(parents=True)
    (tmp_path / "link").symlink_to(parent / "cache")
    named = parent / "cache" if where == "parent" else tmp_path / "link"
    monkeypatch.setenv("MESHCLASH_CACHE_DIR", str(named))
    assert find_folder("kernels").note == ""
    parent.chmod(0o777)
    assert find_folder("kernels").path is None and str(parent) in distrust(named) and "delete" in distrust(named)
    parent.chmod(0o1777)  # as /tmp: nobody else can exchange what is this user's
    assert find_folder("kernels").path is not None
    if os.geteuid() == 0:
        os.chown(parent, STRANGER, -1)
        assert f"belongs to user {STRANGER}" in find_folder("kernels").note


@root
def test_links_of_others_are_not_followed(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "link").symlink_to("mine")
    os.lchown(tmp_path / "link", STRANGER, STRANGER)
    monkeypatch.setenv("MESHCLASH_CACHE_DIR", str(tmp_path / "link"))
    assert "link belongs to user" in find_folder("kernels").note


@posix
def test_links_in_a_circle_are_told(tmp_path, monkeypatch):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    monkeypatch.setenv("MESHCLASH_CACHE_DIR", str(tmp_path / "a" / "cache"))
    assert find_folder("kernels").path is None


@posix
def test_parents_of_nobody_are_those_of_a_container(tmp_path, monkeypatch):
    """Where a namespace does not know the machine's root, /home belongs to nobody in particular."""
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(folders, "_outside_user", lambda: 65534)
    real, way = folders._way_to, []

    def shown(path):
        way[:] = [(step, FakeState(found, 65534 if step == tmp_path else found.st_uid)) for step, found in real(path)]
        return way

    class FakeState:
        def __init__(self, found, owner):
            self.st_uid, self.st_mode, self.st_gid = owner, found.st_mode, found.st_gid

    monkeypatch.setattr(folders, "_way_to", shown)
    assert distrust(tmp_path / "cache") == ""
    assert "outside of this container" in distrust(tmp_path)
