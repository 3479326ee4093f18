"""Write the report of a selection or of a comparison to a file."""

from __future__ import annotations

from os import PathLike

from bitsieve.diagnostics import UserError
from bitsieve.io.output import check_output, write_text
from bitsieve.report.page import require_report_packages
from bitsieve.results.comparison import Comparison
from bitsieve.results.selection import Selection


def write_report(
    result: Selection | Comparison,
    path: str | PathLike[str],
    *,
    command: str | None = None,
    comparison: Comparison | None = None,
) -> None:
    """Write the report of a selection or of a comparison as one HTML file that needs nothing else.

    Parameters
    ----------
    result : Selection or Comparison
        Of :func:`bitsieve.select` or :func:`bitsieve.compare`.
    path : path-like
    command : str, optional
        What makes the selection again, or selects what the comparison recommends; by default the call in Python.

    comparison : Comparison, optional
        Of :func:`bitsieve.compare` on the same data. The report of a selection then has the curve of its errors against
        the number of columns.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        The result is neither, a comparison has another one beside it, the path cannot be written, or matplotlib or
        jinja2 is not installed (``pip install 'bitsieve[report]'``).

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
    if isinstance(result, Comparison) and comparison is not None:
        raise UserError(
            code="contradicting-parameters",
            message="the report of a comparison has no other comparison beside it",
            advice="give comparison= with a selection",
        )
    require_report_packages()
    check_output(path, what="report")
    if isinstance(result, Selection):
        from bitsieve.report.selection import selection_report

        page = selection_report(result, command=command, comparison=comparison)
    else:
        from bitsieve.report.comparison import comparison_report

        page = comparison_report(result, command=command)
    write_text(path, page, "report")
