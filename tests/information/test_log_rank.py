"""The log-rank test against its definition and against results of other programs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bitsieve.counts.risk_sets import RiskSets
from bitsieve.information.log_rank import log_rank_test

CASES = sorted((Path(__file__).parent / "survival_cases").glob("*.npz"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_statistics_of_other_programs(path: Path) -> None:
    data = np.load(path)
    recorded = json.loads(path.with_suffix(".json").read_text())["log_rank"]
    stratum = data.get("strata")
    risk_sets = RiskSets.of_rows(data["time"], data["event"] > 0, stratum=stratum)
    statistics = [log_rank_test(risk_sets, codes).statistic for codes in data["X"].T]
    np.testing.assert_allclose(statistics, recorded, rtol=1e-9)  # eigenvalues of another program


def test_two_codes_by_definition() -> None:
    random = np.random.default_rng(0)
    time = random.integers(1, 10, 80).astype(float)
    event = random.random(80) < 0.7
    codes = random.integers(0, 2, 80)
    difference = 0.0
    variance = 0.0
    for t in np.unique(time[event]):
        at_risk = time >= t
        r = at_risk.sum()
        d = (event & (time == t)).sum()
        p = codes[at_risk].mean()
        difference += codes[event & (time == t)].sum() - d * p
        variance += d * (r - d) / max(r - 1, 1) * p * (1 - p)
    test = log_rank_test(RiskSets.of_rows(time, event), codes)
    assert test.statistic == pytest.approx(difference**2 / variance)
    assert test.degrees_of_freedom == 1


def test_a_constant_has_no_degrees_of_freedom() -> None:
    test = log_rank_test(RiskSets.of_rows(np.arange(5.0), np.ones(5, bool)), np.zeros(5, np.int64))
    assert (test.degrees_of_freedom, test.p) == (0, 1.0)


def test_within_parts_a_column_that_repeats_the_parts_has_none() -> None:
    random = np.random.default_rng(1)
    codes = random.integers(0, 3, 60)
    risk_sets = RiskSets.of_rows(random.random(60), random.random(60) < 0.8)
    assert log_rank_test(risk_sets, codes).degrees_of_freedom == 2
    assert log_rank_test(risk_sets.within(codes), codes).degrees_of_freedom == 0
