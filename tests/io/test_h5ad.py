"""Files of AnnData, and AnnData objects: a matrix with annotations of its rows, one of which is the target."""

import importlib.util
import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import bitsieve
from bitsieve.cli import main
from bitsieve.diagnostics import UserError

h5py = pytest.importorskip("h5py")
pytestmark = pytest.mark.usefixtures("walks_in_this_process")
N_CELLS = 300
GENES = [f"gene{j}" for j in range(12)]


@pytest.fixture(scope="module")
def cells():
    """Counts of genes in cells of two types from three batches; the last gene follows the batch."""
    random = np.random.default_rng(7)
    batch = random.integers(0, 3, N_CELLS)
    kind = (random.random(N_CELLS) < 0.3 + 0.2 * batch).astype(int)
    counts = random.poisson(0.3, (N_CELLS, len(GENES))).astype(np.float32)
    counts[:, 3] += 2 * kind
    counts[:, 11] += 3 * batch
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical.from_codes(kind, ["B", "T"]),
            "batch": pd.Categorical.from_codes(batch, ["b0", "b1", "b2"]),
            "n_counts": counts.sum(axis=1),
            "donor": np.array(["x", "y"])[random.integers(0, 2, N_CELLS)],
        }
    )
    return counts, obs


def write_matrix(file, name, X):
    """A matrix as AnnData stores it."""
    if isinstance(X, np.ndarray):
        file[name] = X
        return
    group = file.create_group(name)
    group.attrs["encoding-type"] = f"{X.format}_matrix"
    group.attrs["shape"] = X.shape
    for part in ("data", "indices", "indptr"):
        group[part] = getattr(X, part)


