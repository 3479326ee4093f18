"""The result of a comparison: the errors of methods for every number of features, and what to select by them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.information import ANY_EFFECT
from bitsieve.metrics.choice import Choice, OuterError, choose, outer_error, standard_errors
from bitsieve.metrics.measures import Measure, find_measure
from bitsieve.metrics.paired_test import PairedTest, paired_test
from bitsieve.metrics.stability import kuncheva, nogueira
from bitsieve.options import PAPER
from bitsieve.plots.figures import Axes, Curves, plot_curves
from bitsieve.results.call_text import strata_arguments, target_arguments
from bitsieve.results.comparison_summary import BaselineSummary, MethodSummary
from bitsieve.results.equality import equal_fields
from bitsieve.utils import html
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.frames import check_library, frame_of
from bitsieve.utils.messages import advice_on_choice
from bitsieve.utils.terminal_text import aligned, finite
from bitsieve.utils.types import DataFrame, JsonObject

if TYPE_CHECKING:
    import pyarrow as pa


HOW_TO_READ = (
    "W/T/L: how many of the other methods have larger, tied and smaller errors over all numbers of features "
    "(one-sided paired t-test, 5 %)"
)
UNTESTED = "W/T/L: the errors over several numbers of features are tested, not those of one"
BEST = "SelectKBest"  # the only baseline whose error depends on the number of features


@dataclass(frozen=True, eq=False)
class Comparison:
    """Cross-validated errors of several methods for every number of features.

    Attributes
    ----------
    methods : list of str
        Labels, in the order given.
    counts : ndarray of int, shape (n_counts,)
        Numbers of features.
    n_test : ndarray of int, shape (n_folds,)
        Test samples of each fold.
    errors : ndarray of int, shape (n_methods, n_folds, n_counts)
        How many of them got the wrong class; with another measure than accuracy its error times ``n_test``.
    redundancy : ndarray of float, shape (n_methods, n_folds, n_counts)
        Mean absolute correlation of the selected numeric features in the training samples; nan for fewer than two.
    separability : ndarray of float, shape (n_methods, n_folds, n_counts)
        ``J = |Sw + Sb| / |Sw|`` of the selected numeric features in the training samples; nan where Sw is singular.
    seconds_selecting, seconds_classifying : ndarray of float, shape (n_methods, n_folds)
        Of one ranking, binning included, and of all the counts.
    selected : list of list of ndarray of int
        ``selected[method][fold]``: columns in order of choice.
    names : list of str
        Of the features.
    parameters : dict
        What was asked: target, classifier, protocol, binning, folds, random_state, and strata, effect and bins_within
        if given.
    diagnostics : Diagnostics
        What was noticed in the data and in the result; ``notes`` are their texts.
    majority : ndarray of shape (n_folds,)
        The errors of the class that most of the samples learned from have; of a quantity those of their mean.
    bayes_error_bounds : ndarray of float, shape (n_methods, 2), or None
        :func:`bitsieve.bayes_error_bounds` of each method's chosen features in the training samples, over the folds.
    baselines : dict of str to ndarray of shape (n_folds, n_counts)
        The errors of the majority class or the mean, of all columns, and of SelectKBest of scikit-learn.
    library : str
        The library of frames that the data came in.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> comparison = bitsieve.compare(X, y, methods=["mim", "mifs"], features=range(1, 5), classifier="ncm", folds=5)
    >>> comparison.rates.round(3).tolist()
    [[0.053, 0.04, 0.107, 0.14], [0.053, 0.04, 0.087, 0.14]]
    >>> print(comparison.choice())
    mim with 2 features: error 4.0 % +- 0.7, the smallest of all, tied with mifs and SelectKBest
    """

    methods: list[str]
    counts: Columns
    n_test: Columns
    errors: Columns = field(repr=False)
    redundancy: Floats = field(repr=False)
    separability: Floats = field(repr=False)
    seconds_selecting: Floats = field(repr=False, compare=False)
    seconds_classifying: Floats = field(repr=False, compare=False)
    selected: list[list[Columns]] = field(repr=False)
    names: list[str] = field(repr=False)
    parameters: dict[str, Any]
    diagnostics: Diagnostics
    majority: Columns | Floats = field(repr=False)
    bayes_error_bounds: Floats | None = field(default=None, repr=False)
    baselines: dict[str, Floats] = field(default_factory=dict, repr=False)
    library: str = field(default="pyarrow", repr=False, compare=False)

    @property
    def notes(self) -> list[str]:
        """The texts of the diagnostics."""
        return [str(diagnostic) for diagnostic in self.diagnostics]

    @property
    def measure(self) -> Measure:
        """What an error is."""
        return find_measure(self.parameters["scoring"])

    @cached_property
    def rates(self) -> Floats:
        """Error rates pooled over the folds, shape (n_methods, n_counts)."""
        return np.asarray(self.errors.sum(axis=1) / self.n_test.sum())

    @cached_property
    def standard_errors(self) -> Floats:
        """Of :attr:`rates`, from the folds, shape (n_methods, n_counts); nan for one fold."""
        return standard_errors(self.errors, self.n_test)

    def test(self, first: str, second: str) -> PairedTest:
        """One-sided paired t-tests of two methods over the numbers of features, both ways.

        Parameters
        ----------
        first, second : str

        Returns
        -------
        PairedTest
            Its ``outcome`` is ``+`` where the first has the lower error at 5 %, ``-`` where the second has, else ``=``;
            None where one number of features leaves nothing to test.
        """
        return paired_test(self.rates[self._row(first)], self.rates[self._row(second)])

    def choice(self, method: str | None = None) -> Choice:
        """The fewest features within one standard error of the least error, of one method or of all.

        What is not better than the majority class, or the mean of a quantity, is not recommended.

        Parameters
        ----------
        method : str, optional

        Returns
        -------
        Choice
            ``print`` shows it as a sentence.
        """
        methods = self.methods if method is None else [method]
        rows = [self._row(name) for name in methods]
        errors_of_methods = list(zip(self.methods, self.rates.min(axis=1).tolist(), strict=True))
        errors_of_baselines = [(summary.baseline, summary.least_error) for summary in baseline_summaries(self)]
        return choose(
            methods,
            self.counts,
            rates=self.rates[rows],
            spread=self.standard_errors[rows],
            to_beat=dict(errors_of_baselines).get(self.measure.baseline),
            measure=self.measure,
            others=[*errors_of_methods, *errors_of_baselines],
        )

    def outer(self, method: str | None = None) -> OuterError:
        """The error of the whole search of one method, or of all, in folds that had no part in the choice.

        Parameters
        ----------
        method : str, optional

        Returns
        -------
        OuterError
            Beside the error of the majority class, or of the mean, with p of a test that the search is no better.
        """
        rows = slice(None) if method is None else [self._row(method)]
        return outer_error(self.counts, self.errors[rows], self.n_test, self.majority, self.measure)

    def chosen(self, method: str) -> Choice:
        """The choice that is shown for a method: of the recommended method the recommended number.

        Parameters
        ----------
        method : str

        Returns
        -------
        Choice
        """
        recommended = self.choice()
        return recommended if recommended.method == method else self.choice(method)

    def stability(self, method: str) -> dict[str, Floats]:
        """Nogueira's and Kuncheva's stability of a method's selections over the folds, for every number of features.

        Parameters
        ----------
        method : str

        Returns
        -------
        dict
            "nogueira" and "kuncheva", each of shape (n_counts,); nan where not defined: with all features, and where
            one selection served all folds.
        """
        rankings = [] if self._ranks_once else self.selected[self._row(method)]
        selections = [[ranking[:k] for ranking in rankings] for k in self.counts]  # for every number, of every fold
        n_features = len(self.names)
        return {
            "nogueira": np.array([nogueira(selections_of_k, n_features) for selections_of_k in selections]),
            "kuncheva": np.array([kuncheva(selections_of_k, n_features) for selections_of_k in selections]),
        }

    @property
    def _ranks_once(self) -> bool:
        """Whether one selection of each method served all folds, as under the protocol of the papers."""
        return bool(self.parameters["protocol"] == PAPER)

    def summary(self) -> list[JsonObject]:
        """One row for each method: its errors, wins, chosen number of features, redundancy, stability and seconds.

        Returns
        -------
        list of dict
        """
        return [summary.to_dict() for summary in method_summaries(self)]

    def table(self) -> pa.Table:
        """The tidy table: one row for each method, fold and number of features.

        Returns
        -------
        pyarrow.Table
            method, fold (from 0), n_features, n_test, errors, redundancy, separability, seconds_selecting,
            seconds_classifying (the last two are of the fold, the same for every number of features).
        """
        import pyarrow as pa

        method, fold, count = np.unravel_index(np.arange(self.errors.size), self.errors.shape)
        return pa.table(
            {
                "method": pa.array([self.methods[m] for m in method], pa.string()),
                "fold": fold.astype(np.int64),
                "n_features": self.counts[count].astype(np.int64),
                "n_test": self.n_test[fold].astype(np.int64),
                "errors": self.errors.ravel(),
                "redundancy": pa.array(self.redundancy.ravel(), from_pandas=True),
                "separability": pa.array(self.separability.ravel(), from_pandas=True),
                "seconds_selecting": self.seconds_selecting[method, fold],
                "seconds_classifying": self.seconds_classifying[method, fold],
            }
        )

    def to_frame(self, library: str | None = None) -> DataFrame:
        """The table as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            By default pandas, or pyarrow where that is not installed.

        Returns
        -------
        dataframe
            The columns of :meth:`table`.
        """
        library = check_library(library)
        table = self.table()
        return table if library == "pyarrow" else frame_of(table.to_pydict(), library)

    def __eq__(self, other: object) -> bool:
        """Whether two comparisons are equal in all but the seconds that they took."""
        return isinstance(other, Comparison) and equal_fields(self, other)

    def __hash__(self) -> int:
        return hash((Comparison, *self.methods, *self.counts.tolist()))

    def to_dict(self) -> JsonObject:
        """The comparison as plain Python values that ``json.dumps`` takes; a value that is no number is None.

        Returns
        -------
        dict
        """
        methods = []
        for row, method in enumerate(self.methods):
            details = {
                "errors": self.rates[row].tolist(),
                "standard_errors": [finite(value) for value in self.standard_errors[row].tolist()],
                "against": {other: self.test(method, other).outcome for other in self.methods if other != method},
                "selected": [[self.names[j] for j in selected] for selected in self.selected[row]],
            }
            methods.append(_method_summary(self, row, method).to_dict() | details)
        return {
            "parameters": dict(self.parameters),
            "features": self.counts.tolist(),
            "methods": methods,
            "answer": str(self.choice()),
            "error_is": self.measure.about,
            "error_without_columns": self.outer().majority,
            "outer_error": self.outer().error,
            "outer_p": self.outer().p,
            "notes": self.notes,
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }

    def __str__(self) -> str:
        return "\n".join([as_text(self), *self.diagnostics.printed()])

    def _repr_html_(self) -> str:
        header, rows = summary_table(self)
        choice = self.choice()
        return html.display(
            html.table(header, rows),
            html.paragraph(f"{choice}; {self.outer()}."),
            html.code(selecting_call(self)) if choice.is_recommended else "",
            *(html.aside(line) for line in how_to_read(self)),
            self.diagnostics.html(),
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the error of every method against the number of features, the chosen number of each marked.

        The band around a curve is one standard error over the folds to either side.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            To draw into; by default a new figure, which a notebook shows.

        Returns
        -------
        matplotlib Axes
            ``ax.figure.savefig("errors.pdf")`` saves it.

        Raises
        ------
        ValueError
            matplotlib is not installed (``pip install 'bitsieve[report]'``).
        """
        if self.measure.is_share:
            scale = 100
            label = "error (%)"
        else:
            scale = 1
            label = f"error ({self.measure.name})"
        curves = Curves(
            x=self.counts,
            lines=dict(zip(self.methods, scale * self.rates, strict=True)),
            x_label="number of features",
            y_label=label,
            marked={method: self.chosen(method).n_features for method in self.methods},
            spreads=dict(zip(self.methods, scale * self.standard_errors, strict=True)),
        )
        return plot_curves(curves, ax)

    def _row(self, method: str) -> int:
        if method not in self.methods:
            raise UserError(
                code="unknown-name",
                message=f"method {method!r} was not compared",
                advice=advice_on_choice(method, self.methods),
            )
        return self.methods.index(method)


