"""Selection within strata, through every door."""

import numpy as np
import pandas as pd
import pytest
from tests.golden.strata_cases import CRITERIA, ESTIMATORS, NAMES, SMALL_SETS, StrataCase

import bitsieve
from bitsieve.cli import main
from bitsieve.diagnostics import UserError

TOLERANCE = 1e-9  # of the golden cases, which another program computed in floats
ROUNDING = 1e-12
pytestmark = pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")


def batches(seed=0, n_samples=240, n_features=6):
    random = np.random.default_rng(seed)
    strata = random.integers(0, 3, n_samples)
    X = random.integers(0, 3, (n_samples, n_features))
    X[:, 0] = strata
    y = (X[:, 1] + strata + random.integers(0, 2, n_samples) > 2).astype(int)
    return X, y, strata


def select(X, y, **options):
    return bitsieve.select(X, y, binning="none", target_kind="classes", **options)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SMALL_SETS])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_golden_cases(name, estimator):
    case = StrataCase.load(name)
    expected = case.expected[estimator]
    k = case.expected["k"]
    for criterion in CRITERIA:
        selection = select(
            case.X, case.y, strata=case.strata, method=criterion, estimator=estimator, n_features_to_select=k
        )
        assert selection.indices.tolist() == expected[criterion]["selected"]
        np.testing.assert_allclose(selection.scores, expected[criterion]["scores"], atol=TOLERANCE)
        np.testing.assert_allclose(
            selection.relevance, np.array(expected["relevance"])[selection.indices], atol=TOLERANCE
        )
        selector = bitsieve.ForwardSelector(
            k, criterion=criterion, estimator=estimator, binning="none", target_kind="classes"
        )
        selector.fit(case.X, case.y, strata=case.strata)
        assert selector.selected_.tolist() == expected[criterion]["selected"]
        np.testing.assert_allclose(selector.scores_, expected[criterion]["scores"], atol=TOLERANCE)


@pytest.mark.parametrize("n_controls", [1, 4])
def test_sets_of_one_case_need_a_common_effect(n_controls):
    set_of_row = np.repeat(np.arange(40), 1 + n_controls)
    is_case = (np.arange(len(set_of_row)) % (1 + n_controls) == 0).astype(int)
    X = np.random.default_rng(0).integers(0, 3, (len(set_of_row), 3))
    with pytest.raises(UserError, match="so that single rows decide the information within: use effect='common'"):
        select(X, is_case, strata=set_of_row)


@pytest.mark.parametrize("name", SMALL_SETS)
def test_small_sets_need_a_common_effect(name):
    case = StrataCase.load(name)
    with pytest.raises(ValueError, match="effect") as raised:
        select(case.X, case.y, strata=case.strata, method="jmi")
    assert raised.value.code == "strata-too-small"
    selection = select(
        case.X, case.y, strata=case.strata, method="mim", effect="common", estimator="plug-in", n_features_to_select=3
    )
    np.testing.assert_allclose(
        selection.relevance, np.array(case.expected["common"])[selection.indices], atol=TOLERANCE
    )


def test_relevance_is_that_of_class_and_stratum_less_that_of_the_stratum():
    X, y, strata = batches()
    frame = pd.DataFrame(X[:, 1:], columns=list("abcde")).assign(y=y, s=strata)
    k = {"method": "mim", "estimator": "plug-in", "n_features_to_select": 5, "binning": "none"}
    within = bitsieve.select(frame, "y", strata="s", **k)
    of_both = bitsieve.select(frame, ["y", "s"], **k)
    of_stratum = bitsieve.select(frame.drop(columns="y"), "s", target_kind="classes", **k)
    for feature, relevance in zip(within.features, within.relevance, strict=True):
        difference = (
            of_both.relevance[of_both.features.index(feature)]
            - of_stratum.relevance[of_stratum.features.index(feature)]
        )
        assert relevance == pytest.approx(difference, abs=ROUNDING)


