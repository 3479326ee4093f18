"""Collect tests once, and run them in a fork of the process for every change of the code.

    python tools/collected.py TESTS...

reads requests as lines of JSON, and answers each with a line of JSON. There are two kinds:

``{"measure": FOLDER, "files": {FILE: NAME}}`` runs the tests of each file, and writes the lines that every test runs to
FOLDER/NAME.coverage and the seconds of every test to FOLDER/NAME.json. The answer is the first test that fails, or "".

``{"path": FILE, "was": SOURCE, "now": SOURCE, "tests": {NAME: SECONDS}, "seconds": SECONDS}`` replaces the functions of
a file by those of the source "now", and runs tests until one fails or takes longer than its seconds. The answer is the
name of that test or what ended the process, "" if none fails, and null if the change cannot be made so: it is not in a
function, or a changed function was called already when the tests were collected.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import pytest
from coverage import Coverage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SOURCES = Path.cwd() / "src"
# A test that waits for five minutes waits for ever; one that computes without end is ended by its processor seconds.
ENDLESS = ("-o", "faulthandler_timeout=300", "-o", "faulthandler_exit_on_timeout=true")
CachedFunction = type(functools.cache(len))
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", *ENDLESS)


def inner_codes(code: CodeType) -> list[CodeType]:
    """The code of the functions and classes that a function, class or module defines."""
    return [value for value in code.co_consts if isinstance(value, CodeType)]


def own_part(code: CodeType) -> tuple[object, ...]:
    """The code of a function, class or module without that of the functions and classes inside."""
    values = [repr(value) for value in code.co_consts if not isinstance(value, CodeType)]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code, code.co_flags, code.co_argcount, code.co_kwonlyargcount, values, names, len(inner_codes(code))


def pairs(was: CodeType, now: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The module, its classes and functions in one source, each with its counterpart in another."""
    yield was, now
    for inner, other in zip(inner_codes(was), inner_codes(now), strict=False):
        yield from pairs(inner, other)


def lines_of_sources(file: Path | None) -> Coverage:
    """What measures the lines of the sources that run, and stores them in a file."""
    lines = Coverage(data_file=file, include=[f"{SOURCES}/*"])
    lines.set_option("run:disable_warnings", ["no-data-collected"])  # of tests of declarations
    return lines


def is_of_sources(value: object) -> bool:
    """Whether a value is a function of the sources."""
    return isinstance(value, FunctionType) and value.__code__.co_filename.startswith(str(SOURCES))


