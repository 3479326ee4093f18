"""``bitsieve.scorecard``: its scores are those of its SQL, its file and its model."""

from __future__ import annotations

import json
import math
import sqlite3

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import bitsieve
from bitsieve import MonotoneBinner, Points, Scorecard, WOEEncoder
from bitsieve.results.scorecard_text import column_rows, column_summary

SPECIAL = {"income": [-999]}
PURPOSE = 'it\'s \\ a "purpose"'


@pytest.fixture(scope="module")
def loans():
    random = np.random.default_rng(7)
    n = 1000
    purposes = ["car", "o'neil", 'a "b"', "back\\slash", "rare"]
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 80, n),
            "income": np.exp(random.normal(8, 0.5, n)).round(-2),
            "debt share": random.beta(2, 5, n).round(2),
            PURPOSE: random.choice(purposes, n, p=[0.3, 0.3, 0.2, 0.199, 0.001]),
            "owner": random.random(n) < 0.4,
        }
    )
    log_odds = -2 - 0.03 * (frame["age"] - 45) + 4 * frame["debt share"] - 0.7 * frame["owner"]
    log_odds += 0.8 * (frame[PURPOSE] == "car") - 0.0002 * frame["income"]
    frame.loc[random.random(n) < 0.1, "income"] = -999
    frame.loc[random.random(n) < 0.1, "debt share"] = np.nan
    frame.loc[random.random(n) < 0.05, PURPOSE] = None
    default = (random.random(n) < 1 / (1 + np.exp(-log_odds))).astype(int)
    return frame, default


@pytest.fixture(scope="module")
def card(loans):
    X, y = loans
    return bitsieve.scorecard(X, y, binner=MonotoneBinner(special_values=SPECIAL, max_n_bins=5))


@pytest.fixture
def new_rows(loans):
    """Rows with values that the development does not have."""
    X = loans[0].head(200).copy()
    X.loc[0:9, "age"] = 1000
    X["age"] = X["age"].astype(float)
    X.loc[10:19, "age"] = np.nan
    X.loc[20:29, PURPOSE] = "boat"
    X.loc[30:39, "debt share"] = -5.0
    return X


def test_scores_are_the_model_on_weights_of_evidence(loans):
    X, y = loans
    binner = MonotoneBinner(special_values=SPECIAL)
    exact = bitsieve.scorecard(X, y, binner=binner, points=Points(rounded=False))
    woe = WOEEncoder(binner).fit(X, y).transform(X)
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(woe, y)
    # The solver stops at gradients of 1e-10.
    assert exact.predict_proba(X) == pytest.approx(model.predict_proba(woe), abs=1e-6)
    log_odds = np.log(exact.predict_proba(X)[:, 1] / exact.predict_proba(X)[:, 0])
    factor = 20 / math.log(2)
    assert exact.score(X) == pytest.approx(600 - factor * (math.log(50) + log_odds), abs=1e-8)


def test_rounding_moves_a_score_by_no_more_than_is_said(loans, card):
    X, y = loans
    exact = bitsieve.scorecard(
        X, y, binner=MonotoneBinner(special_values=SPECIAL, max_n_bins=5), points=Points(rounded=False)
    )
    difference = np.abs(card.score(X) - exact.score(X)).max()
    assert difference == pytest.approx(card.card.max_rounding_error, abs=1e-9)
    assert difference <= len(card.features) / 2
    assert exact.card.max_rounding_error == pytest.approx(0, abs=1e-9)
    with_base = bitsieve.scorecard(X, y, points=Points(base_points=True, rounded=False))
    without = bitsieve.scorecard(X, y, points=Points(rounded=False))
    assert with_base.score(X) == pytest.approx(without.score(X), abs=1e-9)


def test_coefficients_are_those_of_the_largest_likelihood():
    random = np.random.default_rng(0)
    n = 5000
    first = random.normal(size=n)
    X = pd.DataFrame({"first": first.round(1), "like it": (first + 0.3 * random.normal(size=n)).round(1)})
    y = (random.random(n) < 1 / (1 + np.exp(1 - first))).astype(int)
    card = bitsieve.scorecard(X, y).card
    woe = np.column_stack([np.ones(n), WOEEncoder().fit(X, y).transform(X)])
    log_odds = woe @ np.array([card.intercept, *[column.coefficient for column in card.columns]])
    gradient = woe.T @ (y - 1 / (1 + np.exp(-log_odds)))
    assert np.abs(gradient).max() < 1e-3  # of a sum over 5,000 rows; 0.1 where the solver stops early


