"""A column that repeats the answer is noted by everything that chooses or judges columns, and is never dropped."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve.cli import main

ADVICE = (
    "'account_state' alone decides 'churn' in 99.6 % of the rows: is it known at prediction time? If not, add {option}"
)


@pytest.fixture(scope="module")
def customers():
    random = np.random.default_rng(1)
    churn = random.integers(0, 2, 300)
    state = np.array(["open", "closed"])[churn ^ (random.random(300) < 0.004)]
    numbers = {f"usage_{j}": (random.normal(size=300) + churn * (j < 2)).round(3) for j in range(5)}
    return pd.DataFrame({**numbers, "account_state": state, "churn": np.array(["no", "yes"])[churn]})


def leaks(notes):
    return [str(note) for note in notes if "prediction time" in note]


@pytest.mark.parametrize("method", ["cmim", "mrmr", "relieff", "vmi"])
def test_select_notes_it_whatever_the_method_and_keeps_it(customers, method):
    data = customers.assign(account_state=customers["account_state"] == "open")
    selection = bitsieve.select(data, "churn", method=method, n_features_to_select=3)
    assert leaks(selection.notes) == [ADVICE.format(option="exclude=['account_state']")]
    assert "account_state" in selection.features
    assert leaks(bitsieve.select(data, "churn", method=method, exclude=["account_state"]).notes) == []


def test_compare_and_how_many_note_it(customers):
    expected = [ADVICE.format(option="exclude=['account_state']")]
    comparison = bitsieve.compare(customers, "churn", methods=["mim"], features=[1, 2], classifier="ncm", folds=3)
    assert leaks(comparison.notes) == expected
    assert leaks(bitsieve.how_many(customers, "churn", classifier="ncm", folds=3, n_pairs=5).notes) == expected
    left = bitsieve.compare(
        customers, "churn", methods=["mim"], features=[1], classifier="ncm", folds=3, exclude=["account_state"]
    )
    assert leaks(left.notes) == []


def test_explain_notes_it_at_the_column_alone(customers):
    selection = bitsieve.select(customers, "churn", n_features_to_select=3)
    explained = selection.explain("account_state")
    assert explained.notes == leaks(selection.notes)
    assert str(explained).splitlines()[-1] == f"  note: {explained.notes[0]}"
    assert explained.to_dict()["notes"] == explained.notes
    assert selection.explain("usage_0").notes == []


def test_two_of_them(customers):
    data = customers.assign(code=(customers["churn"] == "yes") * 7)
    (note,) = leaks(bitsieve.select(data, "churn", n_features_to_select=2).notes)
    names = "'code', 'account_state'"
    assert note.startswith(f"{names} each alone decide 'churn' in at least 99.6 % of the rows: ")
    assert "are they known at prediction time?" in note


def test_two_that_decide_all_rows(customers):
    left = customers["churn"] == "yes"
    data = customers.assign(code=left * 7, word=np.where(left, "a", "b"))
    (note,) = leaks(bitsieve.select(data, "churn", exclude=["account_state"], n_features_to_select=2).notes)
    assert note.startswith("'code', 'word' each alone decide 'churn' in 100 % of the rows: ")


def test_from_the_command_line(customers, tmp_path, capsys):
    path = tmp_path / "customers.csv"
    customers.to_csv(path, index=False)
    advice = ADVICE.format(option="--exclude account_state")
    for command in (["select", str(path)], ["explain", "account_state", str(path)], ["explain", "usage_0", str(path)]):
        assert main([*command, "--target", "churn", "--features", "3"]) == 0
        shown = capsys.readouterr()
        assert (shown.out + shown.err).count(advice) == 1
