"""What counts as an error: wrong samples, or what a balanced accuracy, an F1 or an AUC falls short of 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from bitsieve.common.messages import ParameterError, choices

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


def short_of_auc(predicted: NDArray[Any], truth: Codes) -> float:
    """(1 - AUC) times the samples; AUC is the mean over the classes that occur, each against all others.

    ``predicted`` has one column of scores a class. Where it has class codes instead, the score of a class is 1 for the
    samples that got it and 0 for the others.
    """
    if predicted.ndim == 1:
        predicted = predicted[:, None] == np.arange(truth.max() + 1)
    unknown = np.zeros(len(truth))  # of a class that was not learned: all samples are alike
    areas = [
        roc_auc_score(truth == label, predicted[:, label] if label < predicted.shape[1] else unknown)
        for label in np.unique(truth)
    ]
    return float(len(truth) * (1 - np.mean(areas)))


ROC_AUC = "roc_auc"  # the one that is measured by scores and not by predicted classes
LOSSES: dict[str, Loss] = {
    "accuracy": wrong,
    "balanced_accuracy": unbalanced,
    "f1_macro": short_of_f1,
    ROC_AUC: short_of_auc,
}


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
