"""Every format, every compression, by a file, a pipe, an address and in batches: the same rows, or refused by name."""

from __future__ import annotations

import bz2
import contextlib
import functools
import gzip
import http.server
import io
import lzma
import os
import sqlite3
import threading
import zipfile
import zlib

import pyarrow as pa
import pytest
from pyarrow import orc
from scipy import sparse
from tests.cover import quick_and_slow
from tests.faults.mutants import whole_files

import bitsieve
from bitsieve.cli import main
from bitsieve.io import read
from bitsieve.io.errors import DataError
from bitsieve.io.read import read_table


def zipped(content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table", content)
    return file.getvalue()


COMPRESSIONS = {
    "plain": lambda content: content,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zip": zipped,
}
ROWS = [(row % 7, row % 3 / 4, row % 2) for row in range(40)]


def save_sqlite(path):
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table t (whole integer, real real, y integer)")
        connection.executemany("insert into t values (?, ?, ?)", ROWS)


def save_duckdb(path):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table t (whole integer, real double, y integer)")
        connection.executemany("insert into t values (?, ?, ?)", ROWS)


def save_workbook(path):
    pytest.importorskip("python_calamine")
    workbook = pytest.importorskip("openpyxl").Workbook()
    for row in [("whole", "real", "y"), *ROWS]:
        workbook.active.append(row)
    workbook.save(path)


def save_orc(path):
    columns = zip(*ROWS, strict=True)
    orc.write_table(pa.table(dict(zip(("whole", "real", "y"), columns, strict=True))), path)


def save_arff(path):
    head = "@relation t\n@attribute whole numeric\n@attribute real numeric\n@attribute y numeric\n@data\n"
    path.write_text(head + "".join(f"{whole},{real},{y}\n" for whole, real, y in ROWS))


def save_spss(path):
    pyreadstat = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    pyreadstat.write_sav(pandas.DataFrame(ROWS, columns=["whole", "real", "y"]), str(path))


SAVERS = {
    "sqlite": save_sqlite,
    "duckdb": save_duckdb,
    "xlsx": save_workbook,
    "orc": save_orc,
    "arff": save_arff,
    "sav": save_spss,
}
CONTENTS = {kind: content for kind, content in whole_files() if kind != "gzip"}
ARRAYS = ("npz", "compressed npz", "sparse npz")
KINDS = [*CONTENTS, *SAVERS]
CASES = [(kind, compression) for kind in KINDS for compression in COMPRESSIONS]
EACH_KIND = {(kind, "gz") for kind in KINDS if kind != "xlsx"}  # another process reads a workbook
EACH_COMPRESSION = {(kind, compression) for kind in ("comma", "libsvm", "npz") for compression in COMPRESSIONS}
ALL_CASES = quick_and_slow(CASES, quick=EACH_KIND | EACH_COMPRESSION, reason="every pair")


@pytest.fixture
def file(tmp_path):
    """``file(kind, compression)`` writes a file of a format, without an ending that says what it is."""

    def write(kind, compression):
        plain = tmp_path / "plain"
        if kind in CONTENTS:
            plain.write_bytes(CONTENTS[kind])
        else:
            SAVERS[kind](plain)
        path = tmp_path / "data"
        path.write_bytes(COMPRESSIONS[compression](plain.read_bytes()))
        return plain, path

    return write


@pytest.fixture
def pipe(tmp_path):
    """``pipe(content)`` is the path of a pipe into which the content is written."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes here")

    def feed(content):
        path = tmp_path / "pipe"
        os.mkfifo(path)
        threading.Thread(target=path.write_bytes, args=[content], daemon=True).start()
        return path

    return feed


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A web server, and the folder that it serves."""
    folder = tmp_path_factory.mktemp("served")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}", folder
        served.shutdown()


def content_of(table):
    """What a table holds, to be compared."""
    if isinstance(table, pa.Table):
        return table.to_pydict()
    X = table.X.toarray() if sparse.issparse(table.X) else table.X
    return X.tolist(), table.y.tolist(), list(table.names)


