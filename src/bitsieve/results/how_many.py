"""How many columns to take: the answers of five rules side by side."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from bitsieve.information import ANY_EFFECT
from bitsieve.results.equality import equal_fields
from bitsieve.utils import html
from bitsieve.utils.arrays import Floats
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.messages import quoted
from bitsieve.utils.terminal_text import aligned
from bitsieve.utils.types import JsonObject

HEADER = ("rule", "columns", "first of them", "reason")


@dataclass(frozen=True)
class Answer:
    """What one rule would take: how many columns (None where it could not be asked), which, and what it promises."""

    rule: str
    n_features: int | None
    features: list[str]
    why: str


@dataclass(frozen=True)
class NullBand:
    """The information that columns add; 5th and 95th percentile of what shuffles give to the best of those left."""

    features: list[str]
    bits: Floats  # I(Xi;C|S), S all columns chosen before
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class HowMany:
    """What five rules would take, side by side.

    Attributes
    ----------
    answers : list of Answer
        By shuffles, false discovery rate, stability, cross-validation and knockoffs.
    reading : str
        How to read their difference.
    band : NullBand
        The information that each choice adds, and what the best of all columns adds after shuffles of the class.
    diagnostics : Diagnostics
        What was noticed in the data and in the result; ``notes`` are their texts.
    target : str
        The name of the target.
    scoring : str or None
        The measure of cross-validation, such as "accuracy"; None where it could not be asked.
    error_without_columns : float or None
        The error by that measure of the majority class, or of the mean, in the same folds: 0.3 is 30 %.
    event : str or None
        The column of the event if the target is a time to an event; empty if its values were given.
    unit : str
        The unit of the information: "bits", or "bits per event" for a time to an event.
    strata : str, list of str, or None
        The columns of the strata; "strata" if their values were given, None without strata.
    effect : {"any", "common"}
        Whether any effect within the strata counts, or only what they have in common.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = bitsieve.how_many(X, y, n_pairs=10)
    >>> [answer.n_features for answer in result.answers]
    [2, 2, 2, 3, None]
    >>> result.scoring, round(result.error_without_columns, 2)
    ('accuracy', 0.67)
    """

    answers: list[Answer]
    reading: str
    band: NullBand = field(repr=False)
    diagnostics: Diagnostics = field(default_factory=Diagnostics, repr=False)
    target: str = "target"
    scoring: str | None = None
    error_without_columns: float | None = None
    event: str | None = None
    unit: str = "bits"
    strata: str | list[str] | None = None
    effect: str = ANY_EFFECT

    @property
    def notes(self) -> list[str]:
        """The texts of the diagnostics."""
        return [str(diagnostic) for diagnostic in self.diagnostics]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HowMany) and equal_fields(self, other)

    def __hash__(self) -> int:
        return hash((HowMany, self.reading))

    def rows(self) -> list[tuple[str, str, str, str]]:
        """The cells of the table of answers.

        Returns
        -------
        list of tuple of str
            For each rule its name, the number of columns, the first of them, and what the rule asks.
        """
        rows = []
        for answer in self.answers:
            number = "-" if answer.n_features is None else f"{answer.n_features:,}"
            rows.append((answer.rule, number, quoted(answer.features, 3) or "-", answer.why))
        return rows

    def table_text(self) -> str:
        """The answers as an aligned table, and how to read them.

        Returns
        -------
        str
        """
        table = aligned(HEADER, self.rows(), right=(False, True, False, False))
        return f"{table}\n\n{self.reading}"

    def __str__(self) -> str:
        return "\n".join([self.table_text(), *self.diagnostics.printed()])

    def _repr_html_(self) -> str:
        table = html.table(HEADER, self.rows(), text_columns=(2, 3))
        return html.display(table, html.paragraph(self.reading), self.diagnostics.html())

    def to_dict(self) -> JsonObject:
        """The answers as plain Python values that ``json.dumps`` takes.

        Returns
        -------
        dict
            What ``bitsieve how-many --json`` prints, less the seconds and the version.
        """
        return {
            "answers": [asdict(answer) for answer in self.answers],
            "reading": self.reading,
            "target": self.target,
            "event": self.event,
            "unit": self.unit,
            "strata": self.strata,
            "effect": self.effect,
            "scoring": self.scoring,
            "error_without_columns": self.error_without_columns,
            "curve": {
                "features": self.band.features,
                "bits": self.band.bits.tolist(),
                "shuffled_5_percent": self.band.low.tolist(),
                "shuffled_95_percent": self.band.high.tolist(),
            },
            "notes": self.notes,
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }
