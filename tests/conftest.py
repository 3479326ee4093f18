"""What several test files share: information straight from its definition, and seeded tables of codes."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections import Counter
from functools import cache, partial
from math import log2
from types import SimpleNamespace

import hypothesis
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from sklearn.datasets import load_breast_cancer
from tests.cover import quick_and_slow
from tests.sparse_codes import sparse_codes
from threadpoolctl import threadpool_limits

from bitsieve.cli import parser
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.sparse import SparseSource
from bitsieve.information import make_information

# Hundreds of commands are started: the first compiles for all. The tests themselves are rewritten for their assertions,
# which takes as long as many of them run: that is written down, too, whatever the environment asks for.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
hypothesis.settings.register_profile(  # a busy machine is no fault
    "no clock", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("no clock")
gc.disable()  # until all tests are known: hardly anything of what is made up to there is ever garbage


def pytest_collection_finish():
    """What was collected stays to the end, and is not looked through for garbage again."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)  # before the tests marked as slow are left out
def pytest_collection_modifyitems(config, items):
    _mark_repeated_values_as_slow(items)
    if "nightly" not in config.option.markexpr:
        _leave_out_nightly(config, items)


def _leave_out_nightly(config, items):
    """Leave out the tests marked as nightly: an -m that was typed replaces the one of pyproject.toml."""
    nightly = [item for item in items if item.get_closest_marker("nightly") is not None]
    items[:] = [item for item in items if item.get_closest_marker("nightly") is None]
    config.hook.pytest_deselected(items=nightly)


def _mark_repeated_values_as_slow(items):
    """Of a cross marked with each_value, a case is slow if other cases before it have all its values."""
    values_of_quick_cases = set()
    for item in items:
        if item.get_closest_marker("each_value") is None or item.get_closest_marker("slow") is not None:
            continue
        name = item.nodeid.partition("[")[0]
        values = {(name, parameter, id(value)) for parameter, value in item.callspec.params.items()}
        if values <= values_of_quick_cases:
            item.add_marker(pytest.mark.slow("every value of every parameter is in another case"))
        values_of_quick_cases |= values


def sparse_source(codes, classes=None, **keywords):
    """The columns with all but their most frequent code listed."""
    return SparseSource(sparse_codes(np.asarray(codes)), classes, **keywords)


# Every test of methods on counts runs on each of these, in make test on the first: that all sources give every method
# the same bits is shown in methods/by_counts/test_every_source.py. The kernels have tests of their own.
SOURCES = {
    "packed": PackedSource,
    "packed-table": partial(PackedSource, kernel="table"),
    "naive": NaiveSource,
    "sparse": sparse_source,
}


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    """Linear algebra takes one thread: several test processes at once share the cores."""
    with pytest.MonkeyPatch.context() as patch, threadpool_limits(1):
        patch.setenv("OPENBLAS_NUM_THREADS", "1")  # of the processes they start
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_parser():
    """The parser of a command is made once, as in the one process of a user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "make_parser", cache(parser.make_parser))
        yield


@pytest.fixture(scope="session", autouse=True)
def _caches(tmp_path_factory):
    """The folder for caches is one of the tests' own, also of the processes they start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))
        yield


def entropy(*columns):
    """H of the columns together: sum (n_x / N) log2(N / n_x)."""
    cells = Counter(zip(*(column.tolist() for column in columns), strict=True))
    n = len(columns[0])
    return sum(count / n * log2(n / count) for count in cells.values())


def mutual_information(x, y):
    """I(X;Y) = sum (n_xy / N) log2(n_xy N / (n_x n_y))."""
    x, y, n = x.tolist(), y.tolist(), len(x)
    n_x, n_y = Counter(x), Counter(y)
    cells = Counter(zip(x, y, strict=True))
    return sum(count / n * log2(count * n / (n_x[a] * n_y[b])) for (a, b), count in cells.items())


def conditional_information(x, y, z):
    """I(X;Y|Z) = sum (n_xyz / N) log2(n_xyz n_z / (n_xz n_yz))."""
    x, y, z, n = x.tolist(), y.tolist(), z.tolist(), len(x)
    n_z, n_xz, n_yz = Counter(z), Counter(zip(x, z, strict=True)), Counter(zip(y, z, strict=True))
    cells = Counter(zip(x, y, z, strict=True))
    return sum(count / n * log2(count * n_z[c] / (n_xz[a, c] * n_yz[b, c])) for (a, b, c), count in cells.items())


def dependent_table(n_samples, n_features, *, n_codes=3, n_classes=2, seed=0):
    """Codes of which most follow the class, each to its own degree, and the class."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, n_classes, n_samples)
    noise = random.integers(0, n_codes, (n_samples, n_features))
    follows = random.random((n_samples, n_features)) < random.random(n_features)
    codes = np.where(follows, (classes[:, None] + np.arange(n_features) % n_codes) % n_codes, noise)
    return codes.astype(np.uint8), classes


@pytest.fixture(scope="session")
def brute():
    """Information in bits by plain loops over the definition."""
    return SimpleNamespace(
        entropy=entropy,
        mutual_information=mutual_information,
        conditional_information=conditional_information,
        joint_information=lambda x, y, c: mutual_information(x, c) + conditional_information(y, c, x),
    )


@pytest.fixture(scope="session")
def make_table():
    """``make_table(n_samples, n_features, *, n_codes, n_classes, seed) -> codes, classes``."""
    return dependent_table


@pytest.fixture(
    scope="session",
    params=quick_and_slow(SOURCES, quick={"packed"}, reason="test_every_source compares all sources, bit by bit"),
)
def source(request):
    """``source(codes, classes, n_classes=, weights=, n_jobs=)``, of every kind of source."""
    return SOURCES[request.param]


@pytest.fixture(scope="session")
def information_of(source):
    """``information_of(codes, classes, estimator="plug-in", ...)`` on every kind of source."""

    def make(codes, classes=None, *, estimator="plug-in", **keywords):
        return make_information(estimator, source(codes, classes, **keywords))

    return make


@pytest.fixture(scope="module")
def table():
    """569 tumours: eight measurements, a size in words, the diagnosis."""
    data = load_breast_cancer()
    names = [str(name).replace(" ", "_") for name in data.feature_names[:8]]
    columns = {name: data.data[:, j] for j, name in enumerate(names)}
    return pa.table(
        {
            **columns,
            "size": np.where(data.data[:, 0] > 14, "large", "small"),
            "diagnosis": [str(data.target_names[code]) for code in data.target],
        }
    )


@pytest.fixture
def data(table, tmp_path):
    """The path of a CSV file of that table."""
    path = tmp_path / "data.csv"
    csv.write_csv(table, path)
    return path


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A Spark session of two threads on this machine."""
    sql = pytest.importorskip("pyspark.sql", reason="Spark is not installed (pip install 'bitsieve[spark]')")
    if shutil.which("java") is None:
        pytest.skip("Spark needs a Java runtime")
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # for jobs as short as these
        "spark.driver.memory": "1g",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = sql.SparkSession.builder.master("local[2]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()
