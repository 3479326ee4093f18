"""What fuzzing calls with bytes: each target ends as it should, or raises an error that ends the fuzzing.

A target of a reader reads the bytes as a file of one format, whatever they begin with. The target of workbooks takes
them as the cells of a sheet, and that of checkpoints as one array of a finished fold: archives of which the bytes are
a part, as random changes of an archive are found by its checksums. Two targets cut the bytes at zeros into words, which
are the names of columns or the words of a command; the target of native calls takes them as the number of an argument
of a call and its new value.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sqlite3
import subprocess
import tempfile
import time
import zipfile
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import orc
from tests.faults.mutants import whole_files
from tests.native.good_calls import GOOD, GUARD, entry_points, owners, packed
from tests.native.test_arguments import REFUSALS, SCALARS, unharmed
from tests.sas_files import LAYOUTS, sas_file

import bitsieve
from bitsieve import _native
from bitsieve.cli import main
from bitsieve.io import process
from bitsieve.io.column_file import InputFile
from bitsieve.io.errors import DataError, readable
from bitsieve.io.formats import FORMATS
from bitsieve.io.npz import ArrayFile
from bitsieve.io.read import read_table
from bitsieve.results.saved.read import record_of_bytes
from bitsieve.results.saved.write import text_of_record
from bitsieve.results.selection import record_of, selection_of_record

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

COMMANDS = ("select", "compare", "count", "sql", "explain", "apply", "methods", "information", "interactions")
#: Options of the command that write no file and start no long work.
OPTIONS = (
    *("--target", "-t", "--method", "--features", "-k", "--binning", "--bins", "--missing", "--exclude", "--include"),
    *("--memory", "--weight", "--group", "--header", "--no-header", "--json", "--stop", "--column-type", "--table"),
    *("--no-repair", "--threads", "--screen", "--identifiers", "--param", "--target-bins", "--engine", "--no-such"),
)
READER_KEYS = (
    *("parquet", "text", "libsvm", "json", "arrow", "orc", "npz", "npy", "arff"),
    *("dta", "sas7bdat", "xport", "sav", "sqlite", "duckdb"),
)


@cache
def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """The folder of the files that targets read, removed at the end of the process."""
    return tempfile.TemporaryDirectory(prefix="bitsieve-fuzzing-")


def temporary_path(name: str) -> Path:
    return Path(temporary_folder().name) / name


def check_error(error: bitsieve.UserError, codes: Container[str] | None = None) -> None:
    """Check that an error is one line, and has one of these codes."""
    assert str(error).isprintable(), error.code
    assert codes is None or error.code in codes, error.code


def read_as(key: str, content: bytes, name: str = "input") -> None:
    """Read the bytes as a file of a format and of a name."""
    format = next(format for format in FORMATS if format.key == key)
    path = temporary_path(name)
    path.write_bytes(content)
    try:
        with readable(path):
            opened = format.open(InputFile.of_path(path), [])
            if isinstance(opened, ArrayFile):
                opened.read()
            else:
                list(opened.batches(rows=None))
    except bitsieve.UserError as error:
        check_error(error)


def read_genotypes(content: bytes) -> None:
    """Read the bytes as the genotypes of four samples and two variants."""
    temporary_path("genes.fam").write_text("".join(f"f s{row} 0 0 1 {1 + row % 2}\n" for row in range(4)))
    temporary_path("genes.bim").write_text("".join(f"1\trs{column}\t0\t{column}\tA\tG\n" for column in range(2)))
    read_as("plink", content, "genes.bed")


def read_any(content: bytes) -> None:
    """Read the bytes as a file of the format that its content shows."""
    path = temporary_path("any")
    path.write_bytes(content)
    try:
        read_table(path, diagnostics=[])
    except DataError as error:
        check_error(error)


CELLS = "xl/worksheets/sheet1.xml"


@cache
def workbook() -> dict[str, bytes]:
    """The members of a workbook."""
    file = io.BytesIO()
    pd.DataFrame({"a": [1.5, 2, 3], "b": ["x", None, "z"], "y": [True, False, True]}).to_excel(file, index=False)
    return members_of(file)


def members_of(file: io.BytesIO) -> dict[str, bytes]:
    """The content of every member of an archive, by its name."""
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archive_of(members: Mapping[str, bytes]) -> bytes:
    """An archive of these members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


SECONDS_OF_FORK = 0.5  # after which a fork that reads a file is killed


