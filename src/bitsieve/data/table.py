"""One table: features, target, frequency weights and names, read once and handed on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bitsieve.common.messages import quoted_places
from bitsieve.data.encoding import Encoded, occurring
from bitsieve.data.extents import find_extents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from bitsieve.data.extents import Extents
    from bitsieve.data.read import Given
    from bitsieve.data.target import Target


class NamedColumns:
    """What follows from the names of the columns alone.

    Attributes
    ----------
    names : sequence of str
        One a feature; ``x0``, ``x1``, ... where the input has none.
    feature_names : ndarray of object or None
        The names as scikit-learn keeps them: None where the input has none, or not all are strings.
    """

    names: Sequence[str]
    feature_names: NDArray[Any] | None

    def extents(self, n_jobs: int | None = None, whole: bool = False) -> Extents:
        """What the columns hold; numbers with a fractional part are looked for only if ``whole``."""
        raise NotImplementedError

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.names)

    def quoted(self, which: Iterable[int]) -> str:
        """The names of some features for a message, the first five of them."""
        return quoted_places(list(which), self.names)

    def set_names_on(self, estimator: Any) -> None:
        """Set ``n_features_in_`` and ``feature_names_in_`` of an estimator that is fitted on these columns."""
        estimator.n_features_in_ = self.n_features
        if self.feature_names is not None:
            estimator.feature_names_in_ = self.feature_names
        elif hasattr(estimator, "feature_names_in_"):  # of an earlier fit
            del estimator.feature_names_in_


FEW_ROWS = 10  # in fewer rows a measurement may well count up by chance


@dataclass(frozen=True, eq=False)
class Table(NamedColumns):
    """The features of some samples as numbers or codes, with their target and frequency weights.

    Attributes
    ----------
    columns : ndarray of shape (n_samples, n_features), or sequence of n_features ndarray or Encoded
        Numbers (NaN = missing), or codes of categories; times are microseconds.
    names : sequence of str
        One a feature; ``x0``, ``x1``, ... where the input has none.
    feature_names : ndarray of object or None
        The names as scikit-learn keeps them: None where the input has none, or not all are strings.
    y : Target or None
        None where no target was given.
    weights : ndarray of int64, shape (n_samples,), or None
        Frequency weights: how many times each sample counts, at least once. None: once each.
    given : Given or None
        The data in the kind that was given to ``select``; None for a table that was read for ``fit``, and for some of
        the samples of a table.
    blank : tuple of int
        Columns that were left out, by :meth:`blanked`.
    notes : tuple of str
        What was noticed in the file.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"tables", "partition", "joined", "rows", "dense"})

    columns: NDArray[Any] | Sequence[NDArray[Any] | Encoded] = field(repr=False)
    names: Sequence[str]
    feature_names: NDArray[Any] | None = field(default=None, repr=False)
    y: Target | None = field(default=None, repr=False)
    weights: NDArray[np.int64] | None = field(default=None, repr=False)
    given: Given | None = field(default=None, repr=False)
    blank: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    _extents: list[Extents] = field(default_factory=list, init=False, repr=False)

    @property
    def n_samples(self) -> int:
        """Number of rows; those of weight 0 were left out."""
        if isinstance(self.columns, np.ndarray):
            return len(self.columns)
        first = self.columns[0]
        return len(first.codes if isinstance(first, Encoded) else first)

    @property
    def total_weight(self) -> int:
        """Number of samples, each counted as often as its weight says."""
        return self.n_samples if self.weights is None else int(self.weights.sum())

    @property
    def target(self) -> Target:
        """The target, where one is needed.

        Raises
        ------
        ValueError
            If none was given.
        """
        if self.y is None:
            raise ValueError("a target is needed here: give y, one class a sample")
        return self.y

    @property
    def matrix(self) -> NDArray[Any] | None:
        """The 2-D array of numbers that holds all features, if there is one."""
        return self.columns if isinstance(self.columns, np.ndarray) else None

    def values(self, j: int) -> NDArray[Any] | Encoded:
        """Feature ``j`` as it was read: a 1-D array of numbers of any type, or :class:`Encoded`."""
        return self.columns[:, j] if isinstance(self.columns, np.ndarray) else self.columns[j]

    def is_numeric(self, j: int) -> bool:
        """Whether feature ``j`` holds numbers or times."""
        return isinstance(self.columns, np.ndarray) or not isinstance(self.columns[j], Encoded)

    def numeric(self, j: int) -> NDArray[np.float64]:
        """Feature ``j`` as contiguous float64, NaN where missing; times are microseconds.

        Raises
        ------
        TypeError
            If the feature is categorical.
        """
        values = self.values(j)
        if isinstance(values, Encoded):
            raise TypeError(f"column {self.names[j]!r} is categorical")
        return np.ascontiguousarray(values, dtype=np.float64)

    def categorical(self, j: int) -> Encoded:
        """Codes (-1 = missing) and sorted categories of feature ``j``.

        Raises
        ------
        TypeError
            If the feature is numeric.
        """
        values = self.values(j)
        if not isinstance(values, Encoded):
            raise TypeError(f"column {self.names[j]!r} is numeric")
        return values

    def extents(self, n_jobs: int | None = None, whole: bool = False) -> Extents:
        """What the columns hold; looked at once, on ``n_jobs`` threads, and kept.

        Parameters
        ----------
        n_jobs : int, optional
        whole : bool
            Whether numbers with a fractional part are looked for.

        Returns
        -------
        Extents
        """
        if not self._extents or (whole and not self._extents[0].whole):
            self._extents[:] = [find_extents(self, n_jobs, whole)]
        return self._extents[0]

    def blanked(self, columns: Sequence[int]) -> Table:
        """The table with one value in every row of some columns, so that they tell nothing and are chosen last.

        Parameters
        ----------
        columns : sequence of int

        Returns
        -------
        Table
        """
        if isinstance(self.columns, np.ndarray):
            values = self.columns.copy(order="K")
            values[:, list(columns)] = 0
            return replace(self, columns=values, blank=tuple(columns))
        blank = np.zeros(self.n_samples, np.uint8)
        gone = set(columns)
        kept = [blank if j in gone else of for j, of in enumerate(self.columns)]
        return replace(self, columns=kept, blank=tuple(columns))

    def varies(self, j: int) -> bool:
        """Whether feature ``j`` holds different values; missing is one."""
        values = self._plain(j)
        first = values[0]
        if values.dtype.kind == "f" and np.isnan(first):
            return not np.isnan(values).all()
        return bool((values != first).any())

    def counts_rows(self, j: int) -> bool:
        """Whether feature ``j`` only counts the rows, as far as they are enough to tell."""
        values = self.values(j)
        if isinstance(values, Encoded) or values.dtype.kind not in "iu" or len(values) < FEW_ROWS:
            return False
        if abs(int(values[1]) - int(values[0])) != 1:
            return False
        steps = np.diff(values.astype(np.int64))
        return bool((steps == steps[0]).all())

    def _plain(self, j: int) -> NDArray[Any]:
        values = self.values(j)
        return values.codes if isinstance(values, Encoded) else values

    def take(self, rows: NDArray[np.intp]) -> Table:
        """The table of some of the samples: their features, target and weights.

        Classes and categories that do not occur among them are gone.

        Parameters
        ----------
        rows : ndarray of int
            Row numbers, in the order wanted.

        Returns
        -------
        Table
        """
        return replace(
            self,
            columns=take_rows(self.columns, rows),
            y=None if self.y is None else self.y.take(rows),
            weights=None if self.weights is None else self.weights[rows],
            given=None,
        )


def take_rows(columns: NDArray[Any] | Sequence[NDArray[Any] | Encoded], rows: NDArray[np.intp]) -> Any:
    """Some rows of an array, or of every one of several columns."""
    if isinstance(columns, np.ndarray):
        return columns[rows]
    return [occurring(values, rows) if isinstance(values, Encoded) else values[rows] for values in columns]
