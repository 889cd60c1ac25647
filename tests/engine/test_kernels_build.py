"""Stores that `python -m meshclash.kernels` builds: complete, found by their hashes, and used without a compilation."""

import random
import sys

import pytest
from meshclash.kernels import __main__ as command
from meshclash.kernels import cache, store
from meshclash.kernels.files import DamagedKernel, read_kernel
from meshclash.kernels.processors import levels_here
from subprocesses import run_python

PART = "aabb volumes"
COUNT = f"""
import json
from pathlib import Path
from meshclash.kernels import store
store.STORE = Path(STORE)
from meshclash import jit, warm_up
for _ in warm_up([{PART!r}]):
    pass
print(json.dumps([jit.kernel_counts(), jit.kernel_notes()]))
"""
pytestmark = [
    pytest.mark.needs_jit,
    pytest.mark.skipif(not levels_here(), reason="there are no kernels for this type of processor"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A store of one part of the warm-up, for the lowest level, so that a better one would be noticed."""
    output = tmp_path_factory.mktemp("stores")
    assert command.main(["build", "--level", levels_here()[-1], "--part", PART, "--output", str(output)]) == 0
    return output


def count(built, cache):
    return run_python(COUNT.replace("(STORE)", f"({str(built)!r})"), MESHCLASH_CACHE_DIR=cache)


@pytest.mark.slow
def test_a_store_serves_a_process_that_knows_nothing_of_how_it_was_built(built, tmp_path):
    """Hits and misses: everything comes from the store, for the Python and the NumPy that run this."""
    counts, notes = count(built, tmp_path)
    assert counts == {"cached": 0, "shipped": len(list(built.glob("*/*.kernel"))), "built": 0, "compiled": 0}
    assert counts["shipped"] > 0 and notes == []


def test_what_was_built_is_found_and_verified(built, capsys):
    assert command.main(["verify", "--output", str(built)]) == 0
    assert command.main(["list", "--output", str(built)]) == 0
    printed = capsys.readouterr().out
    assert "as they were built" in printed and "kB" in printed and levels_here()[-1] in printed
    about = store.read_manifest(next(built.iterdir()))["about"]
    assert about["parts"] == PART and about["python"] == sys.version.split()[0]


def test_it_is_built_once(built, capsys):
    assert command.main(["build", "--level", levels_here()[-1], "--part", PART, "--output", str(built)]) == 0
    assert "built before" in capsys.readouterr().out


@pytest.mark.slow
def test_a_damaged_store_is_told_and_compiled_instead(built, tmp_path, capsys):
    """A flipped bit of a kernel, and of the manifest: never a crash, always a sentence."""
    for path in (next(built.glob("*/*.kernel")), next(built.glob(f"*/{store.MANIFEST}"))):
        whole = path.read_bytes()
        path.write_bytes(whole[:-30] + bytes([whole[-30] ^ 4]) + whole[-29:])
        try:
            assert command.main(["verify", "--output", str(built)]) == 1
            assert "damaged" in capsys.readouterr().out
            counts, notes = count(built, tmp_path / path.name)
            assert counts["compiled"] > 0 and len(notes) == 1, (path, counts, notes)
        finally:
            path.write_bytes(whole)


def damaged(whole, others, rng, case):
    """A file with one bit flipped, cut short, longer, empty, or exchanged for another one."""
    if case % 5 == 0:
        return whole[: rng.randrange(len(whole))]
    if case % 5 == 1:
        return rng.choice([other for other in others if other != whole])
    if case % 25 == 2:
        return whole + b"\0"
    changed = bytearray(whole)
    changed[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
    return bytes(changed)


@pytest.mark.slow
def test_no_damage_gets_past_the_hashes(built, tmp_path):
    """A thousand damaged files each in store, cache and manifest: none is used, or the manifest says the same."""
    (place,) = built.iterdir()
    files = {path: path.read_bytes() for path in sorted(place.glob("*.kernel"))}
    manifest, rng = store.read_manifest(place), random.Random(5)
    whole = (place / store.MANIFEST).read_bytes()
    for case in range(1000):
        path = rng.choice(list(files))
        identity, _ = read_kernel(path)
        content = damaged(files[path], list(files.values()), rng, case)
        for folder in ("store", "cache"):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / path.name).write_bytes(content)
        with pytest.raises(DamagedKernel):
            cache._read_stored(store.Store(tmp_path / "store", True), manifest["files"], path.name, identity)
        with pytest.raises(DamagedKernel):
            read_kernel(tmp_path / "cache" / path.name, identity)
        (tmp_path / store.MANIFEST).write_bytes(damaged(whole, [b"{}"], rng, case))
        try:
            assert store.read_manifest(tmp_path) == manifest
        except DamagedKernel:
            continue


def test_levels_that_this_processor_lacks_are_refused(capsys, monkeypatch):
    monkeypatch.setattr(command, "levels_here", lambda: ("x86-64-v2",))
    assert command.main(["build", "--level", "x86-64-v4"]) == 2
    assert "lacks x86-64-v4" in capsys.readouterr().err
