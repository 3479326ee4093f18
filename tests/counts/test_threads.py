"""The one place with threads: how many, what a failing block does, and progress."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time

import pytest

from bitsieve.counts.threads import run_blocks, thread_count


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
        run_blocks(work, range(5000), 2)
    assert len(done) < 2500
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
        run_blocks(work, range(5000), 2, progress)
    assert len(done) < 2500


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
