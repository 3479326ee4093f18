"""Files of other programs give the rows of the same table as CSV, whole and in batches."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from tests.cover import quick_and_slow
from tests.sas_files import LAYOUTS, sas_file

import bitsieve
from bitsieve.io.errors import DataError
from bitsieve.io.formats import format_of_head
from bitsieve.io.read import open_file, read_table

pandas = pytest.importorskip("pandas")


def rows(n=60):
    """Numbers, whole numbers with a gap, text, the target."""
    random = np.random.default_rng(1)
    y = random.integers(0, 2, n)
    gap = [None if j % 7 == 0 else int(of) for j, of in enumerate(random.integers(0, 4, n) + 3 * y)]
    words = np.array(["x", "yy", "z"])[y + random.integers(0, 2, n)]
    return pandas.DataFrame(
        {
            "a": np.round(random.normal(size=n) + y, 2),
            "few": random.integers(0, 3, n),
            "gap": pandas.array(gap, "Int64"),
            "word": pandas.array(words.tolist(), object),
            "y": pandas.array(np.array(["no", "yes"])[y].tolist(), object),
        }
    )


def excel(frame, path):
    pytest.importorskip("openpyxl")
    frame.to_excel(path, index=False)


def stata(frame, path):
    pytest.importorskip("pyreadstat").write_dta(frame.astype({"gap": float}), path)


def old_stata(frame, path):
    pytest.importorskip("pyreadstat").write_dta(frame.astype({"gap": float}), path, version=8)


def sas(frame, path):
    pytest.importorskip("pyreadstat").write_xport(frame.astype({"gap": float}), path)


def sas_data(layout):
    """A writer of files of SAS in a layout."""

    def write(frame, path):
        pytest.importorskip("pyreadstat")
        columns = {name: [None if value is pandas.NA else value for value in frame[name]] for name in frame}
        path.write_bytes(sas_file(columns, layout))

    return write


def spss(frame, path):
    pytest.importorskip("pyreadstat").write_sav(frame.astype({"gap": float}), path)


def arff(frame, path):
    text = ["% a comment", "@RELATION t", "@ATTRIBUTE a REAL", "@ATTRIBUTE few INTEGER", "@ATTRIBUTE gap REAL"]
    text += ["@ATTRIBUTE word {x,yy,z}", "@ATTRIBUTE y {no,yes}", "@DATA"]
    text += [",".join("?" if value is pandas.NA else str(value) for value in row) for row in frame.to_numpy().tolist()]
    path.write_text("\n".join(text) + "\n")


def orc(frame, path):
    import pyarrow as pa
    from pyarrow import orc

    orc.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)


FORMATS = {
    "xlsx": excel,
    "dta": stata,
    "old.dta": old_stata,
    "xpt": sas,
    **{f"{layout}.sas7bdat": sas_data(layout) for layout in LAYOUTS},
    "sav": spss,
    "arff": arff,
    "orc": orc,
}


@pytest.mark.parametrize("version", [113, 114, 115])
@pytest.mark.parametrize("order_of_bytes", [1, 2])
def test_old_files_of_stata_are_known_by_their_first_bytes(tmp_path, version, order_of_bytes):
    head = bytes([version, order_of_bytes, 1, 0])
    assert format_of_head(tmp_path / "t", head, "the file").title == "Stata"


@pytest.fixture(params=FORMATS)
def both(request, tmp_path):
    """The paths of a file of that format and of a CSV of the same rows."""
    path = tmp_path / f"t.{request.param}"
    FORMATS[request.param](rows(), path)
    rows().to_csv(tmp_path / "t.csv", index=False)
    return path, tmp_path / "t.csv"


def test_the_rows_are_those_of_a_csv(both):
    path, csv = both
    assert read_table(path).to_pydict() == read_table(csv).to_pydict()


@pytest.mark.parametrize(
    "both", quick_and_slow(FORMATS, quick={"dta"}, reason="the same rows, as the test above shows"), indirect=True
)
def test_the_selection_is_that_of_a_csv(both):
    for how in {}, {"memory": "1GB"}:
        found, expected = (bitsieve.select(of, "y", missing="bin", **how) for of in both)
        assert found.features == expected.features
        assert found.scores.tobytes() == expected.scores.tobytes()
        assert found.notes == expected.notes


def test_some_columns_in_their_order(both):
    path, _ = both
    blocks = list(open_file(path).batches(["y", "a"], rows=25))
    assert [block.num_rows for block in blocks] == [25, 25, 10]
    assert blocks[0].column_names == ["y", "a"]


def test_a_workbook_with_a_cell_far_away(tmp_path):
    """The table up to that cell takes more memory than there is: an error, and the process stays."""
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    book.active.append(["a", "y"])
    book.active.append([1, 2])
    book.active.cell(2**20, 2**14, 1)
    book.save(tmp_path / "t.xlsx")
    assert (tmp_path / "t.xlsx").stat().st_size < 10_000
    with pytest.raises(DataError) as caught:
        read_table(tmp_path / "t.xlsx")
    assert caught.value.code == "cannot-read"
    assert "\n" not in str(caught.value)


@pytest.mark.slow("named sheets are read in other tests")
def test_a_workbook_of_several_sheets(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "two.xlsx"
    with pandas.ExcelWriter(path) as file:
        rows().to_excel(file, sheet_name="one", index=False)
        rows()[:5].to_excel(file, sheet_name="two", index=False)
    with pytest.raises(DataError, match=r"has 2 sheets: name one of 'one', 'two', as FILE/one or by --table$"):
        read_table(path)
    assert read_table(path / "two").num_rows == 5
    with pytest.raises(DataError, match=r"two.xlsx/three' is no sheet: name one of"):
        read_table(path / "three")


def test_cells_of_several_kinds_are_text(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pandas.DataFrame({"mixed": pandas.array([1, "two", 3.5, True], object), "y": [0, 1, 0, 1]})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    assert read_table(tmp_path / "t.xlsx")["mixed"].to_pylist() == ["1", "two", "3.5", "True"]


@pytest.mark.parametrize(("package", "kind"), [("python_calamine", "xlsx"), ("pyreadstat", "dta")])
def test_a_package_that_lacks_is_named(tmp_path, monkeypatch, package, kind):
    FORMATS[kind](rows(), tmp_path / f"t.{kind}")
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, "openpyxl", None)  # which reads .xlsx, too
    with pytest.raises(DataError, match=rf"needs the package '{package}': pip install 'bitsieve\[formats\]'$"):
        read_table(tmp_path / f"t.{kind}")


def test_a_broken_file_is_one_line(both):
    path, _ = both
    path.write_bytes(path.read_bytes()[:80])
    with pytest.raises(DataError, match=r"^[^\n]*$"):
        read_table(path)


def test_a_file_of_one_table_has_no_other_inside(tmp_path):
    rows().to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(DataError, match=r"t.csv/x': the file holds one table, give its own path$"):
        read_table(tmp_path / "t.csv" / "x")
