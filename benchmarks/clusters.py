"""Selecting from a Spark data frame, beside Spark's own selector and beside the same rows on Dask.

``python -m benchmarks.clusters FILE ROWS WAY``; WAY is make, spark, mllib or dask. Each way is a process of its own,
which prints the CPU seconds of all its processes, those on the wall, the load of the machine, and the jobs of Spark.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

N_COLUMNS = 30
N_SELECTED = 20
N_LETTERS = 4
ROWS_AT_ONCE = 100_000
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def make_table(path: str, n_rows: int) -> None:
    """Write columns of numbers, codes and text in turn; later columns depend more on the class."""
    import pyarrow as pa
    from pyarrow import parquet

    random = np.random.default_rng(0)
    writer = None
    for first in range(0, n_rows, ROWS_AT_ONCE):
        n = min(ROWS_AT_ONCE, n_rows - first)
        classes = random.integers(0, 2, n)
        columns: dict[str, Any] = {}
        for j in range(0, N_COLUMNS, 3):
            follows = random.random(n) < j / (2 * N_COLUMNS)
            columns[f"number{j}"] = random.normal(size=n) + classes * j / N_COLUMNS
            columns[f"code{j}"] = np.where(follows, classes, random.integers(0, 6, n))
            columns[f"text{j}"] = np.array(list("abcd"))[np.where(follows, classes, random.integers(0, N_LETTERS, n))]
        table = pa.table({**columns, "class": classes})
        if writer is None:
            writer = parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def spark_session() -> Any:
    """A session of two threads on this machine."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def number_of_jobs(session: Any) -> int:
    """How many jobs a session has run."""
    statuses = session._jvm.java.util.ArrayList()
    return int(session.sparkContext._jsc.sc().statusStore().jobsList(statuses).size())


def select_on_spark(frame: Any) -> list[str]:
    """The columns that bitsieve selects."""
    import bitsieve

    return bitsieve.select(frame, "class", n_features_to_select=N_SELECTED).features


def select_by_mllib(frame: Any) -> list[str]:
    """The columns that Spark's UnivariateFeatureSelector selects, one by one; text is numbered first."""
    from pyspark.ml import Pipeline
    from pyspark.ml.feature import StringIndexer, UnivariateFeatureSelector, VectorAssembler

    text = [name for name in frame.columns if name.startswith("text")]
    numbers = [name for name in frame.columns if not name.startswith("text") and name != "class"]
    numbered_text = [f"number of {name}" for name in text]
    selector = UnivariateFeatureSelector(labelCol="class", outputCol="selected", selectionMode="numTopFeatures")
    selector = selector.setFeatureType("continuous").setLabelType("categorical").setSelectionThreshold(N_SELECTED)
    stages = [
        StringIndexer(inputCols=text, outputCols=numbered_text),
        VectorAssembler(inputCols=numbers + numbered_text, outputCol="features"),
        selector,
    ]
    model = Pipeline(stages=stages).fit(frame)
    names = numbers + text
    return [names[j] for j in model.stages[-1].selectedFeatures]


def run_on_spark(path: str, select: Callable[[Any], list[str]]) -> None:
    """Select from a file that Spark reads, and print what it took."""
    session = spark_session()
    frame = session.read.parquet(path)
    frame.count()  # so that the start of Spark is not part of the time
    jobs_before = number_of_jobs(session)
    start = time.perf_counter()
    features = select(frame)
    seconds = time.perf_counter() - start
    print(f"{number_of_jobs(session) - jobs_before} jobs; {len(features)} columns in {seconds:.1f} s on the wall")
    java = session.sparkContext._gateway.proc
    session.stop()
    java.stdin.close()  # Java ends with its input
    java.wait()


def run_on_dask(path: str) -> None:
    """Select by the threads of this process, and print what it took."""
    import bitsieve

    start = time.perf_counter()
    selection = bitsieve.select(path, "class", n_features_to_select=N_SELECTED, engine="dask")
    print(f"{len(selection.features)} columns in {time.perf_counter() - start:.1f} s on the wall")


def cpu_seconds() -> float:
    """The seconds of this process and of those that it has started and waited for, the Java of Spark among them."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main(path: str, n_rows: str, way: str) -> None:
    """Make the table, or run one way."""
    if way == "make":
        make_table(path, int(float(n_rows)))
        return
    if way == "dask":
        run_on_dask(path)
    else:
        run_on_spark(path, select_on_spark if way == "spark" else select_by_mllib)
    print(f"{way}: {cpu_seconds():.0f} s of CPU with the start; load {os.getloadavg()[0]:.0f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
