"""The statement of a scorecard gives every row the score of Python, in SQLite and DuckDB."""

from __future__ import annotations

import sqlite3

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve import MonotoneBinner, Points
from bitsieve.api.scorecard import ScorecardOptions, make_scorecard
from bitsieve.options import ColumnOptions, ExecutionOptions, ReadOptions

EXACT = Points(rounded=False)  # points of different bins are different numbers
ROUNDING = 1e-9  # the sum of the points is rounded in another order


def in_sqlite(card, rows, table="rows"):
    with sqlite3.connect(":memory:") as connection:
        rows.to_sql(table, connection, index=False)
        scored = pd.read_sql(card.to_sql("sqlite", table), connection)
    connection.close()
    return scored["score"].to_numpy(float)


def in_duckdb(card, rows, table="rows", dialect="duckdb"):
    duckdb = pytest.importorskip("duckdb")
    database = duckdb.connect()
    database.register(table, rows)
    return database.sql(card.to_sql(dialect, table)).df()["score"].to_numpy(float)


def classes(n_rows, signal):
    """A target of two classes that follows a signal."""
    return (np.random.default_rng(0).random(n_rows) < 1 / (1 + np.exp(-signal))).astype(int)


def table_of(n_rows=600):
    random = np.random.default_rng(1)
    age = random.integers(18, 80, n_rows)
    trade = random.choice(["cook", "smith", "clerk"], n_rows).astype(object)
    X = pd.DataFrame({"age": age, "trade": trade})
    return X, classes(n_rows, (age - 50) / 20 + (trade == "cook"))


def test_text_that_means_a_missing_value_has_its_points():
    X, y = table_of()
    X.loc[::7, "trade"] = ""
    X.loc[1::7, "trade"] = "NA"
    X.loc[2::7, "trade"] = " NULL"
    X.loc[3::70, "trade"] = None
    card = bitsieve.scorecard(X, y, points=EXACT)
    assert card.card.columns[1].bins.fixed.has_missing
    assert in_sqlite(card, X) == pytest.approx(card.score(X), abs=ROUNDING)
    assert in_duckdb(card, X) == pytest.approx(card.score(X), abs=ROUNDING)


def test_columns_of_the_table_named_as_those_of_the_statement():
    X, y = table_of()
    card = bitsieve.scorecard(X, y, points=EXACT)
    scored_before = X.assign(age_points=1000, score=-1)
    for table in ("rows", "points", "POINTS"):
        assert in_sqlite(card, scored_before.drop(columns="score"), table) == pytest.approx(card.score(X), abs=ROUNDING)
    with sqlite3.connect(":memory:") as connection:
        scored_before.to_sql("rows", connection, index=False)
        last_column = pd.read_sql(card.to_sql("sqlite"), connection).iloc[:, -1]
    connection.close()
    assert last_column.to_numpy() == pytest.approx(card.score(X), abs=ROUNDING)
    assert in_duckdb(card, X.assign(age_points=1000)) == pytest.approx(card.score(X), abs=ROUNDING)


def test_numbers_of_32_bits():
    random = np.random.default_rng(2)
    share = (random.integers(0, 10, 600) / 10).astype(np.float32)
    X = pd.DataFrame({"share": share})
    card = bitsieve.scorecard(X, classes(600, 6 * share - 3), points=EXACT)
    assert len(card.table) > 3
    assert in_duckdb(card, X) == pytest.approx(card.score(X), abs=ROUNDING)


def test_whole_numbers_that_doubles_do_not_tell_apart():
    position = np.random.default_rng(3).integers(0, 40, 600)
    X = pd.DataFrame({"account": 2**53 + 2 * position})
    card = bitsieve.scorecard(X, classes(600, position / 10 - 2), points=EXACT, include=["account"])
    assert len(card.table) > 3
    new = X + 1  # doubles round every other number down
    assert in_sqlite(card, new) == pytest.approx(card.score(new), abs=ROUNDING)
    assert in_duckdb(card, new) == pytest.approx(card.score(new), abs=ROUNDING)
    assert in_duckdb(card, new, dialect="ansi") == pytest.approx(card.score(new), abs=ROUNDING)


