"""What is selected from a Spark data frame is what is selected from the same rows in memory, to the last bit."""

from __future__ import annotations

import doctest
import gc
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import bitsieve
from bitsieve.discretization.transformers import CategoricalBinner
from bitsieve.engines import spark_partitions
from bitsieve.methods.registry import list_methods
from bitsieve.options import ReadOptions
from bitsieve.selectors.making import make_selector

pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # which Spark leaves behind
N = 600
HOW = {"n_features_to_select": 3, "missing": "bin", "sample_weight": "how often?"}
KINDS = {type(make_selector(info.name)): info.name for info in list_methods()}
COUNTED = [name for kind, name in KINDS.items() if "rows" not in kind.required_capabilities]


@pytest.fixture(scope="module")
def table():
    """Numbers, text, dates, booleans, a constant, gaps in one half of the rows, and weights; names with every sign."""
    random = np.random.default_rng(0)
    classes = random.integers(0, 3, N)
    gaps = np.where((np.arange(N) > N / 2) & (random.random(N) < 0.3), np.nan, classes + random.integers(0, 2, N))
    return pa.table(
        {
            "real": random.normal(size=N) + classes,
            "a `whole` one.": random.integers(0, 5, N),
            "text": np.array(["low", "middle", "high"])[(classes + random.integers(0, 2, N)) % 3],
            "day": (classes + random.integers(0, 9, N)).astype("datetime64[D]"),
            "truth": classes > 1,
            "gaps": gaps,
            "constant": np.full(N, 7),
            "how often?": random.integers(0, 3, N) * (np.arange(N) > 40),
            "class": np.array(["a", "b", "c"])[classes],
        }
    )


@pytest.fixture(scope="module")
def in_memory(table):
    """``in_memory(method, how...)``: what is selected from the rows in memory."""
    return lambda **how: bitsieve.select(table, **{"target": "class", **HOW, **how})


@pytest.fixture(scope="module")
def frame(spark, table):
    """The rows in five partitions, at least two of them without any."""
    return spark.createDataFrame(table).repartition(5, "text").persist()


def released(spark):
    """Whether no data frame is kept, now or soon: what is not in use is released by a thread."""
    for _ in range(100):
        if spark._jsparkSession.sharedState().cacheManager().isEmpty():
            return True
        time.sleep(0.1)
    return False


def test_partitions_that_are_not_kept_are_kept_as_long_as_they_are_used(same_selection, spark, table, in_memory):
    spark.catalog.clearCache()
    source = bitsieve.SparkSource(spark.createDataFrame(table).repartition(3))
    found = bitsieve.select(source, "class", method="jmi", **HOW)
    same_selection(found, in_memory(method="jmi"))
    assert not spark._jsparkSession.sharedState().cacheManager().isEmpty()
    del source, found
    gc.collect()
    assert released(spark)


@pytest.mark.parametrize("method", [*COUNTED, "cmi"])  # which counts joint values
def test_every_method_that_counts(same_selection, frame, in_memory, method):
    how = {"method": method, "binning": "quantile", "n_bins": 4}
    same_selection(bitsieve.select(frame, "class", **HOW, **how), in_memory(**how))


def test_results_are_merged_in_a_tree(same_selection, frame, in_memory, monkeypatch):
    monkeypatch.setattr(spark_partitions, "FAN_IN", 2)
    same_selection(bitsieve.select(frame, "class", **HOW), in_memory())


@pytest.mark.parametrize(
    "how",
    [
        {"binning": "mdl", "uncut": "median", "estimator": "shrinkage", "method": "mrmr"},
        {"target": ["class", "truth"], "sample_weight": None},
        {"target": "real", "target_bins": 3, "binning": "quantile"},
        {"constraints": bitsieve.Constraints(groups=[["a `whole` one.", "truth"]], exclude=["text"])},
    ],
    ids=lambda how: "-".join(how),
)
def test_every_way_to_ask(same_selection, frame, in_memory, how):
    how = {"target": "class", **HOW, **how}
    same_selection(bitsieve.select(frame, **how), in_memory(**how))


def test_the_selected_columns_stay_a_spark_frame(frame, in_memory):
    found, expected = bitsieve.select(frame, "class", **HOW), in_memory().table
    assert found.table.columns == expected.column_names
    assert found.table.count() == N
    read = bitsieve.SparkSource(frame).read_in_parts(ReadOptions(target="class", sample_weight="how often?"))
    assert read.original.with_target(["a `whole` one."]).column_names == ["a `whole` one.", "class", "how often?"]