@pytest.mark.parametrize("method", ["mim", "mrmr", "jmi", "cmim2", "cmi"])
def test_one_stratum_equals_none_bit_for_bit(method):
    X, y, _ = batches()
    with_stratum = select(X, y, strata=np.zeros(len(y), int), method=method, n_features_to_select=4)
    without = select(X, y, method=method, n_features_to_select=4)
    assert with_stratum.features == without.features
    assert with_stratum.scores.tolist() == without.scores.tolist()
    assert with_stratum.relevance.tolist() == without.relevance.tolist()


def test_weights_repeat_rows():
    X, y, strata = batches()
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    weighted = select(X, y, strata=strata, sample_weight=weights, method="jmi", n_features_to_select=4)
    rows = np.repeat(np.arange(len(y)), weights)
    repeated = select(X[rows], y[rows], strata=strata[rows], method="jmi", n_features_to_select=4)
    assert weighted.features == repeated.features
    assert weighted.scores.tolist() == repeated.scores.tolist()


def test_rows_in_another_order_give_the_same():
    X, y, strata = batches()
    order = np.random.default_rng(2).permutation(len(y))
    selection = select(X, y, strata=strata, method="mrmr", n_features_to_select=4)
    reordered = select(X[order], y[order], strata=strata[order], method="mrmr", n_features_to_select=4)
    assert selection.scores.tolist() == reordered.scores.tolist()


def test_strata_are_columns_and_never_features():
    X, y, strata = batches()
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y, site=strata, sex=np.arange(len(y)) % 2)
    by_name = bitsieve.select(frame, "y", strata=["site", "sex"], method="jmi", n_features_to_select=6)
    assert not {"site", "sex"} & set(by_name.features)
    joint = strata * 2 + frame["sex"].to_numpy()
    by_values = bitsieve.select(
        frame.drop(columns=["site", "sex"]), "y", strata=joint, method="jmi", n_features_to_select=6
    )
    assert by_name.features == by_values.features
    assert by_name.scores.tolist() == by_values.scores.tolist()
    assert by_name.parameters["strata"] == ["site", "sex"]


def test_results_show_relevance_within_and_without_strata():
    X, y, strata = batches()
    selection = select(X, y, strata=strata, method="mim", n_features_to_select=4)
    pooled = select(X, y, method="mim", n_features_to_select=6)
    pooled_relevance = dict(zip(pooled.indices.tolist(), pooled.relevance, strict=True))
    assert selection.relevance_pooled.tolist() == [pooled_relevance[j] for j in selection.indices.tolist()]
    assert selection.n_informative_rows == len(y)
    assert "pooled (bits)" in str(selection)
    assert len(selection.heterogeneity) == 4
    document = selection.to_dict()
    assert document["strata"] == {"n_strata": 3, "n_informative_rows": len(y)}
    assert document["features"][0]["relevance_pooled_bits"] == selection.relevance_pooled[0]
    assert {"relevance_pooled", "heterogeneity"} <= set(selection.to_frame().columns)
    selector = bitsieve.ForwardSelector(4, criterion="mim", binning="none").fit(X, y, strata=strata)
    assert selector.relevance_pooled_[selection.indices].tolist() == selection.relevance_pooled.tolist()
    assert selector.heterogeneity_.tolist() == selection.heterogeneity.tolist()


def test_matched_pairs_have_no_heterogeneity(tmp_path):
    frame = pairs_of_cases()
    options = {"strata": "pair", "effect": "common", "method": "mim", "n_features_to_select": 2}
    selection = bitsieve.select(frame, "case", **options)
    assert selection.heterogeneity is None
    assert len(selection.relevance_pooled) == 2
    assert "heterogeneity" not in str(selection)
    assert "heterogeneity" not in selection.to_frame()
    assert "heterogeneity_bits" not in selection.to_dict()["features"][0]
    selection.save(tmp_path / "selection.json")
    loaded = bitsieve.load(tmp_path / "selection.json")
    assert loaded == selection
    assert loaded.heterogeneity is None
    # A second case in one set of three shows whether the effect differs.
    larger = pd.concat([frame, frame.iloc[:2].assign(exposure=[0, 1])], ignore_index=True)
    assert len(bitsieve.select(larger, "case", **options).heterogeneity) == 2


