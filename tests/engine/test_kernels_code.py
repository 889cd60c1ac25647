"""The names of Numba that are not public, and what a compiled kernel may return."""

import importlib
import pkgutil
from types import FunctionType

import meshclash
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash import jit
from meshclash.jit import kernel
from meshclash.kernels.cache import KernelCache
from meshclash.kernels.code import Unstorable, code_of, result_name, result_type
from meshclash.kernels.folders import KernelFolder
from numba.core import compiler, environment, typed_passes, types
from numba.core.codegen import JITCodeLibrary
from numba.core.dispatcher import Dispatcher
from numba.core.funcdesc import PythonFunctionDescriptor
from subprocesses import run_python

SIMPLE = st.sampled_from([types.none, types.boolean, types.int64, types.float64, types.uint64, types.int32])


def test_numba_has_the_names_that_loading_kernels_needs():
    """When this fails, kernels are compiled in every process until `kernels/code.py` knows the new names."""
    for owner, names in (
        (compiler.CompileResult, ("_rebuild", "_find_referenced_environments")),
        (JITCodeLibrary, ("_ensure_finalized", "_get_compiled_object", "_unserialize")),
        (environment.Environment, ("_memo",)),
        (environment, ("lookup_environment",)),
        (PythonFunctionDescriptor, ("mangled_name", "env_name", "llvm_cpython_wrapper_name")),
        (typed_passes, ("_reload_parfors",)),
        (Dispatcher, ("enable_caching",)),
    ):
        assert [name for name in names if not hasattr(owner, name)] == [], owner


TWO_KERNELS = """
import numpy as np
from meshclash.jit import kernel
from meshclash.kernels.cache import origins

@kernel
def doubled_sum(values):
    doubled = np.empty(len(values))
    for i in range(len(values)):
        doubled[i] = 2.0 * values[i]
    return doubled.sum()

@kernel
def hashed(text):
    return hash(text)
"""


@pytest.mark.needs_jit
def test_stored_kernels_need_none_of_numbas_tables_and_others_are_still_compiled(tmp_path, monkeypatch):
    """Reading its tables takes Numba .2 s, without which a kernel that hashes text could not even be linked."""
    (tmp_path / "two_kernels.py").write_text(TWO_KERNELS, "utf-8")
    monkeypatch.setenv("MESHCLASH_CACHE_DIR", str(tmp_path / "cache"))
    code = f"""
import json, sys
sys.path.insert(0, {str(tmp_path)!r})
from two_kernels import doubled_sum, hashed, np, origins
answers = [doubled_sum(np.arange(4.0)), "numba.np.linalg" in sys.modules, hashed("abca") == hash("abca")]
print(json.dumps([answers, sorted(origins.values())]))
"""
    assert run_python(code) == [[12.0, True, True], ["compiled", "compiled"]]
    assert run_python(code) == [[12.0, False, True], ["cached", "compiled"]]


@given(st.one_of(SIMPLE, st.lists(SIMPLE, min_size=1, max_size=4).map(types.Tuple)))
def test_names_of_results_are_read_back(result):
    assert result_type(result_name(result)) == result


@pytest.mark.parametrize("result", [types.unicode_type, types.float64[:], types.pyobject])
def test_other_results_are_not_stored(result):
    with pytest.raises(Unstorable, match="returns"):
        result_name(result)


@pytest.mark.parametrize("name", ["", "object", "(int64, object)", "__import__('os')", "("])
def test_other_names_are_no_results(name):
    with pytest.raises(Unstorable):
        result_type(name)


@pytest.mark.needs_jit
def test_a_kernel_that_holds_python_objects_is_not_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "FOLDER", KernelFolder(tmp_path, True, ""))  # what an earlier run kept would be loaded
    held = kernel(lambda x: print("a text", x))
    held.compile((types.int64,))
    (compiled,) = held.overloads.values()
    if compiled.environment.consts:
        with pytest.raises(Unstorable, match="Python objects"):
            code_of(compiled)
    else:
        assert code_of(compiled).result == "none"


def called_by(compiled) -> list[object]:
    """What the text of a function that is compiled names: globals and what it closes over."""
    function = getattr(compiled, "py_func", compiled)
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return [
        *cells,
        *(function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__),
    ]


def test_no_kernel_calls_a_kernel():
    """What is kept of a kernel has no code for others: one that called it would jump to nothing once it is loaded."""
    names = [name for _, name, _ in pkgutil.walk_packages(meshclash.__path__, "meshclash.") if "_gpu" not in name]
    found = {}
    for name in names:
        if not name.endswith("__main__"):
            for variable, value in vars(importlib.import_module(name)).items():
                for part in value if isinstance(value, tuple) else (value,):
                    if isinstance(part, Dispatcher):  # also what a factory of another module made
                        found.setdefault(part, f"{name}.{variable}")
    reached = list(found)
    while reached:
        compiled = reached.pop()
        for other in called_by(compiled):
            plain = isinstance(other, FunctionType) and other.__module__.startswith("meshclash")
            if (plain or isinstance(other, Dispatcher)) and other not in found:
                found[other] = f"{found[compiled]} -> {other.__name__}"
                reached.append(other)
    kernels = {compiled for compiled in found if isinstance(getattr(compiled, "_cache", None), KernelCache)}
    assert len(kernels) > 50 and len(found) > 2 * len(kernels)
    wrong = []
    for dispatcher, label in found.items():
        named = [thing for thing in called_by(dispatcher) if isinstance(thing, Dispatcher)]
        wrong += [(label, found[other]) for other in named if other in kernels]
    assert wrong == []
