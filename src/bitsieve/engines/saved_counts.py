"""Saved counts: the contingency tables of all pairs of columns, in a file. Counts of different rows can be added."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from os import PathLike
from pathlib import Path
from shlex import quote
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.column_summary import union_of_values
from bitsieve.dataset.encoding import lookup
from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import UserError, literal
from bitsieve.discretization.base import Binning
from bitsieve.discretization.coding import array_from_json, array_to_json, rule_facts, rule_from_facts
from bitsieve.discretization.registry import RULES
from bitsieve.engines.counted_rules import with_categories, with_columns_in_order, with_one_code
from bitsieve.engines.counted_strata import CountedStrata
from bitsieve.engines.counts_file import (
    check_facts,
    check_folder,
    check_holds_counts,
    damaged_counts,
    digest_of,
    read_whole_file,
)
from bitsieve.engines.pair_cells import CELL_BYTES, check_cells, each_table, n_cells
from bitsieve.io.errors import DataError, in_one_line
from bitsieve.io.output import writing
from bitsieve.io.saved_files import COUNTS_FILE
from bitsieve.utils.arrays import Integers, Values
from bitsieve.utils.messages import quoted
from bitsieve.utils.types import JsonObject

SITE = "site"  # the name of the strata that are the sites
OTHER = "(other)"  # the category of all text that a vocabulary does not list
PARAMETERS_KEPT = ("n_bins", "uncut")  # parameters of rules that are kept beside the bins, which follow from them


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
        return digest_of(json.dumps(facts).encode(), np.ascontiguousarray(self.cells, "<i8").data)

    def __add__(self, other: SavedCounts) -> SavedCounts:
        """The counts of both parts of the rows. A category or a class that one of them lacks has no rows there.

        A column that one of them left out is left out. The columns of ``other`` may have another order. Counts whose
        columns or bins are not the same are refused.
        """
        if self.salt != other.salt:
            raise UserError(
                code="counts-differ",
                message="the text of categories was hashed by different salts, or in some of the counts alone",
                advice="count all parts with the same --salt-file, or without",
            )
        check_same_strata(self.strata, other.strata)
        other = other.in_order(self.names)
        first, second = _with_common_values(self.without(other.dropped), other.without(self.dropped))
        if _meaning(first) != _meaning(second):
            where = _where_they_differ(first, second)
            raise UserError(
                code="counts-differ",
                message=f"the counts do not add up, since their columns or bins differ{where}",
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
        binner = with_one_code(self.binner, dropped)
        return replace(self, binner=binner, arities=arities, cells=cells, dropped=tuple(dropped), times=times)

    def in_order(self, names: Sequence[str]) -> SavedCounts:
        """The same counts with the columns in the order of ``names``; as they are where the names are others."""
        if list(names) == self.names or sorted(names) != sorted(self.names):
            return self
        position_of_name = {name: j for j, name in enumerate(self.names)}
        order = np.array([position_of_name[name] for name in names])
        new_positions = np.argsort(order)
        n_classes = len(self.class_sizes)
        table_of_pair = {(i, j): table for i, j, table in each_table(self.cells, self.arities, n_classes)}
        cells = np.empty_like(self.cells)
        arities = self.arities[order]
        for i, j, table in each_table(cells, arities, n_classes):
            if order[i] <= order[j]:
                table[:] = table_of_pair[order[i], order[j]]
            else:
                table[:] = table_of_pair[order[j], order[i]].swapaxes(0, 1)
        return replace(
            self,
            names=list(names),
            binner=with_columns_in_order(self.binner, order),
            arities=arities,
            cells=cells,
            dropped=tuple(sorted(new_positions[list(self.dropped)].tolist())),
            times={int(new_positions[j]): kind for j, kind in self.times.items()},
        )

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
        facts = {
            **_meaning(self),
            "class_sizes": self.class_sizes.tolist(),
            "site": self.site,
            "rounding_bases": list(self.rounding_bases),
            "parameters": {name: value for name, value in self.binner.parameters.items() if name in PARAMETERS_KEPT},
        }
        facts_line = json.dumps(facts).encode() + b"\n"
        cells = np.ascontiguousarray(self.cells, "<i8").data
        with writing(path / COUNTS_FILE, "counts") as file:
            file.write(digest_of(facts_line, cells).encode() + b"\n")
            file.write(facts_line)
            file.write(cells)

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> SavedCounts:
        """Read what :meth:`save` has written; refused if the folder holds no whole counts."""
        path = Path(folder)
        check_holds_counts(path)
        with in_one_line(f"{str(path)!r} holds no counts of 'bitsieve count'"):
            facts_line, bytes_of_cells = read_whole_file(path)
            facts = json.loads(facts_line)
            check_facts(facts, len(bytes_of_cells) // CELL_BYTES)
            counts = cls(
                names=facts["names"],
                target=_target_from_facts(facts),
                binner=rule_from_facts(facts, facts["names"], **_kept_parameters(facts)),
                arities=np.array(facts["arities"], np.int32),
                class_sizes=np.array(facts["class_sizes"], np.int64),
                cells=np.frombuffer(bytes_of_cells, "<i8").astype(np.int64, copy=False),
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
            raise damaged_counts(path)
        return counts


def _meaning(counts: SavedCounts) -> JsonObject:
    """What must be equal for tables to add up, as JSON holds it."""
    binner = counts.binner
    target = counts.target
    edges = None if target.edges is None else target.quantity_edges.tolist()
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


def _kept_parameters(facts: JsonObject) -> dict[str, int | str | None]:
    """How many bins a rule was to make, and what became of uncut columns; None where the file does not say it."""
    parameters = facts.get("parameters", {})
    parameters_of_rule = RULES[facts["binning"]].parameter_names()
    return {name: parameters.get(name) for name in PARAMETERS_KEPT if name in parameters_of_rule}


def _strata_from_facts(facts: JsonObject) -> CountedStrata | None:
    if facts.get("strata") is None:
        return None
    return CountedStrata.from_facts(facts["strata"], len(array_from_json(facts["labels"])))


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
            advice="name one column, such as one of joint values that was counted at all sites",
        )
    (name,) = names
    option = literal(f"--strata {quote(name)}")
    counted = parts[0].strata
    for part in parts[1:]:
        check_same_strata(counted, part.strata)
    if counted is not None and counted.name == name:
        return list(parts)
    if counted is not None:
        again = "without --strata" if name == SITE else f"with {option}"
        raise UserError(
            code="strata-not-supported",
            message=f"the counts are not within the strata {name!r}, but within {counted.name!r}",
            advice=f"name that, or count all parts again {again}",
        )
    if name != SITE:
        raise UserError(
            code="strata-not-supported",
            message=f"the counts are not within the strata {name!r}",
            advice=f"count all parts again with {option}, or say --strata {SITE} to compare within sites",
        )
    if not all(part.site for part in parts):
        raise UserError(
            code="strata-not-supported",
            message=f"some of the counts do not name their site, which --strata {SITE} needs",
            advice="count again with --site NAME",
        )
    return [part.in_one_stratum(SITE, part.site) for part in parts]


def _where_they_differ(first: SavedCounts, second: SavedCounts) -> str:
    """The columns whose names or bins differ, in words; empty where nothing but the target differs."""
    if first.names != second.names:
        differing = sorted(set(first.names) ^ set(second.names))
    else:
        columns = zip(first.names, _facts_of_columns(first), _facts_of_columns(second), strict=True)
        differing = [name for name, facts, other_facts in columns if facts != other_facts]
    return f" in {quoted(differing)}" if differing else ""


def _facts_of_columns(counts: SavedCounts) -> list[tuple[object, ...]]:
    """The bins of each column, as JSON holds them."""
    facts = rule_facts(counts.binner)
    return list(zip(facts["bins"], facts["bin_edges"], facts["categories"], strict=True))


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
        first_labels = union_of_values(first.target.labels, second.target.labels, "the target")
        second_labels = first_labels
    first_extended = with_categories_and_labels(first, categories_of_column, first_labels)
    second_extended = with_categories_and_labels(second, categories_of_column, second_labels)
    if first_extended.strata is None or second_extended.strata is None:
        return first_extended, second_extended
    strata = first_extended.strata.union(second_extended.strata)
    return with_combinations(first_extended, strata), with_combinations(second_extended, strata)


def with_categories_and_labels(
    counts: SavedCounts, categories_of_column: Mapping[int, Values], labels: Values
) -> SavedCounts:
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
