"""The program without a command."""

from __future__ import annotations

import pytest

from bitsieve.cli import main


def test_the_name_alone_prints_help(capsys):
    assert main([]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("usage: bitsieve")
    assert all(command in told.out for command in ("select", "compare", "methods"))
    assert told.err == ""


@pytest.mark.parametrize("more", ["", " --help", " vinh2014 --table 5"])
def test_a_command_that_has_moved_says_where(more, capsys):
    assert main(["reproduce", *more.split()]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    command = f"'python -m papers{more}'"
    assert told.err == f"bitsieve: error: 'reproduce' has moved: run {command} in a checkout of bitsieve\n"
