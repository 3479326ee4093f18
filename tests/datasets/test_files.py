"""Public sets from files: what is read, and one line for each thing that cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.datasets.bundled import LOADERS, load_bundled
from bitsieve.datasets.files import load_npz


def test_everything_a_file_holds(tmp_path):
    X, y = np.arange(6).reshape(3, 2), np.array([0, 1, 1])
    np.savez(tmp_path / "a.npz", X=X, y=y, feature_names=["u", "v"], X_test=X[:1], y_test=y[:1])
    data = load_npz(tmp_path, "a")
    assert (data.X == X).all()
    assert data.feature_names == ["u", "v"]
    assert data.X_test.shape == (1, 2)
    np.savez(tmp_path / "b.npz", X=X, y=y)
    assert load_npz(str(tmp_path), "b")[3:] == (None, None, None)


def test_a_missing_file_is_named_with_its_origin(tmp_path):
    with pytest.raises(ValueError, match=r"there is no musk2\.npz in .*UCI.*Musk \(Version 2\)"):
        load_npz(tmp_path, "musk2")


def test_what_cannot_be_read(tmp_path):
    (tmp_path / "text.npz").write_text("no archive")
    np.savez(tmp_path / "sparse.npz", data=[1], indices=[0], indptr=[0, 1], shape=[1, 1], y=[0])
    np.savez(tmp_path / "other.npz", Z=[1])
    np.savez(tmp_path / "uneven.npz", X=np.eye(2), y=[0])
    for name, message in (
        ("text", "cannot be read as .npz"),
        ("sparse", "pieces of a sparse matrix: a dense X is needed"),
        ("other", "holds 'Z': arrays X and y are needed"),
        ("uneven", r"X of shape \(2, 2\) and y of shape \(1,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            load_npz(tmp_path, name)


@pytest.mark.parametrize("name", LOADERS)
def test_bundled(name):
    data = load_bundled(name)
    assert len(data.X) == len(data.y)
    assert len(data.feature_names) == data.X.shape[1]


def test_no_such_bundled_set():
    with pytest.raises(ValueError, match="comes with scikit-learn; did you mean wine"):
        load_bundled("wines")
