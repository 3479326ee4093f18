"""``import bitsieve`` is light, and its public names are what it says."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import bitsieve

HEAVY = ("numpy", "scipy", "sklearn", "pyarrow", "narwhals", "pandas", "polars", "matplotlib", "plotly", "dask")


def loaded_after(code):
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(name for name in sys.modules if '.' not in name)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout))


def test_import_brings_nothing_heavy():
    assert not loaded_after("import bitsieve; dir(bitsieve); bitsieve.__version__").intersection(HEAVY)


def test_use_brings_no_optional_package():
    code = "import bitsieve\nfor name in bitsieve.__all__: getattr(bitsieve, name)"
    assert not loaded_after(code).intersection({"pandas", "polars", "matplotlib", "plotly", "dask"})
    code = (
        "import bitsieve, pyarrow\n"
        "table = pyarrow.table({'a': [0, 1] * 5, 'y': [0, 1] * 5})\n"
        "bitsieve.select(table, 'y', n_features_to_select=1, binning='none')"
    )
    assert not loaded_after(code).intersection({"pandas", "polars", "matplotlib", "plotly", "dask"})


def test_public_names():
    assert set(bitsieve.__all__) <= set(dir(bitsieve))
    assert sorted(bitsieve.__all__) == sorted(set(bitsieve.__all__))
    for name in bitsieve.__all__:
        value = getattr(bitsieve, name)
        assert name == "__version__" or value.__name__ == name
    with pytest.raises(AttributeError, match="'bitsieve' has no attribute 'nothing'"):
        _ = bitsieve.nothing
