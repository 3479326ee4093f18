"""Sparse files on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

import bitsieve
from bitsieve.cli import main
from bitsieve.io.read import read_table


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 200)
    X = (random.random((200, 30)) < np.where(np.arange(30) % 7 == 0, 0.1 + 0.4 * y[:, None], 0.1)).astype(float)
    return sparse.csr_array(X), y


@pytest.fixture(params=["npz", "npz with names", "libsvm"])
def path(request, data, tmp_path):
    X, y = data
    if request.param == "libsvm":
        dump_svmlight_file(X, y, str(tmp_path / "data.libsvm"), zero_based=False)
        return tmp_path / "data.libsvm"
    named = {"feature_names": np.array([f"w{j}" for j in range(30)])} if "names" in request.param else {}
    np.savez(tmp_path / "data.npz", data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y, **named)
    return tmp_path / "data.npz"


def test_select(data, path, tmp_path, capsys):
    expected = bitsieve.select(*data, method="jmi", n_features_to_select=5)
    assert main(["select", str(path), "--method", "jmi", "--features", "5", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [feature["index"] for feature in document["features"]] == expected.indices.tolist()
    assert [feature["score"] for feature in document["features"]] == expected.scores.tolist()
    names = read_table(path).names
    assert [feature["name"] for feature in document["features"]] == [names[j] for j in expected.indices]
    assert bitsieve.select(path, method="jmi", n_features_to_select=5).indices.tolist() == expected.indices.tolist()


@pytest.mark.parametrize("option", [["--memory", "1MB"], ["--spool", "kept"]])
def test_libsvm_files_in_ranges(data, tmp_path, monkeypatch, option, capsys):
    monkeypatch.chdir(tmp_path)
    dump_svmlight_file(*data, "data.libsvm", zero_based=False)
    documents = []
    for more in ([], option, [*option, "--output", "out.npz"], [*option, "--target", "y", "--output", "out.csv"]):
        assert main(["select", "data.libsvm", "--method", "jmi", "--features", "5", "--json", *more]) == 0
        documents.append(json.loads(capsys.readouterr().out))
    kept = data[0].toarray()[:, [feature["index"] for feature in documents[0]["features"]]]
    np.testing.assert_array_equal(read_table("out.npz").X.toarray(), kept)
    table = read_table("out.csv")
    np.testing.assert_array_equal(np.column_stack([table[j].to_numpy() for j in range(5)]), kept)
    for document in documents[1:]:
        for what in ("features", "notes", "target", "n_samples"):
            assert document[what] == documents[0][what]


def test_saved_counts_of_libsvm_files(data, tmp_path, capsys):
    dump_svmlight_file(*data, str(tmp_path / "data.libsvm"), zero_based=False)
    assert main(["count", str(tmp_path / "data.libsvm"), "--target", "y", "--save", str(tmp_path / "counts")]) == 2
    assert "is a libsvm file, which is not read in batches of columns" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["npz", "parquet", "csv"])
def test_output(data, path, tmp_path, ending, capsys):
    output = tmp_path / f"out.{ending}"
    assert main(["select", str(path), "--method", "mim", "--features", "3", "--output", str(output)]) == 0
    kept = data[0].toarray()[:, bitsieve.select(*data, method="mim", n_features_to_select=3).indices]
    table = read_table(output)
    if ending == "npz":
        assert sparse.issparse(table.X)
        np.testing.assert_array_equal(table.X.toarray(), kept)
        np.testing.assert_array_equal(table.y, data[1])
    else:
        np.testing.assert_array_equal(np.column_stack([table[j].to_numpy() for j in range(3)]), kept)
        np.testing.assert_array_equal(table["y"].to_numpy(), data[1])


def test_target_and_weights_among_the_columns(path, capsys):
    first, second = read_table(path).names[:2]
    assert main(["select", str(path), "--target", first, "--features", "2", "--weight", "y"]) == 0
    assert main(["select", str(path), "--target", first, "--target", second, "--features", "2"]) == 0
    assert "Traceback" not in capsys.readouterr().err


def test_methods_on_rows(path, capsys):
    assert main(["select", str(path), "--method", "relieff", "--features", "2"]) == 2
    error = capsys.readouterr().err
    assert "the table is sparse, but method 'relieff' needs dense rows" in error
    assert error.count("\n") == 1


def test_how_many_says_who_reads_them(path, capsys):
    assert main(["how-many", str(path)]) == 2
    error = capsys.readouterr().err
    assert "the table is sparse, and two of the five rules need dense rows" in error
    assert "by compare" in error
    assert error.count("\n") == 1


def test_compare_reads_them_as_dense(path, capsys):
    arguments = ["compare", str(path), "--methods", "mim", "--features", "1:3", "--folds", "3", "--classifier", "ncm"]
    assert main(arguments) == 0
    assert "mim" in capsys.readouterr().out