@pytest.mark.parametrize("base_points", [False, True])
def test_the_statement_scores_every_row_alike(loans, new_rows, base_points):
    duckdb = pytest.importorskip("duckdb")
    X, y = loans
    points = Points(base_points=base_points, rounded=not base_points)
    card = bitsieve.scorecard(X, y, binner=MonotoneBinner(special_values=SPECIAL, max_n_bins=5), points=points)
    for rows in (X, new_rows):
        expected = card.score(rows)
        with sqlite3.connect(":memory:") as connection:
            rows.to_sql("new rows", connection, index=False)
            in_sqlite = pd.read_sql(card.to_sql("sqlite", "new rows"), connection)["score"]
        connection.close()
        database = duckdb.connect()
        database.register("new rows", rows)
        in_duckdb = database.sql(card.to_sql("duckdb", "new rows")).df()["score"]
        assert in_sqlite.to_numpy(float) == pytest.approx(expected, abs=1e-9)  # the order of a sum
        assert in_duckdb.to_numpy(float) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("dialect", ["ansi", "postgres", "duckdb", "sqlite", "snowflake", "bigquery", "spark"])
def test_text_and_names_are_quoted(card, dialect):
    sql = card.to_sql(dialect)
    escaped = "'o\\'neil'" if dialect in ("bigquery", "spark") else "'o''neil'"
    assert escaped in sql
    doubles_backslash = dialect in ("bigquery", "spark", "snowflake")
    assert ("'back\\\\slash'" in sql) == doubles_backslash
    assert sql.count("CASE") == sql.count("END AS") == len(card.features)


def test_an_unseen_category_has_the_weight_zero():
    frame = pd.DataFrame({"city": np.where(np.arange(400) % 4 < 2, "Rome", "Oslo"), "age": np.arange(400) % 7})
    default = (np.arange(400) % 4 + np.arange(400) % 7 > 5).astype(int)
    card = bitsieve.scorecard(frame, default, points=Points(rounded=False))
    city, age = card.card.columns
    assert not city.bins.merged.rare
    row = pd.DataFrame({"city": ["Bern"], "age": [3]})
    (bin_of_age,) = age.bins.bins_of_numbers(np.array([3.0])).tolist()
    log_odds = card.card.intercept + age.coefficient * age.woe[bin_of_age]
    assert card.score(row)[0] == pytest.approx(card.card.points.score_of(np.array([log_odds]))[0], abs=1e-9)
    assert card.predict_proba(row)[0, 1] == pytest.approx(1 / (1 + np.exp(-log_odds)), abs=1e-12)


def test_bins_of_one_class_are_named(loans):
    X, y = loans
    X = X[["age"]].assign(income=np.where((y == 1) & (np.arange(len(y)) % 5 == 0), np.nan, X["income"]))
    (note,) = [note for note in bitsieve.scorecard(X, y).diagnostics if note.code == "smoothed-bins"]
    assert [*note.columns] == ["income"]
    assert "'missing'" in note.message


def test_values_in_no_bin_are_counted_in_a_warning(loans):
    X, y = loans
    card = bitsieve.scorecard(X[["age", "owner"]], y)
    new = X[["age", "owner"]].head(30).astype({"age": float})
    new.loc[:4, "age"] = np.nan
    for method in (card.score, card.predict_proba):
        with pytest.warns(bitsieve.BitsieveWarning, match=r"column 'age' has .* in 5 rows, .* is 0"):
            method(new)


def test_a_saved_card_is_text_of_any_language(tmp_path):
    frame = pd.DataFrame({"größe": np.arange(200) % 7})
    bitsieve.scorecard(frame, (np.arange(200) % 7 + np.arange(200) % 3 > 4).astype(int)).save(tmp_path / "card.json")
    assert '"größe"' in (tmp_path / "card.json").read_text(encoding="utf-8")


