"""The selection from a table that is read already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bitsieve.common.defaults import BINNING
from bitsieve.common.messages import quoted
from bitsieve.common.parameters import check_threads
from bitsieve.data.binning.registry import make_binner
from bitsieve.data.table import Table
from bitsieve.methods.method import Method, check_requirements
from bitsieve.methods.registry import arguments_of, find_method
from bitsieve.selection.codes import take_codes
from bitsieve.selection.evidence import Evidence
from bitsieve.selection.explanation import Explanation, explanation
from bitsieve.selection.how_many import default_number
from bitsieve.selection.left_out import Considered, consider, refuse_more_than_left
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
from bitsieve.selectors.fitting import Outcome, check_settings, fit_method

BINNER_PARAMETERS = ("n_bins", "uncut", "missing")


def select_from(
    table: Table,
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
    check_threads("n_jobs", n_jobs)  # also for methods that have no such parameter
    found = find_method(method)
    constraints = parameters.pop("constraints", None)
    of_binner = {name: parameters.pop(name) for name in BINNER_PARAMETERS if name in parameters}
    asked_for = {
        "binning": binning,
        **of_binner,
        "target_bins": table.target.n_bins,
        **({} if table.given is None or table.given.weight is None else {"sample_weight": table.given.weight}),
        **({"include": list(include)} if include else {}),
        **({"exclude": list(exclude)} if exclude else {}),
        **parameters,
        **({} if constraints is None else {"constraints": constraints}),
    }
    binner = _with_parameters(binning, of_binner, n_jobs)
    rule = None if table.in_memory else make_binner(binner or BINNING, n_jobs=n_jobs)
    constrains = "constraints" in found.parameters
    considered = consider(table, include, exclude, constraints, constrains=constrains, binner=rule)
    if considered.constraints is not None:
        parameters["constraints"] = considered.constraints
    on_number: list[str] = []
    if n_features_to_select is None:
        n_features_to_select, on_number = default_number(considered, parameters)
    refuse_more_than_left(n_features_to_select, considered)
    outcome, own_binning = _fit(found, considered, n_features_to_select, binning, of_binner, n_jobs, parameters)
    explained = _explained(outcome, own_binning, of_binner)
    notes = [*table.notes, *on_number, *_notes(considered, outcome, explained)]
    asked_for = {"n_features_to_select": n_features_to_select, **asked_for}
    return _selection(table, considered, outcome, explained, asked_for, notes)


def _fit(
    method: Method,
    considered: Considered,
    asked: Any,
    binning: Any,
    of_binner: Mapping[str, Any],
    n_jobs: int | None,
    parameters: Mapping[str, Any],
) -> tuple[Outcome, Any]:
    """What the method finds, and the binning as it is once codes are taken for what they are."""
    arguments = arguments_of(method, parameters)
    refuse_what_tells_nothing(considered.table)
    codes, own_binning = take_codes(considered.table, binning, of_binner, method, n_jobs)
    binner = _with_parameters(own_binning, of_binner, n_jobs)
    check_settings(method, asked, arguments, binning=binner, n_jobs=n_jobs)
    needs = method.requirements({"n_features_to_select": asked, **arguments})
    check_requirements(method.estimator, needs, codes.offers)
    fitted = fit_method(method, codes, asked, arguments, binning=binner, n_jobs=n_jobs)
    return Outcome(method.name, asked, arguments, binner, n_jobs, codes, fitted), own_binning


def _explained(outcome: Outcome, own_binning: Any, of_binner: Mapping[str, Any]) -> Explanation:
    """The explanation, by counts of their own where the method counts nothing."""
    binner = outcome.binning
    if isinstance(own_binning, str) and outcome.takes_missing:
        # A method on rows took missing values as they are, so must the binner of the explanation.
        binner = _with_parameters(own_binning, {"missing": "bin", **of_binner}, outcome.n_jobs)
    return explanation(outcome.fitted, outcome.table, "mdl" if binner is None else binner, outcome.n_jobs)


def _notes(considered: Considered, outcome: Outcome, explained: Explanation) -> list[str]:
    """What was noticed in the data and in the selection."""
    facts, table = outcome.facts(), outcome.table
    return [
        *considered.notes,
        *explain_sample(table),
        *explain(table, explained.binner, facts.selected_, considered.left_out),
        *explain_worth(facts, table, explained),
        *explain_many_values(facts, table, explained),
        *explain_stop(facts, table),
        *explain_gap(facts),
    ]


def _selection(
    table: Table,
    considered: Considered,
    outcome: Outcome,
    explained: Explanation,
    asked_for: dict[str, Any],
    notes: list[str],
) -> Selection:
    indices = outcome.fitted.found.selected
    given = table.given
    labels = table.names if given is None or given.labels is None else given.labels
    return Selection(
        method=outcome.method,
        features=[labels[j] for j in indices],
        indices=indices,
        scores=outcome.fitted.found.scores,
        relevance=explained.relevance[indices],
        overlap_with=[None if j < 0 else labels[j] for j in explained.overlap_with],
        overlap=explained.overlap,
        table=None if given is None else given.take(indices),
        selector=outcome,
        target=table.target,
        target_name=table.target.name,
        n_samples=table.n_samples,
        parameters=asked_for,
        notes=notes,
        evidence=Evidence(outcome.table, explained.binner, indices, outcome.n_jobs, table, considered.left_out),
    )


def _with_parameters(binning: Any, parameters: Mapping[str, Any], n_jobs: int | None) -> Any:
    """The binning, or a binner where it is given parameters."""
    if not parameters:
        return binning
    if not isinstance(binning, str):
        raise ValueError(f"binning is an object, so {quoted(parameters)} must be set on that object")
    return make_binner(binning, n_jobs=n_jobs, **parameters)
