"""The tree of Chow and Liu of the columns of a table: which columns depend on which directly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bitsieve.common.arrays import Columns, Floats, Integers
from bitsieve.common.messages import ParameterError, aligned
from bitsieve.common.papers import cites
from bitsieve.common.parameters import check_flag, check_number
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.search import joint_codes
from bitsieve.counts.source import coded
from bitsieve.counts.tables import ContingencyTable, entropy_terms
from bitsieve.data.binning.registry import binning_with, make_binner
from bitsieve.information import Information
from bitsieve.information.evidence import log_tails
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.methods.by_counts.dependent.forest import LEVEL, Forest, spanning_forest
from bitsieve.methods.by_counts.dependent.model import TreeModel
from bitsieve.selection.figures import BLUE, drawing
from bitsieve.selection.information import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_SHOWN = 20
MOST_NAMED = 60


class TreeCheck(NamedTuple):
    """How well a tree describes its columns.

    ``gain``: bits a row by which a tree learned on half of the rows describes the other half better than independent
    columns do. Every column is tested, given its neighbours, with the column without an edge to it that shares most
    information with it: ``pair`` has the smallest p, ``bits`` is its conditional information, and ``p`` is corrected
    for all pairs, more than are tested: it is conservative, so a small p is evidence against the tree, and a large one
    none for it.
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
        return [[self.names[j] for j in found.tolist()] for found in self.forest.neighbours]

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
            raise ValueError("a check of the tree needs the codes of every row in memory: give a table in memory")
        if source.n_samples < 2:
            raise ValueError("a check of the tree needs at least two rows, one for each half: there is one")
        codes = np.stack([source.codes(column) for column in range(source.n_features)]).astype(np.int64)
        first, second = np.array_split(np.random.default_rng(random_state).permutation(source.n_samples), 2)
        half = PlugInInformation(PackedSource(codes[:, first].T, n_jobs=source.n_jobs))
        tree, apart = (
            TreeModel(codes[:, first], source.arities, forest).log_likelihood(codes[:, second])
            for forest in (self.learn(half), Forest(len(codes), np.empty((0, 2), np.intp), np.empty(0)))
        )
        matrix = np.asarray(self.information.matrix("redundancy"), np.float64)
        np.fill_diagonal(matrix, -np.inf)
        matrix[tuple(np.concatenate([self.edges, self.edges[:, ::-1]]).T)] = -np.inf
        pairs = [(i, int(row.argmax())) for i, row in enumerate(matrix) if row.max() > -np.inf]
        found, bits, p = ("", ""), 0.0, 1.0
        if pairs:
            tables = [self._given_neighbours(codes, i, j) for i, j in pairs]
            log_p = log_tails(tables)
            worst = int(log_p.argmin())
            found, bits = (self.names[pairs[worst][0]], self.names[pairs[worst][1]]), _bits(tables[worst])
            p = min(1.0, exp(log_p[worst]) * len(codes) * (len(codes) - 1) / 2)
        return TreeCheck((tree - apart) / len(second), found, bits, p)

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
        depth, place = np.zeros((2, n))
        with drawing(ax, (6.6, max(2.0, 0.16 * min(n, MOST_NAMED)))) as ax:
            for height, (column, parent) in enumerate(self.forest.parents):
                place[column], depth[column] = height, depth[parent] + 1 if parent >= 0 else 0
                if n <= MOST_NAMED:
                    ax.text(depth[column], height, f" {self.names[column]}", fontsize=7, va="center")
            for edge, bits in zip(self.edges, self.bits, strict=True):
                ax.plot(depth[edge], place[edge], color=BLUE, linewidth=0.5 + 3 * bits / most_bits)
            ax.set_xlabel("edges from the first column of the tree")
            ax.set_yticks([])
            ax.invert_yaxis()
        return ax


def _bits(table: ContingencyTable) -> float:
    """The information of the second code and the class, given the first code."""
    full = table.dense()
    terms = entropy_terms(int(full.sum()))
    all_four, no_class, no_code, neither = (terms.sum(full.sum(axis=some).ravel()) for some in ((), 2, 1, (1, 2)))
    return (all_four - no_class - no_code + neither) / terms.per_bit


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
    if make_binner(binning_with(binning, missing, n_jobs)).requires == "classes":
        advice = "give 'quantile', 'uniform', 'none' or a binner that looks at no target"
        raise ParameterError("binning", binning, advice, "cuts by a target, and a tree of the columns has none")
    table, information = counted(X, None, sample_weight, (binning, missing), "plug-in", n_jobs, by_class=False)
    names = list(map(str, table.names))
    block = None if blocks is None else _numbered(blocks, len(names))
    learn = partial(spanning_forest, blocks=block, chain=chain, level=level)
    return tree_of(names, information, learn)


def _numbered(blocks: Sequence[Any], n_columns: int) -> Columns:
    """Equal labels have equal numbers."""
    try:
        blocks = list(blocks)
        number = {label: place for place, label in enumerate(blocks)}
    except TypeError:
        raise ValueError("blocks are labels, one a column: give a list such as ['a', 'a', 'b']") from None
    if len(blocks) != n_columns:
        raise ValueError(f"blocks has {len(blocks):,} values for {n_columns:,} columns: give one a column")
    return np.array([number[label] for label in blocks], np.intp)


def tree_of(names: list[str], information: Information, learn: Callable[[Information], Forest]) -> ChowLiuTree:
    """The tree of counts, with its likelihood."""
    forest, n = learn(information), information.source.n_samples
    alone = -n * float(information.entropy.sum())
    likelihood = alone + n * float(forest.bits.sum())
    return ChowLiuTree(names, forest.edges, forest.bits, likelihood, alone, forest, learn, information)
