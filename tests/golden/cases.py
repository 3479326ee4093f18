"""The cases of the golden files, made from the registry of methods: what is fitted on what.

A method that joins the registry joins the cases, and is recorded when the files are made next. A combination that a
method refuses is a case too: it raises, and what raises is not recorded.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tests.golden.case import Case, at_a_plateau, describe, is_near, of_kernels
from tests.golden.data import binner, table
from tests.golden.encode import encode, encode_near, encode_short
from tests.golden.functions import function_cases
from tests.golden.options import OPTIONS

import bitsieve
from bitsieve import Constraints, PermutationStopping, SignificanceStopping, ThresholdStopping

if TYPE_CHECKING:
    from collections.abc import Iterator

METHODS = bitsieve.list_methods()
FIRST_NAMES = [info for info in METHODS if not info.same_as]
GREEDY = [info.name for info in FIRST_NAMES if info.estimator == "ForwardSelector"]
ESTIMATORS = ("plug-in", "corrected", "miller-madow", "shrinkage")
BINNINGS = {
    "iris": ["mdl"],
    "wine": ["mdl", "median", "uniform", "five"],
    "cancer": ["mdl"],
    "digits": ["none"],
    "states": ["none"],
    "codes": ["none"],
    "continuous": ["quantile"],
    "two targets": ["none"],
    "pandas": ["mdl missing", "width missing"],
    "arrow": ["quantile missing"],
}
OF_SECOND_NAMES = {"wine-mdl", "states-none"}  # where a second name of a method is tried
STOPPING = {
    "significance": SignificanceStopping(),
    "permutation": PermutationStopping(n_permutations=30, random_state=1),
    "threshold": ThresholdStopping(0.05),
}
CONSTRAINTS = {
    "included": Constraints(must_include=[11, 4]),
    "excluded": Constraints(exclude=[0, 2, 5]),
    "grouped": Constraints(groups=[[1, 6], [0, 3, 12]]),
    "all": Constraints(must_include=[10], exclude=[2], groups={"pair": [1, 6], "three": [0, 3, 10]}),
}


def _fit(
    method: str, data: str, binned: str, *, k: Any = None, weighted: bool = False, **parameters: Any
) -> dict[str, Any]:
    X, y, weights, default = table(data)
    settings = {"binning": binner(binned), **of_kernels(method), **at_a_plateau(method, k), **parameters}
    selector = bitsieve.make_selector(method, k or default, **settings)
    return describe(selector.fit(X, y, **({"sample_weight": weights} if weighted else {})))


def _select(method: str, data: str, binning: str) -> dict[str, Any]:
    """A selection's own words: names of features, and what explains them."""
    X, y, _, k = table(data)
    own = {**of_kernels(method), **at_a_plateau(method, k)}
    selection = bitsieve.select(X, y, method=method, n_features_to_select=k, binning=binner(binning), **own)
    scores = encode_near if is_near(selection.selector) else encode
    return {
        "features": encode(selection.features),
        "scores": scores(selection.scores),
        "relevance": encode_short(selection.relevance),
        "overlap_with": encode_short(selection.overlap_with),
        "overlap": encode_short(selection.overlap),
    }


def _cases() -> Iterator[Case]:
    for info in METHODS:
        for data, binnings in BINNINGS.items():
            for binning in binnings:
                if not info.same_as or f"{data}-{binning}" in OF_SECOND_NAMES:
                    yield Case("methods", f"{data}-{binning}-{info.name}", partial(_fit, info.name, data, binning))
    for info in FIRST_NAMES:
        for data in ("pandas", "arrow"):
            yield Case("select", f"{data}-{info.name}", partial(_select, info.name, data, "mdl missing"))
        for data, binning in (("states", "none"), ("wine", "mdl"), ("codes", "none")):
            run = partial(_fit, info.name, data, binning, weighted=True)
            yield Case("weights", f"{data}-{info.name}", run)
        for data, binning in (("states", "none"), ("wine", "five")):
            for words, parameters in OPTIONS.get(info.name, {}).items():
                run = partial(_fit, info.name, data, binning, **parameters)
                yield Case("options", f"{data}-{info.name}-{words}", run)
    for method in GREEDY:
        for data, binning in (("states", "none"), ("wine", "mdl"), ("codes", "none")):
            for estimator in ESTIMATORS[1:]:  # the first is that of all other cases
                run = partial(_fit, method, data, binning, estimator=estimator)
                yield Case("estimators", f"{data}-{method}-{estimator}", run)
            for words, rule in STOPPING.items():
                run = partial(_fit, method, data, binning, k="auto", stopping=rule)
                yield Case("stopping", f"{data}-{method}-{words}", run)
        for data, binning in (("states", "none"), ("wine", "mdl")):
            for words, constraints in CONSTRAINTS.items():
                run = partial(_fit, method, data, binning, constraints=constraints)
                yield Case("constraints", f"{data}-{method}-{words}", run)
    yield from function_cases(BINNINGS, ESTIMATORS)


CASES = {(case.group, case.name): case for case in _cases()}
