"""How each selected feature is shown to be more informative than chance, and the note if not all are."""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.dataset.dataset import Dataset
from bitsieve.diagnostics import Diagnostic
from bitsieve.information import COMMON
from bitsieve.methods.method import CONDITIONED
from bitsieve.pipeline.evidence import has_no_information
from bitsieve.pipeline.fit import CountEvidence, Fit
from bitsieve.pipeline.notes import selection_notes
from bitsieve.pipeline.selected_tests import InformativeState
from bitsieve.pipeline.shuffle_tests import max_values_tested

MIN_ROWS_FOR_CHANCE = 20  # in fewer rows even a column that repeats the class may do so by chance


def on_informative(fit: Fit, evidence: CountEvidence) -> list[Diagnostic]:
    """How many selected features are more informative than chance, if not all are and no rule tested them."""
    about_bins = fit.about_unused_bins
    if not about_bins and has_no_information(evidence.relevance[fit.result.selected], evidence.informative):
        return [selection_notes.no_information(len(evidence.overlap))]
    if fit.selection.is_tested or fit.table.n_samples < MIN_ROWS_FOR_CHANCE:
        return []
    limit = None if evidence.is_sure else max_values_tested(fit.table, fit.selection.effect)
    if limit is not None and fit.selection.effect == COMMON:  # no test but by shuffles
        has_rule = fit.table.capabilities >= CONDITIONED
        return [selection_notes.common_effect_not_tested(limit, has_rule=has_rule)]
    states = informative_states(fit, evidence)
    n_selected = len(states)
    n_alone = states.count("alone")
    n_with_others = states.count("with others")
    if n_alone + n_with_others == n_selected:
        return []
    selected = fit.result.selected.tolist()
    return [
        selection_notes.partly_informative(
            n_alone=n_alone,
            n_with_others=n_with_others,
            unshown=_names_in_state(fit.table, selected, states, "not shown"),
            untested=_names_in_state(fit.table, selected, states, "not tested"),
            about_bins=about_bins,
            limit=limit,
        )
    ]


def _names_in_state(
    table: Dataset, selected: Sequence[int], states: Sequence[InformativeState], state: InformativeState
) -> list[str]:
    """The names of the selected columns in a state."""
    in_state = [j for j, state_of_column in zip(selected, states, strict=True) if state_of_column == state]
    return table.names_of(in_state)


def informative_states(fit: Fit, evidence: CountEvidence) -> list[InformativeState]:
    """How each selected feature is shown to be informative.

    In few rows nothing is tested. Where a stopping rule tested each feature, those that are not shown otherwise are
    informative "by rule".
    """
    n_selected = len(evidence.overlap)
    if fit.table.n_samples < MIN_ROWS_FOR_CHANCE:
        return ["not tested"] * n_selected
    tests = evidence.tests.value
    is_informative = evidence.informative.value
    states: list[InformativeState] = []
    for i in range(n_selected):
        if tests.is_informative_alone[i]:
            states.append("alone")
        elif is_informative[i]:
            states.append("with others")
        elif fit.selection.is_tested:
            states.append("by rule")
        elif tests.is_conclusive[i]:
            states.append("not shown")
        else:
            states.append("not tested")
    return states
