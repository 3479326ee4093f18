"""An interrupted comparison goes on where it stopped, and its table is that of an uninterrupted one."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import RadiusNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from tests.cover import quick_and_slow

import bitsieve
from bitsieve import Constraints, ForwardSelector
from bitsieve.dataset.read import read_data
from bitsieve.evaluate import run
from bitsieve.evaluate.checkpoint import Checkpoint, remove
from bitsieve.evaluate.plan import ComparisonOptions, make_plan
from bitsieve.io import output
from bitsieve.metrics.fold_scores import Scored
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions

X, Y = load_wine(return_X_y=True)
ASKED = {"methods": ["mim", "jmi"], "features": range(1, 5), "classifier": "ncm", "folds": 6}


def without_seconds(comparison):
    return comparison.table().drop_columns(["seconds_selecting", "seconds_classifying"])


@pytest.mark.parametrize(
    ("n_jobs", "protocol"),
    quick_and_slow(
        product([1, 2], ["nested", "paper"]),
        quick={(1, "nested"), (2, "paper")},
        reason="the same folds by the other protocol",
    ),
)
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
    finished = len(list(path.iterdir()))
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


def test_another_comparison_is_refused(tmp_path):
    path = tmp_path / "folds"
    bitsieve.compare(X, Y, **ASKED, checkpoint=path)
    changed = X.copy()
    changed[3, 2] += 1
    for data, asked in (
        (changed, ASKED),
        (X, ASKED | {"classifier": "knn"}),
        (X, ASKED | {"features": [2]}),
        (X, ASKED | {"methods": "mim"}),
        (X, ASKED | {"methods": ASKED["methods"][::-1]}),
        (X, ASKED | {"random_state": 1}),
        (X, ASKED | {"folds": 5}),
        (X, ASKED | {"protocol": "paper"}),
    ):
        with pytest.raises(ValueError, match=rf"^the checkpoint '{path}' is of another comparison: delete it, or give"):
            bitsieve.compare(data, Y, **asked, checkpoint=path)


def test_other_classes_of_a_quantity_are_another_comparison(tmp_path):
    asked = {"methods": ["mim"], "features": [2], "folds": 4, "checkpoint": tmp_path / "folds"}
    bitsieve.compare(X[:, 1:], X[:, 0], **asked)
    with pytest.raises(ValueError, match="of another comparison"):
        bitsieve.compare(X[:, 1:], X[:, 0], **asked, target_bins=5)


def plan_of(X=X, **asked):
    options = ComparisonOptions(**{"features": range(1, 5), "classifier": "ncm", "folds": 6, **asked})
    discretization = DiscretizationOptions(binning=None)
    return make_plan(read_data(X, ReadOptions(target=Y)), options, ColumnOptions(), discretization, ExecutionOptions())


def keep_a_fold(path, plan):
    """Keep one fold as finished, with zeros as its results."""
    Checkpoint(path, plan).add(0, dict.fromkeys(plan.selectors, zero_scores(plan)))


def zero_scores(plan, **others):
    """Results of one method, all of them zeros but the ``others``."""
    zeros = np.zeros(len(plan.counts))
    scored = Scored(np.zeros(0, int), zeros, zeros, zeros, 0.0, 0.0)
    return replace(scored, **others)


OTHER_RESULTS = {
    "no values": {"errors": np.zeros(0)},
    "a number in place of values": {"redundancy": 3.0},
    "text": {"separability": np.array(["a", "b", "c", "d"])},
    "columns in two dimensions": {"selected": np.zeros((1, 4), int)},
    "columns that are fractions": {"selected": np.array([0.5])},
    "a column behind the last": {"selected": np.array([X.shape[1]])},
    "a column before the first": {"selected": np.array([-1])},
    "several times to select": {"seconds_selecting": np.zeros(2)},
    "several times to classify": {"seconds_classifying": np.zeros(2)},
}


@pytest.mark.parametrize("others", OTHER_RESULTS.values(), ids=OTHER_RESULTS)
def test_results_that_no_fold_has_are_damage(tmp_path, others):
    plan = plan_of(methods=["mim"])
    Checkpoint(tmp_path / "folds", plan).add(0, {"mim": zero_scores(plan)})
    assert list(Checkpoint(tmp_path / "folds", plan).finished) == [0]
    Checkpoint(tmp_path / "folds", plan).add(0, {"mim": zero_scores(plan, **others)})
    with pytest.raises(ValueError, match="is damaged") as caught:
        Checkpoint(tmp_path / "folds", plan)
    assert caught.value.code == "damaged-file"


def test_a_fold_that_the_comparison_does_not_have_is_damage(tmp_path):
    plan = plan_of(methods=["mim"])
    Checkpoint(tmp_path / "folds", plan).add(len(plan.folds), {"mim": zero_scores(plan)})
    with pytest.raises(ValueError, match="is damaged"):
        Checkpoint(tmp_path / "folds", plan)


def test_settings_are_compared_to_their_ends(tmp_path):
    """Two lists of 150 names that differ in the last: scikit-learn's repr is cut long before."""
    names = [f"a_long_name_of_a_column_{j}" for j in range(150)]
    path = tmp_path / "folds"
    selectors = [
        ForwardSelector(4, constraints=Constraints(exclude=(*names[:-1], last))) for last in (names[-1], "another")
    ]
    assert repr(selectors[0]) == repr(selectors[1])
    keep_a_fold(path, plan_of(methods={"jmi": selectors[0]}))
    Checkpoint(path, plan_of(methods={"jmi": ForwardSelector(2, constraints=Constraints(exclude=tuple(names)))}))
    with pytest.raises(ValueError, match="of another comparison"):
        Checkpoint(path, plan_of(methods={"jmi": selectors[1]}))


