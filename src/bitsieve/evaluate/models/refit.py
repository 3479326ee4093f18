"""The forms of a model, and any of scikit-learn's, fitted anew for every number of features.

A form is a function ``grow(train, labels, test, stops)``. ``train`` and ``test`` hold the columns of the features in
order of choice, ``labels`` are the class codes of ``train`` (at least two different ones) or the values of a quantity,
and for every number of columns in ``stops`` (ascending) it yields the predicted class codes of ``test``, or scores, a
column a class code, or the predicted values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bitsieve.evaluate.losses import Predicted

Floats = NDArray[np.float64]
Grow = Callable[[Floats, NDArray[Any], Floats, NDArray[np.intp]], Iterator[NDArray[Any]]]

SCORED_BY = ("decision_function", "predict_proba")


@dataclass(frozen=True)
class Model:
    """What predicts, by what it can predict; None: it can not.

    ``predict``: classes. ``score``: scores of the classes. ``regress``: a quantity.
    """

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
    """The same, asked for scores: one column a class code, 0 for the codes that were not learned.

    As in scikit-learn two classes are scored by ``decision_function``, more by ``predict_proba``, and either is taken
    where the other is missing.
    """

    def _found(self, fitted: Any, test: Floats, classes: NDArray[Any]) -> NDArray[Any]:
        order = SCORED_BY if len(classes) == 2 else SCORED_BY[::-1]
        scores = np.asarray(getattr(fitted, next(name for name in order if hasattr(fitted, name)))(test))
        every = np.zeros((len(test), int(classes[-1]) + 1))
        every[:, classes] = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
        return every
