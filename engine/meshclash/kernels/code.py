"""A compiled kernel as plain data: its machine code, and the few names that Numba needs to call it.

Numba's own cache pickles descriptors, types, environments and LLVM code of every kernel, and unpickling runs whatever a
file says. Kernels of this engine need none of that: they return nothing, numbers or tuples of numbers, they keep no
Python objects, and only Python calls them, so that nobody links their LLVM code again.

This file and ``jit_pipeline.py`` are the only ones that use names of Numba which are not public;
``tests/engine/test_kernels_code.py`` fails when one of them is gone, and kernels are then compiled in every process.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from llvmlite import binding
from numba.core import types, typing
from numba.core.compiler import CompileResult
from numba.core.environment import Environment, lookup_environment
from numba.core.funcdesc import PythonFunctionDescriptor

_RESULTS = {
    "none": types.none,
    "bool": types.boolean,
    **{str(number): number for number in (types.int32, types.int64, types.uint64, types.float32, types.float64)},
}
_THREADS = "_reload_parfors"
"""What Numba calls before it loads a kernel with parallel loops: it starts the threads."""
_SECRET = b"_numba_hashsecret"
"""What Numba tells the linker only when it reads its tables, as it does before it compiles and not for stored code."""


class Unstorable(Exception):
    """A kernel holds more than plain data; the message says what."""


class KernelCode(NamedTuple):
    """One compiled kernel for one tuple of argument types."""

    library: str
    """Numba's name of the code."""
    symbol: str
    """Name of the function in the machine code."""
    environment: str
    """Name of the variable that holds the function's environment."""
    environments: Sequence[str]
    """Names of the variables that hold the environments of the helpers in it."""
    result: str
    """Type of what it returns, as ``result_name`` writes it."""
    starts_threads: bool
    """Whether Numba's threads must run before it is loaded."""
    machine_code: bytes
    """An object file of this platform."""


def result_name(result: Any) -> str:
    """The name of a type that kernels may return.

    Raises:
        Unstorable: another type.
    """
    if isinstance(result, (types.UniTuple, types.Tuple)):
        return "(" + ", ".join(result_name(item) for item in result) + ")"
    for name, known in _RESULTS.items():
        if result == known:
            return name
    raise Unstorable(f"it returns {result}")


def result_type(name: str) -> Any:
    """The type that ``result_name`` wrote; raises Unstorable for anything else."""
    if name.startswith("(") and name.endswith(")"):
        return types.Tuple([result_type(item) for item in name[1:-1].split(", ")])
    if name not in _RESULTS:
        raise Unstorable(f"it returns {name!r}")
    return _RESULTS[name]


def code_of(compiled: Any) -> KernelCode:
    """The data of a kernel that Numba has just compiled (a CompileResult).

    Raises:
        Unstorable: it holds Python objects, or returns what is not a number or a tuple of numbers.
    """
    environments = compiled._find_referenced_environments()
    if compiled.objectmode or compiled.lifted or any(e.consts for e in (compiled.environment, *environments)):
        raise Unstorable("it holds Python objects")
    reloading = {function.__name__ for function in compiled.reload_init}
    if reloading - {_THREADS}:
        raise Unstorable(f"it must be loaded by {sorted(reloading - {_THREADS})}")
    result = result_name(compiled.signature.return_type)
    library = compiled.library
    library._ensure_finalized()
    machine_code = library._get_compiled_object()
    if _SECRET in machine_code:
        raise Unstorable("it hashes text")
    return KernelCode(
        library.name, compiled.fndesc.mangled_name, compiled.fndesc.env_name,
        tuple(sorted(e.env_name for e in environments)), result, bool(reloading), machine_code,
    )  # fmt: skip


def load_code(code: KernelCode, function: Callable[..., Any], arguments: tuple[Any, ...], context: Any) -> Any:
    """The kernel ready to be called, as Numba's dispatcher takes it.

    Args:
        code: its data.
        function: the Python function that it was compiled from.
        arguments: Numba's types of its arguments.
        context: Numba's target context.
    """
    signature = typing.signature(result_type(code.result), *arguments)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    described = (True, function.__module__, function.__qualname__, code.library, "")
    descriptor = PythonFunctionDescriptor(
        *described, None, signature.return_type, None, names, (),
        mangler=lambda *_arguments, **_options: code.symbol, argtypes=arguments, env_name=code.environment,
    )  # fmt: skip
    environments = [_environment(name, function) for name in (code.environment, *code.environments)]
    library = code.library, "object", (code.machine_code, _declaring(descriptor.llvm_cpython_wrapper_name))
    return CompileResult._rebuild(
        context, library, descriptor, environments[0], signature, False, (), "",
        [_start_threads] if code.starts_threads else [], tuple(environments[1:]),
    )  # fmt: skip


def _environment(name: str, function: Callable[..., Any]) -> Environment:
    """The environment of that name, made if need be: a function's global variables, and no constants."""
    found = lookup_environment(name)
    if found is None:
        found = Environment(function.__globals__)
        found.env_name = name
        Environment._memo[name] = found
    return found


def _start_threads() -> None:
    from numba.core.typed_passes import _reload_parfors  # noqa: PLC0415 - for kernels with parallel loops only

    _reload_parfors()


def _declaring(entry: str) -> bytes:
    """LLVM code that says which entry the machine code has; Numba keeps a function's own there, for others to link."""
    return bytes(binding.parse_assembly(f'define void @"{entry}"() {{ ret void }}').as_bitcode())
