"""Columns with names, for whatever knows the columns of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bitsieve.common.messages import quoted_places

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from bitsieve.table.extents import Extents


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
