"""Models by name, or any of scikit-learn's: classifiers, and regressors where the target is a quantity."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

from bitsieve.common.messages import ParameterError, Sentence, Setting, choices
from bitsieve.evaluate.losses import Predicted, does_not_fit
from bitsieve.evaluate.models.incremental import (
    NEIGHBORS,
    SUPPORT_VECTORS,
    discriminant_scores,
    linear_discriminant,
    linear_svm,
    mean_of_neighbors,
    nearest_mean,
    nearest_neighbors,
    ridge,
)
from bitsieve.evaluate.models.mixture import MixtureClassifier, VariationalMixtureClassifier
from bitsieve.evaluate.models.refit import Model, RefitScores, refitted

MODELS: dict[str, Model] = {
    "linear-svm": Model(linear_svm, RefitScores(SUPPORT_VECTORS)),
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
    """The name and the forms of a model, given by name or as an object, which is fitted anew every time.

    ``predicts`` is what the model must. ``random_state`` is that of an object that has none. ValueError where there is
    no model of that name (the nearest names are given), the object is none, or it predicts something else.
    """
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
