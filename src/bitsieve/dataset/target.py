"""A target of classes, of one or several columns, read as class codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import sizes_of_classes
from bitsieve.dataset.column_info import TextParsing
from bitsieve.dataset.data_kinds import is_arrow_column
from bitsieve.dataset.encoding import ColumnValues, Encoded, are_categories, as_array, encode, is_missing
from bitsieve.dataset.identifiers import MIN_ROWS_OF_IDENTIFIER
from bitsieve.dataset.notes import quantity_binned
from bitsieve.dataset.quantity import (
    KIND_FROM_VALUES,
    TIMES,
    TargetKind,
    edges_of,
    has_fractions,
    interval_labels,
    listed_edges,
    numbers_of,
)
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Values
from bitsieve.utils.messages import quoted
from bitsieve.utils.types import ColumnLike

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

KindOfTarget: TypeAlias = Literal["classes", "binned", "joint", "survival"]
JointEdges: TypeAlias = "list[Floats | None]"  # of each column of a joint target; None for classes
MAX_JOINT_CLASSES = 1 << 16  # possible combinations of the classes of several columns


@dataclass(frozen=True, eq=False)
class Target:
    """The classes of the samples.

    A target is "classes", a "binned" quantity, "joint": the combinations of the classes of several columns, or
    "survival": a time to an event (:class:`~bitsieve.dataset.survival.SurvivalTarget`).
    """

    codes: NDArray[np.int32]  # shape (n_samples,), from 0 to n_classes - 1; every class occurs
    #: The distinct values of classes, ascending; the intervals of a quantity as text; the tuples of a joint target.
    labels: Values
    #: The inner edges of the intervals of a quantity; a value on an edge belongs to the interval below it. A joint
    #: target with a quantity has a list with one item for each column, None for classes.
    edges: Floats | JointEdges | None = None
    kind: KindOfTarget = "classes"
    columns: tuple[str, ...] = ()  # the names of the columns of a joint target
    name: str = "y"  # what messages call it
    requested_kind: TargetKind = KIND_FROM_VALUES  # the kind that the user chose
    n_numbers: int = 0  # the number of distinct whole numbers of a quantity; 0 for any other target
    #: The letter of numpy for a quantity of times, whose edges are in microseconds: "M" for dates, "m" for durations. A
    #: joint target has one letter for each column.
    unit: str = ""
    n_classes_of_quantity: int = 0  # into how many classes the quantity is cut by default; 0 for classes
    parsings: Mapping[str, TextParsing] = field(default_factory=dict)  # how text became numbers or times, by column
    values: Floats | None = None  # shape (n_samples,): the numbers of a quantity whose rows are in memory
    n_declared_classes: int | None = None  # those that its categorical type lists, seen or not; None for other types

    @property
    def is_quantity(self) -> bool:
        """Whether it is one quantity whose rows are in memory."""
        return self.values is not None

    @property
    def quantity_edges(self) -> Floats:
        """The edges of one quantity."""
        assert isinstance(self.edges, np.ndarray), "the target is classes or joint"
        return self.edges

    @property
    def edges_of_columns(self) -> JointEdges:
        """The edges of each column, None for one of classes."""
        if self.edges is None:
            return [None] * len(self.names)
        return self.edges if isinstance(self.edges, list) else [self.edges]

    @property
    def truth(self) -> Values:
        """What a model predicts: the numbers of a quantity, or the class codes."""
        return self.codes if self.values is None else self.values

    @property
    def names(self) -> Sequence[str]:
        """Its name, or the names of the columns of a joint target."""
        return self.columns or [self.name]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.labels)

    @property
    def varies(self) -> bool:
        """Whether there is something to select for: two classes."""
        return self.n_classes > 1

    @property
    def how_cut(self) -> Diagnostic:
        """The diagnostic of a quantity: what its values are, and where it was cut."""
        values = TIMES.get(self.unit, "")
        if self.n_numbers:
            values = f"{self.n_numbers:,} different whole numbers"
        edges = listed_edges(self.quantity_edges, self.unit)
        return quantity_binned(self.name, values, self.n_classes, edges, self.requested_kind.kind is None)

    def check_varies(self) -> None:
        """Refuse a target of one class."""
        if not self.varies:
            what = "one class" if self.edges is None else "one value"
            label = quoted(self.labels[0] if self.kind == "joint" else self.labels[:1])
            raise UserError(
                code="one-class",
                message=f"the target {self.name!r} has {what} only ({label})",
                advice="give one with at least two",
            )

    def check_usable(self, n_samples: int) -> None:
        """Refuse a target of one class, or of text that differs in every one of ``n_samples`` rows."""
        self.check_varies()
        self._check_repeats(n_samples)

    def _check_repeats(self, n_samples: int) -> None:
        """Refuse a target of text that differs in every one of ``n_samples`` rows."""
        is_numeric = self.labels.dtype.kind in "iuf"
        if self.kind != "classes" or is_numeric or n_samples < MIN_ROWS_OF_IDENTIFIER:
            return
        if self.n_classes == n_samples:
            raise UserError(
                code="target-is-identifier",
                message=f"the target {self.name!r} has a different value in each of the {n_samples:,} rows",
                advice="give a column whose values repeat; if the rows are genes, transpose the table first",
                columns=[self.name],
            )

    def check_kind(self, kind: str | None) -> None:
        """Refuse a selector's ``target_kind`` for a target that was read as the other kind."""
        read_as = "classes" if self.edges is None else "quantity"
        if kind not in (None, read_as):
            advice = "leave it out of the selector, and give it to what reads the data"
            raise ParameterError(
                "target_kind",
                kind,
                advice,
                f"does not go with a target that was read as {read_as}",
                code="wrong-kind-of-target",
            )

    def take(self, rows: Columns) -> Target:
        """The target of the samples ``rows``, with the classes that occur among them."""
        classes = Encoded(self.codes, self.labels)[rows]
        values = None if self.values is None else self.values[rows]
        return replace(self, codes=classes.codes, labels=classes.categories, values=values)

    def cut_again(self, weights: Integers | None = None) -> Target:
        """Cut a quantity again, by its own samples; any other target is returned as it is."""
        if self.values is None:
            return self
        cut = _cut(self.values, self.requested_kind, weights, self.name, self.unit)
        return replace(
            self, codes=cut.codes, labels=cut.labels, edges=cut.edges, n_classes_of_quantity=cut.n_classes_of_quantity
        )


