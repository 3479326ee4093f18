"""Saved counts: the contingency tables of all pairs of columns, in a file. Counts of different rows can be added."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import reduce
from hashlib import sha256
from math import prod
from operator import add
from os import PathLike
from pathlib import Path
from shlex import quote
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource
from bitsieve.counts.strata import MergedClasses, SourceInStrata
from bitsieve.counts.tables import ContingencyTable
from bitsieve.dataset.column_info import ColumnInfo
from bitsieve.dataset.column_summary import union_of_values
from bitsieve.dataset.dataset import OutOfCoreDataset
from bitsieve.dataset.encoding import lookup
from bitsieve.dataset.identifiers import are_counts_of_identifier
from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.target import KindOfTarget, Target
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.discretization.base import Binning
from bitsieve.discretization.coding import array_from_json, array_to_json, rule_facts, rule_from_facts
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.engines import checked_facts
from bitsieve.engines.counted_strata import CountedStrata, check_strata_facts
from bitsieve.engines.partitioned_dataset import PartitionedDataset
from bitsieve.io.errors import DataError, in_one_line
from bitsieve.io.output import writing
from bitsieve.io.saved_files import COUNTS_FILE, is_saved_selection, is_saved_vocabulary
from bitsieve.utils.arrays import Columns, Integers, Values
from bitsieve.utils.messages import quoted
from bitsieve.utils.progress import phase
from bitsieve.utils.types import JsonObject

SITE = "site"  # the name of the strata that are the sites
OTHER = "(other)"  # the category of all text that a vocabulary does not list
MAX_ROWS = 1 << 53  # of a class
CELL_BYTES = 8
MAX_CELLS = 1 << 28  # all tables together, which take 2 GiB


@dataclass(frozen=True, eq=False)
class SavedCounts:
    """The tables of every pair of columns with the class, and what the codes in them mean."""

    names: list[str]  # the columns
    target: Target  # the classes, without the codes of rows
    binner: Binning  # fitted: how the columns became codes
    arities: NDArray[np.int32]  # the number of codes of every column, whether they occur or not
    class_sizes: Integers  # of the classes, or of the combinations of stratum and class
    cells: Integers  # the tables of the pairs (0, 0), (0, 1), ..., (1, 1), (1, 2), ... one after the other, in C order
    dropped: tuple[int, ...] = ()  # columns that were left out, such as identifiers: they have one code
    site: str = ""  # who counted the rows, for messages
    has_intervals_in_words: bool = False  # whether categories may be the names of intervals, as a database returns them
    times: Mapping[int, Literal["dates", "durations"]] = field(default_factory=dict)  # by column index
    salt: str = ""  # the fingerprint of the salt by which the text of categories was hashed; empty for plain text
    rounding_bases: tuple[int, ...] = ()  # one for each site whose counts are rounded to multiples of it
    strata: CountedStrata | None = None  # the classes of the tables are its combinations; None without strata

    @property
    def digest(self) -> str:
        """The SHA-256 of the counts and of what they mean; it is the same under another name of the site."""
        facts = {**_meaning(self), "class_sizes": self.class_sizes.tolist()}
        return _digest(json.dumps(facts).encode(), np.ascontiguousarray(self.cells, "<i8").data).decode().strip()

    def __add__(self, other: SavedCounts) -> SavedCounts:
        """The counts of both parts of the rows. A category or a class that one of them lacks has no rows there.

        A column that one of them left out is left out. Counts whose columns or bins are not the same are refused.
        """
        if self.salt != other.salt:
            raise UserError(
                code="counts-differ",
                message="the text of categories was hashed by different salts, or in some of the counts alone",
                advice="count all parts with the same --salt-file, or without",
            )
        check_same_strata(self.strata, other.strata)
        first, second = _with_common_values(self.without(other.dropped), other.without(self.dropped))
        if _meaning(first) != _meaning(second):
            raise UserError(
                code="counts-differ",
                message="the counts do not add up, since their columns or bins differ",
                advice=(
                    "count all parts with the bins of the first, by 'bitsieve count DATA --like COUNTS', with the same "
                    "vocabularies and --bins, or all rows by one statement of 'bitsieve sql'"
                ),
            )
        sites = ", ".join(site for site in (first.site, second.site) if site)
        class_sizes = first.class_sizes + second.class_sizes
        cells = first.cells + second.cells
        rounding_bases = first.rounding_bases + second.rounding_bases
        return replace(first, class_sizes=class_sizes, cells=cells, site=sites, rounding_bases=rounding_bases)

    def without(self, columns: Sequence[int]) -> SavedCounts:
        """The counts with one code for every row in these columns, and in those that were left out before."""
        dropped = sorted({*self.dropped, *columns})
        if tuple(dropped) == self.dropped and (self.arities[dropped] == 1).all():
            return self
        arities = self.arities.copy()
        arities[dropped] = 1
        n_classes = len(self.class_sizes)
        cells = np.empty(n_cells(arities, n_classes), np.int64)
        tables = each_table(self.cells, self.arities, n_classes)
        for (i, j, pooled), (_, _, table) in zip(each_table(cells, arities, n_classes), tables, strict=True):
            if i in dropped:
                table = table.sum(axis=0, keepdims=True)
            if j in dropped:
                table = table.sum(axis=1, keepdims=True)
            pooled[:] = table
        times = {j: kind for j, kind in self.times.items() if j not in dropped}
        binner = _with_one_code(self.binner, dropped)
        return replace(self, binner=binner, arities=arities, cells=cells, dropped=tuple(dropped), times=times)

    def in_one_stratum(self, name: str, value: str) -> SavedCounts:
        """The counts of rows that all lie in one stratum."""
        return replace(self, strata=CountedStrata.one_stratum(name, value, len(self.class_sizes)))

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the counts to a folder, which is made."""
        check_folder(folder)
        path = Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(
                code="cannot-write",
                message=f"cannot make the folder {str(path)!r}: {error.strerror}",
            ) from None
        content = {
            **_meaning(self),
            "class_sizes": self.class_sizes.tolist(),
            "site": self.site,
            "rounding_bases": list(self.rounding_bases),
        }
        facts = json.dumps(content).encode() + b"\n"
        cells = np.ascontiguousarray(self.cells, "<i8").data
        with writing(path / COUNTS_FILE, "counts") as file:
            file.write(_digest(facts, cells))
            file.write(facts)
            file.write(cells)

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> SavedCounts:
        """Read what :meth:`save` has written; refused if the folder holds no whole counts."""
        path = Path(folder)
        if is_saved_selection(path):
            raise DataError(
                code="not-saved-counts",
                message=f"{str(path)!r} is a selection of 'bitsieve select --save', and holds no counts",
                advice="give the folder that 'bitsieve count --save' names",
            )
        if is_saved_vocabulary(path):
            raise DataError(
                code="not-saved-counts",
                message=f"{str(path)!r} is a vocabulary of 'bitsieve count --vocabulary', and holds no counts",
                advice="count with 'bitsieve count DATA --like' and the vocabularies of all sites first",
            )
        if not (path / COUNTS_FILE).is_file():
            raise DataError(
                code="not-saved-counts",
                message=f"{str(path)!r} holds no counts of 'bitsieve count'",
                advice="give the folder that its --save names",
            )
        with in_one_line(f"{str(path)!r} holds no counts of 'bitsieve count'"):
            with open(path / COUNTS_FILE, "rb") as file:
                digest = file.readline()
                text = file.readline()
                content = file.read()
            if digest != _digest(text, content):
                raise _damaged(path)
            facts = json.loads(text)
            _check_facts(facts, len(content) // CELL_BYTES)
            counts = cls(
                names=facts["names"],
                target=_target_from_facts(facts),
                binner=rule_from_facts(facts, facts["names"]),
                arities=np.array(facts["arities"], np.int32),
                class_sizes=np.array(facts["class_sizes"], np.int64),
                cells=np.frombuffer(content, "<i8").astype(np.int64, copy=False),
                dropped=tuple(facts["left_out"]),
                site=str(facts.get("site", "")),
                times=dict(facts.get("times", [])),
                salt=str(facts.get("salt", "")),
                rounding_bases=tuple(facts.get("rounding_bases", [])),
                strata=_strata_from_facts(facts),
            )
        has_all_cells = counts.cells.shape == (n_cells(counts.arities, len(counts.class_sizes)),)
        n_rows = int(counts.class_sizes.sum())
        if not has_all_cells or (counts.cells < 0).any() or (counts.cells > n_rows).any():
            raise _damaged(path)
        return counts


def _damaged(path: Path) -> DataError:
    return DataError(
        code="damaged-file",
        message=f"the counts in {str(path)!r} are incomplete",
        advice="count again",
    )


def _check_facts(facts: JsonObject, n_stored: int) -> None:
    """Refuse facts that are not those of ``n_stored`` cells, as any site may have written them."""
    n_columns = len(checked_facts.distinct_texts(facts, "names"))
    class_sizes = checked_facts.whole_numbers(facts, "class_sizes", None, 0, MAX_ROWS)
    for arity in checked_facts.whole_numbers(facts, "arities", n_columns, 1, n_stored):
        if arity * arity * len(class_sizes) > n_stored:  # the cells of the column with itself
            raise ValueError("it has fewer cells than its columns have values")
    checked_facts.check_rule(facts, n_columns, n_stored)
    n_counted_classes = len(checked_facts.plain_array(facts["labels"], "labels"))
    if facts.get("strata") is not None:
        n_counted_classes = check_strata_facts(facts["strata"], n_counted_classes)
    if n_counted_classes != len(class_sizes):
        raise ValueError("'class_sizes' has another length than the classes")
    if facts["edges"] is None:
        checked_facts.sorted_array(facts["labels"], "labels")
    else:
        checked_facts.rising_numbers(facts["edges"], "edges")
    checked_facts.choice(facts, "kind", get_args(KindOfTarget))
    checked_facts.text(facts, "target")
    checked_facts.text(facts, "unit")
    dropped = checked_facts.whole_numbers(facts, "left_out", None, 0, n_columns - 1)
    if dropped != sorted(set(dropped)):
        raise ValueError("'left_out' is not sorted")
    for column_and_kind in facts.get("times", []):
        j, kind = column_and_kind
        if type(j) is not int or not 0 <= j < n_columns or kind not in ("dates", "durations"):
            raise ValueError("'times' names no column or no kind of times")
    checked_facts.whole_numbers({"rounding_bases": [], **facts}, "rounding_bases", None, 1, MAX_ROWS)


def _target_from_facts(facts: JsonObject) -> Target:
    edges = facts["edges"]
    return Target(
        codes=np.empty(0, np.int32),
        labels=array_from_json(facts["labels"]),
        edges=None if edges is None else np.array(edges),
        kind=facts["kind"],
        name=facts["target"],
        requested_kind=TargetKind("classes" if edges is None else "quantity"),
        unit=facts["unit"],
    )


def _strata_from_facts(facts: JsonObject) -> CountedStrata | None:
    if facts.get("strata") is None:
        return None
    return CountedStrata.from_facts(facts["strata"], len(array_from_json(facts["labels"])))


def check_folder(folder: str | PathLike[str]) -> None:
    """Refuse a file where counts are to be saved."""
    if is_saved_selection(folder):
        raise DataError(
            code="cannot-write",
            message=f"{str(folder)!r} is a selection of 'bitsieve select --save', and counts are saved to a folder",
            advice="give another name",
        )
    if Path(folder).is_file():
        raise DataError(
            code="cannot-write",
            message=f"{str(folder)!r} is a file, and counts are saved to a folder",
            advice="give another name",
        )


def load_sum(paths: Sequence[str]) -> SavedCounts:
    """The sum of several saved counts; the same counts given twice are refused."""
    return reduce(add, load_parts(paths))


def load_parts(paths: Sequence[str], load: Callable[[str], SavedCounts] = SavedCounts.load) -> list[SavedCounts]:
    """Several saved counts, in order; the same counts given twice are refused."""
    path_of_digest: dict[str, str] = {}
    counts_of_parts: list[SavedCounts] = []
    for path in paths:
        counts = load(path)
        if counts.digest in path_of_digest:
            origin = f" of {counts.site!r}" if counts.site else ""
            raise UserError(
                code="counts-repeated",
                message=f"{path!r} holds the same counts{origin} as {path_of_digest[counts.digest]!r}",
                advice="give them once",
            )
        path_of_digest[counts.digest] = path
        counts_of_parts.append(counts)
    return counts_of_parts


def in_strata(parts: Sequence[SavedCounts], names: Sequence[str]) -> list[SavedCounts]:
    """Saved counts within the strata of a name: those by which they were counted, or one for each site."""
    if len(names) > 1:
        raise UserError(
            code="strata-not-supported",
            message="saved counts have no joint values of several strata",
            advice="name one column",
        )
    (name,) = names
    names_of_parts = {part.strata.name if part.strata is not None else None for part in parts}
    if names_of_parts == {name}:
        return list(parts)
    if names_of_parts != {None}:
        counted = sorted(filter(None, names_of_parts))
        raise UserError(
            code="strata-not-supported",
            message=f"the counts are not within the strata {name!r}, but within {quoted(counted)}",
            advice="name that, or count all parts again with --strata",
        )
    if name != SITE:
        raise UserError(
            code="strata-not-supported",
            message=f"the counts are not within the strata {name!r}",
            advice=f"count all parts again with --strata {quote(name)}, or add --strata {SITE} to compare within sites",
        )
    if not all(part.site for part in parts):
        raise UserError(
            code="strata-not-supported",
            message=f"some of the counts do not name their site, which --strata {SITE} needs",
            advice="count again with --site NAME",
        )
    return [part.in_one_stratum(SITE, part.site) for part in parts]


class TabledSource(CountSource):
    """Saved tables of pairs as a source of counts, for methods that need no other tables."""

    def __init__(self, counts: SavedCounts) -> None:
        self.counts = counts
        self.n_jobs = None
        self.class_sizes = counts.class_sizes
        self.n_classes = len(counts.class_sizes)
        self.n_samples = int(counts.class_sizes.sum())
        self.n_features = len(counts.names)
        self._offsets = _offsets(counts.arities, self.n_classes)
        self.arities = np.array([self._n_occurring_codes(j) for j in range(self.n_features)], np.int32)

    def _n_occurring_codes(self, j: int) -> int:
        """One more than the largest code that occurs, as of columns in memory."""
        samples_of_code = self._dense(j, j).sum(axis=(1, 2))
        return int(np.flatnonzero(samples_of_code)[-1]) + 1

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        tables = []
        for column in map(int, columns):
            if pivot is None:
                n_first = 1
                dense = self._dense(column, column).sum(axis=1)[None]
            else:
                n_first = int(self.arities[pivot])
                dense = self._dense(pivot, column)
            dense = dense[:n_first, : self.arities[column]]
            if not by_class:
                dense = dense.sum(axis=2, keepdims=True)
            flat = np.ascontiguousarray(dense).reshape(-1)
            cells = np.flatnonzero(flat)
            n_first_codes, n_codes, n_classes = dense.shape
            tables.append(ContingencyTable.of_cells((n_first_codes, n_codes, n_classes), cells, flat[cells]))
        return tables

    def _dense(self, i: int, j: int) -> Integers:
        """The cells of a pair, of shape (codes of i, codes of j, classes)."""
        first_column = min(i, j)
        second_column = max(i, j)
        arities = self.counts.arities
        n_first = int(arities[first_column])
        shape = (n_first, int(arities[second_column]), self.n_classes)
        codes_between = int(arities[first_column:second_column].sum())  # of the tables with columns before the second
        start = self._offsets[first_column] + n_first * self.n_classes * codes_between
        dense = self.counts.cells[start : start + prod(shape)].reshape(shape)
        return dense if i <= j else dense.transpose(1, 0, 2)


def count_all_pairs(
    source: CountSource, names: Sequence[str], target: Target, binner: Binning, arities: NDArray[np.int32]
) -> SavedCounts:
    """Count the tables of all pairs of columns of a source, whose codes are below ``arities``; too many are refused."""
    n_columns = len(names)
    total = n_cells(arities, source.n_classes)
    check_cells(total, n_columns)
    report = phase("counting pairs")
    cells = np.zeros(total, np.int64)
    tables_of_all_pairs = each_table(cells, arities, source.n_classes)
    for i in range(n_columns):
        counted_tables = source.tables(i, np.arange(i, n_columns), True)
        # ``strict`` is off, as the pairs of the next columns follow those of column i.
        for counted_table, (_, _, cells_of_pair) in zip(counted_tables, tables_of_all_pairs, strict=False):
            n_codes_i, n_codes_j, _ = counted_table.shape
            cells_of_pair[:n_codes_i, :n_codes_j] = counted_table.dense()
        report(i + 1, n_columns)
    return SavedCounts(list(names), target, binner, arities.astype(np.int32), source.class_sizes, cells)


def _digest(*contents: bytes | memoryview) -> bytes:
    """The SHA-256 of some contents, one after the other, as a line."""
    digest = sha256()
    for content in contents:
        digest.update(content)
    return digest.hexdigest().encode() + b"\n"


def n_cells(arities: NDArray[np.int32], n_classes: int) -> int:
    """Cells of the tables of all pairs with the class."""
    return int(_offsets(arities, n_classes)[-1])


def check_cells(total: int, n_columns: int) -> None:
    """Refuse tables of more cells than fit into memory."""
    if total > MAX_CELLS:
        raise UserError(
            code="table-too-large",
            message=(f"the tables of all pairs of {n_columns:,} columns have {total:,} cells, more than {MAX_CELLS:,}"),
            advice="give fewer columns or bins",
        )


def _offsets(arities: NDArray[np.int32], n_classes: int) -> Integers:
    """The offset of the tables of each column with itself and those after it; the last offset is the end.

    Column i with m_i codes takes ``m_i (m_i + m_(i+1) + ...) n_classes`` cells.
    """
    codes = arities.astype(np.int64)
    codes_from = codes[::-1].cumsum()[::-1]  # of each column and those after it
    return np.concatenate([[0], np.cumsum(codes * codes_from * n_classes)])


def _meaning(counts: SavedCounts) -> JsonObject:
    """What must be equal for tables to add up, as JSON holds it."""
    binner = counts.binner
    target = counts.target
    edges = None if target.edges is None else [float(edge) for edge in target.edges]
    return {
        "names": list(counts.names),
        "arities": counts.arities.tolist(),
        **rule_facts(binner),
        "target": target.name,
        "kind": target.kind,
        "labels": array_to_json(target.labels),
        "edges": edges,
        "unit": target.unit,
        "left_out": list(counts.dropped),
        "times": sorted(counts.times.items()),
        "salt": counts.salt,
        "strata": None if counts.strata is None else counts.strata.facts(),
    }


def check_same_strata(first: CountedStrata | None, second: CountedStrata | None) -> None:
    """Refuse counts within strata beside others, or beside counts within those of another column."""
    name = None if first is None else first.name
    other_name = None if second is None else second.name
    if name == other_name:
        return
    if name is None or other_name is None:
        message = f"some of the counts were counted within the strata {name or other_name!r}, and others without strata"
    else:
        message = f"some of the counts were counted within the strata {name!r}, and others within {other_name!r}"
    raise UserError(code="counts-differ", message=message, advice="count all parts with the same --strata")


def _with_common_values(first: SavedCounts, second: SavedCounts) -> tuple[SavedCounts, SavedCounts]:
    """Both counts with the categories and the classes of both; a column of two kinds is refused."""
    if first.names != second.names or first.dropped != second.dropped:
        return first, second
    if first.has_intervals_in_words or second.has_intervals_in_words:
        return first, second
    categories_of_column: dict[int, Values] = {}
    for j, name in enumerate(first.names):
        first_values = first.binner.categories_[j]
        second_values = second.binner.categories_[j]
        if j not in first.dropped and first_values is not None and second_values is not None:
            categories_of_column[j] = union_of_values(first_values, second_values, f"column {name!r}")
    if first.target.edges is not None or second.target.edges is not None:
        first_labels = first.target.labels
        second_labels = second.target.labels
    else:
        first_labels = second_labels = union_of_values(first.target.labels, second.target.labels, "the target")
    first_extended = extended(first, categories_of_column, first_labels)
    second_extended = extended(second, categories_of_column, second_labels)
    if first_extended.strata is None or second_extended.strata is None:
        return first_extended, second_extended
    strata = first_extended.strata.union(second_extended.strata)
    return with_combinations(first_extended, strata), with_combinations(second_extended, strata)


def with_categories(binner: Binning, categories_of_column: Mapping[int, Values]) -> Binning:
    """A copy of a fitted rule with these categories, by column index; other columns keep their bins."""
    has_missing_code = binner.missing == "bin"  # the last code of every column
    categories = list(binner.categories_)
    extended = copy(binner)
    extended.categories_ = categories
    extended.n_bins_ = binner.n_bins_.copy()
    for j, values in categories_of_column.items():
        categories[j] = values
        extended.n_bins_[j] = len(values) + has_missing_code
    return extended


def _with_one_code(binner: Binning, columns: Sequence[int]) -> Binning:
    """A copy of a fitted rule with one code for every value of these columns."""
    pooled = copy(binner)
    pooled.n_bins_ = binner.n_bins_.copy()
    pooled.n_bins_[columns] = 1
    pooled.categories_ = list(binner.categories_)
    edges = list(binner.bin_edges_)
    for j in columns:
        pooled.categories_[j] = np.zeros(1, np.uint8)
        edges[j] = np.empty(0)
    pooled.bin_edges_ = RaggedArray.from_arrays(edges)
    return pooled


def extended(counts: SavedCounts, categories_of_column: Mapping[int, Values], labels: Values) -> SavedCounts:
    """The same counts in tables with a code for every one of these categories and labels."""
    has_missing_code = counts.binner.missing == "bin"
    binner = with_categories(counts.binner, categories_of_column)
    arities = counts.arities.copy()
    new_codes = [np.arange(arity) for arity in counts.arities]
    for j, values in categories_of_column.items():
        old_values: Any = counts.binner.categories_[j]  # both counts have categories here
        codes = lookup(old_values, values)
        new_codes[j] = np.append(codes, len(values)) if has_missing_code else codes
        arities[j] = binner.n_bins_[j]
    new_classes = lookup(counts.target.labels, labels).astype(np.int64)
    target = replace(counts.target, labels=labels)
    if counts.strata is None:
        tables = _recoded(counts, new_codes, arities, new_classes, len(labels))
        return replace(tables, target=target, binner=binner)
    strata = counts.strata.with_classes(new_classes, len(labels))
    tables = _recoded(counts, new_codes, arities, np.arange(strata.n_combinations), strata.n_combinations)
    return replace(tables, target=target, binner=binner, strata=strata)


def with_combinations(counts: SavedCounts, strata: CountedStrata) -> SavedCounts:
    """The same counts in tables of these combinations of stratum and class, which have all of their own."""
    assert counts.strata is not None
    new_classes = counts.strata.positions_in(strata)
    same_codes = [np.arange(arity) for arity in counts.arities]
    tables = _recoded(counts, same_codes, counts.arities, new_classes, strata.n_combinations)
    return replace(tables, strata=strata)


def _recoded(
    counts: SavedCounts,
    new_codes: Sequence[Integers],
    arities: NDArray[np.int32],
    new_classes: Integers,
    n_classes: int,
) -> SavedCounts:
    """The same counts, where code a of column j is ``new_codes[j][a]``, and class c is ``new_classes[c]``.

    ``arities`` are the new numbers of codes, and ``n_classes`` is the new number of classes.
    """
    class_sizes = np.zeros(n_classes, np.int64)
    class_sizes[new_classes] = counts.class_sizes
    total = n_cells(arities, n_classes)
    check_cells(total, len(arities))
    has_same_codes = all(np.array_equal(codes, np.arange(len(codes))) for codes in new_codes)
    if total == len(counts.cells) and has_same_codes:
        return counts
    cells = np.zeros(total, np.int64)
    old_tables = each_table(counts.cells, counts.arities, len(counts.class_sizes))
    tables = each_table(cells, arities, n_classes)
    for (i, j, old_table), (_, _, table) in zip(old_tables, tables, strict=True):
        table[np.ix_(new_codes[i], new_codes[j], new_classes)] = old_table
    return replace(counts, arities=arities, class_sizes=class_sizes, cells=cells)


def each_table(cells: Integers, arities: NDArray[np.int32], n_classes: int) -> Iterator[tuple[int, int, Integers]]:
    """Every pair of columns and its table, a view."""
    start = 0
    for i in range(len(arities)):
        for j in range(i, len(arities)):
            shape = (int(arities[i]), int(arities[j]), n_classes)
            end = start + prod(shape)
            yield i, j, cells[start:end].reshape(shape)
            start = end


class SavedCountsDataset(OutOfCoreDataset):
    """Saved counts in place of a table: they are binned and counted already.

    ``within_strata`` says whether information is within the strata of the counts, or of all rows.
    """

    def __init__(
        self,
        counts: SavedCounts,
        *,
        named: bool = True,
        identifier_candidates: Collection[int] = (),
        within_strata: bool = False,
    ) -> None:
        self.within_strata = within_strata
        self.identifier_candidates = identifier_candidates  # none where identifiers were dropped before counting
        self.counts = counts
        self.names = counts.names
        self.feature_names = np.array(counts.names, object) if named else None
        self.original = None
        self.dropped = counts.dropped
        dropped = [str(self.names[j]) for j in self.dropped]
        self.diagnostics = (left_out_of_counts(dropped),) if dropped else ()
        source = TabledSource(counts)
        tables = source.tables(None, np.arange(len(counts.names)), False)
        self._has_one_code = np.array([len(table.occupied()[0]) <= 1 for table in tables], bool)
        self._uncut = {*counts.binner.columns_without_cut.tolist()} - {*counts.dropped}
        self._coded_arities = source.arities.astype(np.int64)

    @property
    def capabilities(self) -> frozenset[str]:
        if self.within_strata:
            return frozenset({"tables"})  # tables of pairs of columns
        return frozenset({"tables", "unstratified"})

    @property
    def class_counts_of_strata(self) -> Integers | None:
        if self.counts.strata is None or not self.within_strata:
            return None
        return self.counts.strata.combinations.class_counts(self.counts.class_sizes)

    @property
    def can_leave_out(self) -> bool:
        return False  # all columns were counted

    @property
    def n_samples(self) -> int:
        return int(self.counts.class_sizes.sum())

    @property
    def target(self) -> Target:
        return self.counts.target

    @property
    def coded_arities(self) -> Integers:
        return self._coded_arities

    def summarize(self, binner: Any = None) -> list[ColumnInfo]:
        return [self._describe(j) for j in range(self.n_features)]

    def _describe(self, j: int) -> ColumnInfo:
        is_constant = bool(self._has_one_code[j])
        categories = self.counts.binner.categories_[j]
        if j not in self.identifier_candidates or categories is None:
            return ColumnInfo(is_constant=is_constant)
        (table,) = TabledSource(self.counts).tables(None, np.array([j]), False)
        codes, n_rows = table.occupied()
        has_value = codes < len(categories)  # the code behind those of all categories is that of missing values
        return ColumnInfo(
            is_constant=is_constant,
            has_values=bool(has_value.any()),
            is_identifier=are_counts_of_identifier(categories[codes[has_value]], n_rows[has_value]),
        )

    def with_small_integers_as_categories(self, n_jobs: int | None = None) -> tuple[SavedCountsDataset, bool]:
        return self, False

    def count(self, binner: Any) -> tuple[Binning, CountSource]:
        return self.counts.binner, self._source()

    def _source(self) -> CountSource:
        """The tables within the strata, or with these added up."""
        source = TabledSource(self.counts)
        if self.counts.strata is None:
            return source
        combinations = self.counts.strata.combinations
        if self.within_strata:
            return SourceInStrata(source, combinations)
        return MergedClasses(source, combinations.label, combinations.n_classes)

    def without(self, columns: Sequence[int]) -> SavedCountsDataset:
        """The same counts, of every column; ``dropped`` says which of them no method is to choose."""
        if set(columns) <= {*self.dropped}:
            return self
        table = copy(self)
        table.dropped = tuple(sorted({*self.dropped, *columns}))
        return table

    def is_constant(self, j: int) -> bool:
        return bool(self._has_one_code[j]) and j not in self._uncut

    def is_row_counter(self, j: int) -> bool:
        return False


def count_table(table: PartitionedDataset, binner: Binning, *, few_are_codes: bool) -> SavedCounts:
    """Count the tables of all pairs of columns of a table, with bins of its own."""
    check_one_target(table.target)
    if few_are_codes:
        table, _ = table.with_small_integers_as_categories()
    strata = counted_strata(table)
    fitted, source = table.count(binner)
    if isinstance(source, SourceInStrata):
        source = source.source  # its classes are the combinations of stratum and class
    counts = count_all_pairs(source, table.names, table.target, fitted, fitted.n_bins_.astype(np.int32))
    return replace(counts, dropped=table.dropped, times=table.times, strata=strata)


def counted_strata(table: PartitionedDataset) -> CountedStrata | None:
    """The strata by which the rows of a table are counted; None without strata."""
    name = ", ".join(map(str, table.reader.strata))
    return CountedStrata.of_coding(name, table.target_coding)


def check_one_target(target: Target) -> None:
    """Refuse the combinations of several targets."""
    if target.kind == "joint":
        raise UserError(
            code="one-target-needed",
            message="the counts of several targets together are not saved",
            advice="name one column as the target",
        )


def left_out_of_counts(names: Sequence[str]) -> Diagnostic:
    """Columns were dropped before the rows were counted."""
    return Diagnostic(
        code="left-out-of-counts",
        message=f"left out when the rows were counted: {quoted(names)}",
        columns=tuple(names),
    )


def check_same_columns(names: Sequence[str], first_names: Sequence[str]) -> None:
    """Refuse data whose columns are not those of the first counts, in their order."""
    if names == first_names:
        return
    lost = [name for name in first_names if name not in set(names)]
    new = [name for name in names if name not in set(first_names)]
    if lost:
        message = f"the data lacks {quoted(lost)}, which the first counts have"
    elif new:
        message = f"the data has {quoted(new)}, which the first counts lack"
    else:
        message = "the data has the columns of the first counts in another order"
    raise UserError(
        code="columns-differ",
        message=message,
        advice=f"give it the columns of the first counts, in their order: {quoted(first_names)}",
        columns=[*lost, *new],
    )


def _check_same_times(table: PartitionedDataset, first: SavedCounts) -> None:
    """Refuse a column of dates or durations that the first counts have as numbers, and the other way round."""
    columns = table.summarize(first.binner)
    for j, name in enumerate(first.names):
        categories = first.binner.categories_[j]
        is_text = categories is not None and categories.dtype.kind not in "iuf"
        if is_text or j in table.dropped or not columns[j].has_values:
            continue
        kind_of_first = first.times.get(j, "numbers")
        kind = table.times.get(j, "numbers")
        if kind != kind_of_first:
            raise UserError(
                code="mixed-values",
                message=f"column {name!r} holds {kind_of_first} in the first counts, and {kind} in this data",
                advice="make it of one kind at all sites, or leave it out by {exclude}",
                fix={"exclude": [name]},
                columns=(name,),
            )


def count_like(
    table: PartitionedDataset, first: SavedCounts, *, hash_categories: Callable[[str, Values], Values] | None = None
) -> SavedCounts:
    """Count the tables of all pairs of columns of a table, with the bins of other counts of the same columns.

    Categories and classes that the other counts lack are added. Where a column has a category for all other text, text
    that it does not list is of that category. Columns that either of them left out are left out.
    ``hash_categories(column, categories)`` gives the categories of the table as the other counts have them.
    """
    target = first.target
    if target.edges is None:
        target = replace(target, labels=union_of_values(target.labels, table.target.labels, "the target"))
    candidates = table.without(first.dropped)
    first = first.without(candidates.dropped)
    categories_of_column = {
        j: values for j, values in enumerate(first.binner.categories_) if values is not None and j not in first.dropped
    }
    columns_of_categories = list(categories_of_column)
    distinct_values = candidates.distinct_values(columns_of_categories)
    _check_same_times(candidates, first)
    for j, values in distinct_values.items():
        name = first.names[j]
        if hash_categories is not None:
            values = np.sort(hash_categories(name, values))
        categories = union_of_values(categories_of_column[j], values, f"column {name!r}")
        if OTHER not in categories_of_column[j].tolist():
            categories_of_column[j] = categories
    binner = with_categories(first.binner, categories_of_column)
    binner.unseen_category = OTHER
    binner.hash_categories = hash_categories
    arities = first.arities.copy()
    arities[columns_of_categories] = binner.n_bins_[columns_of_categories]
    recoded = candidates.with_classes_of(target)
    source = recoded.count_as(binner, arities)
    counts = count_all_pairs(source, first.names, target, binner, arities)
    return replace(counts, dropped=first.dropped, times=first.times, salt=first.salt, strata=counted_strata(recoded))
