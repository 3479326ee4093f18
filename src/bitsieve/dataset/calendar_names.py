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
    for line in (*MONTHS, *WEEKDAYS):
        calendar = line.split()
        index_of_calendar_position: dict[int, int] = {}
        for index, text in enumerate(texts):
            position = _index_of_abbreviation(text, calendar)
            if position is not None:
                index_of_calendar_position[position] = index
        if len(index_of_calendar_position) == len(texts):
            return [index for _, index in sorted(index_of_calendar_position.items())]
    return None


def _index_of_abbreviation(text: str, words: Sequence[str]) -> int | None:
    """The index of the word that is the text, or the only one that begins with it; None where there is none."""
    if text in words:
        return words.index(text)
    if len(text) < MIN_LETTERS:
        return None
    matches = [index for index, word in enumerate(words) if word.startswith(text)]
    return matches[0] if len(matches) == 1 else None
