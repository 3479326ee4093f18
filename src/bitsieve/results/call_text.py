"""Arguments of a call in Python, as text that a user can copy."""

from __future__ import annotations

from bitsieve.information import ANY_EFFECT


def strata_arguments(strata: str | list[str] | None, effect: str, *, bins_within: bool = False) -> str:
    """The arguments of a call that give the strata, their effect and bins, behind a comma; empty without strata."""
    if strata is None:
        return ""
    arguments = ", strata=strata" if strata == "strata" else f", strata={strata!r}"
    if effect != ANY_EFFECT:
        arguments += f", effect={effect!r}"
    if bins_within:
        arguments += ", bins_within=True"
    return arguments


def target_arguments(target_name: str, event_name: str | None) -> str:
    """The arguments of a call that give the target; ``event_name`` is None unless it is a time to an event.

    A name is empty if values were given.
    """
    if event_name is None:
        return repr(target_name) if target_name else "target"
    if event_name:
        return f"duration={target_name!r}, event={event_name!r}"
    return "duration=duration, event=event"