def test_reasons_are_at_least_one(loans, card):
    with pytest.raises(ValueError, match="n=0"):
        card.reasons(loans[0].head(3), 0)


def test_a_saved_card_is_the_same_to_the_last_bit(loans, new_rows, card, tmp_path):
    path = tmp_path / "card.json"
    card.save(path)
    loaded = Scorecard.load(path)
    for rows in (loans[0], new_rows):
        assert loaded.score(rows).tobytes() == card.score(rows).tobytes()
        assert loaded.predict_proba(rows).tobytes() == card.predict_proba(rows).tobytes()
    assert str(loaded) == str(card)
    assert {**loaded.to_dict(), "diagnostics": []} == {**card.to_dict(), "diagnostics": []}
    path.write_text('{"format": "something else"}')
    with pytest.raises(ValueError, match="no scorecard"):
        Scorecard.load(path)


@pytest.mark.parametrize("texts", [["1", "-999", "7"], ["0.5", "2.25"], ["2020-01-01", "2021-03-04"], ["1,5", "2,5"]])
def test_text_is_read_by_a_saved_card_as_by_the_card(texts, tmp_path):
    random = np.random.default_rng(0)
    X = pd.DataFrame({"text": random.choice(np.array(texts, object), 300), "number": random.normal(size=300)})
    card = bitsieve.scorecard(X, (random.random(300) < 0.3 + 0.3 * (X["text"] == texts[0])).astype(int))
    card.save(tmp_path / "card.json")
    loaded = Scorecard.load(tmp_path / "card.json")
    X.loc[:3, "text"] = "no value"
    for rows in (X, X[4:], X[:4], X[10:11]):
        assert loaded.score(rows).tolist() == card.score(rows).tolist()


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "", "null", "[]", "3", "{}", '{"format": 1}'])
def test_other_files_are_no_scorecard(tmp_path, content):
    (tmp_path / "card.json").write_text(content)
    with pytest.raises(ValueError, match="is no scorecard"):
        Scorecard.load(tmp_path / "card.json")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda document: document.pop("columns"), "damaged-file"),
        (lambda document: document["columns"][0].update(edges="20"), "damaged-file"),
        (lambda document: document["columns"][0]["points"].pop(), "damaged-file"),
        (lambda document: document["columns"][0]["edges"].pop(), "damaged-file"),
        (lambda document: document["points"].update(pdo=-1), "damaged-file"),
        (lambda document: document.update(version=99), "newer-selection"),
    ],
)
def test_a_scorecard_that_was_changed_is_refused(card, tmp_path, change, code):
    document = card.to_dict()
    change(document)
    (tmp_path / "card.json").write_text(json.dumps(document))
    with pytest.raises(bitsieve.UserError, match=r"card\.json") as caught:
        Scorecard.load(tmp_path / "card.json")
    assert caught.value.code == code


def test_the_shares_of_the_bins_of_a_column_are_100_percent(card):
    for column in card.card.columns:
        shares = [float(cells[2].removesuffix(" %")) for cells in column_rows(column)]
        assert sum(shares) == pytest.approx(100, abs=0.05 * len(shares))


def test_columns_are_found_by_name(loans, card):
    X = loans[0].head(50)
    mixed = X[list(reversed(X.columns))].assign(more=1)
    assert card.score(mixed).tolist() == card.score(X).tolist()
    with pytest.raises(ValueError, match="lacks 1 of the 5"):
        card.score(X.drop(columns="age"))


def test_reasons_are_the_columns_that_cost_most(loans, card):
    X = loans[0].head(100)
    reasons = card.reasons(X, 2)
    bins = card._bins(X)
    columns = card.card.columns
    gains = np.column_stack([c.points_in(bins[:, j]) - c.mean_points for j, c in enumerate(columns)])
    assert reasons["points_1"].to_numpy() == pytest.approx(np.minimum(gains.min(axis=1), 0))
    for row, name in enumerate(reasons["reason_1"]):
        has_loss = gains[row].min() < 0
        assert (name == columns[int(gains[row].argmin())].name) if has_loss else pd.isna(name)


