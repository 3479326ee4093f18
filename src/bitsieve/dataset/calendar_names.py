"""The order of names of months and of weekdays, such as jan, feb, mar, in several languages."""

from __future__ import annotations

from collections.abc import Sequence

MIN_LETTERS = 2  # an abbreviation has at least so many letters, such as "mo" for "montag"

MONTHS = (
    "january february march april may june july august september october november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
)
WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "segunda terça quarta quinta sexta sábado domingo",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
)


def in_calendar_order(names: Sequence[object]) -> list[int] | None:
    """The indices of names of months, or of weekdays, in the order of the calendar; None for any other names.

    All names are of one language. They may be cut to their first letters, with or without a dot behind.
    """
    texts = []
    for name in names:
        if not isinstance(name, str):
            return None
        texts.append(name.strip().rstrip(".").casefold())
    for words in (*MONTHS, *WEEKDAYS):
        text_at: dict[int, int] = {}  # by index in the calendar: the index of the text
        for index, text in enumerate(texts):
            index_in_calendar = _index_of_abbreviation(text, words.split())
            if index_in_calendar is not None:
                text_at[index_in_calendar] = index
        if len(text_at) == len(texts):
            return [index for _, index in sorted(text_at.items())]
    return None


def _index_of_abbreviation(text: str, words: Sequence[str]) -> int | None:
    """The index of the word that begins with the text; None where it is none, or more than one."""
    if text in words:
        return words.index(text)
    if len(text) < MIN_LETTERS:
        return None
    matches = [index for index, word in enumerate(words) if word.startswith(text)]
    return matches[0] if len(matches) == 1 else None
