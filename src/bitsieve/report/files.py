"""Write the report of a selection or of a comparison to a file."""

from __future__ import annotations

from os import PathLike

from bitsieve.diagnostics import UserError
from bitsieve.io.output import check_output, write_text
from bitsieve.report.page import require_report_packages
from bitsieve.results.comparison import Comparison
from bitsieve.results.selection import Selection


def write_report(result: Selection | Comparison, path: str | PathLike[str], *, command: str | None = None) -> None:
    """Write the report of a selection or of a comparison as one HTML file that needs nothing else.

    Parameters
    ----------
    result : Selection or Comparison
        Of :func:`bitsieve.select` or :func:`bitsieve.compare`.
    path : path-like
    command : str, optional
        What makes the selection again, or selects what the comparison recommends; by default the call in Python.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        It is neither, the path cannot be written, or matplotlib or jinja2 is not installed (``pip install
        'bitsieve[report]'``).

    Examples
    --------
    >>> import bitsieve, pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "report.html"
    >>> bitsieve.write_report(bitsieve.select(X, y, n_features_to_select=2), path)
    >>> "petal width" in path.read_text()
    True
    """
    if not isinstance(result, (Selection, Comparison)):
        raise UserError(
            code="no-report",
            message=f"{type(result).__name__} has no report",
            advice="give what bitsieve.select or bitsieve.compare returns",
        )
    require_report_packages()
    check_output(path, what="report")
    if isinstance(result, Selection):
        from bitsieve.report.selection import selection_report

        page = selection_report(result, command=command)
    else:
        from bitsieve.report.comparison import comparison_report

        page = comparison_report(result, command=command)
    write_text(path, page, "report")
