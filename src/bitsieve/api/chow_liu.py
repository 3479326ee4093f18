"""The tree of Chow and Liu of the columns of a table, and a test of every column given its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import exp
from typing import Any, NamedTuple

import numpy as np

from bitsieve.api.information import counted, required
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.search import joint_codes
from bitsieve.counts.source import coded
from bitsieve.counts.tables import ContingencyTable, entropy_terms
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.discretization.registry import binning_with, make_binner
from bitsieve.information.evidence import log_tails
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.dependent.forest import LEVEL, Forest, TreeModel, spanning_forest
from bitsieve.methods.by_counts.stopping.conditional import ConditionalStopping
from bitsieve.pipeline import notes
from bitsieve.plots.figures import BLUE, Axes, drawing
from bitsieve.utils.arrays import Columns, Floats, Integers
from bitsieve.utils.docstrings import cites
from bitsieve.utils.messages import aligned, quoted
from bitsieve.utils.parameters import check_flag, check_number

MOST_SHOWN = 20
MOST_NAMED = 60


class TreeCheck(NamedTuple):
    """How well a tree describes its columns.

    ``gain``: bits a row by which a tree learned on half of the rows describes the other half better than independent
    columns do. Every column is tested, given its neighbours, with the column without an edge to it that shares most
    information with it: ``pair`` has the smallest p, ``bits`` is its conditional information, ``p`` is corrected for
    all pairs, and conservative.
    """

    gain: float
    pair: tuple[str, str]
    bits: float
    p: float


@dataclass(frozen=True)
class ChowLiuTree:
    """The tree of the columns, or the trees where parts of them show no dependence on each other.

    Attributes
    ----------
    names : list of str
        The columns.
    edges : ndarray of int, shape (m, 2)
        Columns, the lower first, ascending.
    bits : ndarray of shape (m,)
        I(Xi;Xj) of every edge.
    log_likelihood, independent : float
        log2 of the largest likelihood of the table under the tree, and under independent columns.
    forest : Forest
        The edges, as the tests take them.
    learn : callable
        Makes the tree of other counts.
    information : Information
        The counts of the columns.

    Examples
    --------
    >>> import bitsieve
    >>> tree = bitsieve.chow_liu_tree([[0, 0, 1], [1, 1, 1], [2, 2, 0], [0, 0, 0]] * 10, binning="none")
    >>> tree.neighbours
    [['x1', 'x2'], ['x0'], ['x0']]
    """

    names: list[str]
    edges: Columns
    bits: Floats
    log_likelihood: float
    independent: float
    forest: Forest = field(repr=False)
    learn: Callable[[Information], Forest] = field(repr=False)
    information: Information = field(repr=False)

    @property
    def neighbours(self) -> list[list[str]]:
        """The columns that share an edge with each column."""
        return [[self.names[j] for j in columns.tolist()] for columns in self.forest.neighbours]

    def __str__(self) -> str:
        order = np.argsort(-self.bits, kind="stable")[:MOST_SHOWN]
        rows = [(self.names[i], self.names[j], f"{self.bits[k]:.4f}") for k in order for i, j in [self.edges[k]]]
        table = aligned(("column", "neighbour", "I (bits)"), rows, right=(False, False, True))
        gain = (self.log_likelihood - self.independent) / self.information.source.n_samples
        more = f", the largest {MOST_SHOWN} shown" if len(self.edges) > MOST_SHOWN else ""
        counts = f"{len(self.names):,} columns, {len(self.edges):,} edges{more}"
        return f"{table}\n\n{counts}; {gain:.4f} bits a row above independence"

    def check(self, random_state: int = 0) -> TreeCheck:
        """Measure how well the tree describes the columns.

        Parameters
        ----------
        random_state : int, default=0
            Of the halves of the rows.

        Returns
        -------
        TreeCheck
            ``gain``, ``pair``, ``bits`` and ``p``. Copies of a row, as frequency weights make them, may be in both
            halves and raise the gain.

        Raises
        ------
        ValueError
            If the rows are not in memory, or there is one only.

        Notes
        -----
        Cost: all pairs of columns twice, and a table of every column with another one given its neighbours.
        """
        source = coded(self.information.source)
        if source is None:
            raise UserError(
                code="rows-not-in-memory",
                message="a check of the tree needs the codes of every row in memory",
                advice="give a table in memory",
            )
        if source.n_samples < 2:
            raise UserError(
                code="too-few-rows",
                message="a check of the tree needs at least two rows, one for each half",
                advice="there is one",
            )
        codes = np.stack([source.codes(column) for column in range(source.n_features)]).astype(np.int64)
        first, second = np.array_split(np.random.default_rng(random_state).permutation(source.n_samples), 2)
        half = PlugInInformation(PackedSource(codes[:, first].T, n_jobs=source.n_jobs))
        tree_likelihood, independent_likelihood = (
            TreeModel(codes[:, first], source.arities, forest).log_likelihood(codes[:, second])
            for forest in (self.learn(half), Forest(len(codes), np.empty((0, 2), np.intp), np.empty(0)))
        )
        matrix = np.asarray(self.information.matrix("redundancy"), np.float64)
        np.fill_diagonal(matrix, -np.inf)
        matrix[tuple(np.concatenate([self.edges, self.edges[:, ::-1]]).T)] = -np.inf
        pairs = [(i, int(row.argmax())) for i, row in enumerate(matrix) if row.max() > -np.inf]
        worst_pair, bits, p = ("", ""), 0.0, 1.0
        if pairs:
            tables = [self._given_neighbours(codes, i, j) for i, j in pairs]
            log_p = log_tails(tables)
            worst = int(log_p.argmin())
            worst_pair, bits = (self.names[pairs[worst][0]], self.names[pairs[worst][1]]), _bits(tables[worst])
            p = min(1.0, exp(log_p[worst]) * len(codes) * (len(codes) - 1) / 2)
        return TreeCheck((tree_likelihood - independent_likelihood) / len(second), worst_pair, bits, p)

    def _given_neighbours(self, codes: Integers, i: int, j: int) -> ContingencyTable:
        parts = joint_codes([codes[k] for k in self.forest.neighbours[i]], codes.shape[1])
        shape = int(parts.max()) + 1, int(codes[j].max()) + 1, int(codes[i].max()) + 1
        return ContingencyTable.of_samples(shape, (parts * shape[1] + codes[j]) * shape[2] + codes[i])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the tree: a column a line, its distance from the root to the right; thick edges share more bits.

        Parameters
        ----------
        ax : Axes, optional
            A new figure otherwise.

        Returns
        -------
        Axes
        """
        n, most_bits = len(self.names), self.bits.max(initial=0.0) or 1.0
        depth, line = np.zeros((2, n))
        with drawing(ax, (6.6, max(2.0, 0.16 * min(n, MOST_NAMED)))) as ax:
            for height, (column, parent) in enumerate(self.forest.parents):
                line[column], depth[column] = height, depth[parent] + 1 if parent >= 0 else 0
                if n <= MOST_NAMED:
                    ax.text(depth[column], height, f" {self.names[column]}", fontsize=7, va="center")
            for edge, bits in zip(self.edges, self.bits, strict=True):
                ax.plot(depth[edge], line[edge], color=BLUE, linewidth=0.5 + 3 * bits / most_bits)
            ax.set_xlabel("edges from the first column of the tree")
            ax.set_yticks([])
            ax.invert_yaxis()
        return ax


