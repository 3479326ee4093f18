"""p of all columns, and what select says of lists that hold for dependent columns."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import bitsieve


def copies(seed=0, n_samples=500, n_columns=12):
    """Three relevant columns, each with a noisy copy after it, and noise."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (n_samples, n_columns))
    for column in (1, 3, 5):
        X[:, column] = np.where(random.random(n_samples) < 0.8, X[:, column - 1], X[:, column])
    return X, (X[:, [0, 2, 4]].sum(axis=1) + random.normal(size=n_samples) > 3).astype(int)


def test_copies_are_not_relevant_given_the_original():
    X, y = copies()
    test = bitsieve.conditional_test(X, y, binning="none")
    assert sorted(test.selected.tolist()) == [0, 2, 4]
    assert (np.array(bitsieve.mutual_information(X, y, binning="none"))[[1, 3, 5]] > 0.02).all()
    assert test.tree.neighbours[0] == ["x1"]
    chosen = bitsieve.select(X, y, n_features_to_select="auto", stopping="conditional", binning="none")
    assert sorted(chosen.indices.tolist()) == [0, 2, 4]
    assert sorted(chosen.fit.result.stopping.values.tolist()) == sorted(test.adjusted[test.selected].tolist())
    assert "3 of 12 columns are relevant given all others" in str(test)


def test_a_tree_of_other_rows_is_used():
    X, y = copies(1, 800)
    tree = bitsieve.chow_liu_tree(X[:400], binning="none")
    test = bitsieve.conditional_test(X[400:], y[400:], binning="none", tree=tree)
    assert test.tree is tree
    own = bitsieve.conditional_test(X[400:], y[400:], binning="none")
    assert own.tree.log_likelihood != tree.log_likelihood
    with pytest.raises(ValueError, match=r"and 9 more.*X has 11 columns.*the same columns"):
        bitsieve.conditional_test(X[400:, 1:], y[400:], binning="none", tree=tree)
    with pytest.raises(ValueError, match="tree='chain' is not allowed: give what bitsieve"):
        bitsieve.conditional_test(X, y, binning="none", tree="chain")


def test_one_class_and_determined_columns():
    X, y = copies()
    with pytest.raises(ValueError, match=r"^the target 'y' has one class only"):
        bitsieve.conditional_test(X, np.zeros(len(X)), binning="none")
    with pytest.raises(ValueError, match="a target is needed here"):
        bitsieve.conditional_test(X, None, binning="none")
    X[:, 1] = X[:, 0]
    test = bitsieve.conditional_test(X, y, binning="none")
    assert test.p[:2].tolist() == [1.0, 1.0]
    assert [(note.code, note.columns) for note in test.diagnostics] == [("untested", ("x0", "x1"))]
    chosen = bitsieve.select(X, y, stopping="conditional", binning="none")
    assert test.notes[0] in chosen.notes
    assert chosen.selector.stopping_untested_.tolist() == [0, 1]
    none = bitsieve.select(X, y, stopping="knockoffs", binning="none")
    assert none.to_dict()["stopping"]["candidate"] is None
    (note,) = [note for note in none.notes if note.startswith("stopped after 0 features by knockoffs: ")]
    assert "next was" not in note
    assert note.endswith(
        "(knockoffs select at least 10 columns, or none); if fewer are relevant, use stopping='conditional'"
    )
    few = bitsieve.conditional_test(np.arange(24).reshape(8, 3), [0, 1] * 4, binning="none")  # a code a row
    assert len(few.selected) == 0


def test_copies_are_found_beside_a_column_of_many_codes():
    X, y = copies()
    test = bitsieve.conditional_test(np.column_stack([np.arange(len(X)), X]), y, binning="none")
    assert sorted(test.selected.tolist()) == [1, 3, 5]


def test_weights_are_repeated_rows():
    X, y = copies(2, 200)
    weights = np.random.default_rng(0).integers(1, 3, 200)
    weighed = bitsieve.conditional_test(X, y, binning="none", sample_weight=weights)
    repeated = bitsieve.conditional_test(np.repeat(X, weights, axis=0), np.repeat(y, weights), binning="none")
    assert weighed.p.tolist() == repeated.p.tolist()


