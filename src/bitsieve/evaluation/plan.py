"""What a comparison is asked to do, with every question about it settled before the work begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from bitsieve.binning import MDLBinner, make_binner
from bitsieve.common.errors import ParameterError
from bitsieve.common.messages import choices
from bitsieve.common.parameters import check_flag, check_integer
from bitsieve.evaluation.classifiers import make_classifier
from bitsieve.evaluation.feature_counts import feature_counts
from bitsieve.evaluation.folds import make_folds
from bitsieve.evaluation.seeded import seeded
from bitsieve.selection.notes import explain_target, refuse_what_tells_nothing
from bitsieve.selectors.base import ColumnSelector
from bitsieve.selectors.registry import make_selector, method_name
from bitsieve.table.sparse import made_dense

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bitsieve.evaluation.classifiers.registry import Grow
    from bitsieve.evaluation.folds import Fold
    from bitsieve.table.table import Table
    from bitsieve.table.target import Target

PROTOCOLS = ("nested", "paper")
DEFAULT_METHODS = ("mim", "mrmr", "jmi", "speccmi")


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

    @property
    def target(self) -> Target:
        """The target of the table."""
        return self.table.target


def make_plan(
    table: Table,
    *,
    methods: Any = DEFAULT_METHODS,
    counts: Any = None,
    classifier: Any = "linear-svm",
    folds: Any = None,
    protocol: str = "nested",
    binning: Any = None,
    random_state: int = 0,
    bounds: bool = False,
) -> Plan:
    """Check every part of a comparison, and put them together; see :func:`bitsieve.compare`."""
    if protocol not in PROTOCOLS:
        raise ParameterError("protocol", protocol, choices(str(protocol), PROTOCOLS), "is not known")
    check_integer("random_state", random_state, 0, 2**32 - 1)
    check_flag("bounds", bounds)
    name, grow = make_classifier(classifier, random_state)
    binner = _binning(binning, protocol)
    table = made_dense(table)
    refuse_what_tells_nothing(table)
    asked, notes = feature_counts(counts, table.n_features)
    made, on_folds = make_folds(table.target, folds, random_state)
    return Plan(
        table=table,
        selectors=make_selectors(methods, int(asked[-1]), binner, random_state),
        counts=asked,
        classifier=name,
        grow=grow,
        folds=made,
        protocol=protocol,
        binning=binner,
        random_state=random_state,
        notes=notes + explain_target(table) + on_folds,
        bounds=bounds,
    )


def make_selectors(methods: Any, n_features_to_select: int, binning: Any, random_state: int) -> dict[str, Any]:
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
    for label, method in named.items():
        if isinstance(method, str):
            selector = make_selector(method, n_features_to_select, binning=binning)
        elif isinstance(method, ColumnSelector) and "n_features_to_select" in method.get_params():
            selector = clone(method).set_params(n_features_to_select=n_features_to_select)
        else:
            raise ValueError(f"method {method!r} is not allowed: give a name of 'bitsieve methods' or a selector")
        made[str(label)] = seeded(selector, random_state)
    return made


def _label(method: Any) -> str:
    return method_name(method) if isinstance(method, str) else " ".join(repr(method).split())


def _binning(binning: Any, protocol: str) -> Any:
    if binning is None:
        return MDLBinner(uncut="median") if protocol == "paper" else "mdl"
    make_binner(binning)
    return binning
