"""Bayes' rule over one Bayesian Gaussian mixture a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin

if TYPE_CHECKING:
    from numpy.typing import NDArray

COMPONENTS = 2


class MixtureClassifier(ClassifierMixin, BaseEstimator):
    """Of the classes the one with the largest share times density, ``argmax_c P(c) p(x | c)``.

    ``p(x | c)`` is scikit-learn's ``BayesianGaussianMixture`` of the class's samples: two components (one where the
    samples are all equal; a single sample is taken twice), full covariances, Dirichlet process weights, seed 0.
    """

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> Self:
        """Fit one mixture a class."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.log_shares_ = np.log(np.bincount(codes) / len(codes))
        self.mixtures_ = [_mixture(X[codes == code]) for code in range(len(self.classes_))]
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """The most probable class of every sample."""
        return np.asarray(self.classes_[self._joint(X).argmax(axis=1)])

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability of every class, shape (n_samples, n_classes)."""
        return np.asarray(softmax(self._joint(X), axis=1))

    def _joint(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        densities = np.stack([mixture.score_samples(X) for mixture in self.mixtures_], axis=1)
        return np.asarray(densities + self.log_shares_)


def _mixture(X: NDArray[np.float64]) -> Any:
    from sklearn.mixture import BayesianGaussianMixture

    if len(X) == 1:
        X = np.repeat(X, 2, axis=0)
    n_components = min(COMPONENTS, len(np.unique(X, axis=0)))
    return BayesianGaussianMixture(n_components=n_components, random_state=0).fit(X)
