"""Two classifiers made of Gaussian mixtures: one mixture for each class, and one for all samples."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from bitsieve.utils.arrays import Floats, Values
from bitsieve.utils.parameters import check_integer

if TYPE_CHECKING:
    from sklearn.mixture import BayesianGaussianMixture

COMPONENTS_PER_CLASS = 2
MAX_ITERATIONS = 300  # of the mixture of all samples


class MixtureClassifier(ClassifierMixin, BaseEstimator):
    """Predict the class with the largest prior times density, ``argmax_c P(c) p(x | c)``.

    ``p(x | c)`` is a ``BayesianGaussianMixture`` of scikit-learn, fitted to the samples of class c: two components (one
    if the samples are all equal; a single sample is used twice), full covariances, Dirichlet process weights, seed 0.
    """

    def fit(self, X: Floats, y: Values) -> Self:
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.log_priors_ = np.log(np.bincount(codes) / len(codes))
        self.mixtures_ = [_class_mixture(X[codes == code]) for code in range(len(self.classes_))]
        return self

    def predict(self, X: Floats) -> Values:
        return np.asarray(self.classes_[self._log_joint_densities(X).argmax(axis=1)])

    def predict_proba(self, X: Floats) -> Floats:
        return np.asarray(softmax(self._log_joint_densities(X), axis=1))

    def _log_joint_densities(self, X: Floats) -> Floats:
        """``log P(c) p(x | c)``, shape (n_samples, n_classes)."""
        log_densities = np.stack([mixture.score_samples(X) for mixture in self.mixtures_], axis=1)
        return np.asarray(log_densities + self.log_priors_)


def _class_mixture(X: Floats) -> BayesianGaussianMixture:
    from sklearn.mixture import BayesianGaussianMixture

    if len(X) == 1:
        X = np.repeat(X, 2, axis=0)
    n_distinct = len(np.unique(X, axis=0))
    return BayesianGaussianMixture(n_components=min(COMPONENTS_PER_CLASS, n_distinct), random_state=0).fit(X)


class VariationalMixtureClassifier(ClassifierMixin, BaseEstimator):
    """Fit one Gaussian mixture to all samples; a sample gets the class of its component.

    The mixture is scikit-learn's ``BayesianGaussianMixture`` (full covariances, Dirichlet weights, at most 300
    iterations), fitted to standardised columns without labels. Every component then gets the class that most of its
    samples have (equal counts: the lower class; no sample: the largest class). ``n_components`` is by default the
    number of classes, and never more than the number of different samples.
    """

    def __init__(self, n_components: int | None = None, *, random_state: int = 0) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the mixture to X, and give each component a class by y."""
        from sklearn.mixture import BayesianGaussianMixture
        from sklearn.utils.multiclass import check_classification_targets

        if self.n_components is not None:
            check_integer("n_components", self.n_components, low=1)
        values, labels = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)

        self.means_ = values.mean(axis=0)
        deviations = values.std(axis=0)
        self.scales_ = np.where(deviations > 0, deviations, 1.0)
        standardised = (values - self.means_) / self.scales_

        n_distinct = len(np.unique(standardised, axis=0))
        n_components = min(self.n_components or len(self.classes_), n_distinct)
        mixture = BayesianGaussianMixture(
            n_components=n_components,
            weight_concentration_prior_type="dirichlet_distribution",
            max_iter=MAX_ITERATIONS,
            random_state=self.random_state,
        )
        # One thread of BLAS: the matrices are small, and the bits of a product depend on the number of threads.
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore", ConvergenceWarning)  # the state after 300 iterations is used
            self.mixture_ = mixture.fit(standardised)

        components = self.mixture_.predict(standardised)
        class_counts = np.zeros((n_components, len(self.classes_)), np.int64)
        np.add.at(class_counts, (components, codes), 1)
        is_empty = ~class_counts.any(axis=1)
        class_counts[is_empty] = np.bincount(codes)
        self.class_of_component_ = class_counts.argmax(axis=1)
        return self

    def predict(self, X: ArrayLike) -> Values:
        check_is_fitted(self)
        values = validate_data(self, X, dtype=np.float64, reset=False)
        components = self.mixture_.predict((values - self.means_) / self.scales_)
        return np.asarray(self.classes_[self.class_of_component_[components]])
