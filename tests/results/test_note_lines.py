"""The notes that are shown of fifteen kinds of tables: a few short lines, by every door."""

from __future__ import annotations

import warnings

import pyarrow.csv
import pytest
from tests.kinds_of_tables import KINDS, table_of

import bitsieve
from bitsieve.cli import main
from bitsieve.utils.note_lines import MAX_LINES

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


@kinds
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
