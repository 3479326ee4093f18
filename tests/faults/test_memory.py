"""How much memory a file may take for each byte of its content, as SECURITY.md says of every format."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cover import quick_and_slow

ROOT = Path(__file__).parents[2]
N_BYTES = 8_000_000  # of the content of a file
MEBIBYTE = 1 << 20
SLACK = 16 * MEBIBYTE  # of the reader itself, of a small file
READ = """
import resource, sys
from bitsieve.io.read import read_table
read_table(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
table = read_table(sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def short_fields(n_bytes):
    """Rows of the shortest fields, of which a text has the most."""
    row = b",".join([b"1"] * 100) + b"\n"
    return b",".join(b"a%d" % j for j in range(100)) + b"\n" + row * (n_bytes // len(row))


def json_lines(n_bytes):
    return b'{"a":1,"b":"x"}\n' * (n_bytes // 16)


def json_list(n_bytes):
    return json.dumps([{"a": 1, "b": "x"}] * (n_bytes // 18)).encode()


def libsvm(n_bytes):
    return b"1 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1\n0 1:2\n" * (n_bytes // 44)


def table(n_bytes):
    random = np.random.default_rng(0)
    return pa.table({f"a{j}": random.normal(size=n_bytes // 80) for j in range(10)})


def saved(write, content):
    file = io.BytesIO()
    write(content, file)
    return file.getvalue()


def write_arrow(content, file):
    with pa.ipc.new_file(file, content.schema) as writer:
        writer.write_table(content)


def npz(n_bytes):
    file = io.BytesIO()
    np.savez(file, X=np.zeros((n_bytes // 80, 10)), y=np.zeros(n_bytes // 80))
    return file.getvalue()


def arff(n_bytes):
    head = b"@relation t\n@attribute a numeric\n@attribute b numeric\n@data\n"
    return head + b"1,1\n" * (n_bytes // 16)  # its reader takes seconds for a megabyte


CONTENTS = {
    "CSV, TSV": short_fields,
    "JSON lines": json_lines,
    "a list of JSON": json_list,
    "libsvm": libsvm,
    "Parquet, not compressed": lambda n_bytes: saved(parquet.write_table, table(n_bytes)),
    "Arrow, Feather, not compressed": lambda n_bytes: saved(write_arrow, table(n_bytes)),
    ".npz": npz,
    "ARFF": arff,
}


def documented():
    """The bytes of memory for a byte of content, by format."""
    lines = (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("|").split("|") for line in lines if line.startswith("|")]
    table = {row[0].strip(): row[1].strip() for row in rows}
    return {format: int(factor) for format, factor in table.items() if factor.isdecimal()}


def test_every_format_is_measured():
    assert list(documented()) == list(CONTENTS)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of memory is counted in KiB on Linux")
@pytest.mark.parametrize("format", quick_and_slow(CONTENTS, quick={"CSV, TSV"}, reason="a process for each format"))
def test_memory_for_each_byte(tmp_path, format):
    (tmp_path / "small").write_bytes(CONTENTS[format](20_000))
    content = CONTENTS[format](N_BYTES)
    (tmp_path / "large").write_bytes(content)
    command = [sys.executable, "-c", READ, str(tmp_path / "small"), str(tmp_path / "large")]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    n_bytes = 1024 * int(ended.stdout)
    assert n_bytes <= documented()[format] * len(content) + SLACK, n_bytes / len(content)
