"""Ctrl-C works in every test here, also where a shell started the tests in the background, which ignores it."""

from __future__ import annotations

import signal

import pytest


@pytest.fixture(autouse=True)
def interruptible():
    """The handler of a program in the foreground; child processes inherit that SIGINT is not ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
