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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
INSTRUCTION_SETS = (
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
)
PACKAGES = ("bitsieve", "numpy", "scipy", "scikit-learn", "pyarrow", "narwhals")


def machine() -> dict[str, Any]:
    """CPU, cores, instruction sets, system, compiler, versions, commit, load and date."""
    cpu = _cpu_fields()
    flags = set((cpu.get("flags") or cpu.get("Features") or "").split())
    return {
        "cpu": cpu.get("model name") or platform.processor() or platform.machine(),
        "cpu_family_model": [cpu.get("cpu family"), cpu.get("model")],
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "instruction_sets": [name for name in INSTRUCTION_SETS if name in flags],
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": versions(PACKAGES),
        "build": build(),
        "commit": _commit(),
        "load_average": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def versions(packages: Sequence[str]) -> dict[str, str]:
    """The installed versions of these packages; one that is missing is left out."""
    found = {}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def build() -> dict[str, Any]:
    """The compiler of the extension, as it signed there, and the options that the project gives it."""
    lists = _text(ROOT / "CMakeLists.txt")
    options = re.findall(r"target_compile_options\((?:_native|\$\{target\}) PRIVATE ([^)]*)\)", lists)
    build_type = re.search(r'build-type\s*=\s*"(\w+)"', _text(ROOT / "pyproject.toml"))
    return {
        "compiler": _compiler_of_extension(),
        "build_type": build_type.group(1) if build_type else None,
        "options": " ".join(options) or None,
    }


def _compiler_of_extension() -> str | None:

    try:
        found = importlib.util.find_spec("bitsieve._native")
    except ImportError:
        return None
    if found is None or found.origin is None:
        return None
    text = Path(found.origin).read_bytes()
    marks = re.findall(rb"(GCC: \([^)]*\) [0-9.]+|(?:Apple )?clang version [0-9.]+)", text)
    return " + ".join(sorted({mark.decode() for mark in marks})) or None


def _cpu_fields() -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in _text(Path("/proc/cpuinfo")).splitlines():
        name, _, value = line.partition(":")
        if not name.strip():
            break  # the first core stands for all
        fields[name.strip()] = value.strip()
    return fields


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _commit() -> str | None:
    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", "native", "src", "benchmarks/*.py")
        return git("rev-parse", "--short", "HEAD") + (" with changes" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return None
