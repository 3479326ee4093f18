"""Build the wheel, install it in a clean environment without optional packages, and try it there.

    python tools/wheel.py [FOLDER [PYTHON...]]

leaves the wheel and its environment in FOLDER (build/wheel). It is tried with the Python that runs this and with the
others that are named. From Python 3.12 on it must be one of the stable interface, and is checked with abi3audit.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = ("bitsieve/py.typed", "bitsieve/_native.pyi", "bitsieve/report/templates/page.html")
NOTICES = ("LICENSE", "nanobind.txt", "robin-map.txt")


def build(folder: Path, source: Path = ROOT, interpreter: str = sys.executable) -> Path:
    """Build the wheel of a tree or source archive for a Python, with no more than the declared build requirements."""
    for old in folder.glob("*.whl"):
        old.unlink()
    command = [interpreter, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source)]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("bitsieve-*.whl")
    return wheel


def scripts_of(folder: Path) -> Path:
    """The folder of the commands of the environment in which a wheel is tried."""
    return folder / "environment" / ("Scripts" if sys.platform == "win32" else "bin")


def check_contents(wheel: Path) -> None:
    """Check that the wheel holds one extension, its types, the templates of reports and the notices, and no tests."""
    names = zipfile.ZipFile(wheel).namelist()
    for needed in (*FILES, *NOTICES):
        if not any(name.endswith(needed) for name in names):
            raise SystemExit(f"{wheel.name} lacks {needed}")
    extensions = [name for name in names if name.startswith("bitsieve/_native.") and not name.endswith(".pyi")]
    misplaced = [name for name in names if not name.startswith(("bitsieve/", "bitsieve-"))]
    if len(extensions) != 1 or misplaced:
        raise SystemExit(f"{wheel.name} has the extensions {extensions} and, where none belong, {misplaced[:5]}")
    check_paths(wheel)


def check_paths(wheel: Path) -> None:
    """Check that no file of the wheel names a folder of the machine that built it."""
    folders = {str(ROOT), str(Path.home()), tempfile.gettempdir()} - {"/"}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            named = sorted(folder for folder in folders if f"{folder}{os.sep}".encode() in content)
            if named:
                raise SystemExit(f"{name} of {wheel.name} names {named}, of the machine that built it")


def try_out(wheel: Path, folder: Path, interpreter: str) -> None:
    """Install the wheel and its requirements in a clean environment of a Python, and run a selection there."""
    scripts = scripts_of(folder)
    subprocess.run([interpreter, "-m", "venv", "--clear", str(scripts.parent)], check=True)
    subprocess.run([scripts / "python", "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    # The working folder is not that of the sources, which would be imported in place of the wheel.
    subprocess.run([scripts / "python", "-I", str(ROOT / "tools" / "smoke.py")], cwd=folder, check=True)
    subprocess.run([scripts / "bitsieve", "--version"], cwd=folder, check=True)


def check_interface(wheel: Path) -> None:
    """Check that a wheel for Python 3.12 or later has the stable interface, unless it is for a free-threaded Python."""
    python, interface = wheel.name.split("-")[2:4]
    if interface == "abi3":
        subprocess.run([sys.executable, "-m", "abi3audit", "--strict", str(wheel)], check=True)
    elif int(python.removeprefix("cp3")) >= 12 and not interface.endswith("t"):
        raise SystemExit(f"{wheel.name} should be of the stable interface")


def main(folder: Path, others: list[str]) -> None:
    """Build the wheel, check it, and try it."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = build(folder)
    check_contents(wheel)
    for interpreter in (sys.executable, *others):
        try_out(wheel, folder, interpreter)
    check_interface(wheel)
    print(f"{wheel.name} is whole and works")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "wheel").absolute(), sys.argv[2:])
