"""``import bitsieve`` is light, and its public names are what it says."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import bitsieve

OPTIONAL = ("pandas", "polars", "matplotlib", "plotly", "dask", "distributed", "pyspark")
HEAVY = ("numpy", "scipy", "sklearn", "pyarrow", "narwhals", *OPTIONAL)


def loaded_after(code):
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(name for name in sys.modules if '.' not in name)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout))


def test_import_brings_nothing_heavy():
    assert not loaded_after("import bitsieve; dir(bitsieve); bitsieve.__version__").intersection(HEAVY)


def test_a_selection_from_a_file_loads_only_what_it_uses(tmp_path):
    path = tmp_path / "table.csv"
    # Text of every kind: words, codes with digits, spellings of booleans, numbers with units, dates, durations.
    rows = (
        '0,2.5,red,a1,yes,"1,5 kg",02/03/2020,1h 5min,sick\n1,,NA,b2,N,"2,5 kg",03/28/2020,2h 1min,no\n2,3.5,,,,,,,\n'
    )
    path.write_text("number,gaps,word,code,truth,weight,date,duration,y\n" + rows * 20)
    loaded = loaded_after(f"import bitsieve; bitsieve.select({str(path)!r}, 'y', n_features_to_select=1)")
    assert loaded.intersection(HEAVY) == {"numpy", "pyarrow"}


@pytest.mark.slow("a process without optional packages that runs everything")
def test_everything_but_tables_of_their_own_works_without_optional_packages():
    # (scikit-learn imports pandas where it can, so finding it loaded would prove nothing.)
    code = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] in {OPTIONAL}:\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import bitsieve, pyarrow\n"
        "for name in bitsieve.__all__: getattr(bitsieve, name)\n"
        "table = pyarrow.table({'a': [0, 1] * 5, 'y': [0, 1] * 5})\n"
        "print(bitsieve.select(table, 'y', n_features_to_select=1, binning='none').features)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "['a']\n"


def test_public_names():
    assert set(bitsieve.__all__) <= set(dir(bitsieve))
    assert sorted(bitsieve.__all__) == sorted(set(bitsieve.__all__))
    for name in bitsieve.__all__:
        value = getattr(bitsieve, name)
        assert name == "__version__" or value.__name__ == name
    with pytest.raises(AttributeError, match="'bitsieve' has no attribute 'nothing'"):
        _ = bitsieve.nothing