def test_saved_selections_hold_strata(tmp_path):
    X, y, strata = batches()
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y, site=strata)
    selection = bitsieve.select(frame, "y", strata="site", method="jmi", n_features_to_select=3)
    selection.save(tmp_path / "selection.json")
    loaded = bitsieve.load(tmp_path / "selection.json")
    assert loaded == selection
    assert loaded.heterogeneity.tolist() == selection.heterogeneity.tolist()


def test_metadata_reaches_a_selector_in_a_pipeline():
    import sklearn
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    X, y, strata = batches()
    alone = bitsieve.ForwardSelector(2, criterion="jmi", binning="none").fit(X, y, strata=strata)
    with sklearn.config_context(enable_metadata_routing=True):
        selector = bitsieve.ForwardSelector(2, criterion="jmi", binning="none").set_fit_request(strata=True)
        transformed = selector.fit_transform(X, y, strata=strata)
        assert selector.selected_.tolist() == alone.selected_.tolist()
        pipeline = make_pipeline(selector, LogisticRegression()).fit(X, y, strata=strata)
        assert pipeline[0].selected_.tolist() == alone.selected_.tolist()
    np.testing.assert_array_equal(transformed, alone.transform(X))


def code_of_error(**options):
    X, y, strata = batches()
    options = {"strata": strata, "method": "jmi", **options}
    with pytest.raises(UserError) as raised:
        select(X, y, **options)
    return raised.value.code


def test_what_cannot_be_done_gives_one_clear_line():
    _, y, strata = batches()
    missing = strata.astype(float)
    missing[3] = np.nan
    assert code_of_error(strata=missing) == "missing-values"
    assert code_of_error(strata=strata[:-1]) == "lengths-differ"
    with pytest.raises(UserError, match="strata is a single value, 'batch': give one value for each row"):
        bitsieve.ForwardSelector(1).fit(*batches()[:2], strata="batch")
    assert code_of_error(strata=np.arange(len(y))) == "strata-are-numbers"
    assert code_of_error(strata=strata + 0.5) == "strata-are-numbers"
    assert code_of_error(strata=np.arange(len(y)).astype(str)) == "every-row-a-stratum"
    assert code_of_error(strata=y) == "one-class"
    assert code_of_error(strata=None, effect="common") == "parameter-not-allowed"
    assert code_of_error(effect="none") == "parameter-not-allowed"
    assert code_of_error(estimator="shrinkage") == "undefined-quantity"
    assert code_of_error(estimator="miller-madow", effect="common") == "undefined-quantity"
    with pytest.raises(UserError, match="use a greedy method such as jmi"):
        select(*batches()[:2], strata=strata, method="iamb")
    assert code_of_error(method="iamb") == "strata-not-supported"
    assert code_of_error(method="vmi") == "strata-not-supported"
    for rule in ("conditional", "knockoffs", "dcrt", "gaussian-knockoffs"):
        assert code_of_error(stopping=rule) == "strata-not-supported"


def test_what_a_refusal_of_a_common_effect_advises_is_done():
    frame = pairs_of_cases(30)
    options = {"strata": "pair", "effect": "common", "method": "mim"}
    with pytest.raises(UserError) as raised:
        bitsieve.select(frame, "case", stopping="significance", **options)
    assert raised.value.fix == {"stopping": "permutation", "binning": "quantile", "effect": "any"}
    found = bitsieve.select(frame, "case", stopping="permutation", binning="quantile", **options)
    assert set(found.features) <= {"exposure", "age", "noise"}
    with pytest.raises(UserError) as raised:
        bitsieve.how_many(frame, "case", strata="pair", effect="common")
    assert raised.value.fix == {"binning": "quantile"}


