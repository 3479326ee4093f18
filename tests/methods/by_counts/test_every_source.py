"""Every method on counts finds the same on every source: equal choices, and equal scores to the last bit."""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from dask.delayed import delayed
from pyarrow import csv, feather, parquet
from sklearn.datasets import dump_svmlight_file
from tests.cover import quick_and_slow
from tests.sparse_codes import sparse_codes

from bitsieve.counts.kernels import available_kernels
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.source import JoinedSource
from bitsieve.counts.sparse import SparseSource
from bitsieve.dataset.read import read_data
from bitsieve.discretization.transformers import CategoricalBinner
from bitsieve.engines.dask_partitions import DaskPartitions
from bitsieve.engines.partitioned_source import PartitionedSource
from bitsieve.engines.stream import StreamSource
from bitsieve.information import ESTIMATORS, UndefinedQuantityError, make_information
from bitsieve.io.column_file import InputFile
from bitsieve.io.libsvm import VALUE_BYTES, read_libsvm_in_ranges
from bitsieve.methods.by_counts import greedy_scores as greedy
from bitsieve.methods.by_counts.blankets.fcbf import fcbf
from bitsieve.methods.by_counts.blankets.koller_sahami import koller_sahami
from bitsieve.methods.by_counts.criteria import CRITERIA, make_criterion
from bitsieve.methods.by_counts.forward import forward_select
from bitsieve.methods.by_counts.pairwise.matrices import conditional_matrix
from bitsieve.methods.by_counts.pairwise.quadratic import approximated_ranking, extended_ranking, quadratic_ranking
from bitsieve.methods.by_counts.pairwise.semidefinite import semidefinite_choice
from bitsieve.methods.by_counts.pairwise.spectral import rank_by_spectrum
from bitsieve.methods.by_counts.stopping import STOPPING_RULES, make_stopping
from bitsieve.options import ReadOptions
from bitsieve.pipeline.discretize import count_table


def joined(codes, classes):
    """Every column a group of its own: the naive source once more, by way of its partitions."""
    return JoinedSource(NaiveSource(codes, classes), [np.array([i]) for i in range(codes.shape[1])])


def pack(codes, classes):
    """A portion, packed for counting; None where it has no samples."""
    return PackedSource(codes, classes) if len(codes) else None


def in_portions(codes, classes):
    """Three portions of unlike sizes and one without samples, by the threads of this process."""
    parts = zip(*(np.split(array, [9, 9, 70]) for array in (codes, classes)), strict=True)
    portions = [(delayed(part), delayed(of_part)) for part, of_part in parts]
    return PartitionedSource(DaskPartitions(portions).map("pack", pack))


def sparse(codes, classes, n_jobs=None):
    """Every column with all but its most frequent code listed."""
    return SparseSource(sparse_codes(codes), classes, n_jobs=n_jobs)


def whole(path):
    """The table of a file that is read at once."""
    return read_data(path, ReadOptions())


def libsvm(codes, classes, read=whole):
    """Read from a libsvm file; once for all tests."""
    known = codes.tobytes(), classes.tobytes(), read
    if known not in STREAMED:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "table.libsvm"
            dump_svmlight_file(codes.astype(float), classes, str(path), zero_based=False)
            table = read(path)
        STREAMED[known] = count_table(table, "none").information.source
    return STREAMED[known]


def from_ranges(path):
    """The table of a libsvm file, read in ranges of 300 bytes and sorted 20 values at a time."""
    return read_data(
        read_libsvm_in_ranges(InputFile.of_path(path), 20 * 4 * VALUE_BYTES, range_bytes=300), ReadOptions()
    )


def streamed(codes, classes, batches):
    """Counted from a file or a stream, in batches of 25 rows; packed once for all tests."""
    known = codes.tobytes(), classes.tobytes(), batches
    if known not in STREAMED:
        table = pa.table({f"x{j}": codes[:, j] for j in range(codes.shape[1])} | {"class": classes})
        with TemporaryDirectory() as folder:
            source = StreamSource(batches(table, Path(folder) / "table")).read_in_parts(ReadOptions(target="class"))
            source.engine.rows_of_batch = 25
            STREAMED[known] = source.count(CategoricalBinner())[1]
    return STREAMED[known]


