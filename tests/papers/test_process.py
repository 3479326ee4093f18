"""``python -m papers vinh2014`` as a process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]


def test_table_4_of_a_small_directory(tmp_path):
    random = np.random.default_rng(0)
    classes = np.arange(30) % 2
    np.savez(tmp_path / "colon.npz", X=classes[:, None] + random.standard_normal((30, 5)), y=classes)
    command = [sys.executable, "-m", "papers", "vinh2014", "--table", "4", "--sets", "colon,nci60", "--json"]
    command += ["--data-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=600)
    missing, colon = json.loads(done.stdout)["parts"]
    assert "NCI60 cell lines" in missing["missing"]
    assert colon["published"] == {"n_features": 2000, "n_samples": 62, "n_classes": 2, "error": 17.7}
    assert colon["error"] < 50
    assert done.stderr == ""
