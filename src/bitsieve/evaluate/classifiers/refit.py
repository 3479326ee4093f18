"""The two forms of a classifier, and any of scikit-learn's, fitted anew for every number of features.

A form is a function ``grow(train, labels, test, stops)``. ``train`` and ``test`` hold the columns of the features in
order of choice, ``labels`` are the class codes of ``train`` (at least two different ones), and for every number of
columns in ``stops`` (ascending) it yields the predicted class codes of ``test``, or scores: a column a class code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

Floats = NDArray[np.float64]
Grow = Callable[[Floats, NDArray[Any], Floats, NDArray[np.intp]], Iterator[NDArray[Any]]]

SCORED_BY = ("decision_function", "predict_proba")


@dataclass(frozen=True)
class Classifier:
    """Predictions, and scores of the classes where there are any, after each number of columns."""

    predict: Grow
    score: Grow | None = None


def refitted(classifier: Any) -> Classifier:
    """Both forms of a classifier of scikit-learn."""
    scored = any(hasattr(classifier, name) for name in SCORED_BY)
    return Classifier(Refit(classifier), RefitScores(classifier) if scored else None)


@dataclass(frozen=True)
class Refit:
    """A classifier that is fitted anew for every number of columns."""

    classifier: Any

    def __call__(
        self, train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]
    ) -> Iterator[NDArray[Any]]:
        for stop in stops:
            fitted = clone(self.classifier).fit(np.ascontiguousarray(train[:, :stop]), labels)
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
