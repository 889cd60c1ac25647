"""Run by `preparation.py` with Blender's own Python, outside Blender: compiles kernels into the cache.

    python prepare_child.py ENGINE FOLDER PART...

ENGINE is the module name that the engine has in Blender, since cached kernels can only be read under the name under
which they were written; FOLDER holds its package. Prints a JSON object a line: how far it is, which part is done, or
what went wrong.
"""

import gc
import importlib
import json
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec

POLITENESS = 5  # the window goes first


class Parents:
    """Finds the packages around the engine, which are Blender's, as packages that hold nothing else."""

    def __init__(self, engine: str, folder: str) -> None:
        parts = engine.split(".")[:-1]
        self._names = {".".join(parts[: k + 1]) for k in range(len(parts))}
        self._folder = folder

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """The importer's question."""
        if name not in self._names:
            return None
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [self._folder]
        return spec


def tell(**what: object) -> None:
    """Prints one line for Blender."""
    print(json.dumps(what), flush=True)


def prepare(name: str, folder: str, parts: Sequence[str]) -> None:
    """Compiles the parts one after the other, as long as Blender is there."""
    blender = os.getppid()
    if hasattr(os, "nice"):
        os.nice(POLITENESS)
    gc.disable()  # a compilation makes millions of objects and hardly a cycle
    sys.meta_path.insert(0, Parents(name, folder))
    tell(doing="loading the compiler")
    engine = importlib.import_module(name)
    jit = importlib.import_module(f"{name}.jit")
    for part in parts:
        for progress in engine.warm_up([part]):
            tell(part=part, fraction=progress.fraction, doing=progress.text.partition(" (")[0])
            if os.name == "posix" and os.getppid() != blender:
                return
        if jit.cache_problem():
            tell(failed=jit.cache_problem())
            return
        tell(done=part)


if __name__ == "__main__":
    prepare(sys.argv[1], sys.argv[2], sys.argv[3:])
