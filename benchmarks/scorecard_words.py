"""How often the words of the industry for information values and stability indices are said of noise.

``python -m benchmarks.scorecard_words [COLUMNS]`` prints a line a design: the mean of the value over so many columns
that know nothing, the share of each word, and how often ``p`` is at most 0.05. The table is kept in the results.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import bitsieve
from benchmarks import results

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

LEVEL = 0.05
COLUMNS_AT_ONCE = 100
FIXED_EDGES = [j / 10 for j in range(1, 10)]
WORDS_OF_IV = ("useless", "weak", "medium", "strong", "too good")
WORDS_OF_PSI = ("stable", "moved", "moved far")


class NoiseOfClasses(NamedTuple):
    """Columns without any relation to an event."""

    n_events: int
    n_nonevents: int
    n_values: int | None  # how many different numbers a column has; None if all rows differ
    has_fixed_bins: bool  # ten bins that were fixed before; else monotone bins, chosen by the event

    def values(self, random: np.random.Generator, n_columns: int) -> DataFrame:
        """The information values of so many columns."""
        n_rows = self.n_events + self.n_nonevents
        columns = _noise(random, n_rows, n_columns, self.n_values)
        is_event = (np.arange(n_rows) < self.n_events).astype(int)
        edges = {f"x{j}": FIXED_EDGES for j in range(n_columns)} if self.has_fixed_bins else None
        return bitsieve.information_value(columns, is_event, binner=bitsieve.MonotoneBinner(edges=edges))


class TwoSamples(NamedTuple):
    """Columns of two samples of one population."""

    n_rows: int  # of each sample

    def values(self, random: np.random.Generator, n_columns: int) -> DataFrame:
        """The stability indices of so many columns, over ten bins of about equal frequency."""
        old, new = (_noise(random, self.n_rows, n_columns, None) for _ in range(2))
        return bitsieve.population_stability(old, new)


def _noise(random: np.random.Generator, n_rows: int, n_columns: int, n_values: int | None) -> NDArray:
    numbers = random.random((n_rows, n_columns))
    return numbers if n_values is None else np.ceil(numbers * n_values) / n_values


INFORMATION_VALUES = {
    "10 fixed bins, 50 events in 1,000 rows": NoiseOfClasses(50, 950, None, True),
    "10 fixed bins, 300 events in 3,000 rows": NoiseOfClasses(300, 2_700, None, True),
    "10 fixed bins, 3,000 events in 30,000 rows": NoiseOfClasses(3_000, 27_000, None, True),
    "monotone bins of 100 values, 50 events in 1,000 rows": NoiseOfClasses(50, 950, 100, False),
    "monotone bins of 40 values, 300 events in 3,000 rows": NoiseOfClasses(300, 2_700, 40, False),
    "monotone bins of 100 values, 300 events in 3,000 rows": NoiseOfClasses(300, 2_700, 100, False),
    "monotone bins of 100 values, 3,000 events in 30,000 rows": NoiseOfClasses(3_000, 27_000, 100, False),
}
STABILITY = {
    "two samples of 100 rows": TwoSamples(100),
    "two samples of 300 rows": TwoSamples(300),
    "two samples of 1,000 rows": TwoSamples(1_000),
    "two samples of 10,000 rows": TwoSamples(10_000),
}


class Outcome(NamedTuple):
    """What was said of the columns of a design."""

    mean: float  # of the information values or stability indices
    share_of_word: dict[str, float]
    share_significant: float  # with p of at most 0.05


def measure(design: NoiseOfClasses | TwoSamples, n_columns: int) -> Outcome:
    """The words and p of so many seeded columns of noise."""
    random = np.random.default_rng(0)
    values: list[float] = []
    words: Counter[str] = Counter()
    n_significant = 0
    while len(values) < n_columns:
        frame = design.values(random, min(COLUMNS_AT_ONCE, n_columns - len(values)))
        values += frame["psi" if isinstance(design, TwoSamples) else "iv"].tolist()
        words.update(frame["word"])
        n_significant += int((frame["p"] <= LEVEL).sum())
    share_of_word = {word: count / n_columns for word, count in words.items()}
    return Outcome(float(np.mean(values)), share_of_word, n_significant / n_columns)


def main(arguments: list[str]) -> None:
    """Print the table."""
    n_columns = int(arguments[0]) if arguments else 500
    claim = (
        "What the words of the industry say of columns of noise: information values (useless below .02, weak below .1, "
        "medium below .3, strong below .5, too good), and stability indices of two samples of one population (stable "
        "below .1, moved below .25, moved far)."
    )
    table = results.StudyTable("scorecard_words", claim, ("design", "value", "columns", "mean", "words", "p <= 0.05"))
    designs: dict[str, NoiseOfClasses | TwoSamples] = {**INFORMATION_VALUES, **STABILITY}
    for name, design in designs.items():
        is_index = isinstance(design, TwoSamples)
        outcome = measure(design, n_columns)
        words = []
        for word in WORDS_OF_PSI if is_index else WORDS_OF_IV:
            if word in outcome.share_of_word:
                words.append(f"{word} {100 * outcome.share_of_word[word]:.1f} %")
        value = "stability index" if is_index else "information value"
        share_significant = f"{100 * outcome.share_significant:.1f} %"
        table.add(name, value, f"{n_columns:,}", f"{outcome.mean:.4f}", ", ".join(words), share_significant)
    results.write(table.document(), keep=not arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
