"""``select`` and ``fit`` with a time to an event: all ways to give it, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve import BitsieveWarning, ForwardSelector, UserError, select
from bitsieve.results.saved.call import call_of_options

CASES = sorted((Path(__file__).parents[1] / "information" / "survival_cases").glob("*.npz"))
ROUNDING = 1e-7  # bits: expected events are rounded to 32 bits


@pytest.fixture
def patients() -> pd.DataFrame:
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.integers(0, 4, (200, 4)), columns=["a", "b", "c", "d"])
    death = random.exponential(size=200) / np.exp(1.5 * (table["b"] == 1) + 0.6 * (table["d"] == 2))
    censoring = random.exponential(1.5, size=200)
    table["week"] = np.minimum(death, censoring).round(3)
    table["died"] = (death <= censoring).astype(int)
    return table


def features_of(patients: pd.DataFrame) -> pd.DataFrame:
    return patients[["a", "b", "c", "d"]]


def structured(patients: pd.DataFrame) -> np.ndarray:
    """The target as scikit-survival's ``Surv`` makes it."""
    rows = list(zip(patients["died"] == 1, patients["week"], strict=True))
    return np.array(rows, dtype=[("event", bool), ("time", float)])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_recorded_cases(path: Path) -> None:
    data = np.load(path)
    recorded = json.loads(path.with_suffix(".json").read_text())
    table = pd.DataFrame(data["X"], columns=[f"x{j}" for j in range(data["X"].shape[1])])
    table = table.assign(week=data["time"], arrest=data["event"])
    if "strata" in data:
        table["site"] = data["strata"]
    for criterion in ("mim", "mrmr", "jmi", "cmim"):
        selection = select(
            table,
            duration="week",
            event="arrest",
            strata="site" if "strata" in data else None,
            method=criterion,
            n_features_to_select=recorded["k"],
            binning="none",
            n_intervals=recorded["n_intervals"],
        )
        expected = recorded["corrected"][criterion]
        assert selection.indices.tolist() == expected["selected"]
        np.testing.assert_allclose(selection.scores, expected["scores"], atol=ROUNDING)
        selector = ForwardSelector(recorded["k"], criterion=criterion, binning="none")
        selector.fit(data["X"], pd.DataFrame({"event": data["event"], "time": data["time"]}), strata=data.get("strata"))
        assert selector.selected_.tolist() == expected["selected"]


def test_all_ways_to_give_the_target_are_the_same(patients: pd.DataFrame) -> None:
    X = features_of(patients)
    by_name = select(patients, duration="week", event="died", method="jmi")
    frame = patients[["week", "died"]].astype({"died": bool})
    others = [
        select(X, structured(patients), method="jmi"),
        select(X, frame, method="jmi"),
        select(X, patients[["week", "died"]].set_axis(["time", "status"], axis=1), method="jmi"),
        select(X, duration=patients["week"], event=patients["died"], method="jmi"),
        select(patients.assign(died=patients["died"] == 1), duration="week", event="died", method="jmi"),
        select(patients.assign(died=2 * patients["died"]), duration="week", event="died=2", method="jmi"),
    ]
    for other in others:
        assert other.features == by_name.features
        assert (other.scores == by_name.scores).all()
    selector = ForwardSelector(4, criterion="jmi").fit(X, structured(patients))
    assert [X.columns[j] for j in selector.selected_] == by_name.features
    assert (selector.scores_ == by_name.scores).all()


def test_only_the_order_of_times_matters(patients: pd.DataFrame) -> None:
    first = select(patients, duration="week", event="died")
    exponential = select(patients.assign(week=np.exp(patients["week"])), duration="week", event="died")
    assert (first.scores == exponential.scores).all()


def test_weights_are_repeated_rows(patients: pd.DataFrame) -> None:
    times = np.random.default_rng(1).integers(0, 3, len(patients))
    weighted = select(
        patients, duration="week", event="died", sample_weight=times, binning="none", stopping="significance"
    )
    repeated = patients.loc[patients.index.repeat(times)]
    plain = select(repeated, duration="week", event="died", binning="none", stopping="significance")
    assert weighted.features == plain.features
    assert (weighted.scores == plain.scores).all()
    assert weighted.n_events == plain.n_events


