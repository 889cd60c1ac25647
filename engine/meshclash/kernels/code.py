"""Convert compiled kernels to plain data and back: machine code, and the few names that Numba needs to call it.

Numba's own cache pickles the descriptors, types, environments and LLVM code of every kernel, and unpickling a file can
run any code. Kernels of this engine do not need linking: they return no value, numbers or tuples of numbers, and they
contain no Python objects. Only Python calls these kernels, so their LLVM code is never linked again.

Only this file and ``jit_pipeline.py`` use private names of Numba. If one of them is missing,
``tests/engine/test_kernels_code.py`` fails, and kernels are compiled in every process.
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
"""Function that Numba calls before it loads a kernel with parallel loops: it starts the threads."""
_SECRET = b"_numba_hashsecret"
"""Symbol that Numba gives the linker before it compiles, but not before it loads stored code."""


class Unstorable(Exception):
    """A kernel cannot be stored, because it contains more than plain data; the message describes the problem."""


class KernelCode(NamedTuple):
    """One compiled kernel for one tuple of argument types."""

    library: str
    """Numba's name of the code library."""
    symbol: str
    """Name of the function in the machine code."""
    environment: str
    """Name of the variable that holds the function's environment."""
    environments: Sequence[str]
    """Names of the variables that hold the environments of its helpers."""
    result: str
    """Return type, in the form of ``result_name``."""
    starts_threads: bool
    """Whether Numba's threads must be started before the kernel is loaded."""
    machine_code: bytes
    """Object file for this platform."""


def result_name(result: Any) -> str:
    """Return the name of a type that kernels may return.

    Raises:
        Unstorable: kernels may not return this type.
    """
    if isinstance(result, (types.UniTuple, types.Tuple)):
        return "(" + ", ".join(result_name(item) for item in result) + ")"
    for name, known in _RESULTS.items():
        if result == known:
            return name
    raise Unstorable(f"the kernel returns {result}")


def result_type(name: str) -> Any:
    """Return the type with a name written by ``result_name``; raise Unstorable for other texts."""
    if name.startswith("(") and name.endswith(")"):
        return types.Tuple([result_type(item) for item in name[1:-1].split(", ")])
    if name not in _RESULTS:
        raise Unstorable(f"the kernel returns {name!r}")
    return _RESULTS[name]


def code_of(compiled: Any) -> KernelCode:
    """Return the data of a kernel that Numba has just compiled (a CompileResult).

    Raises:
        Unstorable: the kernel contains Python objects, hashes strings, or returns other values than numbers or tuples
            of numbers.
    """
    environments = compiled._find_referenced_environments()
    if compiled.objectmode or compiled.lifted or any(e.consts for e in (compiled.environment, *environments)):
        raise Unstorable("the kernel uses Python objects")
    reloading = {function.__name__ for function in compiled.reload_init}
    if reloading - {_THREADS}:
        raise Unstorable(f"the kernel must be loaded by {sorted(reloading - {_THREADS})}")
    result = result_name(compiled.signature.return_type)
    library = compiled.library
    library._ensure_finalized()
    machine_code = library._get_compiled_object()
    if _SECRET in machine_code:
        raise Unstorable("the kernel hashes strings")
    return KernelCode(
        library.name, compiled.fndesc.mangled_name, compiled.fndesc.env_name,
        tuple(sorted(e.env_name for e in environments)), result, bool(reloading), machine_code,
    )  # fmt: skip


def load_code(code: KernelCode, function: Callable[..., Any], arguments: tuple[Any, ...], context: Any) -> Any:
    """Return a kernel that is ready to be called, in the form that Numba's dispatcher expects.

    Args:
        code: data of the kernel.
        function: the Python function from which the kernel was compiled.
        arguments: Numba types of its arguments.
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
    """Return the environment with a name. A new one has the function's global variables, and no constants."""
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
    """Return LLVM bitcode that declares the entry of the machine code.

    The declaration replaces the function's own LLVM code, which Numba keeps for linking.
    """
    return bytes(binding.parse_assembly(f'define void @"{entry}"() {{ ret void }}').as_bitcode())
