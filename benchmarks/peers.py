"""Make the environment of the peers: packages from PyPI that users have today, apart from ours.

    python -m benchmarks.peers

It is made once, in .peers/ at the root of the project. Peers may need other versions of numpy or scikit-learn
than we do, so they never share our environment; arrays go to them by file.
"""

from __future__ import annotations

import subprocess
import venv

from benchmarks.machine import ROOT
from benchmarks.workers import PEERS_PYTHON

REQUIREMENTS = ROOT / "benchmarks" / "peers-requirements.txt"


def main() -> None:
    if not PEERS_PYTHON.exists():
        venv.create(ROOT / ".peers", with_pip=True)
    lines = (line.partition("#")[0].strip() for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines())
    for requirement in filter(None, lines):
        command = [str(PEERS_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            print(f"peers: {requirement} cannot be installed here; the benchmarks run without it and say so")
    print("peers: ready in .peers")


if __name__ == "__main__":
    main()
