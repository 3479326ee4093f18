"""scikit-learn without the modules that only other parts of it use: most of its time to import is theirs.

A command that ends in half a second cannot wait a second for imports. The modules named here are put into
``sys.modules`` without running; each runs when something is first taken from it, so that nothing else changes.
"""

from __future__ import annotations

import gc
import importlib
import sys
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import PathFinder
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from importlib.machinery import ModuleSpec

#: Module to the names that one of its own modules has without the rest, and that module.
LATER: Mapping[str, Mapping[str, str]] = {
    "asyncio": {},
    "numpy.f2py": {},
    "numpy.testing": {},
    "psutil": {},
    "scipy.linalg": {},
    "scipy.sparse.csgraph": {},
    "scipy.sparse.linalg": {"LinearOperator": "_interface"},
    "scipy.special": {"chdtrc": "_ufuncs", "gammaln": "_ufuncs"},
    "scipy.stats": {},
    "sklearn.feature_selection": {"SelectorMixin": "_base"},
}
#: What scikit-learn and joblib take from these modules when they are imported, and call in other parts of them only.
CALLED_LATER: Mapping[str, frozenset[str]] = {
    "psutil": frozenset({"Process"}),
    "scipy.sparse.csgraph": frozenset({"laplacian"}),
    "scipy.sparse.linalg": frozenset({"cg"}),
}
_running = RLock()


@contextmanager
def light_imports(*modules: str) -> Iterator[None]:
    """Import what the selectors need of scikit-learn, and some modules of ours; inside the block pandas is not found.

    Nothing of what is imported can be freed: it is not searched for garbage, now or later. Nothing happens where
    scikit-learn or pandas is imported already. (scikit-learn and pyarrow import pandas wherever it is installed, also
    for data that is none of its.)
    """
    if not {"sklearn", "pandas"}.isdisjoint(sys.modules):
        yield
        return
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        _import("sklearn.base", "sklearn.utils.validation", "sklearn.feature_selection", *modules)
        yield
    finally:
        sys.meta_path.remove(finder)


def _import(*modules: str) -> None:
    collects = gc.isenabled()
    gc.disable()
    try:
        for name in modules:
            importlib.import_module(name)
        gc.freeze()
    finally:
        if collects:
            gc.enable()


class _Finder(MetaPathFinder):
    """Finds the modules of ``LATER``, and no pandas."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not imported here", name=name)
        spec = PathFinder.find_spec(name, path, target) if name in LATER else None
        if spec is not None and spec.loader is not None:
            spec.loader = _Later(spec.loader)
        return spec


class _Later(Loader):
    """Makes a module that its own loader runs when something is first taken from it."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        vars(module)["_run"] = self._loader.exec_module


class _Module(ModuleType):
    """A module that has not run."""

    def __getattr__(self, name: str) -> Any:
        if name in CALLED_LATER.get(self.__name__, ()) and "_run" in vars(self):
            return lambda *given, **named: self._ran(name)(*given, **named)
        home = LATER.get(self.__name__, {}).get(name)
        if home is not None and "_run" in vars(self):
            return getattr(importlib.import_module(f"{self.__name__}.{home}"), name)
        self._ensure()
        if name in vars(self):
            return vars(self)[name]
        own = vars(self).get("__getattr__")  # of a module that has one
        if own is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return own(name)

    def _ran(self, name: str) -> Any:
        self._ensure()
        return getattr(self, name)

    def _ensure(self) -> None:
        with _running:
            run = vars(self).pop("_run", None)
            if run is not None:
                run(self)
