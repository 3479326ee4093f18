"""The report of a selection: what was selected and why, what it represents, the data, and how to make it again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np

from bitsieve.explain.evidence import Chance, Curve
from bitsieve.explain.explain import affiliated_of, best_substitutes
from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.methods.registry import list_methods
from bitsieve.plots.displays import (
    MOST_SHOWN,
    CurveDisplay,
    DendrogramDisplay,
    Display,
    RankingDisplay,
    RedundancyDisplay,
    TargetDisplay,
    selected_names,
)
from bitsieve.plots.figures import WIDTH, as_svg, new_axes
from bitsieve.report.columns import bins_of, quality_parts
from bitsieve.report.page import page
from bitsieve.results.selection import Selection, conclusion_of, levels_in_words
from bitsieve.utils.html import code, facts, figure, heading, notes, paragraph, table
from bitsieve.utils.messages import number, quoted

MOST_LISTED = 12  # names in a cell
ABOUT_PARTS = (
    "Blue and orange are the relevance of the feature. Redundant: the part that it shares with one feature selected "
    "before it, the one with which that part is largest. Synergy: the information that it has only together with one "
    "of those. No bar is longer than H(C), the entropy of the target."
)
ABOUT_CURVE = (
    "The joint information of the first features. A shaded step reaches what the next feature would add if its values "
    "were shuffled among rows that are equal in all features before it: a point that is not above its step adds no "
    "more than chance. With few rows the curve soon reaches H(C), whatever the features are."
)
ABOUT_TARGET = (
    "Dots: rows, at most 300 of the table. Dashed lines: the cuts between bins. Blue: the median of the target in the "
    "bin. The first twelve features are drawn."
)
ABOUT_TREE = (
    "Columns that share information join at the left, independent ones at 1 (1 less the symmetric uncertainty, average "
    "linkage): the selected ones, with their rank, and the most relevant others, forty in all."
)
ABOUT_LEVELS = "The least level is the corrected p or the estimated rate at which a feature is taken. Each is"
ABOUT_SUBSTITUTES = (
    "Represents: features that were not selected and share at least half of their information with this one. Best "
    "substitute: the feature that is most informative in its place, given the other selected features (those first in "
    "the ranking, as many as leave five rows a combination of their values). Loss: how many bits would be lost; below "
    "0, the substitute is more informative."
)


def selection_report(selection: Selection, *, command: str | None = None, when: datetime | None = None) -> str:
    """The report as HTML text; ``command`` makes the selection again, by default the call in Python."""
    if not selection.features:
        raise ValueError("no feature is selected, so there is nothing to report: ask for a number of features")
    evidence = selection.evidence
    curve = CurveDisplay.of(selection.selector, evidence)
    return page(
        f"Features informative about {selection.target_name}",
        [
            paragraph(_answer(selection, curve.curve), "answer"),
            paragraph(_setting(selection), "aside"),
            notes(selection.notes),
            *_ranking(selection),
            *_how_many(selection, curve),
            *_redundancy(selection),
            *_substitutes(selection),
            *_target(selection),
            heading("Bins of the selected features"),
            paragraph("How many rows of each class every bin holds, and their share. Open a feature.", "aside"),
            *[bins_of(evidence, int(j)) for j in selection.indices],
            *quality_parts(evidence, selection.notes),
            *_how_it_was_made(selection, command, when or datetime.now(UTC)),
        ],
    )


def _answer(selection: Selection, curve: Curve) -> str:
    k = len(selection.features)
    evidence = selection.evidence
    joint = curve.joint[curve.n_selected - 1]
    share = 100 * joint / curve.class_entropy
    first = selected_names(evidence)[0]
    together = f" All {k:,} together have {number(joint)} bits in these rows ({share:.0f} %)." if k > 1 else ""
    return (
        f"{k:,} of {len(evidence.table.names):,} features {'were' if k > 1 else 'was'} selected. The first is {first}, "
        f"which alone has {number(selection.relevance[0])} bits of information about {selection.target_name}, whose "
        f"entropy is {number(curve.class_entropy)} bits.{together}"
    )


def _setting(selection: Selection) -> str:
    target, source = selection.target, selection.evidence.information.source
    sizes = source.class_sizes
    listed = [f"{label} {size:,}" for label, size in zip(target.labels, sizes, strict=True)][:MOST_LISTED]
    more = f" and {target.n_classes - len(listed):,} more" if target.n_classes > len(listed) else ""
    weighed = "" if source.n_samples == selection.n_samples else f", {source.n_samples:,} counted by weight"
    return (
        f"{selection.n_samples:,} rows{weighed}; {target.n_classes:,} classes: {', '.join(listed)}{more}. "
        f"Bits are by the estimator {selection.evidence.explaining!r}, of the curve and the tree plug-in, from "
        "the observed shares of these rows."
    )


def _ranking(selection: Selection) -> list[str]:
    evidence, names = selection.evidence, selection.evidence.table.names
    found, selected = evidence.contributions, selected_names(evidence)
    first = "" if len(selection.features) <= MOST_SHOWN else f" The first {MOST_SHOWN} are drawn."
    rows = [
        (
            selected[p],
            str(p + 1),
            number(selection.scores[p]),
            number(found.relevance[p]),
            number(found.relevance[p] - found.redundancy[p]),
            number(found.redundancy[p]),
            names[found.redundant_with[p]] if found.redundant_with[p] >= 0 else "-",
            number(found.complementarity[p]),
            names[found.complementary_with[p]] if found.complementary_with[p] >= 0 else "-",
        )
        for p in range(len(selection.features))
    ]
    score = f"score ({selection.unit})"
    header = ("feature", "rank", score, "relevance", "new", "redundant", "with", "synergy", "together with")
    drawn = _drawn(RankingDisplay.of(selection.selector, evidence), "information of each feature")
    return [
        heading("Ranking"),
        figure(drawn, ABOUT_PARTS + first),
        paragraph(_about_chance(evidence.chance)),
        table(header, rows, text=(6, 8), long=(6, 8)),
    ]


def _about_chance(chance: Chance | None) -> str:
    if chance is None:
        return "By chance: not computed, since the rows are not in memory or too many to be shuffled one by one."
    how = f"{chance.n_shuffles} times the classes were shuffled, and all columns binned and counted again"
    if not chance.best_high:
        return f"By chance: {how}. In 19 of 20 of these no column had any information, so none of these bars is chance."
    return (
        f"By chance: {how}. The most relevant of all columns then had {number(chance.best_low)} to "
        f"{number(chance.best_high)} bits (18 of 20 times), a single column up to {number(chance.typical)}. A feature "
        "of no more relevance may be there by chance. (Columns with more than half as many bins as rows, such as "
        "identifiers, are left out: they determine the target by chance.)"
    )


def _how_many(selection: Selection, curve: CurveDisplay) -> list[str]:
    selector, names = selection.selector, selection.evidence.table.names
    left_out = set(selection.evidence.dropped)
    later = [names[j] for j in curve.curve.columns[curve.curve.n_selected :].tolist() if j not in left_out]
    n = len(selection.features)
    text = f"{n:,} {'feature was' if n == 1 else 'features were'} asked for."
    if getattr(selector, "stopped_by_", "n_features_to_select") != "n_features_to_select":
        text = f"The selection ended by itself: {selector.stopped_by_}"
        text += f", {selector.stopping_reason_}." if selector.stopping_reason_ else "."
    if later:
        text += f" Next would come {quoted(later)}."
    parts = [
        heading("How many features"),
        figure(_drawn(curve, "information of the first features together"), ABOUT_CURVE),
        paragraph(text),
    ]
    header, rows = levels_in_words(selection)
    if header:
        named = [(name, *row) for name, row in zip(selected_names(selection.evidence), rows, strict=True)]
        parts.append(table(("feature", *header), named, text=(2,), long=(2,)))
        parts.append(paragraph(f"{ABOUT_LEVELS} {conclusion_of(selection.fit)}."))
    return parts


def _redundancy(selection: Selection) -> list[str]:
    if len(selection.features) < 2:
        return []
    selector, evidence = selection.selector, selection.evidence
    shared = _drawn(RedundancyDisplay.of(selector, evidence), "information that selected features share")
    alike = _drawn(DendrogramDisplay.of(selector, evidence), "columns that are alike")
    return [
        heading("Redundancy"),
        figure(
            shared,
            "I(X;X') of every two selected features. It may be more than H(C): not all of it concerns the class.",
        ),
        figure(alike, ABOUT_TREE),
    ]


def _target(selection: Selection) -> list[str]:
    """A target that is a quantity over each feature."""
    if not selection.target.is_quantity:
        return []
    display = TargetDisplay.of(selection.selector, selection.evidence)
    drawn = _drawn(display, f"{selection.target_name} over each selected feature")
    return [heading(f"{selection.target_name} over each feature"), figure(drawn, ABOUT_TARGET)]


def _drawn(display: Display, label: str) -> str:
    return as_svg(display.plot(new_axes((WIDTH, display.height))).ax_, label)


def _substitutes(selection: Selection) -> list[str]:
    evidence, names = selection.evidence, selection.evidence.table.names
    left = np.flatnonzero(evidence.information.varies & ~np.isin(np.arange(len(names)), evidence.selected))
    near = affiliated_of(evidence)
    substitutes = best_substitutes(evidence.information, evidence.selected, left)
    rows = [
        (
            name,
            str(rank),
            f"{len(group):,}",
            quoted([names[j] for j in group], MOST_LISTED) or "-",
            "-" if substitute is None else names[substitute.column],
            "-" if substitute is None else number(substitute.price),
        )
        for rank, (name, group, substitute) in enumerate(
            zip(selected_names(evidence), near.groups, substitutes, strict=True), start=1
        )
    ]
    header = ("feature", "rank", "represents", "which", "best substitute", "loss (bits)")
    return [
        heading("What each represents, and its best substitute"),
        table(header, rows, text=(3, 4), long=(3, 4)),
        paragraph(ABOUT_SUBSTITUTES, "aside"),
    ]


def _how_it_was_made(selection: Selection, command: str | None, when: datetime) -> list[str]:
    from bitsieve import __version__

    info = next(info for info in list_methods() if info.name == selection.method)
    parameters = selection.selector.get_params(deep=False)
    rule = parameters.get("stopping")
    of_rule = getattr(rule and make_stopping(rule), "random_state", "none: nothing is drawn at random in the selection")
    seed = parameters.get("random_state", of_rule)
    listed = "".join(f",\n    {name}={value!r}" for name, value in {"method": info.name, **_given(selection)}.items())
    return [
        heading("How this was made"),
        facts(
            [
                ("method", f"{info.name}: {info.title}"),
                ("it maximises", info.formula),
                ("paper", info.paper),
                ("parameters", ", ".join(f"{name}={value!r}" for name, value in _given(selection).items())),
                ("seed", f"{seed}; of the shuffles in this report 0"),
                ("version", f"bitsieve {__version__}"),
                ("written", when.strftime("%Y-%m-%d %H:%M UTC")),
            ]
        ),
        paragraph("The same selection again:"),
        code(f"bitsieve.select(\n    data,\n    {selection.target_name!r}{listed},\n)" if command is None else command),
    ]


def _given(selection: Selection) -> dict[str, Any]:
    """What the selection was asked for, less what the target was not said to be."""
    left_to_it = ("target_bins", "target_kind")
    return {name: of for name, of in selection.parameters.items() if of is not None or name not in left_to_it}
