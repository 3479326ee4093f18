"""Bins of each stratum (`bins_within=True`) in a selection: by every door, saved, and where they are refused."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from scipy.stats import norm
from tests.diagnosed import codes, noted, raises_code

import bitsieve
from bitsieve import EqualFrequencyBinner
from bitsieve.api.apply import ApplyOptions, apply_to_file
from bitsieve.api.verify import verify_selection
from bitsieve.options import ExecutionOptions
from bitsieve.report.columns import bin_labels
from bitsieve.results.comparison import selecting_call

N = 300
pytestmark = pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")


def batches(seed=0, shift=8):
    """Three batches that shift two columns. The class depends on the batch, and two columns on the class."""
    random = np.random.default_rng(seed)
    batch = random.integers(0, 3, N)
    y = (random.random(N) < 0.2 + 0.3 * batch).astype(int)
    values = np.rint(64 * random.normal(size=(N, 4))) / 64
    return pd.DataFrame(
        {
            "stain": values[:, 0] + y + shift * batch,
            "marker": np.where(random.random(N) < 0.1, np.nan, values[:, 1] + y),
            "noise": values[:, 2] - shift * batch,
            "other": values[:, 3],
            "kind": np.array(["a", "b", "c"])[(y + random.integers(0, 3, N)) % 3],
            "batch": np.array(["k", "l", "m"])[batch],
            "y": y,
        }
    )


def select(table, method="jmi", **options):
    return bitsieve.select(table, "y", method=method, **{"strata": "batch", "bins_within": True, **options})


def assert_same_bits(selection, expected):
    assert selection.features == expected.features
    for attribute in ("scores", "relevance", "relevance_pooled", "heterogeneity"):
        assert getattr(selection, attribute).tobytes() == getattr(expected, attribute).tobytes(), attribute


def assert_close(selection, expected):
    """The mean of a common effect by chance is a sum of floats in the order of the strata."""
    assert selection.features == expected.features
    for attribute in ("scores", "relevance", "relevance_pooled", "heterogeneity"):
        np.testing.assert_allclose(getattr(selection, attribute), getattr(expected, attribute), atol=1e-12)


def bits_of(column, selection):
    return selection.relevance[selection.features.index(column)]


OPTIONS = {
    "default": {},
    "quantiles": {"binning": "quantile", "n_bins": 3},
    "widths": {"binning": "uniform", "n_bins": 4, "method": "mrmr"},
    "common": {"effect": "common", "stopping": "permutation", "method": "mim"},
    "rule": {"stopping": "fdr", "n_features_to_select": "auto"},
    "fcbf": {"method": "fcbf"},
}
with_every_rule = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


@with_every_rule
def test_a_shift_of_each_batch_changes_nothing(options):
    assert_same_bits(select(batches(shift=8), **options), select(batches(shift=0), **options))


@with_every_rule
def test_names_of_batches_doors_and_threads_change_nothing(options):
    table = batches()
    expected = select(table, **options)
    renamed = table.assign(batch=table["batch"].map({"k": "3", "l": "1", "m": "2"}))
    assert_close(select(renamed, **options), expected)
    for data in (pl.from_pandas(table), pa.Table.from_pandas(table), pl.from_pandas(table).lazy()):
        assert_same_bits(select(data, **options), expected)
    assert_same_bits(select(table, n_jobs=3, **options), expected)
    assert_same_bits(select(table.drop(columns="batch"), strata=table["batch"], **options), expected)


def test_one_batch_has_the_bins_of_all_rows():
    table = batches().assign(batch="k")
    options = {"binning": "quantile", "n_bins": 4}
    assert_same_bits(select(table, **options), select(table, bins_within=False, **options))


def test_a_shifted_column_is_found_by_the_bins_of_each_batch():
    table = batches()
    options = {"method": "mim", "binning": "quantile", "n_bins": 3}
    pooled = select(table, bins_within=False, **options)
    within = select(table, **options)
    assert pooled.features[0] == "marker"
    assert {*within.features[:2]} == {"stain", "marker"}
    assert bits_of("stain", within) > 3 * max(bits_of("stain", pooled), 0.01)


def test_selectors_find_the_same():
    table = batches()
    X = table.drop(columns=["batch", "y"])
    expected = select(table)
    for selector in (
        bitsieve.ForwardSelector(5, criterion="jmi", bins_within=True),
        bitsieve.make_selector("jmi", 5, bins_within=True),
        bitsieve.ForwardSelector(
            5, criterion="jmi", binning=EqualFrequencyBinner(n_bins=4, uncut="apart", missing="bin", bins_within=True)
        ),
    ):
        selector.fit(X, table["y"], strata=table["batch"])
        assert selector.selected_.tolist() == expected.indices.tolist()
        assert selector.scores_.tobytes() == expected.scores.tobytes()
        assert selector.transform(X).columns.tolist() == X.columns.tolist()
        binner = EqualFrequencyBinner(n_bins=4, bins_within=True)
        codes_of_stain = binner.fit_transform(X[["stain"]], strata=table["batch"])[:, 0]
        assert selector.binner_.transform(X, strata=table["batch"])[:, 0].tolist() == codes_of_stain.tolist()


def test_a_comparison_ranks_in_each_fold_as_a_selection_of_its_rows():
    table = batches().assign(grade=lambda t: t["y"] + np.random.default_rng(1).integers(0, 3, N))
    train = np.flatnonzero(np.arange(N) % 3 > 0)
    test = np.flatnonzero(np.arange(N) % 3 == 0)
    how = {"features": [6], "folds": [(train, test)], "classifier": "ncm", "baselines": False}
    for missing in (None, "bin"):
        options = {"strata": "batch", "bins_within": True, "missing": missing}
        comparison = bitsieve.compare(table, "y", methods=["mim", "jmi"], **options, **how)
        for method, selected in zip(comparison.methods, comparison.selected, strict=True):
            expected = bitsieve.select(table.iloc[train], "y", method=method, n_features_to_select=6, **options)
            assert selected[0].tolist() == expected.indices.tolist()
        assert "bins-of-each-stratum" in codes(comparison)
        assert "bins_within=True" in selecting_call(comparison)


def test_how_many_and_the_choice_by_errors_have_the_bins_of_each_batch():
    table = batches()
    how = {"method": "mim", "folds": 3, "n_pairs": 2, "classifier": "ncm"}
    asked = bitsieve.how_many(table, "y", strata="batch", bins_within=True, **how)
    assert "bins-of-each-stratum" in codes(asked)
    rule = EqualFrequencyBinner(n_bins=4, uncut="apart", missing="bin", bins_within=True)
    by_rule = bitsieve.how_many(table, "y", strata="batch", binning=rule, **how)
    assert [answer.features for answer in asked.answers] == [answer.features for answer in by_rule.answers]
    X = table.drop(columns=["batch", "y"])
    chosen = bitsieve.SelectorCV(methods=["mim"], features=[2], folds=3, classifier="ncm", bins_within=True)
    chosen.fit(X, table["y"], strata=table["batch"])
    expected = select(table, method="mim", n_features_to_select=2)
    assert chosen.selected_.tolist() == expected.indices.tolist()
    assert chosen.scores_.tobytes() == expected.scores.tobytes()


@pytest.mark.parametrize("question", [bitsieve.compare, bitsieve.how_many])
def test_questions_refuse_what_has_no_effect(question):
    whole_numbers = batches()[["kind", "batch", "y"]].assign(grade=lambda t: t["y"] + np.arange(N) % 3)
    for options, code in (
        ({"bins_within": True}, "parameter-not-allowed"),
        ({"bins_within": True, "strata": "batch", "binning": "mdl"}, "unknown-parameter"),
        ({"bins_within": True, "strata": "batch"}, "parameter-without-effect"),
    ):
        with raises_code(code):
            question(whole_numbers, "y", **options)


def test_the_number_of_bins_is_said():
    table = batches()
    note = noted(select(table), "bins-of-each-stratum")
    assert note.fix == {"n_bins": 4}
    assert note.severity == "note"
    assert "bins-of-each-stratum" not in codes(select(table, binning="quantile"))
    assert "bins-of-each-stratum" not in codes(select(table, bins_within=False))


def test_columns_without_a_cut_are_a_reason_to_try_it():
    table = batches()
    note = noted(select(table, bins_within=False), "ordered-by-position")
    assert note.fix == {"binning": "quantile", "bins_within": True}
    assert "bins_within=True" in str(note)
    assert "ordered-by-position" not in codes(select(table, **note.fix))


def test_columns_of_few_whole_numbers_stay_categories():
    table = batches()
    table["grade"] = table["y"] + np.random.default_rng(1).integers(0, 3, N)
    as_text = table.assign(grade=table["grade"].astype(str))
    assert_same_bits(select(table, method="mim"), select(as_text, method="mim"))


def test_a_selection_is_saved_and_takes_columns_but_no_codes(tmp_path):
    table = batches()
    selection = select(table, n_features_to_select=2)
    selection.save(tmp_path / "selection.json")
    loaded = bitsieve.load(tmp_path / "selection.json")
    assert loaded.details.columns == selection.details.columns
    assert all(column.cut.within_strata and column.cut.edges == () for column in loaded.details.columns)
    assert loaded.parameters["bins_within"] is True
    assert loaded.details.settled["bins_within"] is True
    assert loaded.transform(table).columns.tolist() == selection.to_sklearn().transform(table).columns.tolist()
    for use in (
        lambda: loaded.transform(table, codes=True),
        lambda: loaded.transform(table, append_score=True),
        lambda: loaded.check(table),
        lambda: apply_to_file(loaded, table, ApplyOptions(output=None, check=True)),
    ):
        with raises_code("no-bins-saved") as raised:
            use()
        assert raised.value.columns
    assert verify_selection(loaded, table, ExecutionOptions()).agrees
    assert not verify_selection(loaded, batches(seed=1), ExecutionOptions()).agrees


def test_a_selection_of_categories_alone_has_codes():
    table = batches()
    selection = select(table, include=["kind"], n_features_to_select=1)
    assert selection.features == ["kind"]
    assert selection.transform(table, codes=True)["kind"].nunique() == 3


def test_the_digest_of_the_values_is_of_the_edges_of_each_batch():
    table = batches()
    digest = select(table).details.values_digest
    assert select(table.sample(frac=1, random_state=0)).details.values_digest == digest
    moved = table.assign(other=table["other"] + (table["batch"] == "l"))
    assert select(moved).details.values_digest != digest


def test_reports_name_the_bins_by_their_number():
    table = batches()
    selection = select(table, n_features_to_select=2, binning="quantile", n_bins=3)
    binner = selection.evidence.binner
    marker = list(selection.evidence.table.names).index("marker")
    labels = [f"bin {number} of 3 of the stratum" for number in (1, 2, 3)]
    assert bin_labels(binner, marker, 4) == [*labels, "missing"]


def test_a_copy_of_the_class_is_a_leak():
    table = batches().assign(copy=lambda t: t["y"] + 0.5)
    assert [*noted(select(table), "leak").columns] == ["copy"]


def test_a_quantity_has_bins_of_each_batch():
    random = np.random.default_rng(0)
    table = batches().assign(y=lambda t: t["other"] + random.normal(size=N))
    assert select(table, method="mim").features[0] == "other"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"strata": None}, "parameter-not-allowed"),
        ({"bins_within": "yes"}, "parameter-not-allowed"),
        ({"binning": "mdl"}, "unknown-parameter"),
        ({"binning": "monotone"}, "unknown-parameter"),
        ({"binning": "none"}, "unknown-parameter"),
        ({"binning": EqualFrequencyBinner()}, "contradicting-parameters"),
        ({"uncut": "median"}, "parameter-not-allowed"),
        ({"method": "relieff"}, "strata-not-supported"),
        ({"engine": "database"}, "rows-not-in-memory"),
        ({"push_down": True}, "rows-not-in-memory"),
    ],
)
def test_what_has_no_effect_is_refused(options, code):
    table = pl.from_pandas(batches()).lazy() if {"engine", "push_down"} & {*options} else batches()
    with raises_code(code):
        select(table, **options)


def test_a_rule_that_has_it_is_named():
    with raises_code("unknown-parameter") as raised:
        select(batches(), binning="mdl")
    assert "'quantile' or 'uniform'" in str(raised.value)


def test_a_table_without_numbers_is_refused():
    table = batches()[["kind", "batch", "y"]].assign(grade=lambda t: t["y"] + np.arange(N) % 3)
    with raises_code("parameter-without-effect") as raised:
        select(table)
    assert raised.value.fix == {"binning": "quantile"}
    codes_alone = np.random.default_rng(0).integers(0, 3, (N, 4))
    with raises_code("parameter-without-effect"):
        bitsieve.select(codes_alone, table["y"], strata=table["batch"], bins_within=True)


def test_sparse_rows_are_refused():
    table = batches()
    X = csr_array(table[["stain", "noise", "other"]].to_numpy())
    with raises_code("dense-rows-needed"):
        bitsieve.select(X, table["y"], strata=table["batch"], bins_within=True)
    with raises_code("dense-rows-needed"):
        bitsieve.ForwardSelector(2, bins_within=True).fit(X, table["y"], strata=table["batch"])


def test_rows_that_are_not_in_memory_are_refused():
    import dask.dataframe as dd

    frame = dd.from_pandas(batches(), npartitions=2)
    with raises_code("rows-not-in-memory"):
        select(frame)
    with raises_code("rows-not-in-memory"):
        bitsieve.ForwardSelector(2, bins_within=True).fit(frame, "y", strata="batch")


def test_times_to_an_event_are_refused():
    table = batches().assign(time=np.random.default_rng(0).exponential(size=N))
    with raises_code("survival-not-supported"):
        bitsieve.select(table, duration="time", event="y", strata="batch", bins_within=True)


def test_selectors_without_strata_are_refused():
    table = batches()
    X = table[["stain", "other"]]
    with raises_code("parameter-not-allowed"):
        bitsieve.ForwardSelector(1, bins_within=True).fit(X, table["y"])
    with raises_code("strata-not-supported"):
        bitsieve.make_selector("relieff", bins_within=True)
    with pytest.raises(TypeError, match="bins_within"):
        bitsieve.KnockoffSelector(bins_within=True)


SHARES_OF_CLASS = np.array([0.15, 0.5, 0.85])  # of class 1 in three batches
EFFECT = 0.9  # standard deviations between the classes
SHIFT = 3.0  # standard deviations between batches


def mean_information(distributions):
    """The mean of I(X;C) over joint distributions of bins and classes."""
    bits = [np.nansum(p * np.log2(p / np.outer(p.sum(axis=1), p.sum(axis=0)))) for p in distributions]
    return np.mean(bits)


def joint_distribution(cuts, batch):
    """The shares of every bin and class in a batch, where a column is normal in each class."""
    bounds = np.concatenate([[-np.inf], cuts, [np.inf]])
    in_class = [np.diff(norm.cdf(bounds - SHIFT * batch - EFFECT * c)) for c in (0, 1)]
    return np.column_stack([(1 - SHARES_OF_CLASS[batch]) * in_class[0], SHARES_OF_CLASS[batch] * in_class[1]])


def tertiles(batch_numbers):
    """The cuts into three bins of equal frequency of the rows of some batches."""
    grid = np.linspace(-6, 13, 100_001)
    distribution = np.mean([distribution_function(grid, batch) for batch in batch_numbers], axis=0)
    return np.interp([1 / 3, 2 / 3], distribution, grid)


def distribution_function(values, batch):
    distribution_of_class = [norm.cdf(values - SHIFT * batch - EFFECT * c) for c in (0, 1)]
    return (1 - SHARES_OF_CLASS[batch]) * distribution_of_class[0] + SHARES_OF_CLASS[batch] * distribution_of_class[1]


def test_the_information_that_pooled_bins_lose():
    """Three batches that shift a column by three standard deviations: the bits of a very large table."""
    pooled = tertiles([0, 1, 2])
    in_pooled_bins = [joint_distribution(pooled, batch) for batch in range(3)]
    in_own_bins = [joint_distribution(tertiles([batch]), batch) for batch in range(3)]
    assert mean_information(in_pooled_bins) == pytest.approx(0.037, abs=0.0005)
    assert mean_information(in_own_bins) == pytest.approx(0.073, abs=0.0005)
    assert mean_information([np.mean(in_pooled_bins, axis=0)]) == pytest.approx(0.30, abs=0.005)


@pytest.mark.slow("forty tables of 1,500 rows")
def test_the_bits_of_tables_are_those_of_a_very_large_one():
    expected = {"pooled": 0.037, "within": 0.073, "without strata": 0.297}
    bits_of_rule = {name: [] for name in expected}
    for seed in range(40):
        random = np.random.default_rng(seed)
        batch = np.arange(1500) % 3
        y = (random.random(1500) < SHARES_OF_CLASS[batch]).astype(int)
        X = (random.normal(size=1500) + EFFECT * y + SHIFT * batch)[:, None]
        for name, bins_within in (("pooled", False), ("within", True)):
            rule = EqualFrequencyBinner(n_bins=3, bins_within=bins_within)
            selector = bitsieve.ForwardSelector(1, criterion="mim", binning=rule).fit(X, y, strata=batch)
            bits_of_rule[name].append(selector.relevance_[0])
        selector = bitsieve.ForwardSelector(1, criterion="mim", binning=EqualFrequencyBinner(n_bins=3)).fit(X, y)
        bits_of_rule["without strata"].append(selector.relevance_[0])
    for name, bits in bits_of_rule.items():
        standard_error = np.std(bits) / np.sqrt(len(bits))
        assert abs(np.mean(bits) - expected[name]) < 3 * standard_error, name
