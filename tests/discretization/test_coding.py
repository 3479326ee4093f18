"""A binner fitted on the merged summaries of parts of the rows is the one that is fitted on all rows."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from tests.cover import quick_and_slow

from bitsieve.dataset.read import read_xy
from bitsieve.dataset.target import Target
from bitsieve.discretization.base import n_codes_that_occur
from bitsieve.discretization.coding import as_kinds, fit_on_summary
from bitsieve.discretization.mdl import CutsOfPartitions, RepeatedCuts
from bitsieve.discretization.summary import Limits, Summary, summarize
from bitsieve.discretization.transformers import CategoricalBinner, EqualFrequencyBinner, EqualWidthBinner, MDLBinner

ENDS = [[], [130, 131, 300], [399]]  # rows where one part ends and the next begins
BINNERS = [
    MDLBinner(),
    MDLBinner(uncut="median", missing="bin"),
    EqualFrequencyBinner(n_bins=4),
    EqualFrequencyBinner(n_bins=5, missing="bin"),
    EqualWidthBinner(n_bins=3),
    EqualWidthBinner(n_bins=4, missing="bin"),
    CategoricalBinner(),
    CategoricalBinner(missing="bin"),
]
N = 400


def columns(missing, whole):
    random = np.random.default_rng(4)
    classes = random.integers(0, 3, N)
    found = {
        "few": (classes + random.integers(0, 2, N)).astype(np.int8),
        "wide": (random.integers(-5, 5, N) + classes) * 10**15,
        "unsigned": random.integers(0, 4, N).astype(np.uint64) * np.uint64(2048) + np.uint64(2**63),  # as doubles
        "text": random.choice(["low", "middle", "high"], N),
        "truth": classes == random.integers(0, 3, N),
        "constant": np.full(N, 7),
    }
    if not whole:
        found["real"] = random.standard_normal(N) + classes
        found["single"] = (random.standard_normal(N) + classes).astype(np.float32)
    table = {name: pa.array(values) for name, values in found.items()}
    if missing:
        absent = np.arange(N) > 0.8 * N  # none in the first parts
        table["gaps"] = pa.array((classes * 2).astype(np.int32), mask=absent & (random.random(N) < 0.5))
        table["words"] = pa.array(random.choice(["a", "b"], N), mask=absent)
        table["nothing"] = pa.array(np.full(N, np.nan))
    return pa.table(table), classes


def parts_of(table, classes, weights, ends):
    """Tables of parts of the rows whose class codes are those of all rows."""
    labels = np.unique(classes)
    for first, last in zip([0, *ends], [*ends, table.num_rows], strict=True):
        part = read_xy(table[first:last], None, None if weights is None else weights[first:last])
        kept = slice(None) if weights is None else weights[first:last] > 0
        y = Target(classes[first:last][kept].astype(np.int32), labels)
        yield type(part)(part.columns, part.names, part.feature_names, y, part.weights)


def summary_of(binner, parts, limits=None):
    first, found = 0, []
    for part in parts:
        found.append(summarize(part, binner, first_row=first, limits=limits))
        first += part.n_samples
    return found


def running_summary(binner, parts, limits=None):
    """Each part with what is known of those before it."""
    first, known = 0, None
    for part in parts:
        new = summarize(part, binner, first_row=first, limits=limits, earlier=known)
        known = new if known is None else Summary.merged([known, new])
        first += part.n_samples
    return known


def assert_same(fitted, expected):
    assert fitted.n_bins_.tolist() == expected.n_bins_.tolist()
    assert fitted.n_features_in_ == expected.n_features_in_
    assert fitted.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    for mine, theirs in zip(fitted.bin_edges_, expected.bin_edges_, strict=True):
        assert mine.tobytes() == theirs.tobytes()
    for mine, theirs in zip(fitted.categories_, expected.categories_, strict=True):
        assert (mine is None) == (theirs is None)
        assert mine is None or mine.tolist() == theirs.tolist()
    if hasattr(expected, "uncut_"):
        assert fitted.uncut_.tolist() == expected.uncut_.tolist()


@pytest.mark.each_value
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ends", quick_and_slow(ENDS, quick=[ENDS[1]], reason="other parts of the same rows"))
@pytest.mark.parametrize("limits", [None, Limits(cells=8)], ids=["distinct", "sample"])
@pytest.mark.parametrize("binner", BINNERS, ids=repr)
def test_parts_give_the_bins_and_codes_of_all_rows(binner, ends, weighted, limits):
    codes_only = binner.requires == "codes"
    if codes_only and limits is not None:
        limits = None
    table, classes = columns(binner.missing == "bin", codes_only)
    weights = np.append(np.random.default_rng(1).integers(0, 4, N - 1), 2) if weighted else None
    parts = list(parts_of(table, classes, weights, ends))
    coding = fit_on_summary(binner, Summary.merged(summary_of(binner, parts, limits)))
    (whole,) = parts_of(table, classes, weights, [])
    expected = clone(binner).fit_table(whole)
    assert_same(coding.binner, expected)
    assert coding.sampled == ()
    codes = expected.codes(whole)
    assert np.concatenate([coding.codes(part) for part in parts]).tolist() == codes.tolist()
    assert coding.arities.tolist() == (codes.max(axis=0) + 1).tolist()


@pytest.mark.parametrize("binner", [EqualFrequencyBinner(n_bins=3), MDLBinner()], ids=repr)
def test_merging_in_any_order_and_by_pairs_keeps_the_sample(binner):
    table, classes = columns(False, False)
    limits = Limits(cells=8, rows=100)
    found = [
        Summary.merged(summary_of(binner, parts_of(table, classes, None, ends), limits))
        for ends in ([], [57], [10, 20, 200, 399])
    ]
    found.append(
        reduce(
            lambda a, b: Summary.merged([a, b]), summary_of(binner, parts_of(table, classes, None, [50, 250]), limits)
        )
    )
    found.append(Summary.merged(summary_of(binner, parts_of(table, classes, None, [50, 250]), limits)[::-1]))
    found.append(running_summary(binner, parts_of(table, classes, None, [110, 250, 260]), limits))
    codings = [fit_on_summary(binner, summary) for summary in found]
    for coding in codings[1:]:
        assert_same(coding.binner, codings[0].binner)
    assert len({coding.sampled for coding in codings}) == 1
    assert set(codings[0].sampled) >= {6, 7}  # the columns of real numbers
    assert 0.15 < codings[0].rank_error < 0.17  # sqrt(ln(200) / 200)


def test_a_sampled_quantile_is_within_the_rank_error():
    random = np.random.default_rng(0)
    values = random.standard_normal(50_000)
    table, classes = pa.table({"x": values}), np.zeros(len(values), int)
    binner = EqualFrequencyBinner(n_bins=10)
    parts = parts_of(table, classes, None, [20_000])
    coding = fit_on_summary(binner, Summary.merged(summary_of(binner, parts, Limits(cells=1000, rows=5000))))
    ranks = np.searchsorted(np.sort(values), coding.binner.bin_edges_[0], side="right") / len(values)
    off = np.abs(ranks - np.arange(1, 10) / 10).max()
    assert 0 < off < coding.rank_error < 0.03


def test_a_column_of_numbers_and_of_text_is_refused():
    binner = EqualFrequencyBinner()
    parts = [read_xy(pa.table({"a": [1, 2]})), read_xy(pa.table({"a": ["x", "y"]}))]
    with pytest.raises(ValueError, match=r"^column 'a' holds numbers in some parts of the data and text or categories"):
        Summary.merged(summary_of(binner, parts))


def test_parts_of_other_columns_are_refused():
    parts = [read_xy(pa.table({"a": [1, 2], "b": [1, 2]})), read_xy(pa.table({"a": [1, 2]}))]
    with pytest.raises(ValueError, match=r"^a part of the data lacks 'b': every part must have the same columns$"):
        Summary.merged(summary_of(EqualFrequencyBinner(), parts))


def test_too_many_codes_are_refused():
    binner = CategoricalBinner()
    parts = [read_xy(pa.table({"a": np.arange(300_000) * 7})), read_xy(pa.table({"a": [1, 2]}))]
    with pytest.raises(ValueError, match=r"^column 'a' has more than 65,536 codes"):
        fit_on_summary(binner, Summary.merged(summary_of(binner, parts)))


def noteworthy(n=80):
    """Columns that a user is told of: identifiers, codes, numbers that mean missing, one value, no value, counters."""
    random = np.random.default_rng(2)
    income = random.normal(3000, 500, n)
    income[::9] = -9999
    return pa.table(
        {
            "key": [f"k{j:03}" for j in random.permutation(n)],
            "word": random.choice(["low", "high"], n),
            "zip code": random.integers(10_000, 99_999, n),
            "number": random.permutation(n) + 5,
            "row": np.arange(7, n + 7),
            "income": income,
            "gaps": pa.array(random.integers(0, 9, n), mask=np.arange(n) % 5 == 0),
            "nothing": np.full(n, np.nan),
            "one": np.full(n, 3),
            "few": random.integers(0, 4, n),
        }
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ends", [[], [30, 31, 60]])
def test_what_is_known_of_parts_is_what_is_known_of_the_table(ends, weighted):
    binner, classes = EqualFrequencyBinner(missing="bin"), np.arange(80) % 2
    weights = np.arange(80) % 3 + 1 if weighted else None
    summary = Summary.merged(summary_of(binner, parts_of(noteworthy(), classes, weights, ends)))
    (table,) = parts_of(noteworthy(), classes, weights, [])
    columns = summary.column_infos()
    assert [column.is_constant for column in columns] == [table.is_constant(j) for j in range(10)]
    assert [column.is_row_counter for column in columns] == [table.is_row_counter(j) for j in range(10)]
    expected = table.summarize()
    assert [replace(column, is_constant=None, is_row_counter=None) for column in columns] == list(expected)
    assert [j for j, column in enumerate(columns) if column.sentinels] == [5]
    assert [j for j, column in enumerate(columns) if column.has_name_of_code] == [2]


@pytest.mark.each_value
@pytest.mark.parametrize("binner", BINNERS, ids=repr)
@pytest.mark.parametrize("limits", [None, Limits(cells=8)], ids=["distinct", "sample"])
def test_columns_left_out_have_one_value_in_every_row(binner, limits):
    codes_only = binner.requires == "codes"
    table, classes = columns(binner.missing == "bin", codes_only)
    weights = np.append(np.random.default_rng(1).integers(0, 4, N - 1), 2)
    parts = parts_of(table, classes, weights, [100, 250])
    summary = Summary.merged(summary_of(binner, parts, None if codes_only else limits))
    (whole,) = parts_of(table, classes, weights, [])
    dropped = [0, 3, table.num_columns - 1]
    coding, expected = (
        fit_on_summary(binner, summary.without(dropped)),
        clone(binner).fit_table(whole.without(dropped)),
    )
    assert_same(coding.binner, expected)
    assert coding.codes(whole.without(dropped)).tolist() == expected.codes(whole.without(dropped)).tolist()
    assert not coding.codes(whole.without(dropped))[:, dropped].any()


@pytest.mark.parametrize("binner", BINNERS, ids=repr)
def test_a_column_alone_has_its_codes_in_the_table(binner):
    """From summaries of single columns beside each other, and back to the coding of one of them."""
    table, classes = columns(binner.missing == "bin", binner.requires == "codes")
    (whole,) = parts_of(table, classes, None, [])
    alone = [next(parts_of(table.select([j]), classes, None, [])) for j in range(table.num_columns)]
    summaries = [summarize(one, binner) for one in alone]
    together = Summary.of_columns(whole.names, whole.feature_names, summaries)
    coding, expected = fit_on_summary(binner, together), clone(binner).fit_table(whole)
    assert_same(coding.binner, expected)
    codes = expected.codes(whole)
    for j, one in enumerate(alone):
        assert coding.of_column(j).codes(one).tolist() == codes[:, [j]].tolist()
        assert coding.of_column(j).arities.tolist() == [codes[:, j].max() + 1]


@pytest.mark.parametrize("low", [0, 1, -3, 2**40 + 5])
def test_whole_numbers_of_few_values_are_less_than_8_apart(low):
    table = pa.table({str(apart): np.resize([low, low + apart], 90) for apart in (0, 1, 6, 7, 8, 9, 300)})
    summary = Summary.merged(summary_of(EqualFrequencyBinner(), parts_of(table, np.arange(90) % 2, None, [40])))
    assert [summary.names[j] for j in summary.small_integers()] == ["0", "1", "6", "7"]


def test_whole_numbers_of_few_values_may_be_categories():
    binner = EqualFrequencyBinner(n_bins=2)
    table = pa.table({"few": np.arange(90) % 6, "real": np.arange(90) / 7, "wide": np.arange(90) * 1000})
    summary = Summary.merged(summary_of(binner, parts_of(table, np.arange(90) % 2, None, [40])))
    assert summary.small_integers() == [0]
    assert summary.max_cells == 90
    coding = fit_on_summary(binner, summary.with_categories([0]))
    assert coding.binner.n_bins_.tolist() == [6, 2, 2]
    assert coding.binner.categories_[0].tolist() == list(range(6))


def test_columns_of_a_part_get_the_types_of_all_rows():
    """Whether the part is a matrix or columns, and whether none, some or all of them have these types."""
    kinds = [np.dtype("i2"), np.dtype("f8"), np.dtype("i4")]
    matrix = np.arange(12).reshape(4, 3)
    for given in ([np.dtype("i2"), np.dtype("f4"), np.dtype("i1")], kinds):
        columns = {str(j): matrix[:, j].astype(kind) for j, kind in enumerate(given)}
        made = as_kinds(read_xy(pa.table(columns), np.arange(4) % 2), kinds)
        assert [made.values(j).dtype for j in range(3)] == kinds
        assert [made.values(j).tolist() for j in range(3)] == matrix.T.tolist()
    for kind in ("i1", "i2"):
        made = as_kinds(read_xy(matrix.astype(kind), np.arange(4) % 2), [np.dtype("i2")] * 3)
        assert {made.values(j).dtype for j in range(3)} == {np.dtype("i2")}


def test_text_that_is_kept_is_understood_and_nothing_else():
    texts = pa.array(["1", "2", None, "4"] * 20)
    table = pa.table({"number": np.arange(80), "text": texts, "word": pa.array(["a", "b"] * 40)})
    summary = summarize(read_xy(table, np.arange(80) % 2), CategoricalBinner(missing="bin"))
    assert [*summary.decide_text_meanings(repair=True, kinds={})] == [2]  # text of numbers is numbers already


@pytest.mark.parametrize("gaps", [False, True])
def test_categories_are_counted_as_often_as_their_rows_stand(gaps):
    """Frequency weights are rows repeated, whether some of the categories are missing or none."""
    words, weights, y = np.array(["a", "b", "c"] * 20, object), np.arange(60) % 4 + 1, np.arange(60) % 2
    words[::7] = None if gaps else "a"
    table = pa.table({"word": pa.array(words.tolist())})
    again = np.repeat(np.arange(60), weights)
    binner = CategoricalBinner(missing="bin")
    (weighted,) = summary_of(binner, parts_of(table, y, weights, []))
    (repeated,) = summary_of(binner, parts_of(table.take(again), y[again], None, []))
    for one, other in zip(weighted.columns, repeated.columns, strict=True):
        assert one.distinct.values.tolist() == other.distinct.values.tolist()
        assert one.n_missing == other.n_missing == (weights[::7].sum() if gaps else 0)


def test_categories_are_counted_as_often_as_equal_rows_were_there():
    codes, times = np.array([0, -1, 1, 0, -1, 2]), np.array([3, 5, 1, 2, 4, 6])
    words = pa.array([None if code < 0 else "abc"[code] for code in codes.tolist()])
    table = replace(read_xy(pa.table({"word": words}), np.arange(6) % 2), row_counts=times)
    (column,) = summarize(table, CategoricalBinner(missing="bin")).columns
    assert column.distinct.counts.ravel().tolist() == [3 + 2, 1, 6]


@pytest.mark.parametrize("missing", ["error", "bin"])
def test_the_code_of_missing_values_occurs_where_there_are_some(missing):
    table = {
        "whole": np.arange(40.0),
        "gaps": np.where(np.arange(40) % 3, np.arange(40.0), np.nan),
        "none": np.full(40, np.nan),
    }
    of = read_xy(pa.table(table).select(["whole"] if missing == "error" else [*table]), np.arange(40) % 2)
    binner = clone(EqualFrequencyBinner(n_bins=4, missing=missing)).fit_table(of)
    codes = binner.codes(of)
    assert binner.n_bins_.tolist() == ([4] if missing == "error" else [5, 5, 1])
    assert n_codes_that_occur(binner, of).tolist() == ([4] if missing == "error" else [4, 5, 1])
    assert (codes.max(axis=0) + 1).tolist() == n_codes_that_occur(binner, of).tolist()


@pytest.mark.parametrize("cells", [0, 1000])
@pytest.mark.parametrize(
    ("binner", "kept"),
    [(EqualWidthBinner(), False), (EqualFrequencyBinner(), True), (MDLBinner(), True), (CategoricalBinner(), True)],
)
def test_distinct_numbers_are_kept_where_bins_follow_from_them_and_they_fit(binner, kept, cells):
    table = read_xy(pa.table({"x": np.arange(40) % 7}), np.arange(40) % 2)
    summary = summarize(table, binner, limits=Limits(cells=cells))
    (column,) = summary.columns
    assert (column.distinct is not None) == (kept and cells > 0)
    assert summary.max_cells == (0 if column.distinct is None else column.distinct.counts.size)


def test_columns_of_a_part_without_values_are_missing_in_the_type_of_all_rows():
    table = pa.table({"none": np.full(3, np.nan), "codes": [4, 2, 4], "word": pa.array([None] * 3, pa.string())})
    made = as_kinds(read_xy(table, np.arange(3) % 2), [None, None, np.dtype("f8")])
    none, codes, word = (made.values(j) for j in range(3))
    assert (none.codes.tolist(), len(none.categories)) == ([-1] * 3, 0)
    assert (codes.codes.tolist(), list(codes.categories)) == ([1, 0, 1], [2, 4])
    assert word.dtype == np.float64
    assert np.isnan(word).all()


@pytest.mark.parametrize("gaps", [0, 1, 2])
def test_a_column_of_a_summary_holds_each_category_once_and_what_is_missing(gaps):
    words = pa.array(["a", "b", "a", "c", *[None] * gaps])
    table = read_xy(pa.table({"word": words}), np.arange(4 + gaps) % 2)
    alone = summarize(table, CategoricalBinner(missing="bin")).column(0, ends_only=False)
    assert alone.values(0).codes.tolist() == ([-1] if gaps else []) + [0, 1, 2]


def test_what_is_no_number_has_no_cuts_to_choose_from():
    words = SimpleNamespace(table=SimpleNamespace(is_numeric=lambda _: False))
    assert RepeatedCuts.log_codings(words, 0) == 0.0
    read_in_parts = SimpleNamespace(binner=SimpleNamespace(categories_=[np.arange(2)]))
    assert CutsOfPartitions.log_codings(read_in_parts, 0) == 0.0
