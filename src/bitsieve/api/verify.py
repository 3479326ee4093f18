"""A saved selection computed again from its data, and compared bit for bit, step by step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from bitsieve.api.select import selection_of
from bitsieve.diagnostics import UserError
from bitsieve.io.read import holds_target
from bitsieve.options import ExecutionOptions, ReadOptions
from bitsieve.pipeline.way import run_selection
from bitsieve.results.equality import equal_values
from bitsieve.results.saved.call import call_of_options
from bitsieve.results.saved.changes import (
    change_of_columns,
    change_of_kinds,
    change_of_rows,
    change_of_target,
    changes_of_options,
    changes_of_settled,
    columns_with_other_values,
)
from bitsieve.results.saved.schema import SavedStep
from bitsieve.results.saved.targets import saved_target
from bitsieve.results.selection import Selection
from bitsieve.utils.messages import number_and_noun, quoted
from bitsieve.utils.terminal_text import different_numbers, number, printable
from bitsieve.utils.types import JsonObject, TableLike


@dataclass(frozen=True, kw_only=True)
class VerifiedStep:
    """A step of a selection, as the file has it and as the data gives it now."""

    name: str  # "rows", "columns", "target", "options", "step 1" and so on, "end" or "values"
    content: str  # what the file says, in words
    difference: str = ""  # what the data gives instead; empty where both agree
    cause: str = ""  # of the difference: "rows", "columns", "target", "values" or "version"

    @property
    def agrees(self) -> bool:
        """Whether the data gives the same, bit for bit."""
        return not self.difference


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The steps of a selection up to the first that differs.

    Attributes
    ----------
    steps : tuple of VerifiedStep
        The steps that were compared; the last one may differ.
    version_saved, version_now : str
        The versions of bitsieve.
    """

    steps: tuple[VerifiedStep, ...]
    version_saved: str
    version_now: str

    @property
    def agrees(self) -> bool:
        """Whether all steps agree."""
        return self.steps[-1].agrees

    def to_dict(self) -> JsonObject:
        """The comparison as plain Python values that ``json.dumps`` takes."""
        return {
            "agrees": self.agrees,
            "steps": [
                {
                    "name": step.name,
                    "agrees": step.agrees,
                    "content": step.content,
                    "difference": step.difference or None,
                    "cause": step.cause or None,
                }
                for step in self.steps
            ],
            "version_saved": self.version_saved,
            "version_now": self.version_now,
        }

    def __str__(self) -> str:
        width = max(len(step.name) for step in self.steps)
        lines = []
        for step in self.steps:
            word = "agrees " if step.agrees else "differs"
            lines.append(f"{word}  {step.name.ljust(width)}  {printable(step.content)}")
        last = self.steps[-1]
        lines.append("")
        if last.agrees:
            lines.append(f"the data gives the same selection, bit for bit: all {len(self.steps):,} steps agree")
        else:
            lines.append(f"the first difference, {last.name}: {printable(last.difference)} (cause: {last.cause})")
        return "\n".join(lines)


def verify_selection(saved: Selection, data: TableLike, execution: ExecutionOptions) -> Verification:
    """Select again from the data with the saved options, and compare all steps up to the first that differs.

    Raises
    ------
    UserError
        If the data cannot be read, or the file does not hold all options: a target or weights that were given as
        values, or an object of a class of the user's own.
    """
    again = _selected_again(saved, data, execution)
    steps = []
    for step in _compared_steps(saved, again):
        steps.append(step)
        if not step.agrees:
            break
    return Verification(
        steps=tuple(steps),
        version_saved=saved.details.versions.value.bitsieve,
        version_now=again.details.versions.value.bitsieve,
    )


def _selected_again(saved: Selection, data: TableLike, execution: ExecutionOptions) -> Selection:
    call = call_of_options(saved.details.options, saved.parameters, execution.memory)
    if not _names_target(call.read) and not holds_target(data):
        raise UserError(
            code="options-not-saved",
            message="the target was given to the selection as values or in saved counts, which its file does not hold",
            advice="select again from a table that has the target, by the name of its column",
        )
    fit = run_selection(data, call.read, execution, call.discretization, call.selection)
    return selection_of(fit, call.read)


