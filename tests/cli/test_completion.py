"""Shells complete commands, options and values by the script that is printed."""

from __future__ import annotations

import argparse
import shutil
import subprocess

import pytest

from bitsieve.cli import main
from bitsieve.cli.options import COMMANDS, options_of
from bitsieve.cli.parser import make_parser


def script(capsys, shell):
    capsys.readouterr()
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.fixture
def completed(capsys, tmp_path):
    """What bash offers for the last of some words."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash is installed")
    path = tmp_path / "completion.bash"
    path.write_text(script(capsys, "bash"))

    def complete(*words):
        line = " ".join(f"'{word}'" for word in ("bitsieve", *words))
        run = f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; _bitsieve; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        found = subprocess.run(
            [bash, "--norc", "-c", f"source '{path}'; {run}"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=True,
        )
        assert found.stderr == ""
        return found.stdout.split()

    return complete


def test_bash_completes_commands(completed):
    assert completed("") == [command.name for command in COMMANDS]
    assert completed("com") == ["compare", "completion"]


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_bash_completes_the_options_of_each_command(completed, command):
    names = [option.name for option in options_of(command) if option.name.startswith("--")]
    assert completed(command, "--") == names


def test_bash_completes_values(completed):
    assert completed("select", "--identifiers", "") == ["drop", "keep"]
    assert completed("select", "--method", "jm") == ["jmi", "jmim", "jmi3"]
    assert completed("select", "--missing", "b") == ["bin"]


def test_bash_completes_files(completed, tmp_path):
    (tmp_path / "rows.csv").touch()
    assert completed("select", "rows") == ["rows.csv"]


def test_the_scripts_have_what_the_parser_has(capsys, completed):
    """Every command and every option of the parser, but for -h, --help and the --no- forms."""
    parser_of_all = make_parser(*(command.name for command in COMMANDS))
    (commands,) = (part for part in parser_of_all._actions if isinstance(part, argparse._SubParsersAction))
    fish = script(capsys, "fish").splitlines()
    assert set(completed("")) == set(commands.choices)
    for name, parser in commands.choices.items():
        options = {option for part in parser._actions for option in part.option_strings if option.startswith("--")}
        options = {option for option in options - {"--help"} if not option.startswith("--no-")}
        assert set(completed(name, "--")) == options
        of_command = [line for line in fish if f"from {name}'" in line]
        assert {f"--{line.split(' -l ')[1].split()[0]}" for line in of_command} == options


def test_zsh_and_fish_have_every_command_and_option(capsys):
    assert "bashcompinit" in script(capsys, "zsh")
    lines = script(capsys, "fish").splitlines()
    n_options = sum(option.name.startswith("-") for command in COMMANDS for option in options_of(command.name))
    assert len(lines) == len(COMMANDS) + n_options


def test_another_shell_is_refused(capsys):
    assert main(["completion", "tcsh"]) == 2
    assert "tcsh" in capsys.readouterr().err
