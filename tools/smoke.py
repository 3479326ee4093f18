"""Try an installed bitsieve in a minute: from Python and by the command line, without optional packages."""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import bitsieve

with tempfile.TemporaryDirectory() as folder:
    data = Path(folder) / "data.csv"
    output = Path(folder) / "out.csv"
    with open(data, "w", newline="") as file:
        csv.writer(file).writerows([("other", "same", "y"), *((i % 3, i % 2, i % 2) for i in range(60))])
    selection = bitsieve.select(data, "y", method="jmi", n_features_to_select=1)
    assert selection.features == ["same"], selection.features
    arguments = ["select", str(data), "--target", "y", "--features", "1", "--output", str(output)]
    subprocess.run([sys.executable, "-m", "bitsieve", *arguments], check=True)
    assert output.read_text().splitlines()[:2] == ['"same","y"', "0,0"], output.read_text()
loaded = [name for name in ("matplotlib", "pandas", "polars", "dask") if name in sys.modules]
assert not loaded, f"optional packages are imported: {loaded}"
print(f"bitsieve {bitsieve.__version__} works")
bitsieve.show_kernel()
