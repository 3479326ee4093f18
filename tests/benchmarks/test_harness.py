"""The harness of the benchmarks: order of rounds, medians, ratios, tables, results, contestants as processes."""

import json
import sys

import numpy as np
import pytest
from benchmarks.data import Shape, make_codes, make_values
from benchmarks.harness import (
    format_table,
    interleave,
    ratio,
    seconds_text,
    significant,
    summary,
    write_result,
)
from benchmarks.machine import machine, versions
from benchmarks.memory import planes_bytes
from benchmarks.workers import Worker, WorkerError, stored


def test_rounds_rotate_the_order():
    order = []

    def contestant(name, seconds):
        return lambda: order.append(name) or seconds

    seconds = interleave({"a": contestant("a", 1.0), "b": contestant("b", 2.0), "c": contestant("c", 3.0)}, 3)
    assert "".join(order) == "abc" + "bca" + "cab"
    assert seconds == {"a": [1.0] * 3, "b": [2.0] * 3, "c": [3.0] * 3}


def test_the_slow_run_once():
    seconds = interleave({"fast": lambda: 1.0, "slow": lambda: 10.0, "just": lambda: 5.0}, 4, patience_s=5.0)
    assert {name: len(times) for name, times in seconds.items()} == {"fast": 4, "slow": 1, "just": 4}


def test_no_rounds_are_refused():
    with pytest.raises(ValueError, match="rounds is 0; at least 1"):
        interleave({"a": lambda: 1.0}, 0)


def test_summary():
    assert summary([3.0, 1.0, 2.0]) == {"median_s": 2.0, "min_s": 1.0, "max_s": 3.0, "rounds": 3}
    with pytest.raises(ValueError, match="never ran"):
        summary([])


def test_ratio_is_the_median_of_the_rounds():
    # The rounds' ratios are 2, 8, 2; the medians' ratio would be 8 / 2 = 4.
    assert ratio([2.0, 8.0, 8.0], [1.0, 1.0, 4.0]) == 2.0
    assert ratio([10.0], [2.0, 1.0, 1.0]) == 5.0  # the rounds that both ran
    with pytest.raises(ValueError, match="at least one round"):
        ratio([], [1.0])


@pytest.mark.parametrize(("value", "expected"), [(1234567.0, 1235000.0), (0.000123456, 0.0001235), (0.0, 0.0)])
def test_significant(value, expected):
    assert significant(value) == expected


def test_seconds_text():
    assert seconds_text(None) == "-"
    assert seconds_text(0.00512) == "0.0051"
    assert seconds_text(12.345, scaled=True) == "~12.3"


def test_table_aligns_columns():
    lines = format_table(["job", "seconds"], [["matrix", 1.5], ["a", None]]).splitlines()
    assert lines == ["job     seconds", "------  -------", "matrix      1.5", "a             -"]


def test_result_holds_machine_and_content(tmp_path):
    path = write_result("example", {"claim": "fast", "cases": [1.5]}, quick=False, folder=tmp_path)
    assert path == tmp_path / "example.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    assert (document["benchmark"], document["claim"], document["cases"]) == ("example", "fast", [1.5])
    assert {"cpu", "cores", "instruction_sets", "packages", "build", "date"} <= set(document["machine"])


def test_quick_results_lie_apart(tmp_path):
    path = write_result("example", {}, quick=True, folder=tmp_path)
    assert path == tmp_path / "quick" / "example.json"


def test_results_refuse_what_is_not_json(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        write_result("example", {"ratio": float("nan")}, quick=False, folder=tmp_path)


def test_machine_names_no_folder():
    described = json.dumps(machine())
    assert "/home" not in described
    assert sys.prefix not in described


def test_versions_leave_out_what_is_missing():
    assert list(versions(["numpy", "no-such-package"])) == ["numpy"]


def test_codes_are_seeded_and_dependent():
    shape = Shape(2000, 40, 4, 3)
    table, again, other = make_codes(shape), make_codes(shape), make_codes(shape, seed=1)
    assert table.codes.dtype == np.uint8
    assert table.codes.flags.f_contiguous
    assert table.classes.dtype == np.int32
    assert (table.codes == again.codes).all()
    assert (table.codes != other.codes).any()
    assert table.codes.max() == 3
    assert set(table.classes) == {0, 1, 2}
    shares = [table.codes[table.classes == c].mean(axis=0) for c in range(3)]
    assert np.ptp(shares, axis=0).max() > 0.5  # the mean code of some feature moves with the class


def test_values_are_seeded():
    shape = Shape(50, 5, 4, 2)
    assert (make_values(shape)[0] == make_values(shape)[0]).all()


def test_planes_bytes_by_hand():
    # 9 features padded to 16, 2 planes each, classes of 65 and 3 samples: 2 + 1 words of 8 bytes.
    shape = Shape(68, 9, 3, 2)
    table = make_codes(shape)
    table.classes[:] = np.repeat([0, 1], [65, 3])
    assert planes_bytes(shape, table, conditional=True) == 16 * 2 * 3 * 8
    assert planes_bytes(shape, table, conditional=False) == 16 * 2 * 2 * 8


def test_worker_runs_a_piece_in_its_own_process():
    table = make_codes(Shape(300, 20, 3, 2))
    with (
        stored(codes=table.codes, classes=table.classes) as folder,
        Worker("bincount_greedy", folder, piece={"samples": 200, "features": 7}) as worker,
    ):
        seconds = worker.run(criterion="jmi", k=7)
        assert seconds > 0
        assert worker.processor_share() >= 0
        assert sorted(worker.report["details"]["selected"]) == list(range(7))
        assert worker.about["versions"] == {"numpy": np.__version__}


def test_ways_of_counting_select_the_same():
    table = make_codes(Shape(500, 30, 4, 3))
    chosen = {}
    with stored(codes=table.codes, classes=table.classes) as folder:
        for contestant in ("bincount_greedy", "onehot_greedy"):
            with Worker(contestant, folder) as worker:
                for criterion in ("jmi", "mrmr", "cmim"):
                    worker.run(criterion=criterion, k=10)
                    chosen[contestant, criterion] = worker.report["details"]["selected"]
    for criterion in ("jmi", "mrmr", "cmim"):
        assert chosen["bincount_greedy", criterion] == chosen["onehot_greedy", criterion]


def test_worker_says_why_it_failed(tmp_path):
    with pytest.raises(WorkerError, match=r"no_such: ModuleNotFoundError.*no_such"):
        Worker("no_such", tmp_path)
    with pytest.raises(WorkerError, match=r"make it by: python -m benchmarks\.peers"):
        Worker("itmo_fs_greedy", tmp_path, python=tmp_path / "python")
