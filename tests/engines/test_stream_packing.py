"""Rows packed while their codes are still looked for are packed as rows whose codes are known."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.counts.packed_batches import PackedBatches
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.coding import fit_on_summary
from bitsieve.discretization.summary import Summary, summarize
from bitsieve.discretization.transformers import CategoricalBinner
from bitsieve.engines import stream, stream_packing
from bitsieve.engines.stream import StreamEngine
from bitsieve.engines.stream_packing import StreamPacking
from bitsieve.io import spool
from bitsieve.utils.progress import listening

N, ROWS = 300, 50


@pytest.fixture(params=["in memory", "on disk"])
def second_passes(request, monkeypatch):
    """How often rows were packed in a pass of their own; batches have fifty rows, planes lie in memory or on disk."""
    on_disk, init = [], StreamPacking.__init__
    if request.param == "on disk":
        monkeypatch.setattr(stream_packing, "_PLANES_DIVISOR", 1 << 60)

    def made(self, *how):
        init(self, *how)
        on_disk.append(self.spool is not None)

    monkeypatch.setattr(StreamPacking, "__init__", made)
    monkeypatch.setattr(stream, "rows_of_batch", lambda *_: ROWS)
    calls, pack = [], StreamEngine._pack
    monkeypatch.setattr(StreamEngine, "_pack", lambda self, *how: calls.append(1) or pack(self, *how))
    yield calls
    assert set(on_disk) <= {request.param == "on disk"}


def test_bytes_that_are_their_own_codes_are_packed_where_they_lie(monkeypatch):
    """Whole numbers from 0 on, of the type of codes, are not copied; others are."""
    given = []
    add = PackedBatches.add
    monkeypatch.setattr(PackedBatches, "add", lambda self, codes, *rest: given.append(codes) or add(self, codes, *rest))
    random = np.random.default_rng(2)
    classes = random.integers(0, 2, N)
    codes = {f"x{j}": (classes + random.integers(0, j + 2, N)).astype(np.uint8) for j in range(4)}
    for shift, copied in ((0, False), (1, True)):
        columns = {name: values + np.uint8(shift) for name, values in codes.items()}
        rows = pa.table({**columns, "times": random.integers(0, 4, N), "class": classes})
        assert_same(rows, sample_weight="times", missing="error")
        assert {isinstance(of, np.ndarray) for of in given} == {copied}
        given.clear()


@pytest.mark.parametrize("kind", [np.uint16, np.int64])
def test_codes_beyond_a_byte(monkeypatch, kind):
    """Three hundred of them, in every batch, which are their own codes too."""
    monkeypatch.setattr(stream, "rows_of_batch", lambda *_: 400)
    many = np.arange(1200) % 300
    classes = np.random.default_rng(3).integers(0, 2, 1200)
    columns = {"many": many, "few": many // 7 % 5, "own": (many + classes) % 300, "class": classes}
    rows = pa.table({name: values.astype(kind) for name, values in columns.items()})
    assert_same(rows, missing="error")


def table(**other):
    random = np.random.default_rng(0)
    classes = random.integers(0, 3, N)
    return pa.table(
        {
            "whole": classes + random.integers(0, 3, N) - 7,
            "text": np.array(["low", "middle", "high"])[(classes + random.integers(0, 2, N)) % 3],
            "far": (classes + random.integers(0, 2, N)) * 10**9,
            "truth": classes > random.integers(0, 3, N),
            "class": np.array(["a", "b", "c"])[classes],
            "times": random.integers(0, 4, N),
            **other,
        }
    )


def selected(data, **how):
    how = {"missing": "bin", **how}
    return bitsieve.select(data, "class", method="jmi", binning="none", n_features_to_select=3, **how)


def assert_same(rows, **how):
    found, expected = selected(rows.to_reader(max_chunksize=ROWS), memory="1MB", **how), selected(rows, **how)
    assert found.features == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()


@pytest.mark.parametrize("weight", [None, "times"])
def test_values_that_the_first_batch_has_are_packed_at_once(second_passes, weight):
    assert_same(table(), sample_weight=weight)
    assert second_passes == []


@pytest.mark.each_value
@pytest.mark.parametrize(
    ("last", "name", "value"),
    quick_and_slow(
        [
            (last, *value)
            for last in (N - 1, ROWS)
            for value in (("whole", -8), ("whole", 99), ("whole", None), ("text", "other"), ("text", None), ("far", 5))
        ],
        quick={
            (N - 1, "whole", -8),
            (ROWS, "whole", 99),
            (N - 1, "whole", None),
            (ROWS, "text", "other"),
            (N - 1, "text", None),
            (ROWS, "far", 5),
        },
        reason="the same value in another batch",
    ),
)
def test_another_value_in_a_later_batch_has_the_rows_packed_anew(
    second_passes, tmp_path, monkeypatch, name, value, last
):
    monkeypatch.setattr(spool.tempfile, "gettempdir", lambda: str(tmp_path))
    values = table()[name].to_pylist()
    values[last] = value
    assert_same(table(**{name: values}))
    assert second_passes == [1]
    assert list(tmp_path.iterdir()) == []


def test_the_pass_tells_its_rows_and_no_bins_of_the_first_batch(second_passes):
    told = []
    with listening(told.append):
        selected(table().to_reader(max_chunksize=ROWS), memory="1MB")
    rows = [i for i, progress in enumerate(told) if progress.phase == "finding bins and packing"]
    assert rows == list(range(rows[0], rows[-1] + 1))
    assert (told[rows[-1]].done, told[rows[-1]].total) == (N, N)


def test_a_value_that_is_gone_later_changes_nothing(second_passes):
    values = np.arange(N) // ROWS  # one value a batch, after the first
    values[:ROWS] = np.arange(ROWS) % 7
    texts = np.array(list("abcdefgh"))[values]
    assert_same(table(whole=values, text=texts))
    assert second_passes == []


def test_what_cannot_be_coded_is_told_of_all_rows(second_passes):
    gaps = pa.array(np.arange(N) % 3, mask=np.arange(N) % 2 == 0)
    in_batches = table(whole=gaps).to_reader(max_chunksize=ROWS)
    with pytest.raises(ValueError, match="missing") as of_batches:
        bitsieve.select(in_batches, "class", binning="none", missing="error", memory="1MB")
    with pytest.raises(ValueError, match="missing") as of_all:
        bitsieve.select(table(whole=gaps), "class", binning="none", missing="error")
    assert str(of_batches.value) == str(of_all.value)


def test_rows_that_add_no_code_leave_the_coding_as_it_is():
    """Of random columns, against the codings of the first rows and of all rows."""
    random, told = np.random.default_rng(1), []
    binner = CategoricalBinner(missing="bin")
    for _ in range(100):
        kind = ("int", "float", "str", "object")[random.integers(4)]
        values = random.integers(0, random.integers(2, 5), 12).astype(kind)
        if kind == "float":
            values[random.random(12) < 0.1] = np.nan
        parts = [summarize(read_xy(some.reshape(-1, 1), None, None), binner) for some in np.split(values, 2)]
        codings = [fit_on_summary(binner, part) for part in (parts[0], Summary.merged(parts))]
        before, after = ([str(of.kinds), of.arities.tolist(), *map(list, of.binner.categories_)] for of in codings)
        adds_none = parts[1].columns[0].adds_no_code_to(parts[0].columns[0])
        assert adds_none == (before == after and parts[1].columns[0].kind == parts[0].columns[0].kind)
        told.append(adds_none)
    assert 10 < sum(told) < 90
