"""Rows that belong together: shuffles, halves and folds keep them so, through every way in."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold

import bitsieve
from bitsieve import ForwardSelector, InteractionSelector, PermutationStopping, SelectorCV, StabilitySelector
from bitsieve.cli import main
from bitsieve.counts.search import ExchangeableUnits, Parts, shuffled
from bitsieve.dataset.groups import read_groups
from bitsieve.dataset.read import read_xy
from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.selectors.stability import half_of

SEEDS = np.arange(5, dtype=np.uint64)
N_SUBJECTS, ROWS = 16, 4
SUBJECT = np.repeat(np.arange(N_SUBJECTS), ROWS)


def subjects(seed=0, n_columns=8):
    """Traits of subjects with a little noise in every row; the first is the class of most subjects."""
    random = np.random.default_rng(seed)
    label = random.permutation(np.arange(N_SUBJECTS) % 2)
    traits = random.normal(size=(N_SUBJECTS, n_columns))
    traits[:, 0] += 6 * label
    return traits[SUBJECT] + 0.1 * random.normal(size=(len(SUBJECT), n_columns)), label[SUBJECT]


def test_whole_groups_exchange_their_classes_within_parts():
    _, y = subjects()
    part = (SUBJECT >= 4).astype(np.int64)
    for made in ExchangeableUnits.of(SUBJECT, y).shuffled(y, part, SEEDS):
        assert (made.reshape(N_SUBJECTS, ROWS) == made[::ROWS, None]).all()
        for of in (0, 1):
            assert sorted(made[part == of]) == sorted(y[part == of])


def test_a_group_is_in_the_part_of_most_of_its_rows():
    _, y = subjects()
    part = (SUBJECT >= 4).astype(np.int64)
    part[::ROWS] = 1 - part[::ROWS]  # one row of each
    for made in ExchangeableUnits.of(SUBJECT, y).shuffled(y, part, SEEDS):
        assert sorted(made[SUBJECT < 4]) == sorted(y[SUBJECT < 4])


def test_rows_of_a_group_of_several_classes_exchange_theirs_within_it():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, len(SUBJECT))
    y[SUBJECT < 2] = SUBJECT[SUBJECT < 2]
    for made in ExchangeableUnits.of(SUBJECT, y).shuffled(y, np.zeros(len(y), np.int64), SEEDS):
        for subject in range(2, N_SUBJECTS):
            assert sorted(made[subject == SUBJECT]) == sorted(y[subject == SUBJECT])
        np.testing.assert_array_equal(made[: 2 * ROWS : ROWS], made[ROWS - 1 : 2 * ROWS : ROWS])
        assert made[0] + made[ROWS] == 1


def test_units_of_a_part_of_the_rows_keep_apart_whatever_the_numbers_of_groups():
    groups, y = np.array([1, 1, 5, 6]), np.array([0, 1, 1, 0])  # numbers of groups may exceed those of the rows left
    assert ExchangeableUnits.of(groups, y).unit_of_sample.tolist() == [2, 3, 0, 1]
    for made in ExchangeableUnits.of(groups, y).shuffled(y, np.zeros(4, np.int64), SEEDS):
        assert sorted(made[:2]) == sorted(made[2:]) == [0, 1]


def test_groups_of_one_row_are_rows():
    random = np.random.default_rng(0)
    y, part = random.integers(0, 3, 50), random.integers(0, 2, 50)
    made = ExchangeableUnits.of(np.arange(50), y).shuffled(y, part, SEEDS)
    np.testing.assert_array_equal(made, shuffled(y.astype(np.int32), Parts.of(part), SEEDS))


@pytest.mark.slow("every exchange")
def test_p_is_the_share_of_all_exchanges_of_whole_groups():
    X, y = subjects(seed=3, n_columns=1)
    codes = (X[:, :1] > np.median(X)).astype(int)

    def agreement(label):
        share = (codes[:, 0] == label[SUBJECT]).mean()
        return abs(share - 0.5)  # of two balanced halves, which orders tables as the information does

    every = [np.isin(np.arange(N_SUBJECTS), ones).astype(int) for ones in combinations(range(N_SUBJECTS), 8)]
    observed = agreement(y[::ROWS])
    exact = np.mean([agreement(label) >= observed for label in every])
    rule = PermutationStopping(level=0.99, n_permutations=20_000)
    fitted = ForwardSelector(1, stopping=rule, binning="none").fit(codes, y, groups=SUBJECT)
    found = fitted.stopping_values_[0] if len(fitted.selected_) else fitted.stopping_value_
    assert abs(found - exact) <= 5 * np.sqrt(exact * (1 - exact) / 20_000) + 1 / 20_000  # five standard errors


@pytest.mark.parametrize("rule", ["significance", "permutation"])
def test_copies_of_a_row_in_its_group_add_no_evidence(rule):
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 60)
    codes = np.column_stack([np.where(random.random(60) < 0.85, y, 1 - y), random.integers(0, 3, (60, 4))])
    rows = np.arange(60)
    alone = ForwardSelector("auto", stopping=rule, binning="none").fit(codes, y, groups=rows)
    times = np.repeat(rows, 10)
    copied = ForwardSelector("auto", stopping=rule, binning="none").fit(codes[times], y[times], groups=times)
    assert alone.selected_.tolist() == copied.selected_.tolist() == [0]
    assert alone.stopping_values_[0] == copied.stopping_values_[0]


@pytest.mark.parametrize("binning", ["mdl", "quantile"])
@pytest.mark.parametrize("rule", ["significance", "permutation", "fdr"])
def test_traits_of_subjects_are_no_evidence_of_many_rows(rule, binning):
    random = np.random.default_rng(5)
    X, y = random.normal(size=(N_SUBJECTS, 6))[SUBJECT], np.repeat(np.arange(N_SUBJECTS) % 2, ROWS)
    selector = ForwardSelector("auto", stopping=rule, binning=binning)
    assert len(selector.fit(X, y).selected_) > 0
    assert len(selector.fit(X, y, groups=SUBJECT).selected_) == 0


def test_halves_and_folds_divide_no_group():
    X, y = subjects()
    table = read_xy(X, y, groups=SUBJECT)
    for pair in range(3):
        first, second = (half_of(table, pair, which, 0) for which in (0, 1))
        assert not set(first.groups) & set(second.groups)
        assert first.n_samples + second.n_samples == len(y)
        assert (np.bincount(first.target.codes) == np.bincount(second.target.codes)).all()
    assert StabilitySelector(ForwardSelector(2), n_pairs=10).fit(X, y, groups=SUBJECT).selected_.tolist() == [0]
    folded = SelectorCV(methods=["mim"], classifier="ncm", features=2, folds=GroupKFold(3))  # which asks for groups
    assert folded.fit(X, y, groups=SUBJECT).n_features_to_select_ == 2
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        folded.fit(X, y)


def test_every_way_in_gives_the_same(tmp_path, capsys):
    X, y = subjects()
    frame = pd.DataFrame(X).add_prefix("c").assign(label=y, who=[f"person {j}" for j in SUBJECT])
    asked = {"n_features_to_select": "auto", "stopping": "fdr"}
    by_name = bitsieve.select(frame, "label", groups="who", **asked)
    by_values = bitsieve.select(frame.drop(columns="who"), "label", groups=SUBJECT, **asked)
    of_array = bitsieve.select(X, y, groups=SUBJECT, **asked)
    selector = ForwardSelector("auto", stopping="fdr").fit(X, y, groups=SUBJECT)
    assert by_name.indices.tolist() == by_values.indices.tolist() == of_array.indices.tolist() == [0]
    assert selector.selected_.tolist() == [0]
    assert (by_name.parameters["groups"], of_array.parameters["groups"]) == ("who", "groups")
    path = tmp_path / "subjects.csv"
    frame.to_csv(path, index=False)
    command = ["select", str(path), "-t", "label", "--groups", "who", "--features", "auto", "--stop", "fdr", "--json"]
    assert main([*command, "--quiet"]) == 0
    printed = capsys.readouterr().out
    assert '"c0"' in printed
    assert '"who"' in printed
    found = bitsieve.how_many(frame, "label", groups="who", classifier="ncm", n_pairs=5)
    rates = {answer.rule: answer for answer in found.answers}
    assert rates["false discovery rate"].features == ["c0"]
    assert rates["knockoffs"].n_features is None
    assert "who" not in found.band.features


def test_rows_that_are_left_out_leave_their_groups():
    X, y = subjects()
    weights = np.ones(len(y), int)
    weights[[0, 7]] = 0
    kept = read_xy(X, y, weights, SUBJECT)
    np.testing.assert_array_equal(kept.groups, read_groups(SUBJECT, len(y))[weights > 0])
    label = np.where(weights > 0, y, np.nan)
    np.testing.assert_array_equal(read_xy(X, label, None, SUBJECT, drop_missing=True).groups, kept.groups)


@pytest.mark.parametrize("rule", ["conditional", "knockoffs", "dcrt", "gaussian-knockoffs"])
def test_rules_that_need_independent_rows_refuse(rule):
    X, y = subjects()
    with pytest.raises(ValueError, match="assumes that the rows are independent: leave out groups"):
        bitsieve.select(X, y, groups=SUBJECT, stopping=rule, binning="quantile")
    for given in (rule, make_stopping(rule)):
        with pytest.raises(ValueError, match=f"ForwardSelector with {rule} assumes that the rows"):
            ForwardSelector("auto", stopping=given, binning="quantile").fit(X, y, groups=SUBJECT)


def test_fdr_does_not_advise_a_rule_that_refuses_groups():
    """Two columns that share much, of rows in pairs."""
    random = np.random.default_rng(0)
    X = random.integers(0, 3, (400, 2))
    X[:, 1] = np.where(random.random(400) < 0.7, X[:, 0], X[:, 1])
    y = (X.sum(axis=1) + random.logistic(size=400) > 2).astype(int)
    alone = bitsieve.select(X, y, n_features_to_select="auto", stopping="fdr", binning="none")
    paired = bitsieve.select(
        X, y, groups=np.arange(400) // 2, n_features_to_select="auto", stopping="fdr", binning="none"
    )
    of_alone, of_paired = ([note for note in found.notes if "share" in note] for found in (alone, paired))
    assert of_alone[0].endswith("bits: if that is doubtful, use stopping='conditional'")
    assert of_paired[0].endswith("doubtful, a larger fraction of the list may be false than was requested")


def test_what_cannot_keep_groups_refuses(tmp_path):
    X, y = subjects()
    frame = pd.DataFrame(X).add_prefix("c").assign(label=y, who=SUBJECT)
    frame.to_parquet(tmp_path / "part.parquet")
    with pytest.raises(ValueError, match="groups need all rows in memory"):
        bitsieve.select(tmp_path, "label", groups="who")
    with pytest.raises(ValueError, match="InteractionSelector assumes that the rows are independent"):
        InteractionSelector().fit(X, y, groups=SUBJECT)
    for wrong, message in (
        ("nobody", "there is no column 'nobody' for the groups"),
        ("label", "column 'label' cannot be both the target and the groups"),
        (SUBJECT[:-1], r"groups has shape \(63,\): it must be one value for each of the 64 samples"),
        (np.zeros(64), "groups has one value only"),
        (np.where(SUBJECT == 3, np.nan, SUBJECT), "groups has no value in 4 of 64 rows: give every row a group"),
        ([None, *SUBJECT[1:]], "groups has no value in 1 of 64 rows"),
    ):
        with pytest.raises(ValueError, match=message):
            bitsieve.select(frame, "label", groups=wrong)
    gaps = frame.assign(who=np.where(SUBJECT == 3, np.nan, SUBJECT))
    without_label = gaps.assign(label=gaps["label"].astype(object).where(SUBJECT != 3))
    left = bitsieve.select(without_label, "label", groups="who", n_features_to_select=2)
    kept = bitsieve.select(frame[SUBJECT != 3], "label", groups="who", n_features_to_select=2)
    assert (left.features, left.scores.tolist()) == (kept.features, kept.scores.tolist())
    with pytest.raises(
        bitsieve.UserError, match="the column 'who' of the groups has no value in 4 of 64 rows"
    ) as raised:
        bitsieve.select(gaps, "label", groups="who")
    assert (raised.value.code, raised.value.columns) == ("missing-values", ("who",))
    with pytest.raises(bitsieve.UserError, match="the strata 'who' are missing in 4 of 64 rows") as raised:
        bitsieve.select(gaps, "label", strata="who")
    assert (raised.value.code, raised.value.columns) == ("missing-values", ("who",))
    with pytest.raises(ValueError, match="whose columns have no names: give groups as an array"):
        bitsieve.select(X, y, groups="who")


def rows_note(frame, **asked):
    """What select says of rows that may belong together."""
    notes = bitsieve.select(frame, "label", n_features_to_select="auto", stopping="fdr", **asked).notes
    return [note for note in notes if "groups" in note]


def test_rows_that_seem_to_belong_together_have_a_note():
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 6))[np.repeat(np.arange(30), 10)]
    frame = pd.DataFrame(X).add_prefix("c").assign(label=np.repeat(np.arange(30) % 2, 10))
    (note,) = rows_note(frame)
    assert note.startswith("rows that follow each other are alike in 6 of 6 columns")
    assert rows_note(frame, groups=np.repeat(np.arange(30), 10)) == []
    assert rows_note(frame.sample(frac=1, random_state=0)) == []
    named = frame.sample(frac=1, random_state=0).assign(patient_id=np.tile(np.arange(30), 10))
    (note,) = rows_note(named)
    assert note.startswith("'patient_id' repeats its values (30 in 300 rows)")
    assert any("patient_id" in str(one) for one in bitsieve.how_many(named, "label", classifier="ncm", n_pairs=2).notes)


def test_rows_in_the_order_of_class_or_column_have_no_note():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(300, 8))).add_prefix("c").assign(label=random.integers(0, 2, 300))
    for by in ("label", "c0", ["label", "c0"]):
        assert rows_note(frame.sort_values(by)) == []
