"""Spools: used again only when whole and of the same data, removed otherwise; and what happens when reading fails."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.dataset.read import read_data
from bitsieve.discretization.registry import make_binner
from bitsieve.engines.stream_packing import StreamPacking
from bitsieve.io import spool as spools
from bitsieve.options import ReadOptions

N = 2000


def write(path, seed=0, columns="ab"):
    random = np.random.default_rng(seed)
    classes = random.integers(0, 2, N)
    table = {name: classes + random.integers(0, 3, N) for name in columns} | {"class": classes}
    parquet.write_table(pa.table(table), path, row_group_size=250)
    return path


def run(data, **how):
    return bitsieve.select(data, "class", **{"binning": "none", "method": "jmi", "n_features_to_select": 2, **how})


@pytest.fixture
def packed(monkeypatch):
    """How often a file was packed."""
    calls, finish = [], StreamPacking.finish
    monkeypatch.setattr(StreamPacking, "finish", lambda self, *kept: calls.append(1) or finish(self, *kept))
    return calls


def test_a_spool_is_used_again(tmp_path, packed):
    data, spool = write(tmp_path / "data.parquet"), tmp_path / "spool"
    first, second = run(data, spool=spool), run(data, spool=spool)
    assert second.to_dict() == first.to_dict() == run(data).to_dict()
    assert packed == [1]
    assert len(list(spool.iterdir())) == 1


def test_other_data_and_other_bins_are_packed_anew(tmp_path, packed):
    data, spool = write(tmp_path / "data.parquet"), tmp_path / "spool"
    run(data, spool=spool)
    write(data, seed=1)
    assert run(data, spool=spool).to_dict() == run(data).to_dict()
    bitsieve.select(data, "class", binning="quantile", spool=spool)
    bitsieve.select(data, "class", binning="quantile", n_bins=3, spool=spool)
    bitsieve.select(data, "a", binning="none", spool=spool)
    assert len(packed) == len(list(spool.iterdir())) == 5


def test_planes_of_a_target_beside_the_file_are_not_cached(tmp_path):
    """The file says nothing of such a target: with another one the same planes would be found."""
    data = write(tmp_path / "data.parquet")
    how = {"binning": "none", "n_features_to_select": 2, "engine": "stream"}
    for seed in range(2):
        y = np.random.default_rng(seed).integers(0, 2, N)
        cached = bitsieve.select(data, y, spool=tmp_path / "spool", **how)
        assert cached.to_dict() == bitsieve.select(data, y, **how).to_dict()


def test_planes_of_a_stream_are_not_cached(tmp_path):
    """Nobody knows whether its rows are those of an earlier stream."""
    for seed in range(2):
        rows = parquet.read_table(write(tmp_path / "data.parquet", seed=seed))
        cached = run(rows.to_reader(), spool=tmp_path / "spool")
        assert cached.to_dict() == run(rows.to_reader()).to_dict()


def with_identifiers(path):
    """The same rows with their numbers, names, and numbers in text, of which the first two are left out."""
    write(path)
    rows = parquet.read_table(path)
    for name, values in (("row", range(N)), ("name", [f"n{i}" for i in range(N)]), ("text", ["1", "2"] * (N // 2))):
        rows = rows.append_column(name, pa.array(values))
    parquet.write_table(rows, path, row_group_size=250)
    return path


@pytest.mark.parametrize(
    "binning", quick_and_slow(["mdl", "none", "quantile"], quick={"quantile"}, reason="the same columns by other bins")
)
def test_a_spool_of_a_table_of_which_columns_are_left_out(tmp_path, packed, binning):
    data, spool = with_identifiers(tmp_path / "data.parquet"), tmp_path / "spool"
    for excluded, times in ((), 1), ((), 0), (["b"], 1), (["b"], 0), ((), 1):
        how = {"binning": binning, "method": "jmi", "n_features_to_select": 2, "exclude": excluded}
        expected = bitsieve.select(data, "class", engine="stream", **how)
        packed.clear()
        assert bitsieve.select(data, "class", spool=spool, **how).to_dict() == expected.to_dict()
        assert len(packed) == times
        assert len(list(spool.iterdir())) == 1


@pytest.mark.parametrize("binning", ["none", "uniform", "mdl"])
def test_a_table_is_counted_any_number_of_times(tmp_path, binning):
    """Rows packed in the pass that looked at them are finished once; without some columns they are packed anew."""
    data = write(tmp_path / "data.parquet")
    table = bitsieve.StreamSource(data).read_in_parts(ReadOptions(target="class"))
    binner = make_binner(binning, missing="error")
    whole = read_data(data, ReadOptions(target="class"))
    table.summarize(binner)
    without = table.without([1])
    for of, same in ((table, whole), (without, whole.without([1])), (table, whole)):
        fitted, source = of.count(binner)
        for column, codes in enumerate(fitted.codes(same).T):
            (counted,) = source.tables(None, np.array([column]), False)
            assert counted.dense().ravel().tolist() == np.bincount(codes, minlength=source.arities[column]).tolist()


def test_counts_by_the_bins_and_classes_of_others_of_a_table_that_was_counted(tmp_path):
    table = bitsieve.StreamSource(write(tmp_path / "data.parquet")).read_in_parts(ReadOptions(target="class"))
    fitted, source = table.count(make_binner("uniform", missing="error"))
    more = replace(table.target, labels=np.array([-1, 0, 1]))  # one class more, before the others
    again = table.with_classes_of(more).count_as(fitted, source.arities)
    assert again.class_sizes.tolist() == [0, *source.class_sizes.tolist()]


@pytest.mark.each_value
@pytest.mark.parametrize("name", ["planes", "facts.json"])
@pytest.mark.parametrize("how", ["shorter", "spoiled", "one bit", "gone"])
def test_a_damaged_spool_is_not_trusted(tmp_path, packed, name, how):
    data, spool = write(tmp_path / "data.parquet"), tmp_path / "spool"
    first = run(data, spool=spool)
    (kept,) = spool.iterdir()
    file = kept / name
    content = file.read_bytes()
    if how == "gone":
        file.unlink()
    else:
        flipped = content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]
        spoiled = {"shorter": content[:-8], "spoiled": b"\xff" * len(content), "one bit": flipped}
        file.write_bytes(spoiled[how])
    assert run(data, spool=spool).to_dict() == first.to_dict()
    assert len(packed) == 2
    assert run(data, spool=spool).to_dict() == first.to_dict()
    assert len(packed) == 2  # what was made anew is used again


def test_planes_under_the_name_of_others_are_not_trusted(tmp_path, packed):
    data, spool = write(tmp_path / "data.parquet"), tmp_path / "spool"
    run(data, spool=spool)
    (first,) = spool.iterdir()
    expected = run(data, spool=spool, binning="uniform")
    (second,) = {*spool.iterdir()} - {first}
    shutil.rmtree(second)
    first.rename(second)
    assert run(data, spool=spool, binning="uniform").to_dict() == expected.to_dict()
    assert len(packed) == 3


def test_nothing_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(spools.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    data = write(tmp_path / "data.parquet")
    run(data, memory="1MB")
    run(parquet.read_table(data).to_reader())
    assert list((tmp_path / "temporary").iterdir()) == []


KILLED = """
import sys, time
import bitsieve
from bitsieve.utils.progress import listening
def slow(progress):
    if str(progress).startswith({phase!r}):
        print("here", flush=True)
        time.sleep(60)
