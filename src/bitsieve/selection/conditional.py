"""p of every column: whether the class depends on it given all the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bitsieve.common.arrays import Columns, Floats
from bitsieve.common.messages import ParameterError, aligned, quoted
from bitsieve.methods.by_counts.dependent.forest import spanning_forest
from bitsieve.methods.by_counts.stopping.dependent import ConditionalStopping
from bitsieve.selection.chow_liu import MOST_SHOWN, ChowLiuTree, tree_of
from bitsieve.selection.information import counted, required


class ConditionalTest(NamedTuple):
    """p of "the class does not depend on the column given all others" of every column of a table.

    Attributes
    ----------
    names : list of str
        The columns.
    p, adjusted : ndarray of shape (n_features,)
        As they are, and corrected for all columns: the least level at which each is taken.
    level : float
    tree : ChowLiuTree
        Every column is tested given its neighbours there.
    notes : list of str
        What could not be tested.

    Examples
    --------
    >>> import bitsieve
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10, [0, 0, 1, 1] * 10
    >>> test = bitsieve.conditional_test(X, y, binning="none")
    >>> test.selected.tolist(), bool(test.p[1] > 0.1)
    ([0], True)
    """

    names: list[str]
    p: Floats
    adjusted: Floats
    level: float
    tree: ChowLiuTree
    notes: list[str]

    @property
    def selected(self) -> Columns:
        """The columns whose corrected p is at most the level, by p."""
        order = np.argsort(self.p, kind="stable")
        return order[self.adjusted[order] <= self.level]

    def __str__(self) -> str:
        rows = [
            (self.names[j], f"{self.p[j]:.3g}", f"{self.adjusted[j]:.3g}", quoted(self.tree.neighbours[j]) or "-")
            for j in np.argsort(self.p, kind="stable")[:MOST_SHOWN].tolist()
        ]
        found = f"{len(self.selected):,} of {len(self.names):,} columns are relevant given all others at level"
        table = aligned(("column", "p", "adjusted p", "given"), rows, right=(False, True, True, False))
        return "\n".join([table, "", f"{found} {self.level:g}, as far as the tree describes them", *self.notes])


def conditional_test(
    X: Any,
    y: Any,
    *,
    tree: ChowLiuTree | None = None,
    level: float = 0.1,
    adjust: str = "benjamini-hochberg",
    random_state: int = 0,
    sample_weight: Any = None,
    binning: Any = "quantile",
    missing: str | None = None,
    n_jobs: int | None = None,
) -> ConditionalTest:
    """Test of every column whether the class depends on it given all others; see :class:`ConditionalStopping`.

    Parameters
    ----------
    X : array-like, dataframe, pyarrow Table or scipy.sparse of shape (n_samples, n_features), or path or stream
    y : array-like of shape (n_samples,)
        Classes, or a quantity, which is cut into classes of equal frequency: see :func:`bitsieve.select`.
    tree : ChowLiuTree, optional
        Of the same columns, known or learned on other rows: p is exact where it is true. By default it is learned on
        these rows, without a look at y.
    level, adjust, random_state
        As in :class:`bitsieve.ConditionalStopping`.
    sample_weight, binning, missing, n_jobs
        As in :func:`bitsieve.mutual_information`.

    Returns
    -------
    ConditionalTest
        ``print`` shows it as a table. p is 1, with a note, of columns that their neighbours determine.

    Raises
    ------
    ValueError
        If a parameter is not allowed, the tree has other columns, or y has one class.

    Examples
    --------
    A copy of the column that the class follows is relevant, but not given the other one.

    >>> import bitsieve
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> x = random.integers(0, 3, (3, 400))
    >>> copy = np.where(random.random(400) < 0.8, x[0], x[1])
    >>> y = (x[0] + random.normal(size=400) > 1).astype(int)
    >>> test = bitsieve.conditional_test(np.column_stack([x[0], copy, x[2]]), y, binning="none")
    >>> test.selected.tolist(), test.tree.edges.tolist()
    ([0], [[0, 1]])
    """
    rule = ConditionalStopping(level, adjust, random_state)
    if not (tree is None or isinstance(tree, ChowLiuTree)):
        raise ParameterError("tree", tree, "give what bitsieve.chow_liu_tree returns")
    table, information = counted(X, required(y), sample_weight, (binning, missing), "plug-in", n_jobs)
    table.target.check_varies()
    names = list(map(str, table.names))
    if tree is None:
        tree = tree_of(names, information, spanning_forest)
    elif tree.names != names:
        theirs, ours = (f"{len(some):,} columns ({quoted(some, 3)})" for some in (tree.names, names))
        raise ValueError(f"the tree has {theirs}, X has {ours}: learn the tree from the same columns in the same order")
    p, adjusted, untested = rule.test(information, tree.forest, np.arange(len(names)))
    listed = quoted([names[j] for j in untested], 3)
    note = f"p = 1 where the strata leave nothing to permute, {len(untested):,} of the columns: {listed}"
    return ConditionalTest(names, p, adjusted, rule.level, tree, [note] if len(untested) else [])
