"""Comparisons for a time to an event: models and measures of scikit-survival, and folds by event and time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve import UserError

pytest.importorskip("sksurv")

from sksurv.datasets import load_whas500
from sksurv.ensemble import RandomSurvivalForest
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import concordance_index_censored, integrated_brier_score

from bitsieve.dataset.survival import SurvivalTarget
from bitsieve.evaluate.folds import make_folds
from bitsieve.evaluate.models import make_model
from bitsieve.evaluate.times import RefitCurves, kaplan_meier_shares
from bitsieve.metrics.times import IntegratedBrier, has_comparable_pairs, short_of_concordance


def patients(seed: int = 0, n: int = 160) -> pd.DataFrame:
    """Two columns decide the time of death, the others are noise."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame(random.normal(size=(n, 6)), columns=list("abcdef"))
    death = random.exponential(size=n) / np.exp(1.2 * table["b"] - table["e"])
    censoring = random.exponential(3.0, size=n)
    return table.assign(week=np.minimum(death, censoring).round(2), died=death <= censoring)


def truth_of(table: pd.DataFrame) -> np.ndarray:
    truth = np.empty(len(table), dtype=[("event", bool), ("time", float)])
    truth["event"] = table["died"]
    truth["time"] = table["week"]
    return truth


def target_of(table: pd.DataFrame) -> SurvivalTarget:
    return SurvivalTarget(
        codes=table["died"].to_numpy().astype(np.int32),
        labels=np.array([False, True]),
        kind="survival",
        time=table["week"].to_numpy(),
    )


def test_the_informative_columns_are_found() -> None:
    result = bitsieve.compare(patients(), duration="week", event="died", methods=["mim", "jmi"], features=[1, 2, 6])
    choice = result.choice()
    assert choice.n_features == 2
    assert {result.names[j] for j in result.selected[0][0][:2]} == {"b", "e"}
    assert result.parameters["scoring"] == "concordance"
    assert result.baselines["equal risks"].sum() / result.n_test.sum() == pytest.approx(0.5 * 3)  # for three numbers
    assert "duration='week', event='died'" in str(result)


def test_errors_are_those_of_scikit_survival() -> None:
    table = patients(1)
    X = table[list("abcdef")].to_numpy()
    truth = truth_of(table)
    rows = np.arange(len(table))
    train = rows[rows % 3 > 0]
    test = rows[rows % 3 == 0]
    result = bitsieve.compare(X, truth, methods=["mim"], features=[6], folds=[(train, test)], baselines=False)
    scaled = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    cox = CoxPHSurvivalAnalysis(alpha=1.0).fit(scaled[train], truth[train])
    concordance = concordance_index_censored(truth["event"][test], truth["time"][test], cox.predict(scaled[test]))[0]
    # The order of the columns differs, and with it the rounding; a pair of risks so close to each other is unlikely.
    assert result.errors[0, 0, 0] / len(test) == pytest.approx(1 - concordance, abs=1e-9)


@pytest.mark.parametrize("scoring", ["uno", "integrated_brier"])
@pytest.mark.parametrize("name", ["cox", "forest"])
def test_columns_beat_no_columns_by_every_measure(name: str, scoring: str) -> None:
    table = patients(2, n=120)
    result = bitsieve.compare(
        table,
        duration="week",
        event="died",
        methods=["mim"],
        features=[2],
        folds=3,
        scoring=scoring,
        classifier=RandomSurvivalForest(n_estimators=10, random_state=0) if name == "forest" else name,
    )
    assert result.errors.sum() < result.baselines["equal risks"].sum()


def test_concordance_of_orders() -> None:
    truth = truth_of(pd.DataFrame({"week": [1.0, 2.0, 3.0, 4.0], "died": [True, True, False, True]}))
    assert short_of_concordance(-truth["time"], truth) == 0
    assert short_of_concordance(truth["time"], truth) == 4
    assert short_of_concordance(np.zeros(4), truth) == 2
    assert has_comparable_pairs(truth)
    assert not has_comparable_pairs(truth[2:])