def assert_equal(selection, expected):
    assert selection.features == expected.features
    assert selection.scores.tolist() == expected.scores.tolist()
    assert selection.relevance.tolist() == expected.relevance.tolist()


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "compression"), ALL_CASES)
def test_a_file(file, kind, compression):
    plain, path = file(kind, compression)
    assert content_of(read_table(path)) == content_of(read_table(plain))


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "compression"), ALL_CASES)
def test_a_pipe(file, pipe, kind, compression):
    plain, path = file(kind, compression)
    assert content_of(read_table(pipe(path.read_bytes()))) == content_of(read_table(plain))


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "compression"), ALL_CASES)
def test_an_address(file, server, kind, compression):
    address, folder = server
    plain, path = file(kind, compression)
    (folder / "data").write_bytes(path.read_bytes())
    assert content_of(read_table(f"{address}/data")) == content_of(read_table(plain))


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "compression"), ALL_CASES)
def test_in_batches(file, kind, compression):
    plain, path = file(kind, compression)
    how = {"n_features_to_select": 1, "method": "mim", "missing": "bin"}
    if kind in ARRAYS:
        with pytest.raises(DataError, match=r"data' is an \.npz file, which is not read in batches"):
            bitsieve.select(path, "y", memory="1GB", **how)
        return
    target = None if kind == "libsvm" else "y"  # its labels are found without a name
    in_batches = bitsieve.select(path, target, memory="1GB", **how)
    assert_equal(in_batches, bitsieve.select(plain, target, **how))


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_sparse_rows_of_a_pipe_in_batches(file, pipe, compression):
    plain, path = file("libsvm", compression)
    in_batches = bitsieve.select(pipe(path.read_bytes()), "y", n_features_to_select=1, memory="1GB")
    assert_equal(in_batches, bitsieve.select(plain, n_features_to_select=1))


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_sparse_rows_at_an_address_in_batches(file, server, compression):
    address, folder = server
    plain, path = file("libsvm", compression)
    name = "t.libsvm" if compression == "plain" else f"t.libsvm.{compression}"
    (folder / name).write_bytes(path.read_bytes())
    in_batches = bitsieve.select(f"{address}/{name}", n_features_to_select=1, memory="1GB")
    assert_equal(in_batches, bitsieve.select(plain, n_features_to_select=1))


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_sorted_columns_of_a_compressed_file_are_kept(file, tmp_path, compression):
    _, path = file("libsvm", compression)
    spool = tmp_path / "spool"
    first = bitsieve.select(path, n_features_to_select=1, spool=spool)
    (kept,) = spool.glob("*/facts.json")
    written = kept.stat().st_mtime_ns
    assert_equal(bitsieve.select(path, n_features_to_select=1, spool=spool), first)
    assert [facts.stat().st_mtime_ns for facts in spool.glob("*/facts.json")] == [written]


def test_counting_needs_columns(file, capsys):
    _, path = file("libsvm", "gz")
    assert main(["count", str(path), "--target", "y", "--save", "counts"]) == 2
    assert "is a libsvm file, which is not read in batches of columns" in capsys.readouterr().err


def zeros(compression):
    """Compressed zeros, 64 MiB of them by gzip."""
    if compression != "gz":
        return COMPRESSIONS[compression](bytes(1 << 24))
    packer = zlib.compressobj(wbits=31)
    block = bytes(1 << 24)
    return b"".join(packer.compress(block) for _ in range(4)) + packer.flush()


@pytest.mark.parametrize("compression", sorted(set(COMPRESSIONS) - {"plain"}))
def test_compressed_zeros_are_refused_before_they_are_copied(tmp_path, monkeypatch, compression):
    path = tmp_path / "zeros"
    path.write_bytes(zeros(compression))
    monkeypatch.setattr(read, "_copy", None)
    with pytest.raises(DataError) as caught:
        read_table(path)
    assert caught.value.code == "not-a-table"


def test_what_is_compressed_twice_is_named(tmp_path):
    path = tmp_path / "t.csv.gz.gz"
    path.write_bytes(gzip.compress(gzip.compress(b"a,y\n1,0\n2,1\n")))
    with pytest.raises(DataError, match="is compressed with gzip") as caught:
        read_table(path)
    assert caught.value.code == "not-a-table"


@pytest.mark.parametrize("kind", ["comma", "libsvm"])
def test_a_file_that_is_replaced_while_it_is_decompressed(file, tmp_path, monkeypatch, kind):
    _, path = file(kind, "gz")
    copy = read._copy

    def copy_and_replace(*arguments):
        copy(*arguments)
        (tmp_path / "other").write_bytes(path.read_bytes())
        (tmp_path / "other").replace(path)

    monkeypatch.setattr(read, "_copy", copy_and_replace)
    for how in ({}, {"memory": "1GB", "spool": tmp_path / "spool"}):
        with pytest.raises(DataError) as caught:
            bitsieve.select(path, "y", **how)
        assert caught.value.code == "data-changed"
    assert not list((tmp_path / "spool").glob("*/facts.json"))
