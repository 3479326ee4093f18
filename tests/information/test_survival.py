"""Information about a time to an event: recorded cases, brute force, identities, chance, and Cox's model."""

from __future__ import annotations

import json
from math import log
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.cover import quick_and_slow

from bitsieve.counts.risk_sets import RiskSets
from bitsieve.counts.survival import SurvivalSource
from bitsieve.information import make_information
from bitsieve.information.protocol import UndefinedQuantityError
from bitsieve.information.survival import SurvivalInformation
from bitsieve.methods.by_counts.forward import forward

CASES = sorted((Path(__file__).parent / "survival_cases").glob("*.npz"))
ROUNDING = 1e-7  # bits: expected events are rounded to 32 bits


def source_of(data: dict[str, np.ndarray], n_intervals: int = 1) -> SurvivalSource:
    risk_sets = RiskSets.of_rows(
        data["time"],
        data["event"] > 0,
        entry=data.get("entry"),
        stratum=data.get("strata"),
        weight=data.get("weight"),
        n_intervals=n_intervals,
    )
    return SurvivalSource(data["X"], risk_sets)


def random_data(seed: int, n: int = 150, **hazards: float) -> dict[str, np.ndarray]:
    """Five columns; the times depend on the first, and censoring on the second. With ties, entries and strata."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (n, 5))
    time = random.exponential(size=n) / np.exp(0.8 * (X[:, 0] == 1) - 0.5 * (X[:, 0] == 2))
    censoring = random.exponential(size=n) * np.where(X[:, 1] == 0, 0.5, 3.0)
    entry = np.round(0.2 * random.random(n), 2)
    observed = entry + np.round(np.minimum(time, censoring), 2) + 0.01
    return {
        "X": X,
        "time": observed,
        "event": time <= censoring,
        "entry": entry,
        "strata": random.integers(0, 2, n),
        "weight": random.integers(1, 3, n),
    }


@pytest.mark.parametrize("estimator", ["plug-in", "corrected"])
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_recorded_cases(path: Path, estimator: str) -> None:
    recorded = json.loads(path.with_suffix(".json").read_text())
    information = make_information(estimator, source_of(dict(np.load(path)), recorded["n_intervals"]))
    np.testing.assert_allclose(information.relevance, recorded[estimator]["relevance"], atol=ROUNDING)
    for criterion in ("mim", "mrmr", "jmi", "cmim"):
        result = forward(information, recorded["k"], criterion)
        expected = recorded[estimator][criterion]
        assert result.selected.tolist() == expected["selected"], criterion
        np.testing.assert_allclose(result.scores, expected["scores"], atol=ROUNDING)


def divergence(data: dict[str, np.ndarray], codes: np.ndarray, expected: np.ndarray) -> float:
    """``(1/D) sum O log2(O / E)`` from the expected events of the rows."""
    total = 0.0
    events = data["weight"] * data["event"]
    for code in np.unique(codes):
        o = events[codes == code].sum()
        e = (data["weight"] * expected)[codes == code].sum()
        if o:
            total += o * np.log2(o / e)
    return total / events.sum()


@pytest.mark.parametrize("seed", range(4))
def test_relevance_and_pairs_by_definition(seed: int) -> None:
    data = random_data(seed)
    source = source_of(data)
    information = make_information("plug-in", source)
    expected = source.risk_sets.expected_events()[:, 0]
    X = data["X"]
    for i in range(X.shape[1]):
        assert information.relevance[i] == pytest.approx(divergence(data, X[:, i], expected), abs=ROUNDING)
    pair = information.pair(2)
    for i in range(X.shape[1]):
        joint = divergence(data, X[:, 2] * 10 + X[:, i], expected)
        assert pair.joint_relevance[i] == pytest.approx(joint, abs=ROUNDING)


@pytest.mark.parametrize("estimator", ["plug-in", "corrected"])
def test_sets_of_one_column_are_pairs(estimator: str) -> None:
    information = make_information(estimator, source_of(random_data(5), n_intervals=2))
    conditional = information.conditional().refine(1)
    assert (conditional.conditional_relevance() == information.pair(1).conditional_relevance).all()
    of_some = information.pair(1, np.array([0, 3])).conditional_relevance
    assert (of_some == information.pair(1).conditional_relevance[[0, 3]]).all()


def test_identities_and_bounds() -> None:
    information = make_information("plug-in", source_of(random_data(6)))
    pair = information.pair(0)
    assert (pair.conditional_relevance >= -ROUNDING).all()
    assert (information.relevance >= -ROUNDING).all()
    np.testing.assert_allclose(pair.joint_relevance, information.relevance[0] + pair.conditional_relevance)
    np.testing.assert_allclose(
        pair.conditional_redundancy, pair.redundancy - information.relevance + pair.conditional_relevance
    )
    assert information.pair(0).conditional_relevance[0] == 0


def test_more_intervals_never_lower_the_information() -> None:
    data = random_data(7, n=400)
    one = make_information("plug-in", source_of(data)).relevance
    four = make_information("plug-in", source_of(data, n_intervals=4)).relevance
    assert (four >= one - ROUNDING).all()


def partial_log_likelihood(data: dict[str, np.ndarray], design: np.ndarray, beta: np.ndarray) -> float:
    """Breslow's partial log-likelihood of Cox's model."""
    risk = data["weight"] * np.exp(design @ beta)
    total = 0.0
    for s in np.unique(data["strata"]):
        in_stratum = data["strata"] == s
        for t in np.unique(data["time"][data["event"] & in_stratum]):
            dies = in_stratum & data["event"] & (data["time"] == t)
            at_risk = in_stratum & (data["entry"] < t) & (t <= data["time"])
            d = data["weight"][dies].sum()
            total += (data["weight"][dies] * (design[dies] @ beta)).sum() - d * log(risk[at_risk].sum())
    return total


def negative_log_likelihood(beta: np.ndarray, data: dict[str, np.ndarray], design: np.ndarray) -> float:
    return -partial_log_likelihood(data, design, beta)


@pytest.mark.parametrize("seed", quick_and_slow(range(6), quick={5}, reason="other tables"))
def test_information_is_at_most_the_likelihood_ratio_of_cox(seed: int) -> None:
    """The likelihood at its maximum is not below that at ``beta_x = ln(O_x / E_x)``, which is at least the bound."""
    data = random_data(seed, n=120)
    source = source_of(data)
    information = make_information("plug-in", source)
    for i in range(3):
        codes = data["X"][:, i]
        design = (codes[:, None] == np.arange(1, 4)).astype(float)
        null = partial_log_likelihood(data, design, np.zeros(3))
        fitted = minimize(negative_log_likelihood, np.zeros(3), (data, design))
        likelihood_ratio = 2 * (-fitted.fun - null)
        assert 2 * log(2) * source.n_events * information.relevance[i] <= likelihood_ratio + 1e-5  # of the optimiser


def test_chance_is_the_mean_of_events_drawn_among_rows_at_risk() -> None:
    data = random_data(8, n=300)
    data["weight"][:] = 1
    source = source_of(data)
    plug_in = make_information("plug-in", source)
    corrected = make_information("corrected", source)
    conditional = plug_in.conditional()
    seeds = np.arange(2000, dtype=np.uint64)
    for feature in (0, 1):
        draws = conditional.shuffled_relevance(feature, seeds)
        chance = (plug_in.relevance - corrected.relevance)[feature]
        error = 4 * draws.std() / len(draws) ** 0.5
        assert draws.mean() == pytest.approx(chance, abs=error + 0.1 * chance)  # the mix at risk changes


def test_a_column_that_drives_censoring_alone_is_never_first() -> None:
    for seed in range(20):
        data = random_data(seed, n=200)
        information = make_information("corrected", source_of(data))
        assert forward(information, 1, "mim").selected[0] != 1


def test_draws_follow_from_their_seeds() -> None:
    conditional = make_information("plug-in", source_of(random_data(9), n_intervals=1)).conditional().refine(0)
    seeds = np.arange(50, dtype=np.uint64)
    first = conditional.shuffled_relevance(2, seeds)
    assert (conditional.shuffled_relevance(2, seeds) == first).all()
    assert (conditional.conditional_relevance() >= -ROUNDING).all()
    assert (first >= -ROUNDING).all()


@pytest.mark.parametrize("name", ["class_entropy", "entropy_by_class"])
def test_entropies_of_events_are_not_defined(name: str) -> None:
    information = make_information("plug-in", source_of(random_data(10)))
    assert isinstance(information, SurvivalInformation)
    with pytest.raises(UndefinedQuantityError):
        getattr(information, name)
    with pytest.raises(UndefinedQuantityError):
        information.matrix("mean_relevance")
    with pytest.raises(UndefinedQuantityError):
        make_information("shrinkage", information.source)