def test_special_values_that_no_row_of_the_development_had_are_in_no_bin():
    X, y = table_of()
    X["code"] = np.where(X["trade"] == "cook", "A1", "B2")
    binner = MonotoneBinner(special_values={"age": [-999], "code": [-998]})
    card = bitsieve.scorecard(X, y, binner=binner, points=EXACT)
    new = X.astype({"age": float, "code": object})
    new.loc[:9, "age"] = -999
    new.loc[5:14, "code"] = "-998"
    unseen = [column.points_of_unseen for column in card.card.columns if column.name == "age"]
    bins = card._bins(new)
    assert bins[:10, 0].tolist() == [-1] * 10
    assert bins[5:15, card.features.index("code")].tolist() == [-1] * 10
    assert unseen[0] not in card.card.columns[0].points
    assert in_sqlite(card, new) == pytest.approx(card.score(new), abs=ROUNDING)
    assert in_duckdb(card, new) == pytest.approx(card.score(new), abs=ROUNDING)


def test_booleans_that_sqlite_stores_as_numbers():
    X, y = table_of()
    X["frozen"] = np.random.default_rng(4).random(600) < 0.3 + 0.2 * y
    card = bitsieve.scorecard(X, y, points=EXACT)
    with sqlite3.connect(":memory:") as connection:
        X.to_sql("rows", connection, index=False)
        stored = pd.read_sql("SELECT * FROM rows", connection)
    connection.close()
    assert stored["frozen"].tolist() == X["frozen"].astype(int).tolist()
    assert card.score(stored).tolist() == card.score(X).tolist()
    assert in_sqlite(card, X) == pytest.approx(card.score(X), abs=ROUNDING)


def test_booleans_of_which_one_is_rare():
    X, y = table_of()
    X["frozen"] = np.arange(600) % 200 == 7
    card = bitsieve.scorecard(X, y, binner=MonotoneBinner(min_bin_share=0), points=EXACT)
    (column,) = [column for column in card.card.columns if column.name == "frozen"]
    assert column.bins.merged.rare == ("True",)
    assert in_sqlite(card, X) == pytest.approx(card.score(X), abs=ROUNDING)
    assert in_duckdb(card, X) == pytest.approx(card.score(X), abs=ROUNDING)


def test_ordered_categories(tmp_path):
    X, y = table_of()
    levels = ["young", "middle", "old", "aged"]
    X["age"] = pd.cut(X["age"], [0, 30, 50, 70, 100], labels=levels)
    X.loc[::9, "age"] = None
    binner = MonotoneBinner(trend={"age": "ascending"}, min_bin_share=0.2)
    card = bitsieve.scorecard(X, y, binner=binner, points=EXACT)
    (column,) = [column for column in card.card.columns if column.name == "age"]
    assert [name for group in column.bins.merged.groups for name in group] == levels
    assert 1 < len(column.bins.merged.groups) < len(levels)
    assert column.bins.trend == "ascending"
    new = X.astype({"age": object})
    new.loc[5, "age"] = "new"
    with pytest.warns(bitsieve.BitsieveWarning, match="age"):
        scores = card.score(new)
    card.save(tmp_path / "card.json")
    loaded = bitsieve.Scorecard.load(tmp_path / "card.json")
    assert loaded.table["bin"].tolist() == card.table["bin"].tolist()
    assert in_sqlite(loaded, new) == pytest.approx(scores, abs=ROUNDING)
    assert in_sqlite(card, new) == pytest.approx(scores, abs=ROUNDING)


