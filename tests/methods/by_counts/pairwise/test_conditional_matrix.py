"""Q in tiles against Q whole: the same entries, the same products, whatever is kept."""

from __future__ import annotations

import numpy as np
import pytest

import bitsieve.methods.by_counts.pairwise.matrices as module
from bitsieve.methods.by_counts.pairwise import matrices
from bitsieve.methods.by_counts.pairwise.matrices import (
    CountedMatrix,
    TiledMatrix,
    WholeMatrix,
    conditional_matrix,
)
from bitsieve.methods.by_counts.pairwise.subsets import largest_others, row_bound
from bitsieve.utils.progress import listening

WORK = 3 * 10 * 32  # numbers that three tiles of the fixture below hold


@pytest.fixture(scope="module")
def mixed():
    """Columns of few and of many codes, in no order, more than a tile holds."""
    random = np.random.default_rng(0)
    arities = random.choice([2, 3, 3, 5, 10, 300], 75)
    classes = random.integers(0, 3, 200)
    noise = np.column_stack([random.integers(0, arity, 200) for arity in arities])
    follows = random.random((200, 75)) < random.random(75)
    return np.where(follows, classes[:, None] % arities, noise).astype(np.uint16), classes


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Tiles of 10 x 32 in strips of three: several of each, with ends that are not full."""
    monkeypatch.setattr(module, "TILE_ROWS", 10)
    monkeypatch.setattr(module, "TILE_COLUMNS", 32)
    monkeypatch.setattr(module, "STRIP_ROWS", 3)


ALL = np.arange(75)
SOME = np.array([70, 3, 4, 66, 20, 9, 31, 32, 33, 34, 51, 1])


@pytest.mark.parametrize("columns", [ALL, SOME, SOME[:1]], ids=len)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_tiles_hold_the_entries_of_the_matrix(information_of, mixed, columns, dtype):
    information = information_of(*mixed)
    values = WholeMatrix(information, columns, dtype).values
    tiles = TiledMatrix(information, columns, dtype, 10**6)
    made = np.array([tiles.multiply(vector) for vector in np.eye(len(columns))])
    assert made.tolist() == values.tolist()  # one term and zeros: exact
    assert tiles.largest_others.tolist() == largest_others(values).tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", [CountedMatrix, TiledMatrix])
def test_what_is_counted_when_asked_for_is_what_would_be_kept(information_of, mixed, kind, dtype):
    information = information_of(*mixed)
    whole, counted = WholeMatrix(information, ALL, dtype), kind(information, ALL, dtype)
    for i in SOME:
        assert counted.row(i).tobytes() == whole.row(i).tobytes()
    assert counted.among(SOME).tobytes() == whole.among(SOME).tobytes()
    assert counted.diagonal.astype(dtype).tolist() == whole.diagonal.tolist()


def test_bounds(information_of, mixed):
    information = information_of(*mixed)
    whole = WholeMatrix(information, ALL)
    for k in (1, 2, 7, 75):
        assert whole.upper_bounds(k) == TiledMatrix(information, ALL).upper_bounds(k) == [row_bound(whole.values, k)]
    assert CountedMatrix(information, ALL).upper_bounds(7) == []


def test_rows_in_parts(information_of, mixed):
    counted = CountedMatrix(information_of(*mixed), ALL)
    heard = []
    many = np.tile(ALL, 3)
    rows = counted.rows(many, lambda done, total: heard.append((done, total)))
    assert rows[:75].tobytes() == rows[150:].tobytes() == counted.rows(ALL).tobytes()
    assert heard == [(min(done, 225), 225) for done in range(3, 228, 3)]


def test_rows_are_counted_like_the_matrix(information_of, mixed):
    information = information_of(*mixed)
    matrix = information.matrix("mean_relevance")
    for n_jobs in (1, 3):
        out = np.empty((len(SOME), 75))
        information_of(*mixed, n_jobs=n_jobs).symmetric_conditional_rows(SOME, ALL, out)
        assert out.tobytes() == matrix[SOME].tobytes()


def test_products_are_those_of_the_matrix(information_of, mixed):
    information = information_of(*mixed)
    whole, tiled = WholeMatrix(information, ALL), TiledMatrix(information, ALL)
    vector = np.random.default_rng(1).standard_normal(75)
    # Sums of 75 terms of about a bit in another order.
    assert np.abs(tiled.multiply(vector) - whole.multiply(vector)).max() <= 1e-13


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_no_bit_depends_on_memory_or_threads(information_of, mixed, dtype):
    vector = np.random.default_rng(2).standard_normal(75)
    work = WORK * np.dtype(dtype).itemsize
    products = set()
    for n_jobs in (1, 2, 7):
        for memory in (0, work + 5000, work + 10**6):
            tiled = TiledMatrix(information_of(*mixed, n_jobs=n_jobs), ALL, dtype, memory)
            products |= {tiled.multiply(vector).tobytes(), tiled.multiply(vector).tobytes()}
    assert len(products) == 1


def test_only_what_is_not_kept_is_counted_again(information_of, mixed, monkeypatch):
    information = information_of(*mixed)
    counted = []
    count = information.sums.matrix_rows

    def counting(terms, form, pivots, columns, out):
        counted.append(out.size)
        count(terms, form, pivots, columns, out)

    monkeypatch.setattr(information.sums, "matrix_rows", counting)
    for memory, again in ((0, 1.0), (8 * WORK + 8 * 1500, 0.6), (8 * WORK + 8 * 75 * 75, 0.0)):
        tiled = TiledMatrix(information, ALL, np.float64, memory)
        counted.clear()
        tiled.multiply(np.ones(75))
        once = sum(counted)
        assert 75 * 76 / 2 <= once <= 0.6 * 75 * 75  # the upper triangle and the rest of the diagonal squares
        tiled.largest_others  # noqa: B018 - seen on the first pass: nothing is counted
        tiled.multiply(np.ones(75))
        assert (sum(counted) - once) / once == pytest.approx(again, abs=0.1)


def test_largest_others_alone_take_a_pass(information_of, mixed):
    information = information_of(*mixed)
    found = TiledMatrix(information, SOME, np.float64, 0).largest_others
    assert found.tolist() == largest_others(WholeMatrix(information, SOME).values).tolist()


@pytest.mark.parametrize(("memory", "kind"), [(None, WholeMatrix), (75 * 75 * 8, WholeMatrix), (44_999, TiledMatrix)])
def test_whole_where_it_fits(information_of, mixed, memory, kind):
    assert isinstance(conditional_matrix(information_of(*mixed), ALL, np.float64, memory), kind)


def test_progress(information_of, mixed):
    heard = []
    with listening(lambda progress: heard.append(str(progress))):
        tiled = TiledMatrix(information_of(*mixed), ALL)
        tiled.multiply(np.ones(75))
        tiled.multiply(np.ones(75))
    assert heard[0] == "counting pairs, pass 1"
    assert "counting pairs, pass 1, 100 %" in heard
    assert heard[-1] == "counting pairs, pass 2, 100 %"


def test_more_than_the_system_has(information_of, mixed, monkeypatch):
    information = information_of(*mixed)

    def matrix(*_):
        raise MemoryError

    monkeypatch.setattr(information.sums, "matrix", matrix)
    message = "all pairs of 75 features take 4.5e-05 GB, more than there is: limit them by memory='4GB' or so"
    with pytest.raises(ValueError, match=message):
        conditional_matrix(information)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_are_said_to_take_what_they_take(information_of, make_table, monkeypatch, dtype):
    counted, said = matrices.CountedMatrix(information_of(*make_table(60, 11, seed=1)), np.arange(1, 11), dtype), []
    monkeypatch.setattr(matrices, "check_room", lambda n_bytes, *_: said.append(n_bytes))
    for members in ([3], [0, 5, 9], range(10)):
        rows = counted.rows(np.array(members))
        assert rows.dtype == dtype
        assert said.pop() == rows.nbytes
