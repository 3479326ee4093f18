"""The bins of small columns are those of an independent program."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bitsieve import MonotoneBinner
from bitsieve.scorecards.stability import stability_of

FOLDER = Path(__file__).parent / "golden"
CASES = sorted(path.stem for path in FOLDER.glob("*.npz"))
TOLERANCE = 1e-12  # the expected values are sums of the same terms in another order
NO_BOUNDS = {"trend": "none", "max_n_bins": None, "min_bin_share": 0, "min_events": 0, "min_nonevents": 0}


def read_case(name):
    case = json.loads((FOLDER / f"{name}.json").read_text())
    data = np.load(FOLDER / f"{name}.npz")
    return case, data["x"], data["y"]


def binner_of(case):
    """The binner with the options of a case; ``max_prebins`` is the limit of the exact search, too."""
    options = {**NO_BOUNDS, **case["options"]}
    n_pre_bins = options.pop("max_prebins", 200)
    special_values = options.pop("special", None)
    return MonotoneBinner(
        **options, max_exact=n_pre_bins, max_prebins=n_pre_bins, refine=False, special_values=special_values
    )


@pytest.mark.parametrize("name", CASES)
def test_bins_and_values(name):
    case, x, y = read_case(name)
    expected = case["expected"]
    if case["kind"] == "categorical":
        x = np.where((x == "") | (x == "\0"), None, x.astype(object))
    binner = binner_of(case).fit(x[:, None], y)
    column = binner.column_bins_[0]
    if case["kind"] == "numeric":
        assert binner.edges_[0].tolist() == expected["edges"]
    else:
        assert [list(group) for group in binner.groups_[0]] == expected["groups"]
        assert list(column.merged.rare) == expected["rare"]
    assert column.counts.events.tolist() == expected["events"]
    assert column.counts.nonevents.tolist() == expected["nonevents"]
    assert binner.status_ == [expected["status"]]
    assert column.woe == pytest.approx(expected["woe"], abs=TOLERANCE)
    assert column.iv_terms == pytest.approx(expected["iv_terms"], abs=TOLERANCE)
    assert binner.iv_ == pytest.approx([expected["iv"]], abs=TOLERANCE)
    assert binner.iv_corrected_ == pytest.approx([expected["iv_corrected"]], abs=TOLERANCE)
    assert column.mutual_information == pytest.approx(expected["mutual_information_bits"], abs=TOLERANCE)


def test_population_stability():
    case = json.loads((FOLDER / "psi.json").read_text())
    for first, second, name in (("a", "b", "psi"), ("a0", "b0", "psi_empty")):
        expected = np.repeat(np.arange(len(case[first])), case[first])
        actual = np.repeat(np.arange(len(case[second])), case[second])
        assert stability_of(expected, actual).psi == pytest.approx(case["expected"][name], abs=TOLERANCE)
    rows = np.repeat(np.arange(4), case["a"]), np.repeat(np.arange(4), case["b"])
    assert stability_of(*rows).chance == pytest.approx(case["expected"]["bias"], abs=TOLERANCE)
