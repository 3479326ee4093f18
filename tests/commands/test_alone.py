"""The program without a command."""

from __future__ import annotations

from bitsieve.cli import main


def test_the_name_alone_prints_help(capsys):
    assert main([]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("usage: bitsieve")
    assert all(command in told.out for command in ("select", "compare", "methods", "reproduce"))
    assert told.err == ""
