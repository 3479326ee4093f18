"""The selected columns: why so many, in which order, and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.dataset.rank_test import RankTest
from bitsieve.diagnostics import Diagnostic
from bitsieve.utils.messages import number_and_noun, quoted
from bitsieve.utils.note_lines import MAX_NAMES
from bitsieve.utils.terminal_text import number

MAX_TIES_LISTED = 5
MAX_TESTS_LISTED = 2


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


def ordered_by_position() -> Diagnostic:
    """Columns without a cut could not be tested by their ranks."""
    return Diagnostic(
        code="ordered-by-position",
        message="columns without a cut are in the order of the table: their ranks are not among the counts",
        advice="to order them by a test of ranks, select from the rows",
    )


def uncut_within_strata() -> Diagnostic:
    """Columns without a cut are not tested by their ranks, which differ between the strata."""
    return Diagnostic(
        code="ordered-by-position",
        message="columns without a cut are in the order of the table: within strata no test of ranks orders them",
        advice="to give them codes, add {binning}, or {bins_within} where strata shift their values",
        fix={"binning": "quantile", "bins_within": True},
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
            f"{method} selected {number_and_noun(n_selected, 'feature')} of the {requested:,} requested: "
            "by its rule the others add nothing"
        ),
    )


def stopped_at(n_selected: int, rule: str, candidate: str, reason: str, before_correction: bool) -> Diagnostic:
    """A rule ended the selection at one column."""
    before = " (before correction for chance; scores are after it)" if before_correction else ""
    return Diagnostic(
        code="stopped-at",
        message=(
            f"stopped after {number_and_noun(n_selected, 'feature')} by {rule}: "
            f"next was {candidate!r}, but {reason}{before}"
        ),
        columns=(candidate,),
    )


def stopped_by_rule(n_selected: int, rule: str, reason: str) -> Diagnostic:
    """A rule ended the selection, of all columns at once."""
    return Diagnostic(
        code="stopped-by-rule",
        message=f"stopped after {number_and_noun(n_selected, 'feature')} by {rule}: {reason}",
        advice="if fewer are relevant, use {stopping}",
        fix={"stopping": "conditional"},
    )


def nothing_left(n_selected: int, targets: Sequence[str]) -> Diagnostic:
    """No column was left that could be tested."""
    return Diagnostic(
        code="nothing-left",
        message=(
            f"stopped after {number_and_noun(n_selected, 'feature')}: "
            f"all columns that are left have one value or no reliable relation to {quoted(targets)}"
        ),
    )


def nothing_related(method: str, targets: Sequence[str]) -> Diagnostic:
    """No column is related to the target beyond chance, so that a method without a threshold selects none."""
    return Diagnostic(
        code="nothing-related",
        message=f"{method} selects no column: none is related to {quoted(targets)} beyond chance",
        advice="to select columns that may be noise, add {delta}",
        fix={"delta": 0.0},
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


def untested(names: Sequence[str]) -> Diagnostic:
    """A conditional test has nothing to permute in some columns."""
    what = f"p = 1 for {len(names):,} of the columns, as their neighbours in the tree leave nothing to permute"
    return Diagnostic(
        code="untested",
        message=f"{what}: {quoted(names, MAX_NAMES)}",
        advice="if several are equal, keep one",
        columns=tuple(names),
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


def text_in_order(rule: str, names: Sequence[str]) -> Diagnostic:
    """A rule takes the values of text for numbers, in their order."""
    columns = number_and_noun(len(names), "column")
    return Diagnostic(
        code="text-in-order",
        message=(
            f"{rule} takes the values of {columns} of text in alphabetical order, as if they were numbers: "
            f"{quoted(names, MAX_NAMES)}"
        ),
        advice="to test text without an order, use {stopping}",
        fix={"stopping": "conditional"},
        severity="warning",
        columns=tuple(names),
    )


def missing_in_order(rule: str, names: Sequence[str]) -> Diagnostic:
    """A rule takes codes for numbers, the code of missing values among them."""
    columns = number_and_noun(len(names), "column")
    return Diagnostic(
        code="missing-in-order",
        message=f"{rule} takes the missing values of {columns} for the largest ones: {quoted(names, MAX_NAMES)}",
        advice="fill them in, such as with the median, or use {stopping}",
        fix={"stopping": "conditional"},
        severity="warning",
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
        message += (
            f"; not tested by permutations, which need rows in memory and {limit:,} values (rows x columns) at most"
        )
    names = (*unshown, *untested)
    if not n_informative:
        return Diagnostic(code="not-informative", message=message, columns=names, severity="warning")
    return Diagnostic(code="partly-informative", message=message, columns=names)


def common_effect_not_tested(limit: int, *, has_rule: bool) -> Diagnostic:
    """No column was tested by shuffles, the only test of a common effect; ``limit``: the most values it takes.

    ``has_rule`` says whether a stopping rule can test the columns one after another, as it can not by tables of pairs.
    """
    message = (
        "no selected column is tested against chance: the shuffles that test a common effect need rows in memory, "
        f"without weights, and {limit:,} values (rows x columns) at most"
    )
    if not has_rule:
        return Diagnostic(code="common-effect-not-tested", message=message)
    return Diagnostic(
        code="common-effect-not-tested",
        message=message,
        advice="to test them one after another, add {stopping} with {binning}",
        fix={"stopping": "permutation", "binning": "quantile"},
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
