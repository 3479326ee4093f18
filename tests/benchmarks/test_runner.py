"""A run: what a row tells, pieces that are scaled up, contestants that cannot take part, the limit."""

import json

import pytest
from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import Shape, codes
from benchmarks.limits import Limit, counting_pairs, machine_rates
from benchmarks.runner import compared, run, scaled_by
from benchmarks.suite import ALL

SHAPE = Shape(200, 12, 3, 2)
slow = pytest.mark.slow("starts a process for every contestant and measures the rates of the machine")


def job(**changes):
    options = {"criterion": "jmi", "k": 6}
    contestants = {
        "engine": Contestant("ours.greedy", options),
        "by hand": Contestant("by_hand.bincount_greedy", options, piece={"features": 8, "k": 3}),
        "missing": Contestant("others.no_such_program", options),
    }
    work = lambda sizes: sizes["features"] * sizes["k"]  # noqa: E731
    given = {"contestants": contestants, "work": work, "limit": Limit(seconds=0.5), **changes}
    return Job("jmi", codes(SHAPE), **given)


def same(ours, theirs):
    return ours["selected"] == theirs["selected"]


@pytest.fixture(scope="module", params=[False, True])
def document(request):
    jobs = [job(fresh=True)] if request.param else [job(), job(limit=None, limited_by="by hand")]  # share processes
    return run(Benchmark("example", "A claim.", jobs, agree=same, rounds=1 if request.param else 2))


@slow
def test_row_tells_seconds_ratio_and_agreement(document):
    row = document["rows"][0]
    assert set(row["seconds"]) == {"engine", "by hand"}
    assert row["times_ours"]["by hand"] > 0
    assert row["best_other"] == "by hand"
    assert row["agreement"] == {"by hand": True}  # on 8 features and 3 to select
    assert row["scaled_by"] == {"by hand": 12 * 6 / (8 * 3)}
    assert (row["limit_s"], row["limit_by"]) == (0.5, "operations")
    assert set(row["details"]["engine"]) >= {"packing_s"}
    assert "selected" not in row["details"]["engine"]  # lists are for the comparison only


def test_two_threads_have_an_efficiency():
    """Half of what one thread takes over what two take: the median of the rounds' ratios."""
    contestants = {"two threads": Contestant("ours.greedy"), "one thread": Contestant("ours.greedy")}
    measured = {"two threads": [1.0, 2.0, 4.0], "one thread": [2.0, 3.0, 7.0]}
    row = compared(job(contestants=contestants), measured)
    assert row["efficiency"] == 0.88  # 7 / 4 / 2, to two digits
    assert "efficiency" not in compared(job(contestants=contestants), {"two threads": [1.0]})


@slow
@pytest.mark.parametrize("document", [False], indirect=True)
def test_a_contestant_can_be_the_limit(document):
    row = document["rows"][1]
    assert (row["limit_s"], row["limit_by"]) == (row["seconds"]["by hand"], "by hand")


@slow
def test_document_says_who_is_missing_and_on_which_machine(document):
    assert "no_such_program" in document["skipped"]["missing"]
    assert {"cpu", "cores", "instruction_sets", "packages", "build", "date"} <= set(document["machine"])
    assert "/home" not in json.dumps(document["machine"])


def test_a_piece_no_smaller_than_the_job_is_the_job():
    whole = job()
    contestant = Contestant("ours.greedy", piece={"samples": 1000, "features": 12})
    assert whole.piece(contestant) == {}
    assert scaled_by(whole, contestant) == 1


def test_limit_is_the_longer_of_bytes_and_operations():
    rates = {"and_popcount_gbit_s": 100.0, "read_gb_s": 10.0, "write_gb_s": 5.0}
    # 1,000 pairs of 3 bins over 200 samples: 4 ANDs a sample; 200 x 12 bytes are read.
    assert counting_pairs(SHAPE, 1000).reached(rates) == (1000 * 4 * 200 / 100e9, "operations")
    assert Limit(read_bytes=1e9, written_bytes=1e9).reached(rates) == (0.3, "bytes")
    assert Limit(bits=1.0).reached({}) is None


@slow
def test_rates_of_this_machine_are_plausible():
    rates = machine_rates()
    if not rates:
        pytest.skip("no C compiler here")
    assert all(0.1 < rate < 1e5 for rate in rates.values())


def test_job_names_are_unique_and_ours_comes_first():
    for benchmark in ALL.values():
        for jobs in (benchmark.jobs, benchmark.quick):
            assert len({job.name for job in jobs}) == len(jobs)
            assert not any(job.contestants[job.ours].other for job in jobs)
        assert benchmark.study or (benchmark.jobs and benchmark.quick)