@pytest.mark.slow("a selection by shuffles within strata")
def test_a_list_from_bins_that_looked_at_the_class_says_so():
    X, y = load_breast_cancer(return_X_y=True)
    notes = {}
    for binning in ("mdl", "quantile"):
        chosen = bitsieve.select(X, y, n_features_to_select="auto", stopping="conditional", binning=binning)
        notes[binning] = [note for note in chosen.notes if "the bins were made with the target" in note]
    assert len(notes["mdl"]) == 1
    assert "binning='quantile'" in notes["mdl"][0]
    assert not notes["quantile"]


def test_a_selection_says_what_a_reader_may_conclude(tmp_path):
    X, y = copies()
    chosen = bitsieve.select(X, y, n_features_to_select="auto", stopping="conditional", binning="none")
    assert any("relevant given all other columns" in note for note in chosen.notes)
    stopping = json.loads(json.dumps(chosen.to_dict()))["stopping"]
    assert stopping["given"][chosen.features.index("x0")] == ["x1"]
    assert len(stopping["values"]) == 3
    frame, of_json = chosen.to_frame(), chosen.to_dict()["features"]
    assert frame["least_level"].tolist() == [of["least_level"] for of in of_json] == stopping["values"]
    joined = [", ".join(names) for names in stopping["given"]]
    assert frame["neighbours"].tolist() == [of["neighbours"] for of in of_json] == joined
    report = tmp_path / "report.html"
    bitsieve.write_report(chosen, report)
    page = report.read_text(encoding="utf-8")
    assert "neighbours in the tree" in page
    assert stopping["each_is"].startswith("relevant given all other columns")
    assert f"Each is {stopping['each_is']}." in page
    assert ">0; of the shuffles in this report 0<" in page  # the seed of the rule
    level = f"{chosen.fit.result.stopping.values[0]:.3g}"
    header, first = str(chosen).splitlines()[:2]
    assert header.endswith("least level  neighbours in the tree")
    assert first.split()[-2:] == [level, f"x{chosen.indices[0] + 1}"]
    assert "neighbours in the tree" in chosen._repr_html_()


def test_a_rule_without_a_tree_says_its_levels_and_others_say_none():
    X, y = copies()
    by_fdr, by_p = (bitsieve.select(X, y, stopping=rule, binning="none") for rule in ("fdr", "significance"))
    level = f"{by_fdr.fit.result.stopping.values[0]:.3g}"
    header, first = str(by_fdr).splitlines()[:2]
    assert header.endswith("overlap (bits)  least level")
    assert first.split()[-1] == level
    assert by_fdr.to_dict()["stopping"]["each_is"].startswith("relevant, alone and beside")
    assert "least_level" in by_fdr.to_frame().columns
    assert "least_level" not in by_p.to_frame().columns
    assert "least level" not in str(by_p)
    assert "each_is" not in by_p.to_dict()["stopping"]


def test_fdr_says_what_it_assumes_where_columns_depend_on_each_other():
    X, y = copies()
    random = np.random.default_rng(1)
    X[:, 6] = np.where(random.random(500) < 0.6, X[:, 0], X[:, 6])
    y = (X[:, [0, 2, 4, 6]].sum(axis=1) + random.normal(size=500) > 4).astype(int)
    chosen = bitsieve.select(X, y, n_features_to_select="auto", stopping="fdr", binning="none")
    assert {"x0", "x6"} <= set(chosen.features)
    assert any("'x6' and 'x0' share" in note or "'x0' and 'x6' share" in note for note in chosen.notes)
    assert any("stopping='conditional'" in note for note in chosen.notes)
    safe = bitsieve.FalseDiscoveryStopping(adjust="benjamini-yekutieli")
    chosen = bitsieve.select(X, y, n_features_to_select="auto", stopping=safe, binning="none")
    assert not any("share" in note for note in chosen.notes)
