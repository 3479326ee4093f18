"""``__init__.pyi`` has every public name once; ``dir``, ``*`` and pickles find them."""

from __future__ import annotations

import ast
import doctest
import pickle
import re
from pathlib import Path

import bitsieve

STUB = Path(bitsieve.__file__).with_suffix(".pyi")


def test_every_line_is_a_name_that_is_public_under_itself():
    imports = [node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.ImportFrom)]
    names = [(alias.name, alias.asname) for node in imports for alias in node.names]
    assert all(name == public for name, public in names)
    assert sorted(name for name, _ in names) == [name for name in bitsieve.__all__ if name != "__version__"]
    assert len(names) == len(set(names)) == len(imports)


def test_star_and_dir_and_pickles():
    namespace: dict[str, object] = {}
    exec("from bitsieve import *", namespace)
    assert set(bitsieve.__all__) == set(namespace) - {"__builtins__"}
    assert dir(bitsieve) == sorted(bitsieve.__all__)
    for name in ("ForwardSelector", "select", "BitsieveWarning"):
        assert pickle.loads(pickle.dumps(namespace[name])) is getattr(bitsieve, name)


def test_the_docstring_of_the_package_names_what_is_public():
    names = re.findall(r"``(?:help\(bitsieve\.)?(\w+)", bitsieve.__doc__)
    assert set(names) - {"features", "explain", "save", "criterion", "dir", "bitsieve"} <= set(bitsieve.__all__)
    assert len(names) > 15
    assert doctest.testmod(bitsieve, optionflags=doctest.ELLIPSIS).failed == 0
