"""The Markov blanket of the target of a table, and the blankets of all columns as a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import NamedTuple

import numpy as np

from bitsieve.api.information import count_columns, refuse_binning_by_target
from bitsieve.counts.source import conditioning
from bitsieve.discretization.base import BinningLike
from bitsieve.information.independence import RELIABLE_SAMPLES, IndependenceTests, TestOptions
from bitsieve.io.graphml import write_graphml
from bitsieve.methods.by_counts.markov_blankets.blanket import AUTO, Blanket, BlanketOptions, Role, find_blanket
from bitsieve.methods.by_counts.markov_blankets.methods import IAMB_FDR, check_shuffles
from bitsieve.methods.by_counts.markov_blankets.search import Search
from bitsieve.methods.by_counts.markov_blankets.spouses import AND
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.column_parameters import levels_by_variable
from bitsieve.pipeline.diagnose import diagnose
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.pipeline.way import run_selection
from bitsieve.plots.figures import Axes
from bitsieve.plots.graphs import draw_blanket, draw_network
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.frames import check_library, frame_of
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.terminal_text import aligned, p_of_logarithm
from bitsieve.utils.types import ColumnLike, DataFrame, Label, NameOrIndex, TableLike


@dataclass(frozen=True, kw_only=True, eq=False)
class MarkovBlanket:
    """The columns that matter given all others, in their roles.

    Attributes
    ----------
    target : str
    features : list, length k
        The members, by rising p given the other members.
    neighbours : list
        The members that are directly related to the target.
    spouses : dict of label to list
        The members that are related to the target only given other members, each with these other members.
    interchangeable : dict of label to list
        For each member, the columns that could stand in its place in the tests made. Empty but for "ses".
    separating_sets : dict of label to list
        For each column that has any, columns given which it is independent of the target. Empty but for
        algorithms over subsets ("mmpc", "hiton-pc", "mmmb", "hiton-mb", "ses").
    log_p : ndarray of float, shape (k,)
        ln p of every member given the others.
    bits : ndarray of float, shape (k,)
        Its information about the target given the others (plug-in).
    n_tests, n_unreliable : int
        How many different tests were made, and how many of them had fewer than five rows for every possible cell.
    n_not_executed : int
        How many of them had fewer than ``power``, so that their p counts as 1.
    diagnostics : Diagnostics
        What was noticed in the data.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> print(bitsieve.markov_blanket(X, y, algorithm="mmpc"))
    column           role       via         p    bits
    color_intensity  neighbour       4.43e-10  0.3346
    flavanoids       neighbour       4.76e-10  0.3586
    proline          neighbour       1.13e-08  0.2488
    <BLANKLINE>
    27 of 141 tests are unreliable, as they have fewer than 5 rows for every possible cell: take fewer bins or more rows
    """

    target: str
    features: list[Label]
    neighbours: list[Label]
    spouses: dict[Label, list[Label]]
    interchangeable: dict[Label, list[Label]]
    separating_sets: dict[Label, list[Label]]
    log_p: Floats
    bits: Floats
    n_tests: int
    n_unreliable: int
    n_not_executed: int
    diagnostics: Diagnostics

    def to_frame(self, library: str | None = None) -> DataFrame:
        """The members as a frame with the columns ``feature``, ``role``, ``via``, ``log_p`` and ``bits``.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            By default pandas, or pyarrow where that is not installed.

        Returns
        -------
        dataframe
        """
        return frame_of(
            {
                "feature": [str(feature) for feature in self.features],
                "role": [self._role(feature) for feature in self.features],
                "via": [self._via(feature) for feature in self.features],
                "log_p": self.log_p,
                "bits": self.bits,
            },
            check_library(library),
        )

    def _role(self, feature: Label) -> str:
        return "spouse" if feature in self.spouses else "neighbour"

    def _via(self, feature: Label) -> str:
        """The members that relate a spouse to the target; empty for a neighbour."""
        return ", ".join(map(str, self.spouses.get(feature, [])))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the target with lines to its neighbours, and dashed lines from spouses to the members they need.

        Needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.

        Returns
        -------
        matplotlib Axes
        """
        spouses = {str(spouse): list(map(str, via)) for spouse, via in self.spouses.items()}
        return draw_blanket(self.target, list(map(str, self.neighbours)), spouses, ax)

    def __str__(self) -> str:
        return "\n\n".join([self._table(), *_lines_on_tests(self)])

    def _table(self) -> str:
        if not self.features:
            return f"no column is related to {self.target!r} in these rows"
        rows = []
        for feature, log_p, bits in zip(self.features, self.log_p.tolist(), self.bits.tolist(), strict=True):
            p = p_of_logarithm(log_p)
            rows.append((str(feature), self._role(feature), self._via(feature), p, f"{bits:.4f}"))
        return aligned(("column", "role", "via", "p", "bits"), rows, right=(False, False, False, True, True))


