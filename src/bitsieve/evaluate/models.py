"""The models that measure selections: by name, or any of scikit-learn's.

Classifiers, and regressors where the target is a quantity. A new model is one entry of ``MODELS``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sklearn.base import BaseEstimator, clone
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC

from bitsieve.diagnostics import Diagnostic, ParameterError
from bitsieve.evaluate.distances import VOTING_NEIGHBORS, mean_of_neighbors, nearest_mean, nearest_neighbors
from bitsieve.evaluate.linear import discriminant_probabilities, discriminant_scores, linear_discriminant, ridge
from bitsieve.evaluate.mixtures import MixtureClassifier, VariationalMixtureClassifier
from bitsieve.evaluate.notes import fast_classifier, slow_classifier
from bitsieve.evaluate.prefix import PredictFromPrefixes
from bitsieve.evaluate.refit import Refit, RefitProbabilities, RefitScores, has_probabilities, has_scores
from bitsieve.evaluate.times import COX, NAMES_OF_MODELS, RefitCurves, survival_model
from bitsieve.metrics.measures import Predicted, does_not_fit
from bitsieve.utils.arrays import Floats
from bitsieve.utils.messages import advice_on_choice


@dataclass(frozen=True)
class Model:
    """What a model can predict. A field is None for what it cannot."""

    predict: PredictFromPrefixes | None = None  # predicts class codes
    score: PredictFromPrefixes | None = None  # scores the classes
    probabilities: PredictFromPrefixes | None = None  # predicts probabilities of the classes
    regress: PredictFromPrefixes | None = None  # predicts values of a quantity
    risk: PredictFromPrefixes | None = None  # predicts risks: the larger, the earlier an event
    survival_estimator: BaseEstimator | None = None  # of scikit-survival, if it predicts curves of times to an event

    def predicts(self, predicted: Predicted) -> bool:
        if predicted == "classes":
            return self.predict is not None
        if predicted == "times":
            return self.risk is not None
        return self.regress is not None

    def curves(self, times: Floats) -> PredictFromPrefixes | None:
        """What predicts the shares of samples without event at some times; None if the model cannot."""
        return None if self.survival_estimator is None else RefitCurves(self.survival_estimator, times)


def refitted_classifier(classifier: BaseEstimator) -> Model:
    """The model of a classifier of scikit-learn."""
    return Model(
        predict=Refit(classifier),
        score=RefitScores(classifier) if has_scores(classifier) else None,
        probabilities=RefitProbabilities(classifier) if has_probabilities(classifier) else None,
    )


def refitted_model(classifier: BaseEstimator, regressor: BaseEstimator) -> Model:
    """The model of a classifier and of a regressor of scikit-learn that have one name."""
    return replace(refitted_classifier(classifier), regress=Refit(regressor))


def refitted_survival_model(estimator: BaseEstimator) -> Model:
    """The model of an estimator of scikit-survival."""
    has_curves = hasattr(estimator, "predict_survival_function")
    return Model(risk=Refit(estimator), survival_estimator=estimator if has_curves else None)


VARIATIONAL_MIXTURE = refitted_classifier(VariationalMixtureClassifier())
MODELS: dict[str, Model] = {
    "linear-svm": refitted_classifier(SVC(kernel="linear", C=1.0)),
    "knn": Model(
        predict=nearest_neighbors,
        score=RefitScores(KNeighborsClassifier(VOTING_NEIGHBORS)),
        probabilities=RefitProbabilities(KNeighborsClassifier(VOTING_NEIGHBORS)),
        regress=mean_of_neighbors,
    ),
    "ncm": Model(
        predict=nearest_mean,
        score=RefitScores(NearestCentroid()),
        probabilities=RefitProbabilities(NearestCentroid()),
    ),
    "bgm": refitted_classifier(MixtureClassifier()),
    "vbem": VARIATIONAL_MIXTURE,
    "lda": Model(
        predict=linear_discriminant,
        score=discriminant_scores,
        probabilities=discriminant_probabilities,
    ),
    "ridge": Model(regress=ridge),
    "gmm": VARIATIONAL_MIXTURE,  # a second name of vbem
}
TREE_MODELS = ("forest", "boosting")  # importing them takes long, so they are made when asked for
SLOW_SAMPLES = 2_000  # above, a note on linear-svm names the faster classifier
MANY_SAMPLES = 10_000  # above, the faster classifier is the default


def make_model(
    classifier: str | BaseEstimator, predicted: Predicted = "classes", random_state: int = 0
) -> tuple[str, Model]:
    """Make the model given by its name or as an estimator of scikit-learn. Returns its name and the model.

    Raises ParameterError if there is no such model, or it does not predict what is to be predicted.
    """
    if isinstance(classifier, str):
        return _named_model(classifier, predicted, random_state)
    _check_estimator(classifier, predicted)
    estimator = seeded(classifier, random_state)
    name = " ".join(repr(estimator).split())
    if predicted == "times":
        return name, refitted_survival_model(estimator)
    return name, refitted_model(estimator, estimator)


def _named_model(classifier: str, predicted: Predicted, random_state: int) -> tuple[str, Model]:
    name = classifier.lower()
    if predicted == "times" and name in NAMES_OF_MODELS:
        return name, refitted_survival_model(seeded(survival_model(name), random_state))
    if predicted == "times" and name in (*MODELS, *TREE_MODELS):
        raise does_not_fit("classifier", classifier, NAMES_OF_MODELS, predicted)
    if name in TREE_MODELS:
        return name, _tree_model(name, random_state)
    if name not in MODELS:
        advice = advice_on_choice(name, _names(predicted))
        raise ParameterError("classifier", classifier, advice, "is not known", code="unknown-name")
    model = MODELS[name]
    if not model.predicts(predicted):
        raise does_not_fit("classifier", classifier, _names(predicted), predicted)
    return name, model


def _names(predicted: Predicted) -> list[str]:
    """The names of the models that predict classes, a quantity or times to an event."""
    if predicted == "times":
        return list(NAMES_OF_MODELS)
    return [*(name for name, model in MODELS.items() if model.predicts(predicted)), *TREE_MODELS]


def _tree_model(name: str, random_state: int) -> Model:
    from sklearn import ensemble

    classifier: BaseEstimator = ensemble.HistGradientBoostingClassifier()
    regressor: BaseEstimator = ensemble.HistGradientBoostingRegressor()
    if name == "forest":
        classifier = ensemble.RandomForestClassifier()
        regressor = ensemble.RandomForestRegressor()
    return refitted_model(seeded(classifier, random_state), seeded(regressor, random_state))


def _check_estimator(classifier: BaseEstimator, predicted: Predicted) -> None:
    """Refuse what is no estimator of scikit-learn, or one that predicts something else."""
    names = ", ".join(_names(predicted))
    can_fit_and_predict = hasattr(classifier, "fit") and hasattr(classifier, "predict")
    if isinstance(classifier, type) or not can_fit_and_predict:
        advice = f"give one of {names} or an object of scikit-learn that can fit and predict"
        raise ParameterError("classifier", classifier, advice)
    if predicted == "times":  # the estimators of scikit-survival declare no kind
        return
    required_kind = "classifier" if predicted == "classes" else "regressor"
    kind = _estimator_kind(classifier)
    if kind not in (None, required_kind):
        advice = f"give one of {names} or a {required_kind} of scikit-learn"
        reason = f"is not allowed, its kind is {kind.replace('_', ' ')!r}"
        raise ParameterError("classifier", classifier, advice, reason, code="wrong-kind-of-target")


def _estimator_kind(estimator: BaseEstimator) -> str | None:
    """The kind that an estimator declares in its tags, such as "classifier"; None if it declares none."""
    if not hasattr(estimator, "__sklearn_tags__"):
        return None
    kind: str | None = estimator.__sklearn_tags__().estimator_type
    return kind or None


def default_model(n_samples: int, predicted: Predicted = "classes") -> tuple[str, list[Diagnostic]]:
    """The name of the model that is used by default, and a note if it is slow, or the faster one."""
    if predicted == "times":
        return COX, []
    if predicted == "quantity":
        return "ridge", []
    if n_samples <= SLOW_SAMPLES:
        return "linear-svm", []
    if n_samples <= MANY_SAMPLES:
        return "linear-svm", [slow_classifier()]
    return "lda", [fast_classifier()]


def seeded(estimator: BaseEstimator, random_state: int) -> BaseEstimator:
    """Copy an estimator; every ``random_state`` of it and of its parts that is None becomes ``random_state``."""
    copy = clone(estimator)
    seeds = {}
    for name, value in copy.get_params().items():
        is_seed = name == "random_state" or name.endswith("__random_state")
        if is_seed and value is None:
            seeds[name] = random_state
    return copy.set_params(**seeds)
