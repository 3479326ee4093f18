"""How far the columns of a scorecard have moved: what ``bitsieve drift --card`` prints."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals as nw
import pyarrow as pa

from bitsieve.utils.terminal_text import aligned, finite, number
from bitsieve.utils.types import DataFrame, JsonObject

HEADER = ("column", "psi", "chance", "p", "bins", "")
IS_RIGHT = (False, True, True, True, True, False)


@dataclass(frozen=True)
class CardStability:
    """The stability index of every column of a scorecard, in the order of the scorecard."""

    table: pa.Table  # of Scorecard.stability
    new_file: str
    old_file: str | None  # None: the new file is compared with the rows of the development

    @classmethod
    def of_frame(cls, frame: DataFrame, new_file: str, old_file: str | None) -> CardStability:
        """The result of a frame that ``Scorecard.stability`` returns."""
        return cls(nw.from_native(frame, eager_only=True).to_arrow(), new_file, old_file)

    def __str__(self) -> str:
        columns = self.table.to_pylist()
        rows = []
        for column in columns:
            rows.append(
                (
                    column["column"],
                    number(column["psi"]),
                    number(column["chance"]),
                    f"{column['p']:.2g}",
                    str(column["bins"]),
                    column["word"],
                )
            )
        n_moved = sum(column["word"] != "stable" for column in columns)
        old_rows = "the rows of the development" if self.old_file is None else repr(self.old_file)
        lines = [
            aligned(HEADER, rows, IS_RIGHT),
            "",
            f"{n_moved:,} of {len(columns):,} columns of the scorecard moved: psi of at least 0.1",
            f"psi of {self.new_file!r} beside {old_rows}; chance: its mean where nothing has moved",
        ]
        return "\n".join(lines)

    def to_dict(self) -> JsonObject:
        """The result as plain Python values that ``json.dumps`` takes."""
        columns = []
        for column in self.table.to_pylist():
            columns.append(
                {
                    "name": column["column"],
                    "psi": finite(column["psi"]),
                    "chance": finite(column["chance"]),
                    "p": finite(column["p"]),
                    "n_bins": column["bins"],
                    "word": column["word"],
                }
            )
        return {"data": self.new_file, "reference": self.old_file, "columns": columns}
