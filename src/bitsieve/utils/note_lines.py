"""The lines in which notes are shown: a few, the most important first, those of one code together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bitsieve.codes import CODES
from bitsieve.diagnostics import Diagnostic, SettingWriter, text_of

MAX_LINES = 3
MAX_LETTERS = 144  # with "bitsieve: note: " before it, a line has 160 letters at most
MAX_NAMES = 3
MAX_LETTERS_OF_NAME = 24
COLUMN = "COLUMN"  # the placeholder for the names of columns

_POSITION_OF_CODE = {code: position for position, code in enumerate(CODES)}


def by_importance(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Warnings before notes, each in the order of the table of codes."""

    def importance(diagnostic: Diagnostic) -> tuple[bool, int]:
        is_note = diagnostic.severity == "note"
        return is_note, _POSITION_OF_CODE.get(diagnostic.code, len(CODES))

    return sorted(diagnostics, key=importance)


def one_of_each_code(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics, the most important first; those of one code are merged into one."""
    by_code: dict[str, list[Diagnostic]] = {}
    for diagnostic in by_importance(diagnostics):
        by_code.setdefault(diagnostic.code, []).append(diagnostic)
    return [_merged(same_code) for same_code in by_code.values()]


def as_lines(diagnostics: Sequence[Diagnostic], write_setting: SettingWriter, where_all: str) -> list[Diagnostic]:
    """At most three diagnostics, each with the text of its line as the message.

    The last one says how many more there are, and ``where_all`` of them are shown.
    """
    merged = one_of_each_code(diagnostics)
    shown = merged[:MAX_LINES]
    shown_codes = {diagnostic.code for diagnostic in shown}
    n_more = sum(diagnostic.code not in shown_codes for diagnostic in diagnostics)
    lines = []
    for diagnostic in shown:
        end = ""
        if n_more and diagnostic is shown[-1]:
            end = f" (and {n_more:,} more note{'s' * (n_more > 1)}: {where_all})"
        line = _shortened(diagnostic, write_setting, MAX_LETTERS - len(end)) + end
        lines.append(replace(diagnostic, message=line, advice="", parameters={}))
    return lines


def _merged(same_code: Sequence[Diagnostic]) -> Diagnostic:
    """One diagnostic in place of several of one code: how many columns there are, and the first of them."""
    first = same_code[0]
    if len(same_code) == 1:
        return first
    columns = list(dict.fromkeys(name for diagnostic in same_code for name in diagnostic.columns))
    predicate = CODES[first.code].predicate
    if len(columns) < 2 or not predicate:
        n_others = len(same_code) - 1
        others = "1 other note" if n_others == 1 else f"{n_others:,} other notes"
        return replace(first, message=f"{first.message} (and {others} of this kind)")
    return replace(
        first,
        message=f"{len(columns):,} columns {predicate}: {_first_names(columns)}",
        columns=tuple(columns),
        fix=_merged_fix(same_code),
    )


def _merged_fix(same_code: Sequence[Diagnostic]) -> dict[str, object]:
    """The parameters that settle all matters: mappings and lists are joined, another value stays if all agree."""
    merged: dict[str, object] = {}
    for name, first_value in same_code[0].fix.items():
        values = [diagnostic.fix.get(name) for diagnostic in same_code]
        mappings = [value for value in values if isinstance(value, Mapping)]
        lists = [value for value in values if isinstance(value, list)]
        if len(mappings) == len(values):
            merged[name] = {key: item for mapping in mappings for key, item in mapping.items()}
        elif len(lists) == len(values):
            merged[name] = [item for items in lists for item in items]
        elif all(value == first_value for value in values):
            merged[name] = first_value
    return merged


def _first_names(columns: Sequence[str]) -> str:
    names = ", ".join(repr(short_name(name)) for name in columns[:MAX_NAMES])
    n_more = len(columns) - MAX_NAMES
    return f"{names} and {n_more:,} more" if n_more > 0 else names


def short_name(name: str) -> str:
    """The start of a long name."""
    return name if len(name) <= MAX_LETTERS_OF_NAME else f"{name[: MAX_LETTERS_OF_NAME - 3]}..."


def _shortened(diagnostic: Diagnostic, write_setting: SettingWriter, n_letters: int) -> str:
    """The text in at most so many letters.

    A text that is too long has short names, then one placeholder for all columns of a parameter, then the first
    sentence of the advice, then no advice, and is cut at last.
    """
    message = diagnostic.message
    for name in diagnostic.columns[:MAX_NAMES]:
        message = message.replace(repr(name), repr(short_name(name)))
    with_short_names = replace(diagnostic, message=message)
    with_short_fix = replace(with_short_names, fix=_fix_with_placeholder(diagnostic.fix))
    question, mark, _ = diagnostic.advice.partition("? ")
    with_question = replace(with_short_names, advice=f"{question}?" if mark else "")
    without_advice = replace(with_short_names, advice="")
    for candidate in (diagnostic, with_short_names, with_short_fix, with_question, without_advice):
        text = text_of(candidate, write_setting)
        if len(text) <= n_letters:
            return text
    return f"{text[: n_letters - 3]}..."


def _fix_with_placeholder(fix: Mapping[str, object]) -> dict[str, object]:
    """The parameters with a placeholder for the names of their columns, such as ``{"COLUMN": "number"}``."""
    short_fix: dict[str, object] = {}
    for name, value in fix.items():
        if isinstance(value, Mapping) and value:
            short_fix[name] = {COLUMN: next(iter(value.values()))}
        elif isinstance(value, list) and value:
            short_fix[name] = [COLUMN]
        else:
            short_fix[name] = value
    return short_fix
