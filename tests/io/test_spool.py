"""Folders that are kept for later runs are found again, and those of another version are not."""

from __future__ import annotations

import pytest

from bitsieve.io import spool
from bitsieve.io.spool import Spool, find_kept


@pytest.mark.parametrize("change", [-1, 0, 1])
def test_a_kept_folder_of_another_version_is_not_found(tmp_path, monkeypatch, change):
    Spool(tmp_path).keep("kept", {"rows": 3})
    monkeypatch.setattr(spool, "_VERSION", spool._VERSION + change)
    kept = find_kept(tmp_path, "kept")
    assert (kept is not None) == (change == 0)
    assert kept is None or kept.facts["rows"] == 3


def test_a_kept_folder_has_its_name(tmp_path):
    folder = Spool(tmp_path).keep("kept", {})
    for name in ("another", "a name"):
        folder = folder.rename(tmp_path / name)
        assert find_kept(tmp_path, name) is None