def _lines_on_tests(result: MarkovBlanket | MarkovNetwork) -> list[str]:
    """Lines on the tests that had too few rows, for the printed result; none if all had enough."""
    lines = []
    if result.n_unreliable > 0:
        lines.append(
            f"{result.n_unreliable:,} of {result.n_tests:,} tests are unreliable, as they have fewer than "
            f"{RELIABLE_SAMPLES} rows for every possible cell: take fewer bins or more rows"
        )
    if result.n_not_executed > 0:
        lines.append(
            f"{result.n_not_executed:,} of {result.n_tests:,} tests were not executed, as they have fewer rows for "
            "every possible cell than power asks for: their p counts as 1"
        )
    return lines


@proposes_right_names
def markov_blanket(
    data: TableLike,
    target: ColumnLike = None,
    *,
    algorithm: str = "iamb-fdr",
    level: float = 0.05,
    max_conditioning: int | str | None = AUTO,
    symmetry: str | None = AND,
    n_extra_runs: int | None = 1,
    correction: str | None = None,
    test: str = "scaled",
    freedom: str = "adjusted",
    power: int = 0,
    p_by: str = "chi-squared",
    n_shuffles: int = 999,
    random_state: int = 0,
    levels: Mapping[NameOrIndex, int] | None = None,
    start: Sequence[NameOrIndex] = (),
    sample_weight: ColumnLike = None,
    exclude: Sequence[Label] = (),
    binning: BinningLike = BINNING,
    n_bins: int | None = None,
    missing: str | None = None,
    target_kind: str | None = None,
    n_jobs: int | None = None,
) -> MarkovBlanket:
    """Find the columns that matter given all others, and in which role; see :class:`MarkovBlanketSelector`.

    Parameters
    ----------
    data, target
        As for :func:`bitsieve.select`.
    algorithm, level, max_conditioning, symmetry, n_extra_runs, correction
        As for :class:`bitsieve.MarkovBlanketSelector`.
    test, freedom, power, p_by, n_shuffles, random_state, levels, start
        As for :class:`bitsieve.MarkovBlanketSelector`.
    sample_weight, exclude, binning, n_bins, missing, target_kind, n_jobs
        As for :func:`bitsieve.select`. By default numbers are cut into few bins of equal frequency.

    Returns
    -------
    MarkovBlanket
        ``print`` shows its members with their roles.

    Raises
    ------
    ValueError
        The data, the target or a parameter cannot be used.

    Notes
    -----
    Roles are found by the algorithm, or else by tests of every member given subsets of the others. A neighbour may be a
    cause or an effect: no test of independence tells which. Cost: see :class:`bitsieve.MarkovBlanketSelector`.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> bitsieve.markov_blanket(X, y).features
    ['color_intensity', 'flavanoids', 'proline']
    """
    read = ReadOptions(target=target, sample_weight=sample_weight, target_kind=target_kind, exclude=exclude)
    execution = ExecutionOptions(n_jobs=n_jobs)
    discretization = DiscretizationOptions(binning=binning, n_bins=n_bins, missing=missing)
    parameters = {
        "algorithm": algorithm,
        "level": level,
        "max_conditioning": max_conditioning,
        "symmetry": symmetry,
        "n_extra_runs": n_extra_runs,
        "correction": correction,
        "test": test,
        "freedom": freedom,
        "power": power,
        "p_by": p_by,
        "n_shuffles": n_shuffles,
        "random_state": random_state,
        "levels": levels,
        "start": start,
        "roles": True,
    }
    selection = SelectionOptions.by_name(IAMB_FDR.name, parameters, columns=ColumnOptions(exclude=exclude))
    fit = run_selection(data, read, execution, discretization, selection)
    blanket = _blanket_of(fit)
    blanket.diagnostics.warn()
    return blanket


