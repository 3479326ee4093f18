"""Errors become one line and an exit code; signals end the command, and their handlers are put back."""

from __future__ import annotations

import signal
import sys
from types import SimpleNamespace

import pytest

from bitsieve import cli
from bitsieve.cli import Ending, EndingOfTheProcess, Terminated, main, signals_raise

ADVICE = "give fewer rows or columns"
REPORT = "please report it with what BITSIEVE_DEBUG=1 shows"


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        (ValueError("two\nlines"), "error: two lines", 2),
        (OSError(28, "No space left on device"), "error: No space left on device", 2),
        (OSError(28, "No space left", "a.csv"), "error: [Errno 28] No space left: 'a.csv'", 2),
        (OSError("no number"), "error: no number", 2),
        (MemoryError(), f"error: out of memory: {ADVICE}", 1),
        (MemoryError("12 GiB"), f"error: out of memory (12 GiB): {ADVICE}", 1),
        (KeyError("a"), f"internal error: KeyError: 'a': {REPORT}", 1),
    ],
    ids=repr,
)
def test_the_line_and_the_code_of_an_error(error, message, code):
    assert cli._message_and_code(error) == (message, code)


def test_without_arguments_they_are_those_of_the_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bitsieve", "--version"])
    with pytest.raises(SystemExit, match=r"^0$"):
        main()
    assert capsys.readouterr().out.startswith("bitsieve ")


def handlers():
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


@pytest.fixture
def default_handlers():
    """The handlers with which Python starts, whatever other tests have left."""
    before = handlers()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield [signal.default_int_handler, signal.SIG_DFL]
    for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
        signal.signal(number, handler)


def test_handlers_of_signals_are_taken_and_put_back(default_handlers):
    ending = Ending()
    with signals_raise(ending):
        assert handlers() == [ending, ending]
    assert handlers() == default_handlers


def test_handlers_of_the_program_around_stay(default_handlers):
    def handler(number, frame):
        raise AssertionError

    signal.signal(signal.SIGTERM, handler)
    with signals_raise(Ending()):
        assert handlers()[1] is handler


class EndedAtOnce(BaseException):
    """In place of the end of the process."""


@pytest.fixture
def process_ending(monkeypatch):
    def end_now(code, is_announced=False):
        raise EndedAtOnce(code)

    monkeypatch.setattr(cli, "end_now", end_now)
    return EndingOfTheProcess()


def frame_in(*files):
    """A frame of the last of the files, which those before it have called."""
    frame = None
    for file in files:
        frame = SimpleNamespace(f_code=SimpleNamespace(co_filename=file), f_back=frame)
    return frame


def test_the_first_signal_raises_and_the_second_ends_the_process(process_ending):
    with pytest.raises(Terminated):
        process_ending(signal.SIGTERM, frame_in("a.py"))
    assert process_ending.code == 143
    with pytest.raises(EndedAtOnce, match="130"):
        process_ending(signal.SIGINT, frame_in("a.py"))


def test_a_signal_during_an_import_ends_the_process_at_once(process_ending):
    with pytest.raises(EndedAtOnce, match="130"):
        process_ending(signal.SIGINT, frame_in("a.py", "<frozen importlib._bootstrap>", "b.py"))
    assert process_ending.code is None
