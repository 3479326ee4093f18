"""A selection shown: notes as warnings of one class, below the printed table, in HTML; the ranking as a data frame."""

from __future__ import annotations

import html
import re
import warnings

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris

import bitsieve
from bitsieve.utils import note_warnings

Y = ["no", "yes"] * 6


def table_with_notes():
    return pa.table({"good": [0, 1] * 6, "flat": [7] * 12, "<b>&": [0, 0, 1] * 4})


def test_every_note_is_a_warning_of_one_class_at_the_users_line():
    with pytest.warns(bitsieve.BitsieveWarning) as caught:
        selection = bitsieve.select(table_with_notes(), Y, binning="none")
    assert [str(warning.message) for warning in caught] == selection.notes
    assert any("'flat' is constant" in note for note in selection.notes)
    assert {warning.filename for warning in caught} == {__file__}


def test_one_filter_makes_notes_errors_or_silences_them():
    with warnings.catch_warnings():
        warnings.simplefilter("error", bitsieve.BitsieveWarning)
        with pytest.raises(bitsieve.BitsieveWarning):
            bitsieve.select(table_with_notes(), Y, binning="none")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", bitsieve.BitsieveWarning)
        bitsieve.ForwardSelector(binning="none").fit(table_with_notes(), Y)


def test_fit_and_compare_give_notes_of_the_same_class():
    with pytest.warns(bitsieve.BitsieveWarning, match="fewer than the 9 requested"):
        bitsieve.ForwardSelector(9, binning="none").fit(table_with_notes(), Y)
    X, y = np.random.default_rng(0).normal(size=(40, 4)), [0, 1] * 20
    with pytest.warns(bitsieve.BitsieveWarning) as caught:
        comparison = bitsieve.compare(X, y, methods=["mim"], features=[2, 9], classifier="ncm", folds=2)
    assert [str(warning.message) for warning in caught] == comparison.notes
    assert str(comparison).splitlines()[-1] == "note: see the warnings; .diagnostics has all notes (1)"


def test_print_shows_the_notes_below_the_table():
    selection = bitsieve.select(table_with_notes(), Y, binning="none")
    lines = str(selection).splitlines()
    assert lines[0].startswith("rank  feature")
    assert lines[len(selection.features) + 2 :] == [f"note: {note}" for note in selection.notes]


def test_html_holds_every_cell_and_note_and_leaves_names_text():
    selection = bitsieve.select(table_with_notes(), Y, binning="none", n_features_to_select=3)
    html = selection._repr_html_()
    assert "<b>&" not in html
    assert "&lt;b&gt;&amp;" in html
    assert html.count("<tr>") == 4
    assert html.count("<li>") == len(selection.notes) > 0
    tags = re.findall(r"<(/?)(\w+)", re.sub(r"<[^<>]*/>", "", html))  # without elements that close themselves
    for tag in {name for _, name in tags}:
        assert tags.count(("", tag)) == tags.count(("/", tag))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_to_frame_of_any_data(library):
    module = pytest.importorskip(library)
    data = table_with_notes()
    given = {"pandas": data.to_pandas, "polars": lambda: module.DataFrame(data.to_pydict()), "pyarrow": lambda: data}
    selection = bitsieve.select(given[library](), Y, binning="none", n_features_to_select=2)
    frame = selection.to_frame()
    assert type(frame).__module__.partition(".")[0] == "pandas"
    columns = {name: list(frame[name].to_numpy()) for name in ("rank", "feature", "index", "score")}
    assert columns["rank"] == [1, 2]
    assert columns["feature"] == selection.features
    assert columns["index"] == selection.indices.tolist()
    assert columns["score"] == selection.scores.tolist()


class Shell:
    """As much of the shell of a notebook as is asked for: ``run`` runs a cell."""

    kernel = "one"

    def __init__(self):
        self.after, self.events = [], self

    def register(self, event, function):
        assert event == "post_run_cell"
        if function not in self.after:
            self.after.append(function)

    def run(self, cell):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            shown = cell()
            for function in self.after:
                function(None)
        return shown, [str(warning.message) for warning in caught]


@pytest.fixture
def shell(monkeypatch):
    shell = Shell()
    monkeypatch.setattr(note_warnings, "notebook", lambda: shell)
    return shell


def test_in_a_notebook_each_note_is_given_once(shell):
    def select():
        return bitsieve.select(table_with_notes(), Y, binning="none")

    selection, warned = shell.run(select)
    assert warned == selection.notes  # nothing else showed them
    for show in (lambda s: s._repr_html_(), str):
        text, warned = shell.run(lambda show=show: show(select()))
        assert warned == []
        assert all(note in html.unescape(text) for note in selection.notes)
    _, warned = shell.run(lambda: [select()._repr_html_(), select()])
    assert warned == selection.notes  # of the second, which was not shown
    with warnings.catch_warnings():
        warnings.simplefilter("error", bitsieve.BitsieveWarning)
        with pytest.raises(bitsieve.BitsieveWarning):
            select()


def test_every_result_has_a_display():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.rename(columns={"sepal width (cm)": "<b>sepal</b>"})
    selection = bitsieve.select(X, y, n_features_to_select=2)
    explained = selection.explain("<b>sepal</b>")
    comparison = bitsieve.compare(X, y, methods=["mim", "jmi"], features=[1, 2, 9], classifier="ncm", folds=3)
    how_many = bitsieve.how_many(X, y, classifier="ncm", folds=3, n_pairs=5)
    for result, parts in (
        (explained, ["is not selected", f"{explained.relevance:.4f}", "relevance"]),
        (comparison, [str(comparison.choice()), "jmi", "(majority class)", *comparison.notes]),
        (how_many, [answer.rule for answer in how_many.answers]),
    ):
        shown = result._repr_html_()
        assert "<b>" not in shown
        assert all(html.escape(part) in shown for part in parts)
        tags = re.findall(r"<(/?)(\w+)", shown)
        for tag in {name for _, name in tags}:
            assert tags.count(("", tag)) == tags.count(("/", tag))
