"""The fixture of the doors through which the same rows come."""

from __future__ import annotations

import pytest
from tests.doors import DOORS

import bitsieve
from bitsieve.engines import stream


@pytest.fixture(params=DOORS)
def door(request, tmp_path, monkeypatch):
    """``door(table, **how)`` selects from a table that comes through one of the doors, in batches of few rows."""
    if request.param == "DuckDB":
        pytest.importorskip("duckdb")
    monkeypatch.setattr(stream, "rows_of_batch", lambda *_: 50)

    def select(table, **how):
        return bitsieve.select(**DOORS[request.param](table, tmp_path), **{"missing": "bin", **how})

    return select