def method_summaries(comparison: Comparison) -> list[MethodSummary]:
    """The summary of each method, in their order."""
    return [_method_summary(comparison, row, method) for row, method in enumerate(comparison.methods)]


def _method_summary(comparison: Comparison, row: int, method: str) -> MethodSummary:
    rates = comparison.rates[row]
    choice = comparison.chosen(method)
    stability = comparison.stability(method)
    index_of_least = rates.argmin()
    index_of_chosen = int(np.searchsorted(comparison.counts, choice.n_features))
    outcomes = [comparison.test(method, other).outcome for other in comparison.methods if other != method]
    was_tested = None not in outcomes
    seconds_selecting = comparison.seconds_selecting[row].sum()
    if comparison._ranks_once:
        seconds_selecting = comparison.seconds_selecting[row, 0]
    bayes_error_lower = None
    bayes_error_upper = None
    if comparison.bayes_error_bounds is not None:
        bayes_error_lower, bayes_error_upper = comparison.bayes_error_bounds[row].tolist()
    return MethodSummary(
        method=method,
        mean_error=float(rates.mean()),
        std_error=float(rates.std(ddof=1)) if len(rates) > 1 else None,
        least_error=float(rates[index_of_least]),
        least_error_at=int(comparison.counts[index_of_least]),
        chosen_features=choice.n_features,
        chosen_error=choice.error,
        outer_error=comparison.outer(method).error,
        chosen_standard_error=finite(choice.standard_error),
        wins=outcomes.count("+") if was_tested else None,
        ties=outcomes.count("=") if was_tested else None,
        losses=outcomes.count("-") if was_tested else None,
        redundancy=_mean(comparison.redundancy[row]),
        separability=_mean(comparison.separability[row, :, index_of_chosen]),
        stability_nogueira=_mean(stability["nogueira"]),
        stability_kuncheva=_mean(stability["kuncheva"]),
        seconds_selecting=float(seconds_selecting),
        seconds_classifying=float(comparison.seconds_classifying[row].sum()),
        bayes_error_lower=bayes_error_lower,
        bayes_error_upper=bayes_error_upper,
    )


