"""The command ``bitsieve completion``: print a script by which a shell completes commands, options and values.

The script is made from the table of options. zsh runs the script of bash.
"""

from __future__ import annotations

import argparse
import shlex

from bitsieve.cli.options import COMMANDS, PROGRAM, Option, options_of

_BASH = """\
_{program}() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="${{COMP_WORDS[1]}}"
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W {commands} -- "$word"))
        return
    fi
    case "$command $before" in
{values}
    esac
    case "$word" in
        -*) ;;
        *) COMPREPLY=($(compgen -f -- "$word")); return ;;
    esac
    case "$command" in
{options}
    esac
}}
complete -o filenames -F _{program} {program}
"""


def run(arguments: argparse.Namespace) -> int:
    """Print the script for a shell."""
    print(SCRIPTS[arguments.shell](), end="")
    return 0


def bash() -> str:
    """The script for bash: it completes the names of options after a dash, and the names of files elsewhere."""
    values = []
    options = []
    for command in COMMANDS:
        dashed_options = [option for option in options_of(command.name) if option.name.startswith("-")]
        words = shlex.quote(" ".join(option.name for option in dashed_options))
        options.append(f'        {command.name}) COMPREPLY=($(compgen -W {words} -- "$word")) ;;')
        for option in dashed_options:
            allowed = values_of(option)
            if allowed:
                words = shlex.quote(" ".join(allowed))
                pattern = f'"{command.name} {option.name}"'
                values.append(f'        {pattern}) COMPREPLY=($(compgen -W {words} -- "$word")); return ;;')
    return _BASH.format(
        program=PROGRAM,
        commands=shlex.quote(" ".join(command.name for command in COMMANDS)),
        values="\n".join(values),
        options="\n".join(options),
    )


def zsh() -> str:
    """The script for zsh, which takes the completions of bash."""
    return f"autoload -U +X bashcompinit && bashcompinit\n{bash()}"


def fish() -> str:
    """The script for fish, which shows the help of each option, too."""
    lines = []
    for command in COMMANDS:
        help_text = shlex.quote(command.help)
        lines.append(f"complete -c {PROGRAM} -n __fish_use_subcommand -f -a {command.name} -d {help_text}")
        for option in options_of(command.name):
            if option.name.startswith("-"):
                lines.append(_line_of_fish(command.name, option))
    return "\n".join(lines) + "\n"


def _line_of_fish(command: str, option: Option) -> str:
    words = ["complete", "-c", PROGRAM, "-n", shlex.quote(f"__fish_seen_subcommand_from {command}")]
    words += ["-l", option.name.removeprefix("--")]
    if option.short:
        words += ["-s", option.short.removeprefix("-")]
    allowed = values_of(option)
    if allowed:
        words += ["-x", "-a", shlex.quote(" ".join(allowed))]
    elif option.kind not in ("flag", "on or off"):
        words.append("-r")
    help_text = option.help % {"default": option.default}
    return " ".join([*words, "-d", shlex.quote(help_text)])


def values_of(option: Option) -> list[str]:
    """The words that may follow an option; empty where it takes names of files, columns or numbers."""
    if option.choices:
        return list(option.choices)
    if option.name in ("--method", "--methods"):
        from bitsieve.methods.registry import method_names

        return method_names()
    return []


SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}