def run_in_fork(command: Sequence[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
    """What ``subprocess.run`` returns of the process that reads a file, run in a fork: it starts in no time."""
    module, *arguments = command[command.index("-c") + 3 :]
    errors = temporary_path("errors")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with open(errors, "w") as file:
                os.dup2(file.fileno(), 2)
            for signal_number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGALRM):
                signal.signal(signal_number, signal.SIG_DFL)  # in place of what fuzzing does at the end of a process
            import_module(module).main(*arguments)
            code = 0
        except BaseException as error:
            os.write(2, str(error).encode(errors="replace"))
        finally:
            os._exit(code)
    deadline = time.monotonic() + SECONDS_OF_FORK
    ended, status = os.waitpid(child, os.WNOHANG)
    while not ended and time.monotonic() < deadline:
        time.sleep(0.001)
        ended, status = os.waitpid(child, os.WNOHANG)
    if not ended:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise subprocess.TimeoutExpired(command, SECONDS_OF_FORK)
    return subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(status), b"", errors.read_bytes())


def read_workbook(content: bytes) -> None:
    """Read a workbook whose cells are the bytes, by calamine."""
    with patch.object(process.subprocess, "run", run_in_fork):
        read_as("excel", archive_of(workbook() | {CELLS: content}))


def read_cells(content: bytes) -> None:
    """Read the bytes as a file of AnnData."""
    with patch.object(process.subprocess, "run", run_in_fork):
        read_as("h5ad", content)


@cache
def finished_comparison() -> dict[str, bytes]:
    """The files of the folds of a comparison that is finished."""
    folder = temporary_path("finished")
    compare_from(folder)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def compare_from(folder: Path) -> None:
    """Compare two methods over two folds; finished ones are those in the folder."""
    table = pd.DataFrame({"a": [0, 1, 2, 3] * 10, "b": [0, 1] * 20, "y": [0, 0, 1, 1] * 10})
    bitsieve.compare(table, "y", methods=["mim", "jmi"], features=[1], classifier="ncm", folds=2, checkpoint=folder)


def resume_comparison(content: bytes) -> None:
    """Go on with a comparison. One array of a finished fold is the bytes after the first, which gives its number."""
    if not content:
        return
    folder = temporary_path("resumed")
    folder.mkdir(exist_ok=True)
    for name, file in finished_comparison().items():
        members = members_of(io.BytesIO(file))
        damaged_member = sorted(members)[content[0] % len(members)]
        (folder / name).write_bytes(archive_of(members | {damaged_member: content[1:]}))
    try:
        compare_from(folder)
    except bitsieve.UserError as error:
        check_error(error, {"damaged-file", "other-comparison"})


def load_selection(content: bytes) -> None:
    """Load the bytes as a saved selection."""
    try:
        selection_of_record(record_of_bytes(content, "saved.json"))
    except bitsieve.UserError as error:
        check_error(error, {"damaged-file", "not-saved-selection", "newer-selection"})


READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


