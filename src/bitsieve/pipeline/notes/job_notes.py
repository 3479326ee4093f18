"""How the work was done: where the rows were counted, how long it takes, and options without effect."""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.diagnostics import Diagnostic
from bitsieve.engines.postgres import ADVICE
from bitsieve.utils.terminal_text import number


def long_job(
    method: str, n_columns: int, n_rows: int, duration: str, screen: int | None, duration_with_screen: str
) -> Diagnostic:
    """A method will take more than a minute. ``screen``: so many columns would take less; None: unknown."""
    message = f"{method} of {n_columns:,} columns and {n_rows:,} rows takes about {duration} on one thread"
    if screen is None:
        return Diagnostic(code="long-job", message=message, advice="fewer rows take less")
    return Diagnostic(
        code="long-job",
        message=message,
        advice=f"{{screen}} keeps the {screen:,} most relevant columns first, about {duration_with_screen}",
        fix={"screen": screen},
    )


def screened_out(n_screened: int, n_out: int) -> Diagnostic:
    """A screen took columns from the method."""
    return Diagnostic(
        code="screened-out",
        message=(
            f"the method ran on the {n_screened:,} columns of the largest relevance, and {n_out:,} others were left out"
        ),
        advice="a larger {screen} keeps more",
    )


def counted_in_place() -> Diagnostic:
    """A database counted the rows, although the user did not ask for it."""
    return Diagnostic(
        code="counted-in-place",
        message="the table has very many rows: they were counted where they are, and not read",
        advice="to read them, add {push_down}",
        fix={"push_down": False},
    )


def counted_in_postgres(n_columns: int) -> Diagnostic:
    """The user let PostgreSQL count the rows, which takes longer than to read them."""
    return Diagnostic(
        code="counted-in-postgres",
        message=f"PostgreSQL counted {n_columns:,} columns by {2 * n_columns:,} statements or more, each over all "
        "rows, which takes longer than to read the rows once",
        advice=f"if they may be read, {ADVICE}",
    )


def rounded_counts(
    bases: Sequence[int], ranges_of_scores: Sequence[tuple[float, float]], n_same_orders: int, n_repeats: int
) -> Diagnostic:
    """Sites rounded their counts; the ranges are those of the scores without rounding, by rank."""
    message = f"the counts are rounded to multiples of {' and '.join(map(str, bases))}"
    if ranges_of_scores:
        ranges = ", ".join(f"{number(low)} to {number(high)}" for low, high in ranges_of_scores)
        message += (
            f"; without rounding the scores by rank are about {ranges}, "
            f"and the order of the columns is the same in {n_same_orders} of {n_repeats} repeats"
        )
    return Diagnostic(code="rounded-counts", message=message)


def missing_without_effect(missing: str, method: str) -> Diagnostic:
    """The parameter ``missing`` has no effect on a method without bins."""
    return Diagnostic(
        code="missing-without-effect",
        message=f"has no effect on {method}, which makes no bins",
        parameters={"missing": missing},
    )
