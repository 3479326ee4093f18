"""The one-call selection: every kind of input, its explanation, and one clear line for what cannot be done."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn.datasets import load_breast_cancer, load_iris

import bitsieve
from bitsieve.cli import main
from bitsieve.dataset import read as read_xy
from bitsieve.io.npz import ArrayTable
from bitsieve.io.write import write_table


@pytest.fixture(scope="module")
def iris():
    data = load_iris()
    names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    return data.data, data.target, names


def as_pandas(X, y, names):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(X, columns=names).assign(species=y)


def as_polars(X, y, names):
    polars = pytest.importorskip("polars")
    return polars.DataFrame({**dict(zip(names, X.T, strict=True)), "species": y})


def as_arrow(X, y, names):
    return pa.table({**{name: X[:, j] for j, name in enumerate(names)}, "species": y})


TABLES = [as_pandas, as_polars, as_arrow]


@pytest.mark.parametrize("method", ["mim", "jmi", "speccmi"])
def test_every_kind_of_input_gives_the_same_selection(iris, tmp_path, method):
    X, y, names = iris
    wanted = bitsieve.select(X, y, method=method, n_features_to_select=3)
    assert wanted.features == [f"x{j}" for j in wanted.indices]
    inputs = [(make(X, y, names), "species") for make in TABLES]
    inputs += [(make(X, y, names).drop(columns="species"), y) for make in (as_pandas,)]
    parquet.write_table(as_arrow(X, y, names), tmp_path / "iris.parquet")
    np.savez(tmp_path / "iris.npz", X=X, y=y, feature_names=np.array(names))
    inputs += [(tmp_path / "iris.parquet", "species"), (str(tmp_path / "iris.npz"), None), (X.tolist(), y.tolist())]
    for data, target in inputs:
        got = bitsieve.select(data, target, method=method, n_features_to_select=3)
        assert got.indices.tolist() == wanted.indices.tolist()
        assert got.scores.tobytes() == wanted.scores.tobytes()
        assert got.relevance.tobytes() == wanted.relevance.tobytes()
        assert got.overlap.tobytes() == wanted.overlap.tobytes()
        if not isinstance(data, list):
            assert got.features == [names[j] for j in wanted.indices]


def test_the_target_may_stand_anywhere(iris):
    X, y, names = iris
    wanted = bitsieve.select(X, y, method="mim", n_features_to_select=4)
    frame = as_pandas(X, y, names)[[*names[:2], "species", *names[2:]]]
    got = bitsieve.select(frame, "species", method="mim", n_features_to_select=4)
    assert got.indices.tolist() == wanted.indices.tolist()
    assert got.features == [names[j] for j in wanted.indices]


def test_the_fields_agree_with_the_fitted_selector(iris):
    X, y, names = iris
    selection = bitsieve.select(as_pandas(X, y, names), "species", method="jmi", n_features_to_select=3)
    selector = selection.selector
    assert selection.indices.tolist() == selector.selected_.tolist()
    np.testing.assert_array_equal(selection.relevance, selector.relevance_[selector.selected_])
    assert selection.overlap_with[0] is None
    assert np.isnan(selection.overlap[0])
    for place in (1, 2):
        assert selection.overlap_with[place] in selection.features[:place]
    assert selection.method == "jmi"
    assert selection.target_name == "species"
    assert selection.target.n_classes == 3


def test_the_reduced_table_is_of_the_same_kind_with_the_same_types():
    y = [0, 1] * 6
    values = {
        "small": np.array(y, dtype=np.int8),
        "half": np.array(y, dtype=np.float32),
        "word": np.array(["a", "b"] * 6),
        "flag": np.array(y, dtype=bool),
    }
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frames = [
        pandas.DataFrame(values, index=range(100, 112)).astype({"word": "category"}),
        polars.DataFrame(values, schema_overrides={"word": polars.Categorical}),
        pa.table({**values, "word": pa.array(values["word"]).dictionary_encode()}),
    ]
    for frame in frames:
        selection = bitsieve.select(frame, y, method="mim", n_features_to_select=3, binning="quantile")
        table = selection.table
        assert type(table) is type(frame)
        assert list(table.columns if hasattr(table, "dtypes") else table.column_names) == selection.features
        if isinstance(frame, pandas.DataFrame):
            pandas.testing.assert_frame_equal(table, frame[selection.features])
        elif isinstance(frame, pa.Table):
            assert table.equals(frame.select(selection.features))
        else:
            assert table.equals(frame.select(selection.features))
            assert table.schema == frame.select(selection.features).schema
    X = np.column_stack([values["small"], values["flag"]]).astype(np.int16)
    table = bitsieve.select(X, y, method="mim", n_features_to_select=1, binning="none").table
    assert (table.shape, table.dtype) == ((12, 1), np.int16)


def test_npz_gives_arrays(tmp_path, iris):
    X, y, names = iris
    path = tmp_path / "iris.npz"
    np.savez(path, X=X.astype(np.float32), y=y, feature_names=np.array(names))
    selection = bitsieve.select(path, n_features_to_select=2)
    np.testing.assert_array_equal(selection.table, X.astype(np.float32)[:, np.sort(selection.indices)])
    assert selection.table.dtype == np.float32
    assert selection.target_name == "y"
    # a feature may be the target, and y is then not used
    of_feature = bitsieve.select(path, "sepal_width", n_features_to_select=3, method="mim")
    assert of_feature.target.kind == "binned"
    assert sorted(of_feature.features) == sorted(set(names) - {"sepal_width"})


def test_targets_of_every_kind(iris):
    X, y, _ = iris
    wanted = bitsieve.select(X, y, n_features_to_select=2)
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    targets = [y.astype(float), words, words.astype(object), words.tolist()]
    targets += [pandas.Series(words, dtype="category"), polars.Series(words), pa.chunked_array([words])]
    for target in targets:
        got = bitsieve.select(X, target, n_features_to_select=2)
        assert got.indices.tolist() == wanted.indices.tolist()
        assert got.scores.tobytes() == wanted.scores.tobytes()
        assert got.target.kind == "classes"


def test_a_continuous_target_is_binned_and_said_so(iris):
    X, _, _ = iris
    selection = bitsieve.select(X[:, :3], X[:, 3] + 0.5, method="mim", n_features_to_select=1, target_bins=3)
    assert selection.features == ["x2"]  # petal length tells most about petal width
    assert selection.target.kind == "binned"
    assert selection.target.n_classes == 3
    (note,) = [note for note in selection.notes if "quantity" in note]
    assert note.startswith("target 'target' is a quantity: cut into 3 classes at ")
    document = selection.to_dict()
    assert len(document["target"]["edges"]) == 2


@pytest.mark.slow("forty thousand classes")
def test_forty_thousand_distinct_strings():
    n = 40_000
    codes = np.arange(n)
    names = np.array([f"name {code}" for code in codes])
    names[35] = names[0]  # a target that differs in every row is refused; these two rows are alike in both columns
    table = {"low": codes % 7, "high": codes // 5_000, "y": names}
    selection = bitsieve.select(
        pa.table(table), "y", method="mim", binning="none", n_features_to_select=2, estimator="plug-in"
    )
    # No class has rows of two codes, so I(X;C) = H(X): log2(8) = 3 bits of 8 equal codes, and nearly log2(7) of 7.
    assert selection.features == ["high", "low"]
    assert selection.relevance[0] == 3.0
    assert any("39,999 classes in 40,000 rows" in note for note in selection.notes)
    assert selection.to_dict()["target"]["labels"] is None


def test_printed_table(iris):
    X, y, names = iris
    selection = bitsieve.select(as_arrow(X, y, names), "species", method="mim", n_features_to_select=3)
    lines = str(selection).splitlines()
    assert len(lines) == 4
    header = "rank  feature"
    assert lines[0].startswith(header)
    for heading in ("score (bits)", "relevance (bits)", "overlaps most with", "overlap (bits)"):
        assert heading in lines[0]
    assert lines[1].split()[:4] == ["1", selection.features[0], *[f"{selection.relevance[0]:.4f}"] * 2]
    assert lines[2].split()[4] == selection.features[0]
    ends = {line.rindex(line.split()[3]) + len(line.split()[3]) for line in lines[1:]}
    assert len(ends) == 1  # the numbers of a column end at one place


def test_names_cannot_break_the_printed_table():
    y = np.array([0, 1] * 5)
    table = pa.table({"two\nlines": y, "bell\x1b[31m": 1 - y, "広い": y % 2, "y": y})
    text = str(bitsieve.select(table, "y", method="mim", binning="none", n_features_to_select=3))
    printed_table, _, _ = text.partition("\n\n")
    assert len(printed_table.splitlines()) == 4
    assert "\x1b" not in text
    assert "two\\nlines" in text


def test_document_is_json(iris):
    X, y, names = iris
    selection = bitsieve.select(as_pandas(X, y, names), "species", method="miq", n_features_to_select=3)
    document = json.loads(json.dumps(selection.to_dict(), allow_nan=False))
    assert document["score_unit"] == "ratio"
    assert document["n_samples"] == 150
    assert document["n_features"] == 4
    assert document["target"] == {
        "name": "species",
        "kind": "classes",
        "n_classes": 3,
        "labels": [0, 1, 2],
        "edges": None,
    }
    assert [feature["rank"] for feature in document["features"]] == [1, 2, 3]
    assert [feature["name"] for feature in document["features"]] == selection.features
    assert document["features"][0]["overlap_with"] is None
    assert document["features"][0]["overlap_bits"] is None
    assert document["features"][1]["overlap_bits"] == selection.overlap[1]


def test_parameters_reach_the_binner_and_the_method(iris):
    X, y, _ = iris
    selection = bitsieve.select(X, y, method="mifs", n_features_to_select=2, binning="quantile", n_bins=3, beta=0.5)
    assert selection.selector.binner_.n_bins == 3
    assert selection.parameters == {
        "n_features_to_select": 2,
        "binning": "quantile",
        "n_bins": 3,
        "target_bins": None,
        "target_kind": None,
        "beta": 0.5,
    }
    binner = bitsieve.EqualWidthBinner(n_bins=4)
    assert bitsieve.select(X, y, n_features_to_select=1, binning=binner).selector.binner_.n_bins == 4
    with pytest.raises(ValueError, match="binning is an object"):
        bitsieve.select(X, y, binning=binner, n_bins=3, n_features_to_select=1)
    with pytest.raises((TypeError, ValueError), match="gamma"):
        bitsieve.select(X, y, method="jmi", gamma=1, n_features_to_select=2)


def noisy(n_noise=6, n=200):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    columns = {f"noise{j}": rng.normal(size=n) for j in range(n_noise)}
    return {"signal": y + rng.normal(scale=0.1, size=n), **columns}, y


def test_a_column_that_is_informative_by_its_gaps_is_not_said_to_have_no_bits():
    columns, y = noisy()
    gaps = np.where(y == y[0], np.nan, columns["noise0"])
    selection = bitsieve.select(
        pa.table({**columns, "gaps": gaps}), y, method="mim", n_features_to_select=2, missing="bin"
    )
    assert sorted(selection.features) == ["gaps", "signal"]
    (note,) = [note for note in selection.notes if "no reliable relation" in note]
    assert "'noise0'" in note
    assert "'gaps'" not in note


def test_note_of_columns_left_whole():
    columns, y = noisy()
    table = pa.table({**columns, "flat": np.full(len(y), 2.5)})
    selection = bitsieve.select(table, y, method="mim", n_features_to_select=2)
    assert selection.features[0] == "signal"
    whole = len(selection.selector.binner_.uncut_) - (
        "flat" in [table.column_names[j] for j in selection.selector.binner_.uncut_]
    )
    (note,) = [note for note in selection.notes if "no reliable relation" in note]
    assert note.startswith(f"{whole} of 7 numeric columns show no reliable relation to 'target' and score 0 bits: ")
    assert "uncut='median'" in note
    assert "column 'flat' is constant" in selection.notes
    cut = bitsieve.select(table, y, method="mim", n_features_to_select=2, uncut="median")
    assert any("and are split at their median: " in note for note in cut.notes)


def test_note_of_identifiers_and_row_numbers():
    columns, y = noisy(0)
    order = np.argsort(y, kind="stable")
    table = pa.table(
        {
            "row": np.arange(len(y)),
            "signal": columns["signal"][order],
            "name": [f"person {j}" for j in range(len(y))],
        }
    )
    assert bitsieve.select(table, y[order], method="mim").features == ["signal"]
    selection = bitsieve.select(table, y[order], method="mim", include=["row", "name"], n_features_to_select=3)
    assert any(note.startswith("column 'name' looks like an identifier") for note in selection.notes)
    assert any(note.startswith("column 'row' only counts the rows") for note in selection.notes)


def test_note_of_columns_of_many_values():
    """Of a column that tells nothing Miller's term is the mean: a note from 21 values on."""
    draw = np.random.default_rng(0)
    n, y = 2000, np.arange(2000) % 2
    table = pa.table(
        {
            "signal": y ^ (draw.random(n) < 0.1),
            "shop": pa.array(
                [f"shop {j}" for j in draw.integers(0, 300, n)]
            ),  # (299) (1) / (2 N ln 2) = 0.108 bits by chance
            "copy": pa.array(
                [f"copy {j % 2} {j % 44 // 2}" for j in range(n)]
            ),  # 44 values tell the class: 0.016 of 1 bit
            "few": pa.array([f"few {j}" for j in draw.integers(0, 20, n)]),  # nothing but chance, and not many values
        }
    )
    what = "1 column has so many different values that chance alone makes 10 % or more of its information: "
    plain = bitsieve.select(table, y, method="jmi", estimator="plug-in")
    (note,) = [note for note in plain.notes if "so many different values" in note]
    assert note == f"{what}'shop'; group its values, or compare with estimator='corrected'"
    (note,) = [note for note in bitsieve.select(table, y, method="speccmi").notes if "so many different values" in note]
    assert note == f"{what}'shop'; group its values"
    corrected = bitsieve.select(table, y, method="jmi")
    assert not [note for note in corrected.notes if "so many different values" in note]


