"""Databases and lazy frames: rows are grouped and counted where they are, and only counts leave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bitsieve.dataset.data_kinds import is_lazy, is_path, take_columns
from bitsieve.dataset.encoding import are_categories, as_array, is_missing, lookup
from bitsieve.dataset.identifiers import RowNumbering
from bitsieve.dataset.original import OriginalData
from bitsieve.dataset.read import read_xy
from bitsieve.dataset.roles import split_columns
from bitsieve.dataset.target import read_values, split_target, without_value
from bitsieve.dataset.target_summary import TargetCoding, TargetPart
from bitsieve.dataset.text_format import ColumnRules
from bitsieve.diagnostics import UserError
from bitsieve.discretization.coding import Coding
from bitsieve.discretization.summary import Limits, Summary, summarize
from bitsieve.engines.grouped_counts import (
    LARGEST,
    Classes,
    GroupedSource,
    Groups,
    Key,
    Relation,
    answering,
    changed,
    code_by_cuts,
    doubles,
    whole,
)
from bitsieve.engines.in_parts import Merge, Packed, PartReader, Parts, Summarizing, TableInParts, Work
from bitsieve.engines.registry import DataInParts
from bitsieve.io.database import relation_of
from bitsieve.io.read import database_kind
from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Flags, Integers
from bitsieve.utils.messages import quoted
from bitsieve.utils.progress import phase

Result = TypeVar("Result")
_WHOLE = tuple(getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64))

_MANY_VALUES = 1 << 28  # 2 GiB as floats
_MANY_COLUMNS = 200  # every feature that is selected is counted with all of them


class Known(NamedTuple):
    """The values of a column in every class, or the largest ones of intervals, and how often each occurs."""

    values: Any  # an Arrow array
    groups: Integers  # shape (3, n_values): the class of each, -1 where it is missing, its rows and its samples
    is_whole: bool = True  # whether these are all values
    rank_error: float = 0.0  # of cuts between intervals
    row_numbering: RowNumbering | None = None  # of intervals

    @classmethod
    def of(cls, groups: Groups, classes: Classes) -> Known:
        """All values by which rows were grouped."""
        return cls(groups.keys[0], np.stack([classes.codes(groups), groups.rows, groups.samples]))

    def kept(self, chosen: Flags) -> Known:
        """Some of the values."""
        return self._replace(values=self.values.filter(pa.array(chosen)), groups=self.groups[:, chosen])

    def beside(self, other: Known) -> Known:
        """The values of both."""
        chunks = [*self.values.chunks, *other.values.cast(self.values.type).chunks]
        values = pa.chunked_array(chunks, self.values.type)
        return self._replace(values=values, groups=np.column_stack([self.groups, other.groups]))


class PartsInDatabase(Parts):
    """The rows of a relation, of which every column is looked at by itself: its values and how often each occurs."""

    label, limits, has_intervals = "the table", Limits(), True

    def __init__(self, frame: nw.LazyFrame[Any], schema: Mapping[str, Any], reader: PartReader) -> None:
        self.reader, self.schema, self.features = reader, schema, [str(name) for name in reader.features or ()]
        self.every, self.relation = Relation(frame), Relation(frame, reader.weight)
        self._target: tuple[Any, ...] | None = None
        self._known: dict[tuple[str, bool], Known] = {}

    def run(self, task: str, work: Work[Result], merge: Merge[Result], *, target_only: bool = False) -> Result | None:
        """Call ``work`` for the rows grouped by target and weight, which is all that is asked for."""
        if self._target is None:
            phase("reading")
            self._target = self._grouped_target()
        return work(0, *self._target) if self._target[0].num_rows else None

    def _grouped_target(self) -> tuple[Any, ...]:
        """The rows grouped by target and weight, as a part: a group of rows is weighted by its samples."""
        reader = self.reader
        others = [*reader.target, *([] if reader.weight is None else [reader.weight])]
        groups = self.every.groups({label: nw.col(label) for label in others}, self.limits.cells)
        if groups is None:
            raise UserError(
                code="too-many-values-to-group",
                message=f"the target {quoted(reader.target)} has more than {self.limits.cells:,} different values",
                advice="round it, or read the rows, by {push_down}",
                fix={"push_down": False},
                columns=[str(name) for name in reader.target],
            )
        part = pa.table({label: groups.keys[label] for label in others})
        reader.n_rows(part)  # refuses weights that are none
        y, given = reader.beside(part)
        self.n_without = int(groups.rows[without_value(y)].sum()) if reader.drop_missing and part.num_rows else 0
        weights = np.ones(part.num_rows) if given is None else as_array(given)
        kept = weights > 0
        part, rows = part.filter(pa.array(kept)), groups.rows[kept]
        samples = rows * weights[kept].astype(np.int64)
        if reader.weight is not None:
            part = part.set_column(others.index(reader.weight), reader.weight, pa.array(samples))
        return part, None, samples, rows

    def summarize(self, how: Summarizing, coding: Any, class_sizes: Any) -> tuple[Summary | None, None]:
        """The summaries of all columns, each of its groups; nothing is packed."""
        classes = self._classes(how.target)
        groups = self.relation.groups(classes.keys)
        assert groups is not None
        codes = classes.codes(groups)
        there, sizes = codes >= 0, np.zeros(how.target.target.n_classes, np.int64)
        np.add.at(sizes, codes[there], groups.samples[there])
        step, alone = phase("finding bins"), []
        for j in range(len(self.features)):
            alone.append(self._summary(j, how, classes))
            step(j + 1, len(self.features))
        together = Summary.beside(self.features, np.array(self.features, object), alone)
        rows, samples = int(groups.rows[there].sum()), int(sizes.sum())
        if self._target is None or rows != self._target[3].sum():
            raise changed()
        return replace(together, n_rows=rows, n_samples=samples, class_sizes=sizes), None

    def _summary(self, j: int, how: Summarizing, classes: Classes) -> Summary:
        """What the binner must know of a column."""
        known, left_out = self._values(j, classes, how), j in how.reader.left_out
        classes_of, rows, samples = known.groups
        table = read_xy(pa.table({self.features[j]: known.values}), None, samples, rules=self._rules(how.reader, j))
        y = replace(how.target.target, codes=classes_of.astype(np.int32))
        table = replace(table, y=y, times=rows)
        limits = replace(how.limits, cells=how.limits.cells * y.n_classes)  # what was fetched is known
        summary = summarize(table.without([0] if left_out else []), how.binner, limits=limits)
        if known.is_whole or left_out:
            return summary
        column = replace(summary.columns[0], rank_error=known.rank_error, row_numbering=known.row_numbering)
        return replace(summary, columns=[column])

    def _values(self, j: int, classes: Classes, how: Summarizing) -> Known:
        """The values of a column, fetched once; intervals of them where they are too many."""
        name, ends_only = self.features[j], how.binner.requires == "ends"
        if (name, ends_only) not in self._known:
            cells, n_classes = self.limits.cells, how.target.target.n_classes
            known = None
            if self.relation.n_values(name, 2 * cells // n_classes) <= cells // n_classes:
                groups = self.relation.groups({0: nw.col(name), **classes.keys}, cells)
                known = None if groups is None else Known.of(groups, classes)
            if known is None and self.schema[name].is_numeric():
                known = intervals_of(self.relation, name, classes, 1 if ends_only else cells // n_classes // 4)
            if known is None:
                known = some_values_of(self.relation, name, cells)
            self._known[name, ends_only] = known.kept(known.groups[0] >= 0)
        return self._known[name, ends_only]

    def _rules(self, reader: PartReader, j: int) -> ColumnRules:
        """How a column is read that is alone."""
        forms, types = reader.rules.formats or {}, reader.rules.types_by_index(self.features)
        own = {0: forms[j]} if j in forms else {}
        return replace(reader.rules, formats=own, types={self.features[j]: types[j]} if j in types else {})

    def _classes(self, target: TargetCoding) -> Classes:
        """The classes as what rows are grouped by: values of the target, or intervals of a quantity."""
        unweighted = replace(self.reader, weight=None)
        parts = dict(zip(unweighted.target, target.parts.values(), strict=True))
        keys = {label: nw.col(label) for label in parts}
        cut = [label for label, of in parts.items() if of.target.edges is not None and self.schema[label].is_numeric()]
        for label in cut:
            edges = parts[label].target.edges.tolist()
            keys[label] = code_by_cuts(keys[label].cast(nw.Float64), edges, "left")

        def codes(groups: Groups) -> Integers:
            y, _ = unweighted.beside(pa.table({label: groups.keys[label] for label in parts}))
            given = zip(parts.items(), split_target(y).values(), strict=True)
            by_column = [whole(of) if label in cut else _classes_of(of, part) for (label, part), of in given]
            missing = np.min(by_column, axis=0) < 0
            if not target.is_joint:
                return by_column[0]
            assert target.combinations is not None  # they are found first
            sizes = [part.target.n_classes for part in parts.values()]
            together = np.ravel_multi_index(tuple(np.maximum(by_column, 0)), sizes)
            return np.where(missing, -1, np.searchsorted(target.combinations, together))

        return Classes(keys, codes)

    def pack(self, reader: PartReader, target: TargetCoding, coding: Coding, class_sizes: Integers) -> Packed:
        """How the columns are grouped by their codes."""
        columns = [j for j in range(len(self.features)) if j not in reader.left_out]
        keys = {j: self._key(j, reader, coding) for j in columns}
        keys = {j: key for j, key in keys.items() if coding.arities[j] > 1}
        classes = self._classes(target)
        return Packed(partial(GroupedSource, self.relation, keys, classes, coding.arities, class_sizes))

    def _key(self, j: int, reader: PartReader, coding: Coding) -> Key:
        """A column as what rows are grouped by: the code that follows from its cuts, or its values."""
        name, binner = self.features[j], coding.binner
        known = next(of for (column, _), of in self._known.items() if column == name)
        if self.schema[name].is_numeric() and binner.categories_[j] is None:
            missing = int(binner.n_bins_[j]) - 1 if binner.missing == "bin" else -1
            number = code_by_cuts(nw.col(name).cast(nw.Float64), binner.bin_edges_[j].tolist(), binner.side)
            return Key(number, int(binner.n_bins_[j]), lambda of: np.where((code := whole(of)) < 0, missing, code))
        if not known.is_whole:
            raise UserError(
                code="too-many-values-to-group",
                message=f"column {name!r} has more than {self.limits.cells:,} values, too many to group rows by",
                advice="add {exclude}, or read the rows, by {push_down}",
                fix={"exclude": [name], "push_down": False},
                columns=[str(name)],
            )
        alone, rules = coding.alone(j), self._rules(reader, j)

        def codes(values: Any) -> NDArray[np.integer]:
            found: NDArray[np.integer] = alone.codes(read_xy(pa.table({name: values}), rules=rules))[:, 0]
            return found

        return Key(nw.col(name), len(known.values), codes)


def some_values_of(relation: Relation, name: str, most: int) -> Known:
    """Some values of a column that has too many to group by, each as often as they are on average."""
    known = relation.where(~nw.col(name).is_null())
    n_rows = known.fetched(lambda frame: frame.select(rows=nw.len()))["rows"][0].as_py()
    values = known.fetched(lambda frame: frame.select(name).unique().head(most))[name]
    times = np.full(len(values), max(1, n_rows // max(1, known.n_values(name))))
    return Known(values, np.stack([np.zeros_like(times), times, times]), is_whole=False)


def intervals_of(relation: Relation, name: str, classes: Classes, n_intervals: int) -> Known:
    """Numbers by intervals of one width (1: the ends), each by its largest; missing and infinite ones beside them."""
    column, number = nw.col(name), nw.col(name).cast(nw.Float64)
    is_inside = nw.when((number >= -LARGEST) & (number <= LARGEST)).then(nw.lit(1)).otherwise(nw.lit(0))
    inside, other = relation.where(is_inside == 1), relation.where(is_inside == 0)
    outside = Known.of(cast(Groups, other.groups({0: column, **classes.keys})), classes)
    ends = inside.fetched(lambda frame: frame.select(low=column.min(), high=column.max(), rows=nw.len()))
    low, high, n_rows = (ends[of][0].as_py() for of in ends.column_names)
    numbers, error = None, 0.0
    if n_intervals == 1:
        found = Known(pa.chunked_array([*ends["low"].chunks, *ends["high"].chunks]), np.array([[0, 0], [1, 1], [1, 1]]))
    else:
        place = ((number - float(low)) * (n_intervals / (float(high) - float(low)))).cast(nw.Int64)
        groups = cast(Groups, inside.groups({0: place, **classes.keys}, of=name))
        _, of_interval = np.unique(whole(groups.keys[0]), return_inverse=True)
        most, last = doubles(groups.high), np.zeros(of_interval.max() + 1, np.int64)
        order = np.argsort(most, kind="stable")
        last[of_interval[order]] = order  # the group with the largest number of each interval
        several = np.zeros(len(last), bool)
        np.logical_or.at(several, of_interval, (doubles(groups.low) < most) | (most < most[last[of_interval]]))
        error = float((np.bincount(of_interval, groups.rows) * several).max() / n_rows)
        found = Known.of(groups, classes)._replace(values=groups.high.take(pa.array(last[of_interval])))
    if ends["low"].type in _WHOLE and not outside.groups[1].sum() and high - low == n_rows - 1:
        numbers = RowNumbering.of_range(low, n_rows) if inside.n_values(name) == n_rows else None
    return found.beside(outside)._replace(is_whole=False, rank_error=error, row_numbering=numbers)


def _classes_of(values: Any, part: TargetPart) -> Integers:
    """The classes of what a column of the target came back as; -1 where it is missing."""
    known = read_values(values, "the target")
    missing = is_missing(known)
    given = known.categories if are_categories(known) else known[~missing]
    if part.target.edges is None and (lookup(given, part.values) < 0).any():
        raise changed()
    return np.where(missing, -1, part.codes(known)).astype(np.int64)


def is_worth_it(data: Any) -> bool:
    """Whether a lazy frame or a database file has too many rows to read them, and few columns, of kinds to group by."""
    data = relation_of(data, _MANY_VALUES) if is_path(data) else data
    if data is None:
        return False
    with answering():
        frame = nw.from_native(data).lazy()
        kinds = frame.collect_schema().dtypes()
        if len(kinds) > _MANY_COLUMNS or any(kind.is_temporal() and kind != nw.Date for kind in kinds):
            return False
        return len(kinds) * int(frame.select(nw.len()).collect("pyarrow").item()) > _MANY_VALUES


class DatabaseSource(DataInParts):
    """A lazy frame, such as a relation of a database, whose rows are counted where they are.

    Parameters
    ----------
    data : lazy frame or path
        A DuckDB relation, a polars LazyFrame, an Ibis table, or what else narwhals takes lazily; or a database file.
    """

    def __init__(self, data: Any) -> None:
        if database_kind(data):
            path, data = data, relation_of(data)
            if data is None:
                raise UserError(
                    code="package-missing",
                    message=f"rows of {str(path)!r} are counted where they are by Ibis, which is not installed",
                    advice="pip install 'ibis-framework[sqlite]', or read them, by {push_down}",
                    fix={"push_down": False},
                )
        if not is_lazy(data):
            raise UserError(
                code="data-type-not-read",
                message=f"data is {type(data).__name__}",
                advice="give a lazy frame, such as a relation of a database",
            )
        self.data = data

    def read_in_parts(self, options: ReadOptions) -> TableInParts:
        with answering():
            frame = nw.from_native(self.data).lazy()
            schema = dict(frame.collect_schema())
        roles = split_columns(list(schema), options.target, options.sample_weight, unnamed=options.target_name)
        if not roles.target or (options.sample_weight is not None and roles.weight is None):
            what = "target" if not roles.target else "weights"
            raise UserError(
                code="column-needed",
                message=f"the {what} must be a column of the table, where the rows are counted",
                advice="name it",
            )
        table = TableInParts.read(partial(PartsInDatabase, frame, schema), roles, len(schema), options)
        features = np.array(roles.features, object)

        def with_target(names: Any) -> Any:
            return frame.select([*names, *roles.others]).collect("pyarrow").to_native()

        def take(indices: Any) -> Any:
            return take_columns(self.data, features[indices].tolist())

        table.original = OriginalData(take, with_target, roles.weight_name, roles.features)
        return table