def _names_target(read: ReadOptions) -> bool:
    """Whether the options name columns as the target."""
    return read.target is not None or read.survival is not None


def _compared_steps(saved: Selection, again: Selection) -> Iterator[VerifiedStep]:
    yield _compared_rows(saved, again)
    yield _compared_columns(saved, again)
    yield _compared_target(saved, again)
    yield _compared_options(saved, again)
    for rank in range(max(len(saved.features), len(again.features))):
        yield _compared_rank(saved, again, rank)
    yield _compared_end(saved, again)
    if saved.details.values_digest is not None:
        yield _compared_values(saved, again)


def _compared_rows(saved: Selection, again: Selection) -> VerifiedStep:
    then = saved.details.data
    content = f"{then.n_samples:,} rows"
    if then.total_weight != then.n_samples:
        content += f" of weight {then.total_weight:,}"
    difference = change_of_rows(then, again.details.data)
    return VerifiedStep(name="rows", content=content, difference=difference, cause="rows" if difference else "")


def _compared_columns(saved: Selection, again: Selection) -> VerifiedStep:
    then = saved.details.data
    now = again.details.data
    difference = change_of_columns(then, now) or change_of_kinds(then, now)
    cause = "columns" if difference else ""
    return VerifiedStep(name="columns", content=f"{then.n_features:,} columns", difference=difference, cause=cause)


def _compared_target(saved: Selection, again: Selection) -> VerifiedStep:
    then = saved_target(saved.target, saved.details.class_sizes)
    now = saved_target(again.target, again.details.class_sizes)
    difference = change_of_target(then, now)
    what = "a time to an event" if saved.target.kind == "survival" else f"{len(then.class_sizes):,} classes"
    content = f"{then.name!r}, {what}"
    return VerifiedStep(name="target", content=content, difference=difference, cause="target" if difference else "")


def _compared_options(saved: Selection, again: Selection) -> VerifiedStep:
    """The options, of which a default may be another one in this version, and what the data settles of them."""
    then = saved.details
    now = again.details
    content = f"method {saved.method!r}"
    changes = changes_of_options(then.options, now.options)
    if changes:
        return VerifiedStep(name="options", content=content, difference=changes[0], cause="version")
    changes = changes_of_settled(then.settled, now.settled)
    if changes:
        return VerifiedStep(name="options", content=content, difference=changes[0], cause="values")
    return VerifiedStep(name="options", content=content)


def _compared_rank(saved: Selection, again: Selection, rank: int) -> VerifiedStep:
    """The feature of a rank: its column as it was read, cut and counted, its scores, and how close the choice was."""
    name = f"step {rank + 1}"
    if rank >= len(saved.features):
        difference = f"{str(again.features[rank])!r} is selected now, where the selection ended"
        return VerifiedStep(name=name, content="the end", difference=difference, cause=_cause_of_choice(saved, again))
    content = f"{saved.features[rank]}, {number(saved.scores[rank])} {saved.unit}{_closeness(saved, rank)}"
    difference = ""
    cause = ""
    if rank >= len(again.features):
        difference = f"{str(saved.features[rank])!r} then, and the selection ends now"
        cause = _cause_of_choice(saved, again)
    elif str(saved.features[rank]) != str(again.features[rank]):
        difference = f"{str(saved.features[rank])!r} then, {str(again.features[rank])!r} now"
        cause = _cause_of_choice(saved, again)
    elif not equal_values(saved.details.columns[rank], again.details.columns[rank]):
        difference = (
            f"the values of column {str(saved.features[rank])!r} are others: {_changed_part(saved, again, rank)}"
        )
        cause = "values"
    else:
        difference = _changed_number(saved, again, rank)
        cause = _cause_of_choice(saved, again) if difference else ""
    changed_columns = _changed_columns(saved, again)
    if difference and changed_columns:
        difference += f"; selected columns with other values: {quoted(changed_columns)}"
    return VerifiedStep(name=name, content=content, difference=difference, cause=cause)


