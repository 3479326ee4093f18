"""A comparison in a few lines: one row a method, and the answer in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.messages import aligned, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bitsieve.evaluation.error_curves import ErrorCurves

HOW_TO_READ = (
    "W/T/L: against how many of the other methods the errors over all numbers of features are lower, not told apart, "
    "or higher (one-sided paired t-test, 5 %)"
)
BOUNDS = ("bayes_error_lower", "bayes_error_upper")  # of the chosen features, where they were asked for


def summarise(curves: ErrorCurves) -> list[dict[str, Any]]:
    """One row a method: means over the numbers of features, and what it is with the number chosen for it."""
    return [_row(curves, method) for method in curves.methods]


def _row(curves: ErrorCurves, method: str) -> dict[str, Any]:
    row = curves.methods.index(method)
    rates = curves.rates[row]
    choice = curves.chosen(method)
    least = rates.argmin()
    at = int(np.searchsorted(curves.counts, choice.n_features))
    outcomes = [curves.test(method, other).outcome for other in curves.methods if other != method]
    stability = curves.stability(method)
    bounds = {} if curves.bayes_error_bounds is None else dict(zip(BOUNDS, curves.bayes_error_bounds[row], strict=True))
    return {
        "method": method,
        "mean_error": float(rates.mean()),
        "std_error": float(rates.std(ddof=1)) if len(rates) > 1 else None,
        "least_error": float(rates[least]),
        "least_error_at": int(curves.counts[least]),
        "chosen_features": choice.n_features,
        "chosen_error": choice.error,
        "chosen_standard_error": _number(choice.standard_error),
        "wins": outcomes.count("+"),
        "ties": outcomes.count("="),
        "losses": outcomes.count("-"),
        "redundancy": _mean(curves.redundancy[row]),
        "separability": _mean(curves.separability[row, :, at]),
        "stability_nogueira": _mean(stability["nogueira"]),
        "stability_kuncheva": _mean(stability["kuncheva"]),
        "seconds_selecting": _seconds(curves, curves.seconds_selecting[row]),
        "seconds_classifying": float(curves.seconds_classifying[row].sum()),
        **{name: float(bound) for name, bound in bounds.items()},
    }


def as_text(curves: ErrorCurves, notes: Sequence[str] = (), call: str = "") -> str:
    """The summary as a table, the answer in a sentence, the ``call`` that selects it, how to read W/T/L, and notes."""
    of_curve = ("method", "mean error %", "+-", "W/T/L", "least %", "at")
    of_choice = ("chosen", "its error %", "redundancy", "stability", "seconds")
    bounded = () if curves.bayes_error_bounds is None else ("Bayes error %",)
    rows = [
        (
            row["method"],
            f"{100 * row['mean_error']:.1f}",
            _text(row["std_error"], 100, 1),
            f"{row['wins']}/{row['ties']}/{row['losses']}",
            f"{100 * row['least_error']:.1f}",
            f"{row['least_error_at']:,}",
            f"{row['chosen_features']:,}",
            f"{100 * row['chosen_error']:.1f}",
            _text(row["redundancy"], 1, 2),
            _text(row["stability_nogueira"], 1, 2),
            f"{row['seconds_selecting'] + row['seconds_classifying']:.1f}",
            *(bounds_text(row) for _ in bounded),
        )
        for row in summarise(curves)
    ]
    header = (*of_curve, *of_choice, *bounded)
    rows += [(*row, *("" for _ in header[len(row) :])) for row in map(_baseline, baselines(curves))]
    scoring = curves.parameters["scoring"]
    meant = "" if scoring == "accuracy" else f"\nerror: what {scoring} falls short of 1"
    below = f"\nto select them: {call or use_it(curves)}{meant}\n{HOW_TO_READ}" + "".join(
        f"\nnote: {printable(note)}" for note in notes
    )
    return aligned(header, rows, right=(False, *[True] * (len(header) - 1))) + f"\n\n{curves.choice()}" + below


def baselines(curves: ErrorCurves) -> list[dict[str, Any]]:
    """One row a baseline: its mean error, its least, and where that is; None where the number plays no part."""
    rows = []
    for name, errors in curves.baselines.items():
        rates = errors.sum(axis=0) / curves.n_test.sum()
        at = int(curves.counts[rates.argmin()])
        level = bool((errors == errors[:, :1]).all()) and name != "SelectKBest"
        least = {"least_error": float(rates.min()), "least_error_at": None if level else at}
        rows.append({"baseline": name, "mean_error": float(rates.mean()), **least})
    return rows


def _baseline(row: dict[str, Any]) -> tuple[str, ...]:
    at = "" if row["least_error_at"] is None else f"{row['least_error_at']:,}"
    return (f"({row['baseline']})", f"{100 * row['mean_error']:.1f}", "", "", f"{100 * row['least_error']:.1f}", at)


def use_it(curves: ErrorCurves) -> str:
    """The call that selects what is recommended."""
    choice, target = curves.choice(), curves.parameters["target"]
    target = repr(target) if target else "target"
    return f"bitsieve.select(data, {target}, method={choice.method!r}, n_features_to_select={choice.n_features})"


def bounds_text(row: dict[str, Any]) -> str:
    """The bounds on the Bayes error in percent, as ``1.2 to 2.4``."""
    return " to ".join(f"{100 * row[name]:.1f}" for name in BOUNDS)


def _seconds(curves: ErrorCurves, seconds: NDArray[np.float64]) -> float:
    """Over all folds; one selection that served all of them is counted once."""
    return float(seconds[0] if curves.parameters["protocol"] == "paper" else seconds.sum())


def _mean(values: NDArray[np.float64]) -> float | None:
    """Of those that are defined; None if none is."""
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if len(defined) else None


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def _text(value: float | None, scale: float, digits: int) -> str:
    return "-" if value is None else f"{scale * value:.{digits}f}"
