"""``bitsieve.drift``: what it returns, through every door, what a selection does with it, and what it refuses."""

import json
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.doors import DOORS

import bitsieve
from bitsieve.api.verify import verify_selection
from bitsieve.diagnostics import UserError
from bitsieve.options import ExecutionOptions

N_ROWS = 1200


@pytest.fixture(autouse=True)
def _without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bitsieve.BitsieveWarning)
        yield


@pytest.fixture(scope="module")
def table():
    """Three months: one column moves, one loses its relation to the target, one follows the mix of the classes."""
    random = np.random.default_rng(2)
    month = random.integers(0, 3, N_ROWS)
    ill = (random.random(N_ROWS) < 0.25 + 0.2 * month).astype(int)
    return pd.DataFrame(
        {
            "steady": random.normal(size=N_ROWS),
            "moves": random.normal(size=N_ROWS) + month,
            "follows": (ill + (random.random(N_ROWS) < 0.1)) % 2,
            "loses": np.where(month == 2, random.integers(0, 2, N_ROWS), ill),
            "month": np.array(["jan", "mar", "may"])[month],
            "ill": ill,
        }
    )


def test_the_column_that_moves_comes_first_and_the_mix_of_classes_is_no_drift(table):
    found = bitsieve.drift(table, "month", "ill")
    assert found.columns[0] == "moves"
    assert "steady" not in found.drifting
    assert "follows" not in found.drifting
    alone = bitsieve.drift(table.drop(columns="ill"), "month")
    assert "follows" in alone.drifting
    assert found.periods == ["jan", "mar", "may"]
    assert found.period_sizes.sum() == N_ROWS
    relevance = dict(zip(found.columns, found.relevance.tolist(), strict=True))
    assert relevance["loses"][2] < 0.05 < 0.5 < relevance["loses"][0]


def test_missing_values_are_a_code_of_their_own():
    """As creatinine of a study that measured it in its last years only, among values that do not move."""
    random = np.random.default_rng(3)
    year = np.repeat(np.arange(1995, 2004), 300)
    creatinine = random.lognormal(size=len(year))
    is_missing = random.random(len(year)) < np.where(year >= 2002, 0.91, 0.15)
    data = pd.DataFrame({"creatinine": np.where(is_missing, np.nan, creatinine), "age": random.normal(size=len(year))})
    found = bitsieve.drift(data.assign(year=year), "year")
    assert found.drifting == ["creatinine"]
    assert found.shift.bits[0] > 0.1
    complete = bitsieve.drift(pd.DataFrame({"creatinine": creatinine, "year": year}), "year")
    assert complete.drifting == []


def test_stability_index_is_that_of_two_samples_and_eight_times_the_shift_in_nats():
    random = np.random.default_rng(4)
    old, new = (pd.DataFrame({"x": random.integers(0, 5, 20000)}) for _ in range(2))
    new.loc[:800, "x"] = 4
    found = bitsieve.drift([old, new])
    as_text = [frame.astype(str) for frame in (old, new)]
    psi = bitsieve.population_stability(*as_text)["psi"][0]
    assert found.psi[0, 1] == pytest.approx(psi, rel=1e-12)
    assert found.psi[0, 0] == 0
    by_chance = 4 / (2 * 40000 * np.log(2))
    # PSI ~ 8 ln(2) I for two periods of equal size, up to the third order of the shift.
    assert psi == pytest.approx(8 * np.log(2) * (found.shift.bits[0] + by_chance), rel=0.01)


@pytest.mark.parametrize("door", DOORS)
def test_every_door_gives_the_same(table, door, tmp_path):
    rows = pa.Table.from_pandas(table.drop(columns="ill").rename(columns={"month": "y"}))
    arguments = DOORS[door](rows, tmp_path)
    arguments["period"] = arguments.pop("target")
    found = bitsieve.drift(**arguments, binning="quantile")
    expected = bitsieve.drift(rows, "y")
    assert len(found.columns) == len(expected.columns)
    assert found.shift.bits == pytest.approx(expected.shift.bits, abs=0.01)  # bins of batches are approximate
    assert len(found.drifting) == len(expected.drifting)


def test_frame_dictionary_text_and_picture(table):
    found = bitsieve.drift(table, "month", "ill", reference="mar")
    frame = found.to_frame()
    assert frame["column"].tolist() == found.columns
    assert frame["drifts"].sum() == len(found.drifting)
    document = json.loads(json.dumps(found.to_dict()))
    assert [column["name"] for column in document["columns"]] == found.columns
    assert document["reference"] == "mar"
    assert document["columns"][0]["psi"][1] == 0
    assert "2 of 4 columns drift" in str(found)
    assert "<table" in found._repr_html_()
    axes = found.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == found.columns
    assert found == bitsieve.drift(table, "month", "ill", reference="mar")


