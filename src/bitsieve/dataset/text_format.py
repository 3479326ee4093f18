"""What the text of a column means, and the rules by which columns are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from bitsieve.dataset.column_info import TextParsing
from bitsieve.diagnostics import NAME_ONLY, UserError
from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Flags
from bitsieve.utils.messages import allowed_names, meant

if TYPE_CHECKING:
    import pyarrow as pa


class TextFormat(Protocol):
    """A way to write values as text, and to read them."""

    @property
    def what(self) -> str:
        """What the values are, in words."""

    @property
    def time(self) -> Literal["dates", "durations"] | None:
        """The kind of time whose microseconds the values are; None for other values."""
        return None

    @property
    def no_class(self) -> bool:
        """Whether a target of such text is no classes; plain whole numbers stay classes where they are text."""
        return True

    def read(self, text: pa.Array) -> pa.Array:
        """The values of some text, null for what is missing or not of this format."""


class TextMeaning(NamedTuple):
    """What the text of a column means."""

    format: TextFormat
    parsing: TextParsing | None = None  # how it was read; None for categories and for plain numbers and times
    is_plain: bool = False  # whether it is numbers or times as every file of text has them


@dataclass(frozen=True, eq=False)
class ColumnRules:
    """How columns are read."""

    repair: bool = True  # whether text that is almost numbers, times or booleans is read as such
    types: Mapping[Any, str] = field(default_factory=dict)  # of columns by name or index: one of ``COLUMN_TYPES``
    # the formats of the columns of text by index, where those are decided already; text of other columns is categories.
    # None: they are to be decided from these rows, which are all
    formats: Mapping[int, TextFormat] | None = None
    counted: Flags | None = None  # shape (n_samples,): which rows count; None: all

    @classmethod
    def from_options(cls, options: ReadOptions) -> ColumnRules:
        """The rules that a user chose, of all rows."""
        return cls(options.repair, options.column_types or {})

    def types_by_index(self, names: Sequence[str]) -> dict[int, str]:
        """The types that the user chose, by the indices of the columns."""
        types = {}
        for column, kind in self.types.items():
            name = meant(str(column), names)
            if isinstance(column, int) and name not in names and column < len(names):
                types[column] = kind
            elif name in names:
                types[list(names).index(name)] = kind
            else:
                raise UserError(
                    code="unknown-column",
                    message=f"names {name!r}, which is no feature",
                    advice=allowed_names(name, [*names]),
                    parameters={"column_types": NAME_ONLY},
                )
        return types
