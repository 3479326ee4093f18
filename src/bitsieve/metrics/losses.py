"""Losses of predictions: the error of a set of samples times the number of samples.

A loss is a sum over samples, so that the losses of several test sets add up; their sum divided by all samples is the
mean error.
"""

from __future__ import annotations

import numpy as np

from bitsieve.utils.arrays import Values


def wrong_classes(predicted: Values, truth: Values) -> float:
    """The number of samples with the wrong class."""
    return int((predicted != truth).sum())


def short_of_balanced_accuracy(predicted: Values, truth: Values) -> float:
    """``N (1 - balanced accuracy)``: every class that occurs has the same weight."""
    recalls = [(predicted[truth == label] == label).mean() for label in np.unique(truth)]
    return float(len(truth) * (1 - np.mean(recalls)))


def short_of_f1(predicted: Values, truth: Values) -> float:
    """``N (1 - F1)``, F1 the mean over all classes that occur or are predicted."""
    scores = []
    for label in np.union1d(predicted, truth):
        n_hits = int(((predicted == label) & (truth == label)).sum())
        n_predicted_or_true = int((predicted == label).sum() + (truth == label).sum())
        scores.append(2 * n_hits / n_predicted_or_true)
    return float(len(truth) * (1 - np.mean(scores)))


def short_of_auc(predicted: Values, truth: Values) -> float:
    """``N (1 - AUC)``, AUC the mean over the classes that occur, each against all others.

    ``predicted`` holds scores, one column a class, or class codes.
    """
    from sklearn.metrics import roc_auc_score

    if predicted.ndim == 1:
        predicted = predicted[:, None] == np.arange(truth.max() + 1)
    areas = []
    for label in np.unique(truth):
        scores = np.zeros(len(truth))  # of a class that did not occur in training: equal for all samples
        if label < predicted.shape[1]:
            scores = predicted[:, label]
        areas.append(roc_auc_score(truth == label, scores))
    return float(len(truth) * (1 - np.mean(areas)))


def squared_errors(predicted: Values, truth: Values) -> float:
    """The sum of squared errors."""
    return float(np.square(predicted - truth).sum())


def absolute_errors(predicted: Values, truth: Values) -> float:
    """The sum of absolute errors."""
    return float(np.abs(predicted - truth).sum())


def root_mean_square_error(predicted: Values, truth: Values) -> float:
    """N times the root of the mean squared error."""
    return float(len(truth) * np.sqrt(np.square(predicted - truth).mean()))


def short_of_rank_correlation(predicted: Values, truth: Values) -> float:
    """``N (1 - rho)``, rho Spearman's rank correlation, 0 where all predictions or all true values are equal."""
    from scipy.stats import rankdata

    mean_rank = (len(truth) + 1) / 2
    a = rankdata(predicted) - mean_rank
    b = rankdata(truth) - mean_rank
    length = np.sqrt(np.square(a).sum() * np.square(b).sum())
    correlation = a @ b / length if length else 0.0
    return float(len(truth) * (1 - correlation))
