"""The selected features as a table: by columns, and printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bitsieve.information.protocol import BITS_PER_EVENT
from bitsieve.pipeline.selected_tests import InformativeState
from bitsieve.results.saved.schema import SavedRankTest, SavedRole, SavedStopping, SavedStrata
from bitsieve.utils.arrays import Columns, Flags, Floats, Values
from bitsieve.utils.terminal_text import aligned, number, p_of_logarithm
from bitsieve.utils.types import Label

LEAST_LEVEL = "least level"
NEIGHBOURS = "neighbours in the tree"
RANK_STATISTIC = "rank statistic"
RANK_P = "p of ranks"
P = "p"
ROLE = "role"
VIA = "via"
INTERCHANGEABLE = "interchangeable"
INFORMATIVE = "informative"
TEXT_COLUMNS = ("feature", "overlaps most with", NEIGHBOURS, ROLE, VIA, INTERCHANGEABLE, INFORMATIVE)
MEANING_OF_LEAST_LEVEL = (
    f"{LEAST_LEVEL}: the smallest level (a corrected p, or a share of false features) at which a feature is taken"
)
STATES_IN_DOUBT = {"not shown", "not tested", "with others"}  # if there is one, the printed table has the states


class Ranking(NamedTuple):
    """The selected features, best first. The fields of :class:`bitsieve.Selection` of these names say what they are."""

    features: list[Label]
    indices: Columns
    scores: Floats
    relevance: Floats
    overlap_with: list[Label]
    overlap: Floats
    informative: Flags
    informative_state: list[InformativeState]
    score_unit: str
    stopping: SavedStopping | None
    rank_tests: Sequence[SavedRankTest | None]
    log_p: Sequence[float | None]
    roles: Sequence[SavedRole | None]
    interchangeable: Sequence[tuple[str, ...]]
    strata: SavedStrata | None = None

    def columns(self) -> dict[str, Values | list[Any]]:
        """The columns of the table by name, as a frame takes them."""
        return {
            "rank": np.arange(1, len(self.features) + 1),
            "feature": self.features,
            "index": np.asarray(self.indices),
            "score": np.asarray(self.scores),
            "relevance": np.asarray(self.relevance),
            **self.without_strata(),
            "overlap_with": self.overlap_with,
            "overlap": np.asarray(self.overlap),
            "informative": np.asarray(self.informative),
            "informative_state": self.informative_state,
            **self.levels(),
            **self.rank_results(),
            **self.p_of_members(),
            **self.blanket_members(),
        }

    @property
    def rule_with_rate(self) -> SavedStopping | None:
        """The stopping rule that ended the selection, if it has an error rate."""
        if self.stopping is None or self.stopping.conclusion is None:
            return None
        return self.stopping

    def levels(self) -> dict[str, Floats | list[str]]:
        """The least level at which a stopping rule takes each feature, and the neighbours of each in the rule's tree.

        Empty unless a rule with an error rate ended the selection; without "neighbours" if the rule has no tree.
        """
        rule = self.rule_with_rate
        if rule is None:
            return {}
        levels: dict[str, Floats | list[str]] = {"least_level": np.array(rule.values)}
        if rule.neighbours is not None:
            levels["neighbours"] = _joined(rule.neighbours)
        return levels

    def without_strata(self) -> dict[str, Floats]:
        """The relevance of each feature in all rows, and the bits that differ between the strata.

        Empty without strata; without "heterogeneity" where nothing can differ, as in matched pairs.
        """
        if self.strata is None:
            return {}
        results = {"relevance_pooled": np.array(self.strata.relevance_pooled)}
        if self.strata.heterogeneity is not None:
            results["heterogeneity"] = np.array(self.strata.heterogeneity)
        return results

    def rank_results(self) -> dict[str, Floats]:
        """The statistic and the p of the test that ranks each feature without a cut, NaN for others.

        Empty where no feature is without a cut.
        """
        if not any(self.rank_tests):
            return {}
        return {
            "rank_statistic": np.array([np.nan if test is None else test.statistic for test in self.rank_tests]),
            "rank_p": np.array([np.nan if test is None else test.p for test in self.rank_tests]),
        }

    def p_of_members(self) -> dict[str, Floats]:
        """The p of the test that keeps each feature in a Markov blanket. Empty for other methods."""
        if not self.log_p or None in self.log_p:
            return {}
        return {P: np.exp(np.array(self.log_p, np.float64))}

    def blanket_members(self) -> dict[str, list[str]]:
        """The role of each feature in a Markov blanket, the columns via which it has this role, and its equivalents.

        Without what was not searched for; empty for other methods.
        """
        texts: dict[str, list[str]] = {}
        if any(self.roles):
            texts[ROLE] = ["" if role is None else role.name for role in self.roles]
            texts[VIA] = ["" if role is None else ", ".join(role.via) for role in self.roles]
        if any(self.interchangeable):
            texts[INTERCHANGEABLE] = _joined(self.interchangeable)
        return texts

    def printed_levels(self) -> dict[str, list[str]]:
        """The cells of the printed columns of :meth:`levels`, by header; empty if there are none."""
        rule = self.rule_with_rate
        if rule is None:
            return {}
        columns = {LEAST_LEVEL: [f"{level:.3g}" for level in rule.values]}
        if rule.neighbours is not None:
            columns[NEIGHBOURS] = [neighbours or "-" for neighbours in _joined(rule.neighbours)]
        return columns

    def printed_columns(self) -> dict[str, list[str]]:
        """The cells of the printed table, by the header of their column."""
        columns = {
            "rank": [str(rank) for rank in range(1, len(self.features) + 1)],
            "feature": [str(name) for name in self.features],
            f"score ({self.score_unit})": _numbers(self.scores),
        }
        unit_of_relevance = BITS_PER_EVENT if self.score_unit == BITS_PER_EVENT else "bits"
        columns[f"relevance ({unit_of_relevance})"] = _numbers(self.relevance)
        without_strata = self.without_strata()
        if "relevance_pooled" in without_strata:
            columns["pooled (bits)"] = _numbers(without_strata["relevance_pooled"])
        if "heterogeneity" in without_strata:
            columns["heterogeneity (bits)"] = _numbers(without_strata["heterogeneity"])
        columns["overlaps most with"] = ["-" if name is None else str(name) for name in self.overlap_with]
        columns["overlap (bits)"] = _numbers(self.overlap)
        columns.update(self.printed_levels())
        rank_results = self.rank_results()
        if rank_results:
            columns[RANK_STATISTIC] = _numbers(rank_results["rank_statistic"])
            columns[RANK_P] = ["-" if np.isnan(p) else f"{p:.2g}" for p in rank_results["rank_p"]]
        if self.p_of_members():
            columns[P] = [p_of_logarithm(log_p) for log_p in self.log_p if log_p is not None]
        for header, texts in self.blanket_members().items():
            columns[header] = [text or "-" for text in texts]
        states = set(self.informative_state)
        if states & STATES_IN_DOUBT and states != {"not tested"}:
            columns[INFORMATIVE] = list(self.informative_state)
        return columns

    def printed(self) -> tuple[list[str], list[tuple[str, ...]]]:
        """The header and the rows of the printed table."""
        columns = self.printed_columns()
        return list(columns), list(zip(*columns.values(), strict=True))

    def text(self) -> str:
        """The printed table, aligned, with what the levels mean."""
        header, rows = self.printed()
        table = aligned(header, rows, right=[name not in TEXT_COLUMNS for name in header])
        return f"{table}\n{MEANING_OF_LEAST_LEVEL}" if LEAST_LEVEL in header else table


def _joined(lists_of_names: Sequence[Sequence[str]]) -> list[str]:
    return [", ".join(names) for names in lists_of_names]


def _numbers(values: Floats) -> list[str]:
    return [number(value) for value in values]