def _bits(table: ContingencyTable) -> float:
    """The information of the second code and the class, given the first code."""
    counts = table.dense()
    entropies = entropy_terms(int(counts.sum()))
    all_four, no_class, no_code, neither = (entropies.sum(counts.sum(axis=axes).ravel()) for axes in ((), 2, 1, (1, 2)))
    return (all_four - no_class - no_code + neither) / entropies.per_bit


@cites("Chow, Liu 1968")
def chow_liu_tree(
    X: Any,
    *,
    chain: bool = False,
    blocks: Sequence[Any] | None = None,
    level: float = LEVEL,
    sample_weight: Any = None,
    binning: Any = "quantile",
    missing: str | None = None,
    n_jobs: int | None = None,
) -> ChowLiuTree:
    """The tree of the columns under which the table has the largest likelihood.

    It is the spanning tree of largest sum of I(Xi;Xj) (Chow and Liu), of pairs that depend on each other more than by
    chance. Ties: the lower pair of columns. Missing values, where the binner keeps them, are a code.

    Parameters
    ----------
    X : array-like, dataframe, pyarrow Table or scipy.sparse of shape (n_samples, n_features), or path or stream
    chain : bool, default=False
        Whether only columns that follow each other may share an edge, as along a genome or in time.
    blocks : sequence of length n_features, optional
        Only columns of the same block may share an edge.
    level : float, default=0.05
        Two columns may share an edge where p of the G-test of I(Xi;Xj) = 0, times the number of pairs, is at most this;
        1: any two may, so that there is one tree.
    sample_weight, binning, missing, n_jobs
        As in :func:`bitsieve.mutual_information_matrix`; "auto" and "mdl", which look at a target, are refused.

    Returns
    -------
    ChowLiuTree

    Raises
    ------
    ValueError
        If a parameter is not allowed or the binner refuses the columns.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits and n^2 numbers.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = bitsieve.chow_liu_tree(X, binning=bitsieve.EqualFrequencyBinner(n_bins=3))
    >>> tree.edges.tolist()
    [[0, 2], [1, 3], [2, 3]]
    """
    check_flag("chain", chain)
    check_number("level", level, 0, 1)
    if make_binner(binning_with(binning, n_jobs, missing=missing)).requires == "classes":
        advice = "give 'quantile', 'uniform', 'none' or a binner that looks at no target"
        raise ParameterError(
            "binning", binning, advice, "cuts by a target, and a tree of the columns has none", code="target-needed"
        )
    table, information = counted(X, None, sample_weight, (binning, missing), "plug-in", n_jobs, by_class=False)
    names = list(map(str, table.names))
    block = None if blocks is None else _numbered(blocks, len(names))
    learn = partial(spanning_forest, blocks=block, chain=chain, level=level)
    return tree_of(names, information, learn)


