"""The lines in which notes are shown: a few, the most important first, those of one code together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from bitsieve.codes import CODES
from bitsieve.diagnostics import Diagnostic, SettingWriter, text_of

MAX_LINES = 3
MAX_LETTERS = 144  # with "bitsieve: note: " before it, a line has 160 letters at most
MAX_NAMES = 3
MAX_LETTERS_OF_NAME = 24
CUT = " ..."  # the end of a text that is cut
ENDS_OF_CLAUSES = (", ", "; ", ": ", " (")
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
    diagnostics_of_code: dict[str, list[Diagnostic]] = {}
    for diagnostic in by_importance(diagnostics):
        diagnostics_of_code.setdefault(diagnostic.code, []).append(diagnostic)
    return [_merged(same_code) for same_code in diagnostics_of_code.values()]


def as_lines(diagnostics: Sequence[Diagnostic], write_setting: SettingWriter, where_all: str) -> list[Diagnostic]:
    """At most three diagnostics, each with the text of its line as the message.

    The last line says how many more there are. ``where_all`` says where all of them are shown, such as "-v".
    """
    first_diagnostics = one_of_each_code(diagnostics)[:MAX_LINES]
    listed_codes = {diagnostic.code for diagnostic in first_diagnostics}
    n_more = sum(diagnostic.code not in listed_codes for diagnostic in diagnostics)
    lines = []
    for diagnostic in first_diagnostics:
        end = ""
        if n_more and diagnostic is first_diagnostics[-1]:
            noun = "note" if n_more == 1 else "notes"
            end = f" (and {n_more:,} more {noun}: {where_all})"
        line = _shortened(diagnostic, write_setting, MAX_LETTERS - len(end)) + end
        lines.append(replace(diagnostic, message=line, advice="", parameters={}))
    return lines


def _merged(same_code: Sequence[Diagnostic]) -> Diagnostic:
    """One diagnostic in place of several of one code: how many columns there are, and the first of them."""
    first = same_code[0]
    if len(same_code) == 1:
        return first
    columns = list(dict.fromkeys(chain.from_iterable(diagnostic.columns for diagnostic in same_code)))
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
    """The parameters that settle all of the diagnostics.

    Mappings are joined, and so are lists. Another value stays if all diagnostics have it.
    """
    merged: dict[str, object] = {}
    for name, first_value in same_code[0].fix.items():
        values = [diagnostic.fix.get(name) for diagnostic in same_code]
        mappings = [value for value in values if isinstance(value, Mapping)]
        lists = [value for value in values if isinstance(value, list)]
        if len(mappings) == len(values):
            items = chain.from_iterable(mapping.items() for mapping in mappings)
            merged[name] = dict(items)
        elif len(lists) == len(values):
            merged[name] = list(chain.from_iterable(lists))
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
    short_names = replace(diagnostic, message=message)
    short_fix = replace(short_names, fix=_fix_with_placeholder(diagnostic.fix))
    short_advice = replace(short_names, advice=_first_question(diagnostic.advice))
    no_advice = replace(short_names, advice="")
    for shorter in (diagnostic, short_names, short_fix, short_advice, no_advice):
        text = text_of(shorter, write_setting)
        if len(text) <= n_letters:
            return text
    return _beginning(text, n_letters)


def _beginning(text: str, n_letters: int) -> str:
    """The beginning of a text that is too long: to the end of a clause in its second half, or else of a word."""
    start = text[: n_letters - len(CUT)]
    end_of_clause = max(start.rfind(mark) for mark in ENDS_OF_CLAUSES)
    if end_of_clause >= len(start) // 2:
        return start[:end_of_clause].rstrip(",;:") + CUT
    end_of_word = start.rfind(" ")
    if end_of_word >= len(start) // 2:
        return start[:end_of_word] + CUT
    return start + CUT


def _first_question(advice: str) -> str:
    """The advice up to its first question mark; empty if it has none."""
    question, mark, _ = advice.partition("? ")
    return f"{question}?" if mark else ""


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
