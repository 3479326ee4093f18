"""The golden files on another processor: other sums of OpenBLAS and other loops of numpy, the same selections."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.nightly
@pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="the names are those of x86-64")
def test_golden_files_hold_on_an_older_processor():
    environment = {**os.environ, "OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4"}
    # numpy warns of names that its version does not know, and switches off those that it does.
    command = [sys.executable, "-W", "ignore", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "tests/golden/test_golden.py"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
