"""Two selections compared: what entered, left and moved, and why, in every form."""

from __future__ import annotations

import json
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from tests.patients import patients

import bitsieve
from bitsieve.cli import main
from bitsieve.results.difference import difference_of
from bitsieve.results.selection import record_of

N = 300


def selected(data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bitsieve.select(data, **{"target": "ill", **options})


THEN = selected(patients(N))


def causes(difference):
    return [reason.cause for reason in difference.reasons]


def test_the_same_selection_from_other_orders_and_options_of_execution():
    data = patients(N)
    for now in (THEN, selected(data.sample(frac=1, random_state=0)), selected(data, n_jobs=1)):
        difference = THEN.diff(now)
        assert difference.is_same
        assert difference.summary == "the same columns in the same order, with the same scores"
        assert (difference.entered, difference.left, difference.moved, causes(difference)) == ([], [], [], [])


def test_entered_left_and_moved_by_their_ranks():
    now = selected(patients(N), method="mim", include=["noise"], exclude=["city"])
    difference = THEN.diff(now)
    assert difference.entered == [name for name in now.features if name not in THEN.features]
    assert difference.left == [name for name in THEN.features if name not in now.features]
    assert "city" in difference.left
    assert difference.summary.startswith(f"{len(difference.entered)} entered, {len(difference.left)} left, ")
    by_name = {feature.feature: feature for feature in difference.features}
    for name in {*THEN.features} & {*now.features}:
        feature = by_name[name]
        assert feature.rank_then == THEN.features.index(name) + 1
        assert feature.rank_now == now.features.index(name) + 1
        has_moved = feature.rank_then != feature.rank_now
        assert (feature.change == "up") == (feature.rank_now < feature.rank_then)
        assert (feature.change == "down") == (feature.rank_now > feature.rank_then)
        assert (name in difference.moved) == has_moved
    assert [feature.feature for feature in difference.features[: len(now.features)]] == now.features


OTHER = {
    "rows": lambda: selected(patients(N).iloc[:-1]),
    "columns": lambda: selected(patients(N).assign(more=1.5)),
    "target": lambda: selected(patients(N).assign(ill=patients(N)["ill"].str.upper())),
    "values": lambda: selected(patients(N).assign(dose=patients(N)["dose"] + 1)),
    "options": lambda: selected(patients(N), method="mim"),
}


@pytest.mark.parametrize("cause", OTHER)
def test_the_cause_is_named(cause):
    difference = THEN.diff(OTHER[cause]())
    assert cause in causes(difference)
    if cause in ("values", "options"):
        assert causes(difference) == [cause]


def test_options_are_named_with_both_values():
    (reason,) = THEN.diff(selected(patients(N), n_features_to_select=2)).reasons
    assert "n_features_to_select" in reason.sentence
    assert str(THEN.details.options["n_features_to_select"]) in reason.sentence
    assert "2" in reason.sentence


def test_the_columns_with_other_values_are_named():
    (reason,) = THEN.diff(OTHER["values"]()).reasons
    assert "'dose'" in reason.sentence
    assert "'share'" not in reason.sentence
    with_other_bins = selected(patients(N).assign(dose=patients(N)["dose"] + 1), binning="quantile")
    reasons = {reason.cause: reason.sentence for reason in THEN.diff(with_other_bins).reasons}
    assert [*reasons] == ["values", "options"]  # the ranges are of the values, whatever the bins
    assert "'dose'" in reasons["values"]
    assert causes(THEN.diff(selected(patients(N), binning="quantile"))) == ["options"]


def test_other_values_of_a_column_that_is_not_selected():
    data = patients(N)
    then = selected(data, n_features_to_select=1, binning="quantile")
    now = selected(data.assign(noise=-data["noise"]), n_features_to_select=1, binning="quantile")
    difference = then.diff(now)
    assert difference.is_same
    assert causes(difference) == ["values"]


def test_versions_and_files_without_a_digest():
    record = record_of(THEN)
    later = replace(record, versions=record.versions._replace(bitsieve="9.9"))
    assert causes(difference_of(record, later)) == ["version"]
    without_digest = replace(record, values_digest=None, features=record.features[:1])
    (reason,) = difference_of(without_digest, record).reasons
    assert reason.cause == "unknown"
    assert "file of an earlier version" in reason.sentence
    (reason,) = difference_of(replace(record, features=record.features[:1]), record).reasons
    assert reason.cause == "unknown"
    assert "file of an earlier version" not in reason.sentence


def test_one_bit_of_a_score_is_a_difference():
    scores = THEN.scores.copy()
    scores[1] = np.nextafter(scores[1], 9)
    difference = THEN.diff(replace(THEN, scores=scores))
    assert not difference.is_same
    assert [feature.change for feature in difference.features if feature.change != "same"] == ["score"]
    line = str(difference).splitlines()[2].split()
    assert line[3] != line[4]


def test_the_unit_of_the_scores_is_that_of_both_selections():
    record = record_of(THEN)
    assert difference_of(record, record).unit == record.score_unit
    other_unit = replace(record, score_unit="nats")
    assert difference_of(record, other_unit).unit == f"{record.score_unit} then, nats now"


def test_the_last_column_of_the_text_holds_the_changes():
    difference = THEN.diff(selected(patients(N), n_features_to_select=2))
    header, *lines = str(difference).splitlines()[: 1 + len(difference.features)]
    changes = [line[header.index("change") :].rstrip() for line in lines]
    assert changes == ["" if item.change == "same" else item.change for item in difference.features]
    assert set(changes) == {"", "left"}


def test_every_form_has_the_same():
    difference = THEN.diff(selected(patients(N), n_features_to_select=2))
    document = json.loads(json.dumps(difference.to_dict(), allow_nan=False))
    assert document["left"] == difference.left
    assert [feature["change"] for feature in document["features"]] == [item.change for item in difference.features]
    for library in ("pandas", "polars", "pyarrow"):
        frame = difference.to_frame(library)
        assert type(frame).__module__.partition(".")[0] == library
        assert len(frame) == len(difference.features)
    assert difference.to_frame()["feature"].tolist() == [item.feature for item in difference.features]
    for column in ("rank_then", "rank_now"):
        ranks = [None if np.isnan(rank) else int(rank) for rank in difference.to_frame()[column].tolist()]
        assert ranks == [getattr(item, column) for item in difference.features]
    page = difference._repr_html_()
    for feature in difference.features:
        assert feature.feature in page
        assert feature.feature in str(difference)
    assert "n_features_to_select" in page
    assert pickle.loads(pickle.dumps(difference)).to_dict() == difference.to_dict()


def run(capsys, *arguments):
    code = main([*arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    THEN.save("a.json")
    selected(patients(N), n_features_to_select=2).save("b.json")
    assert run(capsys, "diff", "a.json", "a.json")[0] == 0
    code, out, _ = run(capsys, "diff", "a.json", "b.json")
    assert code == 1
    assert out.strip() == str(bitsieve.load("a.json").diff(bitsieve.load("b.json")))
    code, out, _ = run(capsys, "diff", "a.json", "b.json", "--json")
    assert code == 1
    assert json.loads(out)["left"] == THEN.features[2:]
    for arguments in (["nothing.json", "a.json"], ["a.json", "nothing.json"]):
        code, out, errors = run(capsys, "diff", *arguments)
        assert (code, out) == (2, "")
        assert errors.count("\n") == 1
        assert "nothing.json" in errors