def run_statement(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Make the statement that counts a table of these columns and ``y``, the last one, and run it: it only reads."""
    path = temporary_path("t.db")
    path.unlink(missing_ok=True)
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"create table t ({quoted})")
        connection.executemany(f"insert into t values ({', '.join('?' * len(names))})", rows)
    code, output, errors = run_command(["sql", str(path), "--target", "y", "--missing", "bin"])
    assert code == 0, (names, errors)
    denied = []

    def authorize(action: int, *_: Any) -> int:
        if action in READING:
            return sqlite3.SQLITE_OK
        denied.append(action)
        return sqlite3.SQLITE_DENY

    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.set_authorizer(authorize)
        counted = connection.execute(output).fetchall()
    assert not denied, names
    assert counted, names


def run_command(words: Sequence[str]) -> tuple[int, str, str]:
    """The exit code of the command of these words, and what it wrote to the standard output and error."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = main(words)
    assert code in (0, 2), (code, words, errors.getvalue())
    assert "Traceback" not in errors.getvalue(), words
    return code, output.getvalue(), errors.getvalue()


def words_of(content: bytes) -> list[str]:
    return content.decode("utf-8", "replace").split("\0")


def statement_of_words(content: bytes) -> None:
    """Name columns by the words of the bytes, and count them by a statement."""
    names = list({word[:20].lower(): None for word in words_of(content)[:4]} | {"y": None})
    names.remove("y")
    rows = [[*(f"v{name}v{row % 3}" for name in names), row % 2] for row in range(30)]  # words that are no numbers
    if names:
        run_statement([*names, "y"], rows)


@cache
def small_table() -> str:
    """The path of a table of three columns."""
    path = temporary_path("t.csv")
    path.write_text("a,b,y\n" + "".join(f"{row % 3},{row % 5},{row % 2}\n" for row in range(30)))
    return str(path)


def command_of_words(content: bytes) -> None:
    """Run a command whose words follow its name. No word names a file but the table, and no option writes one."""
    command, *words = words_of(content)
    if command not in COMMANDS:
        return
    words = [word.replace("/", "") for word in words[:8]]
    run_command([command, small_table(), *(word for word in words if word in OPTIONS or not word.startswith("-"))])


@cache
def arguments_of_calls() -> list[tuple[str, int, int]]:
    """The name of every entry point of the extension, with the number of a good call and of one of its arguments."""
    return [
        (name, number, index)
        for name in entry_points()
        for number, make in enumerate(GOOD[name])
        for index in range(len(make()))
    ]


def new_argument(argument: Any, content: bytes) -> Any:
    """An argument of another value: numbers made of bytes, more or fewer than before where the first byte is odd."""
    if isinstance(argument, list):
        return [new_argument(argument[0], content), *argument[1:]] if argument else content
    if not isinstance(argument, np.ndarray):
        return SCALARS[content[0] % len(SCALARS)] if len(content) % 2 else int.from_bytes(content[:2], signed=True)
    size = content[0] if content[0] % 2 else argument.size
    memory = content[1:].ljust(size * argument.itemsize, b"\0")
    numbers = np.frombuffer(memory, argument.dtype, size).copy()
    return numbers if content[0] % 2 else numbers.reshape(argument.shape)


def call_natively(content: bytes) -> None:
    """Call an entry point of the extension with one argument that is made of the bytes."""
    if len(content) < 3:
        return
    name, number, index = arguments_of_calls()[int.from_bytes(content[:2]) % len(arguments_of_calls())]
    arguments = list(GOOD[name][number]())
    others = [argument for other, argument in enumerate(arguments) if other != index]
    arguments[index] = new_argument(arguments[index], content[2:])
    owner, _, method = name.partition(".")
    call = entry_points()[name]
    if method == "__init__":
        call = getattr(_native, owner)
    elif method:
        table = packed() if method == "pack" else owners(owner)[0]
        arguments.insert(0, table)
    with contextlib.suppress(*REFUSALS):
        call(*arguments)
    outputs = [array for array in others if isinstance(array, np.ndarray) and array.base is not None]
    guarded = [array for array in outputs if array.base.ndim == 1 and len(array.base) > 2 * GUARD]
    assert all(unharmed(array) for array in guarded if array.base[0] == 77), name


TARGETS: dict[str, Callable[[bytes], None]] = {
    **{f"read-{key}": partial(read_as, key) for key in READER_KEYS},
    "read-excel": read_workbook,
    "read-h5ad": read_cells,
    "read-plink": read_genotypes,
    "read-any": read_any,
    "selections": load_selection,
    "checkpoints": resume_comparison,
    "statements": statement_of_words,
    "commands": command_of_words,
    "native": call_natively,
}
#: The package whose branches guide the fuzzing of a target; nothing guides that of native calls.
GUIDES = {
    **{f"read-{key}": "bitsieve.io" for key in READER_KEYS},
    "read-excel": "bitsieve.io",
    "read-h5ad": "bitsieve.io",
    "read-plink": "bitsieve.io",
    "read-any": "bitsieve.io",
    "selections": "bitsieve.results",
    "checkpoints": "bitsieve.evaluate",
    "statements": "bitsieve.engines",
    "commands": "bitsieve.cli",
    "native": "",
}
ARFF = b"% a comment\n@RELATION t\n@ATTRIBUTE a REAL\n@ATTRIBUTE y {no,yes}\n@DATA\n1.5,no\n?,yes\n"
KINDS_OF_FILES = {
    "read-parquet": ("parquet", "plain parquet"),
    "read-text": ("comma", "tab", "semicolon"),
    "read-libsvm": ("libsvm",),
    "read-json": ("json lines", "json list"),
    "read-arrow": ("arrow", "compressed arrow", "arrow stream"),
    "read-npz": ("npz", "compressed npz", "sparse npz"),
    "read-any": ("gzip", "comma", "json lines", "npz"),
}


#: The function of pyreadstat that writes a file; none writes a file of SAS but for transport.
STATISTICS = {"read-dta": "write_dta", "read-xport": "write_xport", "read-sav": "write_sav"}


def statistics_file(writer: str) -> bytes:
    """A file that pyreadstat writes."""
    path = temporary_path("statistics")
    table = pd.DataFrame({"a": [1.5, 2.0, np.nan], "b": ["x", "", "z"], "y": [0.0, 1.0, 1.0]})
    getattr(pytest.importorskip("pyreadstat"), writer)(table, str(path))
    return path.read_bytes()


def duckdb_file() -> bytes:
    """A database of DuckDB with one table."""
    path = temporary_path("written.duckdb")
    path.unlink(missing_ok=True)
    with pytest.importorskip("duckdb").connect(str(path)) as connection:
        connection.execute("create table t as select range as a, 'x' as b, range % 2 as y from range(9)")
    return path.read_bytes()


def cells_file(version: str) -> bytes:
    """A file of AnnData of a version of HDF5, with a sparse matrix of three cells and two genes."""
    h5py = pytest.importorskip("h5py")
    content = io.BytesIO()
    with h5py.File(content, "w", libver=version) as file:
        matrix = file.create_group("X")
        matrix.attrs.update({"encoding-type": "csr_matrix", "shape": (3, 2)})
        matrix.create_dataset("data", data=np.array([1.0, 2.0, 1.0]), chunks=(3,), compression="gzip")
        matrix["indices"] = np.array([0, 1, 1], np.int32)
        matrix["indptr"] = np.array([0, 1, 2, 3])
        for name, labels in (("obs", ["c0", "c1", "c2"]), ("var", ["a", "b"])):
            table = file.create_group(name)
            table.attrs["_index"] = "_index"
            table.create_dataset("_index", data=labels, dtype=h5py.string_dtype())
        file["obs/y/codes"] = np.array([0, 1, -1], np.int8)
        file["obs"].create_dataset("y/categories", data=["no", "yes"], dtype=h5py.string_dtype())
        file["obs/size/values"] = np.arange(3)
        file["obs/size/mask"] = np.array([False, True, False])
    return content.getvalue()


def seeds(target: str) -> list[bytes]:
    """Undamaged inputs of a target, which are made anew each time."""
    if target in KINDS_OF_FILES:
        files = dict(whole_files())
        return [files[kind] for kind in KINDS_OF_FILES[target]]
    if target == "read-orc":
        file = io.BytesIO()
        orc.write_table(pa.table({"a": [1, 2, 3], "b": ["x", None, "z"], "y": [0, 1, 1]}), file)
        return [file.getvalue()]
    if target == "read-arff":
        return [ARFF]
    if target == "read-sas7bdat":
        columns = {"a": [1.0, 2.5, None], "b": ["x", "", "z"], "y": [0.0, 1.0, 1.0]}
        return [sas_file(columns, layout) for layout in LAYOUTS]
    if target in STATISTICS:
        return [statistics_file(STATISTICS[target])]
    if target == "read-npy":
        file = io.BytesIO()
        np.save(file, np.arange(12.0).reshape(4, 3))
        return [file.getvalue()]
    if target == "read-plink":
        return [b"\x6c\x1b\x01\x1b\xe4"]
    if target == "read-excel":
        return [workbook()[CELLS]]
    if target == "read-duckdb":
        return [duckdb_file()]
    if target == "read-h5ad":
        return [cells_file("latest"), cells_file("earliest")]
    if target == "checkpoints":
        members = members_of(io.BytesIO(next(iter(finished_comparison().values()))))
        return [bytes([number]) + members[name] for number, name in enumerate(sorted(members))]
    if target == "read-sqlite":
        with contextlib.closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("create table t (a integer, b text, y)")
            connection.executemany("insert into t values (?, ?, ?)", [(1, "x", 0), (2, None, 1)])
            connection.commit()
            return [connection.serialize()]
    if target == "selections":
        table = pd.DataFrame({"a": range(40), "b": list("xyxz") * 10, "c": ["1 %", "2 %"] * 20, "y": [0, 1] * 20})
        return [text_of_record(record_of(bitsieve.select(table, "y", n_features_to_select=2))).encode()]
    if target == "statements":
        return [b'a\0b"c\0d e', b"a'--\0[b]\0c;\0\xc3\xa9"]
    if target == "commands":
        commands = [[command, "--target", "y"] for command in COMMANDS]
        commands += [["select", "--target", "y", option, "2"] for option in OPTIONS]
        return ["\0".join(command).encode() for command in commands]
    return [number.to_bytes(2) + bytes(range(40)) for number in range(len(arguments_of_calls()))]
