"""Lazy import of the public names of a package (PEP 562).

Importing a package is then fast, and an application may import its modules one by one. The public names are those that
the package's stub, ``__init__.pyi``, imports, so type checkers and this module use the same list.
"""

import ast
import importlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

_T = TypeVar("_T")


def public_names(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package with a stub.

    Args:
        package: ``__name__`` of the package.
        file: ``__file__`` of the package.
    """
    module_of, packages = _imports(Path(file).with_suffix(".pyi"))

    def get(name: str) -> Any:
        """Return a public name or a module of the package; from then on compiling prints a notice first."""
        module = importlib.import_module(package)
        if name in module_of:
            value = getattr(importlib.import_module(module_of[name], package), name)
        elif not name.startswith("_") and importlib.util.find_spec(f".{name}", package) is not None:
            value = importlib.import_module(f".{name}", package)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(module, name, value)
        if "jit" in vars(importlib.import_module(__package__)):  # the compiler is loaded
            importlib.import_module(".compile_notice", __package__).tell_compiling()
        return value

    def names() -> list[str]:
        """Return the public names and packages, imported or not."""
        special = [name for name in vars(importlib.import_module(package)) if name.startswith("__")]
        return sorted({*special, *module_of, *packages})

    return get, names, sorted(module_of)


def _imports(stub: Path) -> tuple[dict[str, str], list[str]]:
    """Return the module of each name that a stub imports, relative to its package, and the packages that it imports."""
    lines = [node for node in ast.parse(stub.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
    module_of = {name.name: "." * line.level + line.module for line in lines if line.module for name in line.names}
    return module_of, [name.name for line in lines if not line.module for name in line.names]


class OnDemand(Mapping[str, _T]):
    """A mapping in which some values are imported on first access.

    Args:
        here: values that exist already.
        elsewhere: functions that import the other values.
    """

    def __init__(self, here: Mapping[str, _T], elsewhere: Mapping[str, Callable[[], _T]]) -> None:
        self._here, self._elsewhere = dict(here), dict(elsewhere)

    def __getitem__(self, name: str) -> _T:
        """Return a value; raise KeyError for an unknown name."""
        if name not in self._here:
            self._here[name] = self._elsewhere[name]()
        return self._here[name]

    def __contains__(self, name: object) -> bool:
        return name in self._here or name in self._elsewhere

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._here, *self._elsewhere)))

    def __len__(self) -> int:
        return len(self._here.keys() | self._elsewhere.keys())
