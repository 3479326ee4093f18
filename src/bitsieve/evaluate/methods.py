"""The methods of a comparison: selectors of this package or of scikit-learn, by their labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import f_classif

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.diagnostics import UserError
from bitsieve.evaluate.encoding import encode_features
from bitsieve.evaluate.models import seeded
from bitsieve.information import ANY_EFFECT, COMMON
from bitsieve.methods.constraints import Constraints, with_penalties
from bitsieve.methods.registry import find_method, method_name, parameters_of
from bitsieve.pipeline.discretize import BinningParameters
from bitsieve.selectors.by_method import MethodSelector
from bitsieve.selectors.forward import ForwardSelector
from bitsieve.selectors.making import make_selector
from bitsieve.utils.arrays import Floats
from bitsieve.utils.types import NameOrIndex

#: A method of a comparison: its name, or a selector of this package or of scikit-learn.
MethodLike: TypeAlias = str | BaseEstimator
#: One method, several, or methods by the labels that the comparison gives them.
Methods: TypeAlias = MethodLike | Iterable[MethodLike] | Mapping[str, MethodLike]


def make_selectors(
    methods: Methods,
    n_features_to_select: int,
    binning: BinningParameters,
    random_state: int,
    parameters: Mapping[str, Any],
    *,
    as_published: bool = False,
    penalties: Mapping[NameOrIndex, float] = MappingProxyType({}),
    effect: str = ANY_EFFECT,
) -> dict[str, BaseEstimator]:
    """Make an unfitted selector for every method, by label.

    ``methods`` is a name, a selector, a sequence of these, or a mapping of labels to these. A method given by name gets
    those of ``parameters`` that it has, and if ``as_published`` the other ones of its paper. All methods must take the
    ``penalties`` (bits, by column), if there are any, and the ``effect``, if it is the common one.
    """
    method_of_label = dict(methods) if isinstance(methods, Mapping) else _with_labels(methods)
    if not method_of_label:
        raise UserError(
            code="no-method",
            message="no method is given",
            advice="name at least one, such as 'jmi'",
        )
    _refuse_unknown_parameters(parameters, method_of_label.values())
    selectors = {}
    for label, method in method_of_label.items():
        if isinstance(method, str):
            method_parameters = _parameters_of_method(method, parameters, as_published=as_published)
            selector = make_selector(
                method,
                n_features_to_select,
                binning=binning.binning,
                bins_within=binning.bins_within,
                missing=binning.missing,
                **method_parameters,
            )
        else:
            selector = _copied_selector(method, n_features_to_select)
        if penalties:
            selector = _with_penalties(selector, str(label), penalties)
        if effect == COMMON:
            selector = _with_common_effect(selector, str(label))
        if isinstance(selector, MethodSelector) and selector.registry_methods:
            selector._check_parameters()  # now, and not in the first fold
        selectors[str(label)] = seeded(selector, random_state)
    return selectors


def _parameters_of_method(method: str, parameters: Mapping[str, Any], *, as_published: bool) -> dict[str, Any]:
    """Those of ``parameters`` that a method has; if ``as_published`` also the other ones of its paper."""
    accepted_names = parameters_of(method)
    accepted = {name: value for name, value in parameters.items() if name in accepted_names}
    published = find_method(method).published if as_published else {}
    return {**published, **accepted}


def _with_penalties(selector: BaseEstimator, label: str, penalties: Mapping[NameOrIndex, float]) -> BaseEstimator:
    """The selector of a greedy method with penalties of columns; raises UserError for any other."""
    if not isinstance(selector, ForwardSelector):
        raise UserError(
            code="penalties-not-supported",
            message=f"{label} takes no penalties of columns",
            advice="compare greedy methods such as cmim",
        )
    constraints = Constraints() if selector.constraints is None else selector.constraints
    return selector.set_params(constraints=with_penalties(constraints, penalties))


def _with_common_effect(selector: BaseEstimator, label: str) -> BaseEstimator:
    """The selector of a greedy method by the effect that all strata have in common; raises UserError for any other."""
    if "effect" not in selector.get_params(deep=False):
        raise UserError(
            code="strata-not-supported",
            message=f"{label} has no common effect of the strata",
            advice="compare greedy methods such as mim and jmi, or leave out {effect}",
        )
    return selector.set_params(effect=COMMON)


def _with_labels(methods: MethodLike | Iterable[MethodLike]) -> dict[str, MethodLike]:
    """The methods by their names; selectors by how they are printed."""
    is_single = isinstance(methods, str) or not isinstance(methods, Iterable)
    method_list = [methods] if is_single else list(methods)
    method_of_label = {}
    for method in method_list:
        label = method_name(method) if isinstance(method, str) else " ".join(repr(method).split())
        method_of_label[label] = method
    if len(method_of_label) < len(method_list):
        raise UserError(
            code="given-twice",
            message="a method is given more than once",
            advice="name each once, or give a dict of labels to selectors to compare one method with itself",
        )
    return method_of_label


def _refuse_unknown_parameters(parameters: Iterable[str], methods: Iterable[MethodLike]) -> None:
    """Refuse a parameter that no method given by name has."""
    accepted_names: set[str] = set()
    for method in methods:
        if isinstance(method, str):
            accepted_names.update(parameters_of(method))
    for name in parameters:
        if name not in accepted_names:
            raise UserError(
                code="unknown-parameter",
                message=f"none of the methods takes {name!r}",
                advice="'bitsieve methods' lists what each takes",
            )


def _copied_selector(selector: BaseEstimator, n_features_to_select: int) -> BaseEstimator:
    """Copy a selector, so that it ranks as many features as the largest number of the comparison."""
    if hasattr(selector, "fit_table") and "n_features_to_select" in selector.get_params():
        return clone(selector).set_params(n_features_to_select=n_features_to_select)
    if _is_scikit_learn_selector(selector):
        return ScikitLearnRanking(clone(selector))
    raise UserError(
        code="no-method",
        message=f"method {selector!r} is not allowed",
        advice="give a name of 'bitsieve methods' or a selector",
    )


def _is_scikit_learn_selector(method: object) -> bool:
    return all(hasattr(method, name) for name in ("fit", "get_support", "get_params")) and not isinstance(method, type)


class ScikitLearnRanking(BaseEstimator):
    """A selector of scikit-learn that ranks features by its scores.

    A feature of categories, which is encoded as several columns, has the score of its best column.
    """

    def __init__(self, selector: BaseEstimator) -> None:
        self.selector = selector

    def fit_table(self, table: InMemoryDataset) -> ScikitLearnRanking:
        columns = np.setdiff1d(np.arange(table.n_features), table.dropped)
        target = table.target
        if target.is_quantity and getattr(self.selector, "score_func", None) is f_classif:
            raise UserError(
                code="wrong-kind-of-target",
                message="f_classif is a test of classes, and the target is a quantity",
                advice="give f_regression",
            )
        encoded = encode_features(table, columns, np.arange(table.n_samples))
        with np.errstate(invalid="ignore", divide="ignore"):  # a constant column has no score and comes last
            fitted = clone(self.selector).fit(encoded.values, target.truth)
        scores = _column_scores(fitted)
        scores = np.where(np.isnan(scores), -np.inf, scores)
        starts = np.concatenate([[0], encoded.n_columns[:-1]])
        best_scores = np.maximum.reduceat(scores, starts)
        self.selected_ = columns[np.argsort(-best_scores, kind="stable")]
        return self


def _column_scores(fitted: BaseEstimator) -> Floats:
    """The score of every column, the better the higher.

    It is the first of these that a fitted selector has: ``scores_``, ``ranking_`` (negated), the importances or
    coefficients of its ``estimator_``, and whether it keeps the column.
    """
    scores = getattr(fitted, "scores_", None)
    if scores is not None and np.ndim(scores) == 1:
        return np.asarray(scores, np.float64)
    if hasattr(fitted, "ranking_"):
        return -np.asarray(fitted.ranking_, np.float64)
    estimator: Any = getattr(fitted, "estimator_", None)
    if hasattr(estimator, "feature_importances_"):
        return _magnitudes(estimator.feature_importances_)
    if hasattr(estimator, "coef_"):
        return _magnitudes(estimator.coef_)
    return np.asarray(fitted.get_support(), np.float64)


def _magnitudes(coefficients: ArrayLike) -> Floats:
    """The absolute value of each coefficient; with a row for each class the Euclidean norm over the classes."""
    magnitudes = np.abs(np.asarray(coefficients, np.float64))
    if magnitudes.ndim == 1:
        return magnitudes
    return np.asarray(np.sqrt(np.square(magnitudes).sum(axis=0)))
