"""The doors through which the same rows come, and which of their tests are quick."""

from __future__ import annotations

from zlib import crc32

import pyarrow as pa
import pytest
from tests.doors import DOORS

import bitsieve
from bitsieve.engines import stream


@pytest.hookimpl(tryfirst=True)  # before the tests marked as slow are left out
def pytest_collection_modifyitems(items):
    """A chosen cross: a test goes through one door in make test, by its name, and through all in make test-slow."""
    for item in items:
        door = item.callspec.params.get("door") if hasattr(item, "callspec") else None
        if door not in DOORS:
            continue
        case = item.nodeid.replace(door, "")
        if door != list(DOORS)[crc32(case.encode()) % len(DOORS)]:
            item.add_marker(pytest.mark.slow("the same rows through another door"))


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
