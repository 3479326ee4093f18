"""Sentences on what changed between an earlier selection, ``then``, and a later one, ``now``.

They compare rows, columns, target, values, options and versions. A sentence is empty where nothing has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bitsieve.results.equality import equal_values
from bitsieve.results.saved.record import SavedTarget, SelectionRecord
from bitsieve.results.saved.schema import Option, SavedColumn, SavedData, Versions
from bitsieve.utils.messages import quoted

_WORDS_OF_KIND = {"n": "numbers", "c": "categories", "-": "left out"}
MAX_SIZES = 5  # classes whose sizes a sentence lists
#: The options that say how columns are read, cut and counted.
COUNTING_OPTIONS = (
    "sample_weight",
    "weight_kind",
    "binning",
    "n_bins",
    "uncut",
    "bins_within",
    "missing",
    "header",
    "repair",
    "column_types",
)


def change_of_rows(then: SavedData, now: SavedData) -> str:
    if then.n_samples != now.n_samples:
        return f"{then.n_samples:,} rows then, {now.n_samples:,} now"
    if then.total_weight != now.total_weight:
        return f"a weight of {then.total_weight:,} then, {now.total_weight:,} now"
    return ""


def change_of_columns(then: SavedData, now: SavedData) -> str:
    earlier_names = set(then.names or ())
    current_names = set(now.names or ())
    lost = [name for name in then.names or () if name not in current_names]
    new = [name for name in now.names or () if name not in earlier_names]
    if lost and new:
        return f"{quoted(lost)} left the table, and {quoted(new)} entered it"
    if lost:
        return f"{quoted(lost)} left the table"
    if new:
        return f"{quoted(new)} entered the table"
    if then.n_features != now.n_features:
        return f"{then.n_features:,} columns then, {now.n_features:,} now"
    if then.names != now.names:
        return "the columns have another order"
    return ""


def change_of_kinds(then: SavedData, now: SavedData) -> str:
    """Which columns have other kinds. The names and the options of both selections must be the same."""
    if then.digest == now.digest:
        return ""
    if then.kinds is None or now.kinds is None:
        return "a column that held numbers holds categories now, or is left out now, or the reverse"
    names_by_change: dict[tuple[str, str], list[str]] = {}
    for j, (kind_then, kind_now) in enumerate(zip(then.kinds, now.kinds, strict=True)):
        if kind_then != kind_now:
            name = f"x{j}" if then.names is None else then.names[j]
            names_by_change.setdefault((kind_then, kind_now), []).append(name)
    sentences = []
    for (kind_then, kind_now), names in names_by_change.items():
        sentences.append(f"{quoted(names)}: {_WORDS_OF_KIND[kind_then]} then, {_WORDS_OF_KIND[kind_now]} now")
    return "; ".join(sentences)


def change_of_target(then: SavedTarget, now: SavedTarget) -> str:
    if then.name != now.name:
        return f"the target was {then.name!r}, and is {now.name!r} now"
    if not equal_values(then.labels, now.labels):
        return "the target has other classes"
    if then.class_sizes != now.class_sizes:
        return f"the classes had {_sizes(then.class_sizes)} rows, and have {_sizes(now.class_sizes)} now"
    if not equal_values(then, now):
        return "the target is read in another way"
    return ""


def _sizes(class_sizes: Sequence[int]) -> str:
    sizes = [f"{size:,}" for size in class_sizes[:MAX_SIZES]]
    if len(class_sizes) > MAX_SIZES:
        sizes.append("...")
    return ", ".join(sizes)


def changes_of_options(then: Mapping[str, Option], now: Mapping[str, Option]) -> list[str]:
    """A sentence for each option with another value.

    An option that only one of two versions has is not compared: its default is what the other version does.
    """
    sentences = []
    for name in then:
        if name in now and str(then[name]) != str(now[name]):
            sentences.append(f"{name} was {then[name]}, and is {now[name]} now")
    return sentences


def changes_of_settled(then: Mapping[str, Option], now: Mapping[str, Option]) -> list[str]:
    """A sentence for each option that the data has settled otherwise; the number of features is seen in the ranking."""

    def without_number(settled: Mapping[str, Option]) -> dict[str, Option]:
        return {name: value for name, value in settled.items() if name != "n_features_to_select"}

    return changes_of_options(without_number(then), without_number(now))


def change_of_values(then: SelectionRecord, now: SelectionRecord) -> str:
    """Whether the columns have other values, and which of those that are selected then and now."""
    if then.values_digest == now.values_digest:
        return ""
    columns_then = [feature.column for feature in then.features]
    columns_now = [feature.column for feature in now.features]
    if are_counted_alike(then, now):
        changed = columns_with_other_values(columns_then, columns_now)
        among_them = f", {quoted(changed)} among them" if changed else ""
        return f"columns have other values{among_them}"
    changed = [
        column.name
        for column, column_now in _columns_of_both(columns_then, columns_now)
        if _has_other_range(column, column_now)
    ]
    return f"other smallest or largest values of {quoted(changed)}" if changed else ""


def columns_with_other_values(then: Sequence[SavedColumn], now: Sequence[SavedColumn]) -> list[str]:
    """The names of the columns that are selected then and now, and have other values."""
    return [column.name for column, column_now in _columns_of_both(then, now) if not equal_values(column, column_now)]


def _columns_of_both(then: Sequence[SavedColumn], now: Sequence[SavedColumn]) -> list[tuple[SavedColumn, SavedColumn]]:
    """Each column that is selected then and now, as it was then and as it is now."""
    column_now = {column.name: column for column in now}
    return [(column, column_now[column.name]) for column in then if column.name in column_now]


def are_counted_alike(then: SelectionRecord, now: SelectionRecord) -> bool:
    """Whether columns, target and options are such that the digests of equal values are equal."""
    has_digests = then.values_digest is not None and now.values_digest is not None
    has_same_options = all(then.options.get(name) == now.options.get(name) for name in COUNTING_OPTIONS)
    has_same_columns = then.data.digest == now.data.digest
    return has_digests and has_same_options and has_same_columns and not change_of_target(then.target, now.target)


def _has_other_range(then: SavedColumn, now: SavedColumn) -> bool:
    """Whether the smallest or the largest value is another one; False where they are not known."""
    if then.smallest is None or now.smallest is None:
        return False
    return then.smallest != now.smallest or then.largest != now.largest


def change_of_versions(then: Versions, now: Versions) -> str:
    versions = (
        ("bitsieve", then.bitsieve, now.bitsieve),
        ("Python", then.python, now.python),
        ("numpy", then.numpy, now.numpy),
    )
    sentences = []
    for name, version_then, version_now in versions:
        if version_then != version_now:
            sentences.append(f"{name} {version_then} then, {version_now} now")
    return "; ".join(sentences)
