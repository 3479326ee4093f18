"""bitsieve: feature selection by information, exact and in bits.

Every public name is a line of ``__init__.pyi`` and is imported when first used, so that ``import bitsieve`` is light.
"""

import os
import re
from importlib import import_module

with open(os.path.join(os.path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as _stub:
    _HOMES = {name: home for home, name in re.findall(r"from (\S+) import \(?\s*(\w+) as", _stub.read())}

__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("bitsieve")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
