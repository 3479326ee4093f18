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
        The folder of the public data sets, for items that need some.
    seed : int
        The seed of all random draws.
    n_jobs : int
        The number of threads.
    draw : bool
        Whether to draw a figure.
    sets : tuple of str
        The names of the data sets to use, in lower case; empty for all of them.
    protocol : {"paper", "nested"}
        How an item cross-validates: as the paper did, or with the ranking repeated inside each fold.
    part : callable
        Called with the text and the figures, as plain data, of every part that is finished.
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
        What is printed after the parts.
    figure : matplotlib Figure or None
        None unless ``draw`` was set.
    """

    text: str
    figure: Figure | None = None


@dataclass(frozen=True)
class Item:
    """A table or a figure of a paper.

    Attributes
    ----------
    title : str
        One line that says what the table or figure shows.
    run : callable
        The function that computes the item.
    has_figure : bool
        Whether the item can be drawn.
    sets : tuple of str
        The names of the data sets that ``Options.sets`` may hold; empty if there is no choice.
    cross_validates : bool
        Whether ``Options.protocol`` has an effect.
    """

    title: str
    run: Callable[[Options], Result]
    has_figure: bool = False
    sets: tuple[str, ...] = ()
    cross_validates: bool = False
