from itertools import permutations
from types import SimpleNamespace

import numpy as np

from bitsieve.counts.tables import ContingencyTable
from bitsieve.methods.by_counts.dependent.permuted_strata import PermutedStrata


def strata_of(z, x, y):
    shape = (max(z) + 1, max(x) + 1, max(y) + 1)
    cells = (np.array(z) * shape[1] + np.array(x)) * shape[2] + np.array(y)
    return PermutedStrata.of_table(ContingencyTable.of_samples(shape, cells))


def test_permuted_tables_have_the_chances_of_all_permutations():
    z, x, y = [0, 0, 0, 0, 1, 1, 1, 2], [0, 1, 2, 0, 0, 1, 1, 2], [0, 1, 1, 0, 1, 0, 1, 0]
    strata = strata_of(z, x, y)
    cases = {}
    for first in permutations(x[:4]):
        for second in permutations(x[4:7]):
            table = np.zeros((3, 2), int)
            np.add.at(table, ([*first, *second], y[:7]), 1)  # the last sample is a stratum of its own: left out
            cases[table.tobytes()] = cases.get(table.tobytes(), 0) + 1 / 144
    size = 40000
    found = strata.permuted(np.random.default_rng(0), size)
    tables, counts = np.unique(found.reshape(size, -1), axis=0, return_counts=True)
    assert {table.tobytes() for table in tables} == set(cases)
    for table, count in zip(tables, counts, strict=True):
        share = cases[table.tobytes()]
        assert abs(count / size - share) < 5 * (share * (1 - share) / size) ** 0.5  # five standard errors
    expected = sum(share * np.frombuffer(table, int).reshape(3, 2) for table, share in cases.items())
    np.testing.assert_allclose(strata.expected, expected, rtol=1e-12)  # sums of a few floats
    spread = sum(share * (np.frombuffer(t, int).reshape(3, 2) - expected) ** 2 for t, share in cases.items())
    np.testing.assert_allclose(strata.variance, spread, rtol=1e-12)


def test_permutations_are_split_where_there_are_many_strata(monkeypatch):
    random = np.random.default_rng(0)
    strata = strata_of(*random.integers(0, [[40], [4], [3]], (3, 400)))
    monkeypatch.setattr("bitsieve.methods.by_counts.dependent.permuted_strata.CELLS_AT_ONCE", 500)
    made, drawn = (
        [],
        SimpleNamespace(hypergeometric=lambda *given: made.append(given[0]) or random.hypergeometric(*given)),
    )
    found = strata.permuted(drawn, 50)
    assert {some.shape[1] for some in made} == {len(strata.codes)}
    held = {some.shape[0] * strata.codes.size for some in made}
    assert 500 - strata.codes.size < max(held) <= 500  # no more fit
    assert (found.sum(axis=2) == strata.observed.sum(axis=1)).all()
    assert (found.sum(axis=1) == strata.observed.sum(axis=0)).all()
