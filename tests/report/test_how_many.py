"""The report of how many columns to take: it holds what the result holds, and is refused in plain words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve.cli import main
from bitsieve.report.how_many import how_many_report

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 120)
    numbers = {f"x{j}": random.normal(size=120) + y * (j < 2) for j in range(5)}
    return pd.DataFrame({**numbers, HOSTILE: random.normal(size=120) + y, "y": y})


@pytest.fixture(scope="module")
def result(table):
    return bitsieve.how_many(table, "y", classifier="ncm", folds=3, n_pairs=5)


def test_the_measure_is_named_with_its_value_without_columns(table, result):
    y = table["y"]
    assert (result.target, result.scoring) == ("y", "accuracy")
    assert result.error_without_columns == pytest.approx(1 - y.value_counts(normalize=True).max(), abs=0.05)
    document = result.to_dict()
    assert document["scoring"] == result.scoring
    assert document["error_without_columns"] == result.error_without_columns
    weighted = bitsieve.how_many(table, "y", sample_weight=1 + y.to_numpy(), classifier="ncm", n_pairs=5)
    assert (weighted.scoring, weighted.error_without_columns) == (None, None)


def test_the_page_holds_the_answers(result):
    page = how_many_report(result, command="bitsieve how-many 'a & b.csv'")
    text = " ".join(page.split())
    assert f"Without columns it is {100 * result.error_without_columns:.1f} %, that of the majority class" in text
    for answer in result.answers:
        assert f'<th scope="row">{answer.rule}</th>' in page
    for bits in result.band.bits:
        assert f"<td>{bits:.4f}</td>" in page
    assert "bitsieve how-many &#39;a &amp; b.csv&#39;" in page
    assert HOSTILE not in page


@pytest.mark.slow("a nested cross-validation by the command")
def test_the_file_and_the_command(table, result, tmp_path):
    path = tmp_path / "report.html"
    bitsieve.write_report(result, path)
    assert "bitsieve.how_many(data, &#39;y&#39;)" in path.read_text(encoding="utf-8")
    comparison = bitsieve.compare(table, "y", methods=["mim"], features=[1], classifier="ncm", folds=3)
    with pytest.raises(ValueError, match="HowMany has no comparison beside it"):
        bitsieve.write_report(result, path, comparison=comparison)
    data = tmp_path / "data.csv"
    table.to_csv(data, index=False)
    report = tmp_path / "from_command.html"
    command = ["how-many", str(data), "--target", "y", "--classifier", "ncm", "--pairs", "5", "--report", str(report)]
    assert main(command) == 0
    assert "How many columns to take for y" in report.read_text(encoding="utf-8")
    assert main(command) == 2  # the file is there


def test_the_call_that_is_shown_has_the_strata(table):
    strata = np.where(np.arange(len(table)) < 60, "a", "b")
    asked = {"classifier": "ncm", "folds": 3, "n_pairs": 5}
    found = bitsieve.how_many(table.assign(site=strata), "y", strata="site", **asked)
    assert (found.strata, found.effect) == ("site", "any")
    assert "bitsieve.how_many(data, &#39;y&#39;, strata=&#39;site&#39;)" in how_many_report(found)
    assert found.to_dict()["strata"] == "site"
    by_values = bitsieve.how_many(table, "y", strata=strata, **asked)
    assert "bitsieve.how_many(data, &#39;y&#39;, strata=strata)" in how_many_report(by_values)
