"""The tree of Chow and Liu of the columns of a table, and a test of every column given its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import exp
from typing import NamedTuple

import numpy as np

from bitsieve.api.information import count_columns, refuse_binning_by_target, require_target
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.search import joint_codes
from bitsieve.counts.source import CodedSource, coded
from bitsieve.counts.tables import ContingencyTable, make_entropy_terms
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.discretization.base import BinningLike
from bitsieve.information.log_tails import log_tails
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.dependent.forest import LEVEL, Forest, TreeModel, spanning_forest
from bitsieve.methods.by_counts.stopping.conditional import ConditionalStopping
from bitsieve.options import ReadOptions
from bitsieve.pipeline.notes import selection_notes
from bitsieve.plots.figures import BLUE, Axes, drawing
from bitsieve.utils.arrays import Columns, Floats, Integers
from bitsieve.utils.docstrings import cites
from bitsieve.utils.messages import quoted
from bitsieve.utils.parameters import check_flag, check_number
from bitsieve.utils.terminal_text import aligned
from bitsieve.utils.types import ColumnLike, TableLike

MAX_ROWS_PRINTED = 20
MAX_NAMES_DRAWN = 60


class TreeCheck(NamedTuple):
    """How well a tree describes its columns.

    A tree learned on half of the rows describes the other half; and each column is tested for dependence on a column
    that is no neighbour, given its neighbours. That column is the one that shares most information with it.
    """

    gain: float  # bits a row by which the tree describes the other half better than independent columns do
    pair: tuple[str, str]  # the two columns whose test has the smallest p; empty names if none was tested
    bits: float  # their conditional information
    p: float  # of their test, times the number of all pairs of columns, at most 1


@dataclass(frozen=True)
class ChowLiuTree:
    """The tree of the columns; several trees, if no column of one depends on a column of another.

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
        strongest_edges = np.argsort(-self.bits, kind="stable")[:MAX_ROWS_PRINTED]
        rows = []
        for edge in strongest_edges:
            i, j = self.edges[edge]
            rows.append((self.names[i], self.names[j], f"{self.bits[edge]:.4f}"))
        table = aligned(("column", "neighbour", "I (bits)"), rows, right=(False, False, True))
        gain = (self.log_likelihood - self.independent) / self.information.source.n_samples
        more = f", the largest {MAX_ROWS_PRINTED} shown" if len(self.edges) > MAX_ROWS_PRINTED else ""
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
        gain = self._gain_on_other_half(source, codes, random_state)
        pairs = self._strongest_pairs_without_edge()
        if not pairs:
            return TreeCheck(gain, ("", ""), 0.0, 1.0)
        tables = [self._table_given_neighbours(codes, i, j) for i, j in pairs]
        log_p = log_tails(tables)
        worst = int(log_p.argmin())
        i, j = pairs[worst]
        n_columns = len(codes)
        p = min(1.0, exp(log_p[worst]) * n_columns * (n_columns - 1) / 2)
        return TreeCheck(gain, (self.names[i], self.names[j]), _conditional_bits(tables[worst]), p)

    def _gain_on_other_half(self, source: CodedSource, codes: Integers, random_state: int) -> float:
        """Bits a row by which a tree learned on half of the rows describes the other half better than no edges do."""
        permutation = np.random.default_rng(random_state).permutation(source.n_samples)
        learned, described = np.array_split(permutation, 2)
        learned_codes = codes[:, learned]
        described_codes = codes[:, described]
        tree = self.learn(PlugInInformation(PackedSource(learned_codes.T, n_jobs=source.n_jobs)))
        no_edges = Forest(len(codes), np.empty((0, 2), np.intp), np.empty(0))
        tree_likelihood = TreeModel(learned_codes, source.arities, tree).log_likelihood(described_codes)
        independent_likelihood = TreeModel(learned_codes, source.arities, no_edges).log_likelihood(described_codes)
        return (tree_likelihood - independent_likelihood) / len(described)

    def _strongest_pairs_without_edge(self) -> list[tuple[int, int]]:
        """Each column with the column that shares most information with it and no edge, if there is one."""
        shared = np.asarray(self.information.matrix("redundancy"), np.float64)
        np.fill_diagonal(shared, -np.inf)
        for i, j in self.edges:
            shared[i, j] = -np.inf
            shared[j, i] = -np.inf
        return [(i, int(row.argmax())) for i, row in enumerate(shared) if row.max() > -np.inf]

    def _table_given_neighbours(self, codes: Integers, i: int, j: int) -> ContingencyTable:
        """Counts by the joint code of the neighbours of column i, the code of column j, and that of column i."""
        neighbours = joint_codes([codes[k] for k in self.forest.neighbours[i]], codes.shape[1])
        shape = int(neighbours.max()) + 1, int(codes[j].max()) + 1, int(codes[i].max()) + 1
        cells = (neighbours * shape[1] + codes[j]) * shape[2] + codes[i]
        return ContingencyTable.of_samples(shape, cells)

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
        n_columns = len(self.names)
        max_bits = self.bits.max(initial=0.0) or 1.0
        x = np.zeros(n_columns)
        y = np.zeros(n_columns)
        figure_height = max(2.0, 0.16 * min(n_columns, MAX_NAMES_DRAWN))
        with drawing(ax, (6.6, figure_height)) as ax:
            for line, (column, parent) in enumerate(self.forest.parents):  # a parent comes before its children
                y[column] = line
                if parent >= 0:
                    x[column] = x[parent] + 1
                if n_columns <= MAX_NAMES_DRAWN:
                    ax.text(x[column], line, f" {self.names[column]}", fontsize=7, va="center")
            for edge, bits in zip(self.edges, self.bits, strict=True):
                ax.plot(x[edge], y[edge], color=BLUE, linewidth=0.5 + 3 * bits / max_bits)
            ax.set_xlabel("edges from the first column of the tree")
            ax.set_yticks([])
            ax.invert_yaxis()
        return ax


