"""How many columns by five rules: each is what its selector takes, and the sentence fits the numbers."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import bitsieve
from bitsieve import ForwardSelector, KnockoffSelector, SelectorCV, StabilitySelector
from bitsieve.api.how_many import sentence_on_answers
from bitsieve.cli import main
from bitsieve.discretization.transformers import MDLBinner

QUICK = {"classifier": "ncm", "n_pairs": 6, "folds": 3}


def planted(seed=0, n_samples=240, n_features=16):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_samples, n_features))
    return X, np.where(X[:, 2] + X[:, 9] + 0.3 * random.normal(size=n_samples) > 0, "yes", "no")


def test_each_answer_is_what_its_rule_takes():
    X, y = planted()
    found = bitsieve.how_many(X, y, method="mim", **QUICK)
    shuffles, rate, stable, errors, knockoffs = found.answers
    assert {"x2", "x9"} <= set(shuffles.features)
    for answer, rule in ((shuffles, "permutation"), (rate, "fdr")):
        taken = ForwardSelector("auto", criterion="mim", stopping=rule).fit(X, y).selected_
        assert answer.features == [f"x{column}" for column in taken]
    halves = StabilitySelector(ForwardSelector(4, criterion="mim"), n_pairs=6).fit(X, y)  # the root of 16 columns
    assert stable.features == [f"x{column}" for column in halves.selected_]
    condition = "if all uninformative columns are chosen equally often"
    bound = f"at most {halves.expected_false_:.2g} of them expected to be uninformative ({condition})"
    assert stable.why.endswith(bound)
    assert set(stable.features) == {"x2", "x9"}
    folded = SelectorCV(methods=["mim"], features=range(1, 17), classifier="ncm", folds=3).fit(X, y)
    assert errors.n_features == folded.n_features_to_select_
    assert knockoffs.n_features is None
    assert knockoffs.why == (
        "fewer than 10 columns clearly beat their knockoffs, and this rule takes no fewer; by three quantile bins"
    )
    assert [answer.n_features for answer in found.answers[:4]] == [len(of.features) for of in found.answers[:4]]


@pytest.mark.slow("a comparison of forty columns over folds")
def test_knockoffs_answer_by_three_bins_where_a_list_may_be_long_enough():
    random = np.random.default_rng(0)
    X = random.normal(size=(1500, 40))
    y = (X[:, :28].sum(axis=1) + random.normal(size=1500) > 0).astype(int)
    answer = bitsieve.how_many(X, y, method="mim", classifier="ncm", n_pairs=2, folds=2).answers[4]
    beat = KnockoffSelector(binning=bitsieve.EqualFrequencyBinner(n_bins=3)).fit(X, y).selected_
    assert answer.features == [f"x{column}" for column in beat]
    assert answer.n_features == len(beat) >= 20
    assert answer.why.endswith("a tenth of the list is false; by three quantile bins")


def test_knockoffs_have_no_answer_where_a_draw_cannot_take_any():
    X, y = planted()
    answer = bitsieve.how_many(X[:, :9], y, **QUICK).answers[4]
    assert answer.n_features is None
    assert answer.why == "not with so few columns: this rule takes no fewer than 10, and the table has 9"


def test_the_band_is_above_noise_and_below_signal():
    found = bitsieve.how_many(*planted(), binning="quantile", **QUICK)
    band = found.band
    assert set(band.features[:2]) == {"x2", "x9"}
    assert (band.bits[:2] > band.high[:2]).all()
    assert (band.bits[2:] <= band.high[2:]).mean() > 0.5
    assert (band.low <= band.high).all()
    # Two more than the largest answer; of few answers three.
    assert len(band.bits) == len(band.features) == max(answer.n_features or 0 for answer in found.answers) + 2


def test_noise_gives_nothing():
    X, y = np.random.default_rng(1).normal(size=(80, 10)), np.arange(80) % 2
    found = bitsieve.how_many(X, y, **QUICK)
    assert [answer.n_features for answer in found.answers[:3]] == [0, 0, 0]
    assert found.reading.startswith(
        "no column is shown to be informative about the class, and no column is chosen from"
    )
    assert len(found.band.features) == max(3, found.answers[3].n_features + 2)


def test_errors_are_held_against_those_without_any_column():
    random = np.random.default_rng(2)
    X, y = random.normal(size=(90, 5)), np.repeat([0, 0, 1], 30)
    errors = bitsieve.how_many(X, y, binning="quantile", **QUICK).answers[3]
    assert (errors.n_features, errors.features) == (0, [])
    assert "not shown to be below that of the majority class (33.3 %" in errors.why


@pytest.mark.slow("200 comparisons over folds, for a rate")
def test_cross_validation_seldom_takes_columns_of_noise():
    """The least of ten curves is below the majority class in nine of ten sets."""
    taken = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        selector = SelectorCV(methods=["mim"], features=range(1, 11), classifier="ncm", folds=10, binning="quantile")
        comparison = selector.fit(random.normal(size=(100, 10)), np.arange(100) % 2).comparison_
        taken += comparison.outer().is_better
    assert taken <= 4  # 1 of 20 expected; more than 4 has probability 0.003


def test_threads_change_nothing_and_weights_are_repeated_rows():
    X, y = planted(2)
    weights = np.random.default_rng(2).integers(0, 3, len(y))
    plain = bitsieve.how_many(X, y, sample_weight=weights, **QUICK)
    for n_jobs in (1, 3):
        again = bitsieve.how_many(X, y, sample_weight=weights, n_jobs=n_jobs, **QUICK)
        assert again.to_dict() == plain.to_dict()
    assert plain.answers[3].n_features is None
    repeated = bitsieve.how_many(np.repeat(X, weights, axis=0), np.repeat(y, weights), **QUICK)
    assert repeated.answers[:2] == plain.answers[:2]
    assert repeated.to_dict()["curve"] == plain.to_dict()["curve"]


def test_a_seed_beyond_32_bits_is_refused():
    with pytest.raises(ValueError, match="random_state=4294967296 is not allowed"):
        bitsieve.how_many(*planted(), random_state=2**32)


def test_missing_codes_and_several_targets():
    X, y = planted(3)
    X[::11, 4] = np.nan
    known = np.where(np.arange(len(y)) < 2, None, y)
    how = {"binning": MDLBinner(missing="bin"), "drop_missing_target": True, **QUICK}
    found = bitsieve.how_many(X, np.column_stack([y, known]), **how)
    assert {"x2", "x9"} <= set(found.answers[0].features)


def test_identifiers_are_left_out_and_what_fills_the_list_is_not_stable():
    X, y = planted(5)
    data = {"row": np.arange(len(y)), "still": np.ones(len(y)), **{f"x{j}": X[:, j] for j in range(16)}}
    frame = pa.table(data)
    missing = MDLBinner(missing="bin")
    with pytest.warns(bitsieve.BitsieveWarning, match="'row' looks like an identifier"):
        found = bitsieve.how_many(frame, y, binning=missing, **QUICK)
    assert set(found.answers[2].features) == {"x2", "x9"}
    assert all("row" not in answer.features for answer in found.answers)
    without = bitsieve.how_many(frame.drop_columns("row"), y, binning=missing, **QUICK)
    assert found.answers[:2] == without.answers[:2]
    assert bitsieve.how_many(frame, y, include=["row"], exclude=["x2"], **QUICK).notes == []


def test_too_few_columns_for_stability_are_not_taken_for_unstable_ones():
    X, y = planted(6)
    found = bitsieve.how_many(X[:, [2, 9, 0]], y, binning="quantile", n_pairs=4, folds=3, classifier="ncm")
    assert found.answers[2].n_features is None
    assert "few columns" in found.answers[2].why
    assert "halves" not in found.reading


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((3, 5, 2, 2), "take 5 to learn what matters, and 2 to predict"),
        ((1, 1, 1, 1), "1 column is shown to be informative about the class, and 1 column is chosen from most halves"),
        ((1, 2, 0, 6), "cross-validation prefers 6, of which 4 are not shown to be informative."),
        ((1, 2, 0, 3), "cross-validation prefers 3, of which 1 is not shown to be informative."),
        ((0, 0, 0, 1), "cross-validation prefers 1, of which 1 is not shown to be informative."),
        ((0, 0, 0, 6), "cross-validation prefers 6, of which 6 are not shown to be informative."),
        ((2, 1, 1, 0), "a classifier is not shown to do better with columns than without"),
        ((1, 1, None, 1), "1 column is shown to be informative about the class: a classifier needs no more than 1"),
        (
            (2, 2, 2, None),
            "2 columns are shown to be informative about the class, and 2 columns are chosen from most halves",
        ),
    ],
)
def test_the_sentence_fits_the_numbers(numbers, words):
    names = ["n_by_shuffles", "n_by_rate", "n_by_stability", "n_by_errors"]
    n_by_rule = dict(zip(names, numbers, strict=True))
    sentence = sentence_on_answers(**n_by_rule, predicted="classes")
    assert words in sentence
    assert sentence.endswith(".")
    of_quantity = sentence_on_answers(**n_by_rule, predicted="quantity")
    assert of_quantity == sentence.replace("the class", "the target").replace("a classifier", "a regressor")


def test_the_command_prints_the_table_or_json_and_draws(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    X, y = planted(4, 120, 10)
    np.savez(tmp_path / "data.npz", X=X, y=y)
    given = ["how-many", str(tmp_path / "data.npz"), "--classifier", "ncm", "--pairs", "4", "--folds", "3"]
    figure = tmp_path / "figure.svg"
    assert main([*given, "--figure", str(figure)]) == 0
    found = bitsieve.how_many(X, y, classifier="ncm", n_pairs=4, folds=3)
    assert capsys.readouterr().out == f"{found}\n"
    assert "shuffles: " in figure.read_text()
    assert main([*given, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["answers"] == found.to_dict()["answers"]
    assert main([*given, "--figure", "figure.txt"]) == 2
    assert "end it in one of .png, .svg, .pdf" in capsys.readouterr().err
    assert main([*given, "--method", "relieff"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_within_strata_every_rule_looks_within_them_and_knockoffs_have_no_answer():
    X, y = planted()
    site = np.random.default_rng(1).integers(0, 3, len(y))
    X[:, 0] += 3 * site
    table = pa.table({f"c{j}": X[:, j] for j in range(X.shape[1])} | {"site": site, "y": y})
    options = {"method": "mim", "binning": "quantile", **QUICK}
    by_name = bitsieve.how_many(table, "y", strata="site", **options)
    answers = {answer.rule: answer for answer in by_name.answers}
    assert set(answers["shuffles"].features) == {"c2", "c9"}
    assert answers["knockoffs"].n_features is None
    selector = ForwardSelector("auto", criterion="mim", stopping="permutation", binning="quantile")
    selector.fit(X, y, strata=site)
    assert answers["shuffles"].n_features == len(selector.selected_)
    by_values = bitsieve.how_many(X, y, strata=site, **options)
    assert [answer.n_features for answer in by_values.answers] == [answer.n_features for answer in by_name.answers]
    with pytest.raises(bitsieve.UserError) as raised:
        bitsieve.how_many(X, y, strata=np.arange(len(y)).astype(str), **QUICK)
    assert raised.value.code == "every-row-a-stratum"


def matched_pairs(n_pairs=80):
    """Cases and controls: 'exposure' goes with the case, 'age' with the pair."""
    random = np.random.default_rng(5)
    pair = np.repeat(np.arange(n_pairs), 2)
    case = np.tile([1, 0], n_pairs)
    exposure = (random.random(2 * n_pairs) < 0.2 + 0.5 * case).astype(int)
    columns = {"age": pair // 8, "exposure": exposure, "noise": random.integers(0, 3, 2 * n_pairs)}
    return pa.table(columns | {"case": case, "pair": [f"pair {i}" for i in pair]})


def test_of_matched_pairs_the_rules_look_at_the_common_effect():
    table = matched_pairs()
    options = {"strata": "pair", "effect": "common", "binning": "quantile", **QUICK}
    result = bitsieve.how_many(table, "case", **options)
    answers = {answer.rule: answer for answer in result.answers}
    for rule in ("shuffles", "false discovery rate", "cross-validation"):
        assert answers[rule].features == ["exposure"]
    assert answers["knockoffs"].n_features is None
    band = result.band
    assert (band.features[0], band.bits[0] > band.high[0]) == ("exposure", True)
    assert band.bits[1] < band.high[1]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"effect": "any"}, "strata-too-small"),
        ({"effect": "some"}, "parameter-not-allowed"),
        ({"strata": None}, "parameter-not-allowed"),
        ({"binning": "mdl"}, "undefined-quantity"),
        ({"groups": "pair"}, "undefined-quantity"),
        ({"estimator": "miller-madow"}, "undefined-quantity"),
    ],
)
def test_what_a_common_effect_does_not_take_is_refused(options, code):
    table = matched_pairs()
    table = table.append_column("weight", pa.array(np.random.default_rng(0).normal(size=table.num_rows)))
    options = {"strata": "pair", "effect": "common", "binning": "quantile", **QUICK, **options}
    with pytest.raises(bitsieve.UserError) as raised:
        bitsieve.how_many(table, "case", **options)
    assert raised.value.code == code
