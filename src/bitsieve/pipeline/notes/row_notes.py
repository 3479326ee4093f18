"""The rows, those that belong together, and their strata."""

from __future__ import annotations

from bitsieve.diagnostics import Diagnostic
from bitsieve.utils.messages import number_and_noun, quoted


def few_rows(n_rows: int, enough: int) -> Diagnostic:
    """The table has so few rows that chance decides."""
    return Diagnostic(
        code="few-rows",
        message=f"the table has {n_rows} rows: with fewer than {enough} any column may look informative by chance",
        severity="warning",
    )


def rows_alike(n_alike: int, n_tested: int) -> Diagnostic:
    """Rows that follow each other are alike, as if they belonged together."""
    return Diagnostic(
        code="rows-alike",
        message=(
            f"rows that follow each other are alike in {n_alike:,} of {n_tested:,} columns, and stopping rules assume "
            "that rows are independent"
        ),
        advice="if some belong together, as those of one person do, add {groups}",
        severity="warning",
    )


def repeated_identifier(name: str, n_values: int, n_rows: int) -> Diagnostic:
    """A column names persons or other units of several rows."""
    return Diagnostic(
        code="repeated-identifier",
        message=f"{name!r} repeats its values ({n_values:,} in {n_rows:,} rows)",
        advice="if rows of one value belong together, add {groups}",
        fix={"groups": name},
        columns=(name,),
        severity="warning",
    )


def rows_of_one_value(name: str, n_values: int, n_rows: int) -> Diagnostic:
    """A column with few rows for each value is informative, as the number of a person is."""
    return Diagnostic(
        code="rows-of-one-value",
        message=(
            f"{quoted([name])} has {n_values:,} values in {n_rows:,} rows and is informative about the target: rows "
            "with the same value may belong together"
        ),
        advice="if they do, as rows of one person, add {groups}",
        fix={"groups": name},
        columns=(name,),
        severity="warning",
    )


def one_stratum() -> Diagnostic:
    """All rows are in one stratum."""
    return Diagnostic(
        code="one-stratum",
        message="all rows are in one stratum, so that the result is the one without strata",
        advice="leave out {strata}, or name others",
    )


def strata_of_one_class(n_strata: int, n_all: int, n_rows: int, target: str) -> Diagnostic:
    """Some strata have rows of one class only."""
    verb = "has" if n_strata == 1 else "have"
    pronoun = "it" if n_strata == 1 else "them"
    return Diagnostic(
        code="strata-of-one-class",
        message=(
            f"{n_strata:,} of {n_all:,} strata ({number_and_noun(n_rows, 'row')}) {verb} one class of {target!r}: "
            f"nothing can be learned from {pronoun}"
        ),
    )


def strata_determine_target(target: str, share: float) -> Diagnostic:
    """The strata determine most of the target."""
    return Diagnostic(
        code="strata-determine-target",
        message=f"the strata determine {100 * share:.0f} % of the entropy of {target!r}: both can hardly be told apart",
        advice="collect rows of every class in every stratum",
        severity="warning",
    )


def small_strata(mean_size: float) -> Diagnostic:
    """Strata have few rows."""
    return Diagnostic(
        code="small-strata",
        message=f"strata have {mean_size:.0f} rows on average: the information within so few is mostly chance",
        advice="{effect} finds what agrees between the strata",
        fix={"effect": "common"},
        severity="warning",
    )
