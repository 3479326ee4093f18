"""What tests of reading share."""

from importlib import import_module

import pytest


@pytest.fixture
def walks_in_this_process(monkeypatch):
    """Walk over files of HDF5 in the process of the tests, as each start of another one takes a quarter of a second."""
    monkeypatch.setattr(
        "bitsieve.io.h5ad.run_in_process", lambda module, arguments, *_: import_module(module).main(*arguments)
    )
