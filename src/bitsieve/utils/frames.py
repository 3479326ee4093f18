"""Data frames of results, in pandas, polars or pyarrow."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

from bitsieve.diagnostics import UserError
from bitsieve.utils.parameters import check_choice
from bitsieve.utils.types import DataFrame

FrameLibrary: TypeAlias = Literal["pandas", "polars", "pyarrow"]
FRAME_LIBRARIES: tuple[FrameLibrary, ...] = ("pandas", "polars", "pyarrow")


def default_library() -> FrameLibrary:
    """The library of the frames of results by default: pandas, or pyarrow where pandas is not installed."""
    return "pandas" if _is_installed("pandas") else "pyarrow"


def check_library(library: str | None) -> FrameLibrary:
    """The library that the user names, which must be installed; the default library for None."""
    if library is None:
        return default_library()
    check_choice("library", library, FRAME_LIBRARIES)
    if not _is_installed(library):
        raise UserError(
            code="package-missing",
            message=f"a frame of {library} needs the package {library!r}",
            advice=f"pip install {library}",
        )
    return next(name for name in FRAME_LIBRARIES if name == library)


def _is_installed(package: str) -> bool:
    with suppress(ModuleNotFoundError):  # raised where an import hook refuses the name
        return find_spec(package) is not None
    return False


def frame_of(columns: Mapping[str, Any], library: FrameLibrary) -> DataFrame:
    """A data frame of a library."""
    import narwhals as nw

    return nw.from_dict(columns, backend=library).to_native()
