"""Scores of the classes instead of predictions, for measures of how well a classifier orders the samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC

from bitsieve.common.messages import Sentence, Setting
from bitsieve.evaluation.classifiers.centroid import nearest_mean
from bitsieve.evaluation.classifiers.discriminant import discriminant_scores, linear_discriminant
from bitsieve.evaluation.classifiers.neighbors import NEIGHBORS, nearest_neighbors
from bitsieve.evaluation.classifiers.refit import Refit
from bitsieve.evaluation.classifiers.svm import C, linear_svm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from bitsieve.evaluation.classifiers.registry import Grow

    Floats = NDArray[np.float64]

METHODS = ("decision_function", "predict_proba")


@dataclass(frozen=True)
class RefitScores:
    """A classifier that is fitted anew for every number of columns, and asked for scores."""

    classifier: Any

    def __call__(
        self, train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]
    ) -> Iterator[NDArray[Any]]:
        """Scores after each number of columns: one column a class code, 0 for the codes that were not learned.

        As in scikit-learn two classes are scored by ``decision_function``, more by ``predict_proba``, and either is
        taken where the other is missing.
        """
        classes = np.unique(labels)
        for stop in stops:
            fitted = clone(self.classifier).fit(np.ascontiguousarray(train[:, :stop]), labels)
            order = METHODS if len(classes) == 2 else METHODS[::-1]
            scores = getattr(fitted, next(name for name in order if hasattr(fitted, name)))
            found = np.asarray(scores(np.ascontiguousarray(test[:, :stop])))
            if found.ndim == 1:
                found = np.stack([-found, found], axis=1)
            every = np.zeros((len(test), int(classes[-1]) + 1))
            every[:, classes] = found
            yield every


def scoring_form(name: str, grow: Grow) -> Grow:
    """The form of a classifier that yields scores of shape (n_test, n_classes) instead of class codes.

    Raises
    ------
    ValueError
        If the classifier has neither ``decision_function`` nor ``predict_proba``.
    """
    if grow is linear_discriminant:
        return discriminant_scores
    if grow is linear_svm:
        return RefitScores(SVC(kernel="linear", C=C))
    if grow is nearest_neighbors:
        return RefitScores(KNeighborsClassifier(NEIGHBORS))
    if grow is nearest_mean:
        return RefitScores(NearestCentroid())
    if isinstance(grow, Refit) and any(hasattr(grow.classifier, method) for method in METHODS):
        return RefitScores(grow.classifier)
    what = f"classifier {name} has neither decision_function nor predict_proba, and an AUC needs scores: give "
    raise ValueError(Sentence(what, Setting("classifier", "lda"), ", or another ", Setting("scoring")))
