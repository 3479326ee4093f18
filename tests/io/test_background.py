"""Work that depends on somebody else is given up once it makes no progress within a time."""

from __future__ import annotations

import pytest

from bitsieve.io import background
from bitsieve.io.background import MIN_BYTES_PER_TIMEOUT, timeout, within_timeout


class Clock:
    """In place of the module ``time``: it stands still until somebody waits."""

    def __init__(self):
        self.now = 1000.0

    def monotonic(self):
        return self.now


def test_each_progress_gives_the_whole_time_anew(monkeypatch):
    clock = Clock()
    waits = []

    class WorkOfTwoBlocks(background._Work):
        """Moves enough bytes in each of two waits, and never ends."""

        def start(self):
            pass

        def is_alive(self):
            return True

        def join(self, seconds):
            clock.now += seconds
            waits.append(seconds)
            if len(waits) <= 2:
                self.progress.n_bytes += MIN_BYTES_PER_TIMEOUT

    monkeypatch.setattr(background, "time", clock)
    monkeypatch.setattr(background, "_Work", WorkOfTwoBlocks)
    with pytest.raises(TimeoutError):
        within_timeout(lambda progress: None)
    assert waits == [timeout()] * 3