def test_stability_is_that_of_the_bins(loans, card):
    X = loans[0]
    assert card.stability(X)["psi"].tolist() == [0.0] * 5
    binner = MonotoneBinner(special_values=SPECIAL, max_n_bins=5).fit(X, loans[1])
    month = X.head(300)
    expected = bitsieve.population_stability(X, month, binner=binner).set_index("column")["psi"]
    for name, psi in zip(card.stability(month)["column"], card.stability(month)["psi"], strict=True):
        assert psi == pytest.approx(expected[name], abs=1e-12)


def test_stability_beside_other_rows(loans, card):
    old, new = loans[0].head(300), loans[0].tail(300)
    assert card.stability(old, old)["psi"].tolist() == [0.0] * 5
    # The index is a sum over both samples in which they change places; only the order of additions differs.
    assert card.stability(new, old)["psi"].tolist() == pytest.approx(
        card.stability(old, new)["psi"].tolist(), abs=1e-12
    )
    assert card.stability(old, loans[0])["psi"].tolist() == card.stability(old)["psi"].tolist()


def test_a_column_that_repeats_another_has_the_wrong_sign_and_can_be_dropped():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 2000)
    signal = random.normal(size=2000).round(1)
    noise = random.normal(size=2000).round(1)
    X = pd.DataFrame(
        {"sum": y + signal + noise, "part": y * 0.2 + signal + noise, "other": random.normal(size=2000).round(1) + y}
    )
    card = bitsieve.scorecard(X, y)
    wrong = [diagnostic for diagnostic in card.diagnostics if diagnostic.code == "coefficient-sign"]
    assert [*wrong[0].columns] == ["part"]
    assert wrong[0].fix == {"drop_wrong_sign": True}
    without = bitsieve.scorecard(X, y, drop_wrong_sign=True)
    assert without.features == ["sum", "other"]
    assert without.card.wrong_sign == ("part",)


def test_columns_are_selected_first(loans):
    X, y = loans
    card = bitsieve.scorecard(X.assign(again=X["age"]), y, n_features_to_select=2)
    assert len(card.features) == 2
    assert not {"age", "again"} <= {*card.features}


def test_columns_that_are_not_selected_may_have_a_trend_of_their_own(loans):
    X, y = loans
    trends = dict.fromkeys(["age", "income", "debt share"], "auto")
    binner = MonotoneBinner(trend=trends, special_values={"income": [-999]})
    for n_features in (1, 2, 3):
        card = bitsieve.scorecard(X, y, binner=binner, n_features_to_select=n_features)
        assert len(card.features) == n_features
        assert "special-value-absent" not in [note.code for note in card.diagnostics]
    with pytest.raises(ValueError, match="names 'incme', no column of the table: did you mean 'income'"):
        bitsieve.scorecard(X, y, binner=MonotoneBinner(trend={"incme": "peak"}), n_features_to_select=1)


def test_what_stops_a_scorecard_is_said(loans):
    X, y = loans
    with pytest.raises(ValueError, match="linear classifier") as caught:
        bitsieve.scorecard(X, y, model=bitsieve.MonotoneBinner())
    assert caught.value.code == "parameter-not-allowed"
    with pytest.raises(ValueError, match="no column has two bins"):
        bitsieve.scorecard(X[["age"]], y, binner=MonotoneBinner(max_n_bins=1))
    with pytest.raises(ValueError, match="is a text, and column 'income'"):
        bitsieve.scorecard(X, y, binner=MonotoneBinner(special_values={"income": ["-999"]}))
    with pytest.raises(ValueError, match="points"):
        bitsieve.scorecard(X, y, points={"pdo": 20})


def test_the_bound_that_leaves_one_bin_is_named(loans):
    X, y = loans
    card = bitsieve.scorecard(X, y, binner=MonotoneBinner(min_events={"age": 10**6, "*": 1}))
    (note,) = [diagnostic for diagnostic in card.diagnostics if diagnostic.code == "bounds-not-kept"]
    assert [*note.columns] == ["age"]
    assert str(note).startswith("min_events=1000000 is kept by no bins of 'age'")
    assert "age" not in card.features