def test_strata_take_out_what_they_explain(table):
    by_ill = bitsieve.drift(table, "month", strata="ill")
    given_target = bitsieve.drift(table, "month", "ill")
    assert by_ill.columns == given_target.columns
    assert by_ill.shift.bits == pytest.approx(given_target.shift_within_classes.bits, abs=1e-12)


def test_values_in_place_of_names(table):
    features = table.drop(columns=["month", "ill"])
    by_name = bitsieve.drift(table, "month", "ill")
    by_value = bitsieve.drift(features, table["month"], table["ill"])
    assert by_value.columns == by_name.columns
    assert (by_value.shift_within_classes.bits == by_name.shift_within_classes.bits).all()
    words = ["yes" if ill else "no" for ill in table["ill"]]
    by_words = bitsieve.drift(features, table["month"].tolist(), words)
    assert (by_words.shift_within_classes.bits == by_name.shift_within_classes.bits).all()


def test_a_selection_leaves_out_what_drifts_and_says_so(table):
    selection = bitsieve.select(table, "ill", period="month")
    assert set(selection.features) == {"steady", "follows"}
    assert "drift-excluded" in [diagnostic.code for diagnostic in selection.diagnostics]
    within = bitsieve.select(table, "ill", period="month", drift="within")
    by_strata = bitsieve.select(table, "ill", strata="month")
    assert within.features == by_strata.features
    assert (within.scores == by_strata.scores).all()
    assert "moves" in bitsieve.select(table, "ill", period="month", max_drift=2.0).features
    assert "moves" in bitsieve.select(table, "ill", period="month", include=["moves"]).features


def test_a_penalty_is_the_shift_within_the_classes(table):
    found = bitsieve.drift(table, "month", "ill")
    shift = dict(zip(found.columns, found.shift_within_classes.bits.tolist(), strict=True))
    penalties = {column: 2 * bits for column, bits in shift.items() if bits > 0}
    expected = bitsieve.select(
        table, "ill", method="jmi", exclude=["month"], constraints=bitsieve.Constraints(penalties=penalties)
    )
    options = {"period": "month", "drift": "penalty", "method": "jmi"}
    selection = bitsieve.select(table, "ill", **options, drift_penalty=2.0)
    assert selection.features == expected.features
    assert (selection.scores == expected.scores).all()
    assert selection.features[-2:] == ["moves", "steady"]  # "steady" has no cut, and comes last
    unpenalised = bitsieve.select(table, "ill", **options, drift_penalty=0.0)
    assert unpenalised.features == bitsieve.select(table, "ill", method="jmi", exclude=["month"]).features
    kept = bitsieve.select(table, "ill", **options, include=["moves"])
    assert kept.features[0] == "moves"


def test_a_selection_with_penalties_is_made_again_from_its_file(table, tmp_path):
    selection = bitsieve.select(table, "ill", period="month", drift="penalty", include=["steady"])
    selection.save(tmp_path / "selection.json")
    verification = verify_selection(bitsieve.load(tmp_path / "selection.json"), table, ExecutionOptions())
    assert all(step.agrees for step in verification.steps)


