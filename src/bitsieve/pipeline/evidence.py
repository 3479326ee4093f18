"""Evidence from counts for the selected columns: relevance, overlap, and whether each is more than chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bitsieve.information import COMMON
from bitsieve.information.evidence import carries_information
from bitsieve.information.protocol import Information
from bitsieve.options import DiscretizationOptions
from bitsieve.pipeline.discretize import CountedTable, discretize
from bitsieve.pipeline.few_repeats import few_repeats_of
from bitsieve.pipeline.fit import CountEvidence, Fit, StrataEvidence
from bitsieve.pipeline.leaks import leaks_of
from bitsieve.pipeline.selected_tests import SelectedTests, tests_of_selected
from bitsieve.pipeline.shuffle_tests import common_effect_by_shuffles, informative_by_shuffles
from bitsieve.pipeline.strata import ClassesOfStrata
from bitsieve.pipeline.values_digest import values_digest
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.choice import TIE
from bitsieve.utils.lazy import Lazy


def has_no_information(relevance: Floats, informative: Lazy[Flags]) -> bool:
    """Whether no selected column is informative about the class, alone or with another."""
    if len(relevance) == 0 or relevance.max() > TIE:
        return False
    return not informative.value.any()


def count_evidence(
    counted_table: CountedTable, selected: Columns, information: Information | None = None
) -> CountEvidence:
    """The evidence for the selected columns. ``information``: by the estimator of the method; default: plug-in."""
    if information is None:
        information = counted_table.estimated("plug-in")
    strata = strata_evidence(counted_table, selected, information.estimator)
    plug_in = counted_table.information
    informative = carries_information(plug_in, selected)
    if counted_table.has_several_strata:  # the tests below are within the strata
        plug_in = counted_table.estimated("plug-in")
        informative = Lazy(lambda: np.zeros(len(selected), bool))
    tests = tests_of_selected(plug_in, selected)
    if information.effect == COMMON:  # these tests are of any effect; :func:`with_evidence` tests this one by shuffles
        informative = Lazy(lambda: np.zeros(len(selected), bool))
        tests = Lazy(lambda: SelectedTests.of_none(len(selected)))
    overlap_with, overlap = overlaps(information, selected)
    source = counted_table.information.source
    is_survival = "survival" in source.capabilities
    class_sizes = source.class_sizes
    tables = source.tables(None, selected, True)
    if is_survival:
        from bitsieve.counts.survival import with_intervals_added_up

        class_sizes = np.array([class_sizes[0], class_sizes[1:].sum()])
        tables = [with_intervals_added_up(table) for table in tables]
    return CountEvidence(
        binner=counted_table.binner,
        relevance=information.relevance,
        overlap_with=overlap_with,
        overlap=overlap,
        informative=informative,
        tests=tests,
        leaks=leaks_of(counted_table),
        few_repeats=[] if is_survival else few_repeats_of(counted_table, selected),
        class_sizes=class_sizes,
        tables=tables,
        values_digest=Lazy(lambda: values_digest(counted_table)),
        strata=strata,
    )


def strata_evidence(counted_table: CountedTable, selected: Columns, estimator: str) -> StrataEvidence | None:
    """What the strata of a table are, and what its columns say without them; None without strata.

    Heterogeneity is the part of I(X;C|S) that the strata do not have in common, both corrected for chance. Matched sets
    of one case do not show it: in pairs I(X;C|S) is what chance gives, whatever the effect.
    """
    classes = ClassesOfStrata.of_table(counted_table.table)
    if classes is None:
        return None
    heterogeneity = None
    if not counted_table.has_several_strata:
        heterogeneity = np.zeros(len(selected))
    elif classes.has_replicates:
        from bitsieve.information.common_effect import CorrectedCommonEffect

        common = CorrectedCommonEffect(counted_table.information.source)
        relevance = counted_table.estimated("corrected").relevance[selected]
        heterogeneity = relevance - common.bits_of_columns(None, selected)
    return StrataEvidence(
        n_strata=classes.n_strata,
        n_informative_rows=classes.n_informative_rows,
        relevance_pooled=counted_table.pooled(estimator).relevance,
        heterogeneity=heterogeneity,
    )


def with_evidence(fit: Fit) -> Fit:
    """Complete the evidence of a fit: count it if the method counts nothing, and test what is left by shuffles.

    The columns that no test shows to be informative are tested alone by shuffles of the class, if the table is small
    enough.
    """
    selected = fit.result.selected
    evidence = fit.evidence
    if evidence is None:
        counted_table = discretize(fit.table, _discretization_of_evidence(fit), fit.execution)
        evidence = count_evidence(counted_table, selected)
    _ = evidence.values_digest.value  # so that the counts are released
    tests = evidence.tests.value
    informative = evidence.informative.value | tests.is_informative_alone | tests.is_informative_given_others
    is_in_doubt = ~informative
    columns_in_doubt = selected[is_in_doubt]
    if fit.selection.effect == COMMON:
        passes_shuffles = common_effect_by_shuffles(fit.table, evidence.binner, columns_in_doubt, fit.execution.n_jobs)
    else:
        passes_shuffles = informative_by_shuffles(fit.table, evidence.binner, columns_in_doubt, fit.execution.n_jobs)
    if passes_shuffles is not None:
        is_informative_alone = tests.is_informative_alone.copy()
        is_informative_alone[is_in_doubt] = passes_shuffles
        informative[is_in_doubt] = passes_shuffles
        tests = tests._replace(is_informative_alone=is_informative_alone)
        if fit.selection.effect == COMMON:
            tests = tests._replace(is_conclusive=np.ones(len(selected), bool))
    tested_evidence = evidence._replace(
        informative=Lazy(lambda: informative),
        tests=Lazy(lambda: tests),
        is_sure=passes_shuffles is not None,
    )
    return replace(fit, evidence=tested_evidence)


def _discretization_of_evidence(fit: Fit) -> DiscretizationOptions:
    """The discretization for a method on rows: if the method takes missing values, the counts give them a bin."""
    options = fit.discretization
    if isinstance(options.binning, str) and fit.takes_missing:
        return replace(options, missing=options.missing or "bin")
    return options


def overlaps(information: Information, selected: Columns) -> tuple[Columns, Floats]:
    """For each selected column the earlier one with which it shares most information, and that information in bits.

    The first column has -1 and nan.
    """
    n_selected = len(selected)
    overlap_with = np.full(n_selected, -1, np.intp)
    overlap = np.full(n_selected, np.nan)
    if n_selected > 1:
        shared = information.matrix("redundancy", columns=selected)
        shared[np.triu_indices(n_selected)] = -np.inf  # row i: only columns selected before column i
        nearest = shared.argmax(axis=1)[1:]
        overlap_with[1:] = selected[nearest]
        overlap[1:] = shared[np.arange(1, n_selected), nearest]
    return overlap_with, overlap
