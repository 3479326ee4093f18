"""The notebook runs from top to bottom, and shows what comes out."""

from __future__ import annotations

import json

import pytest
from tools.notebook import NOTEBOOK, executed


@pytest.mark.slow("the steps of the README in a notebook")
def test_the_notebook_shows_what_comes_out(tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert executed(notebook) == notebook, "python -m tools.notebook writes it anew"
    assert (tmp_path / "selection.html").stat().st_size > 10_000


def test_the_notebook_has_the_parts_of_its_format():
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    assert {cell["cell_type"] for cell in notebook["cells"]} == {"code", "markdown"}