def read_target(
    y: ColumnLike, *, name: str = "y", target_kind: TargetKind = KIND_FROM_VALUES, weights: Integers | None = None
) -> Target:
    """Read a target of one or several columns. Samples of weight 0 are left out."""
    columns = split_target(y)
    positive_weights = weights
    if weights is not None and not weights.all():
        positive_weights = weights[weights > 0]
    targets = {}
    for column_name, column in columns.items():
        what = label_of_target(column_name, is_joint=len(columns) > 1)
        values = read_values(column, what)
        if weights is not None and not weights.all():
            values = values[np.flatnonzero(weights)]
        n_missing, n_infinite = count_unusable(values)
        check_complete(what, len(values), n_missing, n_infinite)
        targets[column_name] = to_classes(values, target_kind, positive_weights, what)
    check_bins(targets.values())
    if len(targets) > 1:
        return replace(join_targets(targets), name=name)
    (target,) = targets.values()
    return replace(target, name=name)


def split_target(y: ColumnLike) -> dict[str, ColumnLike]:
    """The columns of a target by name. A single column is "y"; columns without names are "y0", "y1", ..."""
    if is_arrow_column(y):
        return {"y": y}
    import narwhals as nw

    frame = y if isinstance(y, np.ndarray) else nw.from_native(y, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise UserError(
            code="frame-not-in-memory",
            message="the target is a lazy frame",
            advice="collect() it first",
        )
    if isinstance(frame, nw.DataFrame):
        names = frame.columns
        if not names or len(set(map(str, names))) < len(names):
            raise UserError(
                code="duplicate-names",
                message=f"the target has the columns {quoted(names) or '(none)'}",
                advice="give each a different name",
            )
        columns = {str(name): frame[:, j].to_native() for j, name in enumerate(names)}
        return columns if len(names) > 1 else {"y": next(iter(columns.values()))}
    if nw.dependencies.is_into_series(y):
        return {"y": y}
    array = as_array(y)
    if array.ndim != 2 or array.shape[1] < 2:
        return {"y": y}
    return {f"y{j}": array[:, j] for j in range(array.shape[1])}


def label_of_target(name: str, *, is_joint: bool) -> str:
    """What messages call a column of a target."""
    return f"the target {quoted([name])}" if is_joint else "the target"


def check_complete(what: str, n_samples: int, n_missing: int, n_infinite: int) -> None:
    """Refuse a target without values, or with values that are missing or infinite."""
    if not n_samples:
        raise UserError(
            code="empty-data",
            message=f"{what} is empty",
            advice="at least one sample is required",
        )
    if n_missing:
        values = "missing value" if n_missing == 1 else "missing values"
        raise UserError(
            code="missing-target",
            message=f"{what} has {n_missing:,} {values} (empty, NaN, 'NA', 'None', ...) among {n_samples:,}",
            advice="drop those samples, as select and the commands do by {drop_missing_target}, or fill them in",
            fix={"drop_missing_target": True},
        )
    if n_infinite:
        values = "infinite value" if n_infinite == 1 else "infinite values"
        raise UserError(
            code="infinite-values",
            message=f"{what} has {n_infinite:,} {values} (inf) among {n_samples:,}",
            advice="drop those samples",
        )


def check_bins(columns: Iterable[Target]) -> None:
    """Refuse ``target_bins`` for a target none of whose columns holds numbers."""
    targets = tuple(columns)
    n_bins = targets[0].requested_kind.n_bins
    hold_numbers = [target.edges is not None or target.labels.dtype.kind in "iuf" for target in targets]
    if n_bins is not None and not any(hold_numbers):
        problem = "does not go with the target, which holds text, categories or truth values"
        raise ParameterError(
            "target_bins", n_bins, "make them numbers, or leave it out", problem, code="numbers-needed"
        )


def check_read(parsings: Mapping[str, TextParsing], drop_missing: bool) -> None:
    """Refuse a target of text of which most values are numbers and some are not, unless the latter are dropped."""
    for parsing in parsings.values():
        if parsing.n_unread and not drop_missing:
            values = "values that are no numbers" if parsing.n_unread > 1 else "value that is no number"
            what = f"the target holds {parsing.what} such as {parsing.example!r}, and {parsing.n_unread:,} {values}"
            raise UserError(
                code="target-of-mixed-text",
                message=f"{what}: {parsing.listed}",
                advice="drop those samples, as {drop_missing_target} does, or keep the text as classes, by {repair}",
                fix={"drop_missing_target": True, "repair": False},
            )


def to_classes(
    values: ColumnValues, target_kind: TargetKind, weights: Integers | None = None, what: str = "the target"
) -> Target:
    """The classes of values without missing ones, as classes or as a quantity."""
    holds_numbers = not are_categories(values) and values.dtype.kind in "iufmM"
    if not holds_numbers:
        target_kind.check_not_quantity(what)
    if are_categories(values) or not holds_numbers or target_kind.kind == "classes":
        classes = values if are_categories(values) else encode(values)
        return Target(
            classes.codes, classes.categories, requested_kind=target_kind, n_declared_classes=classes.n_declared
        )
    if has_fractions(values):
        return _cut(numbers_of(values, what), target_kind, weights, what, values.dtype.kind)
    classes = encode(values)
    counts = sizes_of_classes(classes.codes, weights, len(classes.categories))
    if not target_kind.is_quantity(classes.categories, counts):
        return Target(classes.codes, classes.categories, requested_kind=target_kind)
    quantity = _cut(numbers_of(values, what), target_kind, weights, what)
    return replace(quantity, n_numbers=len(classes.categories))


def _cut(numbers: Floats, target_kind: TargetKind, weights: Integers | None, what: str, kind: str = "") -> Target:
    """Cut a quantity into classes; ``kind`` is numpy's letter of its type."""
    edges, n_classes_of_quantity = edges_of(numbers, weights, target_kind.n_bins, what)
    codes = np.searchsorted(edges, numbers).astype(np.int32)
    unit = kind if kind in "mM" else ""
    labels = interval_labels(edges, unit, numbers[0])
    return Target(
        codes,
        labels,
        edges,
        "binned",
        requested_kind=target_kind,
        unit=unit,
        n_classes_of_quantity=n_classes_of_quantity,
        values=numbers,
    )


def join_targets(parts: dict[str, Target]) -> Target:
    """Join targets: the classes are the combinations of their classes that occur, in lexicographic order."""
    n_combinations = prod(part.n_classes for part in parts.values())
    if n_combinations > MAX_JOINT_CLASSES:
        listed = ", ".join(f"{name!r} ({part.n_classes:,} classes)" for name, part in parts.items())
        raise UserError(
            code="too-many-classes",
            message=f"the targets {listed} could have {n_combinations:,} classes together",
            advice=f"at most {MAX_JOINT_CLASSES:,} are supported, use fewer columns, or columns with fewer values",
        )
    sizes = [part.n_classes for part in parts.values()]
    combinations = np.ravel_multi_index(tuple(part.codes for part in parts.values()), sizes)
    occurring, codes = np.unique(combinations, return_inverse=True)
    classes_of_parts = np.unravel_index(occurring, sizes)
    labels_of_parts = [
        part.labels[classes].tolist() for part, classes in zip(parts.values(), classes_of_parts, strict=True)
    ]
    labels = np.empty(len(occurring), dtype=object)
    labels[:] = list(zip(*labels_of_parts, strict=True))
    edges = list(chain.from_iterable(part.edges_of_columns for part in parts.values()))
    has_quantity = any(edges_of_part is not None for edges_of_part in edges)
    n_classes_of_quantity = max(part.n_classes_of_quantity for part in parts.values())
    first_part = next(iter(parts.values()))
    return Target(
        codes.astype(np.int32),
        labels,
        edges if has_quantity else None,
        "joint",
        tuple(parts),
        requested_kind=first_part.requested_kind,
        unit="".join(part.unit or " " for part in parts.values()),
        n_classes_of_quantity=n_classes_of_quantity,
    )


def read_values(y: ColumnLike, what: str) -> ColumnValues:
    """Read a column of the target as an array of numbers, dates, durations or booleans, or as categories."""
    if is_arrow_column(y):
        return _values_of_arrow_column(y, what)
    import narwhals as nw

    series = y if isinstance(y, np.ndarray) else nw.from_native(y, pass_through=True, allow_series=True)
    pyarrow = nw.dependencies.get_pyarrow()
    if isinstance(series, nw.Series):
        is_read_by_numpy = series.dtype.is_numeric() or series.dtype == nw.Object or series.dtype.is_temporal()
        if not is_read_by_numpy and not is_foreign(series):
            from bitsieve.dataset.arrow import arrow_of_series, with_declared_values

            arrow_array = arrow_of_series(series, what)
            return with_declared_values(_arrow(arrow_array, what), arrow_array)
        array = numpy_of_series(series)
    elif pyarrow is not None and isinstance(y, pyarrow.Array):
        return _arrow(y, what)
    else:
        array = as_array(y)
    if array.dtype.names is not None:
        raise UserError(
            code="wrong-kind-of-target",
            message=f"{what} is a structured array of the fields {', '.join(map(repr, array.dtype.names))}",
            advice="give one of them; a time to an event is for select and ForwardSelector",
        )
    if array.dtype.kind == "c":
        raise UserError(
            code="complex-numbers",
            message="Complex data not supported",
            advice="give classes or real numbers as the target",
        )
    if array.ndim == 0:
        raise UserError(
            code="wrong-shape",
            message=f"{what} is a single value, {y!r}",
            advice="give one value for each row",
        )
    if array.ndim != 1:
        from sklearn.utils.validation import column_or_1d

        array = column_or_1d(array, warn=True)
    if array.dtype.kind in "biufmM":
        return array
    return _arrow(array, what)


def _values_of_arrow_column(column: pa.ChunkedArray, what: str) -> ColumnValues:
    from bitsieve.dataset.arrow import is_number_or_time, numpy_of, with_declared_values

    if not is_number_or_time(column.type):
        return with_declared_values(_arrow(column, what), column)
    values = numpy_of(column)
    are_objects = values.dtype.kind == "O"  # decimals and times of day
    return _arrow(values, what) if are_objects else values


def is_foreign(series: nw.Series[Any]) -> bool:
    """Whether a series holds complex numbers, or numbers of the other byte order, which Arrow does not have."""
    kind = getattr(series.to_native(), "dtype", None)
    return isinstance(kind, np.dtype) and kind.kind in "ciuf" and (kind.kind == "c" or not kind.isnative)


def numpy_of_series(series: nw.Series[Any]) -> Values:
    """The values of a series. A series of pyarrow is converted without pandas."""
    if not series.implementation.is_pyarrow():
        values = series.to_numpy()
        return values.astype(values.dtype.newbyteorder("="), copy=False)
    from bitsieve.dataset.arrow import numpy_of

    return numpy_of(series.to_native())


def _arrow(values: ColumnLike, what: str) -> ColumnValues:
    from bitsieve.dataset.arrow import arrow_of, column_of_arrow, is_time, mixed_kinds, numpy_of

    array, is_mixed = arrow_of(values, what) if isinstance(values, np.ndarray) else (values, False)
    if is_mixed:
        raise mixed_kinds(what)
    return numpy_of(array) if is_time(array.type) else column_of_arrow(array, what)


def count_unusable(values: ColumnValues, row_counts: Integers | None = None) -> tuple[int, int]:
    """Count the rows with a missing and with an infinite value; ``row_counts[i]`` rows have value i, or one."""
    n_missing = _count_rows(is_missing(values), row_counts)
    if are_categories(values) or values.dtype.kind != "f":
        return n_missing, 0
    return n_missing, _count_rows(np.isinf(values), row_counts)


def _count_rows(mask: Flags, row_counts: Integers | None) -> int:
    return int(mask.sum() if row_counts is None else row_counts[mask].sum())


def without_value(y: ColumnLike) -> Flags:
    """Which samples have no value in one column of the target or more."""
    has_no_value = np.zeros(len(y), bool)
    for column in split_target(y).values():
        has_no_value |= is_missing(read_values(column, "the target"))
    return has_no_value
