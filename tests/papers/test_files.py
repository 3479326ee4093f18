"""Public sets from files: what is read, and one line for each thing that cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from papers.data.files import LOADERS, load_bundled, load_npz


def test_everything_a_file_holds(tmp_path):
    X, y = np.arange(6).reshape(3, 2), np.array([0, 1, 1])
    np.savez(tmp_path / "a.npz", X=X, y=y, feature_names=["u", "v"], X_test=X[:1], y_test=y[:1])
    data = load_npz(tmp_path, "a")
    assert (data.X == X).all()
    assert data.X_test.shape == (1, 2)
    np.savez(tmp_path / "b.npz", X=X, y=y)
    assert load_npz(str(tmp_path), "b")[3:] == (None, None)
    np.savez(tmp_path / "c.npz", data=[7], indices=[1], indptr=[0, 0, 1], shape=[2, 2], y=[0, 1])
    assert load_npz(tmp_path, "c").X.tolist() == [[0, 0], [0, 7]]


def test_a_missing_file_is_named_with_its_origin(tmp_path):
    with pytest.raises(ValueError, match=r"there is no musk2\.npz in .*UCI.*Musk \(Version 2\)"):
        load_npz(tmp_path, "musk2")


def test_what_cannot_be_read(tmp_path):
    (tmp_path / "text.npz").write_text("no archive")
    np.savez(tmp_path / "other.npz", Z=[1])
    np.savez(tmp_path / "rows.npz", X=np.eye(2))
    np.savez(tmp_path / "uneven.npz", X=np.eye(2), y=[0])
    np.savez(tmp_path / "test.npz", X=np.eye(2), y=[0, 1], X_test=np.eye(3), y_test=[0, 1, 1])
    for name, message in (
        ("text", r"cannot read .*text\.npz' as .npz"),
        ("other", "has no array 'X', only 'Z': store X and y"),
        ("rows", r"rows\.npz' has no array 'y'"),
        ("uneven", "has 2 rows but y has 1 values: both must have the same number of rows"),
        ("test", r"X_test of shape \(3, 3\) .* do not belong to X of shape \(2, 2\)"),
    ):
        with pytest.raises(ValueError, match=message):
            load_npz(tmp_path, name)


@pytest.mark.parametrize("name", LOADERS)
def test_bundled(name):
    data = load_bundled(name)
    assert len(data.X) == len(data.y)


def test_no_such_bundled_set():
    with pytest.raises(ValueError, match="comes with scikit-learn; did you mean wine"):
        load_bundled("wines")
