"""Files of other programs, read by libraries that know them: Excel, Stata, SAS, SPSS, ARFF, ORC and PLINK."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.arrow import StoredParts
from bitsieve.io.dialect import unique_names
from bitsieve.io.errors import DataError, in_one_line, is_number, named_inside
from bitsieve.io.parts import ColumnParts, Given, Rows
from bitsieve.io.text import Parsed

PHENOTYPE = "phenotype"
COUNTS = pa.dictionary(pa.int8(), pa.string())
MISSING = {"-9", "", "NA", "nan"}  # phenotypes; "0", too, where the others are 1 and 2


class ForeignParts(StoredParts):
    """A file that is read at once; of a workbook one sheet."""

    def opened(self, kind: str) -> pa.Schema:
        what, read = READERS[kind]
        with in_one_line(f"cannot read {self.label} as {what}", f"{self.label} is {what}, which"):
            self._table = read(self.given, kind)
        return self._table.schema

    @property
    def n_rows(self) -> int:
        return int(self._table.num_rows)

    def pieces(self, *, whole: bool) -> Sequence[Rows]:
        return [Parsed(self.stored.chosen(self._table, list(self.names)))]


def _read_workbook(given: Given, _: str) -> pa.Table:
    """A sheet of a workbook; its first row has the names."""
    from python_calamine import CalamineWorkbook

    with open(given.path, "rb") as file:
        book = CalamineWorkbook.from_filelike(file)
        sheets = {name: rows for name in book.sheet_names if (rows := book.get_sheet_by_name(name).to_python())}
    if not sheets:
        raise DataError(
            code="empty-data",
            message=f"{given.label} has no rows",
            advice="nothing to select from",
        )
    names, *rows = sheets[named_inside(list(sheets), given.inside, given.label, "sheet")]
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pa.table([_cells(column) for column in columns], names=list(map(_shown, names)))


def _cells(values: Sequence[Any]) -> pa.Array:
    """The cells of a column; of several kinds they are text."""
    known = [None if value == "" else value for value in values]
    kinds = {type(value) for value in known} - {type(None)}
    if kinds <= {int, float}:
        return _numbers(pa.array(known, pa.float64()))
    return pa.array(known if len(kinds) == 1 else [None if value is None else _shown(value) for value in known])


def _numbers(values: pa.Array) -> pa.Array:
    """Numbers of a format that stores all of them as floats: whole ones are whole numbers."""
    is_whole = pa.types.is_float64(values.type) and values.null_count < len(values)
    is_whole = is_whole and pc.all(pc.equal(values, pc.round(values))).as_py()
    return values.cast(pa.int64()) if is_whole and pc.max(pc.abs(values)).as_py() < 2**53 else values


def _shown(value: Any) -> str:
    """A cell as text; numbers of a workbook are floats."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _read_statistics(given: Given, kind: str) -> pa.Table:
    """A file of Stata, SAS or SPSS: values as they are stored, without their labels."""
    import pyreadstat

    columns, _ = getattr(pyreadstat, f"read_{kind}")(str(given.path), output_format="dict")
    return pa.table({name: _numbers(pa.array(values, from_pandas=True)) for name, values in columns.items()})


def _read_arff(given: Given, _: str) -> pa.Table:
    """An ARFF file: numbers, and the names of nominal values."""
    longest = csv.field_size_limit()
    from scipy.io import arff

    csv.field_size_limit(2**31 - 1)  # as the import does, which would hold for every other file
    try:
        with open(given.path, encoding="utf-8", errors="surrogateescape") as file:
            rows, about = arff.loadarff(file)
    finally:
        csv.field_size_limit(longest)
    columns: dict[str, Any] = {}
    for name in about.names():
        values = rows[name]
        if values.dtype.kind == "S":
            columns[name] = pa.array([None if value == b"?" else value.decode() for value in values.tolist()])
        else:
            columns[name] = _numbers(pa.array(values, from_pandas=True))
    return pa.table(columns)


#: Of the name of a format what messages call such a file, and what reads it.
READERS: Mapping[str, tuple[str, Callable[[Given, str], pa.Table]]] = {
    "excel": ("an Excel workbook", _read_workbook),
    "dta": ("a Stata file", _read_statistics),
    "sas7bdat": ("a SAS file", _read_statistics),
    "xport": ("a SAS transport file", _read_statistics),
    "sav": ("an SPSS file", _read_statistics),
    "arff": ("an ARFF file", _read_arff),
    "orc": ("an ORC file", lambda given, _: import_module("pyarrow.orc").read_table(str(given.path))),
}


class PlinkParts(ColumnParts):
    """Genotypes: how often each sample has the first allele of the .bim file, as "0", "1", "2", or null."""

    names: Sequence[str] = ()

    def __init__(self, given: Given, diagnostics: list[Diagnostic], kind: str) -> None:
        super().__init__(given, diagnostics, kind)
        if given.original != given.path:
            raise DataError(
                code="cannot-read",
                message=f"{self.label} is a compressed .bed file of PLINK, or no file",
                advice="decompress it",
            )
        with opened(self.path, self.label) as bed:
            self.phenotypes, n_variants = np.asarray(bed.pheno, str), bed.sid_count
            self.names = unique_names([PHENOTYPE, *map(str, bed.sid)], diagnostics)
        if not (len(self.phenotypes) and n_variants):
            raise DataError(
                code="empty-data",
                message=f"{self.label} has no samples or no variants",
                advice="nothing to select from",
            )

    @property
    def n_rows(self) -> int:
        return len(self.phenotypes)

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        return {name: COUNTS if place else self._phenotype.type for place, name in enumerate(self.names)}

    @property
    def _phenotype(self) -> pa.Array:
        missing = np.isin(self.phenotypes, list(MISSING))
        if set(self.phenotypes[~missing].tolist()) <= {"0", "1", "2"}:
            missing |= self.phenotypes == "0"
        if all(map(is_number, self.phenotypes[~missing])):
            return _numbers(pa.array(np.where(missing, "0", self.phenotypes).astype(np.float64), mask=missing))
        return pa.array(self.phenotypes, mask=missing)

    def pieces(self, *, whole: bool) -> Sequence[Rows]:
        return [Genotypes(self.path, self.label, tuple(self.names), self._phenotype)]


@dataclass(frozen=True)
class Genotypes:
    """The samples of a file."""

    path: Path
    label: str
    names: tuple[str, ...]
    phenotype: pa.Array

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        place = {name: number for number, name in enumerate(self.names)}
        wanted = list(self.names if columns is None else columns)
        variants = [place[name] - 1 for name in wanted if place[name]]
        step = rows or len(self.phenotype)
        with opened(self.path, self.label) as bed:
            for first in range(0, len(self.phenotype), step):
                some = slice(first, first + step)
                read = bed.read(np.s_[some, variants], dtype="int8", order="F").T if variants else ()
                counts = (pa.array(of, mask=of < 0) for of in read)  # -127 is missing
                coded = (pa.DictionaryArray.from_arrays(of, pa.array(["0", "1", "2"])) for of in counts)
                arrays = [next(coded) if place[name] else self.phenotype[some] for name in wanted]
                yield pa.table(arrays, names=wanted)


@contextmanager
def opened(path: Path, label: str) -> Iterator[Any]:
    """The file opened by bed-reader, whose errors are one line."""
    needed = f"{label} is a .bed file of PLINK, which"
    with in_one_line(f"cannot read {label} with the .bim and .fam beside it", needed, "plink"):
        from bed_reader import open_bed

        with open_bed(path) as bed:
            yield bed
