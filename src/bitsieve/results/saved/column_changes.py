"""How the columns of new data differ from those that a selection was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import Diagnostic
from bitsieve.results.saved.schema import ColumnKind
from bitsieve.utils.messages import quoted

N_LISTED = 5  # values that a diagnostic names
_PLURALS = {"number": "numbers", "date": "dates", "duration": "durations", "category": "categories"}


@dataclass(frozen=True, kw_only=True)
class ColumnChanges:
    """How a column of new data differs from the data that was selected from."""

    name: str
    kind_before: ColumnKind
    kind_now: ColumnKind
    n_rows: int
    code_counts: NDArray[np.int64]  # shape (n_codes + 1,): rows of every code; the last, of values without a code
    n_missing: int  # rows without a value
    n_unread: int  # rows with text that the column's format cannot read, taken as missing
    unread_texts: tuple[str, ...]  # some of that text
    n_unseen: int  # rows with a category that was not there before
    unseen_categories: tuple[str, ...]  # some of these categories
    written_now: str  # how its values are written now; empty where that is as before
    has_missing_code: bool
    n_outside: int  # rows with a number below the smallest or above the largest one before; 0 where these are not known

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What a user should know of the column, the values of which are coded."""
        notes = [
            self.kind_changed(self._how_coded()),
            self._text_not_read(),
            self._categories_unseen(),
            self._missing_without_code(),
        ]
        return [note for note in notes if note is not None]

    def _how_coded(self) -> str:
        """What is done with values of another kind than before."""
        if self.written_now:
            return f"it is read as {_PLURALS[self.kind_now]}: see that they are of the same unit"
        if self.code_counts[:-1].any():
            return "its values are compared with the saved ones as text"
        return "its values have no codes (-1)"

    def kind_changed(self, treatment: str) -> Diagnostic | None:
        """The column holds another kind of values, and ``treatment`` says what is done with them. None if not."""
        if self.kind_now == self.kind_before and not self.written_now:
            return None
        held = _PLURALS[self.kind_before]
        holds = self.written_now or _PLURALS[self.kind_now]
        return Diagnostic(
            code="kind-changed",
            severity="warning",
            message=f"column {self.name!r} held {held} when it was selected, and holds {holds} now",
            advice=treatment,
            columns=(self.name,),
        )

    def _text_not_read(self) -> Diagnostic | None:
        if not self.n_unread:
            return None
        return Diagnostic(
            code="text-not-read",
            severity="warning",
            message=(
                f"column {self.name!r} has text that is none of its {_PLURALS[self.kind_before]} in "
                f"{self.n_unread:,} rows ({quoted(self.unread_texts)})"
            ),
            advice="it is taken as missing",
            columns=(self.name,),
        )

    def _categories_unseen(self) -> Diagnostic | None:
        if not self.n_unseen:
            return None
        return Diagnostic(
            code="unseen-categories",
            severity="warning",
            message=(
                f"column {self.name!r} has categories that were not there when it was selected, in {self.n_unseen:,} "
                f"rows ({quoted(self.unseen_categories)})"
            ),
            advice="they have no code (-1)",
            columns=(self.name,),
        )

    def _missing_without_code(self) -> Diagnostic | None:
        if self.has_missing_code or not self.n_missing:
            return None
        return Diagnostic(
            code="missing-without-code",
            severity="warning",
            message=f"column {self.name!r} had no missing values when it was selected, and has {self.n_missing:,} now",
            advice="they have no code (-1)",
            columns=(self.name,),
        )


def merged_changes(batches: Sequence[ColumnChanges]) -> ColumnChanges:
    """The changes of a column in all rows, from those in batches of the rows."""
    first = batches[0]
    different_kinds = [batch.kind_now for batch in batches if batch.kind_now != batch.kind_before]
    ways_of_writing = [batch.written_now for batch in batches if batch.written_now]
    unread_texts = dict.fromkeys(chain.from_iterable(batch.unread_texts for batch in batches))
    unseen_categories = dict.fromkeys(chain.from_iterable(batch.unseen_categories for batch in batches))
    return replace(
        first,
        kind_now=different_kinds[0] if different_kinds else first.kind_before,
        n_rows=sum(batch.n_rows for batch in batches),
        code_counts=sum((batch.code_counts for batch in batches[1:]), first.code_counts),
        n_missing=sum(batch.n_missing for batch in batches),
        n_unread=sum(batch.n_unread for batch in batches),
        unread_texts=tuple(unread_texts)[:N_LISTED],
        n_unseen=sum(batch.n_unseen for batch in batches),
        unseen_categories=tuple(unseen_categories)[:N_LISTED],
        written_now=ways_of_writing[0] if ways_of_writing else "",
        n_outside=sum(batch.n_outside for batch in batches),
    )
