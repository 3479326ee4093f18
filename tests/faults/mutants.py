"""Damaged table files: seeded mutations of small files of every format, and a child process that selects from them.

``python -m tests.faults.mutants FIRST LAST`` selects from the damaged files of those numbers, one line a file: its
number, the exit code and the message. What ends the process instead is seen by the parent, :func:`outcomes`.
"""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet
from sklearn.datasets import dump_svmlight_file

ROOT = Path(__file__).parents[2]
_INTERESTING = (0, 1, 0x7F, 0x80, 0xFF)
_WORDS = (0, 1, -1, 2**31 - 1, -(2**31), 2**16, 255)


def _table(n_samples: int = 40) -> pa.Table:
    random = np.random.default_rng(0)
    y = random.integers(0, 3, n_samples)
    words = [None if j % 7 == 3 else "abc"[code] * (1 + j % 20) for j, code in enumerate(y)]
    return pa.table(
        {
            "whole": pa.array(y * 7 + random.integers(0, 3, n_samples)),
            "small": pa.array(random.integers(0, 5, n_samples).astype(np.uint8)),
            "real": pa.array(random.normal(size=n_samples), mask=random.random(n_samples) < 0.1),
            "word": pa.array(words),
            "large": pa.array(words, pa.large_string()),
            "category": pa.array(words).dictionary_encode(),
            "flag": pa.array((y > 1).tolist()),
            "time": pa.array([datetime(2020, 1, 1) + timedelta(hours=int(code)) for code in y]),
            "price": pa.array([Decimal(int(code)) / 4 for code in y], pa.decimal128(9, 2)),
            "y": pa.array(["no", "yes", "perhaps"])[:3].take(pa.array(y)),
        }
    )


def _saved(save) -> bytes:
    file = io.BytesIO()
    save(file)
    return file.getvalue()


@cache
def whole_files() -> list[tuple[str, bytes]]:
    """An undamaged file of every format: what it is and its bytes."""
    table = _table()
    plain = table.select(["whole", "real", "word", "flag", "y"])
    numbers = np.column_stack([table["whole"], table["small"]]).astype(np.int32)
    names = np.array(["whole", "small"])

    def arrow(make, **options):
        def save(file):
            with make(file, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
                writer.write_table(table)

        return save

    def text(delimiter):
        return lambda file: csv.write_csv(plain, file, csv.WriteOptions(delimiter=delimiter))

    pieces = {"data": np.ones(5), "indices": np.arange(5) % 2, "indptr": np.minimum(np.arange(41), 5), "shape": (40, 2)}
    y = (numbers[:, 0] > 6).astype(int)
    savers = {
        "parquet": lambda file: parquet.write_table(table, file),
        "plain parquet": lambda file: parquet.write_table(table, file, compression="none", use_dictionary=False),
        "arrow": arrow(pa.ipc.new_file),
        "compressed arrow": arrow(pa.ipc.new_file, compression="lz4"),
        "arrow stream": arrow(pa.ipc.new_stream),
        "comma": text(","),
        "tab": text("\t"),
        "semicolon": text(";"),
        "gzip": lambda file: file.write(gzip.compress(_saved(text(",")), mtime=0)),
        "json lines": lambda file: file.write("".join(json.dumps(row) + "\n" for row in plain.to_pylist()).encode()),
        "json list": lambda file: file.write(json.dumps(plain.to_pylist()).encode()),
        "libsvm": lambda file: dump_svmlight_file(numbers, y, file, zero_based=False),
        "npz": lambda file: np.savez(file, X=numbers, y=y, feature_names=names),
        "compressed npz": lambda file: np.savez_compressed(file, X=numbers, y=y, feature_names=names),
        "sparse npz": lambda file: np.savez(file, y=y, format="csr", **pieces),
    }
    return [(kind, _saved(save)) for kind, save in savers.items()]


def mutant(number: int) -> tuple[str, bytes]:
    """The damaged file of that number: what it was, and its bytes."""
    random = Random(number)
    kind, whole = random.choice(whole_files())
    if kind.endswith("npz") and random.random() < 0.7:
        return kind, _damaged_member(whole, random)
    return kind, damaged(whole, random)


def damaged(whole: bytes, random: Random) -> bytes:
    data = bytearray(whole)
    for _ in range(random.choice((1, 1, 1, 2, 4, 16))):
        _damage(data, random)
    return bytes(data)


def _damaged_member(whole: bytes, random: Random) -> bytes:
    """An archive of which one array is damaged, and whose checksums agree with that."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as archive, zipfile.ZipFile(file, "w") as new:
        chosen = random.choice(archive.namelist())
        for name in archive.namelist():
            content = archive.read(name)
            head = random.choice((64, 128, len(content)))  # the header, or anything
            new.writestr(name, damaged(content[:head], random) + content[head:] if name == chosen else content)
    return file.getvalue()


def _damage(data: bytearray, random: Random) -> None:
    place = random.randrange(max(1, len(data)))
    what = random.randrange(8)
    if what <= 1:  # one bit
        data[place : place + 1] = bytes(b ^ (1 << random.randrange(8)) for b in data[place : place + 1])
    elif what == 2:
        data[place : place + 1] = bytes([random.choice(_INTERESTING)])
    elif what == 3:  # an aligned little-endian number
        place -= place % 4
        data[place : place + 4] = random.choice(_WORDS).to_bytes(4, "little", signed=True)
    elif what == 4:
        del data[place : place + random.choice((1, 4, 64))]
    elif what == 5:
        data[place:place] = data[place : place + random.choice((1, 4, 64))]
    elif what == 6:
        data[place : place + 8] = random.randbytes(8)
    elif random.random() < 0.3:
        del data[place:]
    else:  # another part of the file
        other = random.randrange(max(1, len(data)))
        data[place : place + 16] = data[other : other + 16]


def select_from(path: Path) -> tuple[int, str]:
    """The exit code of ``bitsieve select`` in this process, and what it wrote to the standard error."""
    from bitsieve.cli import main

    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["select", str(path), "--target", "y", "--method", "mim", "--features", "1", "--missing", "bin"])
    return code, err.getvalue()


def outcomes(first: int, last: int) -> list[tuple[int, int, str]]:
    """Number, exit code (minus the signal that ended the process) and message of the files ``first .. last - 1``."""
    found: list[tuple[int, int, str]] = []
    while first < last:
        child = subprocess.run(
            [sys.executable, "-m", "tests.faults.mutants", str(first), str(last)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=500,
        )
        found += [tuple(json.loads(line)) for line in child.stdout.splitlines()]
        first = found[-1][0] + 1 if found else first
        if first < last:  # the process ended at this one
            found.append((first, child.returncode, child.stderr[-2000:]))
            first += 1
    return found


def _child(first: int, last: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged"
        for number in range(first, last):
            path.write_bytes(mutant(number)[1])
            try:
                code, message = select_from(path)
            except BaseException as error:  # a traceback would have reached the user
                code, message = 99, repr(error)
            print(json.dumps([number, code, message]), flush=True)


if __name__ == "__main__":
    _child(int(sys.argv[1]), int(sys.argv[2]))
