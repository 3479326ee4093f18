"""How much memory a file may take for each byte of its content, as SECURITY.md says of every format."""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import orc, parquet
from tests.cover import quick_and_slow

ROOT = Path(__file__).parents[2]
N_BYTES = 8_000_000  # of the content of a file
MEBIBYTE = 1 << 20
SLACK = 16 * MEBIBYTE  # of the reader itself, of a small file
# The peak of resource.getrusage would be that of the process that starts this one, where that is larger.
READ = """
import re, sys
from pathlib import Path
from bitsieve.io.read import read_table
def peak():
    return 1024 * int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])
read_table(sys.argv[1])
before = peak()
table = read_table(sys.argv[2])
print(peak() - before)
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


def npy(n_bytes):
    file = io.BytesIO()
    np.save(file, np.zeros((n_bytes // 80, 10)))
    return file.getvalue()


def write_orc(content, file):
    orc.write_table(content, file, compression="uncompressed")


def numbers_and_letters(n_bytes, cell_bytes):
    """Columns of small numbers and of single letters, which take the fewest bytes in files of other programs."""
    n_rows = n_bytes // (10 * cell_bytes)
    numbers = {f"a{j}": (np.arange(n_rows) % 5).astype(np.int8) for j in range(5)}
    letters = {f"b{j}": np.array(list("vwxyz"), object)[np.arange(n_rows) % 5] for j in range(5)}
    return pd.DataFrame(numbers | letters)


def of_pyreadstat(writer, frame, **options):
    """A file of a statistics program, of a frame."""
    write = getattr(pytest.importorskip("pyreadstat"), writer)
    with tempfile.TemporaryDirectory() as folder:
        write(frame, f"{folder}/t", **options)
        return Path(folder, "t").read_bytes()


def spss(n_bytes):
    numbers = numbers_and_letters(n_bytes, 1)[["a0", "a1", "a2", "a3", "a4"]].astype(float)
    return of_pyreadstat("write_sav", pd.concat([numbers, numbers.add_prefix("c")], axis=1), row_compress=True)


def sqlite(n_bytes):
    """Rows of zeros and ones, of which each takes one byte."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"create table t ({', '.join(f'a{j}' for j in range(20))})")
        row = (0, 1) * 10
        connection.executemany(f"insert into t values ({', '.join('?' * 20)})", [row] * (n_bytes // 26))
        connection.commit()
        return connection.serialize()


def duckdb(n_bytes):
    with tempfile.TemporaryDirectory() as folder:
        with pytest.importorskip("duckdb").connect(f"{folder}/t") as connection:
            connection.execute("pragma force_compression = 'uncompressed'")
            connection.from_arrow(table(n_bytes)).create("t")
        return Path(folder, "t").read_bytes()


N_SAMPLES = 1000  # of genotypes, of which a byte holds four


def plink(n_bytes):
    pytest.importorskip("bed_reader")
    variants = np.random.default_rng(0).integers(0, 256, (n_bytes // 250, N_SAMPLES // 4), np.uint8)
    return b"\x6c\x1b\x01" + variants.tobytes()


def write_samples_and_variants(path):
    """Write the files of samples and of variants that belong to a file of genotypes."""
    n_variants = path.stat().st_size // 250
    path.with_suffix(".fam").write_text("".join(f"f s{row} 0 0 1 {1 + row % 2}\n" for row in range(N_SAMPLES)))
    path.with_suffix(".bim").write_text("".join(f"1\trs{column}\t0\t{column}\tA\tG\n" for column in range(n_variants)))


def arff(n_bytes):
    head = b"@relation t\n@attribute a numeric\n@attribute b numeric\n@data\n"
    return head + b"1,1\n" * (n_bytes // 16)  # its reader takes seconds for a megabyte


def anndata(n_bytes):
    """Cells with an annotation of two letters, which take the fewest bytes in the file, and a matrix without values."""
    h5py = pytest.importorskip("h5py")
    n_rows = n_bytes // 11
    content = io.BytesIO()
    with h5py.File(content, "w") as file:
        matrix = file.create_group("X")
        matrix.attrs.update({"encoding-type": "csc_matrix", "shape": (n_rows, 1)})
        matrix["data"] = np.ones(1, np.float32)
        matrix["indices"] = np.zeros(1, np.int32)
        matrix["indptr"] = np.array([0, 1])
        for name in ("obs", "var"):
            table = file.create_group(name)
            table.attrs["_index"] = "_index"
        file["var/_index"] = np.array([b"gene"])
        file["obs/_index"] = np.zeros(n_rows, "S1")
        for name in "abcde":
            file[f"obs/{name}"] = np.array([b"ab", b"cd"])[np.arange(n_rows) % 2]
    return content.getvalue()


CONTENTS = {
    "CSV, TSV": short_fields,
    "JSON lines": json_lines,
    "a list of JSON": json_list,
    "libsvm": libsvm,
    "Parquet, not compressed": lambda n_bytes: saved(parquet.write_table, table(n_bytes)),
    "Arrow, Feather, not compressed": lambda n_bytes: saved(write_arrow, table(n_bytes)),
    ".npz": npz,
    ".npy": npy,
    "ORC, not compressed": lambda n_bytes: saved(write_orc, table(n_bytes)),
    "Stata": lambda n_bytes: of_pyreadstat("write_dta", numbers_and_letters(n_bytes, 1)),
    "SPSS (.sav)": spss,
    "SAS for transport (.xpt)": lambda n_bytes: of_pyreadstat("write_xport", numbers_and_letters(n_bytes, 4)),
    "SQLite": sqlite,
    "DuckDB, not compressed": duckdb,
    "PLINK": plink,
    "ARFF": arff,
    "AnnData (.h5ad), not compressed": anndata,
}


def documented():
    """The bytes of memory for a byte of content, by format."""
    lines = (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("|").split("|") for line in lines if line.startswith("|")]
    table = {row[0].strip(): row[1].strip() for row in rows}
    return {format: int(factor) for format, factor in table.items() if factor.isdecimal()}


def test_every_format_is_measured():
    assert list(documented()) == list(CONTENTS)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of memory is in /proc")
@pytest.mark.parametrize("format", quick_and_slow(CONTENTS, quick={"CSV, TSV"}, reason="a process for each format"))
def test_memory_for_each_byte(tmp_path, format):
    (tmp_path / "small").write_bytes(CONTENTS[format](20_000))
    content = CONTENTS[format](N_BYTES)
    (tmp_path / "large").write_bytes(content)
    if format == "PLINK":
        for name in ("small", "large"):
            write_samples_and_variants(tmp_path / name)
    command = [sys.executable, "-c", READ, str(tmp_path / "small"), str(tmp_path / "large")]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    n_bytes = int(ended.stdout)
    assert n_bytes <= documented()[format] * len(content) + SLACK, n_bytes / len(content)
