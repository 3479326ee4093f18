"""Whether a target is classes or a quantity, and where a quantity is cut into classes of equal frequency."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.dataset.encoding import Encoded, are_categories, as_doubles, check_whole_numbers, times_as_numbers
from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.parameters import check_integer

KINDS = ("classes", "quantity")
TIMES = {"M": "dates", "m": "durations"}  # by the kind that numpy has for them
FEWEST_CLASSES = 3  # that a quantity is cut into
_FEW = 10  # different whole numbers that are classes in any case
_SOME = 20  # that are classes where each is in two rows or more, on average
_ROWS_OF_CODE = 5  # in which each of more numbers must be, for them to be the codes of classes


def check_target_kind(target_kind: Any) -> None:
    """Raise ValueError for what is no kind of target; None leaves it to the values."""
    if target_kind is not None and not (isinstance(target_kind, str) and target_kind in KINDS):
        raise ParameterError("target_kind", target_kind, "give 'classes' or 'quantity', or leave it out")


class TargetKind(NamedTuple):
    """What the target is said to be: "classes", "quantity", or None, its values decide; and the cuts of a quantity."""

    kind: str | None = None
    n_bins: int | None = None  # that a quantity is cut into; None: as many as its samples allow

    @classmethod
    def from_options(cls, options: ReadOptions) -> TargetKind:
        """What a user says of the target; ``target_bins="none"`` is ``target_kind="classes"``."""
        target_kind = options.target_kind
        target_bins = options.target_bins
        check_target_kind(target_kind)
        is_none = isinstance(target_bins, str) and target_bins == "none"
        n_bins = None
        if target_bins is not None and not is_none:
            n_bins = check_integer("target_bins", target_bins, 2, 65_535, "or 'none' to take each number as a class")
        if target_bins is not None and target_kind == ("quantity" if is_none else "classes"):
            raise UserError(
                code="contradicting-parameters",
                message="contradict each other",
                advice="leave one of them out",
                parameters={"target_bins": target_bins, "target_kind": target_kind},
            )
        return cls("classes" if is_none else target_kind, n_bins)

    def cuts(self, values: NDArray[Any] | Encoded, counts: Integers | None, what: str) -> bool:
        """Whether values, none missing, are a quantity; ``counts``: samples of each, of distinct whole numbers."""
        if are_categories(values) or values.dtype.kind == "b":
            if self.kind == "quantity":
                problem = f"does not go with {what}, which holds text, categories or truth values"
                raise ParameterError(
                    "target_kind", self.kind, "make them numbers, or leave it out", problem, code="numbers-needed"
                )
            return False
        if self.kind is not None or counts is None:
            return self.kind != "classes"
        if self.n_bins is not None:
            return len(values) > self.n_bins or self.n_bins > int(counts.sum())  # too many, which is refused
        return not are_codes(values, counts)


KIND_FROM_VALUES = TargetKind()


def number_of_classes(n_samples: int) -> int:
    """``max(3, N^(1/5))``, rounded: how many classes the ranks of a quantity are cut into."""
    n_classes = FEWEST_CLASSES
    while (2 * n_classes + 1) ** 5 <= 32 * n_samples:  # that is n_classes + 1/2 <= N^(1/5)
        n_classes += 1
    return n_classes


def has_fractions(values: NDArray[Any]) -> bool:
    """Whether values are times, or numbers one of which is not whole."""
    return values.dtype.kind in "mM" or (values.dtype.kind == "f" and bool((values != np.floor(values)).any()))


def are_codes(values: NDArray[Any], counts: Integers) -> bool:
    """Whether distinct whole numbers, ascending, in so many samples each, are codes of classes and no quantity."""
    n_values = len(values)
    if n_values <= _FEW:
        return True
    contiguous = int(values[0]) in (0, 1) and int(values[-1]) - int(values[0]) == n_values - 1
    if n_values <= _SOME:
        return contiguous or 2 * n_values <= int(counts.sum())
    return contiguous and int(counts.min()) >= _ROWS_OF_CODE


def numbers_of(values: NDArray[Any], what: str) -> Floats:
    """A quantity as it is cut, times as microseconds; refused where several values become one."""
    if values.dtype.kind in "mM":
        return times_as_numbers(values, what)
    if values.dtype.kind != "f":
        check_whole_numbers(values, what)
    return np.asarray(as_doubles(values[:, None], lambda _: what)[:, 0], np.float64)


def edges_of(numbers: Floats, weights: Integers | None, n_bins: int | None, what: str) -> tuple[Floats, int]:
    """The inner edges of intervals of equal frequency, and how many intervals so many samples allow."""
    n_samples = len(numbers) if weights is None else int(weights.sum())
    if n_bins is not None and n_bins > n_samples:
        advice = "ask for fewer classes"
        raise ParameterError(
            "target_bins", n_bins, advice, f"is more than the {n_samples:,} samples of {what}", code="too-few-rows"
        )
    allowed = number_of_classes(n_samples)
    wanted = n_bins or allowed
    edges, _ = _native.order_statistic_cuts([numbers], wanted, weights)
    if len(edges) < wanted - 1:
        distinct = np.unique(numbers)
        if len(distinct) <= wanted:
            return distinct[:-1], allowed
        if not len(edges):
            return distinct[-2:-1], allowed
    return edges, allowed


def text_of_edge(edge: float, unit: str) -> str:
    """An edge in words: ``unit`` is "M" of dates, "m" of durations, else empty."""
    if unit == "M":
        text = str(np.datetime64(round(edge), "us")).replace("T", " ")
        return text.removesuffix(".000000").removesuffix(" 00:00:00")
    return str(timedelta(microseconds=edge)) if unit == "m" else f"{edge:g}"


def listed_edges(edges: Floats, unit: str) -> str:
    """All edges, or the first and the last of many."""
    texts = [text_of_edge(edge, unit) for edge in edges.tolist()]
    return ", ".join(texts if len(texts) <= _FEW else [*texts[:3], "...", texts[-1]])


def interval_labels(edges: Floats, unit: str, one_value: float) -> NDArray[Any]:
    """The intervals as text; without edges the one value that there is."""
    if not len(edges):
        return np.array([text_of_edge(one_value, unit)], dtype=object)
    bounds = ["-inf", *(text_of_edge(edge, unit) for edge in edges.tolist()), "inf"]
    ends = [*"]" * len(edges), ")"]
    labels = [f"({low}, {high}{end}" for low, high, end in zip(bounds, bounds[1:], ends, strict=False)]
    return np.array(labels, dtype=object)
