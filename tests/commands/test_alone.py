"""The program without a command."""

from __future__ import annotations

from bitsieve.cli import main


def test_the_name_alone_prints_help(capsys):
    assert main([]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("usage: bitsieve")
    assert all(command in told.out for command in ("select", "compare", "methods", "how-many"))
    assert told.err == ""


def test_a_command_that_has_moved_says_where(capsys):
    assert main(["reproduce", "vinh2014", "--table", "5"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    command = "'python -m papers vinh2014 --table 5'"
    assert told.err == f"bitsieve: error: 'reproduce' has moved: run {command} in a checkout of bitsieve\n"
