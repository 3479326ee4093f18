"""Base of the selectors on counts, fitted on a table, on counts, or on one part of the rows after another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from bitsieve.common.messages import quoted
from bitsieve.common.notes import warn
from bitsieve.data.binning.registry import make_binner, remedies_for
from bitsieve.data.read import read_xy
from bitsieve.data.table import Table, TableInMemory
from bitsieve.data.target import MANY_NUMBERS
from bitsieve.engines.counts_table import CountsTable
from bitsieve.engines.local import count_coded
from bitsieve.engines.registry import data_in_parts
from bitsieve.engines.saved_counts import SavedCounts, combined, count_all_pairs
from bitsieve.selectors.base import OF_ALL, OF_COUNTS, ColumnSelector
from bitsieve.selectors.fitting import Counted, Fitted, fit_counted, tells_nothing


def _takes_codes(selector: Any) -> bool:
    """Whether bins follow from single values, so that rows that come later can not change them."""
    if make_binner(selector.binning).sees == "codes":
        return True
    raise AttributeError(
        f"partial_fit takes codes, which later rows do not change: give the codes of a fitted binner, and "
        f"binning='none' in place of binning={selector.binning!r}"
    )


class CountSelector(ColumnSelector):
    """Base of the selectors on counts."""

    shared_attributes: ClassVar[Mapping[str, str]] = {**OF_ALL, **OF_COUNTS}
    binning: Any
    n_jobs: int | None
    relevance_: NDArray[np.float64]
    informative_: NDArray[np.bool_]
    _counts: SavedCounts | None  # of the rows so far, where they came in parts

    def fit_counted(self, counted: Counted) -> Self:
        """Choose features from a table that is binned and packed already; ``binning`` and ``n_jobs`` have no part.

        Parameters
        ----------
        counted : Counted

        Returns
        -------
        self
        """
        self._check_parameters()
        fitted = fit_counted(self.described[0], counted, self.n_features_to_select, self._parameters())
        return self._keep_fitted(counted.table, fitted)

    @available_if(_takes_codes)  # type: ignore[untyped-decorator]  # of scikit-learn
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count some more rows, and choose features by all that were counted.

        After each call the selector is what ``fit`` makes of all rows so far, to the last bit. Only with
        ``binning="none"``, since other bins may change with every row: give the codes of a fitted binner. Methods that
        need tables of more than two columns and the class, such as ``cmi``, and stopping rules, refuse it.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Dense; whole numbers and categories. Values that were not there before are welcome.
        y : array-like of shape (n_samples,)
            Classes: text, or at most 100 different whole numbers. The first rows must hold two.
        classes : array-like, default=None
            All classes that may occur; another one is then refused.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequency weights, as for ``fit``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            What ``fit`` raises; or the columns are not those of the rows before.

        Warns
        -----
        BitsieveWarning
            If ``fit`` was called before, which keeps no counts of its rows.

        Notes
        -----
        Cost: the tables of all pairs of columns of these rows, which are kept: 8 bytes for every pair of codes of every
        pair of columns and every class.

        Examples
        --------
        >>> import bitsieve
        >>> selector = bitsieve.ForwardSelector(1, criterion="mrmr", binning="none")
        >>> selector.partial_fit([[0, 1], [1, 1]], ["a", "b"]).selected_.tolist()
        [0]
        >>> selector.partial_fit([[0, 0], [0, 0], [1, 1], [1, 1]], ["b", "b", "a", "a"]).selected_.tolist()
        [1]
        """
        self._check_parameters()
        known = getattr(self, "_counts", None)
        if known is None and hasattr(self, "selected_"):
            warn("fit kept no counts of its rows: partial_fit begins anew with those that it is given")
        with remedies_for(self.binning):
            counts = self._counted(self._rows(X, y, sample_weight, classes, first=known is None))
        counts = counts if known is None else combined(known, counts)
        if counts.target.n_classes < 2:
            label = counts.target.labels[:1].tolist()[0]
            raise ValueError(f"the first rows hold 1 class ({label!r}): begin with rows of at least two")
        labels = counts.target.labels
        if labels.dtype.kind in "iuf" and len(labels) > MANY_NUMBERS:
            raise ValueError(
                f"the target holds more than {MANY_NUMBERS} different numbers: bin it first, or make it text"
            )
        named = hasattr(self, "feature_names_in_")
        return self.fit_table(CountsTable(counts, named=named))

    def _rows(self, X: Any, y: Any, sample_weight: Any, classes: Any, *, first: bool) -> TableInMemory:
        """The rows as a table with the columns of those before."""
        if data_in_parts(X) is not None:
            raise ValueError("partial_fit takes rows in memory: read the batches, or use 'bitsieve count'")
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        table = read_xy(X, y, sample_weight, estimator=self, reset=first)
        if "dense" not in table.offers:
            raise ValueError("partial_fit takes dense rows, and these are sparse: give a part of them by .toarray()")
        if classes is not None:
            new = sorted(set(table.target.labels.tolist()) - set(np.asarray(classes).tolist()), key=str)
            if new:
                raise ValueError(f"the target holds {quoted(map(str, new))}, which classes does not list")
        if table.target.edges is not None or table.target.kind == "joint":
            raise ValueError("partial_fit takes one target of classes: bin a quantity first, by edges that stay")
        return table

    def _counted(self, table: TableInMemory) -> SavedCounts:
        """The tables of all pairs of columns of some rows."""
        binner = make_binner(self.binning, n_jobs=self.n_jobs).fit_table(table)
        target = table.target
        source = count_coded(table, binner, self.n_jobs)
        target = replace(target, codes=np.empty(0, np.int32))
        return count_all_pairs(source, table.names, target, binner, binner.n_bins_.astype(np.int32))

    def _keep_fitted(self, table: Table, fitted: Fitted) -> Self:
        self._counts = getattr(table, "counts", None)
        return super()._keep_fitted(table, fitted)

    def _doubts(self) -> list[str]:
        return tells_nothing(self.relevance_[self.selected_], self.informative_)