def test_unit_and_events_are_in_the_result_and_its_file(patients: pd.DataFrame, tmp_path: Path) -> None:
    selection = select(patients, duration="week", event="died", n_intervals=2, n_features_to_select=2)
    assert selection.unit == "bits per event"
    assert selection.n_events == patients["died"].sum()
    document = selection.to_dict()
    assert (document["n_events"], document["score_unit"]) == (selection.n_events, "bits per event")
    assert (document["parameters"]["duration"], document["parameters"]["n_intervals"]) == ("week", 2)
    selection.save(tmp_path / "selection.json")
    loaded = bitsieve.load(tmp_path / "selection.json")
    assert loaded == selection
    assert loaded.n_events == selection.n_events
    assert "events-counted" in [note.code for note in selection.diagnostics]


def test_options_are_the_same_after_a_file(patients: pd.DataFrame, tmp_path: Path) -> None:
    table = patients.assign(start=-1.0)
    selection = select(table, duration="week", event="died=1", entry="start", n_intervals=2)
    selection.save(tmp_path / "selection.json")
    loaded = bitsieve.load(tmp_path / "selection.json")
    survival = call_of_options(loaded.details.options, loaded.parameters, None).read.survival
    assert survival is not None
    assert survival.columns == ["week", "died", "start"]
    assert (survival.event_value, survival.n_intervals) == ("1", 2)


@pytest.mark.parametrize("stopping", ["significance", "permutation", "fdr"])
def test_rules_stop_at_noise(patients: pd.DataFrame, stopping: str) -> None:
    selection = select(patients, duration="week", event="died", n_features_to_select="auto", stopping=stopping)
    assert set(selection.features) <= {"b", "d"}
    assert selection.features[0] == "b"


def test_all_rows_may_have_an_event(patients: pd.DataFrame) -> None:
    selection = select(patients.assign(died=1), duration="week", event="died")
    assert selection.n_events == len(patients)


def test_an_entry_at_the_start_changes_nothing(patients: pd.DataFrame) -> None:
    plain = select(patients, duration="week", event="died", method="cmi")
    delayed = select(patients.assign(start=-1.0), duration="week", event="died", entry="start", method="cmi")
    assert (plain.scores == delayed.scores).all()


def test_an_event_may_be_written_as_a_comparison(patients: pd.DataFrame) -> None:
    texts = patients.assign(died=np.where(patients["died"] == 1, "dead", "alive"))
    plain = select(texts, duration="week", event="died=dead")
    assert select(texts, duration="week", event="died == dead").features == plain.features


@pytest.mark.parametrize(
    ("columns", "fix"),
    [
        ({"duration": "weeks", "event": "died"}, {"duration": "week"}),
        ({"duration": "week", "event": "dyed=1"}, {"event": "died=1"}),
    ],
)
def test_a_missing_column_is_named_by_its_parameter(patients: pd.DataFrame, columns, fix) -> None:
    with pytest.raises(UserError) as raised:
        select(patients, **columns)
    assert raised.value.diagnostic.code == "unknown-column"
    assert raised.value.diagnostic.fix == fix


REFUSALS = {
    "target too": ({"target": "a"}, "contradicting-parameters"),
    "no event": ({"event": None}, "contradicting-parameters"),
    "a kind of target": ({"target_kind": "quantity"}, "contradicting-parameters"),
    "bins of the target": ({"target_bins": 4}, "contradicting-parameters"),
    "no such column": ({"duration": "weeks"}, "unknown-column"),
    "an event of other values": ({"event": "a"}, "invalid-events"),
    "a value that is not there": ({"event": "died=7"}, "unseen-value"),
    "partly values": ({"event": np.ones(200)}, "contradicting-parameters"),
    "too many intervals": ({"n_intervals": 100}, "parameter-not-allowed"),
    "no interval": ({"n_intervals": 0}, "parameter-not-allowed"),
    "groups": ({"groups": "a"}, "contradicting-parameters"),
    "a method on rows": ({"method": "relieff"}, "survival-not-supported"),
    "a method on matrices": ({"method": "qpfs"}, "survival-not-supported"),
    "a rule on lists": ({"stopping": "conditional"}, "survival-not-supported"),
    "shrinkage": ({"estimator": "shrinkage"}, "undefined-quantity"),
    "miller-madow": ({"estimator": "miller-madow"}, "undefined-quantity"),
    "a quotient by a joint entropy": ({"method": "disr"}, "undefined-quantity"),
    "an effect within strata": ({"effect": "common", "strata": "a"}, "survival-not-supported"),
    "mdl": ({"binning": "mdl"}, "wrong-kind-of-target"),
}


@pytest.mark.parametrize(("parameters", "code"), REFUSALS.values(), ids=REFUSALS)
def test_what_does_not_fit_is_refused(patients: pd.DataFrame, parameters: dict[str, object], code: str) -> None:
    with pytest.raises(UserError) as refusal:
        select(patients, **({"duration": "week", "event": "died"} | parameters))
    assert refusal.value.code == code


