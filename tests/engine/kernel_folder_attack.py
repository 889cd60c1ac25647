"""Plants machine code into the kernel folders of another user, in every way that owners, modes and links allow.

    python tests/engine/kernel_folder_attack.py --arrangements 200 --seed 1     # as root, on Linux: two minutes

Each arrangement is a cache folder with parents, links, a store and kernels of some owners and modes. A process of one
user plants code that answers wrongly, wherever the system lets it; then folders are closed to others, as the engine
advises, or not; then a process of the other user asks a kernel. The users are made-up numbers, and need no accounts.
Exit status 1 when planted code ran once.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import random
import shutil
import stat
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "engine"))

if __name__ == "__main__":  # before Numba is imported: else no kernel is the one that a store may have
    from meshclash.kernels.processors import levels_here, processor_of

    for levels in levels_here()[:1]:
        os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = processor_of(levels)

from meshclash import jit  # noqa: E402
from meshclash.kernels import cache, store  # noqa: E402
from meshclash.kernels.files import read_kernel, write_kernel  # noqa: E402
from meshclash.kernels.folders import KernelFolder, find_folder  # noqa: E402
from meshclash.kernels.processors import levels_here  # noqa: E402

VICTIM, ATTACKER, GROUP, OTHER_GROUP = 54321, 54322, 54320, 54323
_FOLDER_MODES = (0o755, 0o755, 0o775, 0o777, 0o1777, 0o700)
_FILE_MODES = (0o644, 0o644, 0o664, 0o666, 0o600)
_OWNERS = (VICTIM, VICTIM, VICTIM, 0, ATTACKER)
_PROGRAMS = {"right": "def ask(x):\n    return 0.5 * x > 1.0\n", "planted": "def ask(x):\n    return 0.5 * x <= 1.0\n"}


class Kernels(NamedTuple):
    """The right kernel of a function, and one that answers wrongly under the same name."""

    module: ModuleType
    name: str
    right: bytes
    planted: bytes


class Place(NamedTuple):
    """Folders of an arrangement."""

    base: Path
    root: Path
    """What MESHCLASH_CACHE_DIR names."""
    store: Path

    @property
    def folder(self) -> Path:
        """Of compiled kernels."""
        return self.root / jit.FOLDER_NAME

    @property
    def own(self) -> Path:
        """The user's store of the best level."""
        return self.root / store.OWN_NAME / store.store_name(levels_here()[0])

    def stored(self) -> list[Path]:
        """Kernels in stores."""
        found = []
        for place in (self.store, self.root / store.OWN_NAME):
            with suppress(PermissionError):  # closed to who looks
                found += place.glob("*/*.kernel")
        return found


