"""A small Dask cluster, started once for all tests that need one."""

from __future__ import annotations

import pytest
from distributed import Client, LocalCluster

TESTED_BY_SHUFFLES = {"not-informative", "partly-informative"}


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


@pytest.fixture(scope="session")
def same_selection():
    """``same_selection(found, expected)``: two selections with the same bits, but for a note and marks.

    Which features are informative is tested by shuffles of the rows where they are in memory, and else by a bound.
    """

    def document(selection):
        fields = selection.to_dict()
        for feature in fields["features"]:
            del feature["informative"], feature["informative_state"]
        fields["diagnostics"] = [note for note in fields["diagnostics"] if note["code"] not in TESTED_BY_SHUFFLES]
        del fields["notes"]  # the diagnostics as text
        return fields

    def check(found, expected):
        assert document(found) == document(expected)
        for name in ("scores", "relevance", "overlap"):
            assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()

    return check
