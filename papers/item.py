"""Items of papers, such as "figure 3": each is a function of options that returns text and perhaps a figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Options:
    """How to run an item.

    Attributes
    ----------
    data_dir : Path or None
        Where the public data sets lie, for items that need some.
    seed : int
        Of what is drawn at random.
    n_jobs : int
        Threads.
    draw : bool
        Whether a figure is wanted.
    sets : tuple of str
        The data sets to take, in lower case; all of them where empty.
    protocol : {"paper", "nested"}
        Of an item that cross-validates: as the paper did, or with the ranking inside each fold as well.
    part : callable
        Told every finished part: its text, and its figures as plain data.
    """

    data_dir: Path | None = None
    seed: int = 0
    n_jobs: int = -1
    draw: bool = False
    sets: tuple[str, ...] = ()
    protocol: str = "paper"
    part: Callable[[str, dict[str, Any]], None] = field(default=lambda text, record: None)


@dataclass(frozen=True)
class Result:
    """The result of an item.

    Attributes
    ----------
    text : str
        For the terminal, after the parts.
    figure : matplotlib Figure or None
        Where one was wanted.
    """

    text: str
    figure: Figure | None = None


@dataclass(frozen=True)
class Item:
    """A table or a figure of a paper.

    Attributes
    ----------
    title : str
        One line.
    run : callable
        Options to Result.
    has_figure : bool
    sets : tuple of str
        Names of the data sets that can be chosen from; empty where there is no choice.
    cross_validates : bool
        Whether there is a choice of protocol.
    """

    title: str
    run: Callable[[Options], Result]
    has_figure: bool = False
    sets: tuple[str, ...] = ()
    cross_validates: bool = False
