"""Levels of processors: sets of instructions that machine code may use.

Machine code depends on the level, not on the model: code for x86-64-v3 runs on every processor that has that level.
The levels of x86-64 are those of its psABI (x86-64 psABI supplement, section 3.1.1).
"""

from functools import cache

from llvmlite import binding

_V2 = ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")
_V4 = (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")
LEVELS = {
    "x86-64-v4": ("x86_64", "x86-64-v4", _V4),
    "x86-64-v3": ("x86_64", "x86-64-v3", _V3),
    "x86-64-v2": ("x86_64", "x86-64-v2", _V2),
    "arm64": ("aarch64", "generic", ("neon",)),
}
"""Architecture, LLVM's name of the processor, and the features that it must have; the best of an architecture first."""


@cache
def levels_here() -> tuple[str, ...]:
    """The levels that this machine's processor has, best first."""
    architecture = binding.get_process_triple().split("-")[0].replace("arm64", "aarch64")
    features = binding.get_host_cpu_features()
    return tuple(
        name
        for name, (wanted, _, needed) in LEVELS.items()
        if wanted == architecture and (architecture == "aarch64" or all(features.get(f, False) for f in needed))
    )


def processor_of(level: str) -> tuple[str, str]:
    """LLVM's name and features of the processor that a level is compiled for, as Numba's settings take them."""
    _, name, features = LEVELS[level]
    return name, ",".join(f"+{feature}" for feature in features)
