"""Callbacks of scikit-learn follow the phases of a fit, and change nothing in it."""

from __future__ import annotations

import pickle

import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from bitsieve import BitsieveWarning, ForwardSelector, SelectorCV, SpecCMI, StabilitySelector
from bitsieve.selectors.callbacks import MAX_SUBTASKS, PhaseTasks
from bitsieve.utils.progress import PhaseProgress

pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")
X, Y = load_iris(return_X_y=True)


class Recorder:
    """Keeps which task began and ended; its parts are counted."""

    def __init__(self):
        self.events = []

    def setup(self, estimator, context):
        self.events.append("setup")

    def on_fit_task_begin(self, estimator, context):
        if context.max_subtasks != 0:
            self.events.append(f"{context.task_name} begins")

    def on_fit_task_end(self, estimator, context):
        if context.max_subtasks == 0:
            self.events.append(context.task_name)
        else:
            self.events.append(f"{context.task_name} ends")

    def teardown(self, estimator, context):
        self.events.append("teardown")


def test_the_steps_of_every_phase_are_tasks():
    recorder = Recorder()
    followed = ForwardSelector(3).set_callbacks(recorder).fit(X, Y)
    events = recorder.events
    assert events[:2] == ["setup", "fit begins"]
    assert events[-2:] == ["fit ends", "teardown"]
    ranking = events[events.index("ranking begins") : events.index("ranking ends")]
    assert ranking == ["ranking begins", "ranking", "ranking", "ranking"]
    plain = ForwardSelector(3).fit(X, Y)
    assert followed.selected_.tolist() == plain.selected_.tolist()
    assert followed.scores_.tolist() == plain.scores_.tolist()


@pytest.mark.parametrize(
    "selector", [SpecCMI(2), SelectorCV(folds=3), StabilitySelector(ForwardSelector(1), n_pairs=2)]
)
def test_every_task_ends(selector):
    recorder = Recorder()
    selector.set_callbacks(recorder).fit(X, Y)
    begun = [event.removesuffix(" begins") for event in recorder.events if event.endswith(" begins")]
    ended = [event.removesuffix(" ends") for event in recorder.events if event.endswith(" ends")]
    assert "fit" in begun
    assert sorted(begun) == sorted(ended)
    assert recorder.events[-1] == "teardown"


@pytest.mark.parametrize("callbacks", [(), (Recorder(),)])
def test_notes_point_to_the_line_of_the_user(callbacks):
    with pytest.warns(BitsieveWarning, match="fewer than the 9") as caught:
        ForwardSelector(9).set_callbacks(*callbacks).fit(X, Y)
    assert caught[0].filename == __file__


def test_a_fit_that_fails_ends_its_callbacks():
    recorder = Recorder()
    with pytest.raises(ValueError, match="criterion"):
        ForwardSelector(3, criterion="none").set_callbacks(recorder).fit(X, Y)
    assert recorder.events == ["setup", "fit begins", "teardown"]


def test_a_long_phase_has_a_task_every_hundredth():
    class Task:
        def __init__(self):
            self.parts = []

        def subcontext(self, name, max_subtasks):
            self.parts.append(Task())
            self.n_parts = max_subtasks
            return self.parts[-1]

        def call_on_fit_task_begin(self, estimator):
            return self

        def call_on_fit_task_end(self, estimator):
            pass

    fit = Task()
    phases = PhaseTasks(None, fit)
    phases.report(PhaseProgress("reading"))
    for done in (1, 500, 900, 1000, 1000):
        phases.report(PhaseProgress("reading", done, 1000, 1.0))
        assert len(fit.parts[0].parts) == -(-done * MAX_SUBTASKS // 1000)
    phases.report(PhaseProgress("reading"))
    phases.report(PhaseProgress("reading", 1, 2, 1.0))
    assert [len(each.parts) for each in fit.parts] == [MAX_SUBTASKS, 1]


def test_a_progress_bar_of_a_search(capsys):
    pytest.importorskip("rich", reason="scikit-learn draws its bars with rich")
    from sklearn.callback import ProgressBar

    model = make_pipeline(ForwardSelector(2), LogisticRegression(max_iter=1000))
    search = GridSearchCV(model, {"forwardselector__n_features_to_select": [1, 2]}, cv=3)
    search.set_callbacks(ProgressBar(max_propagation_depth=None)).fit(X, Y)
    assert "ForwardSelector" in capsys.readouterr().out


def test_callbacks_are_cloned_and_the_fitted_selector_is_pickled():
    again = clone(ForwardSelector(2).set_callbacks(Recorder()))
    fitted = again.fit(X, Y)
    assert pickle.loads(pickle.dumps(fitted.set_callbacks())).selected_.tolist() == fitted.selected_.tolist()
