"""Files of Stata, SAS and SPSS: values as they are stored, without their labels."""

from __future__ import annotations

from abc import abstractmethod

import pyarrow as pa

from bitsieve.io.typed_file import WholeFile, as_integers
from bitsieve.utils.types import ColumnLike


class _StatisticsFile(WholeFile):
    """A file that pyreadstat reads."""

    @abstractmethod
    def read_columns(self) -> dict[str, ColumnLike]:
        """The values of all columns by name."""

    def read_table(self) -> pa.Table:
        columns = self.read_columns()
        return pa.table({name: as_integers(pa.array(values)) for name, values in columns.items()})


class StataFile(_StatisticsFile):
    """A file of Stata (.dta)."""

    description = "a Stata file"

    def read_columns(self) -> dict[str, ColumnLike]:
        import pyreadstat

        columns, _ = pyreadstat.read_dta(str(self.path), output_format="dict")
        return dict(columns)


class SasFile(_StatisticsFile):
    """A file of SAS (.sas7bdat)."""

    description = "a SAS file"

    def read_columns(self) -> dict[str, ColumnLike]:
        import pyreadstat

        columns, _ = pyreadstat.read_sas7bdat(str(self.path), output_format="dict")
        return dict(columns)


class SasTransportFile(_StatisticsFile):
    """A transport file of SAS (.xpt)."""

    description = "a SAS transport file"

    def read_columns(self) -> dict[str, ColumnLike]:
        import pyreadstat

        columns, _ = pyreadstat.read_xport(str(self.path), output_format="dict")
        return dict(columns)


class SpssFile(_StatisticsFile):
    """A file of SPSS (.sav)."""

    description = "an SPSS file"

    def read_columns(self) -> dict[str, ColumnLike]:
        import pyreadstat

        columns, _ = pyreadstat.read_sav(str(self.path), output_format="dict")
        return dict(columns)
