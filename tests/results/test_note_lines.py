"""The notes that are shown: a few short lines, once, the most important first, of fifteen kinds of tables."""

from __future__ import annotations

import html
import pickle
import warnings

import numpy as np
import pandas as pd
import pyarrow.csv
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from tests.cover import quick_and_slow
from tests.kinds_of_tables import KINDS, table_of

import bitsieve
from bitsieve import Diagnostic, Diagnostics, ForwardSelector
from bitsieve.cli import main
from bitsieve.cli.wording import Wording
from bitsieve.codes import CODES
from bitsieve.utils.note_lines import MAX_LETTERS, MAX_LINES, as_lines

MAX_LETTERS_OF_LINE = 160

kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def check_lines(lines, n_notes):
    """At most three lines of 160 letters, which say how many notes they leave out."""
    assert (len(lines) > 0) == (n_notes > 0)
    assert len(lines) <= MAX_LINES, lines
    assert max(map(len, lines), default=0) <= MAX_LETTERS_OF_LINE, lines


@kinds
def test_select_gives_at_most_three_short_lines(kind):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", bitsieve.BitsieveWarning)
        selection = bitsieve.select(table_of(kind), "y")
    check_lines([str(warning.message) for warning in caught], len(selection.diagnostics))
    check_lines(str(selection.diagnostics).splitlines(), len(selection.diagnostics))


@pytest.mark.parametrize(
    "kind",
    quick_and_slow(KINDS, quick=KINDS[::4], reason="the same lines as those of select"),
    ids=lambda kind: kind.__name__,
)
def test_the_command_gives_at_most_three_short_lines_and_all_with_verbose(kind, tmp_path, capsys):
    path = str(tmp_path / "table.csv")
    pyarrow.csv.write_csv(table_of(kind), path)
    assert main(["select", path, "--target", "y"]) == 0
    lines = note_lines(capsys)
    assert main(["select", path, "--target", "y", "--verbose"]) == 0
    all_lines = note_lines(capsys)
    check_lines(lines, len(all_lines))
    assert len(all_lines) >= len(lines)
    assert main(["select", path, "--target", "y", "--quiet", "--verbose"]) == 0
    assert note_lines(capsys) == []


def note_lines(capsys):
    return [line for line in capsys.readouterr().err.splitlines() if ": note: " in line]


def text_read(name):
    return Diagnostic(
        code="text-read",
        message=f"column {name!r} holds text",
        advice="to keep it, add {column_types}",
        fix={"column_types": {name: "category"}},
        columns=(name,),
    )


LEAK = Diagnostic(code="leak", message="'x' determines 99 % of 'y'", columns=("x",), severity="warning")
STOPPED = Diagnostic(code="stopped-at", message="stopped after 2 features", columns=("z",))


def test_warnings_come_first_and_columns_of_one_code_are_one_line():
    notes = [*map(text_read, "abcd"), STOPPED, LEAK]
    diagnostics = Diagnostics(notes)
    assert diagnostics.lines() == [
        "'x' determines 99 % of 'y'",
        "stopped after 2 features",
        "4 columns hold text that is read as numbers or times: 'a', 'b', 'c' and 1 more; to keep it, add "
        "column_types={'COLUMN': 'category'}",
    ]
    assert str(diagnostics).splitlines() == [f"note: {line}" for line in diagnostics.lines()]
    assert diagnostics == notes


def test_the_fix_of_a_line_settles_all_columns():
    with pytest.warns(bitsieve.BitsieveWarning) as caught:
        Diagnostics([text_read("a"), text_read("b")]).warn()
    (diagnostic,) = (warning.message.diagnostic for warning in caught)
    assert (diagnostic.code, diagnostic.columns) == ("text-read", ("a", "b"))
    assert diagnostic.fix == {"column_types": {"a": "category", "b": "category"}}


def test_notes_of_one_code_without_columns_are_counted():
    notes = Diagnostics([Diagnostic(code="no-names", message=f"file {number} has no names") for number in range(3)])
    assert notes.lines() == ["file 0 has no names (and 2 other notes of this kind)"]


def test_the_last_line_says_how_many_notes_there_are_besides():
    codes = ["rows-without-target", "missing-kept", "text-read", "many-values", "constant"]
    notes = Diagnostics([Diagnostic(code=code, message=code) for code in reversed(codes)])
    assert notes.lines() == ["rows-without-target", "missing-kept", "text-read (and 2 more notes: see .diagnostics)"]


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("many words " * 20, "many words " * 12 + "many ..."),
        (
            "many words " * 10 + "(none matters) at all, " * 2,
            "many words " * 10 + "(none matters) at all ...",
        ),
        ("short, " + "many words " * 20, "short, " + "many words " * 12 + "..."),
    ],
)
def test_a_long_text_ends_with_a_clause_or_else_with_a_word(message, line):
    assert Diagnostics([Diagnostic(code="other", message=message)]).lines() == [line]