def test_categories_that_are_numbers(tmp_path):
    """They are written as numbers, and have the same names in integers and in floats, which hold missing values."""
    codes = np.random.default_rng(6).choice([1, 2, 3.5, 4], 600, p=[0.4, 0.3, 0.295, 0.005])
    codes[::13] = np.nan
    path = tmp_path / "codes.csv"
    signal = np.where(codes == 1, 1.0, -1.0)
    pd.DataFrame({"code": codes, "y": classes(600, signal)}).to_csv(path, index=False)
    read = ReadOptions(target="y", column_types={"code": "category"})
    options = ScorecardOptions(points=EXACT)
    card = make_scorecard(path, read, ColumnOptions(), ExecutionOptions(), options)
    (column,) = card.card.columns
    assert column.bins.merged.rare == ("4",)
    rows = pd.DataFrame({"code": codes})
    integers = pd.DataFrame({"code": [1, 2, 4, 5]})
    assert card.score(integers).tolist() == card.score(integers.astype(float)).tolist()
    assert len(set(card.score(integers))) > 1
    for new in (rows, integers):
        assert in_sqlite(card, new) == pytest.approx(card.score(new), abs=ROUNDING)
        assert in_duckdb(card, new) == pytest.approx(card.score(new), abs=ROUNDING)


DAYS = np.random.default_rng(5).integers(0, 900, 600)
TIMES = pd.Timestamp("2021-03-05 07:30") + pd.to_timedelta(DAYS * 86_400_000_001, unit="us")


def card_of_times(times, special_values=None):
    """A scorecard of one column of times, which hold the target, and a few missing ones."""
    X = pd.DataFrame({"opened": times})
    X.loc[::11, "opened"] = None
    binner = MonotoneBinner(special_values=special_values)
    card = bitsieve.scorecard(X, classes(600, DAYS / 200 - 2), binner=binner, points=EXACT)
    assert len(card.card.columns[0].bins.merged.edges) > 2
    return card, X


def rows_around_edges(card):
    """Times at each edge and each special value, and at the microseconds before and after."""
    bins = card.card.columns[0].bins
    numbers = [*bins.merged.edges, *bins.fixed.special_values, *bins.fixed.absent_special_values]
    near = [int(number) + step for number in numbers for step in (-20, -1, 0, 1, 20)]
    for unit in (1_000_000, 60_000_000, 86_400_000_000):  # a second, a minute, a day
        near += [number - number % unit for number in near]
    return pd.DataFrame({"opened": np.array(near, "datetime64[us]")})


SPECIAL_DATES = ["1900-01-01", "9999-12-31", "2999-12-31"]  # doubles do not hold every microsecond of 9999


def times_with_special():
    times = TIMES.astype("datetime64[us]").to_numpy(copy=True)
    times[:30] = np.datetime64("1900-01-01")
    times[30:60] = np.datetime64("9999-12-31")
    return times


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "ansi"])
def test_dates(dialect):
    card, X = card_of_times(times_with_special(), SPECIAL_DATES)
    new = rows_around_edges(card)
    assert len(np.unique(card.score(new))) > 5
    for rows in (X, new):
        assert in_duckdb(card, rows, dialect=dialect) == pytest.approx(card.score(rows), abs=ROUNDING)


def test_dates_without_a_time_of_day():
    card, X = card_of_times(times_with_special().astype("datetime64[D]"), SPECIAL_DATES)
    duckdb = pytest.importorskip("duckdb")
    database = duckdb.connect()
    database.register("of_pandas", X)
    database.execute("CREATE TABLE rows AS SELECT CAST(opened AS DATE) AS opened FROM of_pandas")
    scored = database.sql(card.to_sql("duckdb")).df()["score"].to_numpy(float)
    assert scored == pytest.approx(card.score(X), abs=ROUNDING)