def test_no_notes_without_reason(iris):
    X, y, _ = iris
    assert bitsieve.select(X, y, method="jmi", n_features_to_select=2).notes == []
    (note,) = bitsieve.select(X, y, method="speccmi", n_features_to_select=2).notes
    assert note == "by the criterion of the method, these 2 features reach at least 90.4 % of the best possible value"
    (note,) = bitsieve.select(X, y, method="speccmi").notes  # all four: there is no other choice
    assert note == "this is the best subset by the criterion of the method: no other 4 features are better together"


def test_a_reduced_file_can_be_selected_from_again(tmp_path):
    data = load_breast_cancer()
    first = bitsieve.select(data.data, data.target, n_features_to_select=5)
    write_table(ArrayTable(first.table, data.target, first.features), tmp_path / "reduced.npz", "y")
    again = bitsieve.select(tmp_path / "reduced.npz", n_features_to_select=5, method="mim")
    assert sorted(again.features) == sorted(first.features)


@pytest.mark.parametrize("method", ["jmi", "relieff", "vmi"])
def test_features_and_target_are_read_once(iris, method, monkeypatch):
    X, y, names = iris
    calls = []
    for name in ("read_columns", "read_target"):
        read = getattr(read_xy, name)
        monkeypatch.setattr(
            read_xy, name, lambda *given, _read=read, **named: calls.append(1) or _read(*given, **named)
        )
    bitsieve.select(as_arrow(X, y, names), "species", method=method, n_features_to_select=2)
    assert len(calls) == 2