VALUES = {
    "negative": ("week", -1.0, "invalid-times"),
    "infinite": ("week", np.inf, "infinite-values"),
}


@pytest.mark.parametrize(("column", "value", "code"), VALUES.values(), ids=VALUES)
def test_wrong_times_are_refused(patients: pd.DataFrame, column: str, value: float, code: str) -> None:
    patients[column] = patients[column].astype(float)
    patients.loc[3, column] = value
    with pytest.raises(UserError) as refusal:
        select(patients, duration="week", event="died")
    assert refusal.value.code == code


@pytest.mark.parametrize("column", ["week", "died"])
def test_rows_without_a_time_or_an_event_are_left_out(patients: pd.DataFrame, column: str) -> None:
    complete = patients.drop(index=[3, 40])
    patients[column] = patients[column].astype(float)
    patients.loc[[3, 40], column] = np.nan
    with pytest.warns(BitsieveWarning, match="2 of 200 rows have no 'week' or 'died'"):
        selection = select(patients, duration="week", event="died")
    assert selection.n_samples == 198
    expected = select(complete, duration="week", event="died")
    assert selection.features == expected.features
    assert (selection.scores == expected.scores).all()


@pytest.mark.parametrize("column", ["week", "died"])
def test_rows_without_a_time_are_refused_where_they_must_not_be_left_out(patients: pd.DataFrame, column: str) -> None:
    patients[column] = patients[column].astype(float)
    patients.loc[3, column] = np.nan
    with pytest.raises(UserError) as refusal:
        select(patients, duration="week", event="died", drop_missing_target=False)
    assert refusal.value.code == "missing-values"
    patients[column] = np.nan
    with pytest.raises(UserError) as refusal:
        select(patients, duration="week", event="died")
    assert refusal.value.code == "missing-target"


def test_text_and_dates_are_no_durations(patients: pd.DataFrame) -> None:
    weeks = patients["week"].astype(str)
    weeks[3] = "unknown"
    dates = pd.Timestamp("2020-01-01") + pd.to_timedelta(patients["week"], unit="W")
    for week, name in ((weeks, "'unknown'.* leave it empty"), (dates, "dates: .* subtract the date")):
        with pytest.raises(UserError, match=name) as refusal:
            select(patients.assign(week=week), duration="week", event="died")
        assert refusal.value.code == "numbers-needed"
    booleans = np.arange(len(patients)) % 2 == 0
    with pytest.raises(UserError, match="holds no numbers: give a number"):
        select(features_of(patients), duration=booleans, event=patients["died"])


def test_the_value_of_an_event_is_proposed_where_it_has_a_name(patients: pd.DataFrame) -> None:
    died = np.where(patients["died"] == 1, "yes", "no")
    with pytest.raises(UserError) as refusal:
        select(patients.assign(died=died), duration="week", event="died")
    assert refusal.value.fix == {"event": "died=yes"}
    with pytest.raises(UserError) as refusal:
        select(features_of(patients), duration=patients["week"], event=died)
    assert refusal.value.code == "invalid-events"
    assert not refusal.value.fix


def test_columns_that_repeat_the_event_are_leaks(patients: pd.DataFrame) -> None:
    copied = patients.assign(dead=np.where(patients["died"] == 1, "yes", "no"))
    (leak,) = [note for note in select(copied, duration="week", event="died").diagnostics if note.code == "leak"]
    assert leak.fix == {"exclude": ["dead"]}
    assert "leak" not in [note.code for note in select(patients, duration="week", event="died").diagnostics]


def test_interactions_refuse_times(patients: pd.DataFrame) -> None:
    for y in (structured(patients), patients[["week", "died"]].astype({"died": bool})):
        with pytest.raises(UserError) as refusal:
            bitsieve.interactions(features_of(patients), y)
        assert refusal.value.code == "survival-not-supported"


@pytest.mark.parametrize("estimator", ["corrected", "plug-in"])
def test_a_column_is_explained_in_bits_per_event(patients: pd.DataFrame, estimator: str) -> None:
    options = {"duration": "week", "event": "died", "estimator": estimator}
    selection = select(patients, n_features_to_select=2, method="cmi", **options)
    assert selection.features == ["b", "d"]
    second = selection.explain("d")
    assert (second.unit, second.rank, second.given) == ("bits per event", 2, ["b"])
    assert second.relevance == selection.relevance[1]
    assert second.added == selection.scores[1]
    assert second.chance is not None
    assert second.relevance > second.chance
    assert np.isnan(second.class_entropy)
    assert "bits per event  about the time to the event" in str(second)
    noise = selection.explain("a")
    assert noise.chance is not None
    assert noise.relevance < noise.chance
    with pytest.raises(UserError) as refusal:
        selection.plot()
    assert refusal.value.code == "survival-not-supported"


