"""Columns that are left out: the same by saved counts as by rows, and remembered when more follow."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bitsieve as bs
from bitsieve.cli import main
from bitsieve.dataset.read import read_data
from bitsieve.engines.saved_counts import SavedCounts
from bitsieve.engines.stream import StreamSource
from bitsieve.io.errors import DataError
from bitsieve.options import ReadOptions

N = 400


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    random = np.random.default_rng(4)
    classes = random.integers(0, 2, N)
    columns = {
        "patient": np.arange(N),
        "empty": np.full(N, np.nan),
        **{f"x{j}": random.integers(0, 4, N) + classes * (j % 2) for j in range(4)},
        "y": classes,
    }
    found = tmp_path_factory.mktemp("left_out") / "data.csv"
    pd.DataFrame(columns).to_csv(found, index=False)
    return found


def ranked(capsys, *arguments):
    capsys.readouterr()
    assert main(["select", *map(str, arguments), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    return [(feature["name"], feature["relevance_bits"]) for feature in found["features"]]


@pytest.mark.parametrize("options", [(), ("--exclude", "x1"), ("--include", "patient")], ids=["auto", "out", "in"])
def test_counts_leave_out_what_select_leaves_out(path, tmp_path, capsys, options):
    counts = tmp_path / "counts"
    assert main(["count", str(path), "--target", "y", "--save", str(counts), "--missing", "bin", *options]) == 0
    how = "--method", "jmi", "--features", 3
    of_rows = ranked(capsys, path, "--target", "y", "--missing", "bin", *how, *options)
    head = options if "--include" in options else ()
    assert ranked(capsys, "--counts", counts, *how, *head) == of_rows


def test_counts_name_what_was_left_out(path, tmp_path, capsys):
    counts = str(tmp_path / "counts")
    assert main(["count", str(path), "--target", "y", "--save", counts, "--missing", "bin"]) == 0
    capsys.readouterr()
    assert main(["select", "--counts", counts]) == 0
    notes = capsys.readouterr().err
    assert "left out when the rows were counted: 'patient', 'empty'" in notes
    assert "constant" not in notes
    assert main(["select", "--counts", counts, "--include", "patient"]) == 2
    assert "left out when the rows were counted: 'patient'; count again with --include patient" in (
        capsys.readouterr().err
    )


def test_columns_left_out_one_after_the_other_stay_out(path):
    in_memory = read_data(str(path), ReadOptions(target="y")).without([0]).without([3])
    in_parts = StreamSource(path, "1GB").read_in_parts(ReadOptions(target="y")).without([0]).without([3])
    assert tuple(in_memory.dropped) == in_parts.dropped == (0, 3)
    assert in_memory.is_constant(0) is True


def test_a_column_that_is_left_out_has_one_code_also_where_its_missing_values_had_one(path, tmp_path):
    assert main(["count", str(path), "--target", "y", "--save", str(tmp_path / "counts"), "--missing", "bin"]) == 0
    counts = SavedCounts.load(tmp_path / "counts")
    assert counts.dropped == (0, 1)
    marked = replace(counts, dropped=(0, 1, 2))
    pooled = marked.without([])
    assert pooled.arities.tolist() == [1, 1, 1, *counts.arities[3:].tolist()]
    assert pooled.without([]) is pooled


def test_a_table_is_counted_with_the_binner_that_is_given(path, tmp_path):
    def table():
        return StreamSource(path, "1GB", tmp_path / "spool").read_in_parts(ReadOptions(target="y")).without([0, 1])

    five, three = bs.EqualFrequencyBinner(n_bins=5, missing="bin"), bs.EqualFrequencyBinner(n_bins=3, missing="bin")
    first, _ = table().count(five)
    again = table()
    again.summarize(five)
    second, _ = again.count(three)
    expected, _ = StreamSource(path, "1GB").read_in_parts(ReadOptions(target="y")).without([0, 1]).count(three)
    assert second.n_bins_.tolist() == expected.n_bins_.tolist() != first.n_bins_.tolist()


def test_cells_of_another_run_are_refused(path, tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, rows in zip(folders, (N, N - 7), strict=True):
        part = tmp_path / f"{rows}.csv"
        pd.read_csv(path).drop(columns=["patient", "empty"]).head(rows).to_csv(part, index=False)
        assert main(["count", str(part), "--target", "y", "--save", str(folder), "--binning", "none"]) == 0
    (file,), (other,) = (list(folder.iterdir()) for folder in folders)
    content = file.read_bytes()
    assert SavedCounts.load(folders[0]).class_sizes.sum() == N
    n_bytes = len(content) - content.index(b"\n", content.index(b"\n") + 1) - 1
    file.write_bytes(content[:-n_bytes] + other.read_bytes()[-n_bytes:])
    with pytest.raises(DataError, match="are incomplete"):
        SavedCounts.load(folders[0])
    file.write_bytes(b"")
    with pytest.raises(DataError):
        SavedCounts.load(folders[0])
