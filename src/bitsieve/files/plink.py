"""PLINK .bed files: the variants as columns of three codes, the phenotype of the .fam file beside it as another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bitsieve.files.arrow import ColumnParts
from bitsieve.files.dialect import unique_names
from bitsieve.files.errors import DataError, in_one_line, is_number
from bitsieve.files.parts import Given, Rows

PHENOTYPE = "phenotype"
COUNTS = pa.dictionary(pa.int8(), pa.string())
MISSING = {"-9", "", "NA", "nan"}  # phenotypes; "0", too, where the others are 1 and 2


class PlinkParts(ColumnParts):
    """Genotypes: how often each sample has the first allele of the .bim file, as "0", "1", "2", or null."""

    def __init__(self, given: Given, notes: list[str], kind: str) -> None:
        super().__init__(given, notes, kind)
        if given.original != given.path:
            raise DataError(f"{self.label} is a compressed .bed file of PLINK, or no file: decompress it")
        with opened(self.path, self.label) as bed:
            self.phenotypes, n_variants = np.asarray(bed.pheno, str), bed.sid_count
            self._names = unique_names([PHENOTYPE, *map(str, bed.sid)], notes)
        if not (len(self.phenotypes) and n_variants):
            raise DataError(f"{self.label} has no samples or no variants: nothing to select from")

    @property
    def names(self) -> Sequence[str]:
        return self._names

    @property
    def n_rows(self) -> int:
        return len(self.phenotypes)

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        return {name: COUNTS if place else self._phenotype.type for place, name in enumerate(self._names)}

    @property
    def _phenotype(self) -> pa.Array:
        missing = np.isin(self.phenotypes, list(MISSING))
        if set(self.phenotypes[~missing].tolist()) <= {"0", "1", "2"}:
            missing |= self.phenotypes == "0"
        if all(map(is_number, self.phenotypes[~missing])):
            numbers = np.where(missing, "0", self.phenotypes).astype(np.float64)
            whole = (numbers == np.rint(numbers)).all()
            return pa.array(numbers.astype(np.int64) if whole else numbers, mask=missing)
        return pa.array(self.phenotypes, mask=missing)

    def pieces(self, *, whole: bool) -> Sequence[Rows[pa.Table]]:
        return [Genotypes(self.path, self.label, tuple(self._names), self._phenotype)]


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
                counts = iter(bed.read(np.s_[some, variants], dtype="int8", order="F").T if variants else ())
                arrays = [_coded(next(counts)) if place[name] else self.phenotype[some] for name in wanted]
                yield pa.table(arrays, names=wanted)


def _coded(counts: Any) -> pa.DictionaryArray:
    """Minor-allele counts as categories; -127 is missing."""
    return pa.DictionaryArray.from_arrays(pa.array(counts, mask=counts < 0), pa.array(["0", "1", "2"]))


@contextmanager
def opened(path: Path, label: str) -> Iterator[Any]:
    """The file opened by bed-reader, whose errors are one line."""
    try:
        from bed_reader import open_bed
    except ModuleNotFoundError:
        what = "is a .bed file of PLINK, which needs bed-reader: pip install 'bitsieve[plink]'"
        raise DataError(f"{label} {what}") from None
    with in_one_line(f"cannot read {label} with the .bim and .fam beside it"), open_bed(path) as bed:
        yield bed
