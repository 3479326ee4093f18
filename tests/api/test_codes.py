"""Whole numbers of few values are codes: never a column without a cut."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import bitsieve

RANDOM = np.random.default_rng(0)
N = 200
Y = RANDOM.integers(0, 2, N)
STATES = np.column_stack([2 * RANDOM.integers(-1, 2, N) for _ in range(5)])  # -2, 0 or 2, of no use
FOLLOWS = np.where(RANDOM.random(N) < 0.8, Y, 1 - Y)


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint64])
def test_an_array_of_codes_is_taken_as_it_is(kind):
    X = np.column_stack([STATES + 2, FOLLOWS]).astype(kind)
    selection = bitsieve.select(X, Y)
    wanted = bitsieve.select(X, Y, binning="none")
    assert not any("no reliable relation" in note for note in selection.notes)
    assert selection.indices.tolist() == wanted.indices.tolist()
    assert selection.scores.tobytes() == wanted.scores.tobytes()
    assert selection.parameters["binning"] == "auto"


def test_columns_of_a_frame_each_by_itself():
    measured = RANDOM.normal(size=N) + Y
    table = pa.table(
        {"state": STATES[:, 0], "follows": FOLLOWS, "measured": measured, "year": 1900 + np.arange(N) // 4}
    )
    selection = bitsieve.select(table, Y)
    categories = dict(zip(table.column_names, selection.selector.binner_.categories_, strict=True))
    assert categories["state"].tolist() == [-2, 0, 2]
    assert categories["follows"].tolist() == [0, 1]
    assert categories["measured"] is None
    assert categories["year"] is None
    assert selection.selector.binner_.n_bins_[table.column_names.index("state")] >= 2
    plain = bitsieve.select(table, Y, uncut="median")  # what is asked for is obeyed
    assert plain.selector.binner_.categories_[0] is None


@pytest.mark.parametrize("method", ["cmim", pytest.param("gmi", marks=pytest.mark.slow("draws another report"))])
def test_they_are_explained_as_they_were_counted(method, tmp_path):
    table = pa.table({"state": STATES[:, 0], "follows": FOLLOWS, "measured": RANDOM.normal(size=N) + Y})
    selection = bitsieve.select(table, Y, method=method, n_features_to_select=2)
    evidence = selection.evidence
    chosen = evidence.information.relevance[selection.indices]
    assert chosen.tolist() == selection.relevance.tolist()
    assert evidence.chance.columns.shape == (3,)
    bitsieve.write_report(selection, tmp_path / "report.html")
    assert "follows" in (tmp_path / "report.html").read_text("utf-8")


def test_methods_on_values_keep_their_numbers():
    X = np.column_stack([STATES, FOLLOWS])
    frame = pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])})
    for method in ("gmi", "relieff"):
        chosen = bitsieve.make_selector(method, 2).fit(X, Y).selected_
        assert bitsieve.select(frame, Y, method=method, n_features_to_select=2).indices.tolist() == chosen.tolist()


def test_the_note_on_columns_without_a_cut_is_plain():
    X = np.column_stack([RANDOM.normal(size=(N, 3)), FOLLOWS])
    notes = bitsieve.select(X, Y).notes
    start = "3 of 4 numeric columns show no reliable relation to 'target' and score 0 bits: 'x0', 'x1', 'x2'"
    assert any(note.startswith(f"{start}; to split them anyway, use uncut='median' or binning=") for note in notes)
