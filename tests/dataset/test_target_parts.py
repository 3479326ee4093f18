"""A target that is read in parts has the classes of one that is read at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from bitsieve.dataset.quantity import KIND_FROM_VALUES, TargetKind, number_of_classes
from bitsieve.dataset.target import read_target
from bitsieve.dataset.target_summary import TargetSummary

N = 500
RANDOM = np.random.default_rng(0)
REAL = RANDOM.standard_normal(N)
TARGETS = {
    "text": pa.array(np.where(REAL > 0, "yes", "no")),
    "booleans": pa.array(REAL > 0),
    "whole": pa.array(RANDOM.integers(-3, 3, N)),
    "many": pa.array(RANDOM.integers(0, 400, N)),
    "real": pa.array(REAL),
    "whole floats": pa.array(RANDOM.integers(0, 4, N) * 1.0),
    "dates": pa.array(RANDOM.integers(0, 400, N).astype("M8[D]")),
    "durations": pa.array(RANDOM.integers(0, 4, N).astype("m8[s]")),
    "two": pa.table({"a": RANDOM.integers(0, 3, N), "b": np.where(REAL > 1, "high", "low")}),
    "two, one real": pa.table({"a": RANDOM.integers(0, 3, N), "b": REAL}),
}

WITHOUT_NUMBERS = {TargetKind("quantity"): ("text", "booleans", "two"), TargetKind(None, 3): ("text", "booleans")}


@pytest.mark.each_value
@pytest.mark.parametrize("said", [KIND_FROM_VALUES, TargetKind(None, 3), TargetKind("classes"), TargetKind("quantity")])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", TARGETS)
def test_parts_give_the_classes_of_all_rows(name, weighted, said):
    y = TARGETS[name]
    if name in WITHOUT_NUMBERS.get(said, ()):
        with pytest.raises(ValueError, match=r"^target_(kind='quantity'|bins=3) does not go with the target"):
            TargetSummary.of_part(y).fitted("given", said)
        return
    weights = RANDOM.integers(1, 4, N) if weighted else None
    expected = read_target(y, name="given", target_kind=said, weights=weights)
    ends = list(pairwise([0, 1, 250, N]))
    summary = TargetSummary.merged(
        [TargetSummary.of_part(y[a:b], first_row=a, weights=None if weights is None else weights[a:b]) for a, b in ends]
    )
    coding = summary.fitted("given", said)
    if coding.is_joint:
        coding = coding.with_combinations(np.concatenate([coding.combinations_of(y[a:b]) for a, b in ends]))
    assert np.concatenate([coding.codes(y[a:b]) for a, b in ends]).tolist() == expected.codes.tolist()
    found = coding.target
    for attribute in (
        "kind",
        "columns",
        "name",
        "requested_kind",
        "n_numbers",
        "n_classes",
        "n_classes_of_quantity",
        "unit",
    ):
        assert getattr(found, attribute) == getattr(expected, attribute)
    assert found.labels.tolist() == expected.labels.tolist()
    assert str(found.edges) == str(expected.edges)
    assert coding.rank_error == 0


def test_all_missing_values_are_counted():
    parts = [TargetSummary.of_part(pa.array([1.0, np.nan])), TargetSummary.of_part(pa.array([np.nan, np.nan, 2.0]))]
    with pytest.raises(ValueError, match=r"^the target has 3 missing values \(empty, NaN, 'NA', 'None', ...\) among 5"):
        TargetSummary.merged(parts).fitted("y")


def test_numbers_and_text_are_refused():
    parts = [TargetSummary.of_part(pa.array([1, 2])), TargetSummary.of_part(pa.array(["a", "b"]))]
    with pytest.raises(ValueError, match=r"^the target holds numbers in some parts of the data and text or categories"):
        TargetSummary.merged(parts)


def test_more_distinct_numbers_than_are_kept():
    values = np.random.default_rng(1).standard_normal(600_000)
    summary = TargetSummary.merged(
        [TargetSummary.of_part(values[:350_000]), TargetSummary.of_part(values[350_000:], first_row=350_000)]
    )
    coding = summary.fitted("y", TargetKind(n_bins=4))
    shares = np.bincount(coding.codes(values)) / len(values)
    assert np.abs(np.cumsum(shares)[:3] - [0.25, 0.5, 0.75]).max() < coding.rank_error < 0.004
    assert summary.fitted("y").target.n_classes == number_of_classes(600_000)
    assert TargetSummary.of_part(np.arange(300_000)).fitted("y").target.n_numbers == 0  # of a sample, not of all
    with pytest.raises(ValueError, match=r"^the target has more than 262,144 classes"):
        summary.fitted("y", TargetKind("classes"))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", TARGETS)
def test_the_sizes_of_classes_are_known_with_them(name, weighted):
    """But for targets of several columns."""
    y, weights = TARGETS[name], RANDOM.integers(1, 4, N) if weighted else None
    parts = [
        TargetSummary.of_part(y[a:b], first_row=a, weights=None if weights is None else weights[a:b], sampled=False)
        for a, b in pairwise([0, 3, 300, N])
    ]
    said = TargetKind(None, None if name in ("text", "booleans") else 3)
    found = TargetSummary.merged(parts).fitted("y", said).class_sizes
    if name.startswith("two"):
        assert found is None
    else:
        expected = read_target(y, target_kind=said, weights=weights)
        assert found.tolist() == np.bincount(expected.codes, weights).tolist()


def test_the_sizes_of_classes_of_sampled_numbers_are_not_known():
    assert TargetSummary.of_part(RANDOM.standard_normal(300_000)).fitted("y").class_sizes is None
