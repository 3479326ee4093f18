"""Tests marked as nightly run only where -m names them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow("starts a process of pytest for each expression")
@pytest.mark.parametrize(
    ("expression", "runs_nightly_tests", "runs_quick_tests"),
    [("not slow", False, True), ("", False, True), ("nightly", True, False), ("nightly or not slow", True, True)],
)
def test_an_expression_that_does_not_name_them_leaves_them_out(expression, runs_nightly_tests, runs_quick_tests):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", expression, "tests/native/test_trials.py"]
    collected = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert ("test_random_problems_for_minutes" in collected) == runs_nightly_tests
    assert ("test_every_entry_point_is_tried" in collected) == runs_quick_tests
