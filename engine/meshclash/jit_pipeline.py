"""Faster compilation of kernels and helpers, which saves the first user of a machine some twenty seconds.

Numba compiles every helper to its own machine code, together with everything that it calls, although helpers are only
used inside kernels. This pipeline stops at optimised LLVM code for a helper, which the kernel then links. (Leaving the
optimisation to the kernel as well would save the same time again, but some kernels would run four times slower.)

Functions that a helper calls are optimised again with each of its callers, level by level, so that short helpers are
inlined. Long helpers are never inlined, so they are treated differently: callers get a declaration, and a kernel links
the optimised code of the helper after its own code is ready. So a long helper is optimised once per process, for any
number of helpers and kernels that call it. A kernel is still complete in its own cache file.

Smaller savings: a helper is compiled once for all integer arguments, whereas Numba would treat every constant as its
own type. Passes that have no effect on our code are left out. The result types of operators and Numba functions are
looked up once for each combination of argument types, not at each call. Our own plain functions become helpers, too.
Compiler flags, which Numba looks up with every function that it resolves, are compared quickly. docs/measurements.md
lists how much each of them saves.

The pipeline uses Numba's documented ways to customise the compiler, and the internal names in ``NEEDED``. ``jit.py``
uses this module only for the versions of Numba for which it was written, and only if all these names exist. Other
versions use Numba's standard pipeline, which is slower and gives the same result.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from llvmlite import binding
from numba.core import types, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import cpu_target
from numba.core.typed_passes import (
    DumpParforDiagnostics,
    InlineOverloads,
    NativeLowering,
    NopythonRewrites,
    NoPythonSupportedFeatureValidation,
)
from numba.core.typing.templates import (
    _OverloadFunctionTemplate,
    infer,
    infer_global,
    make_overload_template,
)

LONG = 100
"""Number of instructions above which a helper is left out of its callers: twice LLVM's own limit for inlining."""

_NOTHING_TO_DO = (
    untyped_passes.WithLifting,
    untyped_passes.InlineClosureLikes,
    untyped_passes.InlineInlinables,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.LiteralPropagationSubPipelinePass,
    untyped_passes.DeadBranchPrune,
    InlineOverloads,
    NopythonRewrites,
    NoPythonSupportedFeatureValidation,
    DumpParforDiagnostics,
)
"""Passes for ``with``, closures, optional arguments, constants as types and array expressions: unused in helpers."""


NEEDED: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (
        JITCodeLibrary,
        ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals", "_get_module_for_linking",
         "_ensure_finalized", "add_linking_library", "enable_object_caching", "finalize"),
    ),
    (Flags, ("options", "values", "no_compile", "forceinline")),
    (PassManager(""), ("passes", "_finalized", "finalize")),
    (_OverloadFunctionTemplate, ("_get_jit_decorator",)),
    (CompilerBase, ("compile_extra", "define_pipelines")),
    (cpu_target.target_context, ("insert_user_function", "codegen")),
    (cpu_target.typing_context, ("resolve_function_type",)),
)  # fmt: skip
"""Names of Numba that its manual does not document, in addition to those imported above."""


def _require_names() -> None:
    missing = [
        f"{type(owner).__name__}.{name}" for owner, names in NEEDED for name in names if not hasattr(owner, name)
    ]
    if missing:
        raise ImportError(f"it lacks {', '.join(missing)}")


_require_names()


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """LLVM code that links short helpers before it is optimised.

    Attributes:
        left_out: the long helpers that the code needs, directly or indirectly, each after the helpers that it calls.
    """

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.left_out: dict[_HelperLibrary, None] = {}
        self._short: dict[_HelperLibrary, None] = {}

    def add_linking_library(self, library: Any) -> None:
        """Register the library of a function that this code calls."""
        if not isinstance(library, _HelperLibrary):
            super().add_linking_library(library)
            return
        library._ensure_finalized()
        self.left_out.update(library.left_out)
        (self.left_out if library.is_long else self._short)[library] = None

    def finalize(self) -> None:
        """Link and optimise."""
        self._link(self._final_module, self._short)
        super().finalize()

    def _link(self, module: Any, libraries: dict["_HelperLibrary", None]) -> None:
        """Link callers first: LLVM links in only functions that are already called."""
        for library in reversed(libraries):
            self._reload_init.update(library._reload_init)
            module.link_in(library.own_module(), preserve=True)