def test_the_common_effect_of_a_single_stratum_is_tested_by_shuffles():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 300)
    frame = pd.DataFrame({"sum": y + random.integers(0, 2, 300), "noise": random.integers(0, 3, 300), "y": y, "s": 1})
    selection = bitsieve.select(frame, "y", strata="s", effect="common", binning="none", n_features_to_select=2)
    assert selection.features == ["sum", "noise"]
    assert selection.informative.tolist() == [True, False]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("significance", {"n_features_to_select": "auto"}),
        ("significance", {"stopping": "significance", "n_features_to_select": 2}),
        ("permutation", {"stopping": "permutation", "binning": "mdl"}),
        ("fdr", {"stopping": "fdr", "groups": np.arange(240) // 2}),
    ],
)
def test_what_has_no_test_of_a_common_effect_is_refused_by_name(name, options):
    X, y, _ = batches()
    X = X + np.random.default_rng(1).normal(size=X.shape)
    strata = np.arange(240) // 2 % 3
    options = {"binning": "quantile", "target_kind": "classes", "n_features_to_select": "auto", **options}
    with pytest.raises(UserError) as raised:
        bitsieve.select(X, y, strata=strata, effect="common", **options)
    assert raised.value.code == "undefined-quantity"
    assert repr(name) in raised.value.message


@pytest.mark.parametrize("rule", ["permutation", "fdr", "threshold"])
@pytest.mark.parametrize("criterion", ["jmi", "cmi"])
def test_rules_select_the_common_effects_of_matched_pairs(rule, criterion):
    frame = pairs_of_cases(120)
    rule = bitsieve.ThresholdStopping(0.08) if rule == "threshold" else rule
    selection = bitsieve.select(
        frame,
        "case",
        strata="pair",
        effect="common",
        method=criterion,
        stopping=rule,
        n_features_to_select="auto",
        binning="quantile",
    )
    assert selection.features == ["exposure"]


@pytest.mark.parametrize(
    ("options", "first"),
    [
        ({"include": ["noise"]}, ["noise", "exposure"]),
        ({"exclude": ["exposure", "age"]}, ["noise"]),
        ({"constraints": bitsieve.Constraints(groups={"both": ["exposure", "noise"]})}, ["exposure", "noise"]),
    ],
)
def test_a_common_effect_takes_columns_that_must_be_included_excluded_or_joined(options, first):
    frame = pairs_of_cases()
    options = {"strata": "pair", "effect": "common", "method": "jmi", "binning": "quantile", **options}
    assert bitsieve.select(frame, "case", n_features_to_select=2, **options).features[:2] == first


def test_a_note_says_that_all_rows_are_in_one_stratum():
    X, y, strata = batches()
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y, site="here", batch=strata, month=np.arange(len(y)) % 2)
    how = {"methods": ["mim"], "features": 2, "folds": 3, "baselines": False}
    for of_strata in (
        lambda names: bitsieve.select(frame, "y", strata=names),
        lambda names: bitsieve.how_many(frame, "y", strata=names, folds=3),
        lambda names: bitsieve.compare(frame, "y", strata=names, **how),
        lambda names: bitsieve.drift(frame, "month", "y", strata=names),
    ):
        assert "one-stratum" in [note.code for note in of_strata("site").diagnostics]
        assert "one-stratum" not in [note.code for note in of_strata(["site", "batch"]).diagnostics]
        assert "one-stratum" not in [note.code for note in of_strata(None).diagnostics]


def test_notes_name_small_and_useless_strata():
    X, y, strata = batches()
    small = np.arange(len(y)) // 6
    small[y == 1] = np.minimum(small[y == 1], 38)
    selection = select(X, y, strata=small.astype(str), method="jmi", n_features_to_select=2)
    codes = [diagnostic.code for diagnostic in selection.diagnostics]
    assert "small-strata" in codes
    useless = np.where(np.arange(len(y)) < 100, y + 10, strata)
    selection = select(X, y, strata=useless, method="jmi", n_features_to_select=2)
    assert "strata-of-one-class" in [diagnostic.code for diagnostic in selection.diagnostics]


