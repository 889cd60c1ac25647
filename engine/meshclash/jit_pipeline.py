"""How kernels and their helpers are compiled, to spare the first user of a machine some ten seconds.

Numba turns every helper into machine code of its own, together with everything that it calls, although ours are only
ever compiled into kernels. The pipeline here stops a helper at optimised LLVM code, which the kernel links in. (Leaving
the optimising to the kernel, too, spares as much again, but then kernels come out up to four times slower.) It also
keeps Python's collector of cycles out, which finds nothing among the many small objects of a compilation.

Both stand on Numba's documented ways to customise the compiler and on a few names behind them. So ``jit.py`` uses them
with the versions that they were written for only; any other compiles as it does by itself: slower, the same result.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering, NopythonRewrites


@contextmanager
def _without_collector() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _HelperLibrary(JITCodeLibrary):  # type: ignore[misc]
    """LLVM code that is only linked into other libraries: optimised, never machine code."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _HelperLowering(NativeLowering):  # type: ignore[misc]
    """Lowers into a _HelperLibrary."""

    _name = "meshclash_helper_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _HelperLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.flags.no_compile = False
        # Callers find the code by this object. From Python it raises KeyError, with this text.
        entry = ("{" + f"{state.func_id.func_name} is called by kernels only" + "}").format
        state["cr"] = state["cr"]._replace(cfunc=entry)
        state.targetctx.insert_user_function(entry, state["cr"].fndesc, [state.library])
        return True


class HelperCompiler(CompilerBase):  # type: ignore[misc]
    """Compiles what only kernels call."""

    def define_pipelines(self) -> list[Any]:
        """Numba's passes, without the one for whole-array expressions, and with our lowering."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        replaced = {NativeLowering: (_HelperLowering, "lower a helper")}
        manager.passes = [replaced.get(entry[0], entry) for entry in manager.passes if entry[0] is not NopythonRewrites]
        manager._finalized = False
        manager.finalize()
        return [manager]


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Numba's own compiler, without interruptions by the collector of cycles."""

    def compile_extra(self, function: Any) -> Any:
        """As Numba's."""
        with _without_collector():
            return super().compile_extra(function)
