"""A small Dask cluster, started once for all tests that need one."""

from __future__ import annotations

import pytest
from distributed import Client, LocalCluster


@pytest.fixture(scope="session")
def cluster():
    """Three workers in this process."""
    with LocalCluster(n_workers=3, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture(scope="session")
def client(cluster):
    """A client of the cluster, which is not the default of the process."""
    with Client(cluster, set_as_default=False) as client:
        yield client