def _conditional_bits(table: ContingencyTable) -> float:
    """``I(X;Y|Z)`` of a table with the axes Z, X and Y, in bits: ``(S_zxy - S_zx - S_zy + S_z) / B``."""
    counts = table.dense()
    entropy_terms = make_entropy_terms(int(counts.sum()))
    zxy = entropy_terms.sum(counts.ravel())
    zx = entropy_terms.sum(counts.sum(axis=2).ravel())
    zy = entropy_terms.sum(counts.sum(axis=1).ravel())
    z = entropy_terms.sum(counts.sum(axis=(1, 2)))
    return (zxy - zx - zy + z) / entropy_terms.per_bit


@cites("Chow, Liu 1968")
def chow_liu_tree(
    X: TableLike,
    *,
    chain: bool = False,
    blocks: Sequence[Hashable] | None = None,
    level: float = LEVEL,
    sample_weight: ColumnLike = None,
    binning: BinningLike = "quantile",
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
    refuse_binning_by_target(binning, missing, n_jobs, "a tree of the columns has none")
    read = ReadOptions(sample_weight=sample_weight)
    table, information = count_columns(X, read, binning, missing, "plug-in", n_jobs, by_class=False)
    names = list(map(str, table.names))
    block_of_column = None if blocks is None else _block_numbers(blocks, len(names))
    learn = partial(spanning_forest, blocks=block_of_column, chain=chain, level=level)
    return tree_of(names, information, learn)


def _block_numbers(blocks: Sequence[Hashable], n_columns: int) -> Columns:
    """A number for the block of every column, in place of its label."""
    try:
        labels = list(blocks)
        numbers = {label: number for number, label in enumerate(labels)}
    except TypeError:
        raise UserError(
            code="wrong-shape",
            message="blocks are labels, one a column",
            advice="give a list such as ['a', 'a', 'b']",
        ) from None
    if len(labels) != n_columns:
        raise UserError(
            code="lengths-differ",
            message=f"blocks has {len(labels):,} values for {n_columns:,} columns",
            advice="give one a column",
        )
    return np.array([numbers[label] for label in labels], np.intp)


def tree_of(names: list[str], information: Information, learn: Callable[[Information], Forest]) -> ChowLiuTree:
    """Learn the tree from counts, and measure its likelihood.

    In bits, ``log2 L = -N (sum_i H(Xi) - sum_edges I(Xi;Xj))``.
    """
    forest = learn(information)
    n_samples = information.source.n_samples
    independent_likelihood = -n_samples * float(information.entropy.sum())
    return ChowLiuTree(
        names=names,
        edges=forest.edges,
        bits=forest.bits,
        log_likelihood=independent_likelihood + n_samples * float(forest.bits.sum()),
        independent=independent_likelihood,
        forest=forest,
        learn=learn,
        information=information,
    )


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
        neighbours = self.tree.neighbours
        rows = []
        for j in np.argsort(self.p, kind="stable")[:MAX_ROWS_PRINTED].tolist():
            condition = quoted(neighbours[j]) or "-"
            rows.append((self.names[j], f"{self.p[j]:.3g}", f"{self.adjusted[j]:.3g}", condition))
        table = aligned(("column", "p", "adjusted p", "given"), rows, right=(False, True, True, False))
        summary = (
            f"{len(self.selected):,} of {len(self.names):,} columns are relevant given all others at level "
            f"{self.level:g}, as far as the tree describes them"
        )
        return "\n".join([table, "", summary, *self.notes])


def conditional_test(
    X: TableLike,
    y: ColumnLike,
    *,
    tree: ChowLiuTree | None = None,
    level: float = 0.1,
    adjust: str = "benjamini-hochberg",
    random_state: int = 0,
    sample_weight: ColumnLike = None,
    binning: BinningLike = "quantile",
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
    if tree is not None and not isinstance(tree, ChowLiuTree):
        raise ParameterError("tree", tree, "give what bitsieve.chow_liu_tree returns")
    read = ReadOptions(target=require_target(y), sample_weight=sample_weight)
    table, information = count_columns(X, read, binning, missing, "plug-in", n_jobs)
    table.target.check_varies()
    names = list(map(str, table.names))
    if tree is None:
        tree = tree_of(names, information, spanning_forest)
    elif tree.names != names:
        raise UserError(
            code="columns-differ",
            message=(
                f"the tree has {len(tree.names):,} columns ({quoted(tree.names, 3)}), X has {len(names):,} columns "
                f"({quoted(names, 3)})"
            ),
            advice="learn the tree from the same columns in the same order",
        )
    p, adjusted, untested = rule.test(information, tree.forest, np.arange(len(names)))
    diagnostics = [selection_notes.untested([names[j] for j in untested.tolist()])] if len(untested) else []
    return ConditionalTest(names, p, adjusted, rule.level, tree, diagnostics)
