"""Names of columns that control a terminal or turn the direction of text are escaped in all output."""

from __future__ import annotations

import json

import pytest

from bitsieve.cli import main

NAMES = ["red\x1b[31m", "b\u202egnp.exe", "bell\x07", "deleted\x7f"]


@pytest.fixture
def path(tmp_path):
    lines = [",".join(f'"{name}"' for name in [*NAMES, "y"])]
    lines += [f"{row % 7},{row % 3},{row % 5},{row % 4},{row % 2}" for row in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(tmp_path / "t.csv")


@pytest.mark.parametrize(
    "arguments",
    [
        ["select", "-v"],
        ["select", "--json"],
        ["sql"],
        ["select", "--include", "none\x1b[31m"],
        ["compare", "--json", "--methods", "mim", "--classifier", "ncm", "--folds", "2"],
    ],
    ids=" ".join,
)
def test_output_is_printable(path, arguments, capsys):
    command, *options = arguments
    main([command, path, "--target", "y", *options])
    written = capsys.readouterr()
    for text in written.out, written.err:
        assert all(line.isprintable() for line in text.split("\n"))


def test_json_holds_the_names_themselves(path, capsys):
    main(["select", path, "--target", "y", "--json", "--quiet"])
    document = json.loads(capsys.readouterr().out)
    assert {column["name"] for column in document["features"]} <= set(NAMES)
