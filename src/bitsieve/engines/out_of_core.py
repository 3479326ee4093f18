"""A table whose rows are not in memory."""

from __future__ import annotations

from abc import abstractmethod

from bitsieve.counts.source import CountSource
from bitsieve.dataset.dataset import Dataset
from bitsieve.discretization.base import Binning


class OutOfCoreDataset(Dataset):
    """A table whose rows are not in memory. An engine counts them where they are."""

    @abstractmethod
    def count(self, binner: Binning) -> tuple[Binning, CountSource]:
        """Fit a copy of the binner on all rows, and count the columns as it codes them. Returns both."""
