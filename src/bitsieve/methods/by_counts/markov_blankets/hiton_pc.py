"""Semi-interleaved HITON-PC: columns by p of their test with the target alone, each tested when its turn comes.

C. F. Aliferis, A. Statnikov, I. Tsamardinos, S. Mani, X. D. Koutsoukos, "Local causal and Markov blanket induction for
causal discovery and feature selection for classification, part I", Journal of Machine Learning Research 11, 2010,
pp. 171-234.
"""

from __future__ import annotations

from bitsieve.methods.by_counts.markov_blankets.local import Neighbours, dependent_alone, remove_separated
from bitsieve.methods.by_counts.markov_blankets.search import Search


def hiton_pc(search: Search) -> Neighbours:
    """The neighbours by HITON-PC: a column enters unless a subset of the members separates it from the target."""
    neighbours = Neighbours()
    for column, result in dependent_alone(search, neighbours.separating_sets):
        separating_set = search.separating_set(column, neighbours.members, min_size=1)
        if separating_set is None:
            search.enter(column, (), result)
            neighbours.members.append(column)
        else:
            neighbours.separating_sets[column] = separating_set
    remove_separated(search, neighbours)
    return neighbours
