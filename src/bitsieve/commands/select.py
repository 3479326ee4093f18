"""``bitsieve select``: from a table file to a ranked, explained selection."""

from __future__ import annotations

import json
import re
import sys
import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bitsieve.commands.ticker import Ticker
from bitsieve.messages import allowed_names, one_line
from bitsieve.progress import listening

if TYPE_CHECKING:
    import argparse

    from bitsieve.selectors.inputs import Features
    from bitsieve.selectors.selection import Selection

DEFAULT_FEATURES = 20
BINNINGS = ("mdl", "quantile", "uniform", "none")


def run(options: argparse.Namespace) -> int:
    """Read, select, save, print."""
    with warnings.catch_warnings():
        warnings.showwarning = _say_warning
        try:
            return _run(options)
        except ValueError as error:
            raise ValueError(_as_options(str(error))) from error


def _run(options: argparse.Namespace) -> int:
    start = time.perf_counter()
    parameters = {**_binner_parameters(options), **_loop_parameters(options)}
    if options.output is not None:
        from bitsieve.sources.write import check_output

        check_output(options.output, options.data)

    with Ticker() as ticker, listening(ticker.phase):
        from bitsieve.selectors.inputs import read_features
        from bitsieve.selectors.registry import method_name
        from bitsieve.selectors.selection import select_from

        method_name(options.method)
        features = read_features(options.data, options.target)
        k = _how_many(options.features, len(features.names))
        if options.output is not None:
            from bitsieve.sources.write import check_fits

            check_fits(features.whole, options.output, features.target)
        selection = select_from(
            features,
            method=options.method,
            n_features_to_select=k,
            binning=options.binning,
            target_bins=options.target_bins,
            n_jobs=options.threads or -1,
            **parameters,
        )
        if options.output is not None:
            ticker.phase("writing")
            _save(selection, features, options.output)

    if options.features is None and len(selection.features) < DEFAULT_FEATURES and not options.stop:
        _say(f"note: the table has {len(selection.features):,} features, fewer than {DEFAULT_FEATURES}: all are ranked")
    selection = replace(selection, notes=[_as_options(note) for note in selection.notes])
    for note in selection.notes:
        _say(f"note: {note}")
    if options.json:
        _print_document(selection, options.output, time.perf_counter() - start)
    else:
        print(selection)
    if options.output is not None:
        _say(f"saved {len(selection.features):,} features and the target {features.target!r} to {options.output!r}")
    return 0


def _binner_parameters(options: argparse.Namespace) -> dict[str, Any]:
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


def _loop_parameters(options: argparse.Namespace) -> dict[str, Any]:
    """Stopping rule and constraints, where any are given."""
    rule, parameters = options.stop, {}
    if options.level is not None:
        parameters["level"] = options.level
    if options.min_bits is not None:
        parameters["bits"] = options.min_bits
    if rule is None and options.features == "auto" and parameters:
        rule = "significance"
    for given, rules in (("level", ("significance", "permutation")), ("bits", ("threshold",))):
        if given in parameters and rule not in rules:
            option = {"level": "--level", "bits": "--min-bits"}[given]
            raise ValueError(f"{option} has a meaning with --stop {' or '.join(rules)} only: add that or leave it out")
    found: dict[str, Any] = {}
    if rule is not None:
        from bitsieve.by_counts.stopping import make_stopping

        found["stopping"] = make_stopping(rule, **parameters)
    if options.include or options.exclude or options.group:
        from bitsieve.selectors.constraints import Constraints

        found["constraints"] = Constraints(options.include or (), options.exclude or (), options.group or ())
    return found


def _how_many(asked: int | float | str | None, n_features: int) -> int | float | str:
    if asked is None:
        return min(DEFAULT_FEATURES, n_features)
    if isinstance(asked, int) and asked > n_features:
        raise ValueError(f"--features is {asked:,} but the table has {n_features:,} features: ask for no more")
    return asked


def _save(selection: Selection, features: Features, path: str) -> None:
    from bitsieve.sources.npz import ArrayTable
    from bitsieve.sources.write import write_table

    whole = features.whole
    if isinstance(whole, ArrayTable):
        reduced: Any = ArrayTable(selection.table, whole.y, selection.features)
    else:
        reduced = whole.select([*selection.features, features.target])
    write_table(reduced, path, features.target)


def _print_document(selection: Selection, output: str | None, seconds: float) -> None:
    from bitsieve import __version__

    document = {
        **selection.to_dict(),
        "output": output,
        "seconds": round(seconds, 3),
        "version": __version__,
    }
    print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def _as_options(message: str) -> str:
    """A message about parameters of the Python call with the options of the command line in their place."""
    message = re.sub(r"""\b(uncut|missing|binning|method|level)=["']?(\w+)["']?""", r"--\1 \2", message)
    for name, option in (
        ("n_features_to_select", "--features"),
        ("target_bins", "--target-bins"),
        ("n_bins", "--bins"),
        ("must_include", "--include"),
    ):
        message = message.replace(name, option)
    return message


def _say(message: str) -> None:
    print(f"bitsieve: {message}", file=sys.stderr)


def _say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say(f"warning: {one_line(message)}")
