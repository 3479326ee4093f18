"""Shells complete commands, options and values by the script that is printed."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from bitsieve.cli import main
from bitsieve.cli.options import COMMANDS, options_of


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


def test_zsh_and_fish_have_every_command_and_option(capsys):
    assert "bashcompinit" in script(capsys, "zsh")
    lines = script(capsys, "fish").splitlines()
    n_options = sum(option.name.startswith("-") for command in COMMANDS for option in options_of(command.name))
    assert len(lines) == len(COMMANDS) + n_options


def test_another_shell_is_refused(capsys):
    assert main(["completion", "tcsh"]) == 2
    assert "tcsh" in capsys.readouterr().err
