"""Features ranked by the importance that a classifier of scikit-learn gives them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.diagnostics import ParameterError
from bitsieve.methods.by_samples.linear_solvers import MAX_VALUE, summed_weights
from bitsieve.methods.by_samples.rows import Samples, refuse_large
from bitsieve.methods.method import DENSE_ROWS, Method, MethodResult, defaults_of, rank_all
from bitsieve.utils.arrays import Floats
from bitsieve.utils.choice import rank
from bitsieve.utils.parameters import made_by, make_random
from bitsieve.utils.progress import phase
from bitsieve.utils.types import RandomState

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

MODELS = ("extra-trees", "linear-svc")


def model_importance(
    samples: Samples,
    k: int,
    *,
    model: str | BaseEstimator = "extra-trees",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> MethodResult:
    """Rank the columns by the importance that a classifier gives them; see :class:`bitsieve.ModelSelector`."""
    numbers, varies = samples.numbers()
    importances = np.zeros(samples.n_features)
    classifier = _make_classifier(model, random_state, n_jobs)
    if model == "linear-svc":
        refuse_large(numbers, MAX_VALUE)
    if varies.any():
        phase("fitting the model")
        classifier.fit(numbers[:, varies], samples.classes)
        importances[varies] = _importances(classifier, model)
    return rank_all(rank(importances), varies, importances, k, importances_=importances, model_=classifier)


def _make_classifier(model: str | BaseEstimator, random_state: RandomState, n_jobs: int | None) -> Any:
    """A classifier that is not fitted, by its name, or a clone of the given one."""
    from sklearn.base import clone
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    if model == "extra-trees":
        return ExtraTreesClassifier(random_state=random_state, n_jobs=n_jobs)
    if model == "linear-svc":
        # The primal problem needs no random numbers, and has one solution.
        return make_pipeline(StandardScaler(), LinearSVC(dual=False))
    return clone(model)


def _importances(fitted: Any, model: str | BaseEstimator) -> Floats:
    last = fitted[-1] if hasattr(fitted, "steps") else fitted
    if hasattr(last, "feature_importances_"):
        return np.asarray(last.feature_importances_, np.float64)
    if hasattr(last, "coef_"):
        return summed_weights(last)
    raise ParameterError("model", model, "give a classifier that has coef_ or feature_importances_ once fitted")


def _check_model(name: str, value: object) -> None:
    """Raise ParameterError unless it is the name of a model or a classifier."""
    from sklearn.base import BaseEstimator, is_classifier

    is_name = isinstance(value, str) and value in MODELS
    is_model = isinstance(value, BaseEstimator) and is_classifier(value)
    if not is_name and not is_model:
        raise ParameterError(name, value, f"give {' or '.join(map(repr, MODELS))} or a classifier of scikit-learn")


_EXTRA_TREES = Method(
    name="extra-trees",
    title="Importance in extremely randomised trees",
    formula="mean decrease of the Gini impurity by the splits on Xi",
    paper="Geurts, Ernst, Wehenkel 2006",
    inputs="the values themselves: a fit of scikit-learn's ExtraTreesClassifier",
    cost="O(100 sqrt(n) d log d)",
    seconds=lambda n, d, k: 2e-6 * n**0.5 * d * d.bit_length(),
    unit="importance",
    selector="bitsieve.selectors.models:ModelSelector",
    run=model_importance,
    required_capabilities=DENSE_ROWS,
    bins=False,
    rules={"model": _check_model, "random_state": made_by(make_random)},
)
METHODS = (
    _EXTRA_TREES,
    replace(
        _EXTRA_TREES,
        name="linear-svc",
        title="Weights of a linear support vector machine",
        formula="sum over the classes of |weight of Xi|",
        paper="Brank, Grobelnik, Milic-Frayling, Mladenic 2002",
        inputs="the values themselves: a fit of scikit-learn's LinearSVC",
        cost="O(n d) an iteration",
        seconds=lambda n, d, k: 1.5e-7 * n * d,
        parameters=defaults_of(model_importance, model="linear-svc"),
    ),
)
