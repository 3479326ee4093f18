"""Tables 4 and 5: cross-validated errors with all features, and with 10 to 100 that seven methods choose."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.api.compare import compare
from bitsieve.discretization.transformers import MDLBinner
from bitsieve.evaluate.folds import FEW_SAMPLES
from bitsieve.utils.progress import phase
from bitsieve.utils.terminal_text import aligned
from papers.item import Options, Result
from papers.selectors import as_published
from papers.vinh2014.data import INDEPENDENT, METHODS, TABLE_4, TABLE_5, Missing, PaperData, tables

if TYPE_CHECKING:
    from bitsieve.results.comparison import Comparison

N_FOLDS = 10
MIN_FEATURES = 10
MAX_FEATURES = 100
# The matrix of mutual information is not convex as it is.
PARAMETERS: dict[str, dict[str, Any]] = {"qpfs": {"convexify": "shift"}}
# As compare has it by default; a selector brings its own.
BINNING: dict[str, Any] = {"paper": MDLBinner(uncut="median"), "nested": "mdl"}
HEADER = ("", *METHODS)
RIGHT = (False, *[True] * len(METHODS))


def table_4(options: Options) -> Result:
    """Errors with all features."""
    differences = []
    for table in tables(options, tuple(TABLE_4)):
        if isinstance(table, Missing):
            options.part(str(table), {"set": table.row, "missing": table.origin})
            continue
        phase(f"comparing on {table.row}")
        published = TABLE_4[table.row]
        error = 100 * float(
            compared(options, table, {"all": as_published("mim")}, "paper", [table.n_features]).rates[0, 0]
        )
        differences.append(abs(error - published.error))
        options.part(
            f"{table}: error {error:.1f} %, the paper's {published.error:.1f} (of {published.n_samples:,} samples, "
            f"{published.n_features:,} features)",
            {"set": table.row, "error": error, "published": published._asdict()},
        )
    if not differences:
        return Result(NOTHING)
    return Result(f"Mean absolute difference over {len(differences)} sets: {np.mean(differences):.2f} points.")


def table_5(options: Options) -> Result:
    """Errors of every method as mean and deviation over the numbers of features, compared with the paper's."""
    n_within = 0
    n_cells = 0
    for table in tables(options, tuple(TABLE_5)):
        if isinstance(table, Missing):
            options.part(str(table), {"set": table.row, "missing": table.origin})
            continue
        text, record = _row(options, table)
        n_cells += len(record["within"])
        n_within += sum(record["within"].values())
        options.part(text, record)
    if not n_cells:
        return Result(NOTHING)
    return Result(f"Within the paper's own +-: {n_within} of {n_cells} cells.")


NOTHING = "None of the data sets is there: give the directory that holds their .npz files by --data-dir."


def selectors(binning: Any = "mdl") -> dict[str, Any]:
    """The paper's methods by its names."""
    return {label: as_published(name, binning=binning, **PARAMETERS.get(name, {})) for label, name in METHODS.items()}


def curves(options: Options, table: PaperData, protocol: str) -> Comparison:
    """Errors of the methods that are here for 10 to 100 features, or to all of fewer."""
    features = range(min(MIN_FEATURES, table.n_features), min(table.n_features, MAX_FEATURES) + 1)
    return compared(options, table, selectors(BINNING[protocol]), protocol, features)


def compared(options: Options, table: PaperData, methods: Any, protocol: str, features: Any) -> Comparison:
    with warnings.catch_warnings():
        # Ten folds, as the paper has, also where a class has fewer members.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return compare(
            table.X,
            table.y,
            methods=methods,
            features=features,
            classifier=table.classifier,
            folds=_folds(table, options.seed),
            protocol=protocol,
            random_state=options.seed,
            n_jobs=options.n_jobs,
        )


def _folds(table: PaperData, seed: int) -> Any:
    if len(table.y) < FEW_SAMPLES:
        return "loo"
    from sklearn.model_selection import StratifiedKFold

    return StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)


def _row(options: Options, table: PaperData) -> tuple[str, dict[str, Any]]:
    published = TABLE_5[table.row]
    start = time.perf_counter()
    phase(f"comparing on {table.row}")
    comparison = curves(options, table, "paper")
    errors, deviations = error_summary(comparison)
    differences = {label: errors[label] - published[label].error for label in comparison.methods}
    # Differences of numbers that are printed with one decimal.
    within = {
        label: round(abs(difference), 9) <= published[label].deviation for label, difference in differences.items()
    }
    mean_difference = float(np.mean(np.abs(list(differences.values()))))
    rows = [
        ("the paper", *(f"{published[label].error:.1f} ± {published[label].deviation:.1f}" for label in METHODS)),
        ("here", *_cells(errors, deviations)),
        ("within ±", *("yes" if within[label] else "no" for label in METHODS)),
        ("sign, paper", *(published[label].sign for label in METHODS)),
        ("sign, here", *(_sign(comparison, label) for label in METHODS)),
    ]
    record: dict[str, Any] = {
        "set": table.row,
        "origin": table.origin,
        "published": {label: cell._asdict() for label, cell in published.items()},
        "errors": errors,
        "deviations": deviations,
        "within": within,
        "mean_absolute_difference": mean_difference,
        "curves": {label: (100 * comparison.rates[m]).tolist() for m, label in enumerate(comparison.methods)},
        "counts": comparison.counts.tolist(),
    }
    bias_text = ""
    if options.protocol == "nested":
        nested_errors, nested_deviations = error_summary(curves(options, table, "nested"))
        rows.insert(2, ("ranked in folds", *_cells(nested_errors, nested_deviations)))
        bias = float(np.mean([nested_errors[label] - errors[label] for label in comparison.methods]))
        bias_text = f"; ranking inside the folds is {bias:+.2f} points worse"
        record |= {"nested_errors": nested_errors, "nested_deviations": nested_deviations, "bias": bias}
    record["seconds"] = round(time.perf_counter() - start, 1)
    elsewhere = f" (an independent program's: {INDEPENDENT[table.row]:.2f})" if table.row in INDEPENDENT else ""
    summary = f"Mean absolute difference {mean_difference:.2f} points{elsewhere}{bias_text}; {record['seconds']:.0f} s."
    return "\n".join((str(table), aligned(HEADER, rows, RIGHT), summary, "")), record


def error_summary(comparison: Comparison) -> tuple[dict[str, float], dict[str, float]]:
    """Mean and standard deviation over the numbers of features, in percent."""
    percent = 100 * comparison.rates
    spread = percent.std(axis=1, ddof=1) if percent.shape[1] > 1 else np.zeros(len(percent))
    labels = comparison.methods
    return (
        dict(zip(labels, percent.mean(axis=1).tolist(), strict=True)),
        dict(zip(labels, spread.tolist(), strict=True)),
    )


def _cells(errors: dict[str, float], deviations: dict[str, float]) -> list[str]:
    return [f"{errors[label]:.1f} ± {deviations[label]:.1f}" for label in METHODS]


def _sign(comparison: Comparison, label: str) -> str:
    """The sign of the paired test of SPECCMI against a method; "=" where there is no test."""
    if label == "SPECCMI" or len(comparison.counts) < 2:
        return "="
    return comparison.test("SPECCMI", label).outcome or "="
