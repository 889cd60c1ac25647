"""Compiled kernels on disk: what is damaged, foreign, full or missing costs a compilation and never an answer."""

import importlib.util
import json
import os
import random
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llvmlite import binding
from meshclash import jit
from meshclash.kernels import cache, store
from meshclash.kernels.files import DamagedKernel, read_kernel
from meshclash.kernels.folders import KernelFolder, find_folder
from meshclash.kernels.processors import levels_here, processor_of
from subprocesses import run_python

needs_jit = pytest.mark.needs_jit
posix = pytest.mark.skipif(os.name != "posix", reason="other systems protect a user's folders by other means")


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Calls a kernel as a new process would: `ask(folder)` gives the answer and where the kernel came from."""
    path = tmp_path / "halve.py"
    path.write_text("def halve(x):\n    return 0.5 * x > 1.0\n", "utf-8")
    spec = importlib.util.spec_from_file_location("halve", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "halve", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(cache, "notes", [])
    monkeypatch.setattr(store, "STORE", tmp_path / "store")
    monkeypatch.setenv("MESHCLASH_CACHE_DIR", str(tmp_path / "user"))
    store.forget_stores()

    def ask(folder, make=True, function=module.halve):
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        writable = make and os.access(folder, os.W_OK)
        monkeypatch.setattr(jit, "FOLDER", KernelFolder(folder, writable, ""))
        monkeypatch.setattr(cache, "origins", {})
        kernel = jit.kernel(function)
        answer = kernel(3.0)
        (kind,) = cache.origins.values()
        return answer, kind

    yield ask
    store.forget_stores()


@contextmanager
def full_disk():
    """No file can grow beyond nothing; only POSIX can set that."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@needs_jit
def test_a_full_disk_costs_a_compilation_and_is_told(ask, tmp_path):
    with full_disk():
        assert ask(tmp_path / "cache") == (True, "compiled")
    assert f"cannot be stored in {tmp_path / 'cache'}" in cache.notes[0]
    assert ask(tmp_path / "cache") == (True, "compiled")  # there is room again
    assert ask(tmp_path / "cache") == (True, "cached")
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".kernel"], "nothing unfinished is left"


