"""What a comparison is asked to do, with every question about it settled before the work begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from bitsieve.common.defaults import COMPARE
from bitsieve.common.errors import ParameterError, Sentence, Setting
from bitsieve.common.messages import choices
from bitsieve.common.parameters import check_flag, check_integer
from bitsieve.data.binning import MDLBinner, make_binner
from bitsieve.data.sparse import made_dense
from bitsieve.data.table import Table
from bitsieve.evaluation.classifiers import make_classifier
from bitsieve.evaluation.classifiers.registry import default_classifier
from bitsieve.evaluation.classifiers.scores import scoring_form
from bitsieve.evaluation.feature_counts import feature_counts
from bitsieve.evaluation.folds import make_folds
from bitsieve.evaluation.foreign import Foreign, is_foreign
from bitsieve.evaluation.scoring import ROC_AUC, Loss, make_loss
from bitsieve.evaluation.seeded import seeded
from bitsieve.methods.registry import method_name, parameters_of
from bitsieve.selection.left_out import consider
from bitsieve.selection.notes import explain_target, refuse_what_tells_nothing
from bitsieve.selectors.base import ColumnSelector
from bitsieve.selectors.registry import make_selector

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from bitsieve.data.target import Target
    from bitsieve.evaluation.classifiers.registry import Grow
    from bitsieve.evaluation.folds import Fold

PROTOCOLS = ("nested", "paper")
DEFAULT_METHODS = COMPARE.methods


@dataclass(frozen=True)
class Plan:
    """A comparison, ready to run.

    Attributes
    ----------
    table : Table
    selectors : dict
        Label to an unfitted selector that ranks as many features as the largest count.
    counts : ndarray of int
        Numbers of features, ascending.
    classifier : str
    grow : callable
    folds : list of Fold
    protocol : {"nested", "paper"}
    binning : binner or str
    random_state : int
    notes : list of str
    bounds : bool
        Whether the Bayes error of the chosen features is bounded.
    """

    table: Table = field(repr=False)
    selectors: dict[str, Any]
    counts: NDArray[np.intp]
    classifier: str
    grow: Grow = field(repr=False)
    folds: list[Fold] = field(repr=False)
    protocol: str
    binning: Any
    random_state: int
    notes: list[str]
    bounds: bool = False
    loss: Loss = field(default=make_loss("accuracy"), repr=False)
    baselines: bool = False

    @property
    def centred(self) -> bool:
        """Whether numbers are standardised for the classifier; the papers only divided them by their largest."""
        return self.protocol != "paper"

    @property
    def target(self) -> Target:
        """The target of the table."""
        return self.table.target


def make_plan(
    table: Table,
    *,
    methods: Any = DEFAULT_METHODS,
    counts: Any = None,
    classifier: Any = None,
    folds: Any = None,
    groups: Any = None,
    protocol: str = "nested",
    include: Sequence[Any] = (),
    exclude: Sequence[Any] = (),
    parameters: Mapping[str, Any] = MappingProxyType({}),
    binning: Any = None,
    missing: str | None = None,
    random_state: int = 0,
    bounds: bool = False,
    scoring: str = "accuracy",
    baselines: bool = False,
) -> Plan:
    """Check every part of a comparison, and put them together; see :func:`bitsieve.compare`."""
    fast: list[str] = []
    if classifier is None:
        classifier, fast = default_classifier(table.n_samples)
    if protocol not in PROTOCOLS:
        raise ParameterError("protocol", protocol, choices(str(protocol), PROTOCOLS), "is not known")
    check_integer("random_state", random_state, 0, 2**32 - 1)
    check_flag("bounds", bounds)
    name, grow = make_classifier(classifier, random_state)
    loss = make_loss(scoring)
    if scoring == ROC_AUC:
        grow = scoring_form(name, grow)
    binner = _binning(binning, protocol, missing)
    table = made_dense(table)
    refuse_what_tells_nothing(table)
    considered = consider(table, include, exclude, constrains=False, orders=False)
    assert isinstance(considered.table, Table)  # as it was given
    asked, notes = feature_counts(counts, considered.n_left)
    made, on_folds = make_folds(table.target, folds, random_state, groups)
    if scoring == ROC_AUC:
        _refuse_one_class(made, table.target.codes)
    return Plan(
        table=considered.table,
        selectors=make_selectors(methods, int(asked[-1]), binner, random_state, parameters),
        counts=asked,
        classifier=name,
        grow=grow,
        folds=made,
        protocol=protocol,
        binning=binner,
        random_state=random_state,
        notes=[*table.notes, *considered.notes, *notes, *fast, *explain_target(table), *on_folds],
        bounds=bounds,
        loss=loss,
        baselines=baselines,
    )


def _refuse_one_class(folds: list[Fold], codes: NDArray[np.int32]) -> None:
    """Raise ValueError where a fold tests on one class only, as nothing is to be told apart there."""
    for number, fold in enumerate(folds, 1):
        if (codes[fold.test] == codes[fold.test[0]]).all():
            what = f"fold {number:,} tests on one class only, which has no AUC: give fewer folds, such as "
            raise ValueError(Sentence(what, Setting("folds", 5), ", or another ", Setting("scoring")))


def make_selectors(
    methods: Any,
    n_features_to_select: int,
    binning: Any,
    random_state: int,
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Label to unfitted selector, from names, from a mapping of labels to names or selectors, or from one of them.

    Raises
    ------
    ValueError
        If a name is not known (the nearest are given), is given twice, or there is none.
    """
    if isinstance(methods, Mapping):
        named = dict(methods)
    else:
        listed = [methods] if isinstance(methods, str) or not isinstance(methods, Iterable) else list(methods)
        named = {_label(method): method for method in listed}
        if len(named) < len(listed):
            raise ValueError(
                "a method is given more than once: name each once, or give a dict of labels to selectors to compare "
                "one method with itself"
            )
    if not named:
        raise ValueError("no method is given: name at least one, such as 'jmi'")
    made = {}
    _refuse_unused(parameters, [method for method in named.values() if isinstance(method, str)])
    for label, method in named.items():
        if isinstance(method, str):
            own = {name: value for name, value in parameters.items() if name in parameters_of(method)}
            selector = make_selector(method, n_features_to_select, binning=binning, **own)
        elif isinstance(method, ColumnSelector) and "n_features_to_select" in method.get_params():
            selector = clone(method).set_params(n_features_to_select=n_features_to_select)
        elif is_foreign(method):
            selector = Foreign(clone(method))
        else:
            raise ValueError(f"method {method!r} is not allowed: give a name of 'bitsieve methods' or a selector")
        made[str(label)] = seeded(selector, random_state)
    return made


def _refuse_unused(parameters: Mapping[str, Any], methods: list[str]) -> None:
    """Raise ValueError for a parameter that none of the methods takes."""
    for name in parameters:
        if not any(name in parameters_of(method) for method in methods):
            raise ValueError(f"none of the methods takes {name!r}: 'bitsieve methods' lists what each takes")


def _label(method: Any) -> str:
    return method_name(method) if isinstance(method, str) else " ".join(repr(method).split())


def _binning(binning: Any, protocol: str, missing: str | None) -> Any:
    own: dict[str, Any] = {} if missing is None else {"missing": missing}
    if binning is None:
        return MDLBinner(uncut="median", **own) if protocol == "paper" else make_binner("mdl", **own) if own else "mdl"
    made = make_binner(binning, **own)
    return made if own else binning
