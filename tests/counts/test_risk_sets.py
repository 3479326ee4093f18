"""Risk sets against their definition, row by row and time by time."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.counts.risk_sets import MAX_SCALED_EXPECTED, RiskSets
from bitsieve.diagnostics import UserError


def random_rows(seed: int, n: int = 60) -> dict[str, np.ndarray]:
    """Rows with ties, entries, strata and weights."""
    random = np.random.default_rng(seed)
    entry = random.integers(0, 4, n).astype(float)
    return {
        "time": entry + random.integers(1, 8, n),
        "event": random.random(n) < 0.6,
        "entry": entry,
        "stratum": random.integers(0, 3, n),
        "weight": random.integers(1, 4, n),
    }


def expected_by_definition(rows: dict[str, np.ndarray], cuts: np.ndarray) -> np.ndarray:
    """The sum of d / r over the event times at which each row is at risk, by interval."""
    time, event, entry, stratum, weight = rows.values()
    expected = np.zeros((len(time), len(cuts) + 1))
    for s in np.unique(stratum):
        for t in np.unique(time[event & (stratum == s)]):
            at_risk = (stratum == s) & (entry < t) & (t <= time)
            n_events = weight[(stratum == s) & event & (time == t)].sum()
            interval = np.searchsorted(cuts, t, side="left")
            expected[at_risk, interval] += n_events / weight[at_risk].sum()
    return expected


@pytest.mark.parametrize("seed", range(5))
def test_expected_events_by_definition(seed: int) -> None:
    rows = random_rows(seed)
    risk_sets = RiskSets.of_rows(**rows)
    expected = expected_by_definition(rows, np.array([]))
    np.testing.assert_allclose(risk_sets.expected_events(), expected, rtol=1e-12)  # sums in another order
    assert risk_sets.n_events == (rows["weight"] * rows["event"]).sum()
    assert (rows["weight"] @ risk_sets.expected_events())[0] == pytest.approx(risk_sets.n_events, rel=1e-12)


def test_intervals_end_at_quantiles_of_event_times() -> None:
    time = np.arange(1.0, 101.0)
    risk_sets = RiskSets.of_rows(time, np.ones(100, bool), n_intervals=4)
    assert np.bincount(risk_sets.event_class()).tolist() == [0, 25, 25, 25, 25]
    expected = expected_by_definition(
        {
            "time": time,
            "event": np.ones(100, bool),
            "entry": np.zeros(100),
            "stratum": np.zeros(100, int),
            "weight": np.ones(100, int),
        },
        np.array([25.0, 50.0, 75.0]),
    )
    np.testing.assert_allclose(risk_sets.expected_events(), expected, rtol=1e-12)


def test_equal_cuts_are_one_and_the_last_event_time_is_none() -> None:
    time = np.repeat([1.0, 2.0], [90, 10])
    assert RiskSets.of_rows(time, np.ones(100, bool), n_intervals=4).n_intervals == 2
    assert RiskSets.of_rows(np.ones(100), np.ones(100, bool), n_intervals=4).n_intervals == 1


def test_weights_are_repeated_rows() -> None:
    rows = random_rows(1)
    weighted = RiskSets.of_rows(**rows)
    repeated = {name: np.repeat(values, rows["weight"]) for name, values in rows.items() if name != "weight"}
    scaled = RiskSets.of_rows(**repeated).scaled_expected_events()
    assert (np.repeat(weighted.scaled_expected_events(), rows["weight"], axis=0) == scaled).all()


def test_order_of_rows_and_scale_of_times_do_not_matter() -> None:
    rows = random_rows(2)
    order = np.random.default_rng(0).permutation(len(rows["time"]))
    expected = RiskSets.of_rows(**rows).scaled_expected_events()
    permuted = RiskSets.of_rows(**{name: values[order] for name, values in rows.items()})
    assert (permuted.scaled_expected_events() == expected[order]).all()
    later = rows | {"time": np.exp(rows["time"]), "entry": np.exp(rows["entry"])}
    assert (RiskSets.of_rows(**later).scaled_expected_events() == expected).all()


def test_scaled_expected_events_are_at_most_the_limit_and_more_than_half_of_it() -> None:
    scaled = RiskSets.of_rows(**random_rows(3)).scaled_expected_events()
    assert MAX_SCALED_EXPECTED // 2 <= scaled.max() <= MAX_SCALED_EXPECTED


def test_an_event_at_time_0_has_all_rows_at_risk() -> None:
    risk_sets = RiskSets.of_rows(np.array([0.0, 0.0, 5.0]), np.array([True, False, False]))
    np.testing.assert_allclose(risk_sets.expected_events()[:, 0], 1 / 3)


def test_refusals() -> None:
    with pytest.raises(UserError) as refusal:
        RiskSets.of_rows(np.ones(3), np.zeros(3, bool))
    assert refusal.value.code == "no-events"
    with pytest.raises(UserError) as refusal:
        RiskSets.of_rows(np.arange(50.0), np.ones(50, bool), n_intervals=3)
    assert refusal.value.parameters == {"n_intervals": 3}
