"""The section of a report that says how its result was made, and how to make it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from bitsieve.report.page import Section


@dataclass(frozen=True, kw_only=True)
class Reproduction(Section):
    """How the result was made, and the call or the command that makes it again."""

    template: ClassVar[str] = "reproduction.html"
    heading: ClassVar[str] = "How this was made"
    result: str  # what is made again, such as "selection"
    settings: Mapping[str, str]  # by which it was made, such as the method
    version: str
    written: datetime
    command: str


def reproduction_section(
    result: str, command: str, when: datetime | None, settings: Mapping[str, str] | None = None
) -> Reproduction:
    """``when`` is the time at which the report is written, by default now."""
    from bitsieve import __version__

    return Reproduction(
        result=result,
        settings={} if settings is None else settings,
        version=__version__,
        written=datetime.now(UTC) if when is None else when,
        command=command,
    )
