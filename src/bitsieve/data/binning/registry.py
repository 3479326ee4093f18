"""Binners by name."""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from bitsieve.common.messages import ParameterError, Sentence, message_of
from bitsieve.data.binning.base import Binner
from bitsieve.data.binning.categorical import CategoricalBinner
from bitsieve.data.binning.equal_frequency import EqualFrequencyBinner
from bitsieve.data.binning.equal_width import EqualWidthBinner
from bitsieve.data.binning.mdl import MDLBinner
from bitsieve.data.sparse import SparseTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bitsieve.common.messages import Setting
    from bitsieve.data.table import Table


KEEPS_MISSING = "+missing"  # after the name of a binner: missing values get a code of their own
BINNERS: dict[str, type[Binner]] = {
    "mdl": MDLBinner,
    "quantile": EqualFrequencyBinner,
    "uniform": EqualWidthBinner,
    "none": CategoricalBinner,
}


def make_binner(spec: Any = "mdl", *, n_jobs: int | None = None, **parameters: Any) -> Binner:
    """A binner by its name, or an unfitted copy of one.

    Parameters
    ----------
    spec : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        "quantile" is equal frequency, "uniform" equal width, "none" takes columns as the codes they are. With
        "+missing" behind, as in "mdl+missing", missing values get a code of their own: ``missing="bin"``.
    n_jobs : int or None, default=None
        Threads of a binner made by name; a binner object keeps its own.
    **parameters
        Of the binner, such as ``n_bins``, ``uncut`` or ``missing``; only with a name.

    Returns
    -------
    binner

    Raises
    ------
    ValueError
        If there is no binner of that name, or it has no such parameter.

    Examples
    --------
    >>> from bitsieve.data.binning import make_binner
    >>> make_binner("quantile", n_bins=5)
    EqualFrequencyBinner(n_bins=5)
    >>> make_binner("mdl+missing")
    MDLBinner(missing='bin')
    """
    if isinstance(spec, Binner):
        if parameters:
            raise ValueError(f"binning is an object, so set {', '.join(parameters)} on that object")
        return clone(spec)
    names = ", ".join(map(repr, BINNERS))
    if isinstance(spec, str) and spec.endswith(KEEPS_MISSING):
        if parameters.get("missing", "bin") != "bin":
            raise ParameterError(
                "missing",
                parameters["missing"],
                f"leave it out, or write {spec.removesuffix(KEEPS_MISSING)!r}",
                f"contradicts binning={spec!r}",
            )
        spec, parameters = spec.removesuffix(KEEPS_MISSING), {**parameters, "missing": "bin"}
    if not isinstance(spec, str) or spec not in BINNERS:
        near = get_close_matches(spec.lower(), BINNERS, n=1) if isinstance(spec, str) else []
        hint = f", did you mean {near[0]!r}?" if near else ""
        raise ParameterError("binning", spec, f"give one of {names} or a binner object{hint}", "is not known")
    binner = BINNERS[spec]
    if parameters:
        accepted = [name for name in inspect.signature(binner).parameters if name != "n_jobs"]
        for name in parameters:
            if name not in accepted:
                raise ValueError(f"binning {spec!r} has no parameter {name!r}: it has {', '.join(accepted)}")
    return binner(n_jobs=n_jobs, **parameters)


def keeps_missing(spec: Any) -> bool:
    """Whether a binner, or what names one, gives missing values a code of their own."""
    if isinstance(spec, str):
        return spec.endswith(KEEPS_MISSING)
    return getattr(spec, "missing", "error") == "bin"


@contextmanager
def remedies_for(spec: Any) -> Iterator[None]:
    """Inside the block errors on missing values say what to write in the place of the binning ``spec``."""
    try:
        yield
    except ValueError as error:
        message = message_of(error)
        if not isinstance(message, Sentence):
            raise

        def word(setting: Setting) -> str:
            if setting.parameter != "missing":
                return setting.in_python()
            if isinstance(spec, Binner):
                return f"binning={type(spec).__name__}(missing='bin')"
            return f"binning='{spec or 'mdl'}{KEEPS_MISSING}'"

        worded = message.worded(word)
        if worded == str(message):
            raise
        raise ValueError(worded) from error


def binner_of(table: Table, spec: Any, n_jobs: int | None) -> Binner:
    """The binner of a name, or an unfitted copy of one; in a sparse table zero is a code of its own."""
    from bitsieve.data.binning.zero_apart import ZeroApartBinner

    binner = make_binner(spec, n_jobs=n_jobs)
    if isinstance(table, SparseTable) and not isinstance(binner, ZeroApartBinner):
        return ZeroApartBinner(binner, n_jobs=n_jobs)
    return binner
