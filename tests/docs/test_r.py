"""The page for R users: its code runs in R, and praznik picks the same; skipped where they are not installed."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bitsieve

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "r.md"
# praznik's functions and our methods, as the page has them in its table.
PAIRS = re.findall(r"^\| `(\w+)\(X, Y, k\)` \| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
N_COLUMNS, N_CHOSEN = 12, 8
PRAZNIK = f"""
arguments <- commandArgs(trailingOnly = TRUE)
table <- read.csv(arguments[1], colClasses = "factor")
X <- table[setdiff(names(table), "target")]
for (name in arguments[-1]) {{
  got <- getExportedValue("praznik", name)(X, table$target, {N_CHOSEN})
  cat(name, names(got$selection), "\\n")
  cat(name, format(got$score, digits = 17), "\\n")
}}
"""


def run_r(code: str, *arguments: str) -> str:
    """What R prints."""
    environment = {**os.environ, "RETICULATE_PYTHON": sys.executable}
    command = ["Rscript", "--vanilla", "-e", code, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def need(package: str) -> None:
    """Skip where R or one of its packages is not installed."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    if run_r(f'cat(requireNamespace("{package}", quietly = TRUE))') != "TRUE":
        pytest.skip(f"R has no package {package}")


def seeded_table(seed: int) -> pd.DataFrame:
    """Columns of two to five codes, some of which follow the target or each other; no ties in 2,000 rows."""
    rng = np.random.default_rng(seed)
    target = rng.integers(3, size=2000)
    columns = []
    for i in range(N_COLUMNS):
        noise = rng.integers(2 + i % 4, size=target.size)
        base = columns[i // 2] if i % 3 == 2 else target
        columns.append(np.where(rng.random(target.size) < 0.05 * i, base, noise))
    return pd.DataFrame({f"x{i}": column for i, column in enumerate(columns)} | {"target": target})


def test_the_page_names_every_filter_that_both_have():
    assert dict(PAIRS).items() >= {"MIM": "mim", "MRMR": "mrmr", "JMI": "jmi", "CMIM": "cmim_fleuret"}.items()
    assert {ours for _, ours in PAIRS} <= {info.name for info in bitsieve.list_methods()}


def test_the_code_of_the_page_gives_in_r_what_it_shows():
    need("reticulate")
    code, shown = re.search(
        r"```r\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    ).groups()
    assert run_r(code) == shown


@pytest.mark.parametrize("seed", range(3))
def test_praznik_picks_the_same_columns(seed, tmp_path):
    need("praznik")
    table = seeded_table(seed)
    table.to_csv(tmp_path / "table.csv", index=False)
    lines = run_r(PRAZNIK, str(tmp_path / "table.csv"), *dict(PAIRS)).splitlines()
    for (theirs, ours), names, scores in zip(PAIRS, lines[::2], lines[1::2], strict=True):
        selector = bitsieve.make_selector(ours, N_CHOSEN, estimator="plug-in", binning="none")
        selector.fit(table.drop(columns="target"), table["target"])
        assert names.split() == [theirs, *(f"x{i}" for i in selector.selected_)]
        # praznik counts in nats; the scores of ratios have no unit from the second pick on.
        units = np.full(N_CHOSEN, math.log(2))
        if ours in ("disr", "njmim"):
            units[1:] = 1.0
        # Sums of at most 60 terms of size 1 in another order: 1e-12 is more than they can differ by.
        assert np.array(scores.split()[1:], float) == pytest.approx(selector.scores_ * units, rel=0, abs=1e-12)