@pytest.mark.each_value
@pytest.mark.parametrize("rule", ["significance", "permutation", "fdr"])
@pytest.mark.parametrize("binning", ["quantile", "mdl"])
def test_rules_take_no_column_that_follows_the_batch(rule, binning):
    random = np.random.default_rng(4)
    strata = np.arange(300) % 3
    y = (random.random(300) < 0.2 + 0.3 * strata).astype(int)
    X = np.column_stack([strata + 0.3 * random.normal(size=300), random.normal(size=300) + 1.5 * y])
    options = {"n_features_to_select": "auto", "criterion": "mim", "stopping": rule, "binning": binning}
    selector = bitsieve.ForwardSelector(**options).fit(X, y, strata=strata)
    assert selector.selected_.tolist() == [1]
    assert 0 in bitsieve.ForwardSelector(**options).fit(X, y).selected_


def test_folds_keep_classes_of_strata_and_small_sets_whole():
    from bitsieve.dataset.read import read_xy
    from bitsieve.evaluate.folds import make_folds

    X, y, strata = batches()
    strata = (strata > 0).astype(int)
    target = read_xy(X, y).target
    folds, notes = make_folds(target, 4, strata=strata)
    assert not notes
    for fold in folds:
        counts = np.bincount(strata[fold.test] * 2 + y[fold.test], minlength=4)
        expected = np.bincount(strata * 2 + y, minlength=4) / 4
        assert (abs(counts - expected) < 2).all()
    sets = np.repeat(np.arange(len(y) // 3), 3)
    folds, _ = make_folds(target, 4, strata=sets)
    for fold in folds:
        assert not set(sets[fold.test]) & set(sets[fold.train])


def test_compare_ranks_within_strata():
    X, y, strata = batches()
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y, site=strata)
    options = {"features": [1, 2], "folds": 3, "classifier": "ncm", "baselines": False}
    comparison = bitsieve.compare(frame, "y", strata="site", methods=["jmi"], **options)
    assert "site" not in str(comparison.table())
    with pytest.raises(UserError) as raised:
        bitsieve.compare(frame, "y", strata="site", methods=["iamb"], **options)
    assert raised.value.code == "strata-not-supported"


def pairs_of_cases(n_pairs=60):
    """Matched pairs of a case and its control: the exposure goes with the case, the age with the pair."""
    random = np.random.default_rng(7)
    pair = np.repeat(np.arange(n_pairs), 2)
    case = np.tile([1, 0], n_pairs)
    exposure = random.random(2 * n_pairs) < 0.2 + 0.5 * case
    frame = pd.DataFrame({"age": pair / 4 + random.normal(size=2 * n_pairs), "exposure": exposure.astype(int)})
    return frame.assign(noise=random.integers(0, 3, 2 * n_pairs), case=case, pair=[f"pair {i}" for i in pair])


def test_compare_ranks_matched_pairs_by_their_common_effect():
    frame = pairs_of_cases()
    options = {"strata": "pair", "features": [1, 2], "folds": 3, "classifier": "ncm", "baselines": False}
    by_default = bitsieve.compare(frame, "case", effect="common", **options)
    assert by_default.methods == ["mim", "mrmr", "cmim2"]
    assert (by_default.selected[0][0][0], by_default.names[1]) == (1, "exposure")
    assert "bitsieve.select(data, 'case', strata='pair', effect='common', method='mim'" in str(by_default)
    named = bitsieve.compare(frame, "case", effect="common", methods=["jmi"], **options)
    as_parameter = bitsieve.compare(frame, "case", parameters={"effect": "common"}, methods=["jmi"], **options)
    np.testing.assert_array_equal(named.errors, as_parameter.errors)
    selector = bitsieve.ForwardSelector(2, criterion="jmi", effect="common")
    as_selector = bitsieve.compare(frame, "case", methods={"jmi": selector}, **options)
    np.testing.assert_array_equal(named.errors, as_selector.errors)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, "strata-too-small"),
        ({"effect": "common", "strata": None}, "parameter-not-allowed"),
        ({"effect": "none"}, "parameter-not-allowed"),
        ({"effect": "common", "methods": ["fcbf"]}, "strata-not-supported"),
        ({"effect": "common", "methods": ["mim"], "parameters": {"estimator": "miller-madow"}}, "undefined-quantity"),
    ],
)
def test_effects_that_compare_refuses(options, code):
    frame = pairs_of_cases()
    options = {"strata": "pair", "methods": ["mim"], "features": [1, 2], "folds": 3, **options}
    with pytest.raises(UserError) as raised:
        bitsieve.compare(frame, "case", **options)
    assert raised.value.code == code