def test_fit_takes_the_name_of_the_target(frame, table):
    found = bitsieve.ForwardSelector(2, binning="quantile").fit(frame.select("real", "truth", "class"), "class")
    expected = bitsieve.ForwardSelector(2, binning="quantile").fit(table.select(["real", "truth"]), table["class"])
    assert found.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    assert found.scores_.tobytes() == expected.scores_.tobytes()


def test_what_an_executor_loses_is_made_again(spark, frame):
    codes = bitsieve.SparkSource(frame.select("text", "truth", "constant", "class"))
    source = codes.read_in_parts(ReadOptions(target="class")).count(CategoricalBinner())[1]
    before = source.tables(1, np.arange(3), True)
    source.partitions.frame.unpersist(blocking=True)
    for mine, theirs in zip(source.tables(1, np.arange(3), True), before, strict=True):
        np.testing.assert_array_equal(mine.counts, theirs.counts)


def names_of_jobs(spark):
    """The descriptions of all jobs so far that have any."""
    jobs = spark.sparkContext._jsc.sc().statusStore().jobsList(spark._jvm.java.util.ArrayList())
    described = (jobs.apply(i).description() for i in range(jobs.size()))
    return Counter(text.get() for text in described if text.isDefined())


def test_jobs_have_names(spark, frame):
    bitsieve.select(frame, "class", method="jmi", **HOW)
    assert set(names_of_jobs(spark)) >= {
        f"bitsieve-{task}" for task in ("rows", "target", "summarize", "pack", "count")
    }


@pytest.mark.parametrize(("n_selected", "n_passes"), [(1, 2), (6, 4)])
def test_a_greedy_search_counts_in_two_passes_and_a_test_given_others_in_two_more(spark, frame, n_selected, n_passes):
    """The last of six columns says nothing alone, and is tested given the others."""
    before = names_of_jobs(spark)
    how = {**HOW, "n_features_to_select": n_selected}
    bitsieve.select(frame, "class", method="mrmr", **how)
    assert (names_of_jobs(spark) - before)["bitsieve-count"] <= n_passes


def test_mistakes_are_one_line(spark, table, frame):
    infinite = spark.createDataFrame(table.set_column(0, "real", pa.array(np.full(N, np.inf))))
    for data, target, message in (
        (frame, "clas", "there is no column 'clas' for the target: did you mean 'class'"),
        (frame, np.zeros(N), "the target cannot be given by values, as the rows of a Spark data frame have no order"),
        (frame.limit(0), "class", "the data has no rows: nothing to select from$"),
        (infinite, "class", r"1 column holds infinite values \(inf\): 'real'"),
        (
            frame.select("real", "real", "class"),
            "class",
            "several columns are named 'real': give every column a different name",
        ),
    ):
        with pytest.raises(ValueError, match=f"^{message}"):
            bitsieve.select(data, target, missing="bin")


@pytest.mark.parametrize(
    ("held", "why"),
    [
        ("raise ModuleNotFoundError(\"No module named 'bitsieve'\")", "No module named 'bitsieve'"),
        ("", "No module named 'bitsieve.*; 'bitsieve' is not a package"),
        ("__version__ = '0'\n__path__ = [{source!r}]", "it has bitsieve 0"),
    ],
    ids=["none", "an old one", "another version"],
)
def test_a_worker_with_another_bitsieve_is_one_line(spark, table, tmp_path, monkeypatch, held, why):
    (tmp_path / "bitsieve.py").write_text(held.format(source=str(Path(bitsieve.__file__).parent)))
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(python))
    message = rf"^a worker cannot load bitsieve \S+ \({why}\): install it on all workers, .* in PYSPARK_PYTHON$"
    with pytest.raises(ValueError, match=message):
        bitsieve.select(spark.createDataFrame(table), "class", missing="bin")


@pytest.mark.usefixtures("spark")
def test_the_example_runs():
    report, runner = [], doctest.DocTestRunner()
    for test in doctest.DocTestFinder(exclude_empty=True).find(bitsieve.SparkSource, "SparkSource"):
        runner.run(test, out=report.append)
    assert runner.tries > 0
    assert not runner.failures, "".join(report)


def test_only_spark_frames_are_taken():
    with pytest.raises(ValueError, match=r"^data is list: give a Spark data frame$"):
        bitsieve.SparkSource([[1, 2]])
