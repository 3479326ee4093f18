"""Linear discriminant and ridge regression for several numbers of columns: products of columns are computed once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import softmax
from sklearn.linear_model import Ridge

from bitsieve.evaluate.prefix import Labels, Predictions
from bitsieve.utils.arrays import Columns, Floats

RELATIVE_RIDGE = 1e-6  # of the mean variance, added to the diagonal, so that columns may depend on each other


def linear_discriminant(train: Floats, labels: Labels, test: Floats, n_columns: Columns, /) -> Predictions:
    """Predict the class with the largest linear discriminant."""
    classes = np.unique(labels)
    for discriminants in _discriminants(train, labels, test, n_columns):
        yield classes[discriminants.argmax(axis=1)]


def discriminant_scores(train: Floats, labels: Labels, test: Floats, n_columns: Columns, /) -> Predictions:
    """Score every class code by its probability; two classes by their log odds, which do not round to certainty."""
    classes = np.unique(labels)
    for discriminants in _discriminants(train, labels, test, n_columns):
        scores = np.zeros((len(test), int(classes[-1]) + 1))
        if len(classes) == 2:
            scores[:, classes] = discriminants - discriminants[:, ::-1]
        else:
            scores[:, classes] = softmax(discriminants, axis=1)
        yield scores


def discriminant_probabilities(train: Floats, labels: Labels, test: Floats, n_columns: Columns, /) -> Predictions:
    """Predict the probability of every class code; it is 0 for codes that do not occur in the training samples."""
    classes = np.unique(labels)
    for discriminants in _discriminants(train, labels, test, n_columns):
        probabilities = np.zeros((len(test), int(classes[-1]) + 1))
        probabilities[:, classes] = softmax(discriminants, axis=1)
        yield probabilities


def _discriminants(train: Floats, labels: Labels, test: Floats, n_columns: Columns) -> Iterator[Floats]:
    """Yield the linear discriminants of the classes from the first n columns, shape (n_test, n_classes).

    The discriminant of class c with mean m_c, S the covariance within the classes, is
    ``x' S^-1 m_c - m_c' S^-1 m_c / 2 + log P(c)``.
    """
    classes, codes, class_sizes = np.unique(labels, return_inverse=True, return_counts=True)
    n_used = int(n_columns[-1])
    train = train[:, :n_used]
    means = np.array([train[codes == code].mean(axis=0) for code in range(len(classes))])
    residuals = train - means[codes]
    covariance = residuals.T @ residuals / max(1, len(train) - len(classes))
    mean_variance = np.trace(covariance) / n_used
    covariance[np.diag_indices(n_used)] += RELATIVE_RIDGE * (mean_variance or 1.0)
    log_priors = np.log(class_sizes / len(train))
    for n in n_columns:
        means_of_n = means[:, :n].T
        weights = cho_solve(cho_factor(covariance[:n, :n]), means_of_n)
        intercepts = log_priors - (means_of_n * weights).sum(axis=0) / 2
        yield test[:, :n] @ weights + intercepts


def ridge(train: Floats, values: Labels, test: Floats, n_columns: Columns, /) -> Predictions:
    """Predict by ridge regression, scikit-learn's with alpha = 1."""
    n_used = int(n_columns[-1])
    if n_used > len(train):  # the products of samples, which scikit-learn then uses, are fewer than those of columns
        for n in n_columns:
            fitted = Ridge().fit(np.ascontiguousarray(train[:, :n]), values)
            yield fitted.predict(np.ascontiguousarray(test[:, :n]))
        return
    column_means = train[:, :n_used].mean(axis=0)
    mean_value = values.mean()
    centred = train[:, :n_used] - column_means
    products = centred.T @ centred
    products[np.diag_indices(n_used)] += Ridge().alpha
    products_with_values = centred.T @ (values - mean_value)
    for n in n_columns:
        weights = cho_solve(cho_factor(products[:n, :n]), products_with_values[:n])
        yield mean_value + (test[:, :n] - column_means[:n]) @ weights