def to_parquet(table, path):
    parquet.write_table(table, path, row_group_size=20)
    return path


def to_csv(table, path):
    csv.write_csv(table, path)
    return path


def to_folder(table, path):
    path.mkdir()
    for first in range(0, table.num_rows, 50):
        feather.write_feather(table.slice(first, 50), str(path / f"{first:03}.feather"))
    return path


def to_stream(table, path):
    return table.to_reader(30)


STREAMED = {}
STREAMS = {"parquet": to_parquet, "csv": to_csv, "folder": to_folder, "stream": to_stream}
KINDS = {kernel: partial(PackedSource, kernel=kernel) for kernel in available_kernels()} | {
    "joined": joined,
    "portions": in_portions,
    "sparse": sparse,
    "libsvm": libsvm,
    "libsvm in ranges": partial(libsvm, read=from_ranges),
    "sparse, threads": partial(sparse, n_jobs=3),
}
KINDS |= {name: partial(streamed, batches=batches) for name, batches in STREAMS.items()}
every_kind = pytest.mark.parametrize("kind", KINDS)
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS)


@pytest.fixture(scope="module")
def tables(make_table):
    """Columns of few, many and one code, duplicates among them, in no order; and the class."""
    codes, classes = make_table(140, 10, n_codes=4, n_classes=3, seed=3)
    random = np.random.default_rng(1)
    wide = np.column_stack([np.unique(random.integers(0, m, 140), return_inverse=True)[1] for m in (40, 90)])
    return np.column_stack([codes[:, :5], wide, codes[:, 2], codes[:, 0] * 0, codes[:, 5:]]).astype(np.uint8), classes


@pytest.fixture(scope="module")
def agree(tables):
    """``agree(kind, run, estimator)``: ``run(information)`` has the bits that it has on the naive source."""

    @cache
    def expected(run, estimator):
        return run(make_information(estimator, NaiveSource(*tables)))

    def check(kind, run, estimator="plug-in", what=""):
        found = run(make_information(estimator, KINDS[kind](*tables)))
        for mine, theirs in zip(found, expected(run, estimator), strict=True):
            assert np.asarray(mine).tobytes() == np.asarray(theirs).tobytes(), what

    return check


@cache
def forward(name, stopping=None):
    def run(information):
        found = forward_select(
            information, make_criterion(name), 8, stopping=None if stopping is None else make_stopping(stopping)
        )
        return found.order, found.scores, [] if found.outcome is None else found.outcome.values

    return run


# An estimator sees the counts of a source alone, and those of plug-in are compared for every kind.
QUICK_KINDS = {*list(KINDS)[:1], "sparse", "parquet"}
kinds_and_estimators = pytest.mark.parametrize(
    ("kind", "estimator"),
    quick_and_slow(
        product(KINDS, ESTIMATORS),
        quick={*product(KINDS, ["plug-in"]), *product(["sparse"], ESTIMATORS)},
        reason="the same counts by another estimator",
    ),
)


@kinds_and_estimators
def test_greedy_criteria(agree, kind, estimator):
    for name, criterion in CRITERIA.items():
        if criterion.required_tables != "joint" or ESTIMATORS[estimator].conditions_on_sets:
            agree(kind, forward(name), estimator, name)


LAZY = [
    n
    for n, c in CRITERIA.items()
    if any(getattr(c, of, False) for of in ("never_increases", "takes_off_mean_redundancy"))
]


@pytest.mark.each_value
@every_kind
@pytest.mark.parametrize("name", LAZY)
def test_lazy_evaluation(agree, kind, name, monkeypatch):
    monkeypatch.setattr(greedy, "MIN_LAZY_SECONDS", 0.0)
    monkeypatch.setattr(greedy, "MIN_LAZY_SECONDS_OF_MEAN", 0.0)
    agree(kind, forward(name))


