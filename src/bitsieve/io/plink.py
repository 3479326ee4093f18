"""Genotypes of PLINK (.bed files), read by bed-reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.column_file import ColumnFile, InputFile, Partition
from bitsieve.io.dialect import unique_names
from bitsieve.io.errors import DataError, in_one_line, is_number
from bitsieve.io.typed_file import as_integers

PHENOTYPE = "phenotype"
ALLELE_COUNTS = pa.dictionary(pa.int8(), pa.string())
MISSING = {"-9", "", "NA", "nan"}  # missing phenotypes; also "0" where the others are 1 and 2


class PlinkFile(ColumnFile):
    """Genotypes: the copies of the first allele of the .bim file, as the category "0", "1" or "2", or null."""

    names: Sequence[str] = ()

    def __init__(self, file: InputFile, diagnostics: list[Diagnostic], kind: str) -> None:
        super().__init__(file, diagnostics, kind)
        if file.original != file.path:
            raise DataError(
                code="cannot-read",
                message=f"{self.label} is a compressed .bed file of PLINK, or not a regular file",
                advice="decompress it",
            )
        with opened(self.path, self.label) as bed:
            self.phenotypes = np.asarray(bed.pheno, str)
            n_variants = bed.sid_count
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
        phenotype, *variants = self.names
        return {phenotype: self._phenotype.type, **dict.fromkeys(variants, ALLELE_COUNTS)}

    @property
    def _phenotype(self) -> pa.Array:
        """The phenotypes, as numbers if all of them are, else as text."""
        is_missing = np.isin(self.phenotypes, list(MISSING))
        present = set(self.phenotypes[~is_missing].tolist())
        if present <= {"0", "1", "2"}:
            is_missing |= self.phenotypes == "0"
        if not all(map(is_number, self.phenotypes[~is_missing])):
            return pa.array(self.phenotypes, mask=is_missing)
        numbers = np.where(is_missing, "0", self.phenotypes).astype(np.float64)
        return as_integers(pa.array(numbers, mask=is_missing))

    def partitions(self, *, in_one_block: bool) -> Sequence[Partition]:
        return [Genotypes(self.path, self.label, tuple(self.names), self._phenotype)]


@dataclass(frozen=True)
class Genotypes:
    """The samples of a file: the phenotype, then the variants."""

    path: Path
    label: str
    names: tuple[str, ...]
    phenotype: pa.Array

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        index = {name: j for j, name in enumerate(self.names)}
        names = list(self.names if columns is None else columns)
        variants = [index[name] - 1 for name in names if index[name] > 0]
        n_rows = len(self.phenotype)
        batch_size = rows or n_rows
        with opened(self.path, self.label) as bed:
            for first in range(0, n_rows, batch_size):
                batch = slice(first, first + batch_size)
                counts = iter(())
                if variants:
                    counts = iter(bed.read(np.s_[batch, variants], dtype="int8", order="F").T)
                arrays = [_genotypes(next(counts)) if index[name] > 0 else self.phenotype[batch] for name in names]
                yield pa.table(arrays, names=names)


def _genotypes(counts: Any) -> pa.Array:
    """Counts of alleles as categories; those below 0 are missing."""
    codes = pa.array(counts, mask=counts < 0)
    return pa.DictionaryArray.from_arrays(codes, pa.array(["0", "1", "2"]))


@contextmanager
def opened(path: Path, label: str) -> Iterator[Any]:
    """Open a file by bed-reader, whose errors become one line."""
    needed = f"{label} is a .bed file of PLINK, which"
    with in_one_line(f"cannot read {label} with the .bim and .fam beside it", needed, "plink"):
        from bed_reader import open_bed

        with open_bed(path) as bed:
            yield bed