def test_the_explanation_is_not_put_on_a_selector_that_counts_nothing(iris):
    X, y, names = iris
    selection = bitsieve.select(as_arrow(X, y, names), "species", method="relieff", n_features_to_select=2)
    expected = bitsieve.mutual_information(X, y)
    assert selection.relevance.tolist() == expected[selection.indices].tolist()
    for name in ("relevance_", "overlap_", "overlap_with_", "binner_"):
        assert not hasattr(selection.selector, name)
    of_vmi = bitsieve.select(X, y, method="vmi", binning=None, n_features_to_select=2)
    assert of_vmi.selector.binner_ is None  # densities; the explanation alone is binned


def test_a_binned_target_is_the_selectors_own(iris):
    X, _, _ = iris
    selection = bitsieve.select(X[:, :3], X[:, 3] + 0.5, method="relieff", n_features_to_select=1, target_bins=3)
    assert selection.selector.classes_ is selection.target.labels
    assert selection.selector.target_edges_ is selection.target.edges
    assert len(selection.target.edges) == 2


def test_numbers_among_text_stay_numbers():
    rows = [[0.5, "a"], [1.5, "b"], [0.25, "a"], [2.5, "b"], [0.75, "b"], [3.5, "a"]]
    selection = bitsieve.select(
        rows,
        [0, 1, 0, 1, 0, 1],
        method="mim",
        binning="quantile",
        n_features_to_select=1,
        n_bins=2,
        estimator="plug-in",
    )
    assert selection.features == ["x0"]
    assert selection.relevance.tolist() == [1.0]
    assert selection.selector.binner_.categories_[0] is None


