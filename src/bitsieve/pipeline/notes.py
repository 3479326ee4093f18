"""The texts of the notes on data and on selections, one function for each code.

Whether a note is made is decided by the modules that call them, such as ``prepare.py`` and ``diagnose.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import floor

from bitsieve.dataset.column_info import MARKED_NUMBERS, SEVERAL_UNITS, TextParsing
from bitsieve.dataset.copies import Copy, CopyKind
from bitsieve.dataset.dataset import Approximation
from bitsieve.dataset.rank_test import RankTest
from bitsieve.diagnostics import Diagnostic, literal
from bitsieve.engines.postgres import ADVICE
from bitsieve.options import type_without
from bitsieve.utils.column_names import ColumnNames
from bitsieve.utils.messages import quoted
from bitsieve.utils.note_lines import MAX_NAMES
from bitsieve.utils.terminal_text import number

MAX_LISTED = 3
MAX_TIES_LISTED = 5
MAX_TESTS_LISTED = 2
_MAX_EXCLUDED = 5  # columns that an advice names
_UNTESTED = "not tested by permutations, which need rows in memory and {limit:,} values (rows x columns) at most"


def few_rows(n_rows: int, enough: int) -> Diagnostic:
    """The table has so few rows that chance decides."""
    return Diagnostic(
        code="few-rows",
        message=f"the table has {n_rows} rows: with fewer than {enough} any column may look informative by chance",
        severity="warning",
    )


def text_as_categories(name: str, parsing: TextParsing) -> Diagnostic:
    """Text of digits was not read as numbers, as its leading zeros or points mean something."""
    return Diagnostic(
        code="text-as-categories",
        message=(
            f"column {name!r} holds {parsing.what} such as {parsing.example!r}, with leading zeros, points or a plus: "
            "taken as categories"
        ),
        advice="for numbers add {column_types}",
        fix={"column_types": {name: "number"}},
        columns=(name,),
    )


def ambiguous_dates(name: str, parsing: TextParsing) -> Diagnostic:
    """Dates may begin with the day or with the month."""
    return Diagnostic(
        code="ambiguous-dates",
        message=(
            f"column {name!r} holds dates such as {parsing.example!r}, which may begin with the day or the month: "
            "taken as categories"
        ),
        advice="for dates add {column_types}",
        fix={"column_types": {name: "day-first"}},
        columns=(name,),
        severity="warning",
    )


def text_read(name: str, parsing: TextParsing) -> Diagnostic:
    """Text of a column was read as numbers, times or truth values."""
    return Diagnostic(
        code="text-read",
        message=read_as(f"column {name!r}", parsing),
        advice="to keep the text, add {column_types}",
        fix={"column_types": {name: "category"}},
        columns=(name,),
    )


def numbers_with_text(name: str, parsing: TextParsing) -> Diagnostic:
    """Nearly all values of a column of text are numbers."""
    result = "taken as categories" if parsing.what == MARKED_NUMBERS else "read as missing"
    if parsing.marked:
        others = ", the others as missing" if parsing.n_unread > parsing.n_marked else ""
        advice = f"to read {literal(parsing.readings)}{others}, add {{column_types}}"
    else:
        advice = "to read them as missing, add {column_types}"
    return Diagnostic(
        code="numbers-with-text",
        message=(
            f"column {name!r} holds numbers in {rows(parsing.n_read)} and other text in {parsing.n_unread:,}, which "
            f"is {result}: {parsing.listed}"
        ),
        advice=advice,
        fix={"column_types": {name: "number"}},
        columns=(name,),
        severity="warning",
    )


def mixed_units(name: str, parsing: TextParsing) -> Diagnostic:
    """The numbers of a column have several units, which are not converted."""
    result = "taken as categories"
    if parsing.what != SEVERAL_UNITS:
        result = f"{rows(parsing.n_unread)} read as missing"
    return Diagnostic(
        code="mixed-units",
        message=f"column {name!r} holds numbers in several units: {parsing.listed_units}: {result}",
        advice="convert them to one unit",
        columns=(name,),
        severity="warning",
    )


def rows(number: int) -> str:
    """A number of rows, in words."""
    return "1 row" if number == 1 else f"{number:,} rows"


def target_text_read(name: str, parsing: TextParsing) -> Diagnostic:
    """Text of the target was read as numbers, times or truth values."""
    return Diagnostic(
        code="target-text-read",
        message=read_as(f"target {name!r}", parsing),
        advice="to keep the text as classes, add {repair}",
        fix={"repair": False},
    )


def read_as(where: str, parsing: TextParsing) -> str:
    """What text was read as, and which text was read as missing."""
    if parsing.marked and parsing.marked_are_read:
        text = f"{where} holds {parsing.what}: read as numbers in {rows(parsing.n_read)}, such as {parsing.readings}"
        if parsing.n_unread:
            text += f"; {parsing.n_unread:,} with other text as missing: {parsing.listed}"
        return text
    if parsing.what == "numbers" and parsing.n_unread == 1:
        return f"1 value of {where} is not a number: {parsing.listed}: read as missing"
    if parsing.what == "numbers" and parsing.n_unread > 1:
        return f"{parsing.n_unread:,} values of {where} are not numbers: {parsing.listed}: read as missing"
    if parsing.what == "booleans in words":
        kind = "yes and no"
    elif parsing.what.startswith(("dates", "times", "durations")):
        kind = "times"
    else:
        kind = "numbers"
    text = f"{where} holds {parsing.what} such as {parsing.example!r}: read as {kind}"
    if not parsing.n_unread:
        return text
    return f"{text} in {rows(parsing.n_read)}; {parsing.n_unread:,} with other text as missing: {parsing.listed}"


def empty(names: Sequence[str]) -> Diagnostic:
    """Columns have no values."""
    start = _columns(names, "has no values", "have no values")
    return Diagnostic(code="empty", message=f"{start}: left out", columns=tuple(names))


def identifier_dropped(names: Sequence[str], fix: dict[str, object]) -> Diagnostic:
    """Columns name or number the rows; ``fix`` keeps them."""
    (parameter,) = fix
    start = _columns(names, "looks like an identifier", "look like identifiers")
    pronoun = "it" if len(names) == 1 else "them"
    return Diagnostic(
        code="identifier-dropped",
        message=f"{start}: left out, as nearly every row has a different value",
        advice=f"to keep {pronoun}, add {{{parameter}}}",
        fix=fix,
        columns=tuple(names),
    )


def sentinel(
    name: str, value: float, n_rows: int, low: float, high: float, all_sentinels: Sequence[float]
) -> Diagnostic:
    """A number unlike all others, such as -999, may stand for a missing value.

    ``all_sentinels`` are those of the column, which has one type.
    """
    return Diagnostic(
        code="sentinel",
        message=f"column {name!r} holds {value:g} in {n_rows:,} rows, unlike its other values ({low:g} to {high:g})",
        advice="if it means a missing value, add {column_types}",
        fix={"column_types": {name: type_without(all_sentinels)}},
        columns=(name,),
        severity="warning",
    )


def named_like_identifier(name: str) -> Diagnostic:
    """A column of whole numbers has the name of a code."""
    return Diagnostic(
        code="named-like-identifier",
        message=f"column {name!r} is named like an identifier, but was read as numbers",
        advice="to make each number a category, add {column_types}",
        fix={"column_types": {name: "category"}},
        columns=(name,),
    )


def names_alike(groups: Sequence[Sequence[str]]) -> Diagnostic:
    """Columns have nearly the same name."""
    listed = "; ".join(quoted(group) for group in groups[:MAX_LISTED])
    more = f"; and {len(groups) - MAX_LISTED:,} more" if len(groups) > MAX_LISTED else ""
    return Diagnostic(
        code="names-alike",
        message=f"names of columns differ in case or blanks only: {listed}{more}",
        advice="check that a column is not in the table twice",
        columns=list(chain.from_iterable(groups)),
    )


def group_of_one() -> Diagnostic:
    """A group has fewer than two columns."""
    return Diagnostic(
        code="group-of-one",
        message="a group of fewer than two columns changes nothing",
        advice="name all columns that are taken together",
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


def missing_kept(names: Sequence[str]) -> Diagnostic:
    """Missing values count as a bin."""
    start = _columns(names, "has missing values", "have missing values")
    return Diagnostic(
        code="missing-kept",
        message=f"{start}, which get a separate bin",
        advice="to raise an error instead, add {missing}",
        fix={"missing": "error"},
        columns=tuple(names),
    )


def copies(pairs: Sequence[Copy], kinds: Sequence[CopyKind], names: Sequence[object]) -> Diagnostic:
    """Columns repeat an earlier one; ``kinds`` are those of the first pairs, which are listed."""
    listed = []
    for copy, kind in zip(pairs[: len(kinds)], kinds, strict=True):
        name = str(names[copy.column])
        original = str(names[copy.original])
        if kind == "same values":
            listed.append(f"{name!r} has the values of {original!r}")
        elif kind == "linear":
            listed.append(f"{name!r} is a linear function of {original!r}")
        else:
            listed.append(f"{name!r} recodes {original!r} one to one")
    more = f", and {len(pairs) - len(listed):,} more" if len(pairs) > len(listed) else ""
    start = "1 column repeats another one" if len(pairs) == 1 else f"{len(pairs):,} columns repeat another one"
    repeated = ColumnNames(names, [copy.column for copy in pairs])
    return Diagnostic(
        code="copies",
        message=f"{start}: {', '.join(listed)}{more}",
        advice="one of each is enough, add {exclude}",
        fix={"exclude": repeated[:_MAX_EXCLUDED]},
        columns=repeated,
    )


def missing_without_effect(missing: str, method: str) -> Diagnostic:
    """The parameter ``missing`` has no effect on a method without bins."""
    return Diagnostic(
        code="missing-without-effect",
        message=f"has no effect on {method}, which makes no bins",
        parameters={"missing": missing},
    )


def counted_in_place() -> Diagnostic:
    """A database counted the rows, although the user did not ask for it."""
    return Diagnostic(
        code="counted-in-place",
        message="the table has very many rows: they were counted where they are, and not read",
        advice="to read them, add {push_down}",
        fix={"push_down": False},
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


def counted_in_postgres(n_columns: int) -> Diagnostic:
    """The user let PostgreSQL count the rows, which takes longer than to read them."""
    return Diagnostic(
        code="counted-in-postgres",
        message=f"PostgreSQL counted {n_columns:,} columns by {2 * n_columns:,} statements or more, each over all "
        "rows, which takes longer than to read the rows once",
        advice=f"if they may be read, {ADVICE}",
    )


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


def joint_target(names: Sequence[str], n_classes: int, cuts: Sequence[str]) -> Diagnostic:
    """Several targets are one; ``cuts``: how those of numbers were binned."""
    text = "".join(f"; {cut}" for cut in cuts)
    return Diagnostic(
        code="joint-target",
        message=f"the targets {quoted(names, MAX_NAMES)} are combined into one: {n_classes:,} combinations occur{text}",
    )


def many_classes(name: str, n_classes: int, n_rows: int, is_perhaps_numeric: bool) -> Diagnostic:
    """The target has suspiciously many classes."""
    message = f"target {name!r} has {n_classes:,} classes in {n_rows:,} rows"
    if is_perhaps_numeric:
        return Diagnostic(
            code="many-classes",
            message=message,
            advice="if it is a number to predict, add {target_kind}",
            fix={"target_kind": "quantity"},
            severity="warning",
        )
    return Diagnostic(
        code="many-classes",
        message=message,
        advice="check that it does not only name or number the rows",
        severity="warning",
    )


def numbers_as_classes(name: str, n_classes: int) -> Diagnostic:
    """The target holds numbers, each of which is a class."""
    return Diagnostic(
        code="numbers-as-classes",
        message=f"target {name!r} has {n_classes:,} different numbers, each taken as a class",
        advice="if it is a number to predict, add {target_kind}",
        fix={"target_kind": "quantity"},
    )


def no_reliable_relation(
    names: Sequence[str], n_numeric: int, targets: Sequence[str], about_bins: str, at_median: bool
) -> Diagnostic:
    """Numeric columns have no cut that separates the classes beyond chance."""
    n_columns = f"{len(names):,} of {n_numeric:,} numeric columns"
    target = quoted(targets)
    if len(names) == 1:
        relation = f"{n_columns} shows no reliable relation to {target}"
        at_its_median = "is split at its median"
        scores = f"{about_bins}so its relevance is 0 bits" if about_bins else "and scores 0 bits"
        pronoun = "it"
    else:
        relation = f"{n_columns} show no reliable relation to {target}"
        at_its_median = "are split at their median"
        scores = f"{about_bins}so their relevance is 0 bits" if about_bins else "and score 0 bits"
        pronoun = "them"
    listed = quoted(names, MAX_NAMES)
    if at_median:
        return Diagnostic(
            code="no-reliable-relation",
            message=f"{relation} and {at_its_median}: {listed}",
            columns=tuple(names),
        )
    return Diagnostic(
        code="no-reliable-relation",
        message=f"{relation} {scores}: {listed}",
        advice=f"to split {pronoun} anyway, use {{uncut}} or {{binning}}",
        fix={"uncut": "median", "binning": "quantile"},
        columns=tuple(names),
    )


def drifting_excluded(names: Sequence[str], max_drift: float) -> Diagnostic:
    """Columns are left out as their distribution moves with the period."""
    shift = f"more than {max_drift:g} bits between the periods"
    return Diagnostic(
        code="drift-excluded",
        message=_columns_listed(names, f"is left out as it moves by {shift}", f"are left out as they move by {shift}"),
        columns=tuple(names),
    )


def text_in_tables(column: str, text_tables: Sequence[str], other_tables: Sequence[str]) -> Diagnostic:
    """A column holds text in some tables, and numbers or times in others."""
    return Diagnostic(
        code="kind-changed",
        severity="warning",
        message=f"column {column!r} holds text in {quoted(text_tables)}, and not in {quoted(other_tables)}",
        columns=(column,),
    )


def constant(names: Sequence[str]) -> Diagnostic:
    """Columns have one value."""
    return Diagnostic(code="constant", message=_columns_listed(names, "is constant", "are constant"), columns=names)


def identifier_kept(names: Sequence[str]) -> Diagnostic:
    """Columns that look like identifiers are ranked, too."""
    why = "(more than half as many different values as rows: informative here, useless on new rows)"
    return Diagnostic(
        code="identifier-kept",
        message=_columns_listed(names, f"looks like an identifier {why}", f"look like identifiers {why}"),
        columns=tuple(names),
        severity="warning",
    )


def row_counter(names: Sequence[str]) -> Diagnostic:
    """Selected columns rise from row to row."""
    why = "the rows, which looks informative when they are sorted"
    return Diagnostic(
        code="row-counter",
        message=_columns_listed(names, f"only counts {why}", f"only count {why}"),
        columns=tuple(names),
        severity="warning",
    )


def binned_on_sample(names: Sequence[str], approximation: Approximation) -> Diagnostic:
    """The bins of columns were found on a part of their values."""
    have = f"{len(names):,} columns have" if len(names) > 1 else "1 column has"
    sample = "a sample of the rows"
    advice = ""
    if approximation.from_intervals:
        sample = "intervals of them"
    elif approximation.rows_in_memory is not None:
        sample = f"a sample of {approximation.rows_in_memory:,} rows, as many as the memory holds"
        advice = "give more {memory} for a larger sample"
    certainty = "" if approximation.from_intervals else ", 99 times in 100"
    return Diagnostic(
        code="binned-on-sample",
        message=(
            f"{have} too many different numbers to count them all, so the bins were found on {sample}; the ranks of "
            f"the edges are off by at most {approximation.rank_error:.2%} of the rows{certainty}: "
            f"{quoted(names, MAX_NAMES)}"
        ),
        advice=advice,
        columns=tuple(names),
    )


def target_binned_on_sample(name: str, error: float) -> Diagnostic:
    """The edges of a numeric target were found on a sample."""
    return Diagnostic(
        code="target-binned-on-sample",
        message=(
            f"the edges of the target {name!r} were found on a sample of the rows; their ranks are off by at most "
            f"{error:.2%} of the rows, 99 times in 100"
        ),
    )


def leak(names: Sequence[str], decided: str, share_of_rows: float) -> Diagnostic:
    """Columns nearly decide what ``decided`` says; each alone decides it in at least ``share_of_rows`` of the rows."""
    percent = f"{floor(1000 * share_of_rows) / 10:g} % of the rows"
    if len(names) == 1:
        message = f"{quoted(names, MAX_NAMES)} alone decides {decided} in {percent}"
        question = "is it"
    else:
        message = f"{quoted(names, MAX_NAMES)} each alone decide {decided} in at least {percent}"
        question = "are they"
    return Diagnostic(
        code="leak",
        message=message,
        advice=f"{question} known at prediction time? If not, add {{exclude}}",
        fix={"exclude": list(names)},
        columns=tuple(names),
        severity="warning",
    )


def target_encoding(name: str, n_values: int, target: str, label: str) -> Diagnostic:
    """The values of a column are shares of one class, as target encoding makes them."""
    return Diagnostic(
        code="target-encoding",
        message=(
            f"{quoted([name])} looks like an encoding of the target: each of its {n_values:,} values is near the share "
            f"of {target!r} = {label!r} among the rows with that value"
        ),
        advice="encode on other rows, such as within the folds, or add {exclude}",
        fix={"exclude": [name]},
        columns=(name,),
        severity="warning",
    )


def mostly_chance(name: str, n_values: int, n_rows: int) -> Diagnostic:
    """At least half of the information of a column with few rows for each value is chance."""
    return Diagnostic(
        code="mostly-chance",
        message=(
            f"{quoted([name])} has {n_values:,} values in {n_rows:,} rows: at least half of its information about the "
            "target is chance"
        ),
        advice="group its values, or add {exclude}",
        fix={"exclude": [name]},
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


def uncut_within_strata() -> Diagnostic:
    """Columns without a cut are not tested by their ranks, which differ between the strata."""
    return Diagnostic(
        code="ordered-by-position",
        message="columns without a cut are in the order of the table: within strata no test of ranks orders them",
        advice="to give them codes, add {binning}",
        fix={"binning": "quantile"},
    )


def ordered_by_position() -> Diagnostic:
    """Columns without a cut could not be tested by their ranks."""
    return Diagnostic(
        code="ordered-by-position",
        message="columns without a cut are in the order of the table: their ranks are not among the counts",
        advice="to order them by a test of ranks, select from the rows",
    )


def ordered_by_ranks(names: Sequence[str], tests: Sequence[RankTest], statistic_name: str) -> Diagnostic:
    """A test of ranks orders columns without a cut."""
    results = [
        f"{quoted([name])} ({statistic_name} = {test.statistic:.3g}, p = {test.p:.2g})"
        for name, test in zip(names, tests, strict=True)
    ]
    listed = ", ".join(results[:MAX_TESTS_LISTED])
    if len(results) > MAX_TESTS_LISTED:
        listed += f" and {len(results) - MAX_TESTS_LISTED:,} more"
    have = "has no cut and is" if len(results) == 1 else "have no cut and are"
    return Diagnostic(
        code="ordered-by-ranks",
        message=f"{listed} {have} ordered by a test of ranks",
        columns=tuple(names),
    )


def tied(names: Sequence[str], relevance: Sequence[float]) -> Diagnostic:
    """Columns have the same score, and a less relevant one stands before a more relevant one."""
    items = [f"{name!r} {number(bits)}" for name, bits in zip(names, relevance, strict=True)]
    listed = ", ".join(items[:MAX_TIES_LISTED])
    n_more = len(names) - MAX_TIES_LISTED
    more = f" and {n_more:,} more" if n_more > 0 else ""
    return Diagnostic(
        code="tied-scores",
        message=(
            f"{len(names):,} columns have the same score and are ranked in the order of the table, whatever their "
            f"relevance in bits: {listed}{more}"
        ),
        advice="for an order by relevance, use {method}",
        fix={"method": "mim"},
        columns=tuple(names),
    )


def fewer_selected(method: str, n_selected: int, requested: int) -> Diagnostic:
    """A method ended before the number that was requested."""
    return Diagnostic(
        code="fewer-selected",
        message=(
            f"{method} selected {features(n_selected)} of the {requested:,} requested: by its rule the others add "
            "nothing"
        ),
    )


def stopped_by_rule(n_selected: int, rule: str, reason: str) -> Diagnostic:
    """A rule ended the selection, of all columns at once."""
    return Diagnostic(
        code="stopped-by-rule",
        message=f"stopped after {features(n_selected)} by {rule}: {reason}",
        advice="if fewer are relevant, use {stopping}",
        fix={"stopping": "conditional"},
    )


def empty_blanket(method: str, targets: Sequence[str]) -> Diagnostic:
    """No column is in the Markov blanket of the target."""
    return Diagnostic(
        code="empty-blanket",
        message=f"{method} selects no column: none is shown to depend on {quoted(targets)}",
        advice="raise {level}, or rank the columns by {method}",
        fix={"method": "mim"},
    )


def tests_not_executed(n_not_executed: int, n_tests: int, power: int) -> Diagnostic:
    """Some tests of a search for a Markov blanket had fewer rows than ``power`` asks for."""
    return Diagnostic(
        code="tests-not-executed",
        message=f"{n_not_executed:,} of {n_tests:,} tests were not executed: they have fewer than "
        f"{power:,} rows for every possible cell, and count as p = 1",
        advice="lower {power}, or take fewer bins or more rows",
    )


def nothing_related(method: str, targets: Sequence[str]) -> Diagnostic:
    """No column is related to the target beyond chance, so that a method without a threshold selects none."""
    return Diagnostic(
        code="nothing-related",
        message=f"{method} selects no column: none is related to {quoted(targets)} beyond chance",
        advice="to select columns that may be noise, add {delta}",
        fix={"delta": 0.0},
    )


def nothing_left(n_selected: int, targets: Sequence[str]) -> Diagnostic:
    """No column was left that could be tested."""
    return Diagnostic(
        code="nothing-left",
        message=(
            f"stopped after {features(n_selected)}: all columns that are left have one value or no reliable relation "
            f"to {quoted(targets)}"
        ),
    )


def stopped_at(n_selected: int, rule: str, candidate: str, reason: str, before_correction: bool) -> Diagnostic:
    """A rule ended the selection at one column."""
    before = " (before correction for chance; scores are after it)" if before_correction else ""
    return Diagnostic(
        code="stopped-at",
        message=f"stopped after {features(n_selected)} by {rule}: next was {candidate!r}, but {reason}{before}",
        columns=(candidate,),
    )


def untested(names: Sequence[str]) -> Diagnostic:
    """A conditional test has nothing to permute in some columns."""
    what = f"p = 1 for {len(names):,} of the columns, as their neighbours in the tree leave nothing to permute"
    return Diagnostic(
        code="untested",
        message=f"{what}: {quoted(names, MAX_NAMES)}",
        advice="if several are equal, keep one",
        columns=tuple(names),
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


def conditional_list(conclusion: str) -> Diagnostic:
    """What may be concluded of each selected column."""
    return Diagnostic(code="conditional-list", message=f"each is {conclusion}")


def list_from_target_bins() -> Diagnostic:
    """The bins of a list with an error rate were made with the target."""
    return Diagnostic(
        code="list-from-target-bins",
        message="the bins were made with the target: a larger fraction of the list may be false than was requested",
        advice="to avoid this, use {binning}",
        fix={"binning": "quantile"},
        severity="warning",
    )


def list_of_dependent(names: Sequence[str], bits: float, can_test: bool) -> Diagnostic:
    """Columns of a list depend on each other, which its error rate does not allow for."""
    shared = f"{' and '.join(map(repr, names))} share {bits:.2g} bits"
    return Diagnostic(
        code="list-of-dependent",
        message=(
            "the fdr rule is valid if columns are independent given the class or depend on each other positively, and "
            f"{shared}"
        ),
        advice=(
            "if that is doubtful, use {stopping}"
            if can_test
            else "if that is doubtful, a larger fraction of the list may be false than was requested"
        ),
        fix={"stopping": "conditional"} if can_test else {},
        columns=tuple(names),
    )


def no_information(n_selected: int) -> Diagnostic:
    """No selected column has information about the target."""
    what = "selected column has" if n_selected == 1 else f"{n_selected:,} selected columns have"
    return Diagnostic(
        code="no-information",
        message=f"the {what} no information about the target (relevance 0): any other column would do as well",
        severity="warning",
    )


def partly_informative(
    *,
    n_alone: int,
    n_with_others: int,
    unshown: Sequence[str],
    untested: Sequence[str],
    about_bins: str,
    limit: int | None,
) -> Diagnostic:
    """Some or all selected columns are not shown to be more informative than chance.

    ``limit``: the largest table, in values, that is tested by shuffles, if this one was larger; None: it was tested.
    """
    n_informative = n_alone + n_with_others
    n_selected = n_informative + len(unshown) + len(untested)
    are = "is" if n_informative == 1 else "are"
    counts = [f"{n_alone:,} alone"]
    if n_with_others:
        counts.append(f"{n_with_others:,} with others")
    if unshown:
        counts.append(f"{len(unshown):,} not shown")
    if untested:
        counts.append(f"{len(untested):,} not tested with others")
    message = (
        f"{about_bins}{n_informative:,} of {n_selected:,} selected columns {are} more informative than chance: "
        f"{', '.join(counts)}"
    )
    if limit is not None:
        message += f"; {_UNTESTED.format(limit=limit)}"
    names = (*unshown, *untested)
    if not n_informative:
        return Diagnostic(code="not-informative", message=message, columns=names, severity="warning")
    return Diagnostic(code="partly-informative", message=message, columns=names)


def many_values(names: Sequence[str], has_estimator: bool) -> Diagnostic:
    """Columns have so many values that chance makes a good part of their information."""
    have = "1 column has" if len(names) == 1 else f"{len(names):,} columns have"
    their = "its" if len(names) == 1 else "their"
    return Diagnostic(
        code="many-values",
        message=(
            f"{have} so many different values that chance alone makes 10 % or more of {their} information: "
            f"{quoted(names, MAX_NAMES)}"
        ),
        advice=f"group {their} values" + (", or compare with {estimator}" if has_estimator else ""),
        fix={"estimator": "corrected"} if has_estimator else {},
        columns=tuple(names),
    )


def best_found(n_selected: int) -> Diagnostic:
    """The subset is the best one."""
    others = "no other feature is better"
    if n_selected != 1:
        others = f"no other {n_selected:,} features are better together"
    return Diagnostic(code="best-found", message=f"this is the best subset by the criterion of the method: {others}")


def near_best(n_selected: int, percent: float) -> Diagnostic:
    """How near to the best the subset is at least."""
    subject = "this feature reaches" if n_selected == 1 else f"these {n_selected:,} features reach"
    return Diagnostic(
        code="near-best",
        message=f"by the criterion of the method, {subject} at least {percent:.1f} % of the best possible value",
    )


def constant_in_tuples(names: Sequence[str]) -> Diagnostic:
    """Columns have a single bin, so that no pair or triple holds them."""
    have = "1 column has" if len(names) == 1 else f"{len(names):,} columns have"
    are = "is" if len(names) == 1 else "are"
    return Diagnostic(
        code="constant-in-tuples",
        message=f"{have} a single value, or a single bin, and {are} in no pair or triple: {quoted(names, MAX_NAMES)}",
        columns=tuple(names),
    )


def many_values_in_tuples(names: Sequence[str], order: int, bits: float) -> Diagnostic:
    """Columns have so many values that all their pairs or triples are strong by chance."""
    tuples = "pairs" if order == 2 else "triples"
    its = "its" if len(names) == 1 else "their"
    return Diagnostic(
        code="many-values-in-tuples",
        message=(
            f"{tuples} with {quoted(names, MAX_NAMES)} have about {bits:.2g} bits by chance, so weaker {tuples} have "
            "no small p"
        ),
        advice=f"group {its} many values, or add {{exclude}}",
        fix={"exclude": list(names)},
        columns=tuple(names),
        severity="warning",
    )


def without_shuffles() -> Diagnostic:
    """The strongest tuples were not compared with chance."""
    return Diagnostic(
        code="without-shuffles",
        message="the strongest of so many tuples may be strong by chance alone",
        advice="for p-values, add {n_shuffles}, each of which takes as long as the search",
        fix={"n_shuffles": 99},
    )


def features(number: int) -> str:
    """A number of features."""
    return "1 feature" if number == 1 else f"{number:,} features"


def _columns(names: Sequence[str], singular: str, plural: str) -> str:
    if len(names) == 1:
        return f"column {names[0]!r} {singular}"
    return f"{len(names):,} columns {plural} ({quoted(names, MAX_NAMES)})"


def _columns_listed(names: Sequence[str], singular: str, plural: str) -> str:
    if len(names) == 1:
        return f"column {names[0]!r} {singular}"
    return f"{len(names):,} columns {plural}: {quoted(names, MAX_NAMES)}"


def strata_of_one_class(n_strata: int, n_all: int, n_rows: int, target: str) -> Diagnostic:
    """Some strata have rows of one class only."""
    verb = "has" if n_strata == 1 else "have"
    pronoun = "it" if n_strata == 1 else "them"
    return Diagnostic(
        code="strata-of-one-class",
        message=(
            f"{n_strata:,} of {n_all:,} strata ({rows(n_rows)}) {verb} one class of {target!r}: "
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