# cmi counts given all that is chosen: one of its rules on every kind of source, and all of them on one kind, but for
# those that look at the rows, whose models take seconds. Sources without rows refuse them.
BY_ROWS = ("knockoffs", "dcrt", "gaussian-knockoffs")
QUICK_STOPPING = {("significance", "cmi", kind) for kind in KINDS}
QUICK_STOPPING |= {(rule, "cmi", "sparse") for rule in STOPPING_RULES if rule not in BY_ROWS}
QUICK_STOPPING |= set(product(BY_ROWS, ["cmi"], ["joined", "portions"]))


@pytest.mark.parametrize(
    ("stopping", "name", "kind"),
    quick_and_slow(
        product(STOPPING_RULES, ["cmi", "jmi"], KINDS), quick=QUICK_STOPPING, reason="the same counts by another rule"
    ),
)
def test_stopping_rules(agree, kind, name, stopping):
    if stopping in BY_ROWS and kind in ("joined", "portions"):  # their rows are not here, one column each
        with pytest.raises(ValueError, match=rf"^{stopping} needs the codes of every row in memory, one column each"):
            agree(kind, forward(name, stopping))
        return
    agree(kind, forward(name, stopping))


def matrices(information):
    everything = np.arange(information.n_features)
    rows = np.empty((2, information.n_features))
    information.symmetric_conditional_rows(np.array([6, 1]), everything, rows)
    yield from (information.entropy, information.relevance, information.class_entropy, information.varies, rows)
    for dtype in (np.float64, np.float32):
        yield information.matrix("redundancy", dtype)
        yield information.matrix("conditional_redundancy", dtype)
        yield information.matrix("conditional_relevance", dtype)
        yield information.matrix("mean_relevance", dtype, np.array([7, 2, 5]))


def all_matrices(information):
    return list(matrices(information))


@kinds_and_estimators
def test_matrices(agree, kind, estimator):
    agree(kind, all_matrices, estimator)


def varying(information):
    return np.flatnonzero(information.varies)


def spectrum(information):
    found = rank_by_spectrum(conditional_matrix(information, varying(information)))
    return found.weights, found.order, found.eigenvalue


def spectrum_in_tiles(information):
    found = rank_by_spectrum(conditional_matrix(information, varying(information), memory=1))
    return found.weights, found.order, found.eigenvalue


def quadratics(information):
    columns = varying(information)
    kinds = (
        quadratic_ranking(information, columns, convexify=True),
        extended_ranking(information, columns),
        approximated_ranking(information, columns, columns[[1, 4]], 0.4),
    )
    return [part for found in kinds for part in (found.weights, found.order, found.alpha, found.shift)]


def semidefinite(information):
    draw = np.random.default_rng(0).standard_normal
    found = semidefinite_choice(
        information, varying(information), 4, rounding="sphere", n_roundings=5, draw=draw, swaps=True
    )
    return found.order, found.shares, found.cosines, found.membership, found.certificate


def blankets(information):
    filtered = fcbf(information, None)
    return filtered.order, filtered.scores, np.concatenate(filtered.extras["groups_"])


def eliminations(information):
    found = [
        koller_sahami(information, information.n_features, blanket_size=2, blanket=rule)
        for rule in ("relevance", "redundancy")
    ]
    return [part for one in found for part in (one.order, one.scores)]


GLOBAL_METHODS = (spectrum, spectrum_in_tiles, quadratics, semidefinite, blankets, eliminations)


@pytest.mark.parametrize(
    ("kind", "method"),
    quick_and_slow(
        product(KINDS, GLOBAL_METHODS),
        quick={*product(QUICK_KINDS, GLOBAL_METHODS), *product(KINDS, [blankets])},
        reason="the matrices of every kind are compared by test_matrices",
    ),
)
def test_global_methods(agree, kind, method):
    agree(kind, method)


@every_estimator
@pytest.mark.parametrize("name", [name for name, c in CRITERIA.items() if c.required_tables == "joint"])
def test_a_quantity_that_is_not_defined_is_refused(tables, name, estimator):
    information = make_information(estimator, NaiveSource(*tables))
    if information.conditions_on_sets:
        assert len(forward_select(information, make_criterion(name), 3).order) == 3
        return
    with pytest.raises(UndefinedQuantityError, match=rf"^estimator='{estimator}' does not define .*: use 'plug-in'"):
        forward_select(information, make_criterion(name), 3)