@pytest.mark.parametrize("name", ["a", "b" * 20, "c" * 200])
def test_a_long_text_loses_names_then_values_then_advice_and_is_cut_at_last(name):
    (line,) = Diagnostics([text_read(name)]).lines()
    assert len(line) <= MAX_LETTERS
    assert line.startswith(f"column {name!r}" if len(name) <= 20 else f"column '{name[:21]}...'")
    (cut,) = Diagnostics([Diagnostic(code="other", message="m" * 500, advice="do it")]).lines()
    assert cut == "m" * (MAX_LETTERS - 4) + " ..."


def test_the_frame_has_a_row_for_each_note_by_importance():
    frame = Diagnostics([STOPPED, text_read("a"), LEAK]).to_frame("pandas")
    assert list(frame.columns) == ["code", "severity", "columns", "message", "fix"]
    assert list(frame["code"]) == ["leak", "stopped-at", "text-read"]
    assert list(frame["fix"]) == ["", "", "column_types={'a': 'category'}"]
    assert list(frame["columns"]) == ["x", "z", "a"]
    assert Diagnostics().to_frame("pyarrow").num_rows == 0


def test_what_warnings_have_shown_is_not_printed_again():
    X = pd.DataFrame({"a": [0, 1] * 6, "flat": [7] * 12})
    y = ["no", "yes"] * 6
    with pytest.warns(bitsieve.BitsieveWarning):
        warned = bitsieve.select(X, y, binning="none")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bitsieve.BitsieveWarning)
        silent = bitsieve.select(X, y, binning="none")
    assert str(warned).splitlines()[-1] == f"note: see the warnings; .diagnostics has all notes ({len(warned.notes)})"
    assert str(silent).splitlines()[-1] == f"note: {silent.diagnostics.lines()[-1]}"
    assert str(pickle.loads(pickle.dumps(warned))) == str(silent)
    assert warned == silent


def test_a_shortened_note_has_a_value_for_each_parameter():
    names = [f"concentration of substance {i}" for i in range(40)]
    for fix in ({"column_types": dict.fromkeys(names, "number")}, {"exclude": names}):
        (parameter,) = fix
        advice = f"to change that add {{{parameter}}}"
        note = Diagnostic(code="text-read", message="there are marks", advice=advice, fix=fix, columns=names)
        (line,) = as_lines([note], Wording("select").setting, "-v")
        assert line.message.endswith(("--column-type COLUMN=number", "--exclude COLUMN"))
        assert line.fix == fix


def table_with_identifier(n_rows=60):
    random = np.random.default_rng(0)
    y = np.arange(n_rows) % 2
    return pd.DataFrame({"row": np.arange(n_rows), "flag": y, "noise": random.normal(size=n_rows)}), y


def test_a_search_warns_of_each_code_once_at_the_line_of_the_user():
    X, y = table_with_identifier()
    pipeline = make_pipeline(ForwardSelector(1), GaussianNB())
    search = GridSearchCV(pipeline, {"forwardselector__n_features_to_select": [1, 2]}, cv=3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", bitsieve.BitsieveWarning)
        search.fit(X, y)
    assert [warning.message.diagnostic.code for warning in caught] == ["identifier-dropped"]
    assert caught[0].filename == __file__


def test_fit_warns_of_what_select_notes_of_the_data():
    X, y = table_with_identifier()
    X["gap"] = np.where(X["noise"] > 0, X["noise"], np.nan)
    X["price"] = [f"{value:.2f} EUR" for value in X["noise"]]
    with pytest.warns(bitsieve.BitsieveWarning) as caught:
        fitted = ForwardSelector(1).fit(X, y)
    codes = [warning.message.diagnostic.code for warning in caught]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bitsieve.BitsieveWarning)
        selection = bitsieve.select(X, y, n_features_to_select=1)
    codes_of_selection = [note.code for note in selection.diagnostics]
    assert {"missing-kept", "identifier-dropped"} <= {*codes} <= {*codes_of_selection}
    assert [note.code for note in fitted.diagnostics_] == codes_of_selection


def test_html_keeps_what_the_text_cautions_of():
    X, y = table_with_identifier()
    comparison = bitsieve.compare(X, y, methods=["mim"], features=[1, 2], classifier="ncm", folds=3)
    shown = html.unescape(comparison._repr_html_())
    assert str(comparison.outer()) in shown
    assert all(line in shown for line in comparison.diagnostics.lines())
    selection = bitsieve.select(X, y, method="cmi", n_features_to_select="auto", stopping="fdr")
    assert "least level: the smallest level" in html.unescape(selection._repr_html_())


def test_html_hides_no_note():
    notes = Diagnostics([text_read("a"), text_read("b"), LEAK, STOPPED])
    shown = html.unescape(notes._repr_html_())
    assert "<summary>All notes (4)</summary>" in shown
    assert all(str(note) in shown for note in notes)
    assert "<details>" not in Diagnostics([LEAK])._repr_html_()


def test_what_is_said_of_several_columns_continues_their_number():
    predicates = [code.predicate for code in CODES.values() if code.predicate]
    assert predicates
    assert {predicate.split()[0] for predicate in predicates} <= {"hold", "are", "have"}