def kernels_in(folder: Path) -> Kernels:
    """Compile both."""
    found = {}
    for kind, text in _PROGRAMS.items():
        path = folder / kind / "asked.py"
        path.parent.mkdir()
        path.write_text(text, "utf-8")
        spec = importlib.util.spec_from_file_location("asked", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["asked"] = module
        spec.loader.exec_module(module)
        jit.FOLDER = KernelFolder(folder / kind, True, "")
        assert jit.kernel(module.ask)(3.0) == (kind == "right")
        (kernel,) = (folder / kind).glob("*.kernel")
        found[kind] = module, kernel
    module, kernel = found["right"]
    identity = read_kernel(kernel)[0]
    forged = folder / "forged"
    write_kernel(forged, identity, read_kernel(found["planted"][1])[1])
    return Kernels(module, kernel.name, kernel.read_bytes(), forged.read_bytes())


def arranged(base: Path, kernels: Kernels, rng: random.Random) -> Place:
    """Folders, links and files of several owners, as they may be found."""

    def make(path: Path, owner: int | None = None, mode: int | None = None) -> Path:
        path.mkdir()
        own(path, owner, mode or rng.choice(_FOLDER_MODES))
        return path

    def own(path: Path, owner: int | None, mode: int) -> None:
        owner = rng.choice(_OWNERS) if owner is None else owner
        os.chown(path, owner, rng.choice((GROUP, OTHER_GROUP)))
        path.chmod(mode)

    make(base, 0, 0o755)
    at = base
    for k in range(rng.randrange(3)):
        at = make(at / f"parent{k}", rng.choice((None, VICTIM, 0)))
    place = Place(base, at / "cache", base / "package")
    if rng.random() < 0.25:  # a link on the way
        far = make(base / "far", rng.choice((None, VICTIM)))
        place.root.symlink_to(far)
        os.lchown(place.root, rng.choice(_OWNERS), GROUP)
    elif rng.random() < 0.8:
        make(place.root, rng.choice((None, VICTIM)))
    if place.root.exists() and rng.random() < 0.7:
        if rng.random() < 0.15:
            place.folder.symlink_to(make(base / "farther", None))
            os.lchown(place.folder, rng.choice(_OWNERS), GROUP)
        else:
            make(place.folder, rng.choice((None, VICTIM)))
        if rng.random() < 0.5:
            (place.folder / kernels.name).write_bytes(kernels.right)
            own(place.folder / kernels.name, VICTIM, rng.choice(_FILE_MODES))
        if rng.random() < 0.5:
            make(place.own.parent, rng.choice((None, VICTIM)))
            for path in _fill_store(make(place.own, rng.choice((None, VICTIM))), kernels.right, kernels.name):
                own(path, VICTIM, rng.choice(_FILE_MODES))
    make(place.store, 0, 0o755)
    if rng.random() < 0.4 and levels_here():
        shipped = make(place.store / store.store_name(levels_here()[0]), rng.choice((0, None)))
        for path in _fill_store(shipped, kernels.right, kernels.name):
            own(path, rng.choice((0, VICTIM, VICTIM, ATTACKER)), rng.choice(_FILE_MODES))
    return place


def _fill_store(folder: Path, content: bytes, name: str) -> list[Path]:
    (folder / name).write_bytes(content)
    about = store.made_for(levels_here()[0], jit.SOURCES)
    store.write_manifest(folder, about, {name: hashlib.sha256(content).hexdigest()})
    return [folder / name, folder / store.MANIFEST]


def attacked(place: Place, kernels: Kernels, rng: random.Random) -> None:
    """Plant code wherever a process of the attacker may; what the system forbids is left."""
    mine = place.base / "mine"
    hidden = mine / f"of attacker {rng.randrange(10**9)}"
    hidden.mkdir()

    def write(path: Path) -> None:
        if path.exists() and not path.is_file():  # a pipe, which would wait for a reader
            path.unlink()
        new = not path.exists()
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(kernels.planted)
        if new:
            path.chmod(rng.choice(_FILE_MODES))

    def exchange(path: Path) -> None:
        path.rename(hidden / f"was {path.name}")
        write(path)

    def link(path: Path) -> None:
        with suppress(OSError):
            path.rename(hidden / f"linked {path.name}")
        write(hidden / "code")
        rng.choice((path.symlink_to, path.hardlink_to))(hidden / "code")

    def second_name(path: Path) -> None:
        """A file of the victim's, with content that it took from the attacker, under a name that is run."""
        with suppress(OSError):
            path.rename(hidden / f"named {path.name}")
        path.hardlink_to(mine / "downloaded")

    def exchange_folder(path: Path) -> None:
        path.rename(hidden / f"folder {path.name}")
        if rng.random() < 0.5:
            path.symlink_to(hidden)
            path = hidden
        path.mkdir(exist_ok=True)
        inner = path if path.name == jit.FOLDER_NAME else path / jit.FOLDER_NAME
        for folder in {path, inner}:
            folder.mkdir(exist_ok=True)
            write(folder / kernels.name)
        for folder in (path, path / place.own.name, path / store.OWN_NAME / place.own.name):
            fill_store(folder / kernels.name)

    def fill_store(path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        for file in _fill_store(path.parent, kernels.planted, kernels.name):
            file.chmod(rng.choice(_FILE_MODES))

    def pipe(path: Path) -> None:
        path.unlink()
        os.mkfifo(path, 0o644)

    file = place.folder / kernels.name
    acts: list[tuple[Callable[[Path], None], Path]] = [
        (act, file) for act in (write, exchange, link, second_name, pipe)
    ]
    acts += [(exchange_folder, place.folder), (exchange_folder, place.root), (exchange_folder, place.root.parent)]
    acts += [(fill_store, path) for path in place.stored()]
    acts += [(fill_store, place.own / kernels.name), (exchange_folder, place.own), (exchange_folder, place.own.parent)]
    rng.shuffle(acts)
    for act, path in acts[: rng.choice((1, 3, len(acts)))]:
        with suppress(OSError):
            act(path)


def closed(place: Place) -> None:
    """Take from others the right to write into the victim's folders, as the engine's message says."""
    for path in (*place.base.rglob("*"), place.base):
        with suppress(OSError):
            if path.is_dir() and not path.is_symlink() and path.stat().st_uid in (VICTIM, 0) and path.name != "mine":
                path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o022)


def ask(place: Place, kernels: Kernels) -> str:
    """What the victim gets: where its kernel came from, or that planted code ran."""
    os.environ["MESHCLASH_CACHE_DIR"] = str(place.root)
    store.STORE = place.store
    store.forget_stores()
    jit.FOLDER = find_folder(jit.FOLDER_NAME)
    cache.origins.clear()
    answer = jit.kernel(kernels.module.ask)(3.0)
    (origin,) = cache.origins.values()
    return origin if answer else "planted code ran"


def as_user(user: int, group: int, umask: int, act: Callable[[], object]) -> object:
    """What a process of a user finds, as JSON."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(group, group, group)
            os.setresuid(user, user, user)
            os.umask(umask)
            os.write(writer, json.dumps(act()).encode())
            os._exit(0)
        except BaseException:
            traceback.print_exc()  # else nobody learns why
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as said:
        found = said.read()
    if os.waitpid(child, 0)[1]:
        raise RuntimeError(f"a process of user {user} failed")
    return json.loads(found)


def lies_there(place: Place, kernels: Kernels) -> bool:
    """Whether planted code is where a user who trusts the folder would read it."""
    found = []
    for path in (place.folder / kernels.name, *place.stored()):
        with suppress(OSError):
            if path.is_file():
                found.append(path.read_bytes())
    return kernels.planted in found


def campaign(arrangements: int, seed: int, folder: Path) -> Counter[str]:
    """Attack arrangements, each of them twice; how often what was seen."""
    folder.chmod(0o755)
    (folder / "kernels").mkdir()
    kernels, counts = kernels_in(folder / "kernels"), Counter[str]()
    for number in range(arrangements):
        rng = random.Random(f"{seed}/{number}")
        place = arranged(folder / str(number), kernels, rng)
        mine = place.base / "mine"
        mine.mkdir()
        mine.chmod(0o777)
        (mine / "downloaded").write_bytes(kernels.planted)
        os.chown(mine / "downloaded", VICTIM, GROUP)
        group, planted = rng.choice((GROUP, OTHER_GROUP)), False
        for _ in range(2):
            as_user(ATTACKER, group, 0o022, lambda place=place, rng=rng: attacked(place, kernels, rng))
            if rng.random() < 0.6:
                closed(place)
            planted |= lies_there(place, kernels)
            found = str(as_user(VICTIM, GROUP, rng.choice((0o022, 0o002, 0)), lambda place=place: ask(place, kernels)))
            counts[found] += 1
            if found == "planted code ran":
                print(f"arrangement {number}: {found}", flush=True)
            rng.random()
        counts["arrangements in which planted code lay there"] += planted
        shutil.rmtree(place.base)
    counts["planted code runs where its owner plants it"] = _control(folder / "control", kernels)
    return counts


def _control(base: Path, kernels: Kernels) -> int:
    """Whether the attack would be seen: the victim's own file, which nobody can tell from a compiled kernel."""
    base.mkdir()
    os.chown(base, VICTIM, GROUP)
    place = Place(base, base / "cache", base / "package")

    def plant_and_ask() -> str:
        place.folder.mkdir(parents=True)
        (place.folder / kernels.name).write_bytes(kernels.planted)
        return ask(place, kernels)

    return int(as_user(VICTIM, GROUP, 0o022, plant_and_ask) == "planted code ran")


def main(arguments: list[str] | None = None) -> int:
    """Attack many arrangements; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--arrangements", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        counts = campaign(options.arrangements, options.seed, Path(folder))
    for what, count in sorted(counts.items()):
        print(f"{what}: {count}")
    return int(counts["planted code ran"] > 0 or not counts["planted code runs where its owner plants it"])


if __name__ == "__main__":
    sys.exit(main())
