"""PLINK .bed files: variants as columns of codes, the phenotype as the target; every mistake is one clear line."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import bitsieve
from bitsieve.cli import main
from bitsieve.io.errors import DataError
from bitsieve.io.read import open_file, read_table

N_SAMPLES, N_VARIANTS = 120, 7
BITS = {2: 0b00, 1: 0b10, 0: 0b11, -1: 0b01}  # of the first allele, as the format has them


@pytest.fixture(scope="module")
def genotypes():
    return np.random.default_rng(0).choice(3, p=[0.5, 0.35, 0.15], size=(N_SAMPLES, N_VARIANTS))


@pytest.fixture(scope="module")
def ill(genotypes):
    return (genotypes[:, 2] > 0) ^ (genotypes[:, 5] > 0)


def write(path, genotypes, phenotypes):
    """The three files, by the description of the format."""
    packed = bytearray(b"\x6c\x1b\x01")
    for column in genotypes.T:
        for first in range(0, len(column), 4):
            packed.append(sum(BITS[int(count)] << 2 * place for place, count in enumerate(column[first : first + 4])))
    path.write_bytes(bytes(packed))
    path.with_suffix(".bim").write_text("".join(f"1\trs{j}\t0\t{j + 1}\tA\tG\n" for j in range(genotypes.shape[1])))
    path.with_suffix(".fam").write_text("".join(f"f s{i} 0 0 1 {of}\n" for i, of in enumerate(phenotypes)))
    return path


@pytest.fixture
def bed(tmp_path, genotypes, ill):
    pytest.importorskip("bed_reader", reason="pip install 'bitsieve[plink]'")
    return write(tmp_path / "genes.bed", genotypes, ill + 1)


def test_counts_of_the_first_allele_and_phenotypes(bed, genotypes, ill):
    table = read_table(bed)
    assert table.column_names == ["phenotype", *(f"rs{j}" for j in range(N_VARIANTS))]
    assert table["phenotype"].to_pylist() == (ill + 1).tolist()
    for j in range(N_VARIANTS):
        assert table[f"rs{j}"].to_pylist() == [str(count) for count in genotypes[:, j]]
    blocks = list(open_file(bed).batches(["rs3", "phenotype"], 50))
    assert [block.num_rows for block in blocks] == [50, 50, 20]
    assert [value for block in blocks for value in block["rs3"].to_pylist()] == table["rs3"].to_pylist()


def test_selection_and_interactions_are_those_of_the_codes(bed, genotypes, ill, capsys):
    found = bitsieve.interactions(bed, "phenotype", top=3)
    codes = bitsieve.interactions(genotypes, ill, top=3, binning="none")
    assert found.tuples == [tuple(f"rs{name[1:]}" for name in of) for of in codes.tuples]
    assert (found.values.tolist(), found.p.tolist()) == (codes.values.tolist(), codes.p.tolist())
    in_batches = bitsieve.interactions(bed, "phenotype", top=3, memory="1GB")
    assert in_batches.to_dict() == found.to_dict()
    assert main(["select", str(bed), "--target", "phenotype", "--method", "mim", "-k", "2", "-q"]) == 0
    selected = bitsieve.select(genotypes, ill, method="mim", n_features_to_select=2, binning="none")
    lines = capsys.readouterr().out.splitlines()
    assert all(any(f"rs{j}" in line for line in lines) for j in selected.indices.tolist())


def test_missing_genotypes_are_an_error_or_a_code(tmp_path, bed, genotypes, ill):
    holed = genotypes.copy()
    holed[4, 1] = -1
    write(bed, holed, ill + 1)
    with pytest.raises(ValueError, match=r"^1 column holds missing values \(NaN\): 'rs1'; set missing='bin'"):
        bitsieve.select(bed, "phenotype", missing="error")
    assert read_table(bed)["rs1"].null_count == 1
    bitsieve.select(bed, "phenotype", missing="bin", n_features_to_select=2)


@pytest.mark.parametrize(
    ("phenotypes", "read"),
    [
        (["1", "2", "0", "-9"], [1, 2, None, None]),
        (["0", "3", "-9", "5"], [0, 3, None, 5]),
        (["0.5", "NA", "-9", "2"], [0.5, None, None, 2.0]),
        (["red", "blue", "-9", "red"], ["red", "blue", None, "red"]),
    ],
)
def test_phenotypes(bed, genotypes, phenotypes, read):
    write(bed, genotypes[:4], phenotypes)
    assert read_table(bed)["phenotype"].to_pylist() == read


def test_mistakes_are_one_line(bed, tmp_path, monkeypatch):
    short = bed.read_bytes()
    bed.write_bytes(short[:-3])
    with pytest.raises(DataError, match=r"^cannot read '.*genes.bed' with the .bim and .fam beside it: [^\n]*$"):
        read_table(bed)
    bed.write_bytes(short)
    bed.with_suffix(".fam").unlink()
    with pytest.raises(DataError, match=r"^cannot read '.*genes.bed' with the .bim and .fam beside it: [^\n]*$"):
        read_table(bed)
    monkeypatch.setitem(sys.modules, "bed_reader", None)
    with pytest.raises(DataError, match=r"needs the package 'bed_reader': pip install 'bitsieve\[plink\]'$"):
        read_table(bed)


def test_phenotypes_that_no_integer_holds_stay_fractions(tmp_path, genotypes):
    pytest.importorskip("bed_reader", reason="pip install 'bitsieve[plink]'")
    huge = np.where(np.arange(N_SAMPLES) % 2, 1e300, 5.0)
    assert read_table(write(tmp_path / "huge.bed", genotypes, huge))["phenotype"].to_pylist() == huge.tolist()