with listening(slow):
    bitsieve.select({data!r}, "class", binning={binning!r}, spool={spool!r})
"""


@pytest.mark.parametrize(
    ("binning", "phase"),
    [
        ("quantile", "packing, 100"),
        *(
            pytest.param(binning, phase, marks=pytest.mark.slow("a process killed at an earlier moment"))
            for binning, phase in (
                ("none", "finding bins and packing"),
                ("none", "finding bins and packing, 100"),
                ("quantile", "packing"),
            )
        ),
    ],
)
def test_a_killed_run_leaves_nothing_that_is_trusted(tmp_path, packed, binning, phase):
    data, spool = write(tmp_path / "data.parquet"), tmp_path / "spool"
    code = KILLED.format(phase=phase, binning=binning, data=str(data), spool=str(spool))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "here\n"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    left = list(spool.iterdir()) if spool.exists() else []
    assert left or phase == "finding bins and packing"  # nothing was packed yet
    assert all(folder.suffix == ".part" for folder in left)
    assert run(data, spool=spool).to_dict() == run(data).to_dict()
    assert len(packed) == 1
    assert [folder.suffix for folder in spool.iterdir()] == [""]


def test_the_spool_of_a_living_process_is_left_alone(tmp_path):
    living = spools.Spool(tmp_path)
    spools.Spool(tmp_path)
    assert living.folder.exists()


def test_a_folder_without_a_lock_is_removed_when_it_is_old(tmp_path):
    """Its process was killed before it made the lock; a young one may be about to make it."""
    old, young, full = (tmp_path / f"{spools.PREFIX}{name}.part" for name in ("old", "young", "full"))
    for folder in (old, young, full):
        folder.mkdir()
    (full / "of a user").touch()
    for folder in (old, full):
        os.utime(folder, (time.time() - 3600,) * 2)
    spools.remove_abandoned(tmp_path)
    assert [folder.exists() for folder in (old, young, full)] == [False, True, True]


def test_a_file_that_changes_while_it_is_read(tmp_path):
    data, spool = write(tmp_path / "data.parquet"), tmp_path / "spool"
    table = bitsieve.StreamSource(data, spool=spool).read_in_parts(ReadOptions(target="class"))
    seconds_later = data.stat().st_mtime + 10
    os.utime(data, (seconds_later, seconds_later))
    with pytest.raises(ValueError, match=r"data.parquet' changed while it was read: run again"):
        table.count(bitsieve.CategoricalBinner())
    assert list(spool.glob("bitsieve-*[!t]")) == []


def test_archives_are_not_read_in_batches(tmp_path):
    np.savez(tmp_path / "data.npz", X=np.eye(3), y=[0, 1, 0])
    with pytest.raises(ValueError, match=r"is an .npz file, which is not read in batches: give it without a limit"):
        run(tmp_path / "data.npz", memory="1MB")


def test_json_is_read_in_batches(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text("".join(f'{{"a": {i % 3}, "b": {i % 2}, "class": {i % 2}}}\n' for i in range(60)))
    assert run(path, memory="1MB").to_dict()["features"] == run(path).to_dict()["features"]


def test_a_truncated_file(tmp_path):
    data = write(tmp_path / "data.parquet")
    data.write_bytes(data.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"^cannot read '.*data.parquet' as Parquet: "):
        run(data, memory="1MB")


def test_a_damaged_page(tmp_path):
    data = write(tmp_path / "data.parquet")
    content = bytearray(data.read_bytes())
    content[4:2000] = b"\xff" * 1996
    data.write_bytes(content)
    with pytest.raises(ValueError, match=r"^cannot read '.*data.parquet' as Parquet: [^\n]*$"):
        run(data, memory="1MB")


def test_a_column_that_one_part_lacks(tmp_path):
    write(tmp_path / "1.parquet")
    write(tmp_path / "2.parquet", columns="a")
    with pytest.raises(ValueError, match=r"2.parquet' lacks the column 'b', unlike '.*1.parquet': give all parts"):
        run(tmp_path)


def test_numbers_in_one_part_and_text_in_another(tmp_path):
    for name, values in (("1", [1, 2]), ("2", ["x", "y"])):
        parquet.write_table(pa.table({"a": values, "class": [0, 1]}), tmp_path / f"{name}.parquet")
    with pytest.raises(ValueError, match=r"^column 'a' holds numbers in some parts of the data and text or categories"):
        bitsieve.select(tmp_path, "class", binning="quantile")


def test_a_header_and_notes_are_found_as_in_memory(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes("# größe\n".encode("cp1252") + b"1.5,3,x\n4.5,3,y\n2.5,1,x\n" * 30)
    with pytest.raises(ValueError, match=r"looks like data .*add header=False if it is data"):
        run(path, memory="1MB")
    how = {"header": False, "n_features_to_select": 1, "method": "mim", "binning": "quantile"}
    found, expected = (bitsieve.select(path, "x2", **how, **more) for more in ({"memory": "1MB"}, {}))
    assert found.to_dict()["features"] == expected.to_dict()["features"]
    assert found.notes[:2] == expected.notes[:2]
    assert found.notes[1] == "the file has no names: its columns are x0 to x2"


def test_types_of_text_that_change_half_way(tmp_path, monkeypatch):
    monkeypatch.setattr("bitsieve.io.text.RANGE_BYTES", 1000)
    path = tmp_path / "data.csv"
    how = {"binning": "quantile", "missing": "bin", "n_features_to_select": 2}
    for last in ("2.5,3,1\n", "x,2,1\n"):
        path.write_text("a,b,class\n" + ",1,0\n" * 1000 + "1,2,1\n" * 1000 + last)
        found, expected = (bitsieve.select(path, "class", **how, **more) for more in ({"memory": "1MB"}, {}))
        assert found.to_dict()["features"] == expected.to_dict()["features"]


def test_a_full_disk(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    data = write(tmp_path / "data.parquet")
    monkeypatch.setattr(spools.os, "posix_fallocate", full)
    with pytest.raises(ValueError, match=r"^the spool needs .* more in '.*spool', where .* are free \(No space left"):
        run(data, spool=tmp_path / "spool")
    assert list((tmp_path / "spool").iterdir()) == []


def test_a_folder_that_can_not_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"^cannot make a spool in '.*file.spool'"):
        run(write(tmp_path / "data.parquet"), spool=tmp_path / "file" / "spool")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no lock")
def test_a_folder_whose_lock_is_about_to_be_taken_is_left_alone(tmp_path):
    """Between the opening of its lock and the taking of it another process might remove the folder."""
    lock = tmp_path / f"{spools.PREFIX}0.part" / "lock"
    lock.parent.mkdir()
    lock.touch()
    spools.remove_abandoned(tmp_path)
    assert lock.exists()
    lock.write_bytes(b".")  # its process took it, and was killed
    spools.remove_abandoned(tmp_path)
    assert not lock.parent.exists()


def test_pages_that_are_given_back_keep_their_content(tmp_path):
    spool = spools.Spool(tmp_path)
    array = spool.array("planes", 10_000, np.uint64)
    array[:] = np.arange(10_000)
    spools.release_pages([array, np.empty(0)])
    assert array.tolist() == list(range(10_000))
    spool.close()
