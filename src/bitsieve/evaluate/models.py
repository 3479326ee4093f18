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
from scipy.linalg import cho_factor, cho_solve
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from bitsieve.diagnostics import Diagnostic, ParameterError
from bitsieve.evaluate.notes import fast_classifier, slow_classifier
from bitsieve.metrics.measures import Predicted, does_not_fit
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.messages import choices
from bitsieve.utils.parameters import check_integer

Grow = Callable[[Floats, NDArray[Any], Floats, Columns], Iterator[NDArray[Any]]]

SCORED_BY = ("decision_function", "predict_proba")


@dataclass(frozen=True)
class Model:
    """What predicts classes, scores of the classes and a quantity; None: it can not."""

    predict: Grow | None = None
    score: Grow | None = None
    regress: Grow | None = None


def refitted(classifier: Any, regressor: Any = None) -> Model:
    """The forms of estimators of scikit-learn; one that may be either is given as both."""
    scored = any(hasattr(classifier, name) for name in SCORED_BY)
    score = RefitScores(classifier) if scored else None
    return Model(Refit(classifier), score, None if regressor is None else Refit(regressor))


@dataclass(frozen=True)
class Refit:
    """An estimator that is fitted anew for every number of columns."""

    estimator: Any

    def __call__(self, train: Floats, labels: NDArray[Any], test: Floats, stops: Columns) -> Iterator[NDArray[Any]]:
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

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.log_shares_ = np.log(np.bincount(codes) / len(codes))
        self.mixtures_ = [_mixture(X[codes == code]) for code in range(len(self.classes_))]
        return self

    def predict(self, X: Floats) -> NDArray[Any]:
        return np.asarray(self.classes_[self._joint(X).argmax(axis=1)])

    def predict_proba(self, X: Floats) -> Floats:
        return np.asarray(softmax(self._joint(X), axis=1))

    def _joint(self, X: Floats) -> Floats:
        densities = np.stack([mixture.score_samples(X) for mixture in self.mixtures_], axis=1)
        return np.asarray(densities + self.log_shares_)


def _mixture(X: Floats) -> Any:
    from sklearn.mixture import BayesianGaussianMixture

    if len(X) == 1:
        X = np.repeat(X, 2, axis=0)
    n_components = min(COMPONENTS, len(np.unique(X, axis=0)))
    return BayesianGaussianMixture(n_components=n_components, random_state=0).fit(X)


