"""Install bitsieve with the lowest versions that it declares, without isolation, and run a fast set of tests.

    python tools/lowest.py [FOLDER]

makes a virtual environment in FOLDER (build/lowest). What is declared in pyproject.toml with ``>=`` is installed as
``==``: what the build, the package and its report need, and of the tools for development those that tests need.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOOLS = ("hypothesis", "pandas", "polars", "pytest")
TESTS = (
    "tests/io",
    "tests/dataset",
    "tests/counts",
    "tests/native",
    "tests/api",
    "tests/selectors/test_frames.py",
    "tests/selectors/test_vmi.py",
    "tests/report",
    "tests/api/test_compare.py",
    "tests/cli/test_commands.py",
    "tests/golden",
)
IGNORED_FILE = "tests/discretization/test_conformance.py"  # it tests the rules of the newest scikit-learn
# Its result depends on the solver of scikit-learn.
DESELECTED_TEST = "tests/golden/test_golden.py::test_results_are_those_recorded[weights/states-svm-rfe]"


def lowest() -> list[str]:
    """Every declared dependency at its lower bound, such as "numpy==2.0"."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    extras = project["optional-dependencies"]
    requirements = [*settings["build-system"]["requires"], *project["dependencies"], *extras["report"]]
    requirements += [line for line in extras["dev"] if name_of(line) in TOOLS]
    return [line.replace(">=", "==") for line in dict.fromkeys(requirements)]


def name_of(requirement: str) -> str:
    """The name of the package in a requirement such as "numpy>=2.0"."""
    return re.split(r"[^A-Za-z0-9_.-]", requirement)[0]


def main(folder: Path) -> int:
    """Install the lowest versions and run the tests. Returns the exit code of the tests."""
    venv.create(folder, with_pip=True, clear=True)
    python = str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, *lowest()], check=True)
    # The install is not editable, so that the tests run what a user gets.
    build = ["--no-build-isolation", "--no-deps", f"-Cbuild-dir={folder / 'native'}"]
    subprocess.run([*install, *build, str(ROOT)], check=True)
    # Old packages use functions that newer versions of their own requirements declare deprecated, with a warning.
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "filterwarnings=default", *TESTS]
    tests += [f"--ignore={IGNORED_FILE}", f"--deselect={DESELECTED_TEST}"]
    return subprocess.run([python, *tests], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "lowest").absolute()))
