"""An explanation says what the definitions say, whatever method selected."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2
from sklearn.datasets import load_breast_cancer
from tests.cover import quick_and_slow

import bitsieve
from bitsieve import Constraints, list_methods
from bitsieve.diagnostics import UserError
from bitsieve.explain.contribution import conditional_on
from bitsieve.explain.curve import information_curve, selected_and_next
from bitsieve.explain.evidence import evidence_of
from bitsieve.explain.explain import column_of
from bitsieve.information.protocol import MIN_MEAN_SAMPLES
from bitsieve.utils.choice import TIE

CLOSE = 1e-9  # sums of a few logarithms in another order


@pytest.fixture(scope="module")
def codes(make_table):
    return make_table(300, 9, n_codes=3, n_classes=3, seed=4)


@pytest.fixture(scope="module")
def selection(codes):
    return bitsieve.select(*codes, method="jmi", n_features_to_select=4, binning="none", estimator="plug-in")


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.assign(nothing=1.0), y


def joint(*columns):
    """The combinations of several columns as one column of codes; of no column a constant."""
    if not columns:
        return None
    return np.unique(np.stack(columns), axis=1, return_inverse=True)[1].reshape(-1)


def told(brute, codes, classes, columns):
    return brute.mutual_information(joint(*(codes[:, j] for j in columns)), classes) if columns else 0.0


@pytest.mark.parametrize("wrong", [np.arange(9), pd.DataFrame({"x0": [1]}), None, "y", 9])
def test_what_is_no_column_is_refused(selection, wrong):
    with pytest.raises(bitsieve.UserError):
        selection.explain(wrong)


def test_contributions_are_those_of_the_definitions(selection, codes, brute):
    X, y = codes
    found = selection.evidence.contributions
    for place, j in enumerate(selection.indices):
        relevance = brute.mutual_information(X[:, j], y)
        overlap = [relevance - brute.conditional_information(X[:, j], y, X[:, s]) for s in selection.indices[:place]]
        assert found.relevance[place] == pytest.approx(relevance, abs=CLOSE)
        assert found.redundancy[place] == pytest.approx(max([0.0, *overlap]), abs=CLOSE)
        assert found.complementarity[place] == pytest.approx(max([0.0, *(-np.array(overlap))]), abs=CLOSE)
        assert relevance + found.complementarity[place] <= selection.evidence.information.class_entropy + CLOSE
        for size, column in ((max(overlap, default=0), found.redundant_with[place]),):
            assert column == (selection.indices[int(np.argmax(overlap))] if size > TIE else -1)


def test_exclusive_or_is_complementary():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    plain = {"binning": "none", "method": "jmi", "estimator": "plug-in"}
    explained = bitsieve.select(X, X[:, 0] ^ X[:, 1], n_features_to_select=2, **plain).explain(1)
    assert (explained.relevance, explained.redundant_with) == (0, None)
    assert (explained.complementarity, explained.complementary_with) == (1, "x0")
    assert (explained.added, explained.given) == (1, ["x0"])


def test_substitute_and_price(selection, codes, brute):
    """Against the joint information of every set with one column replaced."""
    X, y = codes
    chosen = selection.indices.tolist()
    left = [j for j in range(X.shape[1]) if j not in chosen]
    for j in chosen:
        explained = selection.explain(j)
        others = [s for s in chosen if s != j]
        _, given = conditional_on(selection.evidence.information, others)
        assert given == tuple(others[: len(given)])
        prices = [told(brute, X, y, [*given, j]) - told(brute, X, y, [*given, s]) for s in left]
        assert explained.price == pytest.approx(min(prices), abs=CLOSE)
        assert explained.substitute == f"x{left[int(np.argmin(np.round(prices, 9)))]}"


def test_conditioning_ends_where_samples_do(selection):
    information = selection.evidence.information
    given, used = conditional_on(information, range(9))
    assert 0 < len(used) < 9
    assert len(given.partition.keys) * MIN_MEAN_SAMPLES <= 300
    assert len(given.refine(len(used)).partition.keys) * MIN_MEAN_SAMPLES > 300


def test_curve_is_joint_information(selection, codes, brute):
    X, y = codes
    order = selected_and_next(selection.selector, selection.evidence.counted_table)
    assert order[:4].tolist() == selection.indices.tolist()
    assert len(order) == 9
    curve = information_curve(selection.evidence.information, order, 4)
    expected = [told(brute, X, y, order[: k + 1].tolist()) for k in range(9)]
    np.testing.assert_allclose(curve.joint, expected, atol=CLOSE)
    assert (np.diff(curve.joint) > -CLOSE).all()
    assert curve.joint[-1] <= curve.class_entropy + CLOSE
    assert (curve.chance <= curve.class_entropy + CLOSE).all()


@pytest.mark.parametrize(("estimator", "mean"), [("plug-in", 0), ("corrected", 1)])
def test_chance_is_that_of_shuffled_classes(estimator, mean):
    """Of binary columns 2 N ln(2) I is nearly chi-squared of one degree of freedom; its quantiles, of one and of 30."""
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, (2000, 30)), np.arange(2000) % 2
    how = {"binning": "none", "method": "mim", "estimator": estimator}
    noise = bitsieve.select(X, y, n_features_to_select=2, **how).evidence.chance
    unit = 1 / (2 * 2000 * np.log(2))  # bits; corrected is less the mean of chi-squared, its degrees of freedom
    assert noise.typical + mean * unit == pytest.approx(3.84 * unit, rel=0.15)  # 1,200 draws
    low, high = (chi2.ppf([0.05 ** (1 / 30), 0.95 ** (1 / 30)], 1) - mean) * unit
    assert (noise.best_low, noise.best_high) == (pytest.approx(low, rel=0.3), pytest.approx(high, rel=0.3))  # 40 draws


def test_chance_of_weighted_rows_is_that_of_repeated_ones(codes):
    X, y = codes
    weights = np.arange(300) % 3
    weighted = bitsieve.select(X, y, sample_weight=weights, n_features_to_select=2, binning="none")
    repeated = bitsieve.select(X.repeat(weights, 0), y.repeat(weights), n_features_to_select=2, binning="none")
    assert weighted.evidence.chance[:4] == repeated.evidence.chance[:4]
    assert weighted.explain(3) == repeated.explain(3)


def test_reasons(cancer):
    X, y = cancer
    wishes = Constraints(must_include=["mean texture"], exclude=["worst area"])
    selection = bitsieve.select(X, y, n_features_to_select=4, constraints=wishes)
    said = {name: selection.explain(name).reason for name in X.columns}
    assert said["mean texture"] == "is selected because it was to be included (rank 1 of 4)"
    assert said["worst area"] == "is not selected because it was excluded"
    assert said["nothing"] == "is not selected: it has one value only, so it carries no information"
    assert said["texture error"].endswith("it shows no reliable relation to 'target' and scores 0 bits")
    assert said["worst perimeter"].startswith("is selected: rank 2 of 4 by cmim2 (score 0.")
    assert (
        said["mean perimeter"]
        == "is not selected: 100 % of its relevance is redundant with the selected 'worst perimeter'"
    )


def test_a_method_that_scores_values_has_no_bits_as_the_reason():
    random = np.random.default_rng(5)
    X, y = random.normal(size=(60, 6)), random.integers(0, 2, 60)
    for method, remark in (("gmi", "once cut into bins, which gmi does not use, "), ("mim", "")):
        selection = bitsieve.select(X, y, method=method, n_features_to_select=2)
        zero = f"'y' {remark}so their relevance is 0 bits" if remark else "'y' and score 0 bits"
        assert any(zero.replace("'y'", f"{selection.target_name!r}") in note for note in selection.notes)
        states = f"{remark}0 of 2 selected columns are more informative than chance: 0 alone, 2 not shown"
        assert states in selection.notes
        other = next(j for j in range(6) if j not in selection.indices)
        assert selection.explain(other).reason.startswith("is not selected: gmi ranks 2 others") == bool(remark)


def test_everything_is_in_the_bits_of_the_scores(cancer):
    X, y = cancer
    selection = bitsieve.select(X, y, method="cmim", n_features_to_select=3, binning="quantile")
    first, second = (selection.explain(name) for name in selection.features[:2])
    assert [first.relevance, second.relevance] == selection.relevance[:2].tolist()
    assert first.relevance == selection.scores[0]
    assert second.added == pytest.approx(selection.scores[1], abs=CLOSE)  # given the one chosen before
    assert 0 <= second.redundancy <= second.relevance
    plain = bitsieve.select(X, y, method="cmim", n_features_to_select=3, binning="quantile", estimator="plug-in")
    assert plain.explain(selection.features[0]).relevance > first.relevance


def test_where_a_rule_ended_the_selection(cancer):
    X, y = cancer
    selection = bitsieve.select(X, y, method="cmi", n_features_to_select="auto")
    refused = X.columns[selection.selector.stopping_candidate_]
    assert selection.selector.stopping_reason_ in selection.explain(refused).reason


def test_the_threshold_is_of_bits_before_correction(cancer):
    X, y = cancer
    for estimator, ending in (
        ("corrected", "(before correction for chance; scores are after it)"),
        ("plug-in", " < 0.1"),
    ):
        selection = bitsieve.select(X, y, stopping=bitsieve.ThresholdStopping(0.1), estimator=estimator)
        assert any(note.startswith("stopped after") and note.endswith(ending) for note in selection.notes)


def test_noise_is_called_noise():
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 400)
    X = random.integers(0, 3, (400, 12))
    X[:, 0] = y
    selection = bitsieve.select(X, y, method="mim", n_features_to_select=1, binning="none")
    quiet = [selection.explain(j) for j in range(1, 12)]
    named = [e for e in quiet if "no more informative than the best of as many columns is by chance" in e.reason]
    covered = [e for e in quiet if "100 % of its relevance is redundant" in e.reason]  # with the class itself
    assert len(named) + len(covered) == 11


def test_an_identifier_does_not_hide_what_others_tell_more_than_chance(cancer):
    X, y = cancer
    X = X[["worst radius", "mean texture"]].assign(patient=[f"p{j}" for j in range(len(X))], empty=np.nan)
    selection = bitsieve.select(X, y, method="mim", n_features_to_select=1, include=["patient"], estimator="plug-in")
    told, named = selection.explain("worst radius"), selection.explain("patient")
    assert told.chance < 0.1 < told.relevance
    assert named.chance == pytest.approx(named.relevance) == pytest.approx(named.class_entropy)
    assert selection.explain("empty").reason == "is not selected: it has no values"
    without = bitsieve.select(X, y, method="mim", n_features_to_select=1).explain("patient")
    assert without.reason.endswith(
        "looks like an identifier, as nearly every row has a value of its own, and was left out"
    )


def test_affiliated_features_are_told_of_on_both_sides(cancer):
    selection = bitsieve.select(*cancer, n_features_to_select=3)
    assert selection.explain("worst area").stands_for[0] == "worst radius"
    for feature in selection.features:
        for name in selection.explain(feature).stands_for:
            assert selection.explain(name).represented_by == feature


# One of each family: explanations ask the evidence, which the method does not change.
QUICK_METHODS = {"mrmr", "jmi", "speccmi", "qpfs", "fcbf", "koller-sahami", "relieff", "svm-rfe", "vmi"}


@pytest.mark.parametrize(
    "name",
    quick_and_slow(
        [info.name for info in list_methods() if not info.same_as],
        quick=QUICK_METHODS,
        reason="another method of a family",
    ),
)
def test_every_method_is_explained(cancer, name):
    X, y = cancer
    selection = bitsieve.select(X.iloc[::4, 20:], y[::4], method=name, n_features_to_select=3)
    for feature in (selection.features[0], next(c for c in X.columns[20:] if c not in selection.features)):
        explained = selection.explain(feature)
        assert str(explained).startswith(f"{feature!r} is ")
        assert explained.relevance <= min(explained.entropy, explained.class_entropy) + CLOSE
        assert json.loads(json.dumps(explained.to_dict(), allow_nan=False))["feature"] == feature


def test_columns_by_number_and_mistakes(selection):
    assert selection.explain(2) == selection.explain("x2") == selection.explain(np.int64(2))
    with pytest.raises(ValueError, match="there is no column 'x99': it is one of 'x0', 'x1'"):
        selection.explain("x99")
    for wrong in (9, -1, True, None, 1.5):
        with pytest.raises(ValueError, match=r"feature=.* is no column: give a name, or a number from 0 to 8"):
            selection.explain(wrong)
    with pytest.raises(ValueError, match=r"^feature=ndarray is no column: give a name, or a number from 0 to 8$"):
        column_of(np.zeros(800), [f"x{i}" for i in range(9)])


@pytest.mark.parametrize(
    ("column", "role", "code"),
    [
        ("ill", "the target", "column-is-target"),
        ("n", "the weight", "column-in-two-roles"),
        ("person", "the groups", "column-in-two-roles"),
        ("site", "a stratum", "column-in-two-roles"),
        ("sex", "a stratum", "column-in-two-roles"),
    ],
)
def test_a_column_of_another_role_is_no_feature(codes, column, role, code):
    X, y = codes
    frame = pd.DataFrame(X).add_prefix("x").assign(ill=y, n=1 + y, person=np.arange(300) // 2, site=X[:, 0] % 2, sex=0)
    frame["site"] = frame["person"] % 3
    selection = bitsieve.select(frame, "ill", sample_weight="n", groups="person", strata=["site", "sex"])
    with pytest.raises(UserError, match=f"^'{column}' is {role}, not a feature: give another column$") as raised:
        selection.explain(column)
    assert raised.value.code == code


def test_names_that_steer_a_terminal_are_escaped(codes):
    X, y = codes
    frame = pd.DataFrame(X, columns=["\x1b[31mred\n", *(f"c{j}" for j in range(8))])
    text = str(bitsieve.select(frame, y, n_features_to_select=3, binning="none").explain(0))
    assert "\x1b" not in text
    assert text.splitlines()[0].startswith(r"'\x1b[31mred\n' is ")


def test_a_column_of_junk_is_explained_by_its_test_and_not_by_its_rank():
    random = np.random.default_rng(5)
    y = random.integers(0, 2, 300)
    X = np.column_stack([y + random.normal(size=300), random.normal(size=(300, 2))])
    selection = bitsieve.select(X, y)
    assert selection.informative_state == ["alone", "not shown", "not shown"]
    assert selection.explain("x0").reason.startswith("is selected: rank 1 of 3")
    assert selection.explain("x2").reason.startswith("fills the list (rank 3 of 3")


def test_the_evidence_of_a_selector_takes_the_target_as_fit_does():
    random = np.random.default_rng(0)
    y = random.integers(0, 40, 400).astype(float)
    X = np.column_stack([y + random.normal(size=400), random.normal(size=400)])
    selector = bitsieve.ForwardSelector(1, target_kind="quantity", binning="quantile").fit(X, y)
    assert evidence_of(selector, X, y).table.target.n_classes == len(selector.classes_) < 40


def test_a_time_is_explained_beside_as_many_columns_as_leave_twenty_events():
    """By chance alone a column would add up to half a bit less than nothing to sets that divide the events further."""
    random = np.random.default_rng(4)
    codes = pd.DataFrame(random.integers(0, 4, (600, 6)), columns=list("abcdef"))
    time = random.exponential(np.exp(-0.5 * codes["a"] - 0.3 * codes["b"])) + 0.001
    codes["time"] = np.minimum(time, 1.0)
    codes["event"] = (time <= 1.0).astype(int)
    selection = bitsieve.select(codes, duration="time", event="event", n_features_to_select=6)
    explanation = selection.explain(selection.features[-1])
    n_combinations = len(codes[explanation.given].drop_duplicates())
    assert 20 * n_combinations <= codes["event"].sum() < 20 * 4 * n_combinations
    assert abs(explanation.added) < 0.05
