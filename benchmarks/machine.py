"""What a timing depends on: processor, instruction sets, system, compiler, versions, load, date."""

from __future__ import annotations

import datetime
import importlib.util
import os
import platform
import re
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
INSTRUCTION_SETS = [
    "popcnt",
    "avx2",
    "avx512f",
    "avx512bw",
    "avx512vl",
    "avx512vbmi",
    "avx512_vpopcntdq",
    "avx512_bitalg",
    "asimd",
    "sve",
]
PACKAGES = ("bitsieve", "numpy", "scipy", "scikit-learn", "pyarrow", "narwhals")


def machine() -> dict[str, Any]:
    """CPU, cores, instruction sets, system, compiler, versions, commit, load and date."""
    first_core = _text(Path("/proc/cpuinfo")).split("\n\n")[0]
    cpu = dict(re.findall(r"^([^\t:]+?)\s*:\s*(.*)$", first_core, re.MULTILINE))
    flags = set((cpu.get("flags") or cpu.get("Features") or "").split())
    return {
        "cpu": cpu.get("model name") or platform.processor() or platform.machine(),
        "cpu_family_model": [cpu.get("cpu family"), cpu.get("model")],
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "instruction_sets": [name for name in INSTRUCTION_SETS if name in flags],
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": {package: metadata.version(package) for package in PACKAGES},
        "build": _build(),
        "commit": _commit(),
        "load_average": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _build() -> dict[str, Any]:
    """The compiler of the extension, as it signed there, and the options that the project gives it."""
    project = re.search(r"target_compile_options\(\$\{target\} PRIVATE ([^$)]*)", _text(ROOT / "CMakeLists.txt"))
    build_type = re.search(r'build-type\s*=\s*"(\w+)"', _text(ROOT / "pyproject.toml"))
    extension = importlib.util.find_spec("bitsieve._native")
    binary = Path(extension.origin).read_bytes() if extension and extension.origin else b""
    marks = re.findall(rb"(GCC: \([^)]*\) [0-9.]+|(?:Apple )?clang version [0-9.]+)", binary)
    return {
        "compiler": " + ".join(sorted({mark.decode() for mark in marks})) or None,
        "build_type": build_type and build_type.group(1),
        "options": project and " ".join(project.group(1).split()),
    }


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _commit() -> str | None:
    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=10).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", "native", "src", "benchmarks/*.py")
        return git("rev-parse", "--short", "HEAD") + (" with changes" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return None