def test_brier_score_of_kaplan_meier() -> None:
    truth = truth_of(patients(3))
    loss = IntegratedBrier(truth)
    shares = kaplan_meier_shares(truth, loss.times)
    times = loss.times[loss.times_followed(truth)]
    expected = integrated_brier_score(truth, truth, np.tile(shares, (len(truth), 1))[:, : len(times)], times)
    assert loss(np.tile(shares, (len(truth), 1)), truth) == pytest.approx(len(truth) * expected)
    assert (np.diff(shares) <= 0).all()


def test_curves_go_on_level_beyond_the_training_times() -> None:
    table = patients(4)
    X = table[list("ab")].to_numpy()
    truth = truth_of(table)
    times = np.array([-1.0, truth["time"].max() * 2])
    (curves,) = RefitCurves(CoxPHSurvivalAnalysis(alpha=1.0), times)(X, truth, X[:5], np.array([2]))
    assert (curves[:, 0] > curves[:, 1]).all()


@pytest.mark.parametrize("n_folds", [2, 5, 10])
def test_folds_have_like_events_and_times(n_folds: int) -> None:
    target = target_of(patients(5))
    folds, notes = make_folds(target, n_folds)
    assert not notes
    n_events = [int(target.event[fold.test].sum()) for fold in folds]
    assert max(n_events) - min(n_events) <= 1
    median = np.median(target.time[target.event])
    n_early = [int((target.time[fold.test][target.event[fold.test]] <= median).sum()) for fold in folds]
    assert max(n_early) - min(n_early) <= 2


def test_few_events_make_few_folds() -> None:
    table = patients(6, n=40)
    table["died"] = np.arange(40) < 4
    folds, notes = make_folds(target_of(table))
    assert len(folds) == 4
    assert [note.code for note in notes] == ["fewer-folds"]


def test_strata_rank_and_times_are_given_as_scikit_survival_gives_them() -> None:
    X, y = load_whas500()
    X = X.astype(float)
    site = np.arange(len(X)) % 3
    result = bitsieve.compare(X, y, methods=["jmi"], features=[2], folds=3, strata=site, baselines=False)
    assert result.choice().method == "jmi"
    first_columns = {result.names[fold[0]] for fold in result.selected[0]}
    assert first_columns == {"age"}


REFUSALS = {
    "entry": ({"entry": "a"}, "survival-not-supported"),
    "bounds": ({"bounds": True}, "wrong-kind-of-target"),
    "a measure of classes": ({"scoring": "accuracy"}, "wrong-kind-of-target"),
    "a classifier": ({"classifier": "lda"}, "wrong-kind-of-target"),
    "no such model": ({"classifier": "weibull"}, "unknown-name"),
    "a method on rows": ({"methods": ["relieff"]}, "survival-not-supported"),
    "more folds than events": ({"folds": 150}, "small-class"),
    "leave one out": ({"folds": "loo"}, "small-test"),
    "mdl": ({"binning": "mdl"}, "wrong-kind-of-target"),
}


@pytest.mark.parametrize(("parameters", "code"), REFUSALS.values(), ids=REFUSALS)
def test_what_does_not_fit_is_refused(parameters: dict[str, object], code: str) -> None:
    table = patients(7)
    table["a"] = -1.0 - np.arange(len(table)) % 7  # before all times
    options: dict[str, object] = {"methods": ["mim"], "features": [1]}
    with pytest.raises(UserError) as refusal:
        bitsieve.compare(table, duration="week", event="died", **(options | parameters))
    assert refusal.value.code == code


def test_a_measure_of_times_needs_times() -> None:
    table = patients(8)
    with pytest.raises(UserError) as refusal:
        bitsieve.compare(table, "died", exclude=["week"], methods=["mim"], features=[1], scoring="concordance")
    assert refusal.value.code == "wrong-kind-of-target"


def test_a_model_without_curves_has_no_brier_score() -> None:
    from sksurv.svm import FastSurvivalSVM

    table = patients(9)
    options = {"methods": ["mim"], "features": [1], "classifier": FastSurvivalSVM(), "folds": 3}
    with pytest.raises(UserError) as refusal:
        bitsieve.compare(table, duration="week", event="died", scoring="integrated_brier", **options)
    assert refusal.value.code == "classifier-without-scores"
    assert make_model(FastSurvivalSVM(), "times")[1].risk is not None
