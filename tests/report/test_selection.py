"""The report of a selection is one file that says what the selection and its explanations say."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes
from tests.cover import quick_and_slow

import bitsieve
from bitsieve import list_methods
from bitsieve.cli import main
from bitsieve.dataset.read import read_data
from bitsieve.options import ReadOptions
from bitsieve.report.blanket import blanket_section
from bitsieve.report.columns import bin_labels, bins_section, column_quality
from bitsieve.report.selection import selection_report, substitutes_section, which_section
from bitsieve.utils.progress import listening
from bitsieve.utils.terminal_text import number

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def selection():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return bitsieve.select(X, y, n_features_to_select=5)


@pytest.fixture(scope="module")
def report(selection):
    return selection_report(selection, when=NOON)


def test_it_says_what_explanations_say(selection, report, read_page):
    page = read_page(report)
    text = " ".join(page.text)
    assert page.seen.count("svg") == 4
    assert page.seen.count("details") == 6  # the last one holds all notes
    for feature in selection.features:
        explained = selection.explain(feature)
        for part in (explained.relevance, explained.redundancy, explained.price):
            assert number(part) in text
        assert explained.substitute in text
    assert "bitsieve.select(\n    data,\n    'target',\n    method='cmim2',\n    n_features_to_select=5" in text
    assert "2026-01-02 12:00 UTC" in text
    assert bitsieve.__version__ in text
    outside = [value for name, value in page.attributes if name in ("src", "href", "xlink:href")]
    assert [value for value in outside if not value.startswith(("#", "data:"))] == []


def test_a_method_that_ends_by_itself_was_not_asked_for_a_number(read_page):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    text = " ".join(read_page(selection_report(bitsieve.select(X, y, method="iamb-fdr"))).text)
    assert "asked for" not in text


def test_a_markov_blanket_is_drawn_where_its_roles_were_found(selection, read_page):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    blanket = bitsieve.select(X, y, method="iamb-fdr", roles=True)
    page = read_page(selection_report(blanket, when=NOON))
    assert "Markov blanket" in page.text
    assert "the Markov blanket of the target" in [value for name, value in page.attributes if name == "aria-label"]
    assert blanket_section(selection) is None


def test_the_progress_names_what_runs(selection):
    phases = []
    with listening(phases.append):
        selection_report(selection, when=NOON)
    names = {progress.phase for progress in phases}
    assert {"shuffling each column", "finding substitutes", "describing the columns", "drawing"} <= names


def test_same_selection_same_page(selection, report):
    assert selection_report(selection, when=NOON) == report


FAMILIES = {info.estimator: info.name for info in list_methods() if not info.same_as}  # one method of each class
QUICK_FAMILIES = {"ModelSelector"}  # other tests draw bits


def family_case(estimator, name):
    is_slow = estimator not in QUICK_FAMILIES
    marks = [pytest.mark.slow("draws the same figures of a result of the same kind")] if is_slow else []
    return pytest.param(name, id=estimator, marks=marks)


@pytest.mark.parametrize("name", [family_case(*family) for family in FAMILIES.items()])
def test_every_family_has_a_report(name, read_page):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    found = bitsieve.select(X.iloc[::4, 20:], y[::4], method=name, n_features_to_select=3)
    text = " ".join(read_page(selection_report(found)).text)
    assert all(feature in text for feature in found.features)


@pytest.mark.parametrize(
    ("X", "y", "asked"),
    [
        ([[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 1], {"binning": "none", "n_features_to_select": 1}),
        pytest.param(
            np.arange(40.0).reshape(20, 2),
            np.arange(20) / 7,
            {"binning": "quantile", "target_bins": 2},
            marks=pytest.mark.slow("bins of a target are drawn as its classes"),
        ),
        pytest.param(
            np.arange(40).reshape(20, 2) % 7,
            [["a", "b"], ["a", "c"]] * 10,
            {"binning": "none"},
            marks=pytest.mark.slow("classes of several columns are drawn as those of one"),
        ),
        pytest.param(
            np.arange(40).reshape(20, 2) % 3,
            ["a", "b"] * 10,
            {"binning": "none", "sample_weight": [2, 1] * 10},
            marks=pytest.mark.slow("the figures are drawn of the same counts"),
        ),
    ],
    ids=["one feature and a constant", "binned target", "joint target", "weights"],
)
def test_targets_and_weights_of_every_kind(X, y, asked, read_page):
    found = bitsieve.select(X, y, **asked)
    assert read_page(selection_report(found)).seen.count("table") >= 4


@pytest.mark.slow("reports of several tables")
def test_labels_that_are_no_text(read_page):
    X, y = load_breast_cancer(return_X_y=True)
    found = bitsieve.select(pd.DataFrame(X), y, n_features_to_select=3)
    text = " ".join(read_page(selection_report(found)).text)
    assert f"The first is {found.features[0]}, which alone" in text
    assert found.explain(found.features[1]).rank == 2


@pytest.mark.slow("reports of several sources")
def test_rows_that_are_not_in_memory(read_page):
    dask = pytest.importorskip("dask.array")
    X, y = load_breast_cancer(return_X_y=True)
    found = bitsieve.select(
        dask.from_array(X, chunks=(200, 30)), dask.from_array(y, chunks=200), n_features_to_select=3
    )
    in_memory = bitsieve.select(X, y, n_features_to_select=3)
    page = read_page(selection_report(found))
    assert "not computed, since the rows are not in memory" in " ".join(page.text)
    assert page.seen.count("svg") == 4
    assert found.explain("x3").redundancy == in_memory.explain("x3").redundancy
    assert found.explain("x3").chance is None


def test_bins_hold_the_rows_of_each_class(selection, report):
    """The counts of the bins of the first feature against the table itself."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    first = selection.features[0]
    edges = selection.selector.binner_.bin_edges_[selection.indices[0]]
    codes = np.searchsorted(edges, X[first])
    expected = [f"{total:,}" for total in np.bincount(codes)]
    part = report[report.index(f"<h3>1: {first}</h3>") :]
    rows = re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?) \(', part[: part.index("</details>")])
    assert [total for _, total, _ in rows] == expected
    assert [count for *_, count in rows] == [str(count) for count in np.bincount(codes[y == 0])]
    assert rows[0][0] == f"&lt;= {edges[0]:.6g}"


def test_bars_are_the_shares_of_a_class(selection):
    section = bins_section(selection.evidence)
    assert len(section.features) == 5
    for feature in section.features:
        n_rows = np.array([b.n_rows_of_classes for b in feature.bins])
        shares = np.array([b.shares_of_classes for b in feature.bins])
        assert shares.tolist() == (n_rows / n_rows.sum(axis=0)).tolist()
        assert all(b.is_drawn for b in feature.bins)


def test_many_bins_have_numbers_and_only_the_largest_bars():
    letters = np.repeat(list("abcdefghijkl"), np.arange(1, 13))
    found = bitsieve.select(pd.DataFrame({"letter": letters}), letters > "f", n_features_to_select=1, method="mim")
    (feature,) = bins_section(found.evidence).features
    assert [b.label for b in feature.bins if b.is_drawn] == list("efghijkl")
    assert len(feature.bins) == 12


def test_the_table_has_the_limit_of_chance(selection):
    section = which_section(selection)
    chance = selection.evidence.chance
    assert [feature.name for feature in section.features] == selection.features
    assert [feature.limit for feature in section.features] == [chance.limit(j) for j in selection.indices.tolist()]
    assert [feature.relevance for feature in section.features] == selection.relevance.tolist()


def test_copies_are_named_at_the_column_that_they_copy():
    random = np.random.default_rng(0)
    x, noise = random.integers(0, 3, (2, 300))
    frame = pd.DataFrame(
        {"x": x, "noise": noise, "renamed": np.array(["c", "a", "b"])[x], "near": np.where(x == 2, 1, x)}
    )
    found = bitsieve.select(frame, x > 0, n_features_to_select=2, method="mim", include=["x", "noise"])
    copies = {feature.name: feature.copies for feature in substitutes_section(found).features}
    assert copies["x"] == ["renamed"]
    assert copies["noise"] == []


@pytest.mark.slow("a comparison")
def test_errors_are_drawn_if_a_comparison_is_given(tmp_path, read_page):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.iloc[:, :6]
    found = bitsieve.select(X, y, n_features_to_select=2)
    comparison = bitsieve.compare(X, y, methods=["cmim2"], features=[1, 2, 3], classifier="ncm", folds=3)
    without = read_page(selection_report(found))
    page = read_page(selection_report(found, comparison=comparison))
    assert "methods=['cmim2']" in " ".join(without.text)
    assert "write_report(selection, 'report.html', comparison=comparison)" in " ".join(without.text)
    assert page.seen.count("svg") == without.seen.count("svg") + 1
    assert str(comparison.choice()) in " ".join(page.text)
    with pytest.raises(bitsieve.UserError) as refused:
        bitsieve.write_report(comparison, tmp_path / "report.html", comparison=comparison)
    assert refused.value.code == "contradicting-parameters"


def test_the_contents_point_to_every_heading(report):
    links = re.findall(r'<a href="#([a-z-]+)">(.*?)</a>', report)
    headings = re.findall(r'<h2 id="([a-z-]+)">(.*?)</h2>', report)
    assert links == headings
    assert len(set(links)) == len(links) == 8


def test_bin_labels_of_every_kind():
    frame = pd.DataFrame({"word": ["a", "b", None, "a"], "number": [1.0, 2.0, np.nan, 4.0], "y": [0, 1, 0, 1]})
    binner = bitsieve.EqualWidthBinner(n_bins=2, missing="bin").fit(frame[["word", "number"]], frame["y"])
    assert bin_labels(binner, 0, 3) == ["a", "b", "missing"]
    assert bin_labels(binner, 1, 3) == ["< 2.5", ">= 2.5", "missing"]


@pytest.mark.parametrize(
    ("binning", "signs"),
    quick_and_slow(
        [("mdl", ("<=", ">")), ("uniform", ("<", ">="))],
        quick=[("mdl", ("<=", ">"))],
        reason="test_bin_labels_of_every_kind has the other signs",
    ),
)
def test_a_sparse_table_has_a_report_with_a_bin_of_zero(binning, signs):
    X = sparse.random(400, 5, 0.5, random_state=0, format="csr")
    y = (X.toarray()[:, 0] > 0.5).astype(int)
    selection = bitsieve.select(X, y, n_features_to_select=1, binning=binning)
    column = int(selection.indices[0])
    binner = selection.evidence.binner
    labels = bin_labels(binner, column, int(binner.n_bins_[column]))
    assert labels[0] == "0"
    assert (labels[1].split()[0], labels[-1].split()[0]) == signs
    assert len(labels) == binner.n_bins_[column]
    assert labels[1].replace("<", "&lt;") in selection_report(selection)


def test_quality_of_columns():
    rows = 24
    frame = pd.DataFrame(
        {
            "measured": np.linspace(0, 1, rows) ** 2,
            "gaps": [np.nan, 1.5] * (rows // 2),
            "one": 3,
            "nothing": np.nan,
            "again": np.linspace(0, 1, rows) ** 2,
            "number_of_row": np.random.default_rng(0).permutation(rows) + 100,
            "code": [f"id{j}" for j in range(rows)],
            "word": ["a", "b", None] * (rows // 3),
            "y": [0, 1] * (rows // 2),
        }
    )
    found = dict(zip(frame.columns, column_quality(read_data(frame, ReadOptions(target="y"))), strict=False))
    assert {name for name, q in found.items() if q.is_constant} == {"one", "nothing"}
    assert {name for name, q in found.items() if q.is_identifier} == {"number_of_row", "code"}
    assert {name: q.duplicate_of for name, q in found.items() if q.duplicate_of is not None} == {"again": 0}
    assert {name: q.n_missing for name, q in found.items() if q.n_missing} == {"gaps": 12, "nothing": 24, "word": 8}
    assert [found[name].n_distinct for name in ("measured", "gaps", "one", "nothing", "word")] == [24, 1, 1, 0, 2]
    assert found["code"].kind == found["word"].kind == "categories"
    assert (found["measured"].kind, found["one"].kind) == ("numbers", "whole numbers")


def test_from_the_command_line(data, tmp_path, capsys):
    path = tmp_path / "it's a report.html"
    command = ["select", str(data), "--target", "diagnosis", "--features", "3", "--report", str(path)]
    assert main(command) == 0
    text = path.read_text("utf-8")
    assert "bitsieve select" in text
    assert "--features 3" in text
    assert main([*command[:-1], str(data)]) == 2
    assert "is the input file itself" in capsys.readouterr().err
    assert main([*command[:-1], str(tmp_path / "report.pdf")]) == 2
    assert "end it in .html" in capsys.readouterr().err


@pytest.mark.parametrize(
    "ending", quick_and_slow([".svg", ".png", ".pdf"], quick={".svg"}, reason="the same figure in another format")
)
def test_a_figure_from_the_command_line(data, tmp_path, ending):
    path = tmp_path / f"ranking{ending}"
    command = ["select", str(data), "--target", "diagnosis", "--features", "3", "--figure", str(path)]
    assert main(command) == 0
    first = path.read_bytes()
    assert len(first) > 5000
    assert main(command) == 2  # it is there already
    assert main([*command, "--force"]) == 0
    assert path.read_bytes() == first


def test_a_figure_that_cannot_be_written_is_refused(data, tmp_path, capsys):
    command = ["select", str(data), "--target", "diagnosis", "--figure", str(tmp_path / "ranking.jpeg")]
    assert main(command) == 2
    assert ".svg" in capsys.readouterr().err


def test_a_notebook_shows_the_figure(selection, monkeypatch, read_page):
    page = read_page(selection._repr_html_())
    assert page.seen.count("svg") == 1
    assert "information about the target (bits)" in page.text
    monkeypatch.setattr(bitsieve.results.selection, "MAX_CELLS_DRAWN", 10)
    assert read_page(selection._repr_html_()).seen.count("svg") == 0


def test_explain_from_the_command_line(data, capsys):
    assert main(["explain", "mean_area", str(data), "--target", "diagnosis", "--features", "3"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("'mean_area' is ")
    assert main(["explain", "mean_area", str(data), "--target", "diagnosis", "--features", "3", "--json"]) == 0
    assert '"relevance": 0.' in capsys.readouterr().out
    assert main(["explain", "mean_are", str(data), "--target", "diagnosis"]) == 2
    assert "there is no column 'mean_are': did you mean 'mean_area'" in capsys.readouterr().err


def test_saved_counts_have_a_report_of_pairs(tmp_path, read_page):
    rows, counts, page = (tmp_path / name for name in ("rows.csv", "counts", "report.html"))
    random = np.random.default_rng(0)
    first, second = random.integers(0, 3, (2, 200))
    pd.DataFrame({"first": first, "second": second, "ill": first + second > 2}).to_csv(rows, index=False)
    assert main(["count", str(rows), "--target", "ill", "--save", str(counts)]) == 0
    assert main(["select", "--counts", str(counts), "--features", "2", "--report", str(page)]) == 0
    text = " ".join(read_page(page.read_text("utf-8")).text)
    assert "What each adds" in text
    assert "the saved counts are of pairs of columns" in text
    assert "How many to take" not in text
    assert "Copies and substitutes" not in text


@pytest.mark.slow("draws a report of its own")
def test_notes_stand_at_the_column_that_they_name():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    frame = pd.DataFrame(random.normal(size=(200, 3)) + y[:, None] / 2, columns=["one", "two", "three"])
    frame["state"], frame["flat"], frame["id"] = y, 7, [f"c{j}" for j in range(200)]
    found = bitsieve.select(frame, y, n_features_to_select=5)
    (leak,) = [note for note in found.notes if "prediction time" in note]
    page = html.unescape(selection_report(found))
    assert page.index("<p>Notes</p>") < page.index(">Which columns, and how sure</h2>")
    of_columns = page[page.index(">All columns</h2>") :]
    rows = dict(re.findall(r'<th scope="row">(\w+)</th>\n<td class="text long">(.*?)</td>', of_columns))
    assert rows["state"] == leak
    assert rows["one"] == "no cut accepted"
    assert rows["flat"] == "constant"
    assert "Next would come" not in page  # the identifier is left, and was left out


def test_what_has_no_report(tmp_path):
    with pytest.raises(ValueError, match="list has no report: give what"):
        bitsieve.write_report([], tmp_path / "report.html")


@pytest.mark.slow("reports of several tables")
def test_a_quantity_is_drawn_over_each_feature(read_page):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    page = read_page(selection_report(bitsieve.select(X, y, n_features_to_select=3)))
    assert page.seen.count("svg") == 5
    text = " ".join(page.text)
    assert "target over each feature" in text
    assert all(title in text for title in ("1: ", "2: ", "3: "))


@pytest.mark.slow("a report; the test of quantities draws one")
def test_times_are_written_as_such():
    """Cuts of columns that count in microseconds, of every kind of time, in text and not: the middle of both ends."""
    minutes = np.r_[np.arange(30), np.arange(30) + 90]
    at = np.datetime64("2024-03-01T12:00", "us") + minutes.astype("m8[D]")
    columns = {
        "text": [f"{m // 60} h {m % 60} min" for m in minutes],
        "length": pa.array(minutes * 1_500_000, pa.duration("us")),
        "at": at,
        "day": [f"{day:%d.%m.%Y}" for day in at.tolist()],
        "y": ["p"] * 30 + ["q"] * 30,
    }
    page = selection_report(bitsieve.select(pa.table(columns), "y", binning="uniform", n_bins=2, method="mim"))
    for cut in ("59.5 min", "1.4875 min", "2024-04-30", "2024-04-29 12:00:00"):
        assert f"&lt; {cut}</th>" in page, cut
    assert "4 columns: 2 of dates, 2 of durations" in page


def matched_pairs():
    random = np.random.default_rng(3)
    pair = np.repeat(np.arange(60), 2)
    case = np.tile([1, 0], 60)
    exposure = (random.random(120) < 0.2 + 0.5 * case).astype(int)
    noise = random.integers(0, 3, 120)
    return pd.DataFrame({"exposure": exposure, "noise": noise, "pair": pair.astype(str), "case": case})


def test_calls_that_are_shown_have_the_strata_and_their_effect():
    frame = matched_pairs()
    options = {"effect": "common", "method": "mim", "n_features_to_select": 2}
    named = bitsieve.select(frame, "case", strata="pair", **options)
    page = html.unescape(selection_report(named, when=NOON))
    assert "bitsieve.compare(data, 'case', methods=['mim'], strata='pair', effect='common')" in page
    assert "bitsieve compare --methods mim --strata pair --effect common" in page
    assert "    strata='pair',\n    effect='common',\n" in page
    by_values = bitsieve.select(frame.drop(columns="pair"), "case", strata=frame["pair"], **options)
    assert "    strata=strata,\n    effect='common',\n" in html.unescape(selection_report(by_values, when=NOON))


def test_calls_that_are_shown_have_the_bins_of_each_stratum():
    random = np.random.default_rng(5)
    batch = np.arange(200) % 2
    ill = (random.random(200) < 0.3 + 0.3 * batch).astype(int)
    frame = pd.DataFrame({"stain": random.normal(size=200) + ill + 9 * batch, "batch": batch, "ill": ill})
    selection = bitsieve.select(frame, "ill", strata="batch", bins_within=True, method="mim")
    page = html.unescape(selection_report(selection, when=NOON))
    assert "bitsieve.compare(data, 'ill', methods=['mim'], strata='batch', bins_within=True)" in page
    assert "bitsieve compare --methods mim --strata batch --bins-within" in page


def test_heterogeneity_is_in_no_report_of_matched_pairs():
    frame = matched_pairs()
    selection = bitsieve.select(frame, "case", strata="pair", effect="common", method="mim", n_features_to_select=2)
    page = selection_report(selection, when=NOON)
    assert '<th scope="col">pooled</th>' in page
    assert '<th scope="col">heterogeneity</th>' not in page
    assert "it is not known how much the strata differ" in page
