"""A selection shown: notes as warnings of one class, below the printed table, in HTML; the ranking as a data frame."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pyarrow as pa
import pytest

import bitsieve

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
    with pytest.warns(bitsieve.BitsieveWarning, match="fewer than the default of 10"):
        bitsieve.ForwardSelector(binning="none").fit(table_with_notes(), Y)
    X, y = np.random.default_rng(0).normal(size=(40, 4)), [0, 1] * 20
    with pytest.warns(bitsieve.BitsieveWarning) as caught:
        comparison = bitsieve.compare(X, y, methods=["mim"], features=[2, 9], classifier="ncm", folds=2)
    assert [str(warning.message) for warning in caught] == comparison.notes
    assert str(comparison).splitlines()[-len(comparison.notes) :] == [f"note: {note}" for note in comparison.notes]


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
    tags = re.findall(r"<(/?)(\w+)", html)
    for tag in {name for _, name in tags}:
        assert tags.count(("", tag)) == tags.count(("/", tag))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_to_frame_is_of_the_library_of_the_data(library):
    module = pytest.importorskip(library)
    data = table_with_notes()
    given = {"pandas": data.to_pandas, "polars": lambda: module.DataFrame(data.to_pydict()), "pyarrow": lambda: data}
    selection = bitsieve.select(given[library](), Y, binning="none", n_features_to_select=2)
    frame = selection.to_frame()
    assert type(frame).__module__.partition(".")[0] == library
    columns = {name: list(frame[name].to_numpy()) for name in ("rank", "feature", "index", "score")}
    assert columns["rank"] == [1, 2]
    assert columns["feature"] == selection.features
    assert columns["index"] == selection.indices.tolist()
    assert columns["score"] == selection.scores.tolist()
