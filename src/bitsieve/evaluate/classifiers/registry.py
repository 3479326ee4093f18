"""Classifiers by name, or any of scikit-learn's."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

from bitsieve.common.messages import ParameterError, Sentence, Setting, choices
from bitsieve.evaluate.classifiers.incremental import (
    NEIGHBORS,
    SUPPORT_VECTORS,
    discriminant_scores,
    linear_discriminant,
    linear_svm,
    nearest_mean,
    nearest_neighbors,
)
from bitsieve.evaluate.classifiers.mixture import MixtureClassifier, VariationalMixtureClassifier
from bitsieve.evaluate.classifiers.refit import Classifier, RefitScores, refitted

CLASSIFIERS: dict[str, Classifier] = {
    "linear-svm": Classifier(linear_svm, RefitScores(SUPPORT_VECTORS)),
    "knn": Classifier(nearest_neighbors, RefitScores(KNeighborsClassifier(NEIGHBORS))),
    "ncm": Classifier(nearest_mean, RefitScores(NearestCentroid())),
    "bgm": refitted(MixtureClassifier()),
    "vbem": refitted(VariationalMixtureClassifier()),
    "lda": Classifier(linear_discriminant, discriminant_scores),
}
CLASSIFIERS["gmm"] = CLASSIFIERS["vbem"]  # its second name
OF_TREES = {"forest": "RandomForestClassifier", "boosting": "HistGradientBoostingClassifier"}  # of sklearn.ensemble
MANY_ROWS = 10_000  # above, the default classifier is the fast one


def make_classifier(classifier: Any, random_state: int = 0) -> tuple[str, Classifier]:
    """The name and the forms of a classifier, given by name or as an object, which is fitted anew every time.

    ``random_state`` is that of an object that has none. ValueError where there is no classifier of that name (the
    nearest names are given), or the object is no classifier.
    """
    if isinstance(classifier, str):
        name = classifier.lower()
        if name in OF_TREES:
            from sklearn import ensemble

            return name, refitted(seeded(getattr(ensemble, OF_TREES[name])(), random_state))
        if name not in CLASSIFIERS:
            raise ParameterError("classifier", classifier, choices(name, [*CLASSIFIERS, *OF_TREES]), "is not known")
        return name, CLASSIFIERS[name]
    names = ", ".join([*CLASSIFIERS, *OF_TREES])
    if not (hasattr(classifier, "fit") and hasattr(classifier, "predict")) or isinstance(classifier, type):
        advice = f"give one of {names} or an object of scikit-learn that can fit and predict"
        raise ParameterError("classifier", classifier, advice)
    if (kind := _declared_kind(classifier)) not in (None, "classifier"):
        advice = f"give one of {names} or a classifier of scikit-learn"
        raise ParameterError("classifier", classifier, advice, f"is not allowed, its kind is {kind!r}")
    classifier = seeded(classifier, random_state)
    return " ".join(repr(classifier).split()), refitted(classifier)


def default_classifier(n_samples: int) -> tuple[str, list[str]]:
    """The classifier where none is asked for, and a note where it is the fast one."""
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