class _HelperLibrary(_Library):
    """Code that is only linked into other libraries: it is optimised, but never compiled to machine code.

    Attributes:
        is_long: whether callers leave out the code of this helper.
    """

    def __init__(self, codegen: Any, name: str, is_kept: bool) -> None:
        super().__init__(codegen, name)
        self._is_kept = is_kept
        self.is_long = False
        self._whole: Any = None

    def own_module(self) -> Any:
        """Return the code without the long helpers, for libraries that link these helpers themselves."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """Return the complete code, for ordinary libraries of Numba."""
        if self._whole is None:
            self._whole = self.own_module().clone()
            self._link(self._whole, self.left_out)
        return self._whole

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True
        self.is_long = not self._is_kept and _instructions(self._final_module) >= LONG


class _KernelLibrary(_Library):
    """Machine code of a kernel and of all helpers that it needs."""

    def _optimize_final_module(self) -> None:
        super()._optimize_final_module()
        self._link(self._final_module, self.left_out)


def _instructions(module: Any) -> int:
    """Return the number of instructions in the exported functions of a module."""
    given = (f for f in module.functions if not f.is_declaration and f.linkage == binding.Linkage.external)
    return sum(1 for function in given for block in function.blocks for _ in block.instructions)


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(NativeLowering):  # type: ignore[misc]
    """Lowering into a _KernelLibrary."""

    _name = "meshclash_kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class _HelperLowering(NativeLowering):  # type: ignore[misc]
    """Lowering into a _HelperLibrary."""

    _name = "meshclash_helper_lowering"
    _kept = False

    def run_pass(self, state: Any) -> bool:
        codegen, kept = state.targetctx.codegen(), self._kept or bool(state.flags.forceinline)
        state.library = _HelperLibrary(codegen, state.func_id.func_qualname, kept)
        state.flags.no_compile = True
        super().run_pass(state)
        state.flags.no_compile = False
        # Callers find the code by this object. Calling it from Python raises KeyError with this text.
        entry = ("{" + f"{state.func_id.func_name} is called by kernels only" + "}").format
        state["cr"] = state["cr"]._replace(cfunc=entry)
        state.targetctx.insert_user_function(entry, state["cr"].fndesc, [state.library])
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _KeptLowering(_HelperLowering):
    """Lowering into a _HelperLibrary that is never left out of its callers, so that LLVM can inline it into loops."""

    _name = "meshclash_kept_lowering"
    _kept = True


def _pipeline(state: Any, lowering: type, without: tuple[type, ...] = ()) -> list[Any]:
    """Return Numba's passes with another lowering, and without the given passes."""
    manager = DefaultPassBuilder.define_nopython_pipeline(state)
    replaced = {NativeLowering: (lowering, "lower into a library of ours")}
    manager.passes = [replaced.get(entry[0], entry) for entry in manager.passes if entry[0] not in without]
    manager._finalized = False
    manager.finalize()
    return [manager]


_DEFAULTS = {name: option.default for name, option in Flags.options.items()}
_HASH = hash(Flags())


class _Flags(Flags):  # type: ignore[misc]
    """Numba's flags with fast comparison; equal to ordinary flags with the same values."""

    __slots__ = ()

    def values(self) -> dict[str, Any]:
        """Return all values by name."""
        return {**_DEFAULTS, **self._values}

    __eq__ = Flags.__eq__

    def __hash__(self) -> int:
        return _HASH  # Numba's hash uses only the names


class _Compiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler with our flags."""

    def __init__(self, *arguments: Any) -> None:
        *others, flags, local_types = arguments
        super().__init__(*others, _Flags(flags), local_types)  # type: ignore[call-arg]


class HelperCompiler(_Compiler):
    """Compiler of functions that only kernels call."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes of Numba that have something to do, with our lowering."""
        return _pipeline(self.state, _HelperLowering, _NOTHING_TO_DO)


class PlainCompiler(_Compiler):
    """Compiler of plain functions that kernels close over: functions of volumes, in inner loops of traversals."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes of a helper with another lowering."""
        return _pipeline(self.state, _KeptLowering, _NOTHING_TO_DO)


def without_literals(dispatcher: Any) -> Any:
    """Compile a helper for the types of integers and bools, not for each constant."""
    resolve = dispatcher.get_call_template

    def resolve_generally(args: Any, kws: Any) -> Any:
        return resolve([types.unliteral(a) for a in args], {name: types.unliteral(a) for name, a in kws.items()})

    dispatcher.get_call_template = resolve_generally
    return dispatcher


def take_for_helper(function: Callable[..., Any], helper: Callable[[Any], Any]) -> None:
    """Make CPU kernels compile a plain function as a helper; other targets compile the function as Numba does.

    Numba would compile the function to machine code, and again for kernels, helpers and inlined functions.
    """
    overload: Any = make_overload_template(function, lambda *_arguments: function, {}, False, "never")
    made: list[Any] = []

    class Template(overload):  # type: ignore[misc]
        def _get_jit_decorator(self) -> Any:
            usual = super()._get_jit_decorator()
            if usual is not numba.jit:
                return usual
            if not made:
                made.append(helper(function))
            return lambda **_options: lambda _function: made[0]

    infer(Template)
    infer_global(function, types.Function(Template))


_known: dict[tuple[Any, ...], tuple[Any, Any]] = {}
"""Cached signatures, with the objects that their keys refer to by id."""


@contextmanager
def _remembering(context: Any) -> Iterator[None]:
    """Cache the signatures of Numba's functions and operators by argument types, instead of resolving each call."""
    if "resolve_function_type" in vars(context):  # nested: a kernel compiles another kernel that it calls
        yield
        return
    resolve = context.resolve_function_type

    def resolve_once(function: Any, args: Any, kws: Any) -> Any:
        if kws or not (isinstance(function, types.Function) or getattr(function, "__module__", "") == "_operator"):
            return resolve(function, args, kws)
        key = (id(context), id(function), args)
        if key not in _known:
            signature = resolve(function, args, kws)
            if signature is None:
                return None
            _known[key] = signature, (context, function)
        return _known[key][0]

    context.resolve_function_type = resolve_once
    try:
        yield
    finally:
        del context.resolve_function_type


class KernelCompiler(_Compiler):
    """Compiler of kernels."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's passes with our lowering."""
        return _pipeline(self.state, _KernelLowering)

    def compile_extra(self, function: Any) -> Any:
        """Compile as Numba does, with cached signatures."""
        with _remembering(self.state.typingctx):
            return super().compile_extra(function)