def test_dates_that_sqlite_has_as_text(tmp_path):
    card, X = card_of_times(times_with_special(), SPECIAL_DATES)
    new = rows_around_edges(card)
    text = pd.Series(np.datetime_as_string(new["opened"].to_numpy()))
    shortened = text.str.rstrip("0").str.rstrip(".").str.removesuffix(":00").str.removesuffix("T00:00")
    assert shortened.str.len().nunique() > 3
    in_other_forms = [text, text.str.replace("T", " "), shortened, shortened.str.replace("T", " "), " " + text + " "]
    for words in in_other_forms:
        assert in_sqlite(card, words.to_frame("opened")) == pytest.approx(card.score(new), abs=ROUNDING)
    stored = X.assign(opened=X["opened"].astype(str).where(X["opened"].notna()))
    assert in_sqlite(card, stored) == pytest.approx(card.score(X), abs=ROUNDING)
    card.save(tmp_path / "card.json")
    assert bitsieve.Scorecard.load(tmp_path / "card.json").to_sql("sqlite") == card.to_sql("sqlite")


def test_text_that_is_no_date_has_the_points_of_missing_values_in_sqlite():
    card, _ = card_of_times(TIMES)
    words = ["", "NA", "unknown", "2021-02-30", "2021-03-05 24:00", "2021-03-05T12:00:00Z", "2021-03-05 12:00+02:00"]
    words += ["2021-03-05  12:00", "05.03.2021", "now", "2021-03-05 12:00:60", "2021-03-05x12:00"]
    missing = pd.DataFrame({"opened": np.array([None] * len(words), "datetime64[us]")})
    assert in_sqlite(card, pd.DataFrame({"opened": words})).tolist() == card.score(missing).tolist()


def test_dates_with_a_time_zone():
    card, X = card_of_times(pd.DatetimeIndex(TIMES).tz_localize("UTC").tz_convert("Europe/Berlin"))
    new = rows_around_edges(card)
    new["opened"] = new["opened"].dt.tz_localize("UTC").dt.tz_convert("America/New_York")
    for rows in (X, new):
        for dialect in ("duckdb", "postgres", "ansi"):
            assert in_duckdb(card, rows, dialect=dialect) == pytest.approx(card.score(rows), abs=ROUNDING)
    with pytest.raises(ValueError, match="for sqlite is not possible: column 'opened' holds dates with a time zone"):
        card.to_sql("sqlite")


def test_each_dialect_has_its_types_of_times():
    card, _ = card_of_times(pd.DatetimeIndex(TIMES).floor("D"))
    zoned, _ = card_of_times(pd.DatetimeIndex(TIMES).floor("D").tz_localize("UTC"))
    day = np.datetime_as_string(card.card.columns[0].bins.merged.edges[:1].astype("datetime64[us]"), "D")[0]
    types = {"ansi": "TIMESTAMP", "snowflake": "TIMESTAMP_NTZ(6)", "bigquery": "DATETIME", "spark": "TIMESTAMP_NTZ"}
    for dialect, timestamp in types.items():
        name = "`opened`" if dialect in ("bigquery", "spark") else '"opened"'
        condition = f"CAST(t.{name} AS {timestamp}) <= CAST('{day} 00:00:00' AS {timestamp})"
        assert condition in card.to_sql(dialect)
    zoned_types = {"ansi": "TIMESTAMP WITH TIME ZONE", "snowflake": "TIMESTAMP_TZ(6)", "bigquery": "TIMESTAMP"}
    for dialect, timestamp in zoned_types.items():
        assert f"<= CAST('{day} 00:00:00+00:00' AS {timestamp})" in zoned.to_sql(dialect)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (pd.to_timedelta(DAYS, unit="h"), "holds durations or times of day"),
        (TIMES.strftime("%d.%m.%Y"), "holds text that is read as dates"),
        ([f"{day} EUR" for day in DAYS], "holds text that is read as amounts of money"),
        (TIMES.astype("datetime64[ns]") + pd.to_timedelta(DAYS, unit="ns"), "has bins that end between two microsec"),
    ],
)
def test_columns_without_sql_are_named_with_the_reason(values, reason):
    card = bitsieve.scorecard(pd.DataFrame({"opened": values}), classes(600, DAYS / 200 - 2))
    with pytest.raises(ValueError, match=f"column 'opened' {reason}") as caught:
        card.to_sql("duckdb")
    assert caught.value.code == "no-sql"
    assert [*caught.value.columns] == ["opened"]
