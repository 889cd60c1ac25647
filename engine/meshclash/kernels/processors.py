"""Processor levels: sets of instructions that machine code may use.

Machine code depends on the level, not on the model: code for x86-64-v3 runs on every processor that has that level.
The levels of x86-64 are those of its psABI (x86-64 psABI supplement, section 3.1.1).
"""

from functools import cache
from typing import NamedTuple

from llvmlite import binding

_V2 = ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")
_V4 = (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")
_SKYLAKE = (
    "adx", "aes", "clflushopt", "fsgsbase", "invpcid", "pclmul", "prfchw", "rdrnd", "rdseed", "sgx", "xsavec",
    "xsaveopt", "xsaves",
)  # fmt: skip
_ICELAKE = (
    *_SKYLAKE, "avx512bitalg", "avx512ifma", "avx512vbmi", "avx512vbmi2", "avx512vnni", "avx512vpopcntdq", "clwb",
    "gfni", "pconfig", "pku", "rdpid", "sha", "vaes", "vpclmulqdq", "wbnoinvd",
)  # fmt: skip


class ProcessorLevel(NamedTuple):
    """A set of instructions, and the settings with which LLVM compiles for it."""

    architecture: str
    tuned_for: str
    """LLVM's name of a processor that has the level; code is scheduled for this processor.

    LLVM also accepts names of levels, but then chooses instructions that are slow on current processors.
    """
    features: tuple[str, ...]
    """LLVM's names of the features that the level has."""
    not_used: tuple[str, ...] = ()
    """Features that the processor ``tuned_for`` has beyond the level."""


LEVELS = {
    "x86-64-v4": ProcessorLevel("x86_64", "icelake-server", _V4, _ICELAKE),
    "x86-64-v3": ProcessorLevel("x86_64", "skylake", _V3, _SKYLAKE),
    "x86-64-v2": ProcessorLevel("x86_64", "nehalem", _V2),
    "arm64": ProcessorLevel("aarch64", "generic", ("neon",)),
}
"""Levels by name, the best of each architecture first."""

PACKED = ("x86-64-v4", "x86-64-v3", "arm64")
"""Levels that packages contain kernels for. On processors without these instructions, from before 2013, kernels are
compiled."""


@cache
def levels_here() -> tuple[str, ...]:
    """Return the levels that this computer's processor supports, best first."""
    architecture = binding.get_process_triple().split("-")[0].replace("arm64", "aarch64")
    features = binding.get_host_cpu_features()
    return tuple(name for name, level in LEVELS.items() if level.architecture == architecture and _has(features, level))


def _has(features: dict[str, bool], level: ProcessorLevel) -> bool:
    return level.architecture == "aarch64" or all(features.get(name, False) for name in level.features)


def processor_of(level: str) -> tuple[str, str]:
    """Return LLVM's processor name and features for a level, in the format of Numba's settings."""
    known = LEVELS[level]
    features = [f"+{name}" for name in known.features] + [f"-{name}" for name in known.not_used]
    return known.tuned_for, ",".join(features)
