"""Bayesian Gaussian mixtures as classifiers: one a class, or one of all samples."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from bitsieve.common.parameters import check_integer

COMPONENTS = 2  # of the mixture of a class
MOST_STEPS = 300  # of that of all samples


class MixtureClassifier(ClassifierMixin, BaseEstimator):
    """Of the classes the one with the largest share times density, ``argmax_c P(c) p(x | c)``.

    ``p(x | c)`` is scikit-learn's ``BayesianGaussianMixture`` of the class's samples: two components (one where the
    samples are all equal; a single sample is taken twice), full covariances, Dirichlet process weights, seed 0.
    """

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> Self:
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.log_shares_ = np.log(np.bincount(codes) / len(codes))
        self.mixtures_ = [_mixture(X[codes == code]) for code in range(len(self.classes_))]
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        return np.asarray(self.classes_[self._joint(X).argmax(axis=1)])

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
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


class VariationalMixtureClassifier(ClassifierMixin, BaseEstimator):
    """Classes by one Gaussian mixture of all samples: that of the component with the greatest responsibility.

    The mixture is scikit-learn's ``BayesianGaussianMixture`` (full covariances, Dirichlet weights, 300 steps at most),
    fitted to standardised columns without labels; every component is then named after the class that most of its
    samples have (equal counts: the lower class; no sample: the largest class). ``n_components`` None is the number of
    classes; at most the number of different samples.
    """

    def __init__(self, n_components: int | None = None, *, random_state: int = 0) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the mixture to X, and name its components by y."""
        from sklearn.mixture import BayesianGaussianMixture
        from sklearn.utils.multiclass import check_classification_targets

        if self.n_components is not None:
            check_integer("n_components", self.n_components, low=1)
        values, labels = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.means_, spread = values.mean(axis=0), values.std(axis=0)
        self.spreads_ = np.where(spread > 0, spread, 1.0)
        values = (values - self.means_) / self.spreads_
        n_components = min(self.n_components or len(self.classes_), len(np.unique(values, axis=0)))
        prior, seed = "dirichlet_distribution", self.random_state
        mixture = BayesianGaussianMixture(
            n_components=n_components, weight_concentration_prior_type=prior, max_iter=MOST_STEPS, random_state=seed
        )
        # One thread of BLAS: the matrices are small, and the bits of a product depend on the number of threads.
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore", ConvergenceWarning)  # see the class: what is reached is taken
            self.mixture_ = mixture.fit(values)
        taken = self.mixture_.predict(values)
        held = np.zeros((n_components, len(self.classes_)), np.int64)
        np.add.at(held, (taken, codes), 1)
        held[~held.any(axis=1)] = np.bincount(codes)
        self.class_of_ = held.argmax(axis=1)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        check_is_fitted(self)
        values = validate_data(self, X, dtype=np.float64, reset=False)
        taken = self.mixture_.predict((values - self.means_) / self.spreads_)
        return np.asarray(self.classes_[self.class_of_[taken]])
