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


@pytest.mark.slow
def test_after_filling_its_tables_numba_has_nothing_left_to_read():
    """`cpu_target` and its two contexts are not public either."""
    code = """
import json
from meshclash.kernels.code import fill_tables
from numba.core.registry import cpu_target
fill_tables()
contexts = cpu_target.typing_context, cpu_target.target_context
def known():
    return [len(contexts[0]._functions), len(contexts[0]._globals)]
before = known()
for context in contexts:
    context.refresh()
print(json.dumps([before, known(), len(contexts[1]._defns)]))
"""
    before, after, definitions = run_python(code)
    assert before == after and min(before) > 1000 and definitions > 400


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
