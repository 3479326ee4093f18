"""What the commands on tables share: options of the binner, and messages in the words of the command line."""

from __future__ import annotations

import json
import shlex
import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bitsieve.common.errors import Sentence, message_of
from bitsieve.common.messages import allowed_names, one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping

    from bitsieve.common.errors import Setting

BINNINGS = ("mdl", "quantile", "uniform", "none")
BINNER_OPTIONS = {"binning": "--binning", "n_bins": "--bins", "uncut": "--uncut", "missing": "--missing"}
TABLE_OPTIONS = {
    **BINNER_OPTIONS,
    "target_bins": "--target-bins",
    "drop_missing_target": "--drop-missing-target",
    "header": "--header",
    "include": "--include",
    "exclude": "--exclude",
    "n_jobs": "--threads",
}


def binner_parameters(options: argparse.Namespace) -> dict[str, Any]:
    """The binner's parameters that were given, refused where the rule has no use for them."""
    rule = options.binning
    if rule not in BINNINGS:
        raise ValueError(f"there is no binning {rule!r}: {allowed_names(rule, BINNINGS)}")
    if options.bins is not None and rule not in ("quantile", "uniform"):
        raise ValueError(f"--bins has no meaning with --binning {rule}: leave it out or use quantile or uniform")
    if options.uncut is not None and rule != "mdl":
        raise ValueError(f"--uncut has no meaning with --binning {rule}: leave it out or use mdl")
    given = {"n_bins": options.bins, "uncut": options.uncut, "missing": options.missing}
    return {name: value for name, value in given.items() if value is not None}


@contextmanager
def in_words_of(options: Mapping[str, str], settable: Callable[[str], bool] = lambda name: False) -> Iterator[Wording]:
    """Inside the block warnings are lines, and errors name the options of a command in the place of parameters.

    Parameters
    ----------
    options : mapping of str to str
        Parameter of the Python call to option.
    settable : callable
        Whether a parameter is given by ``--set NAME=VALUE``.
    """
    wording = Wording(options, settable)
    with warnings.catch_warnings():
        warnings.showwarning = say_warning
        try:
            yield wording
        except ValueError as error:
            raise ValueError(wording(message_of(error))) from error


@dataclass(frozen=True)
class Wording:
    """Messages in the words of a command; see :func:`in_words_of`."""

    options: Mapping[str, str]
    settable: Callable[[str], bool]

    def __call__(self, message: str) -> str:
        """The message with the command's options in the place of the parameters that it names."""
        return message.worded(self._word) if isinstance(message, Sentence) else message

    def _word(self, setting: Setting) -> str:
        name = setting.parameter
        if name in self.options:
            option, sign = self.options[name], " "
        elif self.settable(name):
            option, sign = f"--set {name}", "="
        else:
            return setting.in_python()
        if not setting.has_value or setting.value is True:  # a flag
            return option
        if setting.value is False:
            return f"--no-{option.removeprefix('--')}"
        values = setting.value if isinstance(setting.value, list) else [setting.value]
        return " ".join(f"{option}{sign}{_typed(value)}" for value in values)


def _typed(value: object) -> str:
    """A value as one types it."""
    return shlex.quote(value) if isinstance(value, str) else str(value)


def print_document(document: Mapping[str, Any]) -> None:
    """One JSON document to standard output; what its encoding lacks is escaped as JSON has it."""
    from bitsieve import __version__

    has_all = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8")
    whole = {**document, "version": __version__}
    print(json.dumps(whole, indent=2, ensure_ascii=not has_all, allow_nan=False))


def say(message: str) -> None:
    """A line to standard error."""
    print(f"bitsieve: {message}", file=sys.stderr)


def say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as a line to standard error, in the place of :func:`warnings.showwarning`."""
    say(f"warning: {one_line(message)}")
