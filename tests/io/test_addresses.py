"""Files behind addresses: in an object store that answers as S3 does, and on a web server, both of this machine."""

from __future__ import annotations

import contextlib
import functools
import http.server
import os
import threading
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, fs, parquet
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.io import addresses
from bitsieve.io import web as web_files
from bitsieve.io.errors import DataError
from bitsieve.io.read import read_table


def rows(n=80):
    random = np.random.default_rng(4)
    y = random.integers(0, 2, n)
    return pa.table({"a": np.round(random.normal(size=n) + y, 2), "few": random.integers(0, 3, n), "y": y})


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """An object store with a bucket of files; nothing but the addresses is asked of the user."""
    server_of = pytest.importorskip("moto.server").ThreadedMotoServer
    boto3 = pytest.importorskip("boto3")
    folder = tmp_path_factory.mktemp("store")
    server = server_of(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    place = "http://{}:{}".format(*server.get_host_and_port())
    names = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**names, "AWS_ENDPOINT_URL": place}.items():
            patch.setenv(name, value)
        csv.write_csv(rows(), folder / "t.csv")
        parquet.write_table(rows(), folder / "t.parquet")
        client = boto3.client("s3", endpoint_url=place)
        client.create_bucket(Bucket="bucket")
        for key in "t.csv", "t.parquet", "parts/of=1/t.csv", "parts/of=2/t.csv":
            client.upload_file(str(folder / key.rpartition("/")[2]), "bucket", key)
        yield
    server.stop()


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """The address of a web server with a file."""
    folder = tmp_path_factory.mktemp("web")
    csv.write_csv(rows(), folder / "t.csv")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class HostileHandler(http.server.BaseHTTPRequestHandler):
    """Answers that a broken or hostile server may give; the path says which."""

    def log_message(self, *_):
        pass

    def do_GET(self):  # http.server gives the name
        answers = {
            "/short": self.send_short,
            "/drip": self.send_a_byte_at_a_time,
            "/part": self.send_part,
            "/other-scheme": lambda: self.redirect("ftp://127.0.0.1/t.csv"),
            "/file": lambda: self.redirect("file:///etc/passwd"),
            "/private": lambda: self.redirect(f"http://127.0.0.1:{self.server.server_port}/t.csv"),
            "/silent": lambda: self.server.is_done.wait(60),
        }
        answers.get(self.path, self.send_rows)()

    def send_rows(self):
        self.send_head(200, len(TEXT))
        self.wfile.write(TEXT)

    def send_short(self):
        self.send_head(200, len(TEXT))
        self.wfile.write(TEXT[: TEXT.index(b"\n", len(TEXT) // 2) + 1])
        self.wfile.flush()

    def send_part(self):
        self.send_head(206, len(TEXT) // 2)
        self.wfile.write(TEXT[: len(TEXT) // 2])

    def send_a_byte_at_a_time(self):
        self.send_head(200, 10**9)
        with contextlib.suppress(OSError):
            while not self.server.is_done.wait(0.05):
                self.wfile.write(b"1")
                self.wfile.flush()

    def redirect(self, address):
        self.send_response(302)
        self.send_header("Location", address)
        self.end_headers()

    def send_head(self, status, length):
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.end_headers()


TEXT = b"a,few,y\n" + b"".join(b"%d,%d,%d\n" % (row % 7, row % 3, row % 2) for row in range(1000))


@pytest.fixture(scope="module")
def hostile():
    """The address of a server of :class:`HostileHandler`."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), HostileHandler) as server:
        server.daemon_threads = True
        server.is_done = threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.is_done.set()
        server.shutdown()


def code_of(where):
    """The code of the error with which reading ends; its message is one line and names the address."""
    with pytest.raises(DataError) as caught:
        read_table(where)
    assert "\n" not in str(caught.value)
    assert repr(where) in str(caught.value)
    assert "bitsieve-spool" not in str(caught.value)
    return caught.value.code


def test_a_download_that_is_cut_short(hostile):
    assert code_of(f"{hostile}/short") == "incomplete-download"


@pytest.mark.parametrize("answer", ["part", "other-scheme", "file"])
def test_answers_that_are_not_the_file(hostile, answer):
    assert code_of(f"{hostile}/{answer}") == "cannot-read"


@pytest.mark.parametrize("answer", ["drip", "silent"])
def test_a_server_without_progress(hostile, answer, monkeypatch):
    monkeypatch.setenv("BITSIEVE_TIMEOUT", "0.3")
    assert code_of(f"{hostile}/{answer}") == "cannot-read"


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_a_timeout_that_is_no_time(hostile, seconds, monkeypatch):
    monkeypatch.setenv("BITSIEVE_TIMEOUT", seconds)
    with pytest.raises(DataError) as caught:
        read_table(f"{hostile}/t.csv")
    assert caught.value.code == "bad-timeout"


def test_a_redirect_from_a_public_to_a_private_address(hostile, monkeypatch):
    assert read_table(f"{hostile}/private").num_rows == 1000  # from one private address to another
    public = hostile.replace("127.0.0.1", "localhost")
    monkeypatch.setattr(web_files, "is_private_host", lambda host: host == "127.0.0.1")
    assert code_of(f"{public}/private") == "cannot-read"


def test_private_hosts():
    for host in "127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "::1", "fd00::1", "localhost":
        assert web_files.is_private_host(host)
    for host in "8.8.8.8", "2001:4860:4860::8888":
        assert not web_files.is_private_host(host)


@pytest.mark.parametrize("path", ["..", ".", "a/..", "%2e%2e", "..%2f..%2fx", "x" * 300, "%00"])
def test_an_address_whose_name_is_none(hostile, path):
    assert read_table(f"{hostile}/{path}").num_rows == 1000


def test_the_address_of_a_file_of_this_machine(tmp_path):
    path = tmp_path / "a b"
    path.mkdir()
    csv.write_csv(rows(), path / "t.csv")
    assert read_table((path / "t.csv").as_uri()).equals(rows())
    assert bitsieve.select((path / "t.csv").as_uri(), "y").features == bitsieve.select(rows(), "y").features
    assert read_table(path.as_uri()).equals(rows())


@pytest.mark.parametrize("name", ["../../x.csv", "/x.csv", "a//x.csv", "./x.csv"])
def test_a_stored_name_that_leads_out_of_its_folder(name):
    with pytest.raises(DataError) as caught:
        addresses._name_in_folder(f"bucket/folder/{name}", "bucket/folder", "s3://bucket/folder")
    assert caught.value.code == "unsafe-name"


def test_a_stored_file_that_changes_while_it_is_copied(tmp_path):
    path = tmp_path / "t.csv"
    csv.write_csv(rows(), path)
    system = fs.LocalFileSystem()
    info = system.get_file_info(str(path))
    file = addresses._StoredFile(system, str(path), info.size, info.mtime_ns)
    file.check(info.size, "s3://bucket/t.csv")
    with pytest.raises(DataError) as caught:
        file.check(info.size - 1, "s3://bucket/t.csv")
    assert caught.value.code == "incomplete-download"
    os.utime(path, ns=(0, 0))
    with pytest.raises(DataError) as caught:
        file.check(info.size, "s3://bucket/t.csv")
    assert caught.value.code == "data-changed"


@pytest.mark.parametrize("how", [{}, {"memory": "1GB"}], ids=str)
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_file_of_a_store(store, name, how):
    found, expected = bitsieve.select(f"s3://bucket/{name}", "y", **how), bitsieve.select(rows(), "y")
    assert found.features == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()


NAMES = [
    "with blank.csv",
    "Größe.csv",
    "a#b.csv",
    "what?.csv",
    "a+b&c=d;e.csv",
    "50%25.csv",
    "[1].csv",
    "100 %.csv",
    "q?region.csv",
]


@pytest.mark.parametrize("name", quick_and_slow(NAMES, quick=NAMES[:5], reason="further letters that addresses escape"))
def test_a_key_of_any_letters(store, tmp_path, name):
    client = pytest.importorskip("boto3").client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    csv.write_csv(rows(), tmp_path / "t.csv")
    client.upload_file(str(tmp_path / "t.csv"), "bucket", f"keys of all/{name}")
    assert read_table(f"s3://bucket/keys of all/{name}").equals(rows())
    assert read_table(f"s3://bucket/{quote(f'keys of all/{name}')}").equals(rows())
    assert read_table(f"s3://bucket/keys of all/{name}?region=us-east-1").equals(rows())


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_any_letters_in_memory(tmp_path, name):
    system = pytest.importorskip("fsspec").filesystem("memory")
    csv.write_csv(rows(), tmp_path / "t.csv")
    system.put(str(tmp_path / "t.csv"), f"/keys/{name}")
    assert read_table(f"memory://keys/{name}").equals(rows())
    assert read_table(f"memory://keys/{quote(name)}").equals(rows())


def test_a_name_as_it_is_written_comes_before_its_decoded_form(tmp_path):
    system = pytest.importorskip("fsspec").filesystem("memory")
    system.pipe({"/both/a%20b.csv": b"a,y\n1,2\n", "/both/a b.csv": b"a,y\n3,4\n"})
    assert read_table("memory://both/a%20b.csv").to_pydict() == {"a": [1], "y": [2]}
    assert read_table("memory://both/a b.csv").to_pydict() == {"a": [3], "y": [4]}


def test_a_folder_of_a_store(store):
    table = read_table("s3://bucket/parts")
    assert table.num_rows == 160
    assert table["of"].to_pylist() == [1] * 80 + [2] * 80


@pytest.mark.parametrize("where", ["s3://bucket/none.csv", "s3://nobody-has-this/t.csv", "unknown://host/t.csv"])
def test_what_a_store_does_not_give_is_one_line(store, where):
    with pytest.raises(DataError, match=rf"^cannot read '{where}': [^\n]*$"):
        bitsieve.select(where, "y")


def test_a_file_of_the_web(web):
    assert read_table(f"{web}/t.csv").equals(rows())
    with pytest.raises(DataError, match=rf"^cannot read '{web}/none.csv': HTTP Error 404: [^\n]*$"):
        read_table(f"{web}/none.csv")


def test_a_server_that_is_not_there():
    with pytest.raises(DataError, match=r"^cannot read 'http://127.0.0.1:1/t.csv': [^\n]*refused"):
        read_table("http://127.0.0.1:1/t.csv")


@pytest.mark.slow("waits for a store that does not answer")
def test_no_credentials_are_one_line(store, monkeypatch):
    boto = pytest.importorskip("boto3")
    del boto
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    with pytest.raises(DataError, match=r"^cannot read 's3://bucket/t.csv': [^\n]*$"):
        read_table("s3://bucket/t.csv")
