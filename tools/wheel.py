"""Build the wheel, install it in a clean environment without optional packages, and try it there.

    python tools/wheel.py [FOLDER]

leaves the wheel and its environment in FOLDER (build/wheel). A wheel that claims the stable interface of Python is
checked with abi3audit.
"""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOTICES = ("LICENSE", "nanobind.txt", "robin-map.txt")


def build(folder: Path) -> Path:
    """The wheel, made anew."""
    for old in folder.glob("*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("bitsieve-*.whl")
    return wheel


def check_contents(wheel: Path) -> None:
    """The extension, the marker of types, the registry's file and the notices are there, and no tests."""
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("bitsieve/py.typed", "bitsieve/selectors/methods.json", *NOTICES):
        if not any(name.endswith(needed) for name in names):
            raise SystemExit(f"{wheel.name} lacks {needed}")
    extensions = [name for name in names if name.startswith("bitsieve/_native.") and not name.endswith(".pyi")]
    strange = [name for name in names if not name.startswith(("bitsieve/", "bitsieve-"))]
    if len(extensions) != 1 or strange:
        raise SystemExit(f"{wheel.name} has the extensions {extensions} and, where none belong, {strange[:5]}")


def try_out(wheel: Path, folder: Path) -> None:
    """Install the wheel, and what it needs, in a clean environment and select there."""
    home = folder / "environment"
    venv.create(home, with_pip=True, clear=True)
    scripts = home / ("Scripts" if sys.platform == "win32" else "bin")
    subprocess.run([scripts / "python", "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    # Away from the sources, and by the script that users call.
    subprocess.run([scripts / "python", "-I", str(ROOT / "tools" / "smoke.py")], cwd=folder, check=True)
    subprocess.run([scripts / "bitsieve", "--version"], cwd=folder, check=True)


def main(folder: Path) -> None:
    """Build, check and try."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = build(folder)
    check_contents(wheel)
    try_out(wheel, folder)
    if "-abi3-" in wheel.name:
        subprocess.run([sys.executable, "-m", "abi3audit", "--strict", str(wheel)], check=True)
    print(f"{wheel.name} is whole and works")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "wheel").absolute())