@pytest.mark.parametrize("is_text", [False, True])
def test_a_special_date_has_a_bin_of_its_own(loans, tmp_path, is_text):
    X, y = loans
    opened = pd.Timestamp("2020-01-01") + pd.to_timedelta(X["age"], unit="D")
    opened[:30] = pd.Timestamp("1900-01-01")
    frame = pd.DataFrame({"opened": opened.dt.strftime("%Y-%m-%d") if is_text else opened})
    card = bitsieve.scorecard(frame, y, binner=MonotoneBinner(special_values={"opened": ["1900-01-01", "2999-12-31"]}))
    column = card.card.columns[0]
    assert column.bins.labels[-1] == "special 1900-01-01"
    assert column.bins.fixed.counts.rows.tolist() == [30]
    card.save(tmp_path / "card.json")
    loaded = Scorecard.load(tmp_path / "card.json")
    assert str(loaded) == str(card)
    assert loaded.score(frame).tolist() == card.score(frame).tolist()
    (note,) = [note for note in card.diagnostics if note.code == "special-value-absent"]
    assert note.parameters == {"special_values": {"opened": ["2999-12-31"]}}
    with pytest.raises(ValueError, match="is a text, and column 'opened' holds dates: give a date"):
        bitsieve.scorecard(frame, y, binner=MonotoneBinner(special_values={"opened": ["never"]}))


def test_bins_of_dates_are_named_by_dates(loans):
    X, y = loans
    opened = pd.Timestamp("2020-01-01") + pd.to_timedelta(X["age"], unit="D")
    for values in (opened, opened.dt.strftime("%Y-%m-%d")):
        card = bitsieve.scorecard(pd.DataFrame({"opened": values}), y)
        column = card.card.columns[0]
        ends = [label.rpartition(", ")[2].rstrip("]") for label in column.bins.labels[:-1]]
        edges = column.bins.merged.edges.astype("datetime64[us]")
        assert [np.datetime64(end) for end in ends] == list(edges)
        assert column.bins.counts.rows[0] == (opened <= pd.Timestamp(edges[0])).sum()


def test_a_column_that_separates_the_classes_is_named_although_it_has_one_bin(loans):
    X, y = loans
    X = X[["age"]].assign(collected=np.where(y == 1, 10.0 + X["age"], 0.0), constant=1.0)
    card = bitsieve.scorecard(X, y)
    assert card.features == ["age"]
    noted = [(diagnostic.code, list(diagnostic.columns)) for diagnostic in card.diagnostics]
    assert ("single-bin", ["collected", "constant"]) in noted
    assert ("too-good", ["collected"]) in noted
    assert ("too-good", ["constant"]) not in noted


def test_a_special_value_that_is_not_declared_is_noted():
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 300)
    X = pd.DataFrame({"share": (random.random(300) + 0.3 * y).round(2)})
    X.loc[:20, "share"] = -999
    assert "sentinel" in [diagnostic.code for diagnostic in bitsieve.scorecard(X, y).diagnostics]
    declared = bitsieve.scorecard(X, y, binner=MonotoneBinner(special_values={"share": [-999]}))
    assert "sentinel" not in [diagnostic.code for diagnostic in declared.diagnostics]


def test_rare_categories_are_named(loans):
    X, y = loans
    (note,) = [note for note in bitsieve.scorecard(X, y).diagnostics if note.code == "rare-categories"]
    assert [*note.columns] == [PURPOSE]
    assert "'rare'" in note.message
    alone = bitsieve.scorecard(X, y, binner=MonotoneBinner(min_level_share=0))
    assert "rare-categories" not in [note.code for note in alone.diagnostics]