def test_long_arrays_and_nested_settings_are_compared_to_their_ends(tmp_path):
    one, other = np.arange(2000), np.arange(2000)
    other[1000] = 0
    assert repr(one) == repr(other)
    for number, (first, second) in enumerate(
        [
            (RadiusNeighborsClassifier(outlier_label=one), RadiusNeighborsClassifier(outlier_label=other)),
            (make_pipeline(StandardScaler(), LogisticRegression(C=1)), make_pipeline(StandardScaler(), SVC(C=1))),
            (make_pipeline(LogisticRegression(C=1)), make_pipeline(LogisticRegression(C=2))),
        ]
    ):
        path = tmp_path / str(number)
        keep_a_fold(path, plan_of(classifier=first))
        Checkpoint(path, plan_of(classifier=clone(first)))
        with pytest.raises(ValueError, match="of another comparison"):
            Checkpoint(path, plan_of(classifier=second))


@pytest.mark.slow("a process that compares over folds")
def test_the_same_question_in_another_process(tmp_path):
    """Hashes of text differ from process to process; the fingerprint does not."""
    script = (
        "import sys; from sklearn.datasets import load_wine; import bitsieve\n"
        "X, y = load_wine(return_X_y=True)\n"
        "bitsieve.compare(X, y, methods=['mim', 'jmi'], features=range(1, 5), classifier='ncm', folds=6,"
        " checkpoint=sys.argv[1])"
    )
    path = tmp_path / "folds"
    subprocess.run([sys.executable, "-c", script, str(path)], check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    assert len(Checkpoint(path, plan_of(methods=["mim", "jmi"])).finished) == 6


def test_names_and_versions_belong_to_the_question(tmp_path, monkeypatch):
    path = tmp_path / "folds"
    frames = [load_wine(as_frame=True).data, load_wine(as_frame=True).data.rename(columns={"ash": "ashes"})]
    keep_a_fold(path, plan_of(frames[0]))
    with pytest.raises(ValueError, match="of another comparison"):
        Checkpoint(path, plan_of(frames[1]))
    monkeypatch.setattr(bitsieve, "__version__", "0.0.1")
    with pytest.raises(ValueError, match="of another comparison"):
        Checkpoint(path, plan_of(frames[0]))


def test_what_cannot_be_told_apart_is_refused(tmp_path):
    classifier = make_pipeline(FunctionTransformer(lambda X: X), LogisticRegression())
    with pytest.raises(ValueError, match=r"^finished folds cannot be kept, .*lambda"):
        Checkpoint(tmp_path / "folds", plan_of(classifier=classifier))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow("a comparison for each kind of damage")
def test_damaged_files_are_refused_or_done_again(tmp_path):
    """Whatever happens to a file: one line that says so, or finished folds that are the true ones."""
    path, other = tmp_path / "folds", tmp_path / "other"
    plan = plan_of(methods=["mim"])
    bitsieve.compare(X, Y, **ASKED | {"methods": ["mim"]}, checkpoint=path)
    bitsieve.compare(X, Y, **ASKED | {"methods": ["mim"], "random_state": 7}, checkpoint=other)
    file = path / "fold-3.npz"
    whole, foreign, another = file.read_bytes(), (other / "fold-3.npz").read_bytes(), (path / "fold-2.npz").read_bytes()
    true = {fold: vars(scored["mim"]) for fold, scored in Checkpoint(path, plan).finished.items()}
    assert sorted(true) == [0, 1, 2, 3, 4, 5]
    for fold in (0, 1, 4, 5):
        (path / f"fold-{fold}.npz").unlink()
    random = np.random.default_rng(18)
    refused: list[str] = []
    for trial in range(402):
        data = bytearray(whole)
        at, length = int(random.integers(len(data))), int(random.integers(1, 60))
        match trial % 5 if trial < 400 else trial - 395:
            case 0:
                data[at] ^= int(random.integers(1, 256))
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = random.bytes(length)
            case 3:
                del data[at:]
            case 4:
                data[at : at + 1] = b"0" if data[at : at + 1] != b"0" else b"1"
            case 5:
                data = bytearray(foreign)
            case 6:
                data = bytearray(another)
        file.write_bytes(data)
        try:
            finished = Checkpoint(path, plan).finished
        except ValueError as error:
            refused.append(str(error))
            continue
        assert trial != 400
        assert trial != 401 or 3 not in finished  # the second fold is itself and no other
        for fold, scored in finished.items():
            for name, value in vars(scored["mim"]).items():
                np.testing.assert_array_equal(value, true[fold][name])
    assert 300 < len(refused) < 550
    assert all("\n" not in message and ("damaged" in message or "another comparison" in message) for message in refused)


def test_a_damaged_file_can_be_deleted(tmp_path):
    path = tmp_path / "folds"
    whole = bitsieve.compare(X, Y, **ASKED, checkpoint=path)
    file = path / "fold-2.npz"
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(ValueError, match=r"^the finished fold '.*fold-2.npz' is damaged: delete it, so that"):
        bitsieve.compare(X, Y, **ASKED, checkpoint=path)
    file.unlink()
    (path / ".bitsieve-0123456789abcdef.tmp").write_bytes(b"of a process that was killed while it wrote")
    assert without_seconds(bitsieve.compare(X, Y, **ASKED, checkpoint=path)).equals(without_seconds(whole))
    remove(path)
    assert not path.exists()


def test_a_full_disk_leaves_whole_files(tmp_path, monkeypatch):
    path = tmp_path / "folds"
    plan = plan_of(methods=["mim"])
    bitsieve.compare(X, Y, **ASKED | {"methods": ["mim"], "folds": 6}, checkpoint=path)
    kept = Checkpoint(path, plan)
    before = (path / "fold-3.npz").read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output.os, "fsync", full)
    with pytest.raises(ValueError, match=r"^cannot write '.*fold-3.npz': No space left on device$"):
        kept.add(3, kept.finished[3])
    assert (path / "fold-3.npz").read_bytes() == before
    assert len(list(path.iterdir())) == 6


def test_what_is_no_checkpoint_is_left_alone(tmp_path):
    old = tmp_path / "errors.csv.folds"  # as earlier versions wrote it: a line of JSON each, after its digest
    old.write_text(f'{"0" * 64} {{"methods": {{"mim": "1"}}}}\n')
    with pytest.raises(ValueError, match=r"cannot be the folder of a checkpoint \(File exists\): give a new") as caught:
        bitsieve.compare(X, Y, **ASKED, checkpoint=old)
    assert "\n" not in str(caught.value)
    letters = tmp_path / "letters"
    letters.mkdir()
    (letters / "letter.txt").write_text("Dear reader,\n")
    with pytest.raises(ValueError, match=r"is no checkpoint of a comparison, it holds 'letter.txt'"):
        bitsieve.compare(X, Y, **ASKED, checkpoint=letters)
    remove(letters)
    assert (letters / "letter.txt").read_text() == "Dear reader,\n"
    with pytest.raises(ValueError, match=r"missing.folds' cannot be the folder of a checkpoint \(No such"):
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
    with pytest.raises(ValueError, match="of another comparison"):
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
