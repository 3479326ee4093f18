"""Reading libsvm files: told by content or ending, and broken ones in one line."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from bitsieve.io.errors import DataError
from bitsieve.io.read import read_table

X = np.array([[0.0, 2, 0, 0], [1, 0, 0, 5], [0, 3, 0, 0.25]])


@pytest.mark.parametrize("zero_based", [False, True])
@pytest.mark.parametrize(("labels", "kind"), [([1, -1, 1], np.int64), ([0.5, 1.5, 2.0], np.float64)])
@pytest.mark.parametrize("comment", [None, "made by a test"])
def test_what_was_written(tmp_path, zero_based, labels, kind, comment):
    dump_svmlight_file(X, labels, str(tmp_path / "data.txt"), zero_based=zero_based, comment=comment)
    table = read_table(tmp_path / "data.txt")
    np.testing.assert_array_equal(table.X.toarray(), X)
    assert (table.y.tolist(), table.y.dtype, list(table.names)) == (labels, kind, ["x0", "x1", "x2", "x3"])


def test_told_by_the_ending_where_the_first_row_is_empty(tmp_path):
    (tmp_path / "data.svm").write_text("1\n0 qid:3 2:4.5 # a word\n")
    assert read_table(tmp_path / "data.svm").X.toarray().tolist() == [[0, 0], [0, 4.5]]


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "a\tb\n1\t2\n", "time,b\n1:30,2\n", "1:2,3:4\n5,6\n"])
def test_other_text_is_a_table_of_columns(tmp_path, text):
    (tmp_path / "data.txt").write_text(text)
    assert read_table(tmp_path / "data.txt").num_columns == 2


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("1 3:0.5 2:\n", "as libsvm"),
        ("1 3:0.5 1:2\n", "as libsvm"),
        ("1 one:0.5\n", "as libsvm"),
        ("yes 1:0.5\n", "rows of a label, a number"),
        ("1,2 1:0.5\n", "as libsvm"),
        ("# nothing\n", "has no rows"),
        ("1\n0\n", "no values but zeros"),
    ],
)
def test_mistakes(tmp_path, text, part):
    path = tmp_path / "data.libsvm"
    path.write_text(text)
    with pytest.raises(DataError, match=part) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
