"""Codes, classes and weights beyond the limits of a source are refused."""

import numpy as np
import pytest

from bitsieve.counts.checks import check_sparse_rows, checked_weights
from bitsieve.diagnostics import UserError


def test_rows_of_a_sparse_table_are_numbered_by_32_bits():
    check_sparse_rows(2**31 - 1)
    with pytest.raises(ValueError, match=r"^X has 2,147,483,648 samples: at most 2\*\*31 - 1 are supported"):
        check_sparse_rows(2**31)


@pytest.mark.parametrize("shape", [(4,), (6,), (5, 1), ()])
def test_weights_of_another_shape_are_refused(shape):
    assert checked_weights(np.ones(5, int), 5).tolist() == [1] * 5
    with pytest.raises(UserError) as caught:
        checked_weights(np.ones(shape, int), 5)
    assert caught.value.diagnostic.code == "lengths-differ"
