"""An interrupted comparison goes on where it stopped, and its table is that of an uninterrupted one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine

import bitsieve
from bitsieve.evaluation import run

X, Y = load_wine(return_X_y=True)
ASKED = {"methods": ["mim", "jmi"], "features": range(1, 5), "classifier": "ncm", "folds": 6}


def without_seconds(comparison):
    return comparison.table().drop_columns(["seconds_selecting", "seconds_classifying"])


@pytest.mark.parametrize("protocol", ["nested", "paper"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_resumed_is_uninterrupted(tmp_path, monkeypatch, protocol, n_jobs):
    path = tmp_path / "folds"
    whole = bitsieve.compare(X, Y, **ASKED, protocol=protocol)
    score = run.score
    done = []

    def interrupted(*given):
        if len(done) >= 3:
            raise KeyboardInterrupt
        result = score(*given)
        done.append(1)
        return result

    monkeypatch.setattr(run, "score", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bitsieve.compare(X, Y, **ASKED, protocol=protocol, n_jobs=n_jobs, checkpoint=path)
    finished = len(path.read_text().splitlines()) - 1
    assert 3 <= finished <= 4  # two threads may both pass the check

    left = []
    monkeypatch.setattr(run, "score", lambda *given: left.append(1) or score(*given))
    resumed = bitsieve.compare(X, Y, **ASKED, protocol=protocol, checkpoint=path)
    assert len(left) == 6 - finished
    assert without_seconds(resumed).equals(without_seconds(whole))
    assert str(resumed.choice()) == str(whole.choice())
    for one, other in zip(resumed.selected, whole.selected, strict=True):
        assert [a.tolist() for a in one] == [b.tolist() for b in other]

    again = bitsieve.compare(X, Y, **ASKED, protocol=protocol, checkpoint=path)
    assert len(left) == 6 - finished  # nothing was left to do
    assert again.table().equals(resumed.table())  # seconds are kept too


def test_a_line_cut_off_while_it_was_written_is_done_again(tmp_path):
    path = tmp_path / "folds"
    whole = bitsieve.compare(X, Y, **ASKED, checkpoint=path)
    text = path.read_text()
    path.write_text(text[: text.rindex("{") + 40])
    assert without_seconds(bitsieve.compare(X, Y, **ASKED, checkpoint=path)).equals(without_seconds(whole))
    assert len(path.read_text().splitlines()) == 7


def test_another_comparison_is_refused(tmp_path):
    path = tmp_path / "folds"
    bitsieve.compare(X, Y, **ASKED, checkpoint=path)
    changed = X.copy()
    changed[3, 2] += 1
    for data, asked, differ in (
        (changed, ASKED, "'data'"),
        (X, ASKED | {"classifier": "knn"}, "'classifier'"),
        (X, ASKED | {"features": [2], "methods": "mim"}, "'methods', 'features'"),
        (X, ASKED | {"random_state": 1}, "'data'"),
        (X, ASKED | {"protocol": "paper", "methods": [*ASKED["methods"], "mrmr"]}, "'methods', 'protocol', 'binning'"),
    ):
        with pytest.raises(ValueError, match=rf"is of another comparison \({differ} differ\)"):
            bitsieve.compare(data, Y, **asked, checkpoint=path)


def test_a_file_that_is_no_checkpoint_is_left_alone(tmp_path):
    path = tmp_path / "letter.txt"
    for text in ("Dear reader,\n", '{"a": 1}\n', "[1]\n"):
        path.write_text(text)
        with pytest.raises(ValueError, match="is no checkpoint"):
            bitsieve.compare(X, Y, **ASKED, checkpoint=path)
        assert path.read_text() == text
    path.write_text("no line is whole")
    with pytest.raises(ValueError, match="is no checkpoint"):
        bitsieve.compare(X, Y, **ASKED, checkpoint=path)
    assert path.read_text() == "no line is whole"
    with pytest.raises(ValueError, match="cannot use the checkpoint"):
        bitsieve.compare(X, Y, **ASKED, checkpoint=tmp_path)
    with pytest.raises(ValueError, match=r"cannot use the checkpoint .*No such file"):
        bitsieve.compare(X, Y, **ASKED, checkpoint=tmp_path / "missing" / "folds")


def test_missing_values_and_words_have_a_digest(tmp_path, table):
    path = tmp_path / "folds"
    frame = table.to_pandas()
    frame.loc[3, "size"] = None
    asked = {"methods": "mim", "features": [1], "classifier": "ncm", "folds": 2, "checkpoint": path}
    binning = bitsieve.MDLBinner(missing="bin")
    one = bitsieve.compare(frame, "diagnosis", binning=binning, **asked)
    assert one.table().equals(bitsieve.compare(frame, "diagnosis", binning=binning, **asked).table())
    frame.loc[4, "size"] = None
    with pytest.raises(ValueError, match="'data' differ"):
        bitsieve.compare(frame, "diagnosis", binning=binning, **asked)


def test_table_counts_every_test_sample():
    comparison = bitsieve.compare(X, Y, **ASKED)
    rows = comparison.table()
    assert rows.num_rows == 2 * 6 * 4
    per_method = rows.group_by(["method", "n_features"]).aggregate([("n_test", "sum"), ("errors", "sum")]).to_pylist()
    assert {row["n_test_sum"] for row in per_method} == {len(Y)}
    for row in per_method:
        rate = comparison.rates[comparison.methods.index(row["method"]), row["n_features"] - 1]
        assert row["errors_sum"] == np.round(rate * len(Y))
