"""``bitsieve demo`` runs the commands of the README on a table of scikit-learn."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from bitsieve.cli import main
from bitsieve.cli.demo import commands_of_demo

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands_are_those_of_the_readme():
    text = README.read_text(encoding="utf-8")
    for command in commands_of_demo("demo_output/breast_cancer.csv"):
        assert f"```sh\nbitsieve {shlex.join(command)}\n```" in text


def test_every_command_is_shown_before_its_output(capsys):
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    for command in commands_of_demo("demo_output/breast_cancer.csv"):
        assert main(command) == 0
        assert f"$ bitsieve {shlex.join(command)}\n{capsys.readouterr().out}" in shown
    assert main(["demo"]) == 0  # again, on the same table


def test_another_folder(folder):
    assert main(["demo", "-o", "a folder"]) == 0
    assert (folder / "a folder" / "breast_cancer.csv").stat().st_size > 10**5


def test_a_table_of_other_rows_is_kept(folder, capsys):
    (folder / "breast_cancer.csv").write_text("mine")
    assert main(["demo", "--output", "."]) == 2
    assert "is there already" in capsys.readouterr().err
    assert (folder / "breast_cancer.csv").read_text() == "mine"


def test_the_demo_ends_with_the_code_of_a_command_that_fails(monkeypatch, capsys):
    monkeypatch.setattr("bitsieve.cli.demo.commands_of_demo", lambda table: [["select", table], ["explain", table]])
    assert main(["demo"]) == 2
    assert "$ bitsieve explain" not in capsys.readouterr().out