class RequestLoop:
    """A plugin of pytest that answers requests in place of a run of the collected tests."""

    def __init__(self, requests: Any, answers: Any) -> None:
        self.requests = requests
        self.answers = answers
        self.failed = ""
        self.lines_of_collection = lines_of_sources(None)
        self.lines_of_collection.start()

    def was_called(self, code: CodeType) -> bool:
        """Whether a line of a function, but for its first, ran when the tests were collected."""
        ran = self.lines_of_collection.get_data().lines(code.co_filename) or []
        lines = {line for _, _, line in code.co_lines() if line is not None}
        is_in_one_line = lines == {code.co_firstlineno}
        return is_in_one_line or not (lines - {code.co_firstlineno}).isdisjoint(ran)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.lines_of_collection.stop()
        self.session = session
        self.items = {item.nodeid: item for item in session.items}
        self.functions: dict[str, list[FunctionType]] = {}
        self.cached_functions: list[Any] = []
        gc.unfreeze()  # the tests freeze what was collected, and get_objects lists nothing that is frozen
        for value in gc.get_objects():
            if is_of_sources(value):
                self.functions.setdefault(value.__code__.co_filename, []).append(value)
            elif isinstance(value, CachedFunction) and is_of_sources(value.__wrapped__):
                self.cached_functions.append(value)
        gc.freeze()
        self.answer(list(self.items))
        for line in self.requests:
            request = json.loads(line)
            if "measure" in request:
                self.answer(self.in_fork(lambda measure_request=request: self.measure(measure_request), None))
            else:
                self.answer(self.changed(request))
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def answer(self, value: object) -> None:
        """Write the answer to a request."""
        print(json.dumps(value), file=self.answers, flush=True)

    def in_fork(self, work: Any, seconds: float | None) -> str:
        """Run work in a fork and return its answer; "exit N" or "time" if it ends otherwise or takes too long."""
        reads, writes = os.pipe()
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            try:
                os.write(writes, (work() or " ").encode())
            except BaseException as error:
                os.write(writes, f"{type(error).__name__}: {error}".encode())
            finally:
                os._exit(0)
        os.close(writes)
        ready, _, _ = select.select([reads], [], [], seconds)
        answer = os.read(reads, 4096).decode() if ready else "time"
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        os.close(reads)
        return answer.strip() if answer else f"exit {os.waitstatus_to_exitcode(status)}"

    def run(self, tests: Sequence[str], before: Callable[[str], object]) -> str:
        """Run tests until one fails. Returns its name, or ""."""
        items = [self.items[test] for test in tests]
        next_items = [*items[1:], None]
        for test, item, next_item in zip(tests, items, next_items, strict=True):
            before(test)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
            if self.failed:
                break
        return self.failed

    def clear_caches(self) -> None:
        """Let cached functions of the sources compute their values again."""
        for function in self.cached_functions:
            function.cache_clear()

    def changed(self, request: dict[str, Any]) -> str | None:
        """Answer a request to run tests on a changed file."""
        path = request["path"]
        module_before = compile(request["was"], path, "exec", dont_inherit=True)
        module_after = compile(request["now"], path, "exec", dont_inherit=True)
        code_pairs = list(pairs(module_before, module_after))
        for was, now in code_pairs:
            if own_part(was) == own_part(now):
                continue
            is_function = was.co_flags & inspect.CO_OPTIMIZED
            if not is_function or self.was_called(was):
                return None
        codes = {was: now for was, now in code_pairs if was != now}

        def before(test: str) -> None:
            """Limit the processor seconds of a test; the signal ends the process."""
            signal.setitimer(signal.ITIMER_PROF, request["tests"][test])

        def work() -> str:
            for function in self.functions.get(path, []):
                if function.__code__ in codes:
                    function.__code__ = codes[function.__code__]
            self.clear_caches()
            return self.run(list(request["tests"]), before)

        return self.in_fork(work, request["seconds"])

    def measure(self, request: dict[str, Any]) -> str:
        """Answer a request to measure the lines and the seconds of the tests of files."""
        folder = Path(request["measure"])
        for file, name in request["files"].items():
            lines = lines_of_sources(folder / f"{name}.coverage")
            tests = [test for test in self.items if test.split("::")[0] == file]
            starts: list[float] = []

            def before(test: str, lines: Coverage = lines, starts: list[float] = starts) -> None:
                self.clear_caches()  # or only the first test that needs a cached value would run its lines
                lines.switch_context(test)
                starts.append(time.perf_counter())

            lines.start()
            if self.run(tests, before):
                return self.failed
            lines.stop()
            lines.save()
            ends = [*starts[1:], time.perf_counter()]
            seconds = {test: round(end - start, 4) for test, start, end in zip(tests, starts, ends, strict=True)}
            (folder / f"{name}.json").write_text(json.dumps(seconds), encoding="utf-8")
        return ""


def main(tests: list[str]) -> int:
    requests = os.fdopen(os.dup(0))
    answers = os.fdopen(os.dup(1), "w")
    log = os.open(Path.cwd().parent / "collected.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for standard in (1, 2):
        os.dup2(log, standard)
    collected = RequestLoop(requests, answers)
    temporary = f"--basetemp={Path.cwd().parent / 'temporary'}"
    return int(pytest.main([*OPTIONS, temporary, *tests], plugins=[collected]))


if __name__ == "__main__":
    sys.path.remove(str(Path(__file__).parent))
    sys.exit(main(sys.argv[1:]))
