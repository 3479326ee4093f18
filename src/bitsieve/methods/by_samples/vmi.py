"""Variational information maximisation, on codes or on densities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.methods.by_samples.rows import Samples
from bitsieve.methods.by_samples.variational.bounds import PLATEAUS, Bound, variational_select
from bitsieve.methods.by_samples.variational.codes import CodeTable, NaiveBound, PairwiseBound
from bitsieve.methods.by_samples.variational.densities import DensityBound, DensityTable
from bitsieve.methods.method import DENSE_ROWS, Method, MethodResult, defaults_of
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.parameters import check_above_zero, check_choice, optional
from bitsieve.utils.progress import phase

DECOMPOSITIONS = ("naive", "pairwise")
BANDWIDTHS = ("scott", "silverman")


def vmi(
    samples: Samples,
    k: int | None,
    *,
    decomposition: str = "naive",
    on_plateau: str | None = None,
    bandwidth: str | float = "scott",
    n_jobs: int | None = None,
) -> MethodResult:
    """Add the column with the greatest bound, one at a time; see :class:`bitsieve.VMI`."""
    by_class = np.argsort(samples.classes, kind="stable")
    class_sizes = np.bincount(samples.classes, minlength=samples.n_classes).astype(np.int64)
    coded = samples.coded()
    bound: Bound
    if coded is None:
        densities = _densities(samples, by_class, class_sizes, bandwidth, n_jobs)
        bound = DensityBound(densities, pairwise=decomposition == "pairwise")
    else:
        phase("counting")
        table = CodeTable(coded.codes[by_class], class_sizes, n_jobs)
        bound = PairwiseBound(table) if decomposition == "pairwise" else NaiveBound(table)
    if on_plateau is None:
        on_plateau = "stop" if k is None else "restart"
    n_features_to_select = samples.n_features if k is None else k
    result = variational_select(bound, n_features_to_select, on_plateau, phase("ranking"))
    attributes = dict(result.extras)
    attributes["binner_"] = None if coded is None else coded.binner
    return replace(result, extras=attributes)


def _densities(
    samples: Samples, by_class: Columns, class_sizes: Integers, bandwidth: str | float, n_jobs: int | None
) -> DensityTable:
    """The columns without bins; ``by_class`` sorts the samples by class."""
    rows = samples.rows()
    if class_sizes.min() < 2:
        label = str(samples.labels[int(np.argmin(class_sizes))])
        raise UserError(
            code="no-density",
            message=f"class {label!r} has 1 sample, and a density needs two",
            advice="drop the class, or bin the columns ({binning})",
            fix={"binning": "mdl"},
        )
    values = np.empty((rows.n_features, rows.n_samples))
    numeric = np.zeros(rows.n_features, bool)
    numeric[rows.numeric] = True
    values[rows.numeric] = rows.numbers[by_class].T
    values[rows.categorical] = rows.codes[by_class].T
    phase("densities")
    table = DensityTable(values, numeric, class_sizes, bandwidth, n_jobs)
    without_width = np.argwhere(table.deviations == 0)
    if len(without_width):
        column, class_index = without_width[0].tolist()
        name = str(samples.names[column])
        class_name = str(samples.labels[class_index])
        raise UserError(
            code="no-density",
            message=f"column {name!r} does not vary within class {class_name!r}, so its density has no width",
            advice="drop the column, or bin the columns ({binning})",
            fix={"binning": "mdl"},
            columns=[name],
        )
    return table


def _check_plateau(parameters: Mapping[str, Any]) -> None:
    """Refuse "auto" together with a plateau at which the search goes on: it would never end."""
    on_plateau = parameters.get("on_plateau")
    if parameters["n_features_to_select"] == "auto" and on_plateau not in (None, "stop"):
        raise ParameterError(
            "n_features_to_select",
            "auto",
            "give a number, or {on_plateau}",
            f"ends where the bound no longer grows, and on_plateau is {on_plateau!r}",
            code="contradicting-parameters",
            fix={"on_plateau": "stop"},
        )


_NAIVE = Method(
    name="vmi",
    title="Variational information maximisation, naive",
    formula="I(XS,Xi;C) >= mean log2 q(xS,xi|c) / q(xS,xi), q(xi|xS,c) = p(xi|c)",
    paper="Gao, Ver Steeg, Galstyan 2016",
    inputs="the samples: a likelihood of each in every class",
    cost="O(k n d C) for C classes; densities O(n d^2)",
    seconds=lambda n, d, k: 5e-9 * k * n * d,
    selector="bitsieve.selectors.forward:VMI",
    run=vmi,
    required_capabilities=DENSE_ROWS,
    ends_with=("auto",),
    rules={
        "decomposition": partial(check_choice, choices=DECOMPOSITIONS),
        "on_plateau": optional(partial(check_choice, choices=PLATEAUS)),
        "bandwidth": partial(check_above_zero, rules=BANDWIDTHS),
    },
    check=_check_plateau,
)
METHODS = (
    _NAIVE,
    replace(
        _NAIVE,
        name="vmi-pairwise",
        seconds=lambda n, d, k: 1e-9 * k * k * n * d,
        title="Variational information maximisation, pairwise",
        formula="I(XS,Xi;C) >= mean log2 q(xS,xi|c) / q(xS,xi), q(xi|xS,c) = prod_s p(xi|xs,c)^(1/#S)",
        parameters=defaults_of(vmi, decomposition="pairwise"),
    ),
)
