"""Install bitsieve with the lowest or the highest versions of its dependencies, and run a fast set of tests.

    python tools/versions.py lowest|highest [FOLDER]

makes a virtual environment in FOLDER (build/lowest or build/highest). For the lowest versions, what is declared in
pyproject.toml with ``>=`` is installed as ``==``; the highest ones are the newest that are released. Installed is what
the build, the package and its report need, and of the tools for development those that tests need.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("lowest", "highest")
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


def requirements() -> list[str]:
    """Every dependency that is installed, as it is declared, such as "numpy>=2.0"."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    extras = project["optional-dependencies"]
    declared = [*settings["build-system"]["requires"], *project["dependencies"], *extras["report"]]
    declared += [line for line in extras["dev"] if name_of(line) in TOOLS]
    return list(dict.fromkeys(declared))


def name_of(requirement: str) -> str:
    """The name of the package in a requirement such as "numpy>=2.0"."""
    return re.split(r"[^A-Za-z0-9_.-]", requirement)[0]


def main(versions: str, folder: Path) -> int:
    """Install these versions and run the tests. Returns the exit code of the tests."""
    venv.create(folder, with_pip=True, clear=True)
    python = str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    packages = requirements()
    if versions == "lowest":
        packages = [line.replace(">=", "==") for line in packages]
    subprocess.run([*install, "--upgrade", *packages], check=True)
    # The install is not editable, so that the tests run what a user gets.
    build = ["--no-build-isolation", "--no-deps", f"-Cbuild-dir={folder / 'native'}"]
    subprocess.run([*install, *build, str(ROOT)], check=True)
    # Old packages use functions that newer versions of their own requirements declare deprecated, with a warning.
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "filterwarnings=default", *TESTS]
    tests += [f"--ignore={IGNORED_FILE}", f"--deselect={DESELECTED_TEST}"]
    return subprocess.run([python, *tests], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in VERSIONS:
        sys.exit(f"name the versions: {' or '.join(VERSIONS)}")
    chosen_folder = sys.argv[2] if len(sys.argv) > 2 else ROOT / "build" / sys.argv[1]
    sys.exit(main(sys.argv[1], Path(chosen_folder).absolute()))