def _numbered(blocks: Sequence[Any], n_columns: int) -> Columns:
    """Equal labels have equal numbers."""
    try:
        blocks = list(blocks)
        number = {label: number_of_label for number_of_label, label in enumerate(blocks)}
    except TypeError:
        raise UserError(
            code="wrong-shape",
            message="blocks are labels, one a column",
            advice="give a list such as ['a', 'a', 'b']",
        ) from None
    if len(blocks) != n_columns:
        raise UserError(
            code="lengths-differ",
            message=f"blocks has {len(blocks):,} values for {n_columns:,} columns",
            advice="give one a column",
        )
    return np.array([number[label] for label in blocks], np.intp)


def tree_of(names: list[str], information: Information, learn: Callable[[Information], Forest]) -> ChowLiuTree:
    """The tree of counts, with its likelihood."""
    forest, n = learn(information), information.source.n_samples
    independent_likelihood = -n * float(information.entropy.sum())
    likelihood = independent_likelihood + n * float(forest.bits.sum())
    return ChowLiuTree(names, forest.edges, forest.bits, likelihood, independent_likelihood, forest, learn, information)


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
    diagnostics : list of Diagnostic
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
    diagnostics: list[Diagnostic]

    @property
    def notes(self) -> list[str]:
        """The texts of the diagnostics."""
        return [str(diagnostic) for diagnostic in self.diagnostics]

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
        summary = f"{len(self.selected):,} of {len(self.names):,} columns are relevant given all others at level"
        table = aligned(("column", "p", "adjusted p", "given"), rows, right=(False, True, True, False))
        return "\n".join([table, "", f"{summary} {self.level:g}, as far as the tree describes them", *self.notes])


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
        theirs, ours = (f"{len(columns):,} columns ({quoted(columns, 3)})" for columns in (tree.names, names))
        raise UserError(
            code="columns-differ",
            message=f"the tree has {theirs}, X has {ours}",
            advice="learn the tree from the same columns in the same order",
        )
    p, adjusted, untested = rule.test(information, tree.forest, np.arange(len(names)))
    diagnostics = [notes.untested([names[j] for j in untested.tolist()])] if len(untested) else []
    return ConditionalTest(names, p, adjusted, rule.level, tree, diagnostics)