class VariationalMixtureClassifier(ClassifierMixin, BaseEstimator):
    """Fit one Gaussian mixture to all samples; a sample gets the class of its component.

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


BLOCK_BYTES = 1 << 20  # of a matrix that is worked on at once: about what a second-level cache holds
NEIGHBORS = 3  # that vote for a class
AVERAGED = 10  # neighbours of which a quantity is the mean: a tenth of the variance of its noise is added, not a third
RIDGE = 1e-6  # times the mean variance, on the diagonal: columns that depend on each other are allowed


def nearest_mean(train: Floats, labels: NDArray[Any], test: Floats, stops: Columns) -> Iterator[NDArray[Any]]:
    """Predictions of the nearest class mean after each number of columns; of means equally near the lower class."""
    classes, codes = np.unique(labels, return_inverse=True)
    sizes = np.bincount(codes)
    means = np.stack([np.bincount(codes, column) / sizes for column in train[:, : stops[-1]].T], axis=1)
    yield from classes[_decided(lambda distances: distances.argmin(axis=1), means, test, stops)]


def nearest_neighbors(train: Floats, labels: NDArray[Any], test: Floats, stops: Columns) -> Iterator[NDArray[Any]]:
    """The majority of the three nearest neighbours. Ties go to the earlier neighbour, and to the lower class."""
    classes, codes = np.unique(labels, return_inverse=True)
    members = np.zeros((len(train), len(classes)), np.uint8)
    members[np.arange(len(train)), codes] = 1
    yield from classes[
        _decided(
            lambda distances: members[_nearest(distances, NEIGHBORS)].sum(axis=1).argmax(axis=1), train, test, stops
        )
    ]


def mean_of_neighbors(train: Floats, values: Floats, test: Floats, stops: Columns) -> Iterator[Floats]:
    """The mean of ten nearest neighbours after each number of columns; of those equally near the earlier ones."""
    yield from _decided(
        lambda distances: values[_nearest(distances, AVERAGED)].mean(axis=1), train, test, stops, np.float64
    )


def _decided(
    decide: Callable[[Floats], NDArray[Any]],
    points: Floats,
    test: Floats,
    stops: Columns,
    dtype: type[np.generic] = np.intp,
) -> NDArray[Any]:
    """What ``decide`` makes of the distances of test samples to points after each stop, shape (n_stops, n_test)."""
    rows = max(1, BLOCK_BYTES // (8 * len(points)))
    decisions: NDArray[Any] = np.empty((len(stops), len(test)), dtype)
    for start in range(0, len(test), rows):
        for i, distances in enumerate(_distances(points, test[start : start + rows], stops)):
            decisions[i, start : start + rows] = decide(distances)
    return decisions


def _distances(points: Floats, test: Floats, stops: Columns) -> Iterator[Floats]:
    """Squared distances after each stop, shape (n_test, n_points), in one array that is added to."""
    distances = np.zeros((len(test), len(points)))
    difference = np.empty_like(distances)
    start = 0
    for stop in stops:
        for j in range(start, stop):
            np.subtract.outer(test[:, j], points[:, j], out=difference)
            distances += np.square(difference, out=difference)
        start = stop
        yield distances


def _nearest(distances: Floats, k: int) -> Columns:
    """The k columns that are nearest to each row, shape (n_rows, k); ``distances`` are as before in the end."""
    rows = np.arange(len(distances))
    nearest = np.empty((len(distances), min(k, distances.shape[1])), np.intp)
    taken = np.empty(nearest.shape)
    for i in range(nearest.shape[1]):
        columns = distances.argmin(axis=1)  # of equal ones the first
        nearest[:, i], taken[:, i] = columns, distances[rows, columns]
        distances[rows, columns] = np.inf
    np.put_along_axis(distances, nearest, taken, axis=1)
    return nearest


def linear_discriminant(train: Floats, labels: NDArray[Any], test: Floats, stops: Columns) -> Iterator[NDArray[Any]]:
    """Predictions of the linear discriminant after each number of columns."""
    classes = np.unique(labels)
    for values in _values(train, labels, test, stops):
        yield classes[values.argmax(axis=1)]


def discriminant_scores(train: Floats, labels: NDArray[Any], test: Floats, stops: Columns) -> Iterator[NDArray[Any]]:
    """The probability of every class code after each number of columns, of two classes the logarithm of the odds."""
    classes = np.unique(labels)
    for values in _values(train, labels, test, stops):
        every = np.zeros((len(test), int(classes[-1]) + 1))
        # The odds do not round to certainty, as probabilities do.
        every[:, classes] = values - values[:, ::-1] if len(classes) == 2 else softmax(values, axis=1)
        yield every


def _values(train: Floats, labels: NDArray[Any], test: Floats, stops: Columns) -> Iterator[Floats]:
    """The discriminant function of every class after each number of columns, shape (n_test, n_classes)."""
    classes, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    width = int(stops[-1])
    train, test = train[:, :width], test[:, :width]
    means = np.array([train[codes == code].mean(axis=0) for code in range(len(classes))])
    within = train - means[codes]
    covariance = within.T @ within / max(1, len(train) - len(classes))
    covariance[np.diag_indices(width)] += RIDGE * (np.trace(covariance) / width or 1.0)
    for stop in stops:
        weights = cho_solve(cho_factor(covariance[:stop, :stop]), means[:, :stop].T)
        constant = np.log(sizes / len(train)) - (means[:, :stop].T * weights).sum(axis=0) / 2
        yield test[:, :stop] @ weights + constant


def ridge(train: Floats, values: Floats, test: Floats, stops: Columns) -> Iterator[Floats]:
    """Predictions of ridge regression (scikit-learn's, alpha = 1) after each number of columns."""
    model, width = Ridge(), int(stops[-1])
    ordered = np.ascontiguousarray
    if width > len(train):  # products of samples are then fewer than those of columns
        yield from (model.fit(ordered(train[:, :stop]), values).predict(ordered(test[:, :stop])) for stop in stops)
        return
    means, level = train[:, :width].mean(axis=0), values.mean()
    centred = train[:, :width] - means
    products, products_with_values = centred.T @ centred, centred.T @ (values - level)
    products[np.diag_indices(width)] += model.alpha
    for stop in stops:
        weights = cho_solve(cho_factor(products[:stop, :stop]), products_with_values[:stop])
        yield level + (test[:, :stop] - means[:stop]) @ weights


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
SOME_ROWS, MANY_ROWS = 2_000, 10_000  # above, a note names the fast classifier; above, it is the default


def make_model(name_or_estimator: Any, predicts: Predicted = "classes", random_state: int = 0) -> tuple[str, Model]:
    """The name and the forms of a model, given by name or as an object that is fitted anew; else ValueError."""
    what = "classifier" if predicts == "classes" else "regressor"
    form = "predict" if predicts == "classes" else "regress"
    names = [*(name for name, model in MODELS.items() if getattr(model, form) is not None), *OF_TREES]
    if isinstance(name_or_estimator, str):
        name = name_or_estimator.lower()
        if name in OF_TREES:
            from sklearn import ensemble

            return name, refitted(*(seeded(getattr(ensemble, each)(), random_state) for each in OF_TREES[name]))
        if name not in MODELS:
            raise ParameterError(
                "classifier", name_or_estimator, choices(name, names), "is not known", code="unknown-name"
            )
        if name not in names:
            raise does_not_fit("classifier", name_or_estimator, names, predicts)
        return name, MODELS[name]
    advice = f"give one of {', '.join(names)} or "
    if not (hasattr(name_or_estimator, "fit") and hasattr(name_or_estimator, "predict")) or isinstance(
        name_or_estimator, type
    ):
        raise ParameterError(
            "classifier", name_or_estimator, f"{advice}an object of scikit-learn that can fit and predict"
        )
    tags = getattr(name_or_estimator, "__sklearn_tags__", None)
    kind = what if tags is None else tags().estimator_type or what  # where it does not say
    if kind != what:
        why = f"is not allowed, its kind is {kind.replace('_', ' ')!r}"
        raise ParameterError(
            "classifier", name_or_estimator, f"{advice}a {what} of scikit-learn", why, code="wrong-kind-of-target"
        )
    made = seeded(name_or_estimator, random_state)
    return " ".join(repr(made).split()), refitted(made, made)


def default_model(n_samples: int, predicts: Predicted = "classes") -> tuple[str, list[Diagnostic]]:
    """The model where none is asked for, and a note where it is the fast classifier, or slow."""
    if predicts == "quantity":
        return "ridge", []
    if n_samples <= MANY_ROWS:
        return "linear-svm", [slow_classifier()] if n_samples > SOME_ROWS else []
    return "lda", [fast_classifier()]


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
