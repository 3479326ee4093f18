"""The report of a comparison is one file that needs nothing else, and says what the comparison says."""

from __future__ import annotations

import re
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

import bitsieve
from bitsieve.cli import main
from bitsieve.plots.figures import Curves, as_svg, new_axes, plot_curves
from bitsieve.report import page as report_page
from bitsieve.report.comparison import comparison_report
from bitsieve.report.files import write_report
from bitsieve.results.comparison import baseline_summaries

X, Y = load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def comparison():
    return bitsieve.compare(X, Y, methods=["mim", "jmi"], features=range(1, 14), classifier="ncm", folds=4)


def test_page(comparison, read_page):
    page = read_page(comparison_report(comparison))
    text = " ".join(page.text)
    assert str(comparison.choice()) in text
    assert page.seen.count("svg") == 3
    assert page.seen.count("table") == 4
    for row in comparison.summary():
        assert f"{100 * row['mean_error']:.1f}" in text
        assert f"{row['wins']}/{row['ties']}/{row['losses']}" in text
    assert page.seen.count("script") == 1  # the page's own, the only one its policy lets run
    outside = [value for name, value in page.attributes if name in ("src", "href") and not value.startswith("#")]
    assert outside == []


def test_baselines_and_what_to_run(comparison, read_page, tmp_path):
    text = " ".join(read_page(comparison_report(comparison)).text)
    choice = comparison.choice()
    assert f"method={choice.method!r}, n_features_to_select={choice.n_features})" in text
    assert "W/T/L: how many of the other methods have larger" in text
    for row in baseline_summaries(comparison):
        assert f"({row.baseline})" in text
        assert f"{100 * row.mean_error:.1f}" in text
    path = tmp_path / "wine.csv"
    pd.DataFrame(X).assign(kind=Y).to_csv(path, index=False)
    page = tmp_path / "wine.html"
    command = ["compare", str(path), "--target", "kind", "--methods", "mim,jmi", "--features", "1:13", "--folds", "4"]
    assert main([*command, "--classifier", "ncm", "--report", str(page)]) == 0
    said = " ".join(read_page(page.read_text("utf-8")).text)
    assert f"bitsieve select {path} --target kind --method {choice.method} --features {choice.n_features}" in said


@pytest.mark.slow("a comparison")
def test_notes_are_in_the_words_that_were_typed(tmp_path, read_page):
    path, page = tmp_path / "wine.csv", tmp_path / "wine.html"
    pd.DataFrame(X).to_csv(path, index=False)
    command = ["compare", str(path), "--target", "0", "--methods", "mim", "--features", "2", "--folds", "3"]
    assert main([*command, "--report", str(page)]) == 0
    said = " ".join(read_page(page.read_text("utf-8")).text)
    assert "to keep its values, add --target-kind classes" in said
    assert "target_kind=" not in said


@pytest.mark.slow("draws the same figures twice, as the report of a selection does")
def test_same_comparison_same_page(comparison):
    assert comparison_report(comparison) == comparison_report(comparison)


def test_names_are_escaped(read_page):
    names = ["<script>alert(1)</script>", "a & b", "$x$", '"quoted"', "größe 漢字"]
    methods = {"<b>mim</b>": "mim", "$jmi$": "jmi", "_漢": "mrmr"}
    frame = pd.DataFrame(X[:, :5], columns=names)
    frame["<i>kind</i>"] = Y
    comparison = bitsieve.compare(
        frame, "<i>kind</i>", methods=methods, features=range(1, 6), classifier="ncm", folds=4
    )
    text = comparison_report(comparison)
    page = read_page(text)
    assert not {"b", "i"} & set(page.seen)
    assert page.seen.count("script") == 1
    said = " ".join(page.text)
    assert "Feature selection for <i>kind</i>" in said
    for method in methods:
        assert said.count(method) >= 5  # three tables, two or three figures


def test_one_method_one_number_one_selection(read_page):
    comparison = bitsieve.compare(X, Y, methods="mim", features=[1], classifier="ncm", folds=4, protocol="paper")
    page = read_page(comparison_report(comparison))
    assert page.seen.count("svg") == 1
    assert "such errors are too low" in " ".join(page.text)


def test_gaps_and_marks_in_a_figure():
    x = np.arange(1, 30)
    values = np.where(x < 5, np.nan, x / 30.0)
    curves = Curves(x, {"a": values, "b": values / 2}, "x", "y", {"a": 7})
    svg = as_svg(plot_curves(curves, new_axes((4, 3))), "y against x")
    assert svg.startswith('<svg role="img" aria-label="y against x"')
    assert re.search(r"#0072b2", svg, re.IGNORECASE)


@pytest.mark.slow("several processes")
def test_paths_are_checked_before_the_work(tmp_path, comparison):
    for path, message in (
        (tmp_path, "is a directory"),
        (tmp_path / "missing" / "report.html", "there is no directory"),
    ):
        with pytest.raises(ValueError, match=message):
            write_report(comparison, path)
    path = tmp_path / "report.html"
    write_report(comparison, path)
    assert path.read_text(encoding="utf-8") == comparison_report(comparison)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("package", ["matplotlib", "jinja2"])
def test_a_package_that_is_not_installed_is_named_before_the_work(package, comparison, tmp_path, monkeypatch):
    monkeypatch.setattr(report_page, "find_spec", lambda name: None if name == package else find_spec(name))
    path = tmp_path / "report.html"
    with pytest.raises(ValueError, match=rf"needs {package}, which is not installed: pip install 'bitsieve\[report\]'"):
        write_report(comparison, path)
    assert not path.exists()
    data = tmp_path / "missing.csv"  # not even looked for
    assert main(["select", str(data), "--target", "y", "--report", str(path)]) == 2


@pytest.mark.slow("a comparison with bounds")
def test_bounds_are_told_where_they_were_asked_for(comparison, read_page):
    assert "left to gain" not in comparison_report(comparison)
    asked = {"methods": ["mim"], "features": [2, 3], "classifier": "ncm", "folds": 3, "bounds": True}
    bounded = bitsieve.compare(X, Y, **asked)
    lower, upper = 100 * bounded.bayes_error_bounds[0]
    page = read_page(comparison_report(bounded))
    assert page.seen.count("table") == 3  # one for a single method less
    assert f"{lower:.1f} to {upper:.1f}" in page.text


@pytest.mark.slow("a comparison of quantities")
def test_the_page_of_a_quantity_has_the_words_of_its_measure(read_page):
    found = bitsieve.compare(X[:, 1:], X[:, 0], methods=["mim"], features=[1, 2], folds=3, scoring="mae")
    text = " ".join(read_page(comparison_report(found)).text)
    for part in ("a quantity; regressor ridge, scoring mae", "error: the mean absolute error", "(mean)", "mean error"):
        assert part in text
    assert f"{found.summary()[0]['mean_error']:.4g}" in text
    assert "error %" not in text
