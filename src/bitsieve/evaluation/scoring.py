"""What counts as an error: wrong samples, or what a balanced accuracy or an F1 falls short of 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.errors import ParameterError
from bitsieve.common.messages import choices

Codes = NDArray[Any]
Loss = Callable[[Codes, Codes], float]


def wrong(predicted: Codes, truth: Codes) -> float:
    """How many samples got the wrong class."""
    return int((predicted != truth).sum())


def unbalanced(predicted: Codes, truth: Codes) -> float:
    """(1 - balanced accuracy) times the samples: every class that occurs counts as much as another."""
    recalls = [(predicted[truth == label] == label).mean() for label in np.unique(truth)]
    return float(len(truth) * (1 - np.mean(recalls)))


def short_of_f1(predicted: Codes, truth: Codes) -> float:
    """(1 - F1) times the samples; F1 is the mean over the classes that occur or are predicted."""
    scores = []
    for label in np.union1d(predicted, truth):
        hit = int(((predicted == label) & (truth == label)).sum())
        scores.append(2 * hit / int((predicted == label).sum() + (truth == label).sum()))
    return float(len(truth) * (1 - np.mean(scores)))


LOSSES: dict[str, Loss] = {"accuracy": wrong, "balanced_accuracy": unbalanced, "f1_macro": short_of_f1}


def make_loss(scoring: str) -> Loss:
    """The loss of a score, as scikit-learn names it.

    Raises
    ------
    ValueError
        If there is no such score.
    """
    if scoring not in LOSSES:
        raise ParameterError("scoring", scoring, choices(str(scoring), LOSSES), "is not known")
    return LOSSES[scoring]
