"""What pyproject.toml promises: lower bounds that a target installs, and what a wheel needs to say."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

from tools import lowest

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_dependency_has_a_lower_bound_and_nothing_else():
    project = SETTINGS["project"]
    asked = [*SETTINGS["build-system"]["requires"], *project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        asked += [line for line in extra if not line.startswith("bitsieve[")]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+(\[[a-z,]+\])?>=[0-9.]+", line) for line in asked), asked


def test_what_is_installed_with_its_lowest_version():
    pinned = lowest.lowest()
    assert len(pinned) == len({lowest.name_of(line) for line in pinned})
    for needed in ("numpy", "pyarrow", "narwhals", "nanobind", "matplotlib", "pandas", "polars", "pytest"):
        assert any(re.fullmatch(rf"{needed}==[0-9.]+", line) for line in pinned)
    for test in lowest.TESTS:
        assert (ROOT / test).exists()
    assert (ROOT / lowest.NOT_HERE["ignore"]).exists()


def test_what_is_installed_holds_the_notices_of_what_it_links():
    notices = [file for file in distribution("bitsieve").files if "licenses" in file.parts]
    assert {file.name for file in notices} >= {"LICENSE", "nanobind.txt", "robin-map.txt"}
    texts = {file.name: file.read_text() for file in notices}
    assert "Wenzel Jakob" in texts["nanobind.txt"]
    assert "Thibaut Goetghebuer-Planchon" in texts["robin-map.txt"]