@pytest.mark.parametrize(
    "drift", ["exclude", "penalty", pytest.param("within", marks=pytest.mark.slow("the slower of the rules"))]
)
def test_compare_and_how_many_follow_the_same_rule(table, drift):
    methods = {"methods": ["jmi", "mrmr"], "features": [1, 2], "folds": 3, "classifier": "ncm"}
    comparison = bitsieve.compare(table, "ill", period="month", drift=drift, **methods)
    answers = bitsieve.how_many(table, "ill", period="month", drift=drift, classifier="ncm", n_pairs=2, folds=3)
    if drift == "within":
        expected = bitsieve.compare(table, "ill", strata="month", **methods)
        assert (comparison.errors == expected.errors).all()
    chosen = {column for answer in answers.answers for column in answer.features or ()}
    assert "month" not in chosen
    if drift == "exclude":
        assert "drift-excluded" in [diagnostic.code for diagnostic in comparison.diagnostics]
        assert "drift-excluded" in [diagnostic.code for diagnostic in answers.diagnostics]
        assert not chosen & {"moves", "loses"}


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda data: bitsieve.drift(data), "period-needed"),
        (lambda data: bitsieve.drift([data, data.drop(columns="moves")]), "columns-differ"),
        (lambda data: bitsieve.drift([data, data.add_suffix("_")]), "columns-differ"),
        (lambda data: bitsieve.drift(data, "month", "month"), "column-in-two-roles"),
        (lambda data: bitsieve.select(data, "month", period="month", drift="within"), "column-in-two-roles"),
        (lambda data: bitsieve.drift([data, data[:0], data]), "empty-data"),
        (lambda data: bitsieve.drift([data, data.assign(ill=np.nan)], target="ill"), "empty-data"),
        (lambda data: bitsieve.drift([data, pd.concat([data, data["ill"]], axis=1)]), "duplicate-names"),
        (lambda data: bitsieve.select(data[["moves", "month", "ill"]], "ill", period="month"), "no-features"),
        (lambda data: bitsieve.drift(data, "month", data["ill"]), "names-and-values"),
        (lambda data: bitsieve.drift(data, "month", reference="june"), "parameter-not-allowed"),
        (lambda data: bitsieve.drift(data.assign(month="jan"), "month"), "one-class"),
        (lambda data: bitsieve.drift(data.assign(month="jan"), "month", "ill"), "one-class"),
        (lambda data: bitsieve.drift(data.assign(ill=1), "month", "ill"), "one-class"),
        (lambda data: bitsieve.drift(data.assign(month=np.arange(N_ROWS) // 8), "month"), "too-many-classes"),
        (lambda data: bitsieve.drift(data, "month", binning="mdl"), "target-needed"),
        (lambda data: bitsieve.select(data, duration="steady", event="ill", period="month"), "survival-not-supported"),
        (lambda data: bitsieve.select(data, "ill", drift="exclude"), "parameter-without-effect"),
        (lambda data: bitsieve.select(data, "ill", period="month", drift="other"), "parameter-not-allowed"),
        (lambda data: bitsieve.select(data, "ill", drift_penalty=2.0), "parameter-without-effect"),
        (lambda data: bitsieve.select(data, "ill", period="month", drift_penalty=2.0), "parameter-without-effect"),
        (
            lambda data: bitsieve.select(data, "ill", period="month", drift="penalty", max_drift=0.1),
            "parameter-without-effect",
        ),
        (
            lambda data: bitsieve.select(data, "ill", period="month", drift="penalty", method="miq"),
            "undefined-quantity",
        ),
        (
            lambda data: bitsieve.select(data, "ill", period="month", drift="penalty", method="fcbf"),
            "penalties-not-supported",
        ),
        (
            lambda data: bitsieve.compare(data, "ill", period="month", drift="penalty", methods=["mim", "speccmi"]),
            "penalties-not-supported",
        ),
    ],
)
def test_refused(table, call, code):
    with pytest.raises(UserError) as raised:
        call(table)
    assert raised.value.code == code


def test_dates_are_cut_into_bins(table):
    days = pd.Timestamp("2025-01-01") + pd.to_timedelta(np.arange(N_ROWS) // 10, "D")
    found = bitsieve.drift(table.assign(month=days), "month", period_bins=4)
    assert len(found.periods) == 4


@pytest.mark.parametrize(
    ("parameters", "fix"),
    [
        ({"period": "mnth"}, {"period": "month"}),
        ({"period": "month", "target": "il"}, {"target": "ill"}),
        ({"period": "month", "strata": ["ill", "stedy"]}, {"strata": "steady"}),
    ],
)
def test_a_missing_column_is_named_with_its_role(table, parameters, fix):
    with pytest.raises(UserError) as raised:
        bitsieve.drift(table, **parameters)
    assert raised.value.code == "unknown-column"
    assert raised.value.fix == fix
    (role,) = fix
    assert f"for the {role}" in str(raised.value)


@pytest.mark.parametrize("drift", ["exclude", "within"])
def test_a_missing_period_of_a_selection_is_named_so(table, drift):
    with pytest.raises(UserError) as raised:
        bitsieve.select(table, "ill", period="mnth", drift=drift)
    assert raised.value.fix == {"period": "month"}
    assert "for the period" in str(raised.value)


def test_names_of_months_are_in_the_order_of_the_calendar(table):
    renamed = table.assign(month=table["month"].map({"jan": "jan", "mar": "feb", "may": "apr"}))
    result = bitsieve.drift(renamed, "month", "ill")
    expected = bitsieve.drift(table, "month", "ill")
    assert result.periods == ["jan", "feb", "apr"]
    assert result.reference == "jan"
    assert result.period_sizes.tolist() == expected.period_sizes.tolist()
    assert (result.relevance == expected.relevance).all()
    assert bitsieve.drift(renamed, "month").periods == result.periods


def test_tables_are_compared_without_the_columns_that_are_excluded(table):
    features = table.drop(columns="month")
    without = features.drop(columns="loses").assign(new=1)
    with pytest.raises(UserError) as raised:
        bitsieve.drift([features, without])
    assert raised.value.fix == {"exclude": ["loses", "new"]}
    result = bitsieve.drift([features, without], **raised.value.fix)
    assert sorted(result.columns) == ["follows", "ill", "moves", "steady"]
    assert result.drifting == []


def test_numbers_that_became_text_are_a_warning(table):
    old = table[["steady", "follows"]]
    result = bitsieve.drift([old, old.assign(follows=np.where(old["follows"] == 1, "high", "low"))])
    assert ("kind-changed", ("follows",)) in [(each.code, each.columns) for each in result.diagnostics]
    assert result.drifting == ["follows"]


def test_rows_without_a_period_are_left_out(table):
    features = table.drop(columns=["month", "ill"])
    month = table["month"].where(np.arange(N_ROWS) % 7 > 0)
    result = bitsieve.drift(features, month)
    assert result.periods == ["jan", "mar", "may"]
    assert result.period_sizes.sum() == month.notna().sum()


def test_several_columns_together_are_the_period(table):
    both = [f"{month}-{ill}" for month, ill in zip(table["month"], table["ill"], strict=True)]
    expected = bitsieve.drift(table.drop(columns=["month", "ill"]), both)
    result = bitsieve.drift(table, ["month", "ill"])
    assert len(result.periods) == 6
    assert result.shift == expected.shift


def test_the_period_may_be_excluded(table):
    assert bitsieve.drift(table, "month", exclude=["month"]).columns == bitsieve.drift(table, "month").columns
    selection = bitsieve.select(table, "ill", period="month", exclude=["month"])
    assert selection.features == bitsieve.select(table, "ill", period="month").features


def patients(n_patients=60, seed=6):
    """Visits of patients: every value is of the patient, a third of the patients come in each month."""
    random = np.random.default_rng(seed)
    visits = np.repeat(np.arange(n_patients), 8)
    columns = {f"x{j}": random.normal(size=n_patients)[visits] for j in range(6)}
    month = random.integers(0, 3, n_patients)[visits]
    ill = random.integers(0, 2, n_patients)[visits]
    return pd.DataFrame({**columns, "month": month, "ill": ill, "patient": visits})


def test_visits_of_few_patients_are_no_drift_once_the_patients_are_known():
    data = patients()
    assert len(bitsieve.drift(data.drop(columns="patient"), "month", "ill").drifting) == 6
    found = bitsieve.drift(data, "month", "ill", groups="patient")
    assert found.drifting == []
    assert "patient" not in found.columns
    by_values = bitsieve.drift(data.drop(columns="patient"), "month", "ill", groups=data["patient"].to_numpy())
    assert by_values == found


def test_a_selection_leaves_columns_out_that_drift_between_whole_groups_only():
    data = patients()
    selection = bitsieve.select(data, "ill", n_features_to_select=2, period="month", groups="patient")
    assert "drift-excluded" not in [diagnostic.code for diagnostic in selection.diagnostics]
    moves = data.assign(x0=data["month"])
    selection = bitsieve.select(moves, "ill", n_features_to_select=2, period="month", groups="patient")
    (excluded,) = [diagnostic for diagnostic in selection.diagnostics if diagnostic.code == "drift-excluded"]
    assert excluded.columns == ("x0",)


def test_groups_need_rows_in_memory(tmp_path):
    path = tmp_path / "visits.csv"
    patients().to_csv(path, index=False)
    with pytest.raises(UserError) as caught:
        bitsieve.drift(path, "month", groups="patient", memory="100MB")
    assert caught.value.diagnostic.code == "rows-not-in-memory"


@pytest.mark.parametrize("question", [bitsieve.drift, bitsieve.select])
def test_the_period_is_no_group_of_rows(question):
    with pytest.raises(UserError, match="the period and the groups") as caught:
        question(patients(), target="ill", period="month", groups="month")
    assert caught.value.diagnostic.code == "column-in-two-roles"


def test_rows_are_told_from_their_weight(table):
    features = table[["steady", "follows", "month"]].assign(weight=np.arange(N_ROWS) % 3)
    n_counted = int((features["weight"] > 0).sum())
    total_weight = int(features["weight"].sum())
    result = bitsieve.drift(features, "month", sample_weight="weight")
    assert (result.n_samples, result.period_sizes.sum()) == (n_counted, total_weight)
    assert f"\n{n_counted:,} rows of weight {total_weight:,} in 3 periods" in result.table_text()
    assert result.to_dict()["n_samples"] == n_counted
    plain = bitsieve.drift(features.drop(columns="weight"), "month")
    assert f"\n{N_ROWS:,} rows in 3 periods" in plain.table_text()


def test_rows_without_a_class_are_noted_by_the_names_that_were_given(table):
    features = table.drop(columns="month")
    with_gaps = features.assign(ill=features["ill"].astype(object).where(np.arange(N_ROWS) % 5 > 0))
    (note,) = [each for each in bitsieve.drift([features, with_gaps], target="ill").diagnostics if "no '" in str(each)]
    n_without = int(with_gaps["ill"].isna().sum())
    assert note.code == "rows-without-target"
    assert str(note) == f"{n_without:,} of {2 * N_ROWS:,} rows have no 'ill' and are left out"
