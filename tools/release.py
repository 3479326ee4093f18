"""Make all files of a release from the commit that is checked out, twice, and compare them.

    python -m tools.release [FOLDER [PYTHON...]]

leaves in FOLDER (dist) the source archive, a wheel of the Python that runs this and of each that is named, the
documents as a site, the list of what an install brings (CycloneDX), and SHA256SUMS. The source archive and the wheels
are built with the declared build needs alone, from two clones of the commit in different folders; they must agree in
every byte. Before that, version, changelog and classifiers must agree.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tools import wheel

ROOT = wheel.ROOT
VERSIONS = r"Programming Language :: Python :: (3\.\d+)"


def project() -> dict[str, Any]:
    """The table ``project`` of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def check_words(project: dict[str, Any], changelog: str) -> None:
    """Check that the changelog begins with the version, and that the classifiers agree with the other declarations."""
    newest = re.search(r"^## (\S+)", changelog, re.MULTILINE)
    if newest is None or newest[1] != project["version"]:
        newest_version = newest[1] if newest else "none"
        raise SystemExit(f"CHANGELOG.md begins with version {newest_version}, pyproject.toml has {project['version']}")
    matches = [re.fullmatch(VERSIONS, classifier) for classifier in project["classifiers"]]
    versions = [match[1] for match in matches if match is not None]
    lowest = project["requires-python"].removeprefix(">=")
    if not versions or min(versions, key=as_numbers) != lowest:
        raise SystemExit(f"the classifiers name Python {', '.join(versions)}, requires-python begins at {lowest}")
    if any(word.startswith("License ::") for word in project["classifiers"]):
        raise SystemExit(f"the license is the expression {project['license']!r}: no classifier may name one")


def check_classifiers(classifiers: Iterable[str]) -> None:
    """Check that PyPI knows every classifier."""
    from trove_classifiers import classifiers as valid_classifiers

    unknown = sorted(set(classifiers) - valid_classifiers)
    if unknown:
        raise SystemExit(f"PyPI knows no classifier {unknown[0]!r}")


def as_numbers(version: str) -> tuple[int, ...]:
    """The parts of a version as numbers, which compare as versions do."""
    return tuple(int(part) for part in version.split("."))


def git(*arguments: str) -> str:
    """The output of a command of git."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def build(commit: str, folder: Path, interpreters: list[str]) -> list[Path]:
    """Build the source archive of a commit from a clone in ``folder``, and the wheels from that archive."""
    shutil.rmtree(folder, ignore_errors=True)
    clone = folder / "clone"
    out = folder / "files"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    subprocess.run(["git", "-C", str(clone), "checkout", "--quiet", commit], check=True)
    subprocess.run([sys.executable, "-m", "build", "--sdist", "--outdir", str(out), str(clone)], check=True)
    (archive,) = out.glob("*.tar.gz")
    wheels = [wheel.build(out / f"of-{i}", archive, python) for i, python in enumerate(interpreters)]
    return [archive, *wheels]


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def compare(first: list[Path], second: list[Path]) -> None:
    """Check that both builds have the same files with the same bytes."""
    for path, other in zip(first, second, strict=True):
        if path.name != other.name or digest(path) != digest(other):
            raise SystemExit(f"two builds of one commit differ: {path} and {other}")


def write_documents(python: Path, wheel_path: Path, folder: Path) -> None:
    """Build the site of the documents with the wheel installed, and write it as one archive."""
    subprocess.run([python, "-m", "pip", "install", "--quiet", f"{wheel_path}[docs]", "pandas"], check=True)
    site = folder.parent / "site"
    subprocess.run([python, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", ROOT / "docs", site], check=True)
    with tarfile.open(folder / f"bitsieve-{project()['version']}-docs.tar.gz", "w:gz") as archive:
        archive.add(site, "docs", filter=lambda entry: None if ".doctrees" in entry.name else entry)


def main(folder: Path, others: list[str]) -> None:
    """Make a release: check, build twice, compare, try the wheels, and write the other files."""
    settings = project()
    check_words(settings, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    check_classifiers(settings["classifiers"])
    changed = git("status", "--porcelain", "--untracked-files=no")
    if changed:
        raise SystemExit(f"a release is made of a commit, and these files differ from it:\n{changed}")
    commit = git("rev-parse", "--short", "HEAD")
    os.environ["SOURCE_DATE_EPOCH"] = git("log", "-1", "--format=%ct")
    work = ROOT / "build" / "release"
    interpreters = [sys.executable, *others]
    first = build(commit, work / "one", interpreters)
    second = build(commit, work / "another-one", interpreters)
    compare(first, second)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in first:
        shutil.copy2(path, folder)
    for path, python in zip(first[1:], interpreters, strict=True):
        wheel.check_contents(path)
        wheel.check_interface(path)
        wheel.try_out(path, work, python)
        if sys.platform == "linux":
            subprocess.run([sys.executable, "-m", "auditwheel", "show", str(path)], check=True)
    # The list is of the environment in which the last wheel was tried: it has what a user gets, and nothing else.
    python = wheel.scripts_of(work) / "python"
    command = [sys.executable, "-m", "cyclonedx_py", "environment", str(python), "--output-reproducible"]
    subprocess.run([*command, "--pyproject", str(ROOT / "pyproject.toml"), "-o", str(folder / "sbom.json")], check=True)
    write_documents(python, first[-1], folder)
    sums = "".join(f"{digest(path)}  {path.name}\n" for path in sorted(folder.iterdir()))
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
    print(f"{sums}two builds of {commit} agree in every byte; the files are in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist").absolute(), sys.argv[2:])