def test_a_weight_column_of_an_archive_is_written_with_the_selection(tmp_path, iris):
    X, y, _ = iris
    times = np.arange(150) % 3
    np.savez(tmp_path / "in.npz", X=np.column_stack([X, times]), y=y, feature_names=np.array([*"abcd", "times"]))
    arguments = ["select", str(tmp_path / "in.npz"), "--weight", "times", "--features", "2", "--method", "mim"]
    assert main([*arguments, "--output", str(tmp_path / "out.parquet")]) == 0
    written = parquet.read_table(tmp_path / "out.parquet")
    assert sorted(written.column_names[:2]) == ["c", "d"]
    assert written.column_names[2:] == ["y", "times"]
    assert written["times"].to_pylist() == times.tolist()
    assert main([*arguments, "--output", str(tmp_path / "out.npz")]) == 0
    assert np.load(tmp_path / "out.npz")["feature_names"].tolist() == [*written.column_names[:2], "times"]


def test_notes_speak_of_one_feature_as_one():
    columns, y = noisy(0)
    X = np.column_stack([columns["signal"], np.random.default_rng(1).normal(size=(len(y), 3))])
    (note,) = [n for n in bitsieve.select(X, y, n_features_to_select="auto", uncut="median").notes if "stop" in n]
    assert note.startswith("stopped after 1 feature by significance: next was ")
    (note,) = bitsieve.select(X[:, :1], y, method="speccmi", n_features_to_select=1).notes
    assert note == "this is the best subset by the criterion of the method: no other feature is better"