def test_strata_that_determine_the_class_are_named_as_typed(tmp_path, capsys):
    pairs_of_cases().assign(kind=lambda frame: frame["case"].astype(str)).to_csv(tmp_path / "pairs.csv", index=False)
    words = ["select", str(tmp_path / "pairs.csv"), "--target", "case", "--exclude", "pair"]
    assert main([*words, "--strata", "kind", "--column-type", "kind=category"]) == 2
    assert "leave out --strata, or name others" in capsys.readouterr().err


def test_a_method_without_a_common_effect_is_named_alone(tmp_path, capsys):
    pairs_of_cases().to_csv(tmp_path / "pairs.csv", index=False)
    strata = ["--strata", "pair", "--column-type", "pair=category", "--effect", "common"]
    assert main(["compare", str(tmp_path / "pairs.csv"), "--target", "case", *strata, "--methods", "mim,fcbf"]) == 2
    error = capsys.readouterr().err
    assert "fcbf has no common effect of the strata" in error
    assert "things stand in the way" not in error  # another effect would be refused for strata of two rows


def test_a_selector_fitted_within_strata_is_not_explained_without_them():
    from bitsieve.explain.evidence import evidence_of

    X, y, strata = batches()
    selector = bitsieve.ForwardSelector(2, criterion="jmi", binning="none").fit(X, y, strata=strata)
    with pytest.raises(UserError) as raised:
        evidence_of(selector, X, y)
    assert raised.value.code == "strata-not-supported"
    selector.fit(X, y)
    assert "heterogeneity_" not in vars(selector)
    assert evidence_of(selector, X, y).selected.tolist() == selector.selected_.tolist()


def test_explanations_and_reports_are_within_strata(tmp_path):
    X, y, strata = batches()
    selection = select(X, y, strata=strata, method="jmi", n_features_to_select=2)
    explanation = selection.explain(selection.features[0])
    assert explanation.relevance == selection.relevance[0]
    common = select(X, y, strata=strata, method="jmi", n_features_to_select=2, effect="common")
    assert "common" in str(common.parameters["effect"])
    assert common._repr_html_()
    assert common.explain(common.features[0]).relevance == common.relevance[0]


def test_an_explanation_of_a_common_effect_is_about_the_pairs():
    frame = pairs_of_cases(120).assign(copy=lambda table: table["exposure"])
    frame.loc[::7, "copy"] = 1 - frame.loc[::7, "copy"]
    selection = bitsieve.select(
        frame, "case", strata="pair", effect="common", method="jmi", n_features_to_select=3, binning="quantile"
    )
    explanation = selection.explain("copy")
    assert explanation.redundant_with == "exposure"
    assert explanation.given[0] == "exposure"
    assert selection.explain("exposure").relevance > selection.explain("exposure").chance


@pytest.mark.parametrize("door", [bitsieve.select, bitsieve.compare])
@pytest.mark.parametrize("parameter", ["include", "exclude"])
def test_columns_of_strata_are_neither_included_nor_excluded(door, parameter):
    X, y, strata = batches()
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y, site=strata)
    with pytest.raises(UserError, match="a stratum") as raised:
        door(frame, "y", strata="site", **{parameter: ["site"]})
    assert raised.value.code == "column-in-two-roles"


def test_strata_name_each_column_once():
    X, y, strata = batches()
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y, site=strata)
    with pytest.raises(UserError, match="'site'") as raised:
        bitsieve.select(frame, "y", strata=["site", "site"])
    assert raised.value.code == "given-twice"


