"""What each column of a greedy choice adds, beside what the best of the columns left adds by chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bitsieve.counts.tables import make_entropy_terms
from bitsieve.engines.local import search_of
from bitsieve.information import ANY_EFFECT, COMMON
from bitsieve.information.common_effect_given_set import CODES_PER_SAMPLE
from bitsieve.information.protocol import Information
from bitsieve.information.survival import SurvivalInformation
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.pipeline.discretize import CountedTable
from bitsieve.results.how_many import NullBand
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.progress import phase

N_SHUFFLES = 40
MAX_VALUES_COUNTED = 3 * 10**8  # rows x columns x shuffles: some seconds
MAX_CELLS_DRAWN = 5 * 10**7  # times of events x codes of all columns x draws: some seconds


def null_band(
    counted_table: CountedTable, order: Columns, random_state: int, n_jobs: int | None, effect: str = ANY_EFFECT
) -> NullBand:
    """What each column of a greedy choice adds, and the 5 and 95 % limits of the most that one adds after shuffles.

    The choice is followed as far as some seconds of shuffles reach.
    """
    phase("shuffling")
    if isinstance(counted_table.information, SurvivalInformation):
        return _band_of_events(counted_table.information, counted_table.table.names, order, random_state)
    if effect == COMMON:
        return _band_of_common_effect(counted_table, order, random_state)
    return _band_of_classes(counted_table, order, random_state, n_jobs)


def _band_of_classes(counted_table: CountedTable, order: Columns, random_state: int, n_jobs: int | None) -> NullBand:
    """Shuffle the classes among the rows with equal codes of the columns chosen before."""
    table = counted_table.table.required_rows()
    entropies = make_entropy_terms(table.total_weight)
    search = search_of(table, counted_table.binner)
    order = _affordable_part(order, table.total_weight * table.n_features, MAX_VALUES_COUNTED)
    bits = np.zeros(len(order))
    largest_by_chance = np.zeros((len(order), N_SHUFFLES))
    for n_chosen, column in enumerate(order.tolist()):
        chosen = order[:n_chosen]
        candidates = np.setdiff1d(np.arange(table.n_features), chosen)
        greedy_step = RepeatedSearch(search, tuple(chosen.tolist()), candidates, entropies, n_jobs)
        seeds = np.random.default_rng([random_state, n_chosen]).integers(0, 2**64, N_SHUFFLES, dtype=np.uint64)
        bits[n_chosen] = greedy_step.bits(column)
        largest_by_chance[n_chosen] = greedy_step.largest_bits(seeds)
    return _band(table.names, order, bits, largest_by_chance)


def _band_of_events(
    information: SurvivalInformation, names: Sequence[str], order: Columns, random_state: int
) -> NullBand:
    """Draw the events among the rows at risk, in place of shuffles.

    They are drawn for each column by itself, which gives limits that are not below those of draws for all columns.
    """
    source = information.source
    n_times = len(source.samples_at_risk.event_times.n_events)
    order = _affordable_part(order, n_times * int(source.arities.sum()), MAX_CELLS_DRAWN)
    return _band_of_columns(information, names, order, random_state)


def _band_of_common_effect(counted_table: CountedTable, order: Columns, random_state: int) -> NullBand:
    """Shuffle every column by itself, among the rows of equal strata and codes of the columns chosen before."""
    information = counted_table.estimated("plug-in", COMMON)
    source = information.source
    order = _affordable_part(order, CODES_PER_SAMPLE * source.n_samples * source.n_features, MAX_VALUES_COUNTED)
    return _band_of_columns(information, counted_table.table.names, order, random_state)


def _band_of_columns(information: Information, names: Sequence[str], order: Columns, random_state: int) -> NullBand:
    """Shuffle each column that is left by itself, or draw the events for it alone, and take the largest bits."""
    source = information.source
    bits = np.zeros(len(order))
    largest_by_chance = np.zeros((len(order), N_SHUFFLES))
    conditional = information.plug_in_conditional()
    for n_chosen, column in enumerate(order.tolist()):
        candidates = np.setdiff1d(np.arange(source.n_features), order[:n_chosen])
        bits[n_chosen] = conditional.conditional_relevance(np.array([column]))[0]
        bits_by_chance = np.zeros((len(candidates), N_SHUFFLES))
        for i, candidate in enumerate(candidates.tolist()):
            random = np.random.default_rng([random_state, n_chosen, candidate])
            seeds = random.integers(0, 2**64, N_SHUFFLES, dtype=np.uint64)
            bits_by_chance[i] = conditional.shuffled_relevance(candidate, seeds)
        largest_by_chance[n_chosen] = bits_by_chance.max(axis=0)
        conditional = conditional.refine(column)
    return _band(names, order, bits, largest_by_chance)


def _affordable_part(order: Columns, cost_of_shuffle: int, limit: int) -> Columns:
    """The first columns of a choice, as many as can be shuffled within a limit, at least one.

    ``cost_of_shuffle`` is that of one shuffle of all columns, in the unit of ``limit``.
    """
    n_affordable = limit // (N_SHUFFLES * cost_of_shuffle)
    return order[: max(1, n_affordable)]


def _band(names: Sequence[str], order: Columns, bits: Floats, largest_by_chance: Floats) -> NullBand:
    """The limits of ``largest_by_chance``, which has a row for each column of ``order`` and a column for each draw."""
    low, high = np.quantile(largest_by_chance, [0.05, 0.95], axis=1)
    return NullBand([names[column] for column in order], bits, low, high)