def _blanket_of(fit: Fit) -> MarkovBlanket:
    """The blanket that a method has found, with the labels of the columns in place of their indices."""
    labels = fit.prepared.original.labels
    selected = fit.result.selected
    roles: dict[int, Role] = fit.fitted_attribute("roles_")
    neighbours = []
    spouses = {}
    for column in selected.tolist():
        if roles[column].name == "spouse":
            spouses[labels[column]] = [labels[j] for j in roles[column].via]
        else:
            neighbours.append(labels[column])
    interchangeable = {}
    for member, *substitutes in fit.fitted_attribute("signatures_"):
        interchangeable[labels[member]] = [labels[j] for j in substitutes]
    separating_sets = {}
    for column, separating_set in fit.fitted_attribute("separating_sets_").items():
        separating_sets[labels[column]] = [labels[j] for j in separating_set]
    return MarkovBlanket(
        target=fit.prepared.original.target.name,
        features=[labels[column] for column in selected],
        neighbours=neighbours,
        spouses=spouses,
        interchangeable=interchangeable,
        separating_sets=separating_sets,
        log_p=fit.fitted_attribute("log_p_")[selected],
        bits=fit.result.scores,
        n_tests=fit.fitted_attribute("n_tests_"),
        n_unreliable=fit.fitted_attribute("n_unreliable_"),
        n_not_executed=fit.fitted_attribute("n_not_executed_"),
        diagnostics=Diagnostics(diagnose(fit)),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class MarkovNetwork:
    """Which columns of a table matter for each other, given all others.

    Attributes
    ----------
    names : list of str
        The columns.
    blankets : list of list of int
        The blanket of every column, as its own search found it.
    edges : ndarray of int, shape (m, 2)
        Pairs of columns of which each is in the blanket of the other; the lower first, ascending.
    log_p : ndarray of float, shape (m,)
        The larger ln p of the two tests of a pair, each given the other members of the blanket.
    n_tests, n_unreliable : int
        How many different tests were made, and how many of them had fewer than five rows for every possible cell.
    n_not_executed : int
        How many of them had fewer than ``power``, so that their p counts as 1.

    Examples
    --------
    >>> import bitsieve
    >>> rows = [[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0]] * 10
    >>> bitsieve.markov_network(rows, binning="none").edges.tolist()
    [[0, 1]]
    """

    names: list[str]
    blankets: list[list[int]]
    edges: Columns
    log_p: Floats
    n_tests: int
    n_unreliable: int
    n_not_executed: int

    def to_frame(self, library: str | None = None) -> DataFrame:
        """The edges as a frame with the columns ``first``, ``second`` and ``log_p``.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            By default pandas, or pyarrow where that is not installed.

        Returns
        -------
        dataframe
        """
        return frame_of(
            {
                "first": [self.names[j] for j in self.edges[:, 0]],
                "second": [self.names[j] for j in self.edges[:, 1]],
                "log_p": self.log_p,
            },
            check_library(library),
        )

    def to_graphml(self, path: str | PathLike[str]) -> None:
        """Write the network as GraphML, which programs for graphs read.

        Nodes have the attribute ``name``, edges ``log_p``.

        Parameters
        ----------
        path : str or path-like
            A file that is there already is replaced.

        Returns
        -------
        None

        Raises
        ------
        ValueError
            The file cannot be written.
        """
        write_graphml(path, self.names, self.edges, "log_p", self.log_p)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the columns that have an edge on a circle, with a line for every edge. Needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.

        Returns
        -------
        matplotlib Axes
        """
        return draw_network(self.names, self.edges, ax)

    def __str__(self) -> str:
        rows = [
            (self.names[i], self.names[j], f"{log_p:.1f}")
            for (i, j), log_p in zip(self.edges.tolist(), self.log_p.tolist(), strict=True)
        ]
        table = aligned(("column", "column", "ln p"), rows, right=(False, False, True))
        size = f"{len(self.names):,} columns, {len(self.edges):,} edges"
        return "\n\n".join([table, size, *_lines_on_tests(self)])


@proposes_right_names
def markov_network(
    data: TableLike,
    *,
    algorithm: str = "iamb-fdr",
    level: float = 0.05,
    max_conditioning: int | str | None = AUTO,
    symmetry: str | None = AND,
    n_extra_runs: int | None = 1,
    correction: str | None = None,
    test: str = "scaled",
    freedom: str = "adjusted",
    power: int = 0,
    p_by: str = "chi-squared",
    n_shuffles: int = 999,
    random_state: int = 0,
    levels: Mapping[NameOrIndex, int] | None = None,
    sample_weight: ColumnLike = None,
    binning: BinningLike = "quantile",
    missing: str | None = None,
    n_jobs: int | None = None,
) -> MarkovNetwork:
    """Find the Markov blanket of every column, and the pairs of columns that are in each other's.

    With "mmpc" or "hiton-pc" the edges are those of the direct relations alone.

    Parameters
    ----------
    data : array-like, dataframe, pyarrow Table or scipy.sparse of shape (n_samples, n_features), or path or stream
    algorithm, level, max_conditioning, symmetry, n_extra_runs, correction
        As for :class:`bitsieve.MarkovBlanketSelector`.
    test, freedom, power, p_by, n_shuffles, random_state, levels
        As for :class:`bitsieve.MarkovBlanketSelector`.
    sample_weight, binning, missing, n_jobs
        As for :func:`bitsieve.mutual_information_matrix`; "auto" and "mdl", which look at a target, are refused.

    Returns
    -------
    MarkovNetwork
        ``to_frame`` has its edges.

    Raises
    ------
    ValueError
        If a parameter is not allowed or the binner refuses the columns.

    Notes
    -----
    Cost: a search from every column. A test of two columns given others is made once, whichever search needs it.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> network = bitsieve.markov_network(X, binning=bitsieve.EqualFrequencyBinner(n_bins=3))
    >>> network.edges.tolist()
    [[0, 2], [2, 3]]
    """
    IAMB_FDR.check_parameters(
        {
            "algorithm": algorithm,
            "level": level,
            "max_conditioning": max_conditioning,
            "symmetry": symmetry,
            "n_extra_runs": n_extra_runs,
            "correction": correction,
            "test": test,
            "freedom": freedom,
            "power": power,
            "p_by": p_by,
            "n_shuffles": n_shuffles,
            "random_state": random_state,
            "levels": levels,
            "start": (),
        }
    )
    options = BlanketOptions(
        algorithm=algorithm,
        level=level,
        max_conditioning=max_conditioning,
        symmetry=symmetry,
        n_extra_runs=n_extra_runs,
        correction=correction,
    )
    test_options = TestOptions(
        test=test, freedom=freedom, power=power, p_by=p_by, n_shuffles=n_shuffles, random_state=random_state
    )
    refuse_binning_by_target(binning, missing, n_jobs, "a network of the columns has none")
    read = ReadOptions(sample_weight=sample_weight)
    table, information = count_columns(data, read, binning, missing, "plug-in", n_jobs, by_class=False)
    source = conditioning(information.source)
    names = list(map(str, table.names))
    varying = np.flatnonzero(information.varies).tolist()
    n_candidates = len(varying) - 1  # of each search: all other columns that vary
    check_shuffles(test_options, options, n_candidates)
    tests = IndependenceTests(source, test_options, levels_by_variable(levels, names, None, source))
    blankets = {}
    for target in varying:
        candidates = [column for column in varying if column != target]
        search = Search(tests, target, candidates, level, options.conditioning_limit, correction)
        blankets[target] = find_blanket(search, options)
    members: list[list[int]] = [[] for _ in names]  # none of a column that does not vary
    for target, blanket in blankets.items():
        members[target] = blanket.members
    edges = _mutual_members(blankets)
    return MarkovNetwork(
        names=names,
        blankets=members,
        edges=np.array([(edge.first, edge.second) for edge in edges], np.intp).reshape(-1, 2),
        log_p=np.array([edge.log_p for edge in edges], np.float64),
        n_tests=tests.n_tests,
        n_unreliable=tests.n_unreliable,
        n_not_executed=tests.n_not_executed,
    )


class _Edge(NamedTuple):
    """Two columns of which each is in the blanket of the other, and the larger ln p of their two tests."""

    first: int
    second: int
    log_p: float


def _mutual_members(blankets: Mapping[int, Blanket]) -> list[_Edge]:
    """The pairs of columns of which each is in the blanket of the other, ascending."""
    edges = []
    for first, blanket in blankets.items():
        for second in sorted(blanket.members):
            if first < second and first in blankets[second].members:
                log_p_of_second = blanket.deciding_tests[second].log_p
                log_p_of_first = blankets[second].deciding_tests[first].log_p
                edges.append(_Edge(first, second, max(log_p_of_first, log_p_of_second)))
    return edges
