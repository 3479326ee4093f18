"""The tables of the benchmarks: seeded, of the shape that was asked for, with something to find."""

import numpy as np
import pytest
from benchmarks.contestants.ours import planes_bytes
from benchmarks.data import MAKERS, PUBLIC_COLUMNS, Data, Shape, make_codes, make_values

from bitsieve.io.read import read_table

FORMATS = {"huge_parquet": "parquet", "huge_doubles": "parquet", "risks_csv": "csv"}  # of the others it is their name


def test_codes_are_seeded_and_dependent():
    shape = Shape(2000, 40, 4, 3)
    table, again, other = make_codes(shape), make_codes(shape), make_codes(shape, seed=1)
    assert table.codes.dtype == np.uint8
    assert table.codes.flags.f_contiguous
    assert table.classes.dtype == np.int32
    assert (table.codes == again.codes).all()
    assert (table.codes != other.codes).any()
    assert table.codes.max() == 3
    assert set(table.classes) == {0, 1, 2}
    shares = [table.codes[table.classes == c].mean(axis=0) for c in range(3)]
    assert np.ptp(shares, axis=0).max() > 0.5  # the mean code of some feature moves with the class


def test_values_are_seeded():
    shape = Shape(50, 5, 4, 2)
    assert (make_values(shape)[0] == make_values(shape)[0]).all()


# Which are no tables of this shape
OTHER_KINDS = {"sparse_groups", "sparse_texts", "cells", "public_columns", "logit_column"}


@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind not in OTHER_KINDS])
def test_every_kind_of_data_is_written(kind, tmp_path):
    shape = Shape(60, 6, 3, 2)
    Data(kind, shape).write(tmp_path)
    arrays = {path.stem: np.load(path) for path in tmp_path.glob("*.npy")}
    tables = [array for name, array in arrays.items() if array.shape == (60, 6)]
    assert tables or (tmp_path / f"table.{FORMATS.get(kind, kind)}").stat().st_size > 60 * 6


def test_columns_are_written_with_the_classes_of_their_rows(tmp_path):
    for kind in ("public_columns", "logit_column"):
        Data(kind, Shape(60, 1, 10, 2)).write(tmp_path)
    columns = [*PUBLIC_COLUMNS, "numbers"]
    assert {path.stem for path in tmp_path.glob("*.npy")} == {*columns, *(f"{name}_classes" for name in columns)}
    for name in columns:
        values, classes = np.load(tmp_path / f"{name}.npy"), np.load(tmp_path / f"{name}_classes.npy")
        assert len(values) == len(classes)
        assert np.isfinite(values).all()
        assert set(classes) == {0, 1}


@pytest.mark.parametrize(("kind", "labels"), [("sparse_groups", {-1, 1}), ("sparse_texts", {0, 1})])
def test_sparse_tables_are_written_as_the_pieces_of_a_matrix(tmp_path, kind, labels):
    Data(kind, Shape(60, 5000, 200, 2)).write(tmp_path)
    start, column, classes = (np.load(tmp_path / f"{name}.npy") for name in ("start", "column", "classes"))
    assert len(start) == 61
    assert start[-1] == len(column) == len(np.load(tmp_path / "value.npy"))
    assert column.max() < 5000
    assert set(classes) == labels


def test_marked_words_are_in_more_texts_of_the_second_class(tmp_path):
    Data("sparse_texts", Shape(400, 5000, 200, 2)).write(tmp_path)
    start, column, classes, groups = (
        np.load(tmp_path / f"{name}.npy") for name in ("start", "column", "classes", "groups")
    )
    marked = (groups >= 0).nonzero()[0]
    assert sorted(groups[marked]) == list(range(len(marked)))
    of_value = np.repeat(classes, np.diff(start))
    shares = [np.isin(column[of_value == c], marked).sum() / (classes == c).sum() for c in (0, 1)]
    assert shares[1] > 1.2 * shares[0]  # of 200 words about 14, and 5 more


def test_the_redundancy_is_convex_with_its_shift(tmp_path):
    Data("redundancy", Shape(60, 20, 3, 2)).write(tmp_path)
    matrix, shift = np.load(tmp_path / "redundancy.npy"), np.load(tmp_path / "shift.npy")
    assert shift >= 0
    # Rounding of a 20 x 20 eigenvalue problem with entries below 2 bits.
    assert np.linalg.eigvalsh(matrix + shift * np.eye(20)).min() > -1e-12


def test_planes_bytes_by_hand():
    # 9 features padded to 16, 2 planes each, classes of 65 and 3 samples: 2 + 1 words of 8 bytes.
    assert planes_bytes(9, 3, [65, 3]) == 16 * 2 * 3 * 8
    assert planes_bytes(9, 3, [68]) == 16 * 2 * 2 * 8


def test_cells_have_genes_of_their_types_and_batches(tmp_path, monkeypatch):
    pytest.importorskip("h5py")
    monkeypatch.setattr("benchmarks.data.CELLS_AT_ONCE", 70)
    Data("cells", Shape(300, 50, 2, 3)).write(tmp_path)
    table = read_table(tmp_path / "cells.h5ad")
    assert table.X.shape == (300, 50)
    X = table.X.toarray()
    assert (X[np.arange(300), table.annotations["cell_type"].to_numpy()] > 0).all()
    assert (X[np.arange(300), 3 + table.annotations["batch"].to_numpy()] > 0).all()
