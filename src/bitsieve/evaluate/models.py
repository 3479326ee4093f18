"""Models by name, or any of scikit-learn's: classifiers, and regressors where the target is a quantity.

A form of a model is a function ``grow(train, labels, test, stops)``. ``train`` and ``test`` hold the columns of the
features in order of choice, ``labels`` are the class codes of ``train`` (at least two different ones) or the values of
a quantity, and for every number of columns in ``stops`` (ascending) it yields the predicted class codes of ``test``, or
scores, a column a class code, or the predicted values.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from bitsieve.common.messages import ParameterError, Sentence, Setting, choices
from bitsieve.common.parameters import check_integer
from bitsieve.evaluate.incremental import (
    NEIGHBORS,
    discriminant_scores,
    linear_discriminant,
    mean_of_neighbors,
    nearest_mean,
    nearest_neighbors,
    ridge,
)
from bitsieve.evaluate.measures import Predicted, does_not_fit

Floats = NDArray[np.float64]
Grow = Callable[[Floats, NDArray[Any], Floats, NDArray[np.intp]], Iterator[NDArray[Any]]]

SCORED_BY = ("decision_function", "predict_proba")


@dataclass(frozen=True)
class Model:
    """What predicts classes, scores of the classes and a quantity; None: it can not."""

    predict: Grow | None = None
    score: Grow | None = None
    regress: Grow | None = None

    def can(self, predicts: Predicted) -> bool:
        """Whether it predicts classes, or a quantity."""
        return (self.predict if predicts == "classes" else self.regress) is not None


def refitted(classifier: Any, regressor: Any = None) -> Model:
    """The forms of estimators of scikit-learn; one that may be either is given as both."""
    scored = any(hasattr(classifier, name) for name in SCORED_BY)
    score = RefitScores(classifier) if scored else None
    return Model(Refit(classifier), score, None if regressor is None else Refit(regressor))


@dataclass(frozen=True)
class Refit:
    """An estimator that is fitted anew for every number of columns."""

    estimator: Any

    def __call__(
        self, train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]
    ) -> Iterator[NDArray[Any]]:
        for stop in stops:
            fitted = clone(self.estimator).fit(np.ascontiguousarray(train[:, :stop]), labels)
            yield self._found(fitted, np.ascontiguousarray(test[:, :stop]), np.unique(labels))

    def _found(self, fitted: Any, test: Floats, classes: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(fitted.predict(test))


class RefitScores(Refit):
    """The same, asked for scores: one column a class code, 0 for the codes that were not learned."""

    def _found(self, fitted: Any, test: Floats, classes: NDArray[Any]) -> NDArray[Any]:
        order = SCORED_BY if len(classes) == 2 else SCORED_BY[::-1]
        scores = np.asarray(getattr(fitted, next(name for name in order if hasattr(fitted, name)))(test))
        every = np.zeros((len(test), int(classes[-1]) + 1))
        every[:, classes] = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
        return every


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


MODELS: dict[str, Model] = {
    "linear-svm": refitted(SVC(kernel="linear", C=1.0)),
    "knn": Model(nearest_neighbors, RefitScores(KNeighborsClassifier(NEIGHBORS)), mean_of_neighbors),
    "ncm": Model(nearest_mean, RefitScores(NearestCentroid())),
    "bgm": refitted(MixtureClassifier()),
    "vbem": refitted(VariationalMixtureClassifier()),
    "lda": Model(linear_discriminant, discriminant_scores),
    "ridge": Model(regress=ridge),
}
MODELS["gmm"] = MODELS["vbem"]  # its second name
OF_TREES = {  # of sklearn.ensemble: of classes, and of a quantity
    "forest": ("RandomForestClassifier", "RandomForestRegressor"),
    "boosting": ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor"),
}
MANY_ROWS = 10_000  # above, the default classifier is the fast one


def make_model(given: Any, predicts: Predicted = "classes", random_state: int = 0) -> tuple[str, Model]:
    """The name and the forms of a model, given by name or as an object that is fitted anew; else ValueError."""
    what = "classifier" if predicts == "classes" else "regressor"
    names = [name for name in (*MODELS, *OF_TREES) if name in OF_TREES or MODELS[name].can(predicts)]
    if isinstance(given, str):
        name = given.lower()
        if name in OF_TREES:
            from sklearn import ensemble

            return name, refitted(*(seeded(getattr(ensemble, each)(), random_state) for each in OF_TREES[name]))
        if name not in MODELS:
            raise ParameterError("classifier", given, choices(name, names), "is not known")
        if name not in names:
            raise does_not_fit("classifier", given, names, predicts)
        return name, MODELS[name]
    advice = f"give one of {', '.join(names)} or "
    if not (hasattr(given, "fit") and hasattr(given, "predict")) or isinstance(given, type):
        raise ParameterError("classifier", given, f"{advice}an object of scikit-learn that can fit and predict")
    kind = _declared_kind(given)
    if kind not in (None, what):
        why = f"is not allowed, its kind is {kind!r}"
        raise ParameterError("classifier", given, f"{advice}a {what} of scikit-learn", why)
    made = seeded(given, random_state)
    return " ".join(repr(made).split()), refitted(made, made)


def default_model(n_samples: int, predicts: Predicted = "classes") -> tuple[str, list[str]]:
    """The model where none is asked for, and a note where it is the fast classifier."""
    if predicts == "quantity":
        return "ridge", []
    if n_samples <= MANY_ROWS:
        return "linear-svm", []
    why = (
        "the table has many rows, on which linear-svm takes long: the classifier is lda, the linear discriminant; for "
    )
    return "lda", [Sentence(why, "the other add ", Setting("classifier", "linear-svm"))]


def _declared_kind(estimator: Any) -> str | None:
    """What an estimator says it is: "classifier", "regressor", "clusterer", ...; None where it does not say."""
    tags = getattr(estimator, "__sklearn_tags__", None)
    kind = None if tags is None else tags().estimator_type
    return None if kind is None else kind.replace("_", " ")


def seeded(estimator: Any, random_state: int) -> Any:
    """A copy in which every ``random_state`` that is None, also of its parts, is the one given."""
    copy = clone(estimator)
    return copy.set_params(
        **{
            name: random_state
            for name, value in copy.get_params().items()
            if (name == "random_state" or name.endswith("__random_state")) and value is None
        }
    )
