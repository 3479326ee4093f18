"""The selection from a table that is read already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.messages import quoted
from bitsieve.common.parameters import check_threads
from bitsieve.selection.codes import take_codes
from bitsieve.selection.evidence import Evidence
from bitsieve.selection.explanation import explanation
from bitsieve.selection.how_many import default_number
from bitsieve.selection.left_out import consider, refuse_more_than_left
from bitsieve.selection.notes import (
    explain,
    explain_gap,
    explain_many_values,
    explain_sample,
    explain_stop,
    explain_worth,
    refuse_what_tells_nothing,
)
from bitsieve.selection.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bitsieve.data.table import Table
    from bitsieve.engines.in_parts import TableInParts

BINNER_PARAMETERS = ("n_bins", "uncut", "missing")


def select_from(
    table: Table | TableInParts,
    *,
    method: str,
    n_features_to_select: int | float | str | None,
    include: Sequence[Any] = (),
    exclude: Sequence[Any] = (),
    binning: Any,
    n_jobs: int | None,
    **parameters: Any,
) -> Selection:
    """What :func:`bitsieve.select` gives, from a table that is read already."""
    from bitsieve.selectors.registry import make_selector, method_name, parameters_of

    check_threads("n_jobs", n_jobs)  # also for methods that have no such parameter
    method = method_name(method)
    constraints, constrains = parameters.pop("constraints", None), "constraints" in parameters_of(method)
    considered = consider(table, include, exclude, constraints, constrains=constrains)
    asked = {**parameters, **({} if constraints is None else {"constraints": constraints})}
    if considered.constraints is not None:
        parameters["constraints"] = considered.constraints
    of_binner = {name: parameters.pop(name) for name in BINNER_PARAMETERS if name in parameters}
    binner = _binner(binning, of_binner, n_jobs)
    on_number: list[str] = []
    if n_features_to_select is None:
        n_features_to_select, on_number = default_number(considered, parameters)
    refuse_more_than_left(n_features_to_select, considered)
    selector = make_selector(method, n_features_to_select, binning=binner, n_jobs=n_jobs, **parameters)
    refuse_what_tells_nothing(table)
    codes, own_binning = take_codes(considered.table, binning, of_binner, selector, n_jobs)
    if own_binning != binning:
        binner = _binner(own_binning, of_binner, n_jobs)
        selector.set_params(binning=binner)
    selector.fit_table(codes)
    if isinstance(binning, str) and selector.__sklearn_tags__().input_tags.allow_nan:
        # A method on rows took missing values as they are, so must the binner of the explanation.
        binner = _binner(own_binning, {"missing": "bin", **of_binner}, n_jobs)
    found = explanation(selector, codes, "mdl" if binner is None else binner, n_jobs)
    indices = np.asarray(selector.selected_)
    given = table.given
    labels = table.names if given is None or given.labels is None else given.labels
    return Selection(
        method=method,
        features=[labels[j] for j in indices],
        indices=indices,
        scores=np.asarray(selector.scores_),
        relevance=found.relevance[indices],
        overlap_with=[None if j < 0 else labels[j] for j in found.overlap_with],
        overlap=found.overlap,
        table=None if given is None else given.take(indices),
        selector=selector,
        target=table.target,
        target_name=table.target.name,
        n_samples=table.n_samples,
        parameters={
            "n_features_to_select": n_features_to_select,
            "binning": binning,
            **of_binner,
            "target_bins": table.target.n_bins,
            **({} if given is None or given.weight is None else {"sample_weight": given.weight}),
            **({"include": list(include)} if include else {}),
            **({"exclude": list(exclude)} if exclude else {}),
            **asked,
        },
        notes=[
            *getattr(table, "notes", ()),
            *on_number,
            *considered.notes,
            *explain_sample(table),
            *explain(table, found.binner, indices, considered.left_out),
            *explain_worth(selector, table, found),
            *explain_many_values(selector, table, found),
            *explain_stop(selector, table),
            *explain_gap(selector),
        ],
        evidence=Evidence(codes, found.binner, indices, n_jobs, table, considered.left_out),
    )


def _binner(binning: Any, parameters: Mapping[str, Any], n_jobs: int | None) -> Any:
    if not parameters:
        return binning
    if not isinstance(binning, str):
        raise ValueError(f"binning is an object, so {quoted(parameters)} must be set on that object")
    from bitsieve.data.binning import make_binner

    return make_binner(binning, n_jobs=n_jobs, **parameters)
