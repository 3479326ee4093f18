"""bitsieve on a Dask cluster of this machine."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from bitsieve.dataset.read import read_data
from bitsieve.discretization.registry import make_binner
from bitsieve.engines.dask import FilesOnCluster
from bitsieve.information import make_information
from bitsieve.methods.by_counts.criteria import make_criterion
from bitsieve.methods.by_counts.forward import forward_select
from bitsieve.options import ReadOptions

PARTS = 16


def jmi(codes, classes):
    """JMI of a Parquet file of codes: by the workers of a cluster, or in this process where there are none."""
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "codes.parquet"
    columns = {f"f{j}": codes[:, j] for j in range(codes.shape[1])}
    rows = -(-len(codes) // PARTS)
    parquet.write_table(pa.table({**columns, "class": classes}), path, row_group_size=rows, compression="zstd")
    clients = {}

    def run(k, workers):
        assert folder.name  # held as long as the function is
        if workers and workers not in clients:
            clients[workers] = _started(workers)
        start = time.perf_counter()
        source = _count(path, clients.get(workers))
        packed = time.perf_counter()
        before = _moved(clients.get(workers))
        forward_select(make_information("plug-in", source), make_criterion("jmi"), k)
        end = time.perf_counter()
        report = {
            "rows_a_second_packing": len(codes) / (packed - start),
            "rows_a_second_a_step": len(codes) * k / (end - packed),
        }
        if workers:
            report["kilobytes_moved_a_step"] = (_moved(clients[workers]) - before) / k / 1e3
        return {"seconds": end - start, **report}

    return run


def _started(workers):
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50)
    client = Client(cluster)
    client.run(_imported)  # what a cluster that has been up for a while has done
    return client


def _imported():
    from bitsieve.engines import dask as dask_files
    from bitsieve.io import arrow

    return arrow.__name__, dask_files.__name__


def _count(path, client):
    binner = make_binner("none")
    if client is not None:
        return FilesOnCluster(path, client).read_in_parts(ReadOptions(target="class")).count(binner)[1]
    from bitsieve.engines.local import make_source

    table = read_data(path, ReadOptions(target="class"))
    target = table.target
    return make_source(binner.fit_table(table).codes(table), target.codes, n_classes=target.n_classes)


def _moved(client):
    """Bytes that the workers have sent to each other and to this process."""
    if client is None:
        return 0
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())
