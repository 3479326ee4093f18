"""Amounts of memory in bytes and in words; and what is free, from a made-up /proc and /sys."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from bitsieve.utils.memory import available_bytes, check_memory, refuse_more


@pytest.mark.parametrize(
    ("memory", "n_bytes"),
    [
        (None, None),
        (1, 1),
        (np.int64(5), 5),
        ("4GB", 4_000_000_000),
        ("4 gb", 4_000_000_000),
        ("1.5 MiB", 3 << 19),
        ("2TiB", 1 << 41),
        ("100b", 100),
    ],
)
def test_amounts(memory, n_bytes):
    assert check_memory(memory) == n_bytes


@pytest.mark.parametrize("memory", ["", "GB", "4", "-4GB", "4GB of it", "0GB", 0, -1, 2.0, False, [], "4 XB"])
def test_what_is_none(memory):
    with pytest.raises(ValueError, match="is not allowed: give a number with a unit"):
        check_memory(memory)


def test_more_than_there_is():
    refuse_more(10, None, "they")
    refuse_more(10, 10, "they")
    with pytest.raises(ValueError, match=r"they take 11 GB, more than 10 GB"):
        refuse_more(11 * 10**9, 10**10, "they")


GB = 10**9


def system(root, **files):
    for name, text in {"proc/meminfo": "MemTotal: 9 kB\nMemAvailable: 8000000 kB\n", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_of_the_machine(tmp_path):
    assert available_bytes(system(tmp_path)) == 8_000_000 * 1024
    assert available_bytes(tmp_path / "nothing") > 1e8  # what the system tells elsewhere
    assert 1e6 < available_bytes() < float("inf")


@pytest.mark.parametrize("level", ["", "/job", "/job/task"])
def test_of_a_group_of_version_2(tmp_path, level):
    group = f"sys/fs/cgroup{level}"
    files = {
        "proc/self/cgroup": "0::/job/task\n",
        "sys/fs/cgroup/job/task/memory.max": "max\n",
        f"{group}/memory.max": f"{4 * GB}\n",
        f"{group}/memory.current": f"{3 * GB}\n",
        f"{group}/memory.stat": f"anon 5\ninactive_file {GB}\n",
    }
    assert available_bytes(system(tmp_path, **files)) == 2 * GB


def test_of_a_group_of_version_1(tmp_path):
    group = "sys/fs/cgroup/memory/job"
    files = {
        "proc/self/cgroup": "5:cpu,cpuacct:/job\n4:memory:/job\n0::/\n",
        "sys/fs/cgroup/cpu/job/memory.limit_in_bytes": "1\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        f"{group}/memory.limit_in_bytes": f"{2 * GB}\n",
        f"{group}/memory.usage_in_bytes": f"{GB}\n",
        f"{group}/memory.stat": "inactive_file 3\ntotal_inactive_file 500\n",
    }
    assert available_bytes(system(tmp_path, **files)) == GB + 500
    (tmp_path / group / "memory.usage_in_bytes").write_text(f"{3 * GB}\n")  # for a moment
    assert available_bytes(tmp_path) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="macOS does not limit the address space")
def test_of_the_address_space():
    program = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
from bitsieve.utils.memory import available_bytes
print(available_bytes())
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (1 << 30) - (600 << 20) < float(told.stdout) < 1 << 30