def test_a_cut_is_the_number_that_the_label_shows(tmp_path):
    random = np.random.default_rng(3)
    x = random.normal(size=2000)
    y = (random.random(2000) < 1 / (1 + np.exp(-2 * x))).astype(int)
    binner = MonotoneBinner().fit(x[:, None], y)
    card = bitsieve.scorecard(pd.DataFrame({"x": x}), y)
    shown = [float(label.rpartition(", ")[2].rstrip("]")) for label in card.card.columns[0].bins.labels[:-1]]
    assert (np.array(shown) > binner.edges_[0]).any()
    new_rows = pd.DataFrame({"x": np.concatenate([shown, np.nextafter(shown, np.inf), binner.edges_[0]])})
    bin_by_label = np.searchsorted(shown, new_rows["x"], side="left")
    points = card.table["points"].to_numpy()
    assert card.score(new_rows).tolist() == points[bin_by_label].tolist()
    with sqlite3.connect(":memory:") as connection:
        new_rows.to_sql("rows", connection, index=False)
        in_sqlite = pd.read_sql(card.to_sql("sqlite"), connection)["score"]
    connection.close()
    assert in_sqlite.tolist() == points[bin_by_label].tolist()
    card.save(tmp_path / "card.json")
    assert Scorecard.load(tmp_path / "card.json").score(new_rows).tolist() == points[bin_by_label].tolist()
    assert (binner.transform(x[:, None])[:, 0] == np.searchsorted(shown, x, side="left")).all()


def test_rows_without_the_event_are_those_that_are_left(card):
    table = card.table
    assert (table["events"] + table["nonevents"]).tolist() == table["rows"].tolist()
    assert (table["nonevents"] >= 0).all()


def test_the_printed_gap_says_among_which_bins_it_holds(tmp_path):
    random = np.random.default_rng(3)
    numbers = random.normal(size=2000)
    X = pd.DataFrame({"few": numbers.round(1), "many": numbers, "round": numbers})
    y = (random.random(2000) < 1 / (1 + np.exp(-numbers))).astype(int)
    binner = MonotoneBinner(edges={"round": [-1.0, 0.0, 1.0]}, trend={"round": "ascending"})
    card = bitsieve.scorecard(X, y, binner=binner)
    few, many, between_edges = (column_summary(column) for column in card.card.columns)
    n_pre_bins = int(card.card.columns[1].bins.merged.division.bin_ends[-1])
    assert 500 <= n_pre_bins < 2000
    assert "below the best bins without bounds" in few
    assert f"below the best bins that {n_pre_bins} pre-bins can make without bounds" in many
    assert "below the best bins that 4 pre-bins can make without bounds" in between_edges
    card.save(tmp_path / "card.json")
    loaded = Scorecard.load(tmp_path / "card.json")
    assert [column_summary(column) for column in loaded.card.columns] == [few, many, between_edges]


def test_categories_that_differ_in_blanks_are_noted_and_quoted():
    random = np.random.default_rng(4)
    job = random.choice(["cook", " cook", "smith", "COOK", "clerk"], 1000, p=[0.4, 0.2, 0.2, 0.195, 0.005])
    y = (random.random(1000) < np.where(job == " cook", 0.6, 0.3)).astype(int)
    card = bitsieve.scorecard(pd.DataFrame({"job": job}), y)
    (note,) = [note for note in card.diagnostics if note.code == "values-alike"]
    assert [*note.columns] == ["job"]
    assert all(repr(spelling) in note.message for spelling in ("cook", " cook", "COOK"))
    assert "smith" not in note.message
    assert "' cook'" in card.card.columns[0].bins.labels
    alone = bitsieve.scorecard(pd.DataFrame({"job": np.char.strip(np.char.lower(job))}), y, binner=MonotoneBinner())
    assert "values-alike" not in [note.code for note in alone.diagnostics]


def test_a_special_number_for_all_columns_is_no_date(loans):
    X, y = loans
    opened = pd.Timestamp("2020-01-01") + pd.to_timedelta(X["age"], unit="D")
    frame = X[["income"]].assign(opened=opened)
    card = bitsieve.scorecard(frame, y, binner=MonotoneBinner(special_values=[-999]))
    income, dates = (column.bins.fixed for column in card.card.columns)
    assert [*income.special_values] == [-999]
    assert (dates.special_values, dates.absent_special_values) == ((), ())
    assert "1969" not in card.to_sql()
    only = bitsieve.scorecard(frame, y, binner=MonotoneBinner(special_values={"opened": [-999]}))
    assert "special-value-absent" in [note.code for note in only.diagnostics]
