"""The meaning of the text of a column, and the rules by which columns are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from bitsieve.dataset.column_info import TextParsing
from bitsieve.diagnostics import NAME_ONLY, UserError
from bitsieve.options import ColumnType, ReadOptions
from bitsieve.utils.arrays import Flags
from bitsieve.utils.messages import advice_on_name, closest_match, nearest_in
from bitsieve.utils.types import Label

if TYPE_CHECKING:
    import pyarrow as pa


class TextFormat(Protocol):
    """A format of values that are written as text."""

    @property
    def what(self) -> str:
        """What the values are, for messages."""

    @property
    def time(self) -> Literal["dates", "durations"] | None:
        """Whether the values are microseconds of dates or of durations; None for other values."""
        return None

    @property
    def zoned(self) -> bool:
        """Whether the values are dates with a time zone."""
        return False

    @property
    def converts_target(self) -> bool:
        """Whether a target of such text is converted to its values; else the text itself is the classes."""
        return True

    def read(self, text: pa.Array) -> pa.Array:
        """Read text: null where it is missing or not of this format."""


class TextMeaning(NamedTuple):
    """What the text of a column means."""

    format: TextFormat
    parsing: TextParsing | None = None  # how it was read; None for categories and for plain numbers and times
    is_plain: bool = False  # whether it is plain numbers or times, which every reader of text files knows


@dataclass(frozen=True, eq=False)
class ColumnRules:
    """How columns are read."""

    repair: bool = True  # whether text that is almost numbers, times or booleans is read as such
    types: Mapping[Any, ColumnType] = field(default_factory=dict)  # that the user chose, by name or index
    #: The formats of columns of text that were decided earlier, by index; text of other columns is categories. None if
    #: the rows decide, which then must be all rows.
    formats: Mapping[int, TextFormat] | None = None
    exclude: Sequence[Label] = ()  # names of columns that the user excludes, which may be of a type that is not read
    are_targets: bool = False  # whether the columns are targets, which are never identifiers
    has_weight: Flags | None = None  # shape (n_samples,): the rows that decide what text means; None for all

    @classmethod
    def from_options(cls, options: ReadOptions) -> ColumnRules:
        """The rules that a user chose."""
        types = {}
        for column, text in options.types_of_features.items():
            column_type = ColumnType.from_text(text)
            assert column_type is not None  # the options refuse other text
            types[column] = column_type
        return cls(options.repair, types, exclude=options.exclude)

    def types_by_index(self, names: Sequence[str]) -> dict[int, ColumnType]:
        """The types that the user chose, by the indices of the columns."""
        types = {}
        for column, column_type in self.types.items():
            name = closest_match(str(column), names)
            if isinstance(column, int) and name not in names and column < len(names):
                types[column] = column_type
            elif name in names:
                types[list(names).index(name)] = column_type
            else:
                raise UserError(
                    code="unknown-column",
                    message=f"names {name!r}, which is no feature",
                    advice=advice_on_name(name, [*names]),
                    fix=nearest_in("column_types", name, names),
                    columns=[name],
                    parameters={"column_types": NAME_ONLY},
                )
        return types

    def kinds_by_index(self, names: Sequence[str]) -> dict[int, str]:
        """The kinds of values that the user chose, by the indices of the columns."""
        return {j: column_type.kind for j, column_type in self.types_by_index(names).items()}

    def missing_numbers_by_index(self, names: Sequence[str]) -> dict[int, tuple[float, ...]]:
        """The numbers that mean a missing value, by the indices of the columns that have such numbers."""
        return {
            j: column_type.missing_numbers
            for j, column_type in self.types_by_index(names).items()
            if column_type.missing_numbers
        }
