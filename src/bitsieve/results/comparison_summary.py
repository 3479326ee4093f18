"""The summaries of a comparison: those of each method and of each baseline, as a row of a table."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from bitsieve.metrics.measures import ACCURACY, Measure
from bitsieve.utils.types import JsonObject


@dataclass(frozen=True, kw_only=True)
class MethodSummary:
    """A method: its errors, what it selected, and its seconds. A value that is not defined is None."""

    method: str
    mean_error: float  # over the numbers of features
    std_error: float | None  # the standard deviation over the numbers of features
    least_error: float
    least_error_at: int  # the number of features
    chosen_features: int  # the number that is chosen for the method
    chosen_error: float
    outer_error: float  # of the whole search, in folds that had no part in the choice
    chosen_standard_error: float | None
    wins: int | None  # methods with larger errors over all numbers of features
    ties: int | None
    losses: int | None
    redundancy: float | None  # the mean over folds and numbers of features
    separability: float | None  # the mean over folds, at the chosen number of features
    stability_nogueira: float | None  # the mean over the numbers of features
    stability_kuncheva: float | None
    seconds_selecting: float
    seconds_classifying: float
    bayes_error_lower: float | None = None  # None where no bounds were computed
    bayes_error_upper: float | None = None

    def to_dict(self) -> JsonObject:
        """The summary by names. It has the bounds of the Bayes error only where they were computed."""
        document = asdict(self)
        if self.bayes_error_lower is None:
            del document["bayes_error_lower"]
            del document["bayes_error_upper"]
        return document

    def cells(self, measure: Measure) -> tuple[str, ...]:
        """The cells of the printed table. The last one, of the Bayes error, is only there if it was computed."""
        cells = (
            self.method,
            measure.text(self.mean_error),
            measure.text(self.std_error),
            "-" if self.wins is None else f"{self.wins}/{self.ties}/{self.losses}",
            measure.text(self.least_error),
            f"{self.least_error_at:,}",
            f"{self.chosen_features:,}",
            measure.text(self.chosen_error),
            _two_decimals(self.redundancy),
            _two_decimals(self.stability_nogueira),
            f"{self.seconds_selecting + self.seconds_classifying:.1f}",
        )
        if self.bayes_error_lower is None:
            return cells
        lower = ACCURACY.text(self.bayes_error_lower)  # in percent
        upper = ACCURACY.text(self.bayes_error_upper)
        return (*cells, f"{lower} to {upper}")


@dataclass(frozen=True, kw_only=True)
class BaselineSummary:
    """A baseline: its errors."""

    baseline: str
    mean_error: float  # over the numbers of features
    least_error: float
    least_error_at: int | None  # the number of features; None where the error is the same for all numbers

    def to_dict(self) -> JsonObject:
        """The summary by names."""
        return asdict(self)

    def cells(self, measure: Measure, n_cells: int) -> tuple[str, ...]:
        """The cells of the printed table. Those that only a method has are empty."""
        cells = (
            f"({self.baseline})",
            measure.text(self.mean_error),
            "",
            "",
            measure.text(self.least_error),
            "" if self.least_error_at is None else f"{self.least_error_at:,}",
        )
        return cells + ("",) * (n_cells - len(cells))


def _two_decimals(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
