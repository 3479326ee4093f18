"""Every method as its class describes it: what ``methods.json`` is made of.

``python -m bitsieve.selectors.described`` writes that file anew; run it when a method is added or changed. The
registry reads the file, so that a list of the methods needs no import of scikit-learn.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from bitsieve.by_counts.criteria import ALIASES, CRITERIA
from bitsieve.selectors.dominant_set_mii import DominantSetMII
from bitsieve.selectors.dp import DpSelector
from bitsieve.selectors.eqpfs import EQPFS
from bitsieve.selectors.fcbf import FCBF
from bitsieve.selectors.forward import ForwardSelector
from bitsieve.selectors.gdm import GDM
from bitsieve.selectors.gmi import GMI
from bitsieve.selectors.koller_sahami import KollerSahami
from bitsieve.selectors.method_info import MethodInfo
from bitsieve.selectors.model import ModelSelector
from bitsieve.selectors.qpfs import QPFS
from bitsieve.selectors.rcfs import RCFS
from bitsieve.selectors.registry import METHODS_FILE, SHARED
from bitsieve.selectors.relieff import ReliefF
from bitsieve.selectors.sdpcmi import SDPCMI
from bitsieve.selectors.speccmi import SpecCMI
from bitsieve.selectors.svm import L1SVM, SVMRFE
from bitsieve.selectors.vmi import VMI

if TYPE_CHECKING:
    from bitsieve.selectors.base import ColumnSelector

SELECTORS: tuple[type[ColumnSelector], ...] = (
    SpecCMI,
    SDPCMI,
    QPFS,
    EQPFS,
    FCBF,
    KollerSahami,
    ReliefF,
    RCFS,
    GMI,
    DpSelector,
    ModelSelector,
    VMI,
    GDM,
    L1SVM,
    SVMRFE,
    DominantSetMII,
)

_NEEDS = {
    "marginals": "each feature with the class",
    "pairs": "pairs of features",
    "class pairs": "pairs of features within each class",
    "joint": "each feature with the class, conditional on chosen features together",
}


def described_methods() -> list[MethodInfo]:
    """Every method, read from the classes."""
    of_loop = {name: value for name, value in _defaults(ForwardSelector).items() if name not in (*SHARED, "criterion")}
    methods = {}
    for name, criterion in CRITERIA.items():
        methods[name] = MethodInfo(
            name=name,
            title=criterion.title,
            formula=criterion.formula,
            paper=criterion.paper,
            needs=_NEEDS[criterion.needs],
            cost="O(n d)" if criterion.needs == "marginals" else "O(k n d)",
            unit=criterion.unit,
            estimator=ForwardSelector.__name__,
            parameters={**_defaults(criterion), **of_loop},
        )
    for selector in SELECTORS:
        defaults = {name: value for name, value in _defaults(selector).items() if name not in SHARED}
        for info in selector.described:
            parameters = {**defaults, **info.parameters}
            methods[info.name] = replace(info, estimator=selector.__name__, parameters=parameters)
    for name, alias in ALIASES.items():  # last, so that a list ends with the second names
        own: dict[str, Any] = {
            "title": alias.title,
            "formula": alias.formula,
            "paper": alias.paper,
            "remark": alias.why,
        }
        methods[name] = replace(methods[alias.same_as], name=name, same_as=alias.same_as, **own)
    return list(methods.values())


def _defaults(made: type) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in inspect.signature(made).parameters.items()}


def write_methods() -> None:
    """Write ``methods.json``."""
    rows = [json.dumps(asdict(info), ensure_ascii=False) for info in described_methods()]
    METHODS_FILE.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    write_methods()