def test_numeric_columns_are_counted_as_one_counts_them():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 300)
    numbers = {
        "signal": y + random.normal(size=300),
        "noise": random.normal(size=300),
        "few": random.integers(0, 5, 300),
    }
    others = {"word": random.choice(list("abc"), 300), "flat": np.ones(300)}
    notes = bitsieve.select(pa.table({**numbers, **others, "y": y}), "y").notes
    assert [note for note in notes if note.startswith("1 of 3 numeric columns shows no reliable relation")]


def test_what_is_not_shown_to_be_informative_is_marked_and_a_list_of_nothing_else_is_given():
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 200)
    noise = pa.table({name: random.normal(size=200) for name in "abc"})
    selection = bitsieve.select(noise.append_column("signal", pa.array(y + random.normal(size=200))), y)
    assert selection.features[0] == "signal"
    assert selection.informative.tolist() == [True, False, False, False]
    assert selection.informative_state == ["alone", *["not shown"] * 3]
    assert str(selection).splitlines()[0].endswith("  informative")
    assert [line.endswith("  not shown") for line in str(selection).splitlines()[1:5]] == [False, True, True, True]
    assert selection.to_frame()["informative"].tolist() == selection.informative.tolist()
    nothing = bitsieve.select(noise, y)
    assert not nothing.informative.any()
    assert any("relevance 0" in note for note in nothing.notes)
    assert nothing.explain("a").relevance == 0


def test_the_reduced_table_has_the_order_that_transform_gives():
    random = np.random.default_rng(2)
    y = random.integers(0, 2, 100)
    X = np.column_stack([y + random.normal(size=100), random.normal(size=100), y + 0.1 * random.normal(size=100)])
    selection = bitsieve.select(X, y, method="mim", n_features_to_select=2)
    assert selection.features == ["x2", "x0"]
    np.testing.assert_array_equal(selection.table, X[:, [0, 2]])
    np.testing.assert_array_equal(selection.table, selection.selector.transform(X))
