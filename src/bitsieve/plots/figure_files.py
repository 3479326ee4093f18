"""Files of figures: their formats, and how they are written."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bitsieve.diagnostics import UserError
from bitsieve.io.output import AnyPath, writing

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

FORMATS = (".png", ".svg", ".pdf")  # of a figure that is saved
#: The metadata that leave out the date, by format.
WITHOUT_DATE: dict[str, dict[str, None]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def require_matplotlib() -> None:
    """Refuse, before any work, to draw without matplotlib."""
    if find_spec("matplotlib") is None:
        raise UserError(
            code="package-missing",
            message="figures need matplotlib, which is not installed",
            advice="pip install 'bitsieve[report]'",
        )


def save_figure(figure: Figure | SubFigure, path: AnyPath) -> None:
    """Write a figure of matplotlib in the format of the ending; the same figure gives the same bytes."""
    import matplotlib
    from matplotlib.figure import Figure

    assert isinstance(figure, Figure)  # no subfigure: the axes are those of a figure that was drawn for this
    path = Path(path)
    suffix = path.suffix.lower()
    with writing(path) as file, matplotlib.rc_context({"svg.hashsalt": path.stem}):
        figure.savefig(file, format=suffix.removeprefix("."), dpi=150, metadata=WITHOUT_DATE[suffix])
