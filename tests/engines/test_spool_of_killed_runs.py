"""A run that is killed at any moment leaves nothing that a later run trusts, and nothing behind."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import bitsieve

# For n = 0, 1, ... one child is killed at its n-th operation on a file of the spool; a second one then runs undisturbed
# and prints what it selected, whether it packed anew, and what is left: until the first one comes to its end.
FORKING = """
import json, os, shutil, signal, sys
import bitsieve
from bitsieve.results import selection
from bitsieve.engines import stream_packing

data, spool = sys.argv[1:]
packed, finish = [], stream_packing.StreamPacking.finish
stream_packing.StreamPacking.finish = lambda self, *how: packed.append(1) or finish(self, *how)

def run():
    found = bitsieve.select(data, "class", binning="none", n_features_to_select=2, spool=spool)
    return {"features": found.features, "scores": found.scores.tolist(), "packed": len(packed), "left": left()}

def left():
    return [(name, not os.listdir(os.path.join(spool, name))) for name in os.listdir(spool)]

def child(work):
    process = os.fork()
    if process == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(process, 0)[1]

def killed(place):
    seen = []
    def kill(event, arguments):
        if any(spool in str(argument) for argument in arguments):
            seen.append(event)
            if len(seen) > place:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(kill)
    run()

for place in range(1000):
    shutil.rmtree(spool, ignore_errors=True)
    status = child(lambda: killed(place))
    assert child(lambda: print(json.dumps({"killed": status == signal.SIGKILL} | run()), flush=True)) == 0
    if status == 0:
        break
"""


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_killed_at_any_operation(tmp_path):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 2000)
    table = pa.table({name: y + random.integers(0, 3, 2000) for name in "abc"} | {"class": y})
    parquet.write_table(table, tmp_path / "data.parquet", row_group_size=250)
    expected = bitsieve.select(table, "class", binning="none", n_features_to_select=2)
    command = [sys.executable, "-c", FORKING, str(tmp_path / "data.parquet"), str(tmp_path / "spool")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    *killed, last = (json.loads(line) for line in done.stdout.splitlines())
    assert len(killed) > 10
    for one in (*killed, last):
        assert (one["features"], one["scores"]) == (expected.features, expected.scores.tolist())
        assert sum(not name.endswith(".part") for name, _ in one["left"]) == 1
        assert all(is_empty for name, is_empty in one["left"] if name.endswith(".part"))  # killed before it had a lock
    assert all(one["killed"] for one in killed)
    packed = [one["packed"] for one in (*killed, last)]
    assert packed == sorted(packed, reverse=True)  # what was whole is used from then on
    assert packed[0] == 1 > packed[-1]
