"""What the commands on tables share: options of the binner, and messages in the words of the command line."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from bitsieve.common.messages import allowed_names, one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

BINNINGS = ("mdl", "quantile", "uniform", "none")


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


def as_options(message: str, given: Sequence[tuple[str, object]] = ()) -> str:
    """A message about parameters of the Python call with the options of the command line in their place.

    ``given`` are the parameters of ``--set``.
    """
    names = "uncut|missing|binning|method|level|classifier|protocol|folds"
    message = re.sub(rf"""\b({names})=["']?(\w+)["']?""", r"--\1 \2", message)
    for name, option in (
        ("n_features_to_select", "--features"),
        ("sample_weight", "--weight"),
        ("target_bins", "--target-bins"),
        ("n_bins", "--bins"),
        ("must_include", "--include"),
    ):
        message = re.sub(rf"(?<!--set )(?<!')\b{name}\b", option, message)
    for name, _ in given:
        message = re.sub(rf"(?<!--set )\b{re.escape(name)}=", f"--set {name}=", message)
    return message


def say(message: str) -> None:
    """A line to standard error."""
    print(f"bitsieve: {message}", file=sys.stderr)


def say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as a line to standard error, in the place of :func:`warnings.showwarning`."""
    say(f"warning: {one_line(message)}")
