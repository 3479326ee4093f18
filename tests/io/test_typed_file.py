"""Files that store the types of their columns: the work of opening one grows with the number of columns, not faster."""

from __future__ import annotations

import pyarrow as pa

from bitsieve.io.column_file import Copies, InputFile
from bitsieve.io.typed_file import TypedFile


class CountingSchema:
    """A schema that counts how often all its names are listed, which takes as long as there are columns."""

    def __init__(self, n_columns: int) -> None:
        self.n_lists = 0
        self._schema = pa.schema([(f"c{j}", pa.int64()) for j in range(n_columns)])

    @property
    def names(self) -> list[str]:
        self.n_lists += 1
        return self._schema.names

    def field(self, index: int) -> pa.Field:
        return self._schema.field(index)


class FileOfSchema(TypedFile):
    description = "a schema"
    n_rows = 0

    def read_schema(self) -> CountingSchema:
        self.schema = CountingSchema(100)
        return self.schema

    def partitions(self, *, in_one_block: bool) -> list:
        return []


def test_names_are_listed_once_however_many_there_are(tmp_path):
    file = FileOfSchema(InputFile(tmp_path / "t", "'t'", None, Copies()), [], "schema")
    assert file.names == [f"c{j}" for j in range(100)]
    assert file.schema.n_lists == 1
