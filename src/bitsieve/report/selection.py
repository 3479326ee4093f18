"""The report of a selection: what was selected and why, what it represents, the data, and how to make it again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from bitsieve.common.html import bullets, code, facts, figure, heading, paragraph, table
from bitsieve.common.messages import number, quoted
from bitsieve.methods.registry import list_methods
from bitsieve.report.columns import bins_of, quality_parts
from bitsieve.report.displays import MOST_BARS, CurveDisplay, RankingDisplay, RedundancyDisplay, selected_names
from bitsieve.report.figures import as_svg
from bitsieve.report.page import page
from bitsieve.selection.curve import Curve
from bitsieve.selection.evidence import Chance
from bitsieve.selection.explain import affiliated_of, best_substitutes
from bitsieve.selection.selection import Selection

MOST_LISTED = 12  # names in a cell
ABOUT_PARTS = (
    "A bar is what the feature tells alone. Told already: the part of it that one feature selected before it tells, "
    "the one that tells most of it. Only together: what it tells in addition together with one of those. No bar is "
    "longer than H(C), all there is to know about the target."
)
ABOUT_CURVE = (
    "What the first features tell together. A shaded step reaches what the next feature would add if its values were "
    "shuffled among rows that are alike in all features before it: a point that is not above its step adds no more "
    "than chance. With few rows the curve soon reaches H(C), whatever the features are."
)
ABOUT_SUBSTITUTES = (
    "Stands for: features that were not selected and share at least half of their information with this one. Best "
    "substitute: the feature that would tell most in its place, beside the other selected features (those first in the "
    "ranking, as many as leave five rows a combination of their values). Costs: how many bits would be lost; below 0, "
    "the substitute would tell more."
)


def selection_report(selection: Selection, *, command: str | None = None, when: datetime | None = None) -> str:
    """The report as HTML text; ``command`` makes the selection again, by default the call in Python."""
    evidence = selection.evidence
    curve = CurveDisplay.of(selection.selector, evidence)
    return page(
        f"Features that tell about {selection.target_name}",
        [
            paragraph(_answer(selection, curve.curve), "answer"),
            paragraph(_setting(selection), "aside"),
            *_ranking(selection),
            *_how_many(selection, curve),
            *_redundancy(selection),
            *_substitutes(selection),
            heading("Bins of the selected features"),
            paragraph("How many rows of each class every bin holds, and their share. Open a feature.", "aside"),
            *[bins_of(evidence, int(j)) for j in selection.indices],
            *quality_parts(evidence),
            *([heading("Notes"), bullets(selection.notes)] if selection.notes else []),
            *_how_it_was_made(selection, command, when or datetime.now(UTC)),
        ],
    )


def _answer(selection: Selection, curve: Curve) -> str:
    k = len(selection.features)
    evidence = selection.evidence
    joint = curve.joint[curve.n_selected - 1]
    share = 100 * joint / curve.class_entropy
    first = selected_names(evidence)[0]
    return (
        f"{k:,} of {len(evidence.table.names):,} features were selected. The first is {first}, which "
        f"alone tells {number(selection.relevance[0])} bits of the {number(curve.class_entropy)} bits of "
        f"{selection.target_name}. All {k:,} together tell {number(joint)} bits of it in these rows ({share:.0f} %)."
    )


def _setting(selection: Selection) -> str:
    target, source = selection.target, selection.evidence.information.source
    sizes = source.class_sizes
    listed = [f"{label} {size:,}" for label, size in zip(target.labels, sizes, strict=True)][:MOST_LISTED]
    more = f" and {target.n_classes - len(listed):,} more" if target.n_classes > len(listed) else ""
    weighed = "" if source.n_samples == selection.n_samples else f", {source.n_samples:,} counted by weight"
    return (
        f"{selection.n_samples:,} rows{weighed}; {target.n_classes:,} classes: {', '.join(listed)}{more}. All bits are "
        "plug-in estimates: the shares seen in these rows."
    )


def _ranking(selection: Selection) -> list[str]:
    evidence, names = selection.evidence, selection.evidence.table.names
    found, selected = evidence.contributions, selected_names(evidence)
    first = "" if len(selection.features) <= MOST_BARS else f" The first {MOST_BARS} are drawn."
    rows = [
        (
            selected[p],
            str(p + 1),
            number(selection.scores[p]),
            number(found.relevance[p]),
            number(found.relevance[p] - found.redundancy[p]),
            number(found.redundancy[p]),
            _name(names, found.redundant_with[p]),
            number(found.complementarity[p]),
            _name(names, found.complementary_with[p]),
        )
        for p in range(len(selection.features))
    ]
    score = f"score ({selection.unit})"
    header = ("feature", "rank", score, "tells alone", "new", "told already", "by", "only together", "with")
    drawn = RankingDisplay.of(selection.selector, evidence).plot()
    return [
        heading("Ranking"),
        figure(as_svg(drawn.ax_, "what each feature tells"), ABOUT_PARTS + first),
        paragraph(_about_chance(evidence.chance)),
        table(header, rows, text=(6, 8), long=(6, 8)),
    ]


def _about_chance(chance: Chance | None) -> str:
    if chance is None:
        return "By chance: not computed, since the rows are not at hand or too many to be shuffled one by one."
    how = f"{chance.n_shuffles} times the classes were shuffled, and all columns binned and counted again"
    if not chance.best_high:
        return f"By chance: {how}. In 19 of 20 of these no column told anything, so none of these bars is chance."
    return (
        f"By chance: {how}. The most relevant of all columns then told {number(chance.best_low)} to "
        f"{number(chance.best_high)} bits (18 of 20 times), a single column up to {number(chance.typical)}. A feature "
        "that tells no more alone may be there by chance. (Columns with more than half as many bins as rows, such as "
        "identifiers, are left out: they tell nearly everything by chance.)"
    )


def _how_many(selection: Selection, curve: CurveDisplay) -> list[str]:
    selector, names = selection.selector, selection.evidence.table.names
    later = [names[j] for j in curve.curve.columns[curve.curve.n_selected :]]
    text = f"{len(selection.features):,} features were asked for."
    if getattr(selector, "stopped_by_", "n_features_to_select") != "n_features_to_select":
        text = f"The selection ended by itself: {selector.stopped_by_}"
        text += f", {selector.stopping_reason_}." if selector.stopping_reason_ else "."
    if later:
        text += f" Next would come {quoted(later)}."
    return [
        heading("How many features"),
        figure(as_svg(curve.plot().ax_, "information of the first features together"), ABOUT_CURVE),
        paragraph(text),
    ]


def _redundancy(selection: Selection) -> list[str]:
    if len(selection.features) < 2:
        return []
    drawn = RedundancyDisplay.of(selection.selector, selection.evidence).plot()
    about = (
        "I(X;X') of every two selected features. It may be more than H(C): they share more than what tells the class."
    )
    return [heading("What they share"), figure(as_svg(drawn.ax_, "information that selected features share"), about)]


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
            _listed([names[j] for j in group]),
            "-" if substitute is None else names[substitute.column],
            "-" if substitute is None else number(substitute.price),
        )
        for rank, (name, group, substitute) in enumerate(
            zip(selected_names(evidence), near.groups, substitutes, strict=True), start=1
        )
    ]
    header = ("feature", "rank", "stands for", "which", "best substitute", "costs (bits)")
    return [
        heading("What each stands for, and what would replace it"),
        table(header, rows, text=(3, 4), long=(3, 4)),
        paragraph(ABOUT_SUBSTITUTES, "aside"),
    ]


def _how_it_was_made(selection: Selection, command: str | None, when: datetime) -> list[str]:
    from bitsieve import __version__

    info = next(info for info in list_methods() if info.name == selection.method)
    parameters = {name: value for name, value in selection.selector.get_params(deep=False).items() if name != "n_jobs"}
    seed = parameters.get("random_state", "none: nothing is drawn at random in the selection")
    return [
        heading("How this was made"),
        facts(
            [
                ("method", f"{info.name}: {info.title}"),
                ("it maximises", info.formula),
                ("paper", info.paper),
                ("parameters", ", ".join(f"{name}={value}" for name, value in parameters.items())),
                ("binning", " ".join(str(selection.evidence.binner).split())),
                ("seed", f"{seed}; of the shuffles in this report 0"),
                ("version", f"bitsieve {__version__}"),
                ("written", when.strftime("%Y-%m-%d %H:%M UTC")),
            ]
        ),
        paragraph("The same selection again:"),
        code(_call(selection) if command is None else command),
    ]


def _call(selection: Selection) -> str:
    given: dict[str, Any] = {"method": selection.method, **selection.parameters}
    if given.get("target_bins") is not None and selection.target.edges is None:
        del given["target_bins"]
    listed = "".join(f",\n    {name}={value!r}" for name, value in given.items())
    return f"bitsieve.select(\n    data,\n    {selection.target_name!r}{listed},\n)"


def _name(names: Sequence[str], column: int) -> str:
    return "-" if column < 0 else names[column]


def _listed(names: list[str]) -> str:
    if not names:
        return "-"
    more = f" and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more