@needs_jit
def test_no_changed_bit_is_ever_run(ask, tmp_path):
    """Every single flip, truncation or exchange is noticed before a byte of the file is used; see `files.py`."""
    assert ask(tmp_path / "cache") == (True, "compiled")
    (path,) = (tmp_path / "cache").iterdir()
    whole, rng = path.read_bytes(), random.Random(1)
    identity, _ = read_kernel(path)
    for case in range(1000):
        changed = bytearray(whole)
        if case % 4 == 0:
            del changed[rng.randrange(len(whole)) :]
        else:
            changed[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        with pytest.raises(DamagedKernel):
            read_kernel(path, identity)
    for content in (b"", whole[:-20], bytes(changed)):
        path.write_bytes(content)
        assert ask(tmp_path / "cache") == (True, "compiled")
        assert ask(tmp_path / "cache") == (True, "cached")
    assert len(cache.notes) >= 1 and "damaged" in " ".join(cache.notes)


@needs_jit
def test_a_file_under_the_name_of_another_is_not_taken_for_it(ask, tmp_path):
    def third(x):
        return x / 3.0 > 1.5

    folder = tmp_path / "cache"
    assert ask(folder) == (True, "compiled")
    (halve,) = folder.iterdir()
    assert ask(folder, function=third) == (False, "compiled")
    (other,) = set(folder.iterdir()) - {halve}
    shutil.copy(halve, other)
    assert ask(folder, function=third) == (False, "compiled")
    assert "a different kernel" in " ".join(cache.notes)


@needs_jit
def test_long_folders_with_names_of_all_scripts(ask, tmp_path):
    folder = tmp_path.joinpath("Größe und Maß", "検査 の結果", *["a long name " * 6 + "end"] * 4)
    assert ask(folder) == (True, "compiled")
    assert ask(folder) == (True, "cached")


@needs_jit
def test_a_folder_that_vanishes_meanwhile(ask, tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    made = cache.KernelCache.__init__

    def vanish(self, *arguments):
        made(self, *arguments)
        shutil.rmtree(folder)
        folder.write_text("a file is in the way")

    monkeypatch.setattr(cache.KernelCache, "__init__", vanish)
    assert ask(folder) == (True, "compiled")
    assert "cannot be stored" in " ".join(cache.notes)


@needs_jit
def test_a_filled_folder_that_can_only_be_read_is_read(ask, tmp_path):
    folder = tmp_path / "cache"
    assert ask(folder) == (True, "compiled")
    assert ask(folder, make=False) == (True, "cached")


@needs_jit
def test_closures_over_other_functions_are_other_kernels(ask, tmp_path):
    def less(x):
        return x < 2.0

    def more(x):
        return x > 2.0

    def make(compare):
        inner = jit.inner(compare)

        def call(x):
            return inner(x)

        return call

    folder = tmp_path / "cache"
    assert [ask(folder, function=make(f)) for f in (less, more)] == [(False, "compiled"), (True, "compiled")]
    assert [ask(folder, function=make(f)) for f in (less, more)] == [(False, "cached"), (True, "cached")]


@needs_jit
def test_a_kernel_that_closes_over_what_has_no_lasting_name_is_compiled_each_time(ask, tmp_path):
    def make(table):
        return lambda x: x > table[0]

    import numpy as np

    for _ in range(2):
        assert ask(tmp_path / "cache", function=make(np.ones(1))) == (True, "compiled")
    assert "refers to an object of type ndarray" in " ".join(cache.notes)


def fill_store(ask, tmp_path, level, sources=None):
    """A store that holds the fixture's kernel as compiled for a level; gives its folder."""
    name, features = processor_of(level)
    code = f"""
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("halve", {str(tmp_path / "halve.py")!r})
module = importlib.util.module_from_spec(spec)
sys.modules["halve"] = module
spec.loader.exec_module(module)
from meshclash import jit
jit.kernel(module.halve)(3.0)
print(json.dumps(str(jit.CACHE_DIRECTORY)))
"""
    made = Path(
        run_python(code, MESHCLASH_CACHE_DIR=tmp_path / "work", NUMBA_CPU_NAME=name, NUMBA_CPU_FEATURES=features)
    )
    folder = tmp_path / "store" / store.store_name(level)
    shutil.copytree(made, folder)
    store.write_manifest(folder, store.made_for(level, sources or jit.SOURCES))
    return folder


VECTORS = """
define void @work(ptr %p) {
  %v = load <16 x i32>, ptr %p
  %counted = call <16 x i32> @llvm.ctpop.v16i32(<16 x i32> %v)
  store <16 x i32> %counted, ptr %p
  ret void
}
declare <16 x i32> @llvm.ctpop.v16i32(<16 x i32>)
"""


@pytest.mark.skipif("x86_64" not in binding.get_process_triple(), reason="levels of x86-64")
@pytest.mark.parametrize(("level", "wide"), [("x86-64-v2", "xmm"), ("x86-64-v3", "ymm"), ("x86-64-v4", "zmm")])
def test_code_of_a_level_has_none_of_the_instructions_that_its_processor_has_beyond_it(level, wide):
    """Icelake counts bits of a vector by one instruction, which the level lacks."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_triple(binding.get_process_triple())

    def assembly(features):
        machine = target.create_target_machine(cpu=processor_of(level)[0], features=features)
        return machine.emit_assembly(binding.parse_assembly(VECTORS))

    assert "vpopcnt" not in assembly(processor_of(level)[1])
    assert ("vpopcnt" in assembly("")) == (level == "x86-64-v4"), "the check sees the instruction"
    assert wide in assembly(processor_of(level)[1])


@pytest.mark.slow
@needs_jit
@pytest.mark.skipif(not levels_here(), reason="there are no kernels for this type of processor")
def test_what_came_with_the_package_is_used_and_checked(ask, tmp_path):
    level = levels_here()[-1]
    folder = fill_store(ask, tmp_path, level)
    assert store.verify(folder) == []
    assert ask(tmp_path / "cache") == (True, "shipped")
    assert not list((tmp_path / "cache").iterdir()), "what came with the package is not copied"
    assert ask(tmp_path / "none", make=False) == (True, "shipped")
    (kernel,) = folder.glob("*.kernel")
    whole = kernel.read_bytes()
    kernel.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert store.verify(folder) == [f"{kernel.name} is damaged"]
    assert ask(tmp_path / "none", make=False) == (True, "compiled")
    assert "is not the file that came with the package" in " ".join(cache.notes)
    kernel.unlink()
    assert store.verify(folder) == [f"{kernel.name} is missing"]
    (folder / "foreign.kernel").write_bytes(whole)
    assert "foreign.kernel is not in the manifest" in store.verify(folder)


@pytest.mark.slow
@needs_jit
@pytest.mark.skipif(not levels_here(), reason="there are no kernels for this type of processor")
def test_a_store_of_the_user_is_used_as_soon_as_it_is_there(ask, tmp_path, monkeypatch):
    """As one that came with the package, but for what others could write: that is not used."""
    shipped = fill_store(ask, tmp_path, levels_here()[-1])
    assert find_folder(store.OWN_NAME, make=False).path is None, "nothing is made where nothing was built"
    own = find_folder(store.OWN_NAME).path / shipped.name
    shipped.rename(own)
    assert ask(tmp_path / "none", make=False) == (True, "built")
    (kernel,) = own.glob("*.kernel")
    for path in (kernel, own / store.MANIFEST, own, own.parent):
        before = path.stat().st_mode
        path.chmod(before | 0o002)
        cache.notes.clear()
        store.forget_stores()
        assert ask(tmp_path / "none", make=False) == (True, "compiled"), path
        path.chmod(before)
    store.forget_stores()
    assert ask(tmp_path / "none", make=False) == (True, "built")
    whole = kernel.read_bytes()
    kernel.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert ask(tmp_path / "none", make=False) == (True, "compiled")
    assert "is not the file that was built" in " ".join(cache.notes)


@needs_jit
def test_something_is_said_before_the_first_compilation(ask, tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(cache, "before_compiling", [lambda: said.append("compiling")])
    for folder in ("a", "b", "b"):
        ask(tmp_path / folder)
    assert said == ["compiling"]


@pytest.mark.slow
@needs_jit
@pytest.mark.skipif(not levels_here(), reason="there are no kernels for this type of processor")
@pytest.mark.parametrize("wrong", ["sources", "manifest", "numba", "python", "level", "entry"])
def test_a_wrong_store_is_compiled_instead(ask, tmp_path, monkeypatch, wrong):
    level = levels_here()[-1]
    folder = fill_store(ask, tmp_path, level, "other" if wrong == "sources" else None)
    if wrong == "manifest":
        path = folder / store.MANIFEST
        path.write_text(path.read_text().replace(level, level.upper(), 1))
    elif wrong == "numba":
        monkeypatch.setattr(numba, "__version__", "99.1")
    elif wrong == "python":
        folder.rename(folder.with_name("cp399-" + folder.name.partition("-")[2]))
    elif wrong == "level":
        folder.rename(folder.with_name(folder.name.replace(level, "x86-64-v9")))
    elif wrong == "entry":  # of a higher level in the store of a lower one
        monkeypatch.setattr(cache, "processor_of", lambda _level: ("x86-64-v9", "+everything"))
    cache._note_foreign_stores.cache_clear()
    for _ in range(2):
        assert ask(tmp_path / "none", make=False) == (True, "compiled")
    if wrong != "entry":
        assert len(cache.notes) == 1 and "shipped kernels were not used" in cache.notes[0]


@given(st.binary(max_size=200))
def test_no_file_of_arbitrary_bytes_is_taken_for_a_kernel(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "some.kernel"
    path.write_bytes(content)
    with pytest.raises(DamagedKernel):
        read_kernel(path)


@posix
def test_folders_that_others_may_fill_are_not_used(tmp_path, monkeypatch):
    root = tmp_path / "root"
    monkeypatch.setenv("MESHCLASH_CACHE_DIR", str(root))
    assert find_folder("kernels") == KernelFolder(root / "kernels", True, "")
    for folder in (root / "kernels", root):
        folder.chmod(0o777)
        found = find_folder("kernels")
        assert found.path is None and "everybody may write" in found.note and str(folder) in found.note
        folder.chmod(0o775)
        found = find_folder("kernels")
        assert found.path is not None and "group" in found.note
        folder.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    real = root.stat().st_uid
    found = find_folder("kernels")
    if real:  # root's folders serve everybody
        assert found.path is None and f"belongs to user {real}" in found.note
    else:
        assert found.path is not None


@posix
def test_a_folder_of_another_user_is_not_used(tmp_path, monkeypatch):
    root = tmp_path / "root"
    monkeypatch.setenv("MESHCLASH_CACHE_DIR", str(root))
    find_folder("kernels")
    if os.geteuid() == 0:
        os.chown(root, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    found = find_folder("kernels")
    assert found.path is None and "belongs to user" in found.note


def test_a_user_without_a_home_has_no_folder(monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    for name in ("MESHCLASH_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert find_folder("kernels") == KernelFolder(None, False, "Could not determine home directory.")


def test_the_manifest_says_what_it_was_built_for(tmp_path):
    store.write_manifest(tmp_path, {"sources": "abc"})
    assert store.read_manifest(tmp_path)["about"] == {"sources": "abc"}
    for damage in ("", "[]", "{}", json.dumps({"schema": "meshclash.kernels/1", "sha256": "0", "files": {}})):
        (tmp_path / store.MANIFEST).write_text(damage)
        with pytest.raises(DamagedKernel, match="damaged"):
            store.read_manifest(tmp_path)
