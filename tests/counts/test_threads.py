"""The one place with threads: how many, what a failing block does, and progress."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
import weakref

import pytest

from bitsieve.counts.threads import Helpers, run_blocks, shared_helpers, spread, thread_count, threads_of_block


def test_blocks_share_the_threads():
    assert threads_of_block(1, 8) == 8
    assert threads_of_block(3, 8) == 2
    assert threads_of_block(9, 8) == 1
    assert threads_of_block(0, 8) == 8
    assert threads_of_block(1, None) == 1


def test_thread_count():
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert thread_count(None) == 1
    assert thread_count(1) == 1
    assert thread_count(7) == 7
    assert thread_count(-1) == cores
    assert thread_count(-2) == max(1, cores - 1)
    assert thread_count(-1000) == 1
    for wrong in (0, 1.5, "2", float("nan"), True):
        with pytest.raises(ValueError, match=r"n_jobs=.* is not a number of threads: give 1 or more, or -1") as caught:
            thread_count(wrong)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 7, 100])
def test_every_block_runs_once_and_progress_counts_up(n_jobs):
    done, reports = [], []
    blocks = list(range(23))
    run_blocks(done.append, blocks, n_jobs, lambda *counts: reports.append(counts))
    assert sorted(done) == blocks
    assert reports == [(count, 23) for count in range(1, 24)]


def test_no_blocks():
    run_blocks(pytest.fail, [], 4, pytest.fail)


@pytest.mark.parametrize("n_jobs", [None, 3])
def test_progress_is_told_in_the_calling_thread(n_jobs):
    callers = set()
    run_blocks(lambda block: None, range(5), n_jobs, lambda *counts: callers.add(threading.current_thread()))
    assert callers == {threading.current_thread()}


def test_one_thread_works_in_the_caller():
    workers = set()
    run_blocks(lambda block: workers.add(threading.current_thread()), range(5), 1)
    run_blocks(lambda block: workers.add(threading.current_thread()), [0], 8)  # a thread for one block is a waste
    assert workers == {threading.current_thread()}


def test_threads_work_at_the_same_time_and_are_gone_after():
    before = threading.active_count()
    meeting = threading.Barrier(3, timeout=600)
    run_blocks(lambda block: meeting.wait(), range(3), 3)  # passes only if all three wait at once
    assert threading.active_count() == before


def others_at_work(n_jobs):
    """The threads beside this one that work on a call of so many, which all wait for each other."""
    meeting, seen = threading.Barrier(n_jobs, timeout=600), []

    def work(block):
        meeting.wait()
        seen.append(threading.current_thread())

    run_blocks(work, range(n_jobs), n_jobs)
    return set(seen) - {threading.current_thread()}


def test_shared_helpers_work_on_one_call_after_the_other_and_are_gone_after():
    before = threading.active_count()
    with shared_helpers():
        first = others_at_work(3)
        with shared_helpers():  # the same, which outlive it
            assert others_at_work(3) == first
        assert others_at_work(2) < first
        assert others_at_work(4) > first
        assert threading.active_count() == before + 3
    assert threading.active_count() == before
    assert not any(thread.is_alive() for thread in first)


def test_shared_helpers_go_on_after_a_call_that_raised():
    def fail(block):
        raise ZeroDivisionError

    with shared_helpers():
        first = others_at_work(2)
        with pytest.raises(ZeroDivisionError):
            run_blocks(fail, range(9), 2)
        assert others_at_work(2) == first


def test_a_call_within_a_block_does_not_wait_for_the_threads_of_the_outer_one():
    own = []

    def work(block):
        own.append(others_at_work(2))

    with shared_helpers():
        run_blocks(work, range(4), 2)
    assert len(set.union(*own)) == 4  # a thread for every call within, none of them of the outer one


def test_shared_helpers_are_gone_after_an_error():
    @shared_helpers()
    def fail():
        others_at_work(3)
        raise ZeroDivisionError

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        fail()
    assert threading.active_count() == before


@pytest.mark.each_value
@pytest.mark.parametrize("n_items", [0, 1, 5, 64])
@pytest.mark.parametrize("enough", [0, 1, 2, 100])
@pytest.mark.parametrize("most", [1, 7, 1000])
def test_items_are_spread_whole_and_in_order(n_items, enough, most):
    for n_jobs in (None, 1, 3):
        done = []
        spread(done.append, range(n_items), enough, n_jobs, most)
        assert sorted(item for some in done for item in some) == list(range(n_items))
        assert all(0 < len(some) <= most for some in done)
        assert len(done) <= max(4 * enough, 1, -(-n_items // most))


def test_exception_in_the_caller_stops_the_rest():
    done = []

    def work(block):
        done.append(block)
        if block == 2:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_blocks(work, range(100), 1)
    assert done == [0, 1, 2]


def test_the_caller_is_stopped_by_a_thread_that_raises():
    stopped, meeting, seen = threading.Event(), threading.Barrier(2, timeout=600), []

    def work(block):
        meeting.wait()  # one block is the caller's
        if threading.current_thread() is not threading.main_thread():
            raise ZeroDivisionError
        seen.append(stopped.wait(timeout=600))

    with pytest.raises(ZeroDivisionError):
        run_blocks(work, range(2), 2, stopped=stopped)
    assert seen == [True]


def test_exception_in_a_thread_stops_the_rest():
    before = threading.active_count()
    done = []

    def work(block):
        if block == 0:
            raise ZeroDivisionError("block 0")
        time.sleep(0.001)
        done.append(block)

    with pytest.raises(ZeroDivisionError, match="block 0"):
        run_blocks(work, range(100_000), 2)
    assert len(done) < 50_000
    assert threading.active_count() == before


def test_exception_in_progress_stops_the_rest():
    done = []

    def progress(count, total):
        if count == 3:
            raise InterruptedError

    def work(block):
        time.sleep(0.001)
        done.append(block)

    with pytest.raises(InterruptedError):
        run_blocks(work, range(100_000), 2, progress)
    assert len(done) < 50_000


@pytest.mark.parametrize(("told", "in_worker", "share"), [("1", True, 1), ("1", False, None), ("", True, None)])
def test_a_worker_takes_the_threads_that_it_is_told(monkeypatch, told, in_worker, share):
    monkeypatch.setenv("OMP_NUM_THREADS", told)
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: object() if in_worker else None)
    # 0: this process, whatever others may use
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0: set(range(8))}[process], raising=False)
    assert thread_count(-1) == (share or 8)
    monkeypatch.delattr(os, "sched_getaffinity")  # as on macOS and Windows
    for cores in (6, None):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        assert thread_count(-1) == (share or cores or 1)


def test_a_thread_that_waits_holds_no_work():
    """Or tables would live, in a thread that an interrupt left behind, until the interpreter ends."""

    class Work:
        def __call__(self):
            pass

    work = [Work()]
    reference = weakref.ref(work[0])
    is_held = []

    class Tasks:
        def get(self):
            if work:
                return work.pop()
            is_held.append(reference() is not None)
            return None

    helpers = Helpers()
    helpers.tasks = Tasks()
    helpers._work()
    assert is_held == [False]
