"""The report of a comparison: error curves, the paired tests, redundancy, stability, the choice in a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from bitsieve.plots.figures import Curves, as_svg, new_axes, plot_curves
from bitsieve.report.page import page
from bitsieve.results.comparison import Comparison, how_to_read, summary_table, use_it
from bitsieve.utils.html import code, figure, heading, notes, paragraph, table

SIZE = 8.0, 3.6  # inches
MOST_FEATURES = 50  # listed by name
ABOUT_BOUNDS = (
    "Bayes error: the error of the best possible classifier on the chosen features, between two bounds that a spanning "
    "tree of the training samples gives. A classifier whose error is near them leaves little to gain by another one. "
    "They are estimates, and in many dimensions too high."
)
ABOUT_ERRORS = (
    "Mean and +- (standard deviation) are over the numbers of features. Chosen: the fewest features whose "
    "error is within one standard error, over the folds, of the method's least; for the recommended method, of "
    "the least of all. In brackets: what a method has to beat: the most frequent class or the mean, all columns, "
    "and the best columns by an F-test each (SelectKBest of scikit-learn). Seconds are over all folds: binning is in "
    "the time of each method on counts, and of pairs of features, which they share, the first to need one spends it."
)
ABOUT_WINS = (
    "Neighbouring numbers of features have nearly the same errors, so a win says that a curve is mostly below the "
    "other one on this table, not how probable that is on new data."
)


def report(comparison: Comparison, *, command: str | None = None) -> str:
    """The report as HTML text; ``command`` selects what is recommended, by default the call in Python."""
    parameters = comparison.parameters
    recommended = comparison.choice().is_recommended
    parts = [
        paragraph(f"{comparison.choice()}; {comparison.outer()}.", "answer"),
        *([paragraph("To select these features:"), code(command or use_it(comparison))] if recommended else []),
        paragraph(_setting(parameters), "aside"),
        notes(comparison.notes),
        *_error_parts(comparison),
    ]
    if len(comparison.methods) > 1 < len(comparison.counts):
        parts += [heading("Who is better than whom"), _pairs(comparison)]
        parts += [paragraph("+ the method of the row has the lower error at 5 %, - the higher, = neither.", "aside")]
    return page(f"Feature selection for {parameters['target']}", [*parts, *_selections(comparison)])


def _error_parts(comparison: Comparison) -> list[str]:
    """The curves of errors, and a row a method."""
    return [
        heading("Errors"),
        figure(
            as_svg(comparison.plot(new_axes(SIZE)), "errors against the number of features"),
            "Errors pooled over the folds; a mark: the number chosen for the method.",
        ),
        table(*summary_table(comparison)),
        *(paragraph(line, "aside") for line in (*how_to_read(comparison), ABOUT_WINS, ABOUT_ERRORS)),
        *([] if comparison.bayes_error_bounds is None else [paragraph(ABOUT_BOUNDS, "aside")]),
    ]


def _setting(parameters: dict[str, Any]) -> str:
    where = {
        "nested": "binning, ranking and scaling learned inside each fold",
        "paper": "ranked once on all samples, the test samples included: such errors are too low",
    }[parameters["protocol"]]
    n_classes = parameters["n_classes"]
    target, model = ("a quantity", "regressor") if n_classes is None else (f"{n_classes:,} classes", "classifier")
    return (
        f"{parameters['n_samples']:,} samples, {parameters['n_features']:,} features, {target}; "
        f"{model} {parameters['classifier']}, scoring {parameters['scoring']}, "
        f"{parameters['n_folds']:,} folds, binning {parameters['binning']}; {where}."
    )


def _pairs(comparison: Comparison) -> str:
    rows = [
        (one, *("" if one == other else comparison.test(one, other).outcome or "" for other in comparison.methods))
        for one in comparison.methods
    ]
    return table(("", *comparison.methods), rows)


def _selections(comparison: Comparison) -> list[str]:
    with np.errstate(invalid="ignore"):
        redundancy = dict(zip(comparison.methods, comparison.redundancy.mean(axis=1), strict=True))
    stability = {method: comparison.stability(method)["nogueira"] for method in comparison.methods}
    parts = [heading("What was selected")]
    for what, lines, caption in (
        ("redundancy", redundancy, "Mean absolute correlation of the selected numeric features, 0 to 1."),
        ("stability", stability, "Stability of the selection over the folds (Nogueira): 1 the same, 0 as by chance."),
    ):
        if any(np.isfinite(values).any() for values in lines.values()):
            curves = Curves(comparison.counts, lines, "number of features", what)
            drawn = as_svg(plot_curves(curves, new_axes(SIZE)), f"{what} against the number of features")
            parts.append(figure(drawn, caption))
    shown = ("redundancy", "stability_nogueira", "stability_kuncheva", "separability")
    rows = [(row["method"], *(_text(row[name]) for name in shown)) for row in comparison.summary()]
    header = ("method", "redundancy", "stability (Nogueira)", "stability (Kuncheva)", "separability J, chosen number")
    return [*parts, table(header, rows), *_features(comparison)]


def _features(comparison: Comparison) -> list[str]:
    """Which features the folds chose under the method and the number of the answer."""
    choice = comparison.choice()
    folds = comparison.selected[comparison.methods.index(choice.method)]
    times = np.zeros(len(comparison.names), np.intp)
    places = np.zeros(len(comparison.names), np.intp)
    for selected in folds:
        times[selected[: choice.n_features]] += 1
        places[selected[: choice.n_features]] += np.arange(1, len(selected[: choice.n_features]) + 1)
    often = sorted(np.flatnonzero(times), key=lambda j: (-times[j], places[j]))[:MOST_FEATURES]
    rows = [(comparison.names[j], f"{times[j]:,} of {len(folds):,}", f"{places[j] / times[j]:.1f}") for j in often]
    return [
        paragraph(f"Features that {choice.method} has among its first {choice.n_features:,}, most often chosen first:"),
        table(("feature", "folds", "mean rank"), rows),
    ]


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
