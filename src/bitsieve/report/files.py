"""Write the report of a result to a file."""

from __future__ import annotations

from os import PathLike

from bitsieve.diagnostics import UserError
from bitsieve.io.output import check_output, write_text
from bitsieve.report.page import require_report_packages
from bitsieve.results.comparison import Comparison
from bitsieve.results.how_many import HowMany
from bitsieve.results.scorecard import Scorecard
from bitsieve.results.selection import Selection


def write_report(
    result: Selection | Comparison | HowMany | Scorecard,
    path: str | PathLike[str],
    *,
    command: str | None = None,
    comparison: Comparison | None = None,
) -> None:
    """Write the report of a selection, a comparison, how many columns to take or a scorecard, as one HTML file.

    The file needs no other.

    Parameters
    ----------
    result : Selection, Comparison, HowMany or Scorecard
        Of :func:`bitsieve.select`, :func:`bitsieve.compare`, :func:`bitsieve.how_many` or :func:`bitsieve.scorecard`.
    path : path-like
    command : str, optional
        What makes the result again, or selects what the comparison recommends; by default the call in Python.
    comparison : Comparison, optional
        Of :func:`bitsieve.compare` on the same data. The report of a selection then has the curve of its errors against
        the number of columns.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        The result is none of these, one that is no selection has a comparison beside it, the path cannot be written,
        or matplotlib or jinja2 is not installed (``pip install 'bitsieve[report]'``).

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
    if not isinstance(result, (Selection, Comparison, HowMany, Scorecard)):
        raise UserError(
            code="no-report",
            message=f"{type(result).__name__} has no report",
            advice="give what bitsieve.select, bitsieve.compare, bitsieve.how_many or bitsieve.scorecard returns",
        )
    if not isinstance(result, Selection) and comparison is not None:
        raise UserError(
            code="contradicting-parameters",
            message=f"the report of a {type(result).__name__} has no comparison beside it",
            advice="give comparison= with a selection",
        )
    require_report_packages()
    check_output(path, what="report")
    if isinstance(result, Selection):
        from bitsieve.report.selection import selection_report

        page = selection_report(result, command=command, comparison=comparison)
    elif isinstance(result, HowMany):
        from bitsieve.report.how_many import how_many_report

        page = how_many_report(result, command=command)
    elif isinstance(result, Scorecard):
        from bitsieve.report.scorecard import scorecard_report

        page = scorecard_report(result, command=command)
    else:
        from bitsieve.report.comparison import comparison_report

        page = comparison_report(result, command=command)
    write_text(path, page, "report")
