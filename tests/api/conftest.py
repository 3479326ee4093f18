"""The fixture of the doors through which the same rows come."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.doors import DOORS

import bitsieve
from bitsieve.engines import stream


@pytest.fixture(params=DOORS)
def door(request, tmp_path, monkeypatch):
    """``door(table, **how)`` selects from a table that comes through one of the doors, in four batches if in any."""
    if request.param.startswith("DuckDB"):
        pytest.importorskip("duckdb")

    def select(table, **how):
        monkeypatch.setattr(stream, "rows_of_batch", lambda *_: table.num_rows // 4 + 1)
        if "counted there" in request.param and how.get("sample_weight") is not None:
            table = table.append_column("sample_weight", pa.array(how["sample_weight"]))
            how["sample_weight"] = "sample_weight"
        return bitsieve.select(**DOORS[request.param](table, tmp_path), **{"missing": "bin", **how})

    return select
