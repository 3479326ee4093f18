"""Archives, workbooks, names and environments that were made to do harm, or were made without thinking."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import stat
import subprocess
import sys
import threading
import unicodedata
import zipfile

import pyarrow as pa
import pytest
from pyarrow import csv
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.io import read, text
from bitsieve.io.errors import DataError
from bitsieve.io.read import read_table

ROWS = "a,b,y\n" + "".join(f"{row % 3},{row % 5},{row % 2}\n" for row in range(30))


def archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return path


def zipped(content):
    file = io.BytesIO()
    archive(file, [("t.csv", content)])
    return file.getvalue()


@pytest.mark.parametrize("name", ["../../escaped.csv", "/escaped.csv", "..", "C:\\escaped.csv", "a/../../escaped.csv"])
def test_names_that_lead_out_of_an_archive(tmp_path, monkeypatch, name):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    table = read_table(archive(folder / "t.zip", [(name, ROWS)]))
    assert table.column_names == ["a", "b", "y"]
    assert not list(tmp_path.rglob("*escaped*"))


def test_a_link_in_an_archive_is_not_followed(tmp_path):
    (tmp_path / "secret.csv").write_text(ROWS)
    member = zipfile.ZipInfo("t.csv")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(DataError, match="is not a table"):
        read_table(archive(tmp_path / "t.zip", [(member, str(tmp_path / "secret.csv"))]))


def test_archives_in_archives_and_of_many_files(tmp_path):
    path = tmp_path / "t.zip"
    with pytest.raises(DataError, match="is a zip archive without arrays"):
        read_table(archive(path, [("t.zip", zipped(ROWS))]))
    with pytest.raises(DataError, match=r"holds 5,000 files \('m0.csv', .* more\)"):
        read_table(archive(path, [(f"m{j}.csv", ROWS) for j in range(5000)]))


ENTITIES = "".join(f'<!ENTITY e{j} "{f"&e{j - 1};" * 10}">' for j in range(1, 10))
DOCUMENT_TYPES = {
    "a bomb": (f'<!DOCTYPE t [<!ENTITY e0 "lol">{ENTITIES}]>', "&e9;"),
    "a local file": ('<!DOCTYPE t [<!ENTITY e SYSTEM "file:///etc/passwd">]>', "&e;"),
}


@pytest.mark.parametrize("kind", DOCUMENT_TYPES)
def test_entities_of_xml_in_a_workbook_are_refused(tmp_path, kind):
    pytest.importorskip("python_calamine")
    workbook = pytest.importorskip("openpyxl").Workbook()
    for row in [("a", "y"), *((f"word{row % 3}", row % 2) for row in range(6))]:
        workbook.active.append(row)
    workbook.save(tmp_path / "plain.xlsx")
    document_type, reference = DOCUMENT_TYPES[kind]
    with zipfile.ZipFile(tmp_path / "plain.xlsx") as plain:
        members = {name: plain.read(name).decode() for name in plain.namelist()}
    name = next(name for name, content in members.items() if "word0" in content)
    before, root, after = members[name].partition("<sst" if "<sst" in members[name] else "<worksheet")
    members[name] = before + document_type + root + after.replace("word0", reference)
    with pytest.raises(DataError, match=f"unrecognized entity `{reference}`"):
        read_table(archive(tmp_path / "t.xlsx", members.items()))


NAMES_OF_OPEN_DOCUMENTS = "urn:oasis:names:tc:opendocument:xmlns"
MANIFEST = f"""<manifest:manifest xmlns:manifest="{NAMES_OF_OPEN_DOCUMENTS}:manifest:1.0"><manifest:file-entry
manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>"""


def open_document(path, document_type, word):
    """Write an OpenDocument table of two columns, in which a word stands."""
    table = ""
    for row in [("a", "y"), (word, "0"), ("word", "1")]:
        paragraphs = [f"<text:p>{value}</text:p>" for value in row]
        cells = [
            f'<table:table-cell office:value-type="string">{paragraph}</table:table-cell>' for paragraph in paragraphs
        ]
        table += f"<table:table-row>{''.join(cells)}</table:table-row>"
    declared = " ".join(f'xmlns:{name}="{NAMES_OF_OPEN_DOCUMENTS}:{name}:1.0"' for name in ("office", "table", "text"))
    content = f"""<?xml version="1.0" encoding="UTF-8"?>{document_type}<office:document-content {declared}><office:body>
    <office:spreadsheet><table:table table:name="t">{table}</table:table></office:spreadsheet></office:body>
    </office:document-content>"""
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return archive(path, [("mimetype", kind), ("META-INF/manifest.xml", MANIFEST), ("content.xml", content)])


@pytest.mark.parametrize(
    "kind", quick_and_slow(DOCUMENT_TYPES, quick={"a bomb"}, reason="refused by the document type, as a bomb is")
)
def test_entities_of_xml_in_an_open_document_are_refused(tmp_path, kind):
    pytest.importorskip("python_calamine")
    assert read_table(open_document(tmp_path / "t.ods", "", "word")).num_rows == 2
    with pytest.raises(DataError) as caught:
        read_table(open_document(tmp_path / "t.ods", *DOCUMENT_TYPES[kind]))
    assert caught.value.code == "cannot-read"


def test_names_that_are_equal_after_normalisation_are_two_columns(tmp_path):
    composed, decomposed = "\u00e9", unicodedata.normalize("NFD", "\u00e9")
    (tmp_path / "t.csv").write_text(ROWS.replace("a,b", f"{composed},{decomposed}"), encoding="utf-8")
    selection = bitsieve.select(tmp_path / "t.csv", "y", exclude=[composed], method="mim")
    assert selection.features == [decomposed]


@pytest.mark.parametrize("kind", ["CSV", "Arrow"])
def test_many_columns_of_one_name(tmp_path, kind):
    n_columns = 20_000
    table = pa.table([pa.array([1, 2])] * n_columns, names=["a"] * n_columns)
    path = tmp_path / "t"
    if kind == "CSV":
        csv.write_csv(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    diagnostics = []
    names = read_table(path, header=True, diagnostics=diagnostics).column_names
    assert names == ["a", *(f"a.{j}" for j in range(1, n_columns))]
    assert [diagnostic.code for diagnostic in diagnostics] == ["columns-renamed"]


@pytest.mark.parametrize("packer", [gzip, lzma])
def test_zeros_behind_a_good_head_are_refused_by_the_size_of_the_file(tmp_path, monkeypatch, packer):
    monkeypatch.setattr(read, "MIN_EXPANDED_BYTES", 1 << 21)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / "t.csv.packed"
    path.write_bytes(packer.compress((ROWS + "0,0,0\n" * 1000).encode() + bytes(1 << 22)))
    with pytest.raises(DataError, match=r"larger than .* GB and than 128 times the file") as caught:
        read_table(path)
    assert caught.value.code == "content-too-large"
    assert {copy.name for copy in tmp_path.glob("bitsieve-*/*")} <= {"lock"}


def test_a_text_of_many_letters_is_read(tmp_path):
    rows = [f"x,{'w' * 2_000_000},0\n", *(f"{row % 3},{row % 5},{row % 2}\n" for row in range(40))]
    (tmp_path / "t.csv").write_text("a,b,y\n" + "".join(rows))
    selection = bitsieve.select(tmp_path / "t.csv", "y", method="mim")
    assert set(selection.features) == {"a", "b"}


ENVIRONMENTS = {
    "nothing": {},
    "LANG=C": {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "no home": {"HOME": "/no/such/folder"},
    "no temporary folder": {"TMPDIR": "/no/such/folder"},
}


@pytest.mark.skipif(os.name == "nt", reason="umask and LANG are of Unix")
@pytest.mark.parametrize(
    "environment", quick_and_slow(ENVIRONMENTS, quick={"nothing"}, reason="a process of another environment")
)
def test_environments(tmp_path, environment):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(ROWS.replace("a,b", "\u00e9,b").encode()))
    words = ["select", "t.csv.gz", "-t", "y", "--method", "mim", "--memory", "1GB", "--output", "out.csv"]
    code = "import os, sys; os.umask(0o077); from bitsieve.cli import main; sys.exit(main(sys.argv[1:]))"
    ended = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=tmp_path,
        env=ENVIRONMENTS[environment],
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(b"rank")
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o600


def test_two_runs_share_a_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "RANGE_BYTES", 500)
    (tmp_path / "t.csv").write_text(ROWS)
    expected = bitsieve.select(tmp_path / "t.csv", "y", method="mim").features
    found = []

    def select():
        found.append(bitsieve.select(tmp_path / "t.csv", "y", method="mim", spool=tmp_path / "spool").features)

    threads = [threading.Thread(target=select) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4
    assert len(list((tmp_path / "spool").glob("*/facts.json"))) == 1
