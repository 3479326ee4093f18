"""What is selected from a Dask collection is what is selected from the same rows in memory, to the last bit."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from tests.cover import quick_and_slow
from tests.diagnosed import raises_code

import bitsieve
from bitsieve.engines import cluster as cluster_parts
from bitsieve.engines.dask import _check_workers
from bitsieve.methods.registry import list_methods
from bitsieve.selectors.making import make_selector

N = 600
ONE_OF_A_KIND = {type(make_selector(info.name)): info.name for info in list_methods()}
COUNTED = [name for kind, name in ONE_OF_A_KIND.items() if "rows" not in kind.required_capabilities]
OTHERS = [name for kind, name in ONE_OF_A_KIND.items() if "rows" in kind.required_capabilities]


@pytest.fixture(scope="module")
def frame():
    """Numbers, text, booleans, a constant, gaps in one half of the rows, and a column of weights."""
    random = np.random.default_rng(0)
    classes = random.integers(0, 3, N)
    gaps = np.where((np.arange(N) > N / 2) & (random.random(N) < 0.3), np.nan, classes + random.integers(0, 2, N))
    return pd.DataFrame(
        {
            "real": random.normal(size=N) + classes,
            "whole": random.integers(0, 5, N),
            "text": np.array(["low", "middle", "high"])[(classes + random.integers(0, 2, N)) % 3],
            "truth": classes > 1,
            "gaps": gaps,
            "constant": 7,
            "class": np.array(["a", "b", "c"])[classes],
            "other": random.integers(0, 2, N),
            "times": random.integers(0, 3, N) * (np.arange(N) > 40),
        }
    )


def in_parts(frame, n_parts):
    ends = [0, *np.sort(np.random.default_rng(n_parts).integers(0, N, n_parts - 1)), N]
    parts = [frame.iloc[first:last] for first, last in pairwise(ends)]
    return dd.from_map(lambda part: part, parts, meta=frame.iloc[:0])


@pytest.mark.parametrize(
    "method", quick_and_slow(COUNTED, quick=COUNTED[::3], reason="test_every_source has every method on portions")
)
def test_every_method_that_counts(same_selection, frame, method):
    how = {"method": method, "n_features_to_select": 3, "binning": "quantile", "n_bins": 4, "missing": "bin"}
    same_selection(bitsieve.select(in_parts(frame, 4), "class", **how), bitsieve.select(frame, "class", **how))


@pytest.mark.parametrize("n_parts", quick_and_slow([1, 3, 9], quick={3}, reason="other parts on the cluster"))
def test_on_a_cluster_with_any_number_of_parts(same_selection, frame, client, n_parts):
    source = bitsieve.DaskSource(in_parts(frame, n_parts), client)
    how = {"method": "jmi", "missing": "bin", "n_features_to_select": 3}
    same_selection(bitsieve.select(source, "class", **how), bitsieve.select(frame, "class", **how))


def test_rows_without_a_target_are_left_out(same_selection, frame):
    how = {"method": "jmi", "missing": "bin", "drop_missing_target": True, "n_features_to_select": 3}
    same_selection(bitsieve.select(in_parts(frame, 3), "gaps", **how), bitsieve.select(frame, "gaps", **how))


@pytest.mark.slow("further clusters: the fixture starts one")
@pytest.mark.parametrize("n_workers", [1, 2])
def test_with_any_number_of_workers(same_selection, frame, n_workers):
    how = {"missing": "bin", "n_features_to_select": 2}
    with LocalCluster(n_workers, threads_per_worker=1, processes=False, dashboard_address=":0") as few, Client(few):
        found = bitsieve.select(in_parts(frame, 4), "class", **how)  # by the client of the process
    same_selection(found, bitsieve.select(frame, "class", **how))


WAYS_TO_ASK = [
    {"binning": "mdl", "sample_weight": "times", "estimator": "shrinkage", "method": "mrmr"},
    {"target": "real", "target_bins": 3, "binning": "quantile"},
    {"constraints": bitsieve.Constraints(groups=[["whole", "truth"]], exclude=["text"])},
    {"target": ["class", "other"]},
    {"binning": "mdl", "uncut": "median"},
    {"binning": "uniform", "sample_weight": "times"},
    {"binning": "quantile", "method": "cife", "estimator": "corrected"},
    {"binning": "quantile", "method": "jmi", "n_features_to_select": "auto"},
]


@pytest.mark.parametrize(
    "how",
    quick_and_slow(WAYS_TO_ASK, quick=WAYS_TO_ASK[:2], reason="the same sums by other bins and estimators"),
    ids=lambda how: "-".join(map(str, how)),
)
def test_every_way_to_ask(same_selection, frame, how):
    how = {"target": "class", "missing": "bin", "method": "cmim", "n_features_to_select": 3, **how}
    same_selection(bitsieve.select(in_parts(frame, 3), **how), bitsieve.select(frame, **how))


def test_the_selected_columns_stay_a_dask_frame(frame):
    found = bitsieve.select(in_parts(frame, 3), "class", missing="bin", n_features_to_select=2)
    expected = bitsieve.select(frame, "class", missing="bin", n_features_to_select=2).table
    assert list(found.table.columns) == list(expected.columns)
    assert found.table.compute().to_numpy().tolist() == expected.to_numpy().tolist()


@pytest.mark.parametrize("target_in_memory", [False, True])
def test_fit_on_arrays(target_in_memory):
    random = np.random.default_rng(1)
    y, weights = random.integers(0, 2, N), random.integers(0, 3, N)
    X = random.normal(size=(N, 6)) + y[:, None] * np.arange(6)
    expected = bitsieve.QPFS(3, binning="quantile").fit(X, y, weights)
    rows = (150, 250, 200)
    wrap = np.asarray if target_in_memory else (lambda values: da.from_array(values, chunks=(rows,)))
    found = bitsieve.QPFS(3, binning="quantile").fit(da.from_array(X, chunks=(rows, 2)), wrap(y), wrap(weights))
    for name in ("weights_", "scores_", "relevance_", "ranking_", "classes_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), strict=True)
    np.testing.assert_array_equal(found.transform(X), expected.transform(X))
    chosen = bitsieve.select(da.from_array(X, chunks=(rows, 3)), wrap(y), method="mim", n_features_to_select=2)
    assert chosen.features == bitsieve.select(X, y, method="mim", n_features_to_select=2).features
    np.testing.assert_array_equal(chosen.table.compute(), X[:, np.sort(chosen.indices)])


def test_fit_on_a_frame_keeps_its_names(frame):
    X, y = frame[["real", "whole", "truth"]], frame["class"]
    found = bitsieve.ForwardSelector(2).fit(in_parts(frame, 3)[list(X.columns)], in_parts(frame, 3)["class"])
    expected = bitsieve.ForwardSelector(2).fit(X, y)
    assert found.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    assert found.scores_.tobytes() == expected.scores_.tobytes()
    pd.testing.assert_frame_equal(found.transform(X), expected.transform(X))


@pytest.mark.parametrize("method", OTHERS)
def test_methods_on_rows_say_so(frame, method):
    with pytest.raises(ValueError, match=r"needs all rows in memory: give it a table in memory, such as a sample"):
        bitsieve.select(in_parts(frame, 2), "class", method=method, missing="bin", n_features_to_select=2)


REFUSED = [
    ("unknown-column", {"target": "clas"}),
    ("target-needed", {"target": None}),
    ("column-in-two-roles", {"target": "class", "sample_weight": "class"}),
    ("given-twice", {"target": ["class", "class"]}),
    ("lengths-differ", {"target": np.zeros(9)}),
    ("partitions-differ", {"target": da.zeros(N, chunks=N // 2)}),
    ("partitions-differ", {"target": da.zeros(N, chunks=200)}),
    ("missing-values", {"target": "class", "missing": "error"}),
    ("one-class", {"target": "constant", "missing": "bin"}),
    ("rows-not-in-memory", {"target": "class", "missing": "bin", "stopping": "permutation"}),
]


@pytest.mark.parametrize(("code", "how"), REFUSED)
def test_mistakes_are_one_line(frame, code, how):
    with raises_code(code) as caught:
        bitsieve.select(in_parts(frame, 3), **how)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("lost", ["whole", "class"])
def test_a_column_that_one_part_lacks(frame, lost):
    parts = dd.from_map(lambda part: part, [frame[:300], frame[300:].drop(columns=lost)], meta=frame[:0])
    with pytest.raises(ValueError, match=rf"^a part of the data lacks a column \(.*{lost}.*\): every part must have"):
        bitsieve.select(parts, "class", missing="bin")


def test_a_column_of_numbers_in_one_part_and_of_text_in_another(frame):
    parts = dd.from_map(lambda part: part, [frame[:300], frame[300:].assign(whole="word")], meta=frame[:0])
    with pytest.raises(ValueError, match=r"^column 'whole' holds numbers in some parts of the data and text or categ"):
        bitsieve.select(parts, "class", missing="bin")


@pytest.mark.parametrize("data", [[[1, 2]], da.zeros(4), dd.from_pandas(pd.Series([1, 2]), npartitions=1)])
def test_only_dask_tables_are_taken(data):
    with pytest.raises(ValueError, match=r"^data is \w+: give a Dask data frame, or a Dask array with two dimensions$"):
        bitsieve.DaskSource(data)


@pytest.mark.parametrize("exclude", [(), (1,)])
def test_an_array_of_few_whole_numbers_without_one_of_its_columns(exclude):
    """What is left out leaves the array one of nothing but codes."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, N)
    X = np.column_stack([y * random.integers(0, 2, N), random.integers(0, 4, N), y + random.integers(0, 3, N)])
    found, expected = (
        bitsieve.select(data, y, n_features_to_select=2, exclude=exclude) for data in (da.from_array(X, (100, 3)), X)
    )
    assert found.features == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()