def test_selectors_of_selectors_take_times(patients: pd.DataFrame) -> None:
    X = features_of(patients)
    stable = bitsieve.StabilitySelector(ForwardSelector(2, criterion="jmi"), n_pairs=20).fit(X, structured(patients))
    assert set(stable.selected_) <= {1, 3}
    assert stable.selected_[0] == 1
    with pytest.raises(UserError) as refusal:
        bitsieve.StabilitySelector(bitsieve.make_selector("relieff", 2)).fit(X, structured(patients))
    assert refusal.value.code == "survival-not-supported"


@pytest.mark.slow
def test_how_many_columns_for_a_time(patients: pd.DataFrame) -> None:
    pytest.importorskip("sksurv")
    result = bitsieve.how_many(patients, duration="week", event="died", n_pairs=20)
    by_rule = {answer.rule: answer for answer in result.answers}
    assert set(by_rule["shuffles"].features) <= {"b", "d"}
    assert by_rule["stability"].features[0] == "b"
    assert by_rule["cross-validation"].n_features == 0  # the hazard is no line in the numbers of "b"
    assert by_rule["knockoffs"].n_features is None
    assert (result.target, result.event, result.unit) == ("week", "died", "bits per event")
    assert result.scoring == "concordance"
    assert result.band.bits[0] > result.band.high[0]
    same = bitsieve.how_many(features_of(patients), structured(patients), n_pairs=20)
    assert [answer.features for answer in same.answers] == [answer.features for answer in result.answers]


def test_what_how_many_leaves_out_for_a_time(patients: pd.DataFrame) -> None:
    options = {"duration": "week", "event": "died", "n_pairs": 2}
    result = bitsieve.how_many(patients.assign(start=-1.0), entry="start", **options)
    assert result.answers[3].n_features is None
    assert result.scoring is None
    for parameters, code in (
        ({"estimator": "shrinkage"}, "undefined-quantity"),
        ({"binning": "mdl"}, "wrong-kind-of-target"),
        ({"duration": "weke"}, "unknown-column"),
    ):
        with pytest.raises(UserError) as refusal:
            bitsieve.how_many(patients, **{**options, **parameters})
        assert refusal.value.code == code


def test_encoders_refuse_times(patients: pd.DataFrame) -> None:
    with pytest.raises(UserError) as refusal:
        bitsieve.WOEEncoder().fit(features_of(patients), structured(patients))
    assert refusal.value.code == "wrong-kind-of-target"


def test_no_event_and_late_entries_are_refused(patients: pd.DataFrame) -> None:
    with pytest.raises(UserError) as refusal:
        select(patients.assign(died=0), duration="week", event="died")
    assert refusal.value.code == "no-events"
    with pytest.raises(UserError) as refusal:
        select(patients.assign(start=patients["week"]), duration="week", event="died", entry="start")
    assert refusal.value.code == "invalid-times"


@pytest.mark.parametrize(("alias", "name"), [("duration_col", "duration"), ("event_col", "event")])
def test_names_of_other_packages_are_proposed(patients: pd.DataFrame, alias: str, name: str) -> None:
    with pytest.raises(UserError) as refusal:
        select(patients, **{alias: "week"})
    assert refusal.value.fix == {name: "week"}


def test_other_structured_arrays_are_refused(patients: pd.DataFrame) -> None:
    y = np.zeros(200, dtype=[("time", float), ("entry", float), ("event", bool)])
    with pytest.raises(UserError) as refusal:
        select(features_of(patients), y)
    assert refusal.value.code == "wrong-kind-of-target"
    with pytest.raises(UserError) as refusal:
        bitsieve.make_selector("relieff").fit(features_of(patients), structured(patients))
    assert refusal.value.code == "survival-not-supported"


def test_rows_that_are_read_in_batches_are_refused(patients: pd.DataFrame, tmp_path: Path) -> None:
    patients.to_csv(tmp_path / "patients.csv", index=False)
    with pytest.raises(UserError) as refusal:
        select(tmp_path / "patients.csv", duration="week", event="died", memory="1GB")
    assert refusal.value.code == "rows-not-in-memory"


def test_scores_of_classes_are_refused(patients: pd.DataFrame) -> None:
    selection = select(patients, duration="week", event="died", n_features_to_select=2)
    with pytest.raises(UserError):
        selection.transform(patients, append_score=True)
    assert selection.transform(patients).columns.tolist() == sorted(selection.features)
