"""The data classes of a package, which hold what was asked for or found."""

from __future__ import annotations

from importlib import import_module
from inspect import isabstract
from pkgutil import walk_packages


def data_classes(package):
    """Those that its modules define, by name."""
    root = import_module(package)
    modules = [root, *(import_module(found.name) for found in walk_packages(root.__path__, f"{package}."))]
    found = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type)}
    own = (kind for kind in found if kind.__module__.startswith(package) and "__dataclass_params__" in vars(kind))
    own = (kind for kind in own if not isabstract(kind))
    return sorted(own, key=lambda kind: kind.__name__)


def can_be_changed(kind):
    """Whether an attribute of an object of a class can be set."""
    blank = object.__new__(kind)
    try:
        blank.anything = 1
    except AttributeError:
        return False
    return True
