"""What is asked of an engine is obeyed or refused, never passed over."""

from __future__ import annotations

import numpy as np
import pytest

import bitsieve as bs
from bitsieve.cli import main


@pytest.fixture
def path(tmp_path):
    rows = np.random.default_rng(0).integers(0, 3, (40, 3))
    found = tmp_path / "data.csv"
    np.savetxt(found, rows, "%d", ",", header="a,b,y", comments="")
    return found


@pytest.mark.parametrize("asked", [{"engine": "stream"}, {"engine": "nonsense"}, {"header": False}])
def test_a_source_refuses_what_it_would_not_obey(path, asked):
    (name,) = asked
    with pytest.raises(ValueError, match=f"^{name}=.* is not allowed: leave it out, or give a path or a table"):
        bs.select(bs.StreamSource(path), "y", **asked)


def test_engines_are_known_by_name(path):
    with pytest.raises(ValueError, match="engine='nonsense' is not known: give one of 'dask'"):
        bs.select(path, "y", engine="nonsense")


def test_a_scheduler_refuses_a_header(path, capsys):
    assert main(["select", str(path), "--target", "y", "--scheduler", "local", "--no-header"]) == 2
    assert "--no-header have no meaning with --scheduler" in capsys.readouterr().err
