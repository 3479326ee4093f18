"""ORC files."""

from __future__ import annotations

import pyarrow as pa

from bitsieve.io.typed_file import WholeFile


class OrcFile(WholeFile):
    """An ORC file, read by pyarrow."""

    description = "an ORC file"

    def read_table(self) -> pa.Table:
        from pyarrow import orc

        return orc.read_table(str(self.path))
