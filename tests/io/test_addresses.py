"""Files behind addresses: in an object store that answers as S3 does, and on a web server, both of this machine."""

from __future__ import annotations

import functools
import http.server
import threading

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import bitsieve
from bitsieve.io.addresses import address
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


def test_what_is_an_address():
    assert address("s3://bucket/t.csv") == address("s3:/bucket/t.csv") == "s3://bucket/t.csv"
    assert address("HTTPS://host/t.csv?a=b") == "https://host/t.csv?a=b"
    for path in "t.csv", "/a/b.csv", "c:/t.csv", "s3:/", "a:b", ["s3://bucket/t.csv"]:
        assert address(path) is None


@pytest.mark.parametrize("how", [{}, {"memory": "1GB"}], ids=str)
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_file_of_a_store(store, name, how):
    found, expected = bitsieve.select(f"s3://bucket/{name}", "y", **how), bitsieve.select(rows(), "y")
    assert found.features == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()


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