def test_what_a_worker_cannot_load_is_one_line(monkeypatch):
    def lacking(*objects, **how):
        raise ModuleNotFoundError("No module named 'bitsieve'")

    monkeypatch.setattr(cluster_parts, "_n_rows", lacking)
    data = dd.from_pandas(pd.DataFrame({"a": [0, 1, 0, 1], "y": [0, 1, 0, 1]}), npartitions=2)
    message = r"^a worker cannot load bitsieve \S+ \(No module named 'bitsieve'\): install it on all workers$"
    with pytest.raises(ValueError, match=message):
        bitsieve.select(data, "y")


def test_a_worker_of_another_version_is_named():
    class ClientOfOldWorkers:
        def run(self, *work, **how):
            return {"tcp://2": "0.0.1", "tcp://1": "0.0.1", "tcp://0": bitsieve.__version__}

    with raises_code("worker-without-bitsieve") as caught:
        _check_workers(ClientOfOldWorkers())
    assert "tcp://1" in str(caught.value)
    assert "0.0.1" in str(caught.value)


@pytest.mark.slow("a process that becomes a worker")
def test_a_worker_without_bitsieve_is_named(tmp_path):
    """A process of its own, in which no task of ours could ever be loaded."""
    start = "import sys; sys.modules['bitsieve'] = None; from distributed.cli.dask_worker import main; main()"
    data = dd.from_pandas(pd.DataFrame({"a": [0, 1, 0, 1], "y": [0, 1, 0, 1]}), npartitions=2)
    with LocalCluster(n_workers=0, dashboard_address=":0") as cluster, Client(cluster, set_as_default=False) as client:
        words = [sys.executable, "-c", start, cluster.scheduler_address, "--no-nanny", "--no-dashboard"]
        worker = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            client.wait_for_workers(1, timeout=60)
            with pytest.raises(ValueError, match=r"^worker tcp://\S+ cannot load bitsieve \S+ \(.*\): install"):
                bitsieve.select(bitsieve.DaskSource(data, client), "y")
        finally:
            worker.terminate()
            worker.wait(30)
