"""How much is left to gain: bounds on the error that the best possible classifier has on the features chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.progress import phase
from bitsieve.counts.blocks import run_blocks
from bitsieve.evaluation.encoding import encode_features
from bitsieve.methods.by_samples.spanning_tree.bayes_error import global_bounds

if TYPE_CHECKING:
    from bitsieve.evaluation.comparison import Comparison
    from bitsieve.evaluation.plan import Plan


def with_bounds(plan: Plan, comparison: Comparison, n_jobs: int | None = None) -> Comparison:
    """The comparison with the bounds on the Bayes error of every method's features, as many as chosen for it.

    They are estimated in every fold from the samples learned from, as the classifier gets them, by one spanning tree,
    and averaged over the folds by their numbers of test samples.
    """
    chosen = [comparison.chosen(method).n_features for method in comparison.methods]
    found = np.empty((len(chosen), len(plan.folds), 2))

    def work(place: tuple[int, int]) -> None:
        method, number = place
        fold = plan.folds[number]
        learned_from = np.arange(plan.table.n_samples) if plan.protocol == "paper" else fold.train
        features = comparison.selected[method][number][: chosen[method]]
        points = encode_features(plan.table, features, learned_from, centred=plan.centred).values[fold.train]
        found[place] = global_bounds(points, plan.target.codes[fold.train], plan.target.n_classes)

    run_blocks(work, list(np.ndindex(found.shape[:2])), n_jobs, phase("bounding the Bayes error"))
    return replace(comparison, bayes_error_bounds=np.average(found, axis=1, weights=comparison.n_test))
