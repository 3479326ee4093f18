"""Values that were not there when fitting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def unknown_category(name: str, values: NDArray[Any]) -> ValueError:
    """The error for values of a column that were not there when fitting."""
    value = values[:1].tolist()[0]
    return ValueError(
        f"column {name!r} holds {value!r}, which was not there when fitting: fit on data that has every value, "
        "or replace it"
    )
