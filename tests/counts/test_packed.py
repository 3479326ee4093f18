"""Counts of a matrix in memory: its limits, any number of threads, parts of it, and single precision."""

from __future__ import annotations

import pickle
import sys
from itertools import product

import numpy as np
import pytest

import bitsieve.counts.checks as checks
import bitsieve.counts.packed as layout
import bitsieve.counts.tables as contingency
import bitsieve.counts.threads as spreading
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.tables import PairFormula, make_entropy_terms
from bitsieve.information.plug_in import PlugInInformation


@pytest.fixture
def mixed():
    """Columns of planes and of codes, in no order, many groups of eight."""
    random = np.random.default_rng(0)
    arities = random.choice([1, 2, 2, 3, 3, 5, 10, 30, 300], 203)
    codes = np.column_stack([random.integers(0, arity, 500) for arity in arities]).astype(np.uint16)
    return codes, random.integers(0, 3, 500)


def terms_of(source):
    return make_entropy_terms(source.n_samples)


def form_of(source):
    """An asymmetric form: I(Xi;C|Xj)."""
    terms = make_entropy_terms(source.n_samples)
    alone, with_class = source.fused.marginal_sums(terms)
    return PairFormula(-1, 1, np.zeros_like(alone), alone - with_class, terms.per_bit, False)


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([[0, -3]], "code -3 is negative: codes are 0, 1, 2, ... (CategoricalBinner makes them)"),
        ([[0, 65536]], "code 65536 is beyond the limit of 65,536 codes a feature: use fewer bins"),
        ([[0, 2**40]], "code 1099511627776 is beyond the limit of 65,536 codes a feature: use fewer bins"),
        ([[0.0, 1.0]], "codes of type float64 are not integers: bin the columns first"),
        ([["a", "b"]], "codes of type <U1 are not integers: bin the columns first"),
        ([0, 1], "codes of shape (2,) are not a table: give (n_samples, n_features), neither of them 0"),
        (np.empty((0, 3), np.uint8), "codes of shape (0, 3) are not a table"),
        (np.empty((3, 0), np.uint8), "codes of shape (3, 0) are not a table"),
    ],
)
def test_codes_that_are_refused(codes, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole line is compared
        PackedSource(codes)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("classes", "keywords", "message"),
    [
        ([0, 1], {}, "classes of shape (2,) do not fit 3 samples: give one class a sample"),
        ([[0], [1], [0]], {}, "classes of shape (3, 1) do not fit 3 samples: give one class a sample"),
        ([0, -1, 0], {}, "classes must be codes 0, 1, 2, ...: encode the labels first"),
        ([0.0, 1.0, 0.0], {}, "classes must be codes 0, 1, 2, ...: encode the labels first"),
        (["a", "b", "a"], {}, "classes must be codes 0, 1, 2, ...: encode the labels first"),
        ([0, 1, 2], {"n_classes": 2}, "class 2 is not below n_classes=2"),
    ],
)
def test_classes_that_are_refused(classes, keywords, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole line is compared
        PackedSource([[0], [1], [0]], classes, **keywords)
    assert str(caught.value) == message


def test_limits_of_shape(monkeypatch):
    monkeypatch.setattr(checks, "MAX_FEATURES", 4)
    monkeypatch.setattr(checks, "MAX_SAMPLES", 4)
    PackedSource(np.zeros((4, 4), np.uint8))
    with pytest.raises(ValueError, match=r"5 features are more than the limit of 10\*\*6: filter the columns first"):
        PackedSource(np.zeros((4, 5), np.uint8))
    with pytest.raises(ValueError, match=r"5 samples are more than the limit of 2\*\*31: count them in parts"):
        PackedSource(np.zeros((5, 4), np.uint8))


def test_largest_code():
    source = PackedSource([[65535, 1], [0, 0], [65535, 1]], [0, 1, 1])
    assert source.arities.tolist() == [65536, 2]
    (table,) = source.tables(0, np.array([1]), True)
    assert table.shape == (65536, 2, 2)
    assert table.counts.sum() == 3
    assert table.dense()[[0, 65535]].tolist() == [[[0, 1], [0, 0]], [[0, 0], [1, 1]]]


def test_what_a_source_tells():
    codes = np.array([[0, 2], [1, 0], [1, 1]])
    source = PackedSource(codes, [1, 0, 1])
    assert (source.n_samples, source.n_features, source.n_classes) == (3, 2, 2)
    assert source.arities.tolist() == [2, 3]
    assert source.class_sizes.tolist() == [1, 2]
    assert source.nbytes > 0
    assert source.fused.row_seconds > 0
    unsupervised = PackedSource(codes)
    assert unsupervised.n_classes == 1
    assert unsupervised.class_sizes.tolist() == [3]


def test_input_is_neither_changed_nor_kept():
    codes = np.array([[0, 2], [1, 0], [1, 1]], np.uint8)
    copy = codes.copy()
    source = PackedSource(codes, [1, 0, 1])
    before = source.fused.pair_sums(terms_of(source), 0, None, True)
    assert (codes == copy).all()
    codes[:] = 0
    after = source.fused.pair_sums(terms_of(source), 0, None, True)
    assert [s.tolist() for s in before] == [s.tolist() for s in after]


@pytest.mark.parametrize("kernel", [None, "table", "portable:planes", "portable:counters"])
@pytest.mark.parametrize("n_features", [5, 16, 70])
def test_any_order_of_memory_and_of_rows_is_packed(n_features, kernel):
    """What was packed is what was given, the rows in class order; a code that is not below its arity is refused."""
    random = np.random.default_rng(n_features)
    arities = random.choice([1, 2, 3, 9], n_features)
    codes = random.integers(0, arities, (1000, n_features)).astype(np.uint8)
    codes[-1] = arities - 1
    classes = random.integers(0, 3, 1000)
    for table in (codes, np.asfortranarray(codes), np.repeat(codes, 2, axis=1)[:, ::2], codes.astype(np.uint16)):
        for target in (classes, np.zeros(1000, int)):
            source = PackedSource(table, target, arities=arities, kernel=kernel)
            in_order = codes[np.argsort(target, kind="stable")]
            assert all(source.codes(j).tolist() == in_order[:, j].tolist() for j in range(n_features))
            with pytest.raises(ValueError, match="a code is not below the arity of its feature"):
                PackedSource(table, target, arities=arities - (arities == 9), kernel=kernel)


@pytest.mark.parametrize("kernel", [None, "table"])
def test_equal_for_any_number_of_threads(mixed, monkeypatch, kernel):
    monkeypatch.setattr(layout, "MIN_SECONDS_FOR_THREAD", 1e-12)  # threads even for microseconds of work
    monkeypatch.setattr(layout, "BLOCK_BYTES", 1 << 12)  # many blocks of the matrix
    results = []
    for n_jobs in (None, 1, 2, 7):
        source = PackedSource(*mixed, n_jobs=n_jobs, kernel=kernel)
        assert len(source.fused.matrix_blocks(np.arange(203), 1)) > 20
        rows = [source.fused.pair_sums(terms_of(source), pivot, None, True) for pivot in (0, 5, 200)]
        form = form_of(source)
        results.append(
            [sums.tobytes() for row in rows for sums in row]
            + [source.fused.matrix(terms_of(source), form, dtype).tobytes() for dtype in (np.float64, np.float32)]
            + [source.fused.matrix(terms_of(source), form, np.float64, np.arange(3, 203, 7)).tobytes()]
        )
    assert results[0] == results[1] == results[2] == results[3]


def test_threads_take_part(mixed, monkeypatch):
    """The switch that the test above turns does give threads work, and with it off a small job has none."""
    import threading

    workers = set()

    class Watched(PackedSource):
        def run_batches(self, work, seconds, groups):
            def watched(block):
                workers.add(threading.current_thread())
                work(block)

            super().run_batches(watched, seconds, groups)

    Watched(*mixed, n_jobs=3)
    assert workers == {threading.main_thread()}
    monkeypatch.setattr(layout, "MIN_SECONDS_FOR_THREAD", 1e-12)
    Watched(*mixed, n_jobs=3)
    assert len(workers) > 1


def test_twice_the_work_is_forecast_to_take_twice_the_time(monkeypatch):
    """Of columns, samples and rows of pairs: by this forecast threads share the work."""
    forecast = []
    monkeypatch.setattr(PackedSource, "run_batches", lambda self, work, seconds, groups: forecast.append(seconds))

    def of(n_samples, n_features, columns):
        codes = np.arange(n_samples * n_features).reshape(n_samples, n_features) % 3
        source = PackedSource(codes, np.arange(n_samples) % 2)
        some, form = np.arange(columns), form_of_nothing(n_features)
        source.fused.pair_sums(terms_of(source), 0, some, True)
        source.fused.matrix_rows(terms_of(source), form, np.array([0]), some, np.empty((1, columns)))
        source.fused.matrix_rows(terms_of(source), form, np.array([0, 1]), some, np.empty((2, columns)))
        source.partition().sums(terms_of(source), some)
        found = np.array(forecast)
        forecast.clear()
        return found

    once = of(512, 32, 16)
    assert (once > 0).all()
    packing, row, rows, two_rows, parts = once.tolist()
    close = {"rel": 1e-13}  # sums of some dozen floats
    assert [rows, two_rows] == pytest.approx([row, 2 * row], **close)
    assert of(512, 32, 32).tolist() == pytest.approx([packing, 2 * row, 2 * row, 4 * row, 2 * parts], **close)
    assert of(512, 64, 16).tolist() == pytest.approx([2 * packing, row, row, 2 * row, parts], **close)
    # Of twice the samples there are no more cells.
    assert of(1024, 32, 16)[[0, 4]].tolist() == pytest.approx([2 * packing, 2 * parts], **close)
    assert row < of(1024, 32, 16)[1] <= 2 * row


def form_of_nothing(n_features):
    return PairFormula(1, 0, np.zeros(n_features, np.int64), np.zeros(n_features, np.int64), 1.0, False)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_thread_is_started_for_work_that_is_worth_it(monkeypatch, n_jobs):
    source = PackedSource(np.arange(800).reshape(4, 200) % 2, n_jobs=n_jobs)
    shared = []
    monkeypatch.setattr(spreading, "run_blocks", lambda work, blocks, threads: shared.append((blocks, threads)))
    for n_groups in (0, 1, 2, 25):
        for worth in (0, 0.99, 1, 1.99, 2, 2.99, 3, 7, 100):
            groups = np.arange(n_groups)
            source.run_batches(pytest.fail, worth * layout.MIN_SECONDS_FOR_THREAD * (1 + 1e-12), groups)
            threads = max(1, min(n_jobs, int(worth), n_groups))
            ((blocks, given),) = shared
            assert given == threads
            assert len(blocks) == min(min(4 * threads, int(worth)) if threads > 1 else 1, n_groups)
            assert np.concatenate([*blocks, []]).tolist() == groups.tolist()
            shared.clear()


def test_columns_of_a_row(mixed):
    source = PackedSource(*mixed)
    for columns in ([0], [202, 3, 77], list(range(0, 203, 5)), [4, 4]):
        chosen = np.array(columns)
        for pivot in (6, 202):
            whole = source.fused.pair_sums(terms_of(source), pivot, None, True)
            part = source.fused.pair_sums(terms_of(source), pivot, chosen, True)
            assert [s.tolist() for s in part] == [s[chosen].tolist() for s in whole]
            pooled, nothing = source.fused.pair_sums(terms_of(source), pivot, chosen, False)
            assert pooled.tolist() == whole[0][chosen].tolist()
            assert nothing is None


def test_columns_of_a_matrix(mixed):
    source = PackedSource(*mixed)
    whole = source.fused.matrix(terms_of(source), form_of(source), np.float64)
    for columns in ([9], [202, 3, 77], list(range(0, 203, 5)), list(range(202, -1, -1))):
        chosen = np.array(columns)
        assert (
            source.fused.matrix(terms_of(source), form_of(source), np.float64, chosen).tobytes()
            == whole[np.ix_(chosen, chosen)].tobytes()
        )


@pytest.mark.parametrize("symmetric", [False, True])
def test_few_columns_of_a_large_table_are_counted_row_by_row(mixed, monkeypatch, symmetric):
    """Where they are too many bytes to be packed side by side: the numbers of the whole matrix, for fewer groups."""
    source = PackedSource(*mixed)
    form = form_of(source)._replace(symmetric=symmetric)
    whole, chosen = source.fused.matrix(terms_of(source), form, np.float64), np.array([150, 3, 90, 201, 17])
    monkeypatch.setattr(layout, "MAX_COPY_BYTES", 0)
    monkeypatch.setattr(layout, "MIN_SECONDS_FOR_ROWS", 0.0)
    groups, fill = [], layout.PackedSums._write_sums
    monkeypatch.setattr(
        layout.PackedSums, "_write_sums", lambda self, *how: groups.append(len(how[2])) or fill(self, *how)
    )
    some = source.fused.matrix(terms_of(source), form, np.float64, chosen)
    assert some.tobytes() == whole[np.ix_(chosen, chosen)].tobytes()
    assert groups == [5, 4, 3, 2, 1]  # of each column with those after it


def test_columns_that_are_counted_together(mixed):
    """Those of the groups of eight that hold any of them."""
    source = PackedSource(*mixed)
    for columns in ([0], [202, 3, 77], [4, 4], list(range(203))):
        found = source.fused.counted_with(np.array(columns))
        groups = {int(source.group_of[j]) for j in columns}
        assert found.tolist() == [j for j in range(203) if int(source.group_of[j]) in groups]


def test_few_columns_of_many_are_gathered(mixed):
    """Columns from all over the table are packed side by side, and their numbers are those of the whole matrix."""
    source = PackedSource(*mixed)
    whole = source.fused.matrix(terms_of(source), form_of(source), np.float64)
    chosen = np.array([150, 3, 90, 201, 17])
    sums = source.fused.sums_of_copy(chosen)
    assert sums is not None
    gathered = sums.source
    assert gathered.arities.tolist() == source.arities[chosen].tolist()
    for place, column in enumerate(chosen):
        assert gathered.codes(place).tolist() == source.codes(column).tolist()
    some = source.fused.matrix(terms_of(source), form_of(source), np.float64, chosen)
    assert some.tobytes() == whole[np.ix_(chosen, chosen)].tobytes()
    assert source.fused.sums_of_copy(np.arange(150)) is None


def test_rows_and_matrix_agree(mixed):
    source = PackedSource(*mixed)
    information = PlugInInformation(source)
    matrix = information.matrix("redundancy")
    for pivot in (0, 100, 202):
        assert information.pair(pivot).redundancy.tobytes() == matrix[pivot].tobytes()


def test_single_precision_is_the_rounded_double(mixed):
    information = PlugInInformation(PackedSource(*mixed))
    for quantity in ("redundancy", "conditional_relevance"):
        double, single = (information.matrix(quantity, dtype) for dtype in (np.float64, np.float32))
        assert single.dtype == np.float32
        assert single.tobytes() == double.astype(np.float32).tobytes()


def test_progress_of_a_matrix(mixed, monkeypatch):
    monkeypatch.setattr(layout, "BLOCK_BYTES", 1 << 12)
    for n_jobs in (1, 3):
        reports = []
        source = PackedSource(*mixed, n_jobs=n_jobs)
        source.fused.matrix(
            make_entropy_terms(source.n_samples),
            form_of(source),
            np.float64,
            progress=lambda *counts, to=reports: to.append(counts),
        )
        total = len(reports)
        assert total > 20
        assert reports == [(done, total) for done in range(1, total + 1)]


def test_memory_is_bit_planes():
    """(arity - 1) / 8 bytes a value, and little more."""
    codes = np.random.default_rng(0).integers(0, 3, (64_000, 80)).astype(np.uint8)
    planes = 64_000 * 80 * 2 // 8
    assert planes <= PackedSource(codes, kernel="portable:planes").nbytes < 1.05 * planes


def test_a_source_is_as_large_as_its_table_and_an_object():
    sources = [PackedSource(np.arange(n)[:, None] % 3, kernel="table") for n in range(1, 40)]
    assert len({source.nbytes for source in sources}) == 39
    assert len({sys.getsizeof(source) - source.nbytes for source in sources}) == 1


def test_a_pickled_table_counts_the_same(mixed):
    codes, classes = mixed
    for some in (codes, codes[:, codes.max(axis=0) < 256]):
        source = PackedSource(some, classes, n_classes=4, n_jobs=2)
        again = pickle.loads(pickle.dumps(source))
        assert (again.n_classes, again.n_jobs, again.arities.tolist()) == (4, 2, source.arities.tolist())
        for mine, theirs in zip(again.tables(0, np.arange(9), True), source.tables(0, np.arange(9), True), strict=True):
            assert mine.dense().tolist() == theirs.dense().tolist()
    assert sys.getsizeof(source) > source.nbytes > 0


@pytest.mark.parametrize(("weights", "message"), [(None, "the packed table takes"), (3, "the weights sum to 1,500")])
def test_more_than_may_be_asked_for_is_one_line(mixed, monkeypatch, weights, message):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(layout, "WITHOUT_LOOKING", 0)
    monkeypatch.setattr(layout._native, "PackedTable", full)
    with pytest.raises(MemoryError, match=rf"^{message}.* more than this process may ask for: "):
        PackedSource(*mixed, weights=None if weights is None else np.full(500, weights))


def test_kernels_are_asked_for_by_their_words():
    for words in ("table", "portable", "portable:planes", "portable:counters"):
        assert choose_kernel(words).full_name == words


@pytest.mark.parametrize("seed", range(8))
def test_large_tables_hold_the_cells_that_occur_and_small_ones_all(monkeypatch, seed):
    """The same counts as by definition, whichever of them are large."""
    for module in (layout, contingency):
        monkeypatch.setattr(module, "DENSE_CELLS", 24)
    random = np.random.default_rng(seed)
    codes = np.stack([random.integers(0, arity, 60) for arity in (1, 2, 3, 5, 12, 30)], axis=1)
    classes = random.integers(0, 2, 60)
    source, plain, columns = PackedSource(codes, classes), NaiveSource(codes, classes), np.arange(6)
    for pivot, by_class in product((None, 0, 1, 2, 4, 5), (False, True)):
        found = source.tables(pivot, columns, by_class)
        for one, other in zip(found, plain.tables(pivot, columns, by_class), strict=True):
            assert one.shape == other.shape
            assert (one.cells is None) == (np.prod(one.shape) <= 24)
            np.testing.assert_array_equal(one.dense(), other.dense())


@pytest.mark.each_value
@pytest.mark.parametrize("kind", [np.int8, np.int16, np.uint32, np.int64, bool])
@pytest.mark.parametrize("largest", [0, 1, 127, 128, 255, 256, 257, 32767, 65535, 65536])
def test_codes_are_kept_in_the_smallest_type_that_holds_them(kind, largest):
    if largest > (1 if kind is bool else np.iinfo(kind).max):
        return
    codes = np.array([[0, 0], [largest, 0]]).astype(kind)
    if largest == 65536:
        with pytest.raises(ValueError, match="code 65536 is beyond the limit of 65,536 codes"):
            checks.checked_codes(codes)
        return
    found = checks.checked_codes(codes)
    assert found.dtype == (np.uint8 if largest < 256 else np.uint16)
    assert found.tolist() == codes.astype(int).tolist()
