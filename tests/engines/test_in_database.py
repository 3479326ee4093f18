"""Rows that are counted where they are: the same selections as in memory, and nothing but groups leaves the engine."""

from __future__ import annotations

from itertools import product

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.counts.packed import PackedSource
from bitsieve.dataset.dataset import COUNTS
from bitsieve.engines import grouped_counts, in_database
from bitsieve.engines.relation import Relation, code_by_cuts
from bitsieve.engines.value_counts import intervals_of
from bitsieve.methods.registry import list_methods

duckdb = pytest.importorskip("duckdb")
N = 400


def rows(n=N, seed=3):
    """Numbers with gaps, text with gaps, numbers in text, dates, truth values, few whole numbers; weights; targets."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    amount = np.round(random.normal(size=n) + y, 2)
    days = np.datetime64("2024-01-01") + (40 * y + random.integers(0, 60, n))
    return pa.table(
        {
            'an "odd" name': pa.array([None if j % 11 == 0 else value for j, value in enumerate(amount)]),
            "size": pa.array([None if j % 13 == 0 else "it's ;--"[: 1 + k] for j, k in enumerate((y + y * y) % 8)]),
            "price": pa.array([f"{value:.1f}" for value in amount * 2]),
            "day": pa.array(days),
            "flag": pa.array(random.random(n) < y / 3),
            "few": pa.array(random.integers(0, 4, n) * (y > 0)),
            "float": pa.array(np.where(random.random(n) < 0.1, np.nan, amount * amount).astype(np.float32)),
            "same": pa.array(np.ones(n)),
            "w": pa.array(random.integers(0, 4, n)),
            "quantity": pa.array(np.round(y + random.normal(size=n), 2)),
            "y": pa.array(np.array(["a", "b", "c"])[y]),
        }
    )


LAZY = {"duckdb": duckdb.from_arrow, "polars": lambda table: pl.from_arrow(table).lazy()}


@pytest.fixture(params=LAZY)
def lazy(request):
    """``lazy(table)`` is the same table in an engine of its own."""
    return LAZY[request.param]


in_the_quicker_engine = pytest.mark.parametrize(
    "lazy",
    quick_and_slow(LAZY, quick={"polars"}, reason="targets and mistakes are asked of this engine, too"),
    indirect=True,
)


def same(found, expected):
    assert found.features == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert found.relevance.tobytes() == expected.relevance.tobytes()


COUNTING = [method.name for method in list_methods() if method.required_capabilities <= COUNTS]


@pytest.mark.parametrize(
    "method",
    quick_and_slow(
        COUNTING, quick={"jmi", "cmi", "speccmi"}, reason="the tables are those of the rows, whatever is counted"
    ),
)
def test_every_method_on_counts(method):
    table = rows().drop_columns(["w", "quantity", "price", "day"])
    how = {"method": method, "n_features_to_select": 3, "missing": "bin"}
    same(bitsieve.select(duckdb.from_arrow(table), "y", push_down=True, **how), bitsieve.select(table, "y", **how))


TARGETS = {
    "weighted": {"target": "y", "sample_weight": "w"},
    "quantity": {"target": "quantity"},
    "weighted quantity": {"target": "quantity", "sample_weight": "w", "binning": "quantile"},
    "two": {"target": ["y", "flag"]},
    "two, weighted": {"target": ["quantity", "few"], "sample_weight": "w"},
    "text": {"target": "price", "binning": "uniform"},
    "few": {"target": "few", "column_types": {"day": "category"}},
    "with gaps": {"target": "size", "drop_missing_target": True, "sample_weight": "w"},
    "stopping": {
        "target": "y",
        "stopping": "significance",
        "n_features_to_select": None,
        "binning": "quantile",
        "n_bins": 3,
    },
}
QUICK_TARGETS = {
    ("duckdb", "weighted quantity"),
    ("polars", "two, weighted"),
    ("polars", "few"),
}


@pytest.mark.parametrize(
    ("lazy", "case"),
    quick_and_slow(product(LAZY, TARGETS), quick=QUICK_TARGETS, reason="one part of a question, or the other engine"),
    indirect=["lazy"],
)
def test_targets_and_weights(lazy, case):
    table, how = rows(), {"missing": "bin", "n_features_to_select": 4, **TARGETS[case]}
    same(bitsieve.select(lazy(table), push_down=True, **how), bitsieve.select(table, **how))


@pytest.mark.each_value
@pytest.mark.parametrize("method", ["mrmr", "jmi"])  # tables of pairs without the classes, and with them
def test_rows_without_a_target_may_have_values_of_their_own(lazy, method):
    table = rows().select(["few", "size", "day", "y"])
    there, own = np.arange(N) % 40 > 0, {"size": "only here", "few": 99}
    for name, value in {**own, "y": None}.items():
        values = [of if is_there else value for of, is_there in zip(table[name].to_pylist(), there, strict=True)]
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    how = {"method": method, "missing": "bin", "binning": "none", "drop_missing_target": True}
    found = bitsieve.select(lazy(table), "y", push_down=True, **how)
    same(found, bitsieve.select(table, "y", **how))
    same(found, bitsieve.select(table.filter(pa.array(there)), "y", **how))


@in_the_quicker_engine
def test_rows_without_one_of_two_targets_are_left_out(lazy):
    second_target = pa.array([None if j % 40 == 0 else "uv"[j % 2] for j in range(N)])
    table = rows().select(["few", "size", "y"]).append_column("z", second_target)
    how = {"missing": "bin", "binning": "none", "drop_missing_target": True}
    same(bitsieve.select(lazy(table), ["y", "z"], push_down=True, **how), bitsieve.select(table, ["y", "z"], **how))


@in_the_quicker_engine
def test_codes_as_they_are(lazy):
    random = np.random.default_rng(0)
    table = pa.table({f"x{j}": random.integers(-1, 3 + j, 200) for j in range(6)} | {"y": random.integers(0, 2, 200)})
    how = {"method": "jmi", "binning": "none"}
    same(bitsieve.select(lazy(table), "y", push_down=True, **how), bitsieve.select(table, "y", **how))


def counts_of(table, lazy, **how):
    """The counts of a relation and of the same rows in memory, by bins of equal width."""
    found, expected = (
        bitsieve.select(
            data, "y", binning="uniform", n_bins=4, missing="bin", **of
        ).evidence.counted_table.information.source
        for data, of in ((lazy(table), {"push_down": True, **how}), (table, how))
    )
    assert isinstance(expected, PackedSource)
    return found, expected


@in_the_quicker_engine
def test_tables_and_partitions_are_those_of_the_rows(lazy):
    found, expected = counts_of(rows().drop_columns(["w", "quantity", "price"]), lazy)
    assert found.arities.tolist() == expected.arities.tolist()
    assert found.class_sizes.tolist() == expected.class_sizes.tolist()
    every = np.arange(found.n_features)
    for pivot in (None, *every.tolist()):
        for by_class in (False, True):
            for one, other in zip(
                found.tables(pivot, every, by_class), expected.tables(pivot, every, by_class), strict=True
            ):
                assert one.shape == other.shape
                assert (one.dense() == other.dense()).all()
    ours, theirs = found.partition(), expected.partition()
    for feature in (0, 4, 6):
        ours, theirs = ours.refine(feature), theirs.refine(feature)
        assert ours.keys.tolist() == theirs.keys.tolist()
        for columns in (None, every):
            for one, other in zip(ours.tables(columns, True), theirs.tables(columns, True), strict=True):
                assert (one.dense() == other.dense()).all()


@in_the_quicker_engine
def test_only_groups_leave_the_engine(lazy, monkeypatch):
    random, n = np.random.default_rng(1), 20_000
    y = random.integers(0, 2, n)
    table = pa.table({f"x{j}": np.round(random.normal(size=n) + y, 1) for j in range(5)} | {"y": y})
    fetched, fetch = [], Relation.fetched

    def counting(self, ask):
        answer = fetch(self, ask)
        fetched.append(answer.num_rows)
        return answer

    monkeypatch.setattr(Relation, "fetched", counting)
    same(bitsieve.select(lazy(table), "y", push_down=True), bitsieve.select(table, "y"))
    assert max(fetched) < n / 16


def statements_of(monkeypatch):
    """A list that grows by one entry for each statement that is answered."""
    statements, fetched = [], Relation.fetched
    monkeypatch.setattr(Relation, "fetched", lambda *args: statements.append(args) or fetched(*args))
    return statements


def test_one_statement_counts_several_columns(monkeypatch):
    monkeypatch.setattr(grouped_counts, "_MAX_CACHED_NUMBERS", 0)
    source, _ = counts_of(rows(2_000).drop_columns(["w", "quantity", "price"]), duckdb.from_arrow)
    statements = statements_of(monkeypatch)
    together = source.tables(0, np.arange(7), True)
    n_together = len(statements)
    monkeypatch.setattr(grouped_counts, "GROUPS_AT_ONCE", 1)
    alone = source.tables(0, np.arange(7), True)
    assert n_together <= 4 < len(statements) - n_together == 7
    assert all((one.dense() == other.dense()).all() for one, other in zip(together, alone, strict=True))


def test_groups_in_the_cache_are_not_fetched_again(monkeypatch):
    monkeypatch.setattr(grouped_counts, "GROUPS_AT_ONCE", 1)
    source, _ = counts_of(rows(2_000).drop_columns(["w", "quantity", "price"]), duckdb.from_arrow)
    statements = statements_of(monkeypatch)

    def count_pairs():
        return [table.dense() for table in source.tables(0, np.array([1, 2, 1]), True)]

    first = count_pairs()
    assert len(statements) == 2
    again = count_pairs()
    assert len(statements) == 2
    assert all((table == same).all() for table, same in zip(first, again, strict=True))
    source.tables(0, np.array([1]), False)
    assert len(statements) == 3  # the classes are pooled
    monkeypatch.setattr(grouped_counts, "_MAX_CACHED_NUMBERS", 0)
    source.tables(0, np.array([3]), True)
    source.tables(0, np.array([1]), True)
    assert len(statements) == 5  # that of the third column was larger than the cache


def few_kept(monkeypatch, cells):
    """Columns of more values than this are known by intervals."""
    monkeypatch.setattr(in_database.DatabaseEngine, "limits", in_database.Limits(cells=cells))


def skewed(n=30_000):
    """Columns of only different numbers, one of them with a long tail."""
    random = np.random.default_rng(2)
    y = random.integers(0, 2, n)
    return pa.table(
        {
            "normal": random.normal(size=n) + y,
            "tail": np.exp(random.normal(size=n) + y),
            "gaps": np.where(random.random(n) < 0.2, np.nan, random.normal(size=n)),
            "whole": random.integers(0, 10**9, n),
            "y": y,
        }
    )


@in_the_quicker_engine
def test_cuts_of_too_many_values_are_off_by_the_stated_rank(lazy, monkeypatch):
    few_kept(monkeypatch, 1 << 16)
    table = skewed(45_000)
    how = {"binning": "quantile", "n_bins": 8, "missing": "bin"}
    found = bitsieve.select(lazy(table), "y", push_down=True, **how)
    expected = bitsieve.select(table, "y", **how)
    coding = found.evidence.table.coding
    assert coding.sampled == (0, 1, 2, 3)
    assert {(column.smallest, column.largest) for column in found.details.columns} == {(None, None)}  # not fetched
    assert 0 < coding.rank_error < 1 / 50  # of the column with a tail, in 8,192 intervals
    (note,) = [note for note in found.notes if "too many different numbers" in note]
    assert f"{coding.rank_error:.2%}" in note
    assert "99 times" not in note
    for j, name in enumerate(table.column_names[:-1]):
        values = table[name].to_numpy()
        there = np.sort(values[~np.isnan(values)])
        ranks = [
            np.searchsorted(there, edges)
            for edges in (coding.binner.bin_edges_[j], expected.selector.binner_.bin_edges_[j])
        ]
        assert np.abs(ranks[0] - ranks[1]).max() <= coding.rank_error * table.num_rows + 1  # both may round a rank


@in_the_quicker_engine
def test_bins_of_equal_width_are_exact_whatever_the_values(lazy, monkeypatch):
    few_kept(monkeypatch, 1 << 10)
    table = skewed(9000)
    how = {"binning": "uniform", "missing": "bin"}
    same(bitsieve.select(lazy(table), "y", push_down=True, **how), bitsieve.select(table, "y", **how))


def test_a_quantity_of_too_many_values_is_refused(lazy, monkeypatch):
    few_kept(monkeypatch, 1 << 8)
    message = (
        r"^the target 'normal' has more than 256 different values: round it, or read the rows, by push_down=False$"
    )
    with pytest.raises(ValueError, match=message):
        bitsieve.select(lazy(skewed(1000)), "normal", push_down=True, missing="bin")


def test_identifiers_of_many_values_are_left_out(lazy, monkeypatch):
    few_kept(monkeypatch, 1 << 10)
    random, n = np.random.default_rng(4), 5000
    y = random.integers(0, 2, n)
    table = pa.table(
        {
            "id": random.permutation(n) + 7,
            "name": [f"person {j}" for j in range(n)],
            "other": random.integers(0, 3, n) + y,
            "y": y,
        }
    )
    for how in ({}, {"binning": "uniform"}):  # for which ranges are fetched, and no values
        found = bitsieve.select(lazy(table), "y", push_down=True, **how)
        assert found.features == ["other"]
        assert any("2 columns look like identifiers ('id', 'name')" in note for note in found.notes)


def test_selected_columns_stay_where_they_are(lazy):
    table = rows()
    found = bitsieve.select(lazy(table), "y", push_down=True, missing="bin", n_features_to_select=2)
    assert isinstance(found.table, type(lazy(table)))
    assert sorted(nw.from_native(found.table).collect_schema()) == sorted(found.features)


@in_the_quicker_engine
def test_many_rows_are_counted_where_they_are(lazy, monkeypatch):
    table = rows().drop_columns(["price"])
    note = "the table has very many rows: they were counted where they are, and not read; to read them, add push_down="
    monkeypatch.setattr(in_database, "_MANY_VALUES", 100)
    found = bitsieve.select(lazy(table), "y", missing="bin")
    assert found.notes[0].startswith(note)
    assert not bitsieve.select(lazy(table), "y", missing="bin", push_down=False).notes[0].startswith(note)
    monkeypatch.setattr(in_database, "_MANY_COLUMNS", 3)
    assert not bitsieve.select(lazy(table), "y", missing="bin").notes[0].startswith(note)


def test_a_table_is_counted_where_it_is_if_it_has_more_values_than_the_limit(monkeypatch):
    """Four columns of 300 rows have 1,200 values."""
    relation = duckdb.sql("select i % 2 as y, i % 3 as a, i % 4 as b, i % 5 as c from range(300) as numbers(i)")
    for limit, is_counted_there in ((1199, True), (1200, False)):
        monkeypatch.setattr(in_database, "_MANY_VALUES", limit)
        assert in_database.has_too_many_values(relation) is is_counted_there


@in_the_quicker_engine
def test_numbers_that_mean_a_missing_value_are_not_cut(lazy):
    """They are missing, with a code of their own: in no interval of the other numbers."""
    table = rows().select(["quantity", "few", "y"])
    quantity = np.where(np.arange(N) % 5 == 0, 999.0, table["quantity"].to_numpy())
    table = table.set_column(0, "quantity", pa.array(quantity))
    with_gaps = table.set_column(0, "quantity", pa.array(quantity, mask=quantity == 999))
    how = {"missing": "bin", "binning": "quantile", "push_down": True}
    found = bitsieve.select(lazy(table), "y", column_types={"quantity": "number, missing 999"}, **how)
    same(found, bitsieve.select(lazy(with_gaps), "y", **how))


def changing(monkeypatch, con, change):
    """Change the table before the last statements."""
    before, seen = grouped_counts.GroupedSource.answer, []

    def answer(self, columns, by_class):
        if self._single_counts and not seen:
            seen.append(con.execute(change))
        return before(self, columns, by_class)

    monkeypatch.setattr(grouped_counts.GroupedSource, "answer", answer)


@pytest.mark.parametrize(
    "change",
    quick_and_slow(
        [
            "insert into t select * from t limit 1",
            "delete from t where few = 1 and y = 'b'",
            "update t set few = 0 where few = 1",
            "update t set size = 'new' where size = 'i'",
            "update t set y = 'd' where y = 'a'",
            "update t set day = null where few = 0",
            "update t set few = few + 100000",
        ],
        quick={"insert into t select * from t limit 1", "update t set y = 'd' where y = 'a'"},
        reason="other values that change",
    ),
)
def test_a_table_that_changes_is_refused(monkeypatch, change):
    con, table = duckdb.connect(), rows().drop_columns(["w", "price"])
    con.register("given", table)
    con.execute("create table t as select * from given")
    changing(monkeypatch, con, change)
    with pytest.raises(ValueError, match=r"^the table changed while it was counted, as the counts disagree: run again"):
        bitsieve.select(con.table("t"), "y", push_down=True, missing="bin", method="jmi", binning="quantile", n_bins=3)


@pytest.mark.parametrize("change", ["insert into t select * from t limit 1", "update t set y = 'd' where few = 0"])
def test_a_table_that_changes_before_its_columns_are_looked_at(monkeypatch, change):
    con, table = duckdb.connect(), rows().drop_columns(["w", "price"])
    con.register("given", table)
    con.execute("create table t as select * from given")
    summarize = in_database.DatabaseEngine.summarize
    monkeypatch.setattr(in_database.DatabaseEngine, "summarize", lambda *args: con.execute(change) and summarize(*args))
    with pytest.raises(ValueError, match=r"^the table changed while it was counted, as the counts disagree"):
        bitsieve.select(con.table("t"), "y", push_down=True, missing="bin")


@pytest.mark.parametrize("change", ["drop table t", "alter table t drop column few"])
def test_what_the_database_refuses_is_one_line(monkeypatch, change):
    con, table = duckdb.connect(), rows().drop_columns(["w", "price"])
    con.register("given", table)
    con.execute("create table t as select * from given")
    changing(monkeypatch, con, change)
    with pytest.raises(ValueError, match=r"^the database did not answer a statement: [^\n]*$"):
        bitsieve.select(con.table("t"), "y", push_down=True, missing="bin", method="jmi")


def test_a_connection_that_is_closed():
    con = duckdb.connect()
    con.register("given", rows())
    relation = con.table("given")
    con.close()
    with pytest.raises(ValueError, match=r"^the database did not answer a statement: [^\n]*closed"):
        bitsieve.select(relation, "y", push_down=True)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"target": np.zeros(N)}, "^the target must be a column of the table, where the rows are counted: name it$"),
        ({"sample_weight": np.ones(N)}, "^the weights must be a column of the table"),
        ({"sample_weight": "quantity"}, "^sample_weight holds .* frequency weights are whole numbers"),
        ({"memory": "1GB"}, "^push_down=True is not allowed: leave it out, or engine, memory and spool"),
        ({"engine": "local"}, "^push_down=True is not allowed: leave it out, or engine, memory and spool"),
        ({"push_down": 3}, "^push_down=3 "),
        ({"target": "nowhere"}, "^there is no column 'nowhere' for the target"),
        ({"method": "vmi"}, "rows"),
        ({"stopping": "permutation"}, "must be in memory"),
    ],
    ids=str,
)
def test_mistakes(lazy, how, message):
    with pytest.raises(ValueError, match=message):
        bitsieve.select(**{"data": lazy(rows()), "target": "y", "push_down": True, "missing": "bin", **how})


def test_rows_in_memory_are_not_pushed_down():
    with pytest.raises(ValueError, match=r"^push_down=True is not allowed: leave it out for Table: only rows"):
        bitsieve.select(rows(), "y", push_down=True)


@pytest.mark.slow("many statements")
def test_times_of_many_values_are_refused_by_name(monkeypatch):
    few_kept(monkeypatch, 1 << 8)
    table = rows().append_column("at", pa.array(np.arange(N) * 77_777_777, pa.timestamp("us")))
    relation = duckdb.from_arrow(table)
    with pytest.raises(ValueError, match=r"^column 'at' has more than 256 values, too many to group rows"):
        bitsieve.select(relation, "y", push_down=True, missing="bin", exclude=["day"])
    found = bitsieve.select(relation, "y", push_down=True, missing="bin", exclude=["at", "day"])
    expected = bitsieve.select(table, "y", missing="bin", exclude=["at", "day"])
    assert set(found.features) == set(expected.features)  # cuts of the others are between intervals


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("n_cuts", quick_and_slow([0, 1, 5, 700], quick={0, 1, 5}, reason="a long expression"))
def test_codes_by_comparisons_are_those_of_a_search(side, n_cuts):
    random = np.random.default_rng(n_cuts)
    cuts = np.sort(random.normal(size=n_cuts))
    values = np.r_[random.normal(size=500), cuts, np.nan, -1e308, 1e308]
    for relation in (duckdb.from_arrow(pa.table({"x": values})), pl.LazyFrame({"x": [*values, None]})):
        frame = nw.from_native(relation)
        code = code_by_cuts(nw.col("x"), cuts.tolist(), side)
        found = frame.select("x", code=code).collect("pyarrow").to_native()
        given = found["x"].to_numpy()
        expected = np.where(np.isnan(given), -1, np.searchsorted(cuts, given, side))
        assert (found["code"].to_numpy() == expected).all()


def test_intervals_never_overlap():
    table = skewed()
    source = Relation(nw.from_native(duckdb.from_arrow(table)))
    class_keys = grouped_counts.ClassKeys({}, lambda of: np.zeros_like(of.rows))
    for name in table.column_names[:-1]:
        known = intervals_of(source, name, class_keys, 1 << 14)
        ends = known.values.to_numpy()
        order = np.argsort(ends)
        values = np.sort(table[name].to_numpy())
        below = np.searchsorted(values, ends[order], side="right")
        below[np.isnan(ends[order])] = len(values)
        assert (np.cumsum(known.rows[order]) == below).all()
        assert known.rank_error < 1 / 100


def test_fit_counts_very_many_rows_where_they_are(lazy, monkeypatch):
    table = rows().drop_columns(["price", "w", "quantity"])
    expected = bitsieve.ForwardSelector(n_features_to_select=3, missing="bin").fit(
        table.drop_columns(["y"]), table["y"].to_pylist()
    )
    monkeypatch.setattr(in_database, "_MANY_VALUES", 100)
    opened, read = [], in_database.DatabaseSource.read_in_parts
    monkeypatch.setattr(
        in_database.DatabaseSource, "read_in_parts", lambda *of, **how: opened.append(1) or read(*of, **how)
    )
    found = bitsieve.ForwardSelector(n_features_to_select=3, missing="bin").fit(lazy(table), "y")
    assert opened == [1]
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert found.scores_.tobytes() == expected.scores_.tobytes()


def test_a_method_on_rows_is_not_pushed_down_by_fit(lazy, monkeypatch):
    monkeypatch.setattr(in_database, "_MANY_VALUES", 100)
    monkeypatch.setattr(in_database.DatabaseSource, "read_in_parts", None)
    table = rows().select(["few", "same"])
    found = bitsieve.ReliefF(n_features_to_select=1).fit(lazy(table), rows()["y"].to_pylist())
    assert found.support_.sum() == 1


def test_a_connection_that_drops_in_the_middle(monkeypatch):
    con, table = duckdb.connect(), rows().drop_columns(["w", "price"])
    con.register("given", table)
    con.execute("create table t as select * from given")
    before, seen = grouped_counts.GroupedSource.answer, []

    def answer(self, columns, by_class):
        if self._single_counts and not seen:
            seen.append(con.close())
        return before(self, columns, by_class)

    monkeypatch.setattr(grouped_counts.GroupedSource, "answer", answer)
    with pytest.raises(ValueError, match=r"^the database did not answer a statement: [^\n]*closed"):
        bitsieve.select(con.table("t"), "y", push_down=True, missing="bin", method="jmi")
    assert seen == [None]


def test_a_column_that_changes_its_type_in_the_middle(monkeypatch):
    con, table = duckdb.connect(), rows().drop_columns(["w", "price"])
    con.register("given", table)
    con.execute("create table t as select * from given")
    changing(monkeypatch, con, "alter table t alter few type varchar using 'n' || few")
    with pytest.raises(ValueError, match=r"^(the database did not answer|the table changed while it was)[^\n]*$"):
        bitsieve.select(con.table("t"), "y", push_down=True, missing="bin", method="jmi")