def _closeness(saved: Selection, rank: int) -> str:
    """How close the choice was: the runner-up and the gap."""
    steps = saved.details.steps
    if rank >= len(steps) or not steps[rank].runner_up or math.isnan(steps[rank].gap):
        return ""
    step = steps[rank]
    at_least = "" if step.is_exact else "at least "
    return f", {at_least}{step.gap:.3g} before {', '.join(step.runner_up)}"


def _changed_part(saved: Selection, again: Selection, rank: int) -> str:
    before = saved.details.columns[rank]
    now = again.details.columns[rank]
    if before.kind != now.kind or before.parsing != now.parsing:
        return "they are read in another way"
    if not equal_values(before.cut, now.cut):
        return "they are cut in another way"
    if before.index != now.index:
        return f"it was column {before.index:,}, and is column {now.index:,} now"
    relevances = f"{saved.relevance[rank]:.6g} bits then, {again.relevance[rank]:.6g} now"
    return f"the counts of its codes differ, with a relevance of {relevances}"


def _changed_number(saved: Selection, again: Selection, rank: int) -> str:
    """The first number of a rank that is not the same to the last bit; empty where all are."""
    for name, before, now in (
        ("score", saved.scores[rank], again.scores[rank]),
        ("relevance", saved.relevance[rank], again.relevance[rank]),
        ("overlap", saved.overlap[rank], again.overlap[rank]),
    ):
        if not _is_same_number(float(before), float(now)):
            text_before, text_now = different_numbers(float(before), float(now))
            return f"the {name} was {text_before}, and is {text_now} now"
    steps_before = saved.details.steps
    steps_now = again.details.steps
    if rank >= len(steps_before) or rank >= len(steps_now):
        return ""
    step_before = steps_before[rank]
    step_now = steps_now[rank]
    if step_before.runner_up == step_now.runner_up and _is_same_number(step_before.gap, step_now.gap):
        return ""
    gap_before, gap_now = different_numbers(step_before.gap, step_now.gap)
    return f"the runner-up was {_runner_up(step_before, gap_before)}, and is {_runner_up(step_now, gap_now)} now"


def _runner_up(step: SavedStep, gap: str) -> str:
    return f"{quoted(step.runner_up)} with a gap of {gap}" if step.runner_up else "not known"


def _is_same_number(before: float, now: float) -> bool:
    return before == now or (math.isnan(before) and math.isnan(now))


def _cause_of_choice(saved: Selection, again: Selection) -> str:
    """Why another column is chosen: the version, if another version finds the same values; else the values."""
    if saved.details.versions.value.bitsieve == again.details.versions.value.bitsieve:
        return "values"
    if saved.details.values_digest is not None:
        return "version" if saved.details.values_digest == again.details.values_digest else "values"
    return "values" if _changed_columns(saved, again) else "version"


def _changed_columns(saved: Selection, again: Selection) -> list[str]:
    """The columns that are selected then and now, and have other values."""
    return columns_with_other_values(saved.details.columns, again.details.columns)


def _compared_end(saved: Selection, again: Selection) -> VerifiedStep:
    """What ended the selection, and the bound on other subsets."""
    before = saved.details
    now = again.details
    n_features = len(saved.features)
    content = number_and_noun(n_features, "feature")
    if before.stopping is not None and before.stopping.reason:
        content += f": {before.stopping.reason}"
    difference = ""
    if not equal_values(before.stopping, now.stopping):
        difference = "the selection ends for another reason, or at other numbers"
    elif not equal_values(before.certificate, now.certificate):
        difference = "the bound on the objective is another one"
    cause = _cause_of_choice(saved, again) if difference else ""
    return VerifiedStep(name="end", content=content, difference=difference, cause=cause)


def _compared_values(saved: Selection, again: Selection) -> VerifiedStep:
    """All columns as they were counted: those that are not selected may have other values and change nothing."""
    difference = ""
    cause = ""
    if saved.details.values_digest != again.details.values_digest:
        difference = "columns that are not selected have other values, which give the same selection"
        cause = "values"
    content = f"all columns, digest {saved.details.values_digest}"
    return VerifiedStep(name="values", content=content, difference=difference, cause=cause)
