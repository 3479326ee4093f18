"""The cluster that ``--scheduler`` names: a Dask scheduler, or one that is started on this machine."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from bitsieve.cli.wording import say
from bitsieve.common.messages import one_line
from bitsieve.counts.blocks import thread_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

LOCAL = "local"
_PATIENCE = "10s"


@contextmanager
def connected(address: str, n_workers: int | None) -> Iterator[Client]:
    """A client of the cluster, as long as the block lasts.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``tcp://10.0.0.1:8786``; "local" starts a cluster on this machine, which ends with
        the block.
    n_workers : int or None
        Of a cluster that is started here; None: one a core.

    Raises
    ------
    ValueError
        If Dask is not installed, or nobody answers at the address.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ValueError("--scheduler needs Dask: pip install 'bitsieve[dask]'") from None
    if address == LOCAL:
        workers = thread_count(-1 if n_workers is None else n_workers)
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            say(f"started {workers:,} worker{'s' * (workers > 1)}; dashboard at {client.dashboard_link}")
            yield client
        return
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise ValueError(
            f"--scheduler {address}: nobody answers there ({one_line(error)}): give the address of a Dask scheduler, "
            f"such as tcp://10.0.0.1:8786, or {LOCAL}"
        ) from None
    with client:
        yield client