def write_h5ad(path, X, obs, layers=None, genes=GENES):
    with h5py.File(path, "w") as file:
        if X is not None:
            write_matrix(file, "X", X)
        layers_group = file.create_group("layers")
        for name, layer in (layers or {}).items():
            write_matrix(layers_group, name, layer)
        text = h5py.string_dtype()
        var = file.create_group("var")
        var.attrs["_index"] = "_index"
        var.create_dataset("_index", data=genes, dtype=text)
        table = file.create_group("obs")
        table.attrs["_index"] = "_index"
        table.attrs["column-order"] = list(obs.columns)
        table.create_dataset("_index", data=[f"cell{i}" for i in range(len(obs))], dtype=text)
        for name, column in obs.items():
            if isinstance(column.dtype, pd.CategoricalDtype):
                group = table.create_group(name)
                group["codes"] = column.cat.codes.to_numpy()
                group.create_dataset("categories", data=list(column.cat.categories), dtype=text)
            elif pd.api.types.is_extension_array_dtype(column.dtype) and column.dtype.name == "boolean":
                group = table.create_group(name)
                group["values"] = column.fillna(False).to_numpy(bool)
                group["mask"] = column.isna().to_numpy()
            elif column.dtype.kind in "biuf":
                table[name] = column.to_numpy()
            else:
                table.create_dataset(name, data=list(column), dtype=text)
    return path


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_a_file_is_read_as_its_matrix_and_annotations(cells, tmp_path, kind):
    counts, obs = cells
    path = write_h5ad(tmp_path / "cells.h5ad", kind(counts), obs)
    selection = bitsieve.select(path, "cell_type", strata="batch", n_features_to_select=3)
    expected = bitsieve.select(
        kind(counts), obs["cell_type"].to_numpy(str), strata=obs["batch"].to_numpy(str), n_features_to_select=3
    )
    assert selection.features == [GENES[j] for j in expected.indices]
    assert (selection.scores == expected.scores).all()
    assert selection.features[0] == "gene3"
    assert selection.target.labels.tolist() == ["B", "T"]


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("values_at_once", [7, 1 << 20])
def test_a_sparse_file_in_batches_is_the_same(cells, tmp_path, monkeypatch, kind, values_at_once):
    counts, obs = cells
    matrix = kind(counts)
    matrix.data[::9] = 0  # zeros that are stored
    path = write_h5ad(tmp_path / "cells.h5ad", matrix, obs)
    monkeypatch.setattr("bitsieve.io.h5ad.VALUES_AT_ONCE", values_at_once)
    monkeypatch.setattr("bitsieve.io.h5ad.VALUE_BYTES", (1 << 28) // values_at_once)
    options = {"target": "cell_type", "strata": "batch", "n_features_to_select": 5}
    expected = bitsieve.select(
        sparse.csr_array(matrix.toarray()),
        obs["cell_type"].to_numpy(str),
        strata=obs["batch"].to_numpy(str),
        n_features_to_select=5,
    )
    for limits in ({}, {"memory": 1 << 30}, {"memory": 1 << 30, "spool": tmp_path / "spool"}):
        selection = bitsieve.select(path, **options, **limits)
        assert selection.features == [GENES[j] for j in expected.indices]
        assert (selection.scores == expected.scores).all()
    part = bitsieve.select(path, "gene3", n_features_to_select=3, memory=1 << 30)
    assert (part.scores == bitsieve.select(path, "gene3", n_features_to_select=3).scores).all()


def test_broken_matrices_are_refused(cells, tmp_path):
    counts, obs = cells
    for part, broken in (("indptr", slice(None, -1)), ("indices", slice(None, -1)), ("indices", "beyond")):
        matrix = sparse.csr_array(counts)
        path = write_h5ad(tmp_path / "cells.h5ad", matrix, obs)
        with h5py.File(path, "r+") as file:
            values = file["X"][part][()]
            del file["X"][part]
            file["X"][part] = values + len(GENES) if broken == "beyond" else values[broken]
        for limits in ({}, {"memory": "1GB"}):
            with pytest.raises(UserError) as raised:
                bitsieve.select(path, "cell_type", **limits)
            assert raised.value.code == "cannot-read"


def test_annotations_are_no_features_unless_they_are_named(cells, tmp_path):
    counts, obs = cells
    path = write_h5ad(tmp_path / "cells.h5ad", sparse.csr_array(counts), obs)
    selection = bitsieve.select(path, "batch", n_features_to_select=12)
    assert sorted(selection.features) == sorted(GENES)
    assert selection.features[0] == "gene11"
    by_gene = bitsieve.select(path, "gene3", n_features_to_select=11)
    assert sorted(by_gene.features) == sorted(set(GENES) - {"gene3"})


def test_a_layer_is_named_behind_the_path(cells, tmp_path, monkeypatch, capsys):
    counts, obs = cells
    shuffled = np.random.default_rng(8).permutation(counts)
    monkeypatch.chdir(tmp_path)
    write_h5ad("cells.h5ad", sparse.csr_array(shuffled), obs, {"counts": sparse.csr_array(counts)})
    command = ["select", "cells.h5ad/counts", "--target", "cell_type", "--strata", "batch", "--features", "2"]
    assert main([*command, "--output", "chosen.csv"]) == 0
    assert "gene3" in capsys.readouterr().out
    chosen = pd.read_csv("chosen.csv")
    assert chosen.columns[0] == "gene3"
    assert (chosen["cell_type"] == obs["cell_type"]).all()
    assert (chosen["gene3"] == counts[:, 3]).all()
    assert main(["select", "cells.h5ad/other", "--target", "cell_type"]) == 2
    assert "'counts'" in capsys.readouterr().err


def test_drift_by_batch(cells, tmp_path):
    counts, obs = cells
    path = write_h5ad(tmp_path / "cells.h5ad", sparse.csr_array(counts), obs)
    assert bitsieve.drift(path, "batch", "cell_type").drifting == ["gene11"]


def test_rows_without_a_target_are_left_out(cells, tmp_path):
    counts, obs = cells
    is_known = np.arange(N_CELLS) % 5 > 0
    is_t = (obs["cell_type"] == "T").astype("boolean").where(is_known)
    partly = obs.assign(cell_type=obs["cell_type"].where(is_known), is_t=is_t)
    path = write_h5ad(tmp_path / "cells.h5ad", sparse.csr_array(counts), partly)
    cell_types = obs["cell_type"].to_numpy(str)[is_known]
    expected = bitsieve.select(sparse.csr_array(counts[is_known]), cell_types, n_features_to_select=1)
    for target in ("cell_type", "is_t"):
        selection = bitsieve.select(path, target, n_features_to_select=1)
        assert selection.target.codes.shape == (is_known.sum(),)
        assert (selection.scores == expected.scores).all()


def test_a_selection_is_saved_and_made_again(cells, tmp_path, monkeypatch):
    counts, obs = cells
    monkeypatch.chdir(tmp_path)
    write_h5ad("cells.h5ad", sparse.csr_array(counts), obs)
    command = ["select", "cells.h5ad", "--target", "cell_type", "--strata", "batch", "--save", "selection.json"]
    assert main([*command, "--quiet"]) == 0
    assert main(["verify", "selection.json", "cells.h5ad"]) == 0


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_saved_selection_is_applied_to_a_file(cells, tmp_path, kind, capsys):
    counts, obs = cells
    path = str(write_h5ad(tmp_path / "cells.h5ad", kind(counts), obs))
    saved = str(tmp_path / "selection.json")
    written = str(tmp_path / "genes.csv")
    selection = bitsieve.select(path, "cell_type", n_features_to_select=3)
    selection.save(saved)
    assert main(["apply", saved, path, "--output", written, "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["check"]["moved"] == []
    genes = pd.read_csv(written)
    assert list(genes) == [*selection.features, "cell_type"]
    assert (genes[selection.features] == counts[:, selection.indices]).to_numpy().all()
    assert genes["cell_type"].tolist() == obs["cell_type"].tolist()
    darker = counts.copy()
    darker[:, 3] += 5
    other_path = str(write_h5ad(tmp_path / "other.h5ad", kind(darker), obs))
    assert main(["drift", saved, other_path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["moved"] == ["gene3"]


def test_what_is_refused(cells, tmp_path):
    counts, obs = cells
    good = write_h5ad(tmp_path / "good.h5ad", counts, obs)
    plain = tmp_path / "plain.h5"
    with h5py.File(plain, "w") as file:
        file["numbers"] = np.arange(5)
    without_x = write_h5ad(tmp_path / "layers.h5ad", None, obs, {"counts": counts})
    repeated = write_h5ad(tmp_path / "repeated.h5ad", counts, obs, genes=["gene0", *GENES[:-1]])
    short = write_h5ad(tmp_path / "short.h5ad", counts[:-1], obs)
    for path, options, code in (
        (good, {}, "target-needed"),
        (good, {"target": "cel_type"}, "unknown-column"),
        (good, {"target": "cell_type", "memory": "1GB"}, "cannot-read"),
        (plain, {"target": "y"}, "not-a-table"),
        (without_x, {"target": "cell_type"}, "table-not-named"),
        (repeated, {"target": "cell_type"}, "duplicate-names"),
        (short, {"target": "cell_type"}, "wrong-shape"),
    ):
        with pytest.raises(UserError) as raised:
            bitsieve.select(path, **options)
        assert raised.value.code == code, path


def test_several_files_are_refused_by_what_they_are(cells, tmp_path, capsys):
    counts, obs = cells
    first, second = (str(write_h5ad(tmp_path / name, sparse.csr_matrix(counts), obs)) for name in ("a.h5ad", "b.h5ad"))
    for words in (
        ["drift", first, second],
        ["select", first, second, "--target", "cell_type"],
    ):
        assert main(words) == 2
        errors = capsys.readouterr().err
        assert errors.count("\n") == 1
        assert "anndata.concat" in errors
    assert main(["count", first, "--target", "cell_type", "--save", str(tmp_path / "counts")]) == 2
    assert "is an .h5ad file" in capsys.readouterr().err


@pytest.mark.skipif(importlib.util.find_spec("anndata") is None, reason="anndata")
def test_an_object_and_the_file_that_it_writes(cells, tmp_path):
    import anndata

    counts, obs = cells
    obs = obs.set_index(np.array([f"cell{i}" for i in range(N_CELLS)]))
    adata = anndata.AnnData(sparse.csr_matrix(counts), obs, pd.DataFrame(index=GENES))
    adata.layers["counts"] = sparse.csc_matrix(counts)
    path = tmp_path / "cells.h5ad"
    adata.write_h5ad(path)
    of_object = bitsieve.select(adata, "cell_type", strata="batch")
    for data in (path, f"{path}/counts", anndata.read_h5ad(path, backed="r")):
        selection = bitsieve.select(data, "cell_type", strata="batch")
        assert selection.features == of_object.features
        assert (selection.scores == of_object.scores).all()
