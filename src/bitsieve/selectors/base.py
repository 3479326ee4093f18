"""Base of all selectors: read a table once, call the method, keep what it found, take columns of any table."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import narwhals as nw
import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from bitsieve.dataset.data_kinds import collect, keeps_columns_only, take_columns
from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.dataset.quantity import TargetKind, check_target_kind, has_fractions
from bitsieve.dataset.read import read_xy
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.discretization.registry import make_binner, make_discretizer
from bitsieve.discretization.transformers import as_transformer
from bitsieve.engines.local import count_coded
from bitsieve.engines.registry import data_in_parts, refuse_groups
from bitsieve.engines.saved_counts import SavedCounts, SavedCountsDataset, combined, count_all_pairs
from bitsieve.methods.method import DENSE_ROWS, INDEPENDENT, ROWS, SHARED, Method, MethodResult, check_capabilities
from bitsieve.options import IDENTIFIERS, ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline import notes
from bitsieve.pipeline.discretize import Counted
from bitsieve.pipeline.evidence import has_no_information
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.prepare import Prepared, PreparedSelection, on_dropped, prepare, prepare_selection
from bitsieve.pipeline.run import check_options, run, run_on_counts, run_on_table
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.selectors.callbacks import CallbackSupportMixin, followed
from bitsieve.selectors.lazy_diagnostics import LazyDiagnostics
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.docstrings import PAPERS, described_fully, with_references
from bitsieve.utils.lazy import Later
from bitsieve.utils.messages import quoted, warn, warn_of
from bitsieve.utils.parameters import Rule, check_choice, check_parameters, made_by

_MOST_NUMBERS = 100  # different ones, in rows that come one after the other
PARAMETERS = {
    "n_features_to_select : int, optional": "By default 20, or all columns where there are fewer.",
    'binning : {"auto", "mdl", "quantile", "uniform", "none"} or binner, default="auto"': (
        'How numeric columns become codes: by "auto" as "mdl" where y is classes, and in bins of equal frequency where '
        'it is a quantity; "none" takes each distinct value as its own code.'
    ),
    'missing : {"error", "bin"}, optional': (
        "What missing values are: an error, or a code of their own (the default). A binner has its own ``missing``."
    ),
    'target_kind : {"classes", "quantity"}, optional': "What the target is, where its values are not to decide.",
    'identifiers : {"drop", "keep"}, default="drop"': (
        "What becomes of columns that name or number the rows: dropped, with a warning, or kept."
    ),
    "n_jobs : int, default=None": (
        "Threads (None is 1, -1 every core); the result is the same to the last bit for any number."
    ),
}
OF_ALL = {
    "support_ : ndarray of bool, shape (n_features,)": "Which columns were selected.",
    "ranking_ : ndarray of int, shape (n_features,)": (
        "1 = selected first; columns that were not selected share the next rank."
    ),
    "selected_ : ndarray of int, shape (k,)": "Indices of the k selected columns, best first.",
    "classes_ : ndarray": "The labels of the target, or its intervals where it was continuous.",
    "target_edges_ : ndarray or None": "The inner edges of a continuous target.",
    "n_features_in_ : int": "Number of columns of the table.",
    "feature_names_in_ : ndarray of str": "Names of the columns, where they have names.",
    "diagnostics_ : list of Diagnostic": "What was noticed in the data and in the selection.",
}
OF_COUNTS = {
    "relevance_ : ndarray of float, shape (n_features,)": "I(Xi;C) of every column, in bits.",
    "overlap_with_ : ndarray of int, shape (k,)": (
        "For every selected column, the one before it in ``selected_`` with the largest I(Xi;Xs); -1 for the first."
    ),
    "overlap_ : ndarray of float, shape (k,)": "That information in bits; nan for the first.",
    "informative_ : ndarray of bool, shape (k,)": (
        "Whether each selected column is more informative than chance, alone or given one of the others, at "
        "level 0.05 for all of them; the others may only fill the list."
    ),
    "binner_ : binner": "The fitted binner; its ``bin_edges_`` show every cut.",
}


S = TypeVar("S", bound="ColumnSelector")


class ColumnSelector(CallbackSupportMixin, SelectorMixin, BaseEstimator):
    """Base of all selectors: a subclass has parameters, a docstring and ``described``; fitted values are set here."""

    # of a selector that is no method itself, too
    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "target_kind": made_by(check_target_kind),
        "identifiers": partial(check_choice, choices=IDENTIFIERS),
    }
    described: ClassVar[tuple[Method, ...]] = ()  # the methods that it selects by; all have one function
    required_capabilities: ClassVar[frozenset[str]] = DENSE_ROWS  # of its data; a method says it itself
    shared_attributes: ClassVar[Mapping[str, str]] = OF_ALL

    parameter_names: ClassVar[tuple[str, ...]]
    n_features_to_select: Any
    target_kind: str | None = None
    identifiers: str = "drop"
    support_: Flags
    selected_: Columns

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.described:
            cls.required_capabilities = cls.described[0].required_capabilities
        if "__init__" in vars(cls):
            cls._describe_parameters()

    @classmethod
    def _describe_parameters(cls) -> None:
        cls.parameter_names = tuple(inspect.signature(cls).parameters)
        doc = described_fully(cls.__doc__ or "", cls.parameter_names, PARAMETERS, cls.shared_attributes)
        papers = dict.fromkeys(method.paper for method in cls.described)
        cls.__doc__ = with_references(doc, [PAPERS[name] for name in papers if name in PAPERS])

    @followed
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose features of a table.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, scipy.sparse, of shape (n_samples, n_features)
            Text, categorical and boolean columns are categories, all others numbers; numbers are binned where the
            selector has a parameter ``binning``. Methods on counts, and linear ones, take sparse matrices and arrays,
            in which zero is a code of its own; the others refuse them.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Classes of any kind, or a quantity: dates, durations, numbers with a fractional part, and whole numbers of
            many values; ``target_kind`` says otherwise. A quantity is cut into max(3, N^(1/5)) classes of equal
            frequency, by ``target_edges_``. Several columns are one target: their combinations are the classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequency weights, whole numbers: how many times each sample counts, exactly as if it were repeated; a
            sample of weight 0 is left out.
        groups : array-like of shape (n_samples,), default=None
            Samples that belong together, such as those of one person: rules, tests and halves keep them together.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is not allowed, more features are asked for than there are, the target has one class,
            a weight is no whole number, or the columns hold infinite values, or missing ones that the method or its
            binner was not asked to keep.
        """
        if y is None:
            raise UserError(
                code="target-needed",
                message=f"{type(self).__name__} requires y to be passed, but the target y is None",
            )
        self._check_parameters()
        table = self._read(X, y, sample_weight, groups)
        check_capabilities(self._who(), self._needs(), table.capabilities)
        table.target.check_varies()
        if table.target.n_numbers:
            warn(table.target.how_cut)
        self._prepare_and_fit(table)
        warn_of(self._doubts())
        return self

    def _prepare_and_fit(self, table: Dataset) -> None:
        """Drop the columns without values and the identifiers, with a warning on each, and fit."""
        if not self.described:
            columns = ColumnOptions(identifiers=self.identifiers)
            prepared = prepare(table, columns, self.discretization, self._execution())
            warn_of(_on_dropped(prepared))
            self._fit_table(prepared.table)
            self._diagnostics = LazyDiagnostics(prepared.diagnostics)
            return
        selection = prepare_selection(table, self._selection_options(), self.discretization, self._execution())
        warn_of(_on_dropped(selection))
        warn_of(selection.diagnostics_on_number)
        self._keep_fitted(run(selection, self._execution()))

    def _doubts(self) -> list[Diagnostic]:
        """What a user should know of the columns that were found."""
        return []

    def fit_table(self, table: Dataset, discretization: DiscretizationOptions | None = None) -> Self:
        """Choose features of a table from which columns were dropped already.

        ``discretization`` is what the selector's own was settled to for a larger table; by default its own.
        """
        self._check_parameters()
        table.target.check_kind(self.target_kind)
        check_capabilities(self._who(), self._needs(), table.capabilities)
        if self.described:
            return self._fit_prepared(table, self.discretization if discretization is None else discretization)
        return self._fit_table(table)

    def transform(self, X: Any) -> Any:
        """Keep the selected columns, in their order in X.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)

        Returns
        -------
        X_selected : of the kind of X, shape (n_samples, k)
            Column names and dtypes are those of X.
        """
        check_is_fitted(self)
        if keeps_columns_only(X):
            original = X
            X = collect(X)
            validate_data(self, X, reset=False, skip_check_array=True)
            return take_columns(original, [nw.from_native(X).columns[j] for j in np.flatnonzero(self.support_)])
        frame = nw.from_native(X, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return super().transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        selected = np.flatnonzero(self.support_).tolist()
        if hasattr(X, "iloc"):
            return X.iloc[:, selected]
        # scikit-learn would make a pandas table of the values alone, without dtypes, and none at all of an Arrow table.
        requested_output = getattr(self, "_sklearn_output_config", {}).get("transform")  # what set_output keeps
        wants_pandas = (requested_output or get_config()["transform_output"]) == "pandas"
        return frame[:, selected].to_pandas() if wants_pandas else frame[:, selected].to_native()

    def _read(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Dataset:
        """The table that ``fit`` is given."""
        parts = data_in_parts(X, self._needs())
        if parts is not None:
            refuse_groups(groups)
            return parts.read_in_parts(
                ReadOptions(target=y, sample_weight=sample_weight, target_name="y", target_kind=self.target_kind)
            )
        return read_xy(X, y, sample_weight, groups, estimator=self, target_kind=TargetKind(self.target_kind))

    def _check_parameters(self) -> None:
        """Raise ValueError for parameters that are wrong whatever the data."""
        check_parameters(self)
        if self.described:
            check_options(self._selection_options(), self.discretization, self._execution())

    def _parameters(self) -> dict[str, Any]:
        """The parameters of the method's function."""
        return {name: getattr(self, name) for name in self.parameter_names if name not in SHARED}

    def _selection_options(self) -> SelectionOptions:
        """What is to be selected, and by which method."""
        parameters = self._parameters()
        constraints = parameters.pop("constraints", None)
        return SelectionOptions(
            method=self.described[0],
            parameters=parameters,
            n_features_to_select=self.n_features_to_select,
            columns=ColumnOptions(identifiers=self.identifiers),
            constraints=constraints,
        )

    def _execution(self) -> ExecutionOptions:
        return ExecutionOptions(n_jobs=getattr(self, "n_jobs", None))

    @property
    def discretization(self) -> DiscretizationOptions:
        """How columns become codes; ``binning`` is None where the selector has no such parameter."""
        return DiscretizationOptions(binning=getattr(self, "binning", None), missing=getattr(self, "missing", None))

    def _who(self) -> str:
        """The name for messages on what the data lacks, such as "ForwardSelector", with its rule if that needs it."""
        name = type(self).__name__
        rule = getattr(self, "stopping", None)
        return f"{name} with {getattr(rule, 'name', rule)}" if rule and self._needs() & (ROWS | INDEPENDENT) else name

    def _needs(self) -> frozenset[str]:
        """What the method requires of its data with these parameters."""
        return self._selection_options().required_capabilities if self.described else self.required_capabilities

    def _fit_table(self, table: Dataset) -> Self:
        """:meth:`fit_table` with parameters that were checked, of a table that has what is required."""
        return self._fit_prepared(table, self.discretization)

    def _fit_prepared(self, table: Dataset, discretization: DiscretizationOptions) -> Self:
        prepared = PreparedSelection.of_prepared_table(table, self._selection_options(), discretization)
        return self._keep_fitted(run_on_table(prepared, self._execution()))

    def _keep_fitted(self, fit: Fit) -> Self:
        """Set all fitted attributes from what a method returned."""
        if fit.result.convergence_warning:
            warn(fit.result.convergence_warning, ConvergenceWarning)
        if fit.evidence is not None and not fit.method.needs_rows:
            self.binner_ = as_transformer(fit.evidence.binner)
            self.relevance_ = fit.evidence.relevance
            self.overlap_with_ = fit.evidence.overlap_with
            self.overlap_ = fit.evidence.overlap
        self._diagnostics = LazyDiagnostics(fit.prepared.diagnostics, fit)
        return self._keep(fit.table, fit.result)

    @property
    def diagnostics_(self) -> list[Diagnostic]:
        """What was noticed in the data and in the selection, as :func:`bitsieve.select` says it; found when asked for.

        A selector that is pickled before they are asked for keeps those on the data alone.
        """
        check_is_fitted(self, "_diagnostics")
        return self._diagnostics.value

    def _keep(self, table: Dataset, result: MethodResult) -> Self:
        """Set all fitted attributes."""
        table.set_names_on(self)
        self.classes_ = table.target.labels
        self.target_edges_ = table.target.edges
        self.selected_ = result.selected
        self.scores_ = result.scores
        self.ranking_ = result.ranking(table.n_features)
        self.support_ = np.zeros(table.n_features, bool)
        self.support_[self.selected_] = True
        for name, value in result.extras.items():
            setattr(self, name, value)
        if result.stopping is not None:
            for name, value in result.stopping.fitted_attributes.items():
                setattr(self, name, value)
        return self

    def _get_support_mask(self) -> Flags:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = tags.target_tags.multi_output = True
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.input_tags.sparse = "dense" not in self.required_capabilities
        takes_missing = any(method.takes_missing for method in self.described)
        bins = self.discretization.binning is not None
        tags.input_tags.allow_nan = takes_missing or (bins and make_discretizer(self.discretization).takes_missing)
        return tags


def partial_fit_begins_again() -> Diagnostic:
    """The rows of an earlier fit are not counted."""
    return Diagnostic(
        code="partial-fit-begins-again",
        message="fit kept no counts of its rows: partial_fit begins again with the rows that are passed",
    )


def _on_dropped(prepared: Prepared[Any]) -> list[Diagnostic]:
    """Which columns were dropped, as a selector's warning."""
    empty = [j for j, reason in prepared.dropped.items() if reason == "empty"]
    identifiers = [j for j, reason in prepared.dropped.items() if reason == "identifier"]
    return on_dropped(prepared.original, empty, identifiers, {"identifiers": "keep"})


def _takes_codes(selector: Any) -> bool:
    """True if later rows cannot change the bins; else an AttributeError that says what to do, for ``available_if``."""
    if make_binner(selector.binning).requires == "codes":
        return True
    raise AttributeError(
        f"partial_fit takes codes, which later rows do not change: give the codes of a fitted binner, and "
        f"binning='none' in place of binning={selector.binning!r}"
    )


@dataclass(frozen=True, eq=False)
class RowsSoFar:
    """The rows that calls of ``partial_fit`` have counted."""

    counts: SavedCounts
    identifier_candidates: frozenset[int]  # columns that held no floats, of which counts keep the values alone

    def __add__(self, later: RowsSoFar) -> RowsSoFar:
        return RowsSoFar(combined(self.counts, later.counts), self.identifier_candidates & later.identifier_candidates)


def _check_classes(target: Target) -> None:
    """Raise ValueError for a target of one class, or one that looks like a quantity."""
    if target.n_classes < 2:
        label = target.labels[:1].tolist()[0]
        raise UserError(
            code="one-class",
            message=f"the first rows hold 1 class ({label!r})",
            advice="begin with rows of at least two",
        )
    if target.labels.dtype.kind in "iuf" and target.n_classes > _MOST_NUMBERS:
        raise UserError(
            code="too-many-classes",
            message=f"the target holds more than {_MOST_NUMBERS} different numbers",
            advice="bin it first, or make it text",
        )


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(field,))
def with_parameters(cls: type[S]) -> type[S]:
    """A selector whose fields are its parameters, which its constructor takes and keeps as they are, its own first."""
    constructor = vars(dataclass(eq=False, repr=False, kw_only=True)(cls))["__init__"]
    taken = inspect.signature(constructor).parameters.values()
    shared = {name: position for position, name in enumerate(SHARED[1:])}
    constructor.__signature__ = inspect.Signature(sorted(taken, key=lambda parameter: shared.get(parameter.name, -1)))
    cls._describe_parameters()
    return cls


@with_parameters
class MethodSelector(ColumnSelector):
    """Base of the selectors that take a number of features by a method."""

    n_features_to_select: int | float | str | None = field(default=None, kw_only=False)
    target_kind: str | None = None
    identifiers: str = "drop"


@with_parameters
class CountSelector(MethodSelector):
    """Base of the selectors on counts."""

    shared_attributes: ClassVar[Mapping[str, str]] = {**OF_ALL, **OF_COUNTS}
    relevance_: Floats = field(init=False)
    _informative: Later[Flags] = field(init=False)
    _rows_so_far: RowsSoFar | None = field(init=False)  # of partial_fit

    binning: Any = BINNING
    missing: str | None = None
    n_jobs: int | None = None

    def fit_counted(self, counted: Counted) -> Self:
        """Choose features from a table that is binned and packed already; ``binning`` and ``n_jobs`` have no part."""
        self._check_parameters()
        counted.table.target.check_kind(self.target_kind)
        selection = self._selection_options()
        prepared = PreparedSelection.of_prepared_table(counted.table, selection, self.discretization)
        return self._keep_fitted(run_on_counts(prepared, counted, self._execution()))

    @available_if(_takes_codes)  # type: ignore[untyped-decorator]  # of scikit-learn
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count some more rows, and choose features by all that were counted.

        After each call the selector is what ``fit`` makes of all rows so far, to the last bit; a row of weight w is
        taken for w rows. Only with ``binning="none"``, on the codes of a fitted binner; not by methods such as ``cmi``,
        nor by stopping rules.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Dense; whole numbers and categories. Values that were not there before are welcome.
        y : array-like of shape (n_samples,)
            Classes: text, or at most 100 different whole numbers. The first rows must hold two.
        classes : array-like, default=None
            All classes that may occur; another one is then refused.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequency weights, as for ``fit``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            What ``fit`` raises; or the columns are not those of the rows before.

        Warns
        -----
        BitsieveWarning
            If ``fit`` was called before, which keeps no counts of its rows.

        Notes
        -----
        Cost: the tables of all pairs of columns of these rows, which are kept: 8 bytes for every pair of codes of every
        pair of columns and every class.

        Examples
        --------
        >>> import bitsieve
        >>> selector = bitsieve.ForwardSelector(1, criterion="mrmr", binning="none")
        >>> selector.partial_fit([[0, 1], [1, 1]], ["a", "b"]).selected_.tolist()
        [0]
        >>> selector.partial_fit([[0, 0], [0, 0], [1, 1], [1, 1]], ["b", "b", "a", "a"]).selected_.tolist()
        [1]
        """
        self._check_parameters()
        earlier: RowsSoFar | None = getattr(self, "_rows_so_far", None)
        if earlier is None and hasattr(self, "selected_"):
            warn(partial_fit_begins_again())
        table = self._rows(X, y, sample_weight, classes, first=earlier is None)
        rows = self._count_rows(table)
        if earlier is not None:
            rows = earlier + rows
        _check_classes(rows.counts.target)
        self._fit_rows(rows)
        self._rows_so_far = rows
        return self

    def _fit_rows(self, rows: RowsSoFar) -> None:
        """Choose features by the counts of all rows so far."""
        named = hasattr(self, "feature_names_in_")
        table = SavedCountsDataset(rows.counts, named=named, identifier_candidates=rows.identifier_candidates)
        table.target.check_kind(self.target_kind)
        check_capabilities(self._who(), self._needs(), table.capabilities)
        selection = prepare_selection(table, self._selection_options(), self.discretization, self._execution())
        warn_of(_on_dropped(selection))
        warn_of(selection.diagnostics_on_number)
        table_left = SavedCountsDataset(rows.counts.without(list(selection.dropped)), named=named)
        self._keep_fitted(run(replace(selection, table=table_left), self._execution()))

    def _count_rows(self, table: InMemoryDataset) -> RowsSoFar:
        rule = make_discretizer(self.discretization, self.n_jobs)
        if rule.missing is None:
            rule = rule.unfitted(missing="bin")  # later rows may have some
        binner = rule.for_table(table).fit_table(table)
        source = count_coded(table, binner, self.n_jobs)
        target = replace(table.target, codes=np.empty(0, np.int32))
        counts = count_all_pairs(source, table.names, target, binner, binner.n_bins_.astype(np.int32))
        columns = range(table.n_features)
        not_floats = (j for j in columns if not table.is_numeric(j) or table.numbers(j).dtype.kind != "f")
        return RowsSoFar(counts, frozenset(not_floats))

    def _rows(self, X: Any, y: Any, sample_weight: Any, classes: Any, *, first: bool) -> InMemoryDataset:
        """The rows as a table with the columns of those before."""
        if data_in_parts(X) is not None:
            raise UserError(
                code="rows-not-in-memory",
                message="partial_fit takes rows in memory",
                advice="read the batches, or use 'bitsieve count'",
            )
        if y is None:
            raise UserError(
                code="target-needed",
                message=f"{type(self).__name__} requires y to be passed, but the target y is None",
            )
        table = read_xy(X, y, sample_weight, estimator=self, reset=first, target_kind=TargetKind("classes"))
        if "dense" not in table.capabilities:
            raise UserError(
                code="dense-rows-needed",
                message="partial_fit takes dense rows, and these are sparse",
                advice="give a part of them by .toarray()",
            )
        if classes is not None:
            new = sorted(set(table.target.labels.tolist()) - set(np.asarray(classes).tolist()), key=str)
            if new:
                raise UserError(
                    code="unseen-value",
                    message=f"the target holds {quoted(map(str, new))}, which classes does not list",
                )
        if table.target.kind == "joint" or self.target_kind == "quantity" or has_fractions(table.target.labels):
            raise UserError(
                code="wrong-kind-of-target",
                message="partial_fit takes one target of classes",
                advice="bin a quantity first, by edges that stay",
            )
        return table

    def _keep_fitted(self, fit: Fit) -> Self:
        self._rows_so_far = None
        if fit.evidence is not None:
            self._informative = fit.evidence.informative
        return super()._keep_fitted(fit)

    @property
    def informative_(self) -> Flags:
        """Whether each selected column is more informative than chance; looked at when asked for."""
        check_is_fitted(self, "_informative")
        return self._informative.value

    def _doubts(self) -> list[Diagnostic]:
        if has_no_information(self.relevance_[self.selected_], self._informative):
            return [notes.no_information(len(self.selected_))]
        return []
