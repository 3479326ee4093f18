"""A file of new rows is written with the points and the scores that the scorecard gives to the rows in memory."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve import UserError
from bitsieve.api.score_file import ScoreOptions, score_to_file

N_ROWS = 3000  # more than two batches of the smallest memory


def loans(seed=0):
    random = np.random.default_rng(seed)
    y = random.random(N_ROWS) < 0.3
    days = random.integers(0, 900, N_ROWS) + 200 * y
    return pd.DataFrame(
        {
            "opened": (pd.Timestamp("2021-01-01") + pd.to_timedelta(days, unit="D")).strftime("%Y-%m-%d"),
            "name": [f"loan {i}" for i in range(N_ROWS)],
            "age": random.integers(18, 80, N_ROWS) - 8 * y,
            "job": random.choice(["cook", "smith"], N_ROWS),
            "y": y.astype(int),
        }
    )


@pytest.fixture(scope="module")
def card():
    return bitsieve.scorecard(loans()[["job", "opened", "age", "y"]], "y")


@pytest.mark.parametrize("memory", [None, "1MB"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_points_and_scores_are_those_of_the_rows_in_memory(card, tmp_path, ending, memory):
    new = loans(seed=1)
    new.loc[2500:, "job"] = "clerk"  # in the last batch alone
    path = tmp_path / f"new.{ending}"
    if ending == "csv":
        new.to_csv(path, index=False)
    else:
        new.to_parquet(path)
    scored = score_to_file(card, path, ScoreOptions(output=tmp_path / "scored.parquet", memory=memory))
    written = pd.read_parquet(tmp_path / "scored.parquet")
    assert scored.n_rows == N_ROWS
    assert list(scored.columns) == list(written) == [*new, "job_points", "opened_points", "age_points", "score"]
    with pytest.warns(bitsieve.BitsieveWarning, match="job"):
        assert written["score"].tolist() == card.score(new).tolist()
    assert written[["job_points", "opened_points", "age_points"]].sum(axis=1).tolist() == written["score"].tolist()
    assert written["name"].tolist() == new["name"].tolist()
    (note,) = [note for note in scored.diagnostics if note.code == "values-without-bin"]
    assert "'job'" in note.message
    assert "in 500 rows" in note.message


def test_what_cannot_be_scored_is_refused_before_anything_is_written(card, tmp_path):
    new = loans(seed=2).astype({"age": object})
    new.loc[N_ROWS - 1, "age"] = "unknown"
    new.to_csv(tmp_path / "new.csv", index=False)
    output = io.BytesIO()
    with pytest.raises(
        UserError, match="'age' was numeric when fitting: give numbers in place of 'unknown', or nothing"
    ):
        score_to_file(card, tmp_path / "new.csv", ScoreOptions(output=output, memory="1MB"))
    assert output.getvalue() == b""


def test_names_that_are_taken_and_columns_that_are_missing(card, tmp_path):
    for new, part in (
        (loans().assign(age_points=1), "'age_points'"),
        (loans().assign(score=1), "'score'"),
        (loans().drop(columns="job"), "'job'"),
        (loans()[:0], "no rows"),
    ):
        new.to_csv(tmp_path / "new.csv", index=False)
        with pytest.raises(UserError, match=part):
            score_to_file(card, tmp_path / "new.csv", ScoreOptions(output=tmp_path / "scored.csv"))
        assert not (tmp_path / "scored.csv").exists()
