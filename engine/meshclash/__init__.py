"""MeshClash: exact collision detection between triangle meshes, compiled by Numba.

``import meshclash as mc`` gives the names of its stub; ``mc.clouds``, ``mc.voxels``, ``mc.massive``, ``mc.manifold``,
``mc.motion``, ``mc.review``, ``mc.shapes`` and ``mc.lab`` give those of a subject.
"""

import importlib
from typing import Any

from .lazy import public_names

__version__ = "0.2.0"
_get, __dir__, __all__ = public_names(__name__, __file__)


def __getattr__(name: str) -> Any:
    """A public name or a module; whoever asks for one is told when this process has to compile."""
    value = _get(name)
    if hasattr(globals().get("kernels"), "cache"):  # what compiles is loaded
        importlib.import_module(".compiling", __name__).tell_compiling()
    return value
