"""The documents make a site without a warning, with every public name in its reference; programs draw the figures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import bitsieve

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.mark.slow("builds every page")
def test_the_site_is_built_without_a_warning(tmp_path):
    for needed in ("sphinx", "myst_parser", "furo", "numpydoc"):
        pytest.importorskip(needed)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", tmp_path / "trees"]
    built = subprocess.run([*command, DOCS, tmp_path / "site"], capture_output=True, text=True, check=False)
    assert built.stderr == ""
    assert built.returncode == 0
    pages = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert pages <= {path.relative_to(tmp_path / "site") for path in (tmp_path / "site").rglob("*.html")}
    reference = "\n".join(path.read_text() for path in (tmp_path / "site" / "reference" / "python").glob("*.html"))
    missing = [name for name in bitsieve.__all__ if f'id="bitsieve.{name}"' not in reference]
    assert missing == ["__version__"]


@pytest.mark.slow("draws every figure of the documents; the plots have tests of their own")
def test_the_figure_is_what_its_program_draws(tmp_path):
    pytest.importorskip("matplotlib")
    program = ROOT / "examples" / "make_figures.py"
    subprocess.run([sys.executable, "-W", "ignore", program, tmp_path], check=True, capture_output=True)
    words = [
        [element.text for element in ElementTree.parse(folder / "ranking.svg").iter() if element.tag.endswith("text")]
        for folder in (tmp_path, DOCS / "figures")
    ]
    assert words[0] == words[1]
    assert "worst perimeter" in words[0]
