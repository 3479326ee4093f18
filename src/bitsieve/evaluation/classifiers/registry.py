"""Classifiers by name, or any of scikit-learn's.

A classifier is a function ``grow(train, labels, test, stops)``. ``train`` and ``test`` hold the columns of the features
in order of choice, ``labels`` are the class codes of ``train`` (at least two different ones), and for every number of
columns in ``stops`` (ascending) it yields the predicted class codes of ``test``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.messages import ParameterError, Sentence, Setting, choices
from bitsieve.evaluation.classifiers.centroid import nearest_mean
from bitsieve.evaluation.classifiers.discriminant import linear_discriminant
from bitsieve.evaluation.classifiers.mixture import MixtureClassifier
from bitsieve.evaluation.classifiers.neighbors import nearest_neighbors
from bitsieve.evaluation.classifiers.refit import Refit
from bitsieve.evaluation.classifiers.svm import linear_svm
from bitsieve.evaluation.classifiers.vbem import VariationalMixtureClassifier
from bitsieve.evaluation.seeded import seeded

Floats = NDArray[np.float64]
Grow = Callable[[Floats, NDArray[Any], Floats, NDArray[np.intp]], Iterator[NDArray[Any]]]

CLASSIFIERS: dict[str, Grow] = {
    "linear-svm": linear_svm,
    "knn": nearest_neighbors,
    "ncm": nearest_mean,
    "bgm": Refit(MixtureClassifier()),
    "vbem": Refit(VariationalMixtureClassifier()),
    "lda": linear_discriminant,
}
OF_TREES = ("forest", "boosting")  # scikit-learn's, imported when they are asked for
MANY_ROWS = 10_000  # above, the default classifier is the fast one
CLASSIFIERS["gmm"] = CLASSIFIERS["vbem"]  # its second name


def make_classifier(classifier: Any, random_state: int = 0) -> tuple[str, Grow]:
    """The name and the growing form of a classifier.

    Parameters
    ----------
    classifier : {"linear-svm", "lda", "knn", "ncm", "bgm", "vbem", "gmm", "forest", "boosting"} or classifier
        The linear support vector machine (C = 1, one against one), linear discriminant analysis, 3 nearest neighbours,
        nearest class mean, one Bayesian Gaussian mixture a class, one of all classes found without labels (vbem, also
        called gmm), scikit-learn's random forest and histogram gradient boosting; an object is fitted anew for every
        number of features.
    random_state : int, default=0
        Of an object that has none.

    Raises
    ------
    ValueError
        If there is no classifier of that name (the nearest names are given), or the object is no classifier.
    """
    if isinstance(classifier, str):
        name = classifier.lower()
        if name in OF_TREES:
            return name, Refit(seeded(_of_trees(name), random_state))
        if name not in CLASSIFIERS:
            raise ParameterError("classifier", classifier, choices(name, [*CLASSIFIERS, *OF_TREES]), "is not known")
        return name, CLASSIFIERS[name]
    if not (hasattr(classifier, "fit") and hasattr(classifier, "predict")) or isinstance(classifier, type):
        names = ", ".join(CLASSIFIERS)
        advice = f"give one of {names} or an object of scikit-learn that can fit and predict"
        raise ParameterError("classifier", classifier, advice)
    if (kind := _declared_kind(classifier)) not in (None, "classifier"):
        advice = f"give one of {', '.join(CLASSIFIERS)} or a classifier of scikit-learn"
        raise ParameterError("classifier", classifier, advice, f"is not allowed, its kind is {kind!r}")
    classifier = seeded(classifier, random_state)
    return " ".join(repr(classifier).split()), Refit(classifier)


def default_classifier(n_samples: int) -> tuple[str, list[str]]:
    """The classifier where none is asked for, and a note where it is the fast one."""
    if n_samples <= MANY_ROWS:
        return "linear-svm", []
    why = (
        "the table has many rows, on which linear-svm takes long: the classifier is lda, the linear discriminant; for "
    )
    return "lda", [Sentence(why, "the other add ", Setting("classifier", "linear-svm"))]


def _of_trees(name: str) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

    return RandomForestClassifier() if name == "forest" else HistGradientBoostingClassifier()


def _declared_kind(estimator: Any) -> str | None:
    """What an estimator says it is: "classifier", "regressor", "clusterer", ...; None where it does not say."""
    tags = getattr(estimator, "__sklearn_tags__", None)
    kind = None if tags is None else tags().estimator_type
    return None if kind is None else kind.replace("_", " ")
