"""The seconds of a piece of work and its peak of memory, where the system tells that (Linux)."""

from __future__ import annotations

import time
from pathlib import Path


class Peak:
    """Used as a context: `seconds`, and the bytes of memory at the peak, `grown` since the start and `whole`.

    The two are None where the system does not tell.
    """

    def __enter__(self) -> Peak:
        try:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts anew
            self._before = _status("VmRSS")
        except OSError:
            self._before = None
        self._start = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._start
        self.whole = None if self._before is None else _status("VmHWM")
        self.grown = None if self.whole is None or self._before is None else self.whole - self._before

    def told(self) -> dict[str, float]:
        """Both in megabytes, as details of a contestant; empty where they are not known."""
        if self.grown is None or self.whole is None:
            return {}
        return {"peak_mb": self.grown / 1e6, "whole_process_peak_mb": self.whole / 1e6}


def _status(field: str) -> int:
    """A field of /proc/self/status in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))
