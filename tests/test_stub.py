"""``__init__.pyi`` has every public name once; what is lazy for Python is plain for type checkers, pickles and ``*``."""

from __future__ import annotations

import ast
import pickle
import subprocess
import sys
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


def test_a_type_checker_knows_the_public_names(tmp_path):
    (tmp_path / "use.py").write_text("import bitsieve\nreveal_type(bitsieve.list_methods)\nbitsieve.nothing\n")
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--no-error-summary", "--no-incremental"]
    result = subprocess.run([*command, "use.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert 'Revealed type is "def () -> ' in result.stdout
    assert 'Module has no attribute "nothing"' in result.stdout