def test_messages_name_the_column_of_the_strata():
    X, y, _ = batches()
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y, dose=np.linspace(0, 1, len(y)))
    with pytest.raises(UserError, match="'dose'") as raised:
        bitsieve.select(frame, "y", strata="dose")
    assert raised.value.fix == {"column_types": {"dose": "category"}}
    with pytest.raises(UserError) as raised:
        bitsieve.select(X, y, strata=frame["dose"].to_numpy())
    assert raised.value.code == "strata-are-numbers"
    assert raised.value.fix == {}
    with pytest.raises(UserError, match="'dose'") as raised:
        bitsieve.select(X, y, strata=frame["dose"])  # values of which no column of X is to be declared
    assert raised.value.fix == {}


def test_a_stopping_rule_without_strata_is_named_as_such():
    X, y, strata = batches()
    with pytest.raises(UserError, match="stopping rule") as raised:
        select(X, y, strata=strata, stopping="conditional")
    assert raised.value.code == "strata-not-supported"


@pytest.mark.parametrize("binning", ["quantile", "mdl"])
def test_of_matched_pairs_what_is_informative_is_tested_by_the_common_effect(binning):
    frame = pairs_of_cases(80)
    options = {"strata": "pair", "effect": "common", "method": "mim", "n_features_to_select": 3, "binning": binning}
    selection = bitsieve.select(frame, "case", **options)
    states = dict(zip(selection.features, selection.informative_state, strict=True))
    assert states == {"exposure": "alone", "age": "not shown", "noise": "not shown"}


def test_a_common_effect_of_many_columns_is_not_tested_by_shuffles():
    frame = pairs_of_cases(30)
    random = np.random.default_rng(2)
    wide = pd.DataFrame({f"c{j}": random.integers(0, 2, len(frame)) for j in range(130)}).join(frame)
    options = {"strata": "pair", "effect": "common", "method": "mim", "n_features_to_select": 2}
    selection = bitsieve.select(wide, "case", **options)
    assert selection.informative_state == ["not tested", "not tested"]
    assert not {"not-informative", "partly-informative"} & {note.code for note in selection.diagnostics}
    (note,) = [note for note in selection.diagnostics if note.code == "common-effect-not-tested"]
    assert "7,500 values" in note.message  # 125 columns of 60 rows
    tested = bitsieve.select(wide, "case", **options | note.fix)
    assert not [note for note in tested.diagnostics if note.code == "common-effect-not-tested"]


@pytest.mark.slow("many tables")
@pytest.mark.parametrize(("rule", "limit"), [("permutation", 0.05), ("fdr", 0.1)])
def test_rules_of_a_common_effect_keep_their_level(rule, limit):
    """Pairs with two columns that go with the case; noise, and columns that follow the pair, are false."""
    shares_of_false = []
    n_found = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        pair = np.repeat(np.arange(60), 2)
        case = np.tile([1, 0], 60)
        true = (random.random((120, 2)) < 0.25 + 0.5 * case[:, None]).astype(int)
        noise = random.integers(0, 3, (120, 8))
        follows = (pair // 10)[:, None] + random.integers(0, 2, (120, 3))
        selector = bitsieve.ForwardSelector(
            "auto", criterion="jmi", stopping=rule, effect="common", binning="none", target_kind="classes"
        )
        selected = selector.fit(np.column_stack([true, noise, follows]), case, strata=pair.astype(str)).selected_
        n_false = int((selected > 1).sum())
        n_found += len(selected) - n_false
        shares_of_false.append(n_false > 0 if rule == "permutation" else n_false / max(1, len(selected)))
    # Two standard errors of a share of 60 tables.
    assert np.mean(shares_of_false) <= limit + 2 * np.sqrt(limit * (1 - limit) / 60)
    assert n_found > 72


@pytest.mark.parametrize("rule", ["conditional", "dcrt"])
def test_a_rule_that_takes_no_strata_is_named(rule):
    random = np.random.default_rng(4)
    X = random.normal(size=(120, 4))
    y = (X[:, 0] > 0).astype(int)
    expected = f"stopping rule '{rule}' does not work within strata: leave out strata, or use another rule, such as fdr"
    with pytest.raises(bitsieve.UserError, match=expected):
        bitsieve.select(X, y, strata=random.integers(0, 3, 120), stopping=rule)