def baseline_summaries(comparison: Comparison) -> list[BaselineSummary]:
    """The summary of each baseline."""
    summaries = []
    for name, errors in comparison.baselines.items():
        rates = errors.sum(axis=0) / comparison.n_test.sum()
        is_constant = name != BEST and bool((errors == errors[:, :1]).all())
        summaries.append(
            BaselineSummary(
                baseline=name,
                mean_error=float(rates.mean()),
                least_error=float(rates.min()),
                least_error_at=None if is_constant else int(comparison.counts[rates.argmin()]),
            )
        )
    return summaries


def as_text(comparison: Comparison, call: str = "") -> str:
    """The summary as a table, the recommendation, the ``call`` that selects it, and how to read the table.

    The call is by default that of Python.
    """
    header, rows = summary_table(comparison)
    choice = comparison.choice()
    lines = [
        aligned(header, rows, right=[name != "method" for name in header]),
        "",
        str(choice),
        str(comparison.outer()),
    ]
    if choice.is_recommended:
        lines.append(f"to select them: {call or selecting_call(comparison)}")
    lines += how_to_read(comparison)
    return "\n".join(lines)


def summary_table(comparison: Comparison) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header and the rows of the summary, the baselines last."""
    measure = comparison.measure
    header: tuple[str, ...] = (
        "method",
        f"mean error{measure.unit}",
        "+-",
        "W/T/L",
        f"smallest{measure.unit}",
        "at",
        "chosen",
        f"error of chosen{measure.unit}",
        "redundancy",
        "stability",
        "seconds",
    )
    if comparison.bayes_error_bounds is not None:
        header = (*header, "Bayes error %")
    rows = [summary.cells(measure) for summary in method_summaries(comparison)]
    rows += [summary.cells(measure, len(header)) for summary in baseline_summaries(comparison)]
    return header, rows


def about_error(comparison: Comparison) -> list[str]:
    """What an error is, and how large it is without columns, a line each."""
    measure = comparison.measure
    error = f"{measure.text(comparison.outer().majority)}{measure.unit}"
    return [f"error: {measure.about}", f"error without columns: {error} ({measure.baseline})"]


def how_to_read(comparison: Comparison) -> list[str]:
    """What the numbers of the summary are, a line each."""
    lines = about_error(comparison)
    lines.append(HOW_TO_READ if len(comparison.counts) > 1 else UNTESTED)
    return lines


def selecting_call(comparison: Comparison) -> str:
    """The call in Python that selects what is recommended."""
    choice = comparison.choice()
    target = target_arguments(comparison.parameters["target"], comparison.parameters.get("event"))
    strata = strata_arguments(
        comparison.parameters.get("strata"),
        comparison.parameters.get("effect", ANY_EFFECT),
        bins_within=comparison.parameters.get("bins_within", False),
    )
    arguments = f"{target}{strata}, method={choice.method!r}, n_features_to_select={choice.n_features}"
    if comparison.parameters["protocol"] == PAPER:
        arguments += f", protocol={PAPER!r}"
    return f"bitsieve.select(data, {arguments})"


def _mean(values: Floats) -> float | None:
    """The mean of the values that are defined; None if none is."""
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if len(defined) else None
