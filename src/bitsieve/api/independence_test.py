"""The test of two columns of a table for independence given others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import NamedTuple

import numpy as np

from bitsieve.api.information import count_columns, refuse_binning_by_target
from bitsieve.counts.source import conditioning
from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.discretization.base import BinningLike
from bitsieve.explain.explain import column_of
from bitsieve.information.independence import IndependenceTests, TestOptions
from bitsieve.methods.by_counts.markov_blankets.methods import check_levels
from bitsieve.options import ReadOptions
from bitsieve.pipeline.column_parameters import levels_by_variable
from bitsieve.utils.messages import number_and_noun, quoted
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.types import ColumnLike, NameOrIndex, TableLike


class IndependenceTest(NamedTuple):
    """The test of "x and y are independent given other columns".

    Attributes
    ----------
    x, y : str
        The columns.
    given : tuple of str
        The columns whose joint values are the strata.
    statistic : float
    degrees_of_freedom : int
    p : float
        0 where it is too small for a float.
    log_p : float
        The natural logarithm of p.
    bits : float
        I(X;Y|Z) by plug-in, in bits.
    bits_by_chance : float
        The mean of I(X;Y|Z) over all shuffles of x within the strata; nan but for the scaled test.
    n_strata : int
        How many strata occur.
    least_expected : float
        The smallest count that a cell would have under independence, in the strata in which both columns vary; infinite
        if there are none.
    is_executed : bool
        False where there are fewer rows for every possible cell than ``power``, so that p is 1.

    Examples
    --------
    >>> import bitsieve
    >>> rows = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 10
    >>> print(bitsieve.independence_test(rows, "x0", "x1", binning="none"))
    'x0' and 'x1': p = 1 (statistic 0 on 1 degree of freedom; 0.0000 bits, 0.0187 by chance)
    """

    x: str
    y: str
    given: tuple[str, ...]
    statistic: float
    degrees_of_freedom: int
    p: float
    log_p: float
    bits: float
    bits_by_chance: float
    n_strata: int
    least_expected: float
    is_executed: bool

    def __str__(self) -> str:
        condition = f" given {quoted(self.given)}" if self.given else ""
        p_text = f"p = {self.p:.3g}" if self.p > 0 else f"ln p = {self.log_p:.1f}"
        degrees = f"{number_and_noun(self.degrees_of_freedom, 'degree')} of freedom"
        chance = "" if isnan(self.bits_by_chance) else f", {self.bits_by_chance:.4f} by chance"
        figures = f"statistic {self.statistic:.4g} on {degrees}; {self.bits:.4f} bits{chance}"
        power = "" if self.is_executed else ", not executed: too few rows for every possible cell"
        return f"{self.x!r} and {self.y!r}{condition}: {p_text}{power} ({figures})"


@proposes_right_names
def independence_test(
    data: TableLike,
    x: ColumnLike,
    y: ColumnLike,
    *,
    given: str | int | Sequence[str | int] | None = None,
    test: str = "scaled",
    freedom: str = "adjusted",
    power: int = 0,
    levels: Mapping[NameOrIndex, int] | None = None,
    p_by: str = "chi-squared",
    n_shuffles: int = 999,
    random_state: int = 0,
    sample_weight: ColumnLike = None,
    binning: BinningLike = "quantile",
    missing: str | None = None,
    n_jobs: int | None = None,
) -> IndependenceTest:
    r"""Test whether two columns are independent given others.

    With ``n_z`` rows in stratum z, a joint value of the columns Z of ``given``, the statistic is

    - "g": ``G = 2 sum n_xyz ln(n_xyz n_z / (n_xz n_yz)) = 2 N ln(2) I(X;Y|Z)``;
    - "scaled": ``G f / E[G]``, f the adjusted degrees of freedom and E[G] the exact mean of G over all shuffles of x
      within the strata: in sparse tables, in which the tail of G is far too small, its level holds;
    - "pearson": ``sum (n_xyz - m)^2 / m`` with ``m = n_xz n_yz / n_z``.

    p is the probability that chi-squared exceeds the statistic, unless ``p_by`` is "shuffles".

    Parameters
    ----------
    data : array-like, dataframe, pyarrow Table or scipy.sparse of shape (n_samples, n_features), or path or stream
    x, y : str or int
        The two columns, by name or number.
    given : str, int, or sequence of them, optional
        The columns whose joint values are the strata; by default all rows are one stratum.
    test : {"scaled", "g", "pearson"}, default="scaled"
    freedom : {"adjusted", "nominal"}, default="adjusted"
        Degrees of freedom of "g" and "pearson". "adjusted": ``sum_z (k_xz - 1) (k_yz - 1)`` over the codes that occur
        in each stratum; "nominal": ``(K_x - 1) (K_y - 1) prod K_z`` over all values that the columns could have, which
        loses power in sparse tables.
    power : int, default=0
        The test is not executed, and p is 1, if there are fewer than ``power`` rows for every possible cell of the
        table; 5 is usual.
    levels : dict of column to int, optional
        How many values columns could have, for "nominal" and ``power``, a missing value included. By default as many as
        a categorical type declares (and a missing value where one occurs), or else as the column has codes.
    p_by : {"chi-squared", "shuffles"}, default="chi-squared"
        "shuffles": x is shuffled within the strata ``n_shuffles`` times, and p is the share of tables, the observed one
        included, with at least the observed G. It is exact however sparse the table is, and at least
        ``1 / (n_shuffles + 1)``.
    n_shuffles : int, default=999
    random_state : int, default=0
        Same seed, same shuffles, for any number of threads.
    sample_weight, binning, missing, n_jobs
        As in :func:`bitsieve.mutual_information`; "auto" and "mdl", which look at a target, are refused.

    Returns
    -------
    IndependenceTest
        With ``p``, ``log_p``, ``statistic``, ``degrees_of_freedom`` and ``bits``; ``print`` shows them in a line.

    Raises
    ------
    ValueError
        If there is no such column, a column is named twice, or a parameter is not allowed.

    Notes
    -----
    Cost: all columns are coded, and one table is counted. Where no stratum has two values of both columns, there are no
    degrees of freedom, and p is 1.

    Examples
    --------
    Two columns depend on each other because both follow a third one; given this they are independent.

    >>> import bitsieve
    >>> import numpy as np
    >>> import pandas as pd
    >>> random = np.random.default_rng(0)
    >>> cause = random.integers(0, 3, 500)
    >>> first, second = np.where(random.random((2, 500)) < 0.6, cause, random.integers(0, 3, (2, 500)))
    >>> data = pd.DataFrame({"first": first, "second": second, "cause": cause})
    >>> bitsieve.independence_test(data, "first", "second", binning="none").p < 1e-9
    True
    >>> bitsieve.independence_test(data, "first", "second", given=["cause"], binning="none").p > 0.05
    True
    """
    options = TestOptions(
        test=test, freedom=freedom, power=power, p_by=p_by, n_shuffles=n_shuffles, random_state=random_state
    )
    check_levels("levels", levels)
    refuse_binning_by_target(binning, missing, n_jobs, "this test has none")
    condition = _columns_of_condition(given)
    read = ReadOptions(sample_weight=sample_weight)
    table, information = count_columns(data, read, binning, missing, "plug-in", n_jobs, by_class=False)
    names = list(map(str, table.names))
    columns = [column_of(column, names) for column in (x, y, *condition)]
    for position, column in enumerate(columns):
        if column in columns[:position]:
            raise UserError(
                code="column-in-two-roles",
                message=f"column {names[column]!r} is given twice",
                advice="x, y and given are different columns",
            )
    first, second, *strata = columns
    source = conditioning(information.source)
    tests = IndependenceTests(source, options, levels_by_variable(levels, names, None, source))
    result = tests.test(first, second, strata)
    return IndependenceTest(
        x=names[first],
        y=names[second],
        given=tuple(names[column] for column in strata),
        statistic=result.statistic,
        degrees_of_freedom=result.degrees_of_freedom,
        p=result.p,
        log_p=result.log_p,
        bits=result.bits,
        bits_by_chance=result.bits_by_chance,
        n_strata=result.n_strata,
        least_expected=result.least_expected,
        is_executed=result.is_executed,
    )


def _columns_of_condition(given: str | int | Sequence[str | int] | None) -> list[str | int]:
    if given is None:
        return []
    if isinstance(given, (str, int, np.integer)):
        return [given]
    if not isinstance(given, (Sequence, np.ndarray)):
        raise ParameterError("given", given, "give a column, or a list of columns")
    return [*given]
