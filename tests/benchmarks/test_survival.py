"""The small form of what selections for times cost."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import survival


@pytest.mark.slow("a smaller form of a benchmark")
def test_the_table_of_classes_is_printed(capsys):
    survival.print_classes(1, n_rows=300, n_columns=16)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == [f"| {criterion}" for criterion in survival.CRITERIA]


@pytest.mark.slow("a smaller form of a benchmark")
def test_the_table_of_columns_is_printed(capsys):
    survival.print_columns(1, n_rows=300, n_columns=4)
    assert "bitsieve, mim" in capsys.readouterr().out


@pytest.mark.parametrize("is_skewed", [False, True])
def test_patients_have_events_and_censored_rows(is_skewed):
    sample = survival.patients(np.random.default_rng(0), 200, 5, is_skewed=is_skewed)
    assert 0 < sample.event.sum() < 200
    assert (sample.structured["time"] == sample.time).all()
