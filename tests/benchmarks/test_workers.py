"""Contestants as processes: pieces of the data, options, reasons for failure."""

import numpy as np
import pytest
from benchmarks.benchmark import Contestant
from benchmarks.data import Shape, codes
from benchmarks.workers import Worker, WorkerError, stored


@pytest.mark.slow("starts a process and measures it")
def test_worker_runs_a_piece_in_its_own_process():
    contestant = Contestant("others.mutual_info_classif")
    with stored(codes(Shape(300, 20, 3, 2))) as folder, Worker(contestant, folder, {"features": 7}) as worker:
        report = worker.run({})
    assert report["seconds"] > 0
    assert report["processor_share"] >= 0
    assert len(report["details"]["bits"]) == 7
    assert list(worker.versions) == ["scikit-learn"]


def test_ways_of_counting_select_the_same():
    chosen = {}
    with stored(codes(Shape(500, 30, 4, 3))) as folder:
        for name in ("bincount_greedy", "onehot_greedy"):
            with Worker(Contestant(f"by_hand.{name}"), folder) as worker:
                for criterion in ("jmi", "mrmr", "cmim"):
                    chosen[name, criterion] = worker.run({"criterion": criterion, "k": 10})["details"]["selected"]
    for criterion in ("jmi", "mrmr", "cmim"):
        assert chosen["bincount_greedy", criterion] == chosen["onehot_greedy", criterion]
        assert len(np.unique(chosen["bincount_greedy", criterion])) == 10


@pytest.mark.slow("starts three processes")
def test_worker_says_why_it_failed(tmp_path):
    with pytest.raises(WorkerError, match=r"no_such\.one: ModuleNotFoundError.*no_such"):
        Worker(Contestant("no_such.one"), tmp_path)
    with pytest.raises(WorkerError, match=r"make it by: python -m benchmarks\.peers"):
        Worker(Contestant("others.itmo_fs", peers=True), tmp_path, peers_python=tmp_path / "python")
    with stored(codes(Shape(50, 5, 3, 2))) as folder, Worker(Contestant("ours.greedy"), folder) as worker:
        with pytest.raises(WorkerError, match="no_such_option"):
            worker.run({"no_such_option": 1})
        with pytest.raises(WorkerError, match="ended in an earlier run"):
            worker.run({"criterion": "jmi", "k": 2})
