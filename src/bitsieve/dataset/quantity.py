"""A numeric target: is it classes or a quantity, and where is a quantity cut into classes of equal frequency."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

import numpy as np

from bitsieve import _native
from bitsieve.dataset.encoding import as_doubles, check_whole_numbers, times_as_numbers
from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Floats, Integers, Values
from bitsieve.utils.parameters import check_integer

KINDS = ("classes", "quantity")
TIMES = {"M": "dates", "m": "durations"}  # by numpy's letter of the type
MIN_CLASSES_OF_QUANTITY = 3
_MAX_NUMBERS_OF_CLASSES = 10  # up to so many distinct whole numbers are classes in any case
_MAX_REPEATED_NUMBERS = 20  # up to so many are classes if each is in two rows on average
_MIN_ROWS_OF_CODE = 5  # more are classes if they are consecutive and each is in so many rows
_MAX_LISTED_EDGES = 10


def check_target_kind(target_kind: object) -> None:
    """Refuse anything but "classes", "quantity" and None."""
    if target_kind is not None and not (isinstance(target_kind, str) and target_kind in KINDS):
        raise ParameterError("target_kind", target_kind, "give 'classes' or 'quantity', or leave it out")


class TargetKind(NamedTuple):
    """The kind of target that a user chose."""

    kind: str | None = None  # "classes" or "quantity"; None to decide by the values
    n_bins: int | None = None  # into how many classes a quantity is cut; None for :func:`number_of_classes`

    @classmethod
    def from_options(cls, options: ReadOptions) -> TargetKind:
        """The kind that the options ask for. ``target_bins="none"`` is another way to ask for classes."""
        target_kind = options.target_kind
        target_bins = options.target_bins
        check_target_kind(target_kind)
        contradiction = UserError(
            code="contradicting-parameters",
            message="contradict each other",
            advice="leave one of them out",
            parameters={"target_bins": target_bins, "target_kind": target_kind},
        )
        if target_bins is None:
            return cls(target_kind)
        if isinstance(target_bins, str) and target_bins == "none":
            if target_kind == "quantity":
                raise contradiction
            return cls("classes")
        n_bins = check_integer("target_bins", target_bins, 2, 65_535, "or 'none' to take each number as a class")
        if target_kind == "classes":
            raise contradiction
        return cls(target_kind, n_bins)

    def check_not_quantity(self, what: str) -> None:
        """Refuse the kind "quantity" for a target of text, categories or booleans."""
        if self.kind == "quantity":
            problem = f"does not go with {what}, which holds text, categories or truth values"
            raise ParameterError(
                "target_kind", self.kind, "make them numbers, or leave it out", problem, code="numbers-needed"
            )

    def is_quantity(self, whole_numbers: Values, counts: Integers) -> bool:
        """Whether a target of these distinct whole numbers is a quantity; ``counts`` are the samples of each."""
        if self.kind is not None:
            return self.kind == "quantity"
        if self.n_bins is None:
            return not are_codes(whole_numbers, counts)
        has_too_few_samples = self.n_bins > int(counts.sum())  # refused when the quantity is cut
        return len(whole_numbers) > self.n_bins or has_too_few_samples


KIND_FROM_VALUES = TargetKind()


def number_of_classes(n_samples: int) -> int:
    """The number of classes into which a quantity of N samples is cut: ``max(3, N^(1/5))``, rounded."""
    n_classes = MIN_CLASSES_OF_QUANTITY
    while (2 * n_classes + 1) ** 5 <= 32 * n_samples:  # n_classes + 1/2 <= N^(1/5), in exact integers
        n_classes += 1
    return n_classes


def has_fractions(values: Values) -> bool:
    """Whether values are times, or any number is not whole."""
    return values.dtype.kind in "mM" or (values.dtype.kind == "f" and bool((values != np.floor(values)).any()))


def are_codes(values: Values, counts: Integers) -> bool:
    """Whether distinct whole numbers are the codes of classes.

    Parameters
    ----------
    values : array of shape (n_values,)
        The distinct numbers, ascending.
    counts : array of shape (n_values,)
        The number of samples of each.
    """
    n_values = len(values)
    if n_values <= _MAX_NUMBERS_OF_CLASSES:
        return True
    first = int(values[0])
    last = int(values[-1])
    are_consecutive = first in (0, 1) and last - first == n_values - 1
    if n_values <= _MAX_REPEATED_NUMBERS:
        return are_consecutive or 2 * n_values <= int(counts.sum())
    return are_consecutive and int(counts.min()) >= _MIN_ROWS_OF_CODE


def numbers_of(values: Values, what: str) -> Floats:
    """The values of a quantity as float64, times in microseconds. Refused if different values become equal."""
    if values.dtype.kind in "mM":
        return times_as_numbers(values, what)
    if values.dtype.kind != "f":
        check_whole_numbers(values, what)
    return np.asarray(as_doubles(values[:, None], lambda _: what)[:, 0], np.float64)


def edges_of(numbers: Floats, weights: Integers | None, n_bins: int | None, what: str) -> tuple[Floats, int]:
    """Cut a quantity into intervals of equal frequency.

    Parameters
    ----------
    numbers, weights : arrays of shape (n_samples,)
        The numbers and their frequency weights, None for 1 each.
    n_bins : int or None
        The number of intervals that the user chose.
    what : str
        What messages call the target.

    Returns
    -------
    edges : array
        The inner edges. Fewer than wanted where many samples have equal numbers.
    n_classes_of_quantity : int
        The number of intervals by :func:`number_of_classes`.
    """
    n_samples = len(numbers) if weights is None else int(weights.sum())
    if n_bins is not None and n_bins > n_samples:
        advice = "ask for fewer classes"
        raise ParameterError(
            "target_bins", n_bins, advice, f"is more than the {n_samples:,} samples of {what}", code="too-few-rows"
        )
    n_classes_of_quantity = number_of_classes(n_samples)
    n_intervals = n_bins or n_classes_of_quantity
    edges, _ = _native.order_statistic_cuts([numbers], n_intervals, weights)
    if len(edges) < n_intervals - 1:
        distinct = np.unique(numbers)
        if len(distinct) <= n_intervals:
            edges = distinct[:-1]  # each number is an interval
        elif not len(edges):
            edges = distinct[-2:-1]  # the largest number, which most samples have, is one; all others are the other
    return edges, n_classes_of_quantity


def text_of_edge(edge: float, time_unit: str) -> str:
    """An edge as text. ``time_unit`` is "M" if it is a date, "m" if it is a duration, else empty."""
    if time_unit == "M":
        text = str(np.datetime64(round(edge), "us")).replace("T", " ")
        return text.removesuffix(".000000").removesuffix(" 00:00:00")
    if time_unit == "m":
        return str(timedelta(microseconds=edge))
    return f"{edge:g}"


def listed_edges(edges: Floats, time_unit: str) -> str:
    """The edges as text; of many the first three and the last."""
    texts = [text_of_edge(edge, time_unit) for edge in edges.tolist()]
    if len(texts) > _MAX_LISTED_EDGES:
        texts = [*texts[:3], "...", texts[-1]]
    return ", ".join(texts)


def interval_labels(edges: Floats, time_unit: str, only_value: float) -> Values:
    """The intervals as text, such as "(-inf, 2.5]" and "(2.5, inf)". Without edges all samples have ``only_value``."""
    if not len(edges):
        return np.array([text_of_edge(only_value, time_unit)], dtype=object)
    labels = []
    low = "-inf"
    for edge in edges.tolist():
        high = text_of_edge(edge, time_unit)
        labels.append(f"({low}, {high}]")
        low = high
    labels.append(f"({low}, inf)")
    return np.array(labels, dtype=object)
