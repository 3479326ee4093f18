"""Functions of libraries that are imported when first called, or never where the user has not imported them."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from bitsieve.utils.arrays import Floats
    from bitsieve.utils.types import ColumnLike, TableLike


def chdtrc(freedom: ArrayLike, x: ArrayLike) -> Floats:
    """The probability that a chi-squared variable with ``freedom`` degrees of freedom exceeds ``x``."""
    from scipy import special

    probability: Floats = special.chdtrc(freedom, x)
    return probability


def digamma(x: ArrayLike) -> Floats:
    """The logarithmic derivative of the gamma function."""
    from scipy import special

    derivative: Floats = special.digamma(x)
    return derivative


def gammaln(x: ArrayLike) -> Floats:
    """The logarithm of the gamma function."""
    from scipy import special

    logarithm: Floats = special.gammaln(x)
    return logarithm


def hyperu(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Floats:
    """The confluent hypergeometric function of the second kind U(a, b, x)."""
    from scipy import special

    value: Floats = special.hyperu(a, b, x)
    return value


def ndtri(p: ArrayLike) -> Floats:
    """The quantile of the normal distribution at the probability ``p``."""
    from scipy import special

    quantile: Floats = special.ndtri(p)
    return quantile


def stdtr(freedom: ArrayLike, t: ArrayLike) -> Floats:
    """The probability that Student's t with ``freedom`` degrees of freedom is at most ``t``."""
    from scipy import special

    probability: Floats = special.stdtr(freedom, t)
    return probability


def threadpool_limits(n_threads: int, api: str | None = None) -> AbstractContextManager[object]:
    """Limit the threads of native libraries inside a block: of all, or of those of one ``api`` such as "blas"."""
    import threadpoolctl

    limits: AbstractContextManager[object] = threadpoolctl.threadpool_limits(n_threads, api)
    return limits


def issparse(data: TableLike) -> bool:
    """Whether data is a sparse matrix or array of scipy. It is not if ``scipy.sparse`` was never imported."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(data))


def is_pandas_frame(data: TableLike) -> bool:
    """Whether data is a data frame of pandas. It is not if pandas was never imported."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def is_pandas_series(values: ColumnLike) -> bool:
    """Whether values are a series of pandas. They are not if pandas was never imported."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(values, pandas.Series)


def log(level: str, message: str) -> None:
    """Log a message under the name of the package, if the program has imported logging and set up a handler."""
    logging = sys.modules.get("logging")
    if logging is None:
        return
    logger = logging.getLogger("bitsieve")
    if logger.hasHandlers():
        getattr(logger, level)(message)
