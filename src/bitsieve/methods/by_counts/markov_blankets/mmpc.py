"""Max-min parents and children: the columns that no set of the others separates from the target.

I. Tsamardinos, L. E. Brown, C. F. Aliferis, "The max-min hill-climbing Bayesian network structure learning algorithm",
Machine Learning 65, 2006, pp. 31-78.
"""

from __future__ import annotations

from bitsieve.information.independence import TestResult
from bitsieve.methods.by_counts.markov_blankets.local import Neighbours, dependent_alone, remove_separated
from bitsieve.methods.by_counts.markov_blankets.search import RELATIVE_TIE, Ranked, Search, strongest


def mmpc(search: Search) -> Neighbours:
    """The neighbours by MMPC.

    The next to enter is the column whose largest p over all subsets of the members is the smallest. Only subsets that
    contain the last member are new.
    """
    neighbours = Neighbours()
    # By column that no subset separates so far: its test with the largest p.
    weakest: dict[int, TestResult] = dict(dependent_alone(search, neighbours.separating_sets))
    while weakest:
        best = strongest([Ranked(column, result) for column, result in weakest.items()])
        search.enter(best.variable, (), best.result)
        del weakest[best.variable]
        earlier_members = list(neighbours.members)
        neighbours.members.append(best.variable)
        for subset in search.subsets(earlier_members, with_all_of=[best.variable]):
            for column, result in search.test_each(list(weakest), subset):
                if not search.depends(result):
                    neighbours.separating_sets[column] = subset
                    del weakest[column]
                else:
                    weakest[column] = weaker(weakest[column], result)
    remove_separated(search, neighbours)
    return neighbours


def weaker(first: TestResult, second: TestResult) -> TestResult:
    """The test with the larger p; the first where they are equal."""
    tie = RELATIVE_TIE * max(1.0, abs(first.log_p))
    return second if second.log_p > first.log_p + tie else first
