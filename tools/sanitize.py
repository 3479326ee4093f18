"""Build the extension with sanitizers, and run the tests that use it most.

    python tools/sanitize.py address,undefined [TESTS...]
    python tools/sanitize.py thread [TESTS...]

For Linux with GCC or Clang. The environment that runs this has bitsieve's tools for development; its own install of
bitsieve is not touched. An error that is found ends the process that ran into it, and so fails its test.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNTIME = {"address,undefined": "libasan.so", "thread": "libtsan.so"}
TESTS = {
    "address,undefined": [f"tests/{name}" for name in ("native", "counts", "dataset", "methods")],
    "thread": ["tests/processes/test_threads.py"],
}
MEMORY_TEST = "tests/counts/test_room.py"  # skipped: it would measure the memory of the sanitizer
# Read by every Python that is started here, also by those that tests start.
SITE = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
"""


def build(sanitizers: str) -> Path:
    """Build the package with the sanitized extension, unpack it, and return its folder."""
    folder = ROOT / "build" / f"sanitize-{sanitizers.replace(',', '-')}"
    wheels = folder / "wheels"
    package = folder / "package"
    options = [f"-Ccmake.define.BITSIEVE_SANITIZE={sanitizers}", f"-Cbuild-dir={folder / 'native'}"]
    options.append("-Cinstall.strip=false")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", *options]
    subprocess.run([*command, "--wheel-dir", str(wheels), str(ROOT)], check=True)
    (wheel,) = wheels.glob("bitsieve-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(package)
    (package / "sitecustomize.py").write_text(SITE)
    return package


def library(name: str) -> str:
    """The path of a library of the compiler."""
    command = [os.environ.get("CXX", "g++"), f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def environment(sanitizers: str) -> dict[str, str]:
    """The environment variables with which Python loads an extension that was built with sanitizers."""
    return {
        # The sanitizer looks for the function that throws when the process starts, before the extension brings it.
        "LD_PRELOAD": " ".join(library(name) for name in (RUNTIME[sanitizers], "libstdc++.so.6")),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python leaves much to the end of the process
        "UBSAN_OPTIONS": "print_stacktrace=1,halt_on_error=1",
    }


def main(sanitizers: str, tests: list[str]) -> int:
    """Build and test. Returns the exit code of the tests."""
    if sanitizers not in RUNTIME:
        raise SystemExit(f"{sanitizers!r} are no sanitizers that are run here: give {' or '.join(RUNTIME)}")
    package = build(sanitizers)
    variables = {**os.environ, "PYTHONPATH": str(package), **environment(sanitizers)}
    loaded = "import bitsieve._native; print(bitsieve._native.__file__)"
    where = subprocess.run([sys.executable, "-c", loaded], env=variables, capture_output=True, text=True, check=True)
    if not where.stdout.startswith(str(package)):
        raise SystemExit(f"the extension that is loaded is not the sanitized one but {where.stdout}")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"--ignore={MEMORY_TEST}"]
    command += tests or TESTS[sanitizers]
    if sanitizers == "thread" and shutil.which("setarch"):
        command = ["setarch", "-R", *command]  # the thread sanitizer needs fixed addresses
    return subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]))
