"""ModelSelector: features by what a fitted model of scikit-learn gives them, to compare the others with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import check_random_state

from bitsieve.common.errors import ParameterError
from bitsieve.common.parameters import check_threads, made_by
from bitsieve.common.progress import phase
from bitsieve.common.ties import rank
from bitsieve.methods.found import rank_all
from bitsieve.methods.method import Method, defaults_of
from bitsieve.selectors.sample_selector import SampleSelector
from bitsieve.selectors.sampled import numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.table import Table
    from bitsieve.methods.found import Found

MODELS = ("extra-trees", "linear-svc")


def _check_model(name: str, value: Any) -> None:
    """Refuse what is neither a name nor a classifier."""
    known = value in MODELS if isinstance(value, str) else isinstance(value, BaseEstimator) and is_classifier(value)
    if not known:
        raise ParameterError(name, value, f"give {' or '.join(map(repr, MODELS))} or a classifier of scikit-learn")


class ModelSelector(SampleSelector):
    r"""Rank the features by the importance that a classifier of scikit-learn gives them once it is fitted.

    The importance of feature i is ``feature_importances_[i]`` of the model, or ``sum_c |w_ci|`` over the weights w_c in
    its ``coef_``, one row a class.

    Parameters
    ----------
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer.
    model : {'extra-trees', 'linear-svc'} or scikit-learn classifier, default='extra-trees'
        'extra-trees': a hundred extremely randomised trees. 'linear-svc': a linear support vector machine, C = 1, one
        class against the rest, on columns of mean 0 and standard deviation 1. A classifier is cloned; of a pipeline
        the last step is looked at.
    random_state : int, RandomState instance or None, default=0
        Of 'extra-trees'; a classifier that is given has its own.
    n_jobs : int, default=None
        Threads of 'extra-trees' (None is 1, -1 every core).

    Attributes
    ----------
    importances_ : ndarray of float, shape (n_features,)
        0 for columns that do not vary.
    model_ : classifier
        Fitted on the columns that vary.
    ranking_ : ndarray of int, shape (n_features,)
        1 = most important; every feature has its own rank. Ties (1e-10) go to the lowest column; columns that do not
        vary come last.
    scores_ : ndarray of float, shape (k,)
        The importances of the selected columns.

    Notes
    -----
    Columns of two categories count as 0 and 1; those of more are refused, as are missing values. Cost: one fit.

    References
    ----------
    P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006.
    doi:10.1007/s10994-006-6226-1

    J. Brank, M. Grobelnik, N. Milic-Frayling, D. Mladenic, "Feature selection using linear support vector machines",
    Microsoft Research MSR-TR-2002-63, 2002.

    Examples
    --------
    >>> from bitsieve import ModelSelector
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ModelSelector(2).fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    parameter_rules: ClassVar = {
        "model": _check_model,
        "random_state": made_by(check_random_state),
        "n_jobs": check_threads,
    }
    described = (
        Method(
            name="extra-trees",
            title="Importance in extremely randomised trees",
            formula="mean decrease of the Gini impurity by the splits on Xi",
            paper="Geurts, Ernst, Wehenkel 2006",
            needs="the values themselves: a fit of scikit-learn's ExtraTreesClassifier",
            cost="O(100 sqrt(n) d log d)",
            unit="importance",
            parameters={"model": "extra-trees"},
        ),
        Method(
            name="linear-svc",
            title="Weights of a linear support vector machine",
            formula="sum over the classes of |weight of Xi|",
            paper="Brank, Grobelnik, Milic-Frayling, Mladenic 2002",
            needs="the values themselves: a fit of scikit-learn's LinearSVC",
            cost="O(n d) an iteration",
            unit="importance",
            parameters={"model": "linear-svc"},
        ),
    )

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        model: Any = "extra-trees",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.model = model
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _choose(self, table: Table, k: int) -> Found:
        numbers, varies = numbers_of(table, "ModelSelector")
        importances = np.zeros(table.n_features)
        model = self._made()
        if varies.any():
            phase("fitting the model")
            model.fit(numbers[:, varies], table.target.codes)
            importances[varies] = self._importances(model)
        return rank_all(rank(importances), varies, importances, k, importances_=importances, model_=model)

    def _made(self) -> Any:
        """The model, not fitted."""
        from sklearn.ensemble import ExtraTreesClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import LinearSVC

        if self.model == "extra-trees":
            return ExtraTreesClassifier(random_state=self.random_state, n_jobs=self.n_jobs)
        if self.model == "linear-svc":
            # The primal problem draws nothing, and has one solution.
            return make_pipeline(StandardScaler(), LinearSVC(dual=False))
        return clone(self.model)

    def _importances(self, model: Any) -> NDArray[np.float64]:
        last = model[-1] if hasattr(model, "steps") else model
        if hasattr(last, "feature_importances_"):
            return np.asarray(last.feature_importances_, np.float64)
        if hasattr(last, "coef_"):
            return np.abs(np.atleast_2d(last.coef_)).sum(axis=0)
        raise ParameterError(
            "model", self.model, "give a classifier that has coef_ or feature_importances_ once fitted"
        )


METHODS = (
    *(
        replace(
            each,
            selector="bitsieve.selectors.model:ModelSelector",
            parameters=defaults_of(ModelSelector, **each.parameters),
        )
        for each in ModelSelector.described
    ),
)
