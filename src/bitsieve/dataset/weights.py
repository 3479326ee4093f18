"""The weights of the samples: how often each of them counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bitsieve.counts.tables import MAX_SAMPLES
from bitsieve.dataset.encoding import as_array
from bitsieve.diagnostics import NAME_ONLY, UserError
from bitsieve.options import SAMPLING
from bitsieve.utils.arrays import Flags, Floats, Integers, Values
from bitsieve.utils.types import ColumnLike

MIN_ROWS_OF_SURVEY = 100  # fewer rows with large weights are a table of counts
MIN_MEAN_OF_SURVEY = 10


def read_weights(sample_weight: ColumnLike, n_samples: int, weight_kind: str | None = None) -> Integers | None:
    """How often each sample counts, as integers; None where every sample counts once.

    Frequency weights are these numbers. Sampling weights are first scaled to the effective number of samples.
    ``weight_kind`` is None where the user cannot choose, and the weights are frequencies.
    """
    if sample_weight is None:
        return None
    weights = as_array(sample_weight)
    if weights.ndim != 1:
        raise _invalid_weights(f"has shape {weights.shape}", "it must be one weight a sample")
    if len(weights) != n_samples:
        raise _invalid_weights(f"has {len(weights):,} values but there are {n_samples:,} samples", "give one each")
    if weights.dtype.kind not in "biuf":
        try:  # numpy would drop the imaginary part
            weights = weights.astype(object if weights.dtype.kind == "c" else np.float64).astype(np.float64)
        except (TypeError, ValueError):
            raise _invalid_weights("holds values that are no numbers", "give whole numbers") from None
    if weights.dtype.kind == "f" and np.isnan(weights).any():
        n_missing = int(np.isnan(weights).sum())
        raise _invalid_weights(
            f"is missing in {n_missing:,} of {n_samples:,} samples", "give each a weight, such as 0 to leave it out"
        )
    if weight_kind == SAMPLING:
        return _effective_counts(weights.astype(np.float64))
    return _checked_counts(weights, can_be_sampling=weight_kind is not None)


def _checked_counts(weights: Values, *, can_be_sampling: bool) -> Integers | None:
    """Frequency weights as integers; None where every sample counts once.

    ``can_be_sampling`` says whether the user can declare that they are sampling weights.
    """
    advice_for_surveys = ""
    fix_for_surveys = {}
    if can_be_sampling:
        advice_for_surveys = ", or, if they are the weights of a survey, add {weight_kind}"
        fix_for_surveys = {"weight_kind": SAMPLING}
    is_count = (weights >= 0) & (weights < np.inf) & (weights == np.floor(weights))
    refused = weights[~is_count]
    if len(refused):
        problem = f"holds {refused[0].item():.6g}, and frequency weights are whole numbers"
        raise _invalid_weights(problem, f"give whole numbers from 0{advice_for_surveys}", fix_for_surveys)
    total = weights.sum(dtype=np.float64)
    if not total:
        raise _invalid_weights("is zero for every sample", "no row is left to count")
    if total > MAX_SAMPLES:
        raise _invalid_weights(
            f"sums to {total:,.0f} samples, at most {MAX_SAMPLES:,} are supported",
            f"scale the weights down{advice_for_surveys}",
            fix_for_surveys,
        )
    return None if (weights == 1).all() else weights.astype(np.int64)


def _effective_counts(weights: Floats) -> Integers | None:
    """Draw a systematic sample, in which the chance of a sample is in proportion to its weight: 1 if drawn, else 0.

    The chances are ``p = w sum w / sum w^2``, which sum to Kish's effective number of samples,
    ``(sum w)^2 / sum w^2``. A chance above 1 is taken for 1, as a sample that counted twice would look like two
    independent ones to every test. The sum of p up to each sample is rounded, and the sample is drawn where the rounded
    sum grows. So the number of draws among samples that follow each other differs by less than 1 from their sum of p.
    """
    refused = weights[~((weights >= 0) & (weights < np.inf))]
    if len(refused):
        raise _invalid_weights(f"holds {refused[0].item():.6g}", "give weights from 0")
    largest = weights.max(initial=0.0)
    if not largest:
        raise _invalid_weights("is zero for every sample", "no row is left to count")
    shares = weights / largest  # so that no square overflows
    chances = np.minimum(shares * (shares.sum() / np.square(shares).sum()), 1.0)
    counts = np.diff(np.floor(np.cumsum(chances) + 0.5), prepend=0.0).astype(np.int64)
    if not counts.any():
        raise _invalid_weights("leaves no sample that counts", "give weights that vary less")
    return None if (counts == 1).all() else counts


def zero_in_rows(sample_weight: ColumnLike, rows: Flags) -> ColumnLike:
    """Set the weights of some samples to 0. Weights of a wrong shape are returned as they are."""
    if not rows.any():
        return sample_weight
    if sample_weight is None:
        return np.where(rows, 0, 1)
    weights = as_array(sample_weight)
    if np.shape(weights) not in ((), rows.shape):
        return weights  # which is refused later
    return np.where(rows, 0, weights)


def rows_with_weight(sample_weight: ColumnLike) -> Flags | None:
    """The rows whose weight is not 0; None for all rows. Only these rows decide how text is read."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.dtype.kind not in "biuf" or weights.all() or weights.ndim != 1:
        return None  # other weights are refused once the columns are read
    return np.asarray(weights != 0)


def look_like_sampling(weights: Integers) -> bool:
    """Whether weights look like those of a survey: many rows, each of which counts many times on average."""
    return len(weights) >= MIN_ROWS_OF_SURVEY and int(weights.sum()) >= MIN_MEAN_OF_SURVEY * len(weights)


def check_rows_left(weights: ColumnLike, *, weighted_by_user: bool) -> None:
    """Refuse weights that are all 0, as no row with a weight has a target.

    Where the user gave no weights, they are 1 in the rows with a target and 0 in the others.
    """
    if weights is not None and not (as_array(weights) != 0).any():
        raise no_rows_left("the data", weighted=weighted_by_user, drop_missing=True)


def no_rows_left(label: str, *, weighted: bool, drop_missing: bool) -> UserError:
    """The error for data of which no row is left.

    ``weighted`` says that rows of weight 0 were left out, ``drop_missing`` that rows without a target were.
    """
    if drop_missing and weighted:
        return UserError(
            code="empty-data",
            message="no row has a target and a weight above 0",
            advice="no row is left to count",
        )
    if drop_missing:
        return UserError(code="missing-target", message="the target has no value in any row")
    if weighted:
        return _invalid_weights("is zero for every sample", "no row is left to count")
    return UserError(
        code="empty-data",
        message=f"{label} has no rows",
        advice="nothing to select from",
    )


def _invalid_weights(problem: str, advice: str, fix: Mapping[str, Any] | None = None) -> UserError:
    return UserError(
        code="invalid-weights",
        message=problem,
        advice=advice,
        fix=dict(fix or {}),
        parameters={"sample_weight": NAME_ONLY},
    )
