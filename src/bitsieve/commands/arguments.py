"""What the command line takes: every command and its options."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from bitsieve.commands.argument_types import assignment, count, counts, folds, how_many, names, target_bins
from bitsieve.common.defaults import DEFAULT_METHOD
from bitsieve.common.messages import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = (
    "CSV, TSV, JSON lines, libsvm, Parquet, Arrow/Feather or .npz (X, y), told by content, compressed or not; "
    "-: standard input"
)
HEADER = "the first line of a text file has the names, whatever it looks like; --no-header: it is data already"
DROP_MISSING = "leave rows without a target out; else they are an error"
TARGET_BINS = "classes of a target that is a quantity, or none: each number is a class (default: 5)"


class UsageError(ValueError):
    """The command line itself is wrong."""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, as all errors here are."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{one_line(message)} (see {self.prog} --help)")


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; its options name the command to run."""
    parser = _Parser(
        prog="bitsieve", allow_abbrev=False, description="Feature selection by information, exact and in bits."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    _add_select(commands)
    _add_explain(commands)
    _add_count(commands)
    _add_how_many(commands)
    _add_compare(commands)
    methods = commands.add_parser("methods", allow_abbrev=False, help="list every method, its paper and what it needs")
    methods.add_argument("--json", action="store_true", help="print one JSON document")
    methods.set_defaults(run=_run_of("methods"))
    _add_reproduce(commands)
    return parser


class _Version(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        from bitsieve import __version__

        print(f"bitsieve {__version__}")
        raise SystemExit(0)


def _add_select(commands: argparse._SubParsersAction[_Parser]) -> None:
    select = commands.add_parser(
        "select",
        allow_abbrev=False,
        help="rank the features of a table by what they tell about its target",
        description="Rank the features of a table by what they tell about its target. The ranking goes to standard "
        "output, notes and progress to standard error.",
        epilog="Exit codes: 0 done, 1 failed inside, 2 a mistake in what was given (one line says which), "
        "130 interrupted.",
    )
    _add_selection(select)
    add = select.add_argument
    add(
        "--output",
        metavar="FILE",
        help="save the selected columns and the target; .parquet, .csv, .tsv, .arrow, .feather or .npz",
    )
    add("--report", metavar="FILE.html", help="write a report with figures, in one file (needs bitsieve[report])")
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="count on a Dask cluster, whose workers read DATA under the same path; local starts one on this machine, "
        "of --threads workers (needs bitsieve[dask])",
    )
    select.set_defaults(run=_run_of("select"))


def _add_explain(commands: argparse._SubParsersAction[_Parser]) -> None:
    explain = commands.add_parser(
        "explain",
        allow_abbrev=False,
        help="say why a feature is selected or not, and which selected one tells the same",
        description="Select as 'bitsieve select' does with the same options, and say in bits why a feature is selected "
        "or not: what it tells alone, what of that is told already, what it adds, and what would replace it.",
    )
    explain.add_argument("feature", metavar="FEATURE", help="the column to explain")
    _add_selection(explain)
    explain.set_defaults(run=_run_of("explain"))


def _add_count(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser(
        "count",
        allow_abbrev=False,
        help="count a table once and save the tables of all pairs of columns, which add up with those of more rows",
        description="Count the tables of all pairs of columns of DATA with its target, and save them. Counts with the "
        "same bins add up: 'bitsieve select --counts DIR --counts DIR' selects from all their rows.",
    )
    add = parser.add_argument
    add("data", metavar="DATA", help="Parquet, Arrow/Feather, CSV or TSV; or a folder of them: read in batches")
    add("--save", metavar="DIR", required=True, help="the folder that the counts are written to")
    add("--target", metavar="COLUMN", required=True, help="the column to tell about")
    add("--weight", metavar="COLUMN", help="the column that says how many times each row stands: whole numbers")
    add("--like", metavar="DIR", help="counts whose bins and classes are used, so that those of DATA add up with them")
    add(
        "--binning",
        default="mdl",
        metavar="RULE",
        help="how numeric columns become codes: mdl, quantile, uniform, or none for codes already (default: mdl)",
    )
    add("--bins", type=count, metavar="N", help="bins of quantile and uniform (default: 10)")
    add("--uncut", choices=("leave", "median"), help="what mdl does with a column without a cut (default: leave)")
    add("--missing", choices=("error", "bin"), help="missing values: an error, or a code of their own (default: error)")
    add("--target-bins", type=target_bins, metavar="N", help=TARGET_BINS)
    add("--memory", metavar="BYTES", help="about how much memory to take, such as 4GB (default: 2GiB)")
    add("--threads", type=count, metavar="N", help="threads (default: all cores); the result is the same for any")
    parser.set_defaults(run=_run_of("count"))


def _add_selection(parser: _Parser) -> None:
    """The data, and all that decides which of its features are selected."""
    add = parser.add_argument
    add("data", metavar="DATA", nargs="?", help=DATA)
    add(
        "--counts",
        action="append",
        metavar="DIR",
        help="select from counts that 'bitsieve count' has saved, in place of DATA; give it again to add those up",
    )
    add(
        "--target",
        metavar="COLUMN",
        action="append",
        help="the column to tell about; y by default in a .npz; give it again for several columns taken together",
    )
    add("--weight", metavar="COLUMN", help="the column that says how many times each row stands: whole numbers")
    add("--method", default=DEFAULT_METHOD, metavar="NAME", help="one of 'bitsieve methods' (default: %(default)s)")
    add(
        "--set",
        action="append",
        default=[],
        type=assignment,
        metavar="NAME=VALUE",
        help="a parameter of the method, such as beta=0.5; once for each ('bitsieve methods' lists them)",
    )
    add(
        "--features",
        type=how_many,
        metavar="K",
        help="how many to select: a number, a share such as 0.1, or auto (default: 20, or all if there are fewer)",
    )
    add("--stop", metavar="RULE", help="end earlier: significance, permutation, fdr or threshold (auto: significance)")
    add(
        "--level",
        type=float,
        metavar="P",
        help="level of significance, permutation (default: 0.05) or fdr (0.1)",
    )
    add("--min-bits", type=float, metavar="BITS", help="what a feature must add under threshold (default: 0.01)")
    add(
        "--include",
        action="append",
        metavar="COLUMN",
        help="select it first, whatever it tells; an identifier: keep it (repeatable)",
    )
    add("--exclude", action="append", metavar="COLUMN", help="never select it (repeatable)")
    add("--group", action="append", nargs="+", metavar="COLUMN", help="columns taken together (repeatable)")
    _add_binning(add)
    add(
        "--estimator",
        choices=("plug-in", "miller-madow", "shrinkage"),
        help="how information is estimated from counts (default: plug-in)",
    )
    add("--target-bins", type=target_bins, metavar="N", help=TARGET_BINS)
    add("--drop-missing-target", action="store_true", help=DROP_MISSING)
    add("--header", action=argparse.BooleanOptionalAction, help=HEADER)
    add("--json", action="store_true", help="print one JSON document")
    add(
        "--memory",
        metavar="BYTES",
        help="about how much memory to take, such as 4GB: DATA is read in batches, and may be a folder of files",
    )
    add("--spool", metavar="DIR", help="keep what was packed of DATA there for later runs; DATA is read in batches")
    add(
        "--threads",
        type=count,
        metavar="N",
        help="threads (default: all cores); the result is the same for any number",
    )


def _add_binning(add: Callable[..., object]) -> None:
    add(
        "--binning",
        default="mdl",
        metavar="RULE",
        help="how numeric columns become codes: mdl, quantile, uniform, or none for codes already (default: mdl)",
    )
    add("--bins", type=count, metavar="N", help="bins of quantile and uniform (default: 10)")
    add("--uncut", choices=("leave", "median"), help="what mdl does with a column without a cut (default: leave)")
    add("--missing", choices=("error", "bin"), help="missing values: an error, or a code of their own (default: error)")


def _add_how_many(commands: argparse._SubParsersAction[_Parser]) -> None:
    rules = commands.add_parser(
        "how-many",
        allow_abbrev=False,
        help="say how many columns to take, by four rules side by side",
        description="Ask shuffles, the false discovery rate, stability and cross-validation how many columns a greedy "
        "method should take, and say how to read their difference.",
    )
    add = rules.add_argument
    add("data", metavar="DATA", help="CSV, TSV, Parquet, Arrow/Feather or .npz (X, y), told by content")
    add("--target", metavar="COLUMN", help="the column to tell about; y by default in a .npz")
    add("--weight", metavar="COLUMN", help="the column that says how many times each row stands: whole numbers")
    add("--method", default="jmi", metavar="NAME", help="a greedy one of 'bitsieve methods' (default: %(default)s)")
    _add_binning(add)
    add("--target-bins", type=target_bins, metavar="N", help=TARGET_BINS)
    add("--classifier", default="linear-svm", metavar="NAME", help="as for compare (default: linear-svm)")
    add("--folds", type=folds, metavar="N", help="stratified folds, or loo (default: loo below 100 rows, else 10)")
    add("--pairs", type=count, default=50, metavar="N", help="pairs of halves for stability (default: 50)")
    add("--seed", type=int, default=0, metavar="N", help="of shuffles, halves and folds (default: 0)")
    add("--figure", metavar="FILE", help="draw it: .png, .svg or .pdf (needs bitsieve[report])")
    add("--json", action="store_true", help="print one JSON document")
    add("--threads", type=count, metavar="N", help="threads (default: all cores); same result for any")
    rules.set_defaults(run=_run_of("how_many"))


def _add_compare(commands: argparse._SubParsersAction[_Parser]) -> None:
    compare = commands.add_parser(
        "compare",
        allow_abbrev=False,
        help="cross-validate a classifier on what several methods select, for every number of features",
        description="Cross-validate a classifier on the first k features of several methods, for every k. Each method "
        "ranks once a fold, on the training samples alone. The table goes to standard output, notes and progress to "
        "standard error.",
        epilog="Ctrl-C keeps the finished folds in a file next to --output; the same command with --resume goes on.",
    )
    add = compare.add_argument
    add("data", metavar="DATA", help=DATA)
    add("--target", metavar="COLUMN", help="the column to tell about; y by default in a .npz")
    add("--methods", type=names, metavar="A,B,...", help="of 'bitsieve methods' (default: mim,mrmr,jmi,speccmi)")
    add(
        "--features",
        type=counts,
        metavar="FROM:TO[:STEP]",
        help="numbers of features, or a list as 5,10,20 (default: 10:100, or every number when there are 20 or fewer)",
    )
    add(
        "--classifier",
        metavar="NAME",
        help="linear-svm, lda (linear discriminant), knn (3 neighbours), ncm (nearest class mean), bgm (a Gaussian "
        "mixture a class), vbem or gmm (one for all), forest, boosting (default: linear-svm, lda above 10,000 rows)",
    )
    add(
        "--scoring",
        default="accuracy",
        metavar="NAME",
        help="accuracy (default), balanced_accuracy, f1_macro or roc_auc",
    )
    add("--groups", metavar="COLUMN", help="rows with one value here are never both learned from and tested on")
    add(
        "--include", action="append", metavar="COLUMN", help="keep it although it looks like an identifier (repeatable)"
    )
    add("--exclude", action="append", metavar="COLUMN", help="never select it (repeatable)")
    add(
        "--set",
        action="append",
        default=[],
        type=assignment,
        metavar="NAME=VALUE",
        help="a parameter of those methods that take it, such as beta=0.5; once for each",
    )
    add("--folds", type=folds, metavar="N", help="stratified folds, or loo (default: loo below 100 rows, else 10)")
    add("--seed", type=int, default=0, metavar="N", help="of the shuffle into folds (default: 0)")
    add(
        "--protocol",
        default="nested",
        metavar="NAME",
        help="nested: ranked inside each fold; paper: once on all rows, as published, too good (default: nested)",
    )
    add("--binning", metavar="RULE", help="mdl, quantile, uniform or none, as for select (default: mdl)")
    add("--bins", type=count, metavar="N", help="bins of quantile and uniform (default: 10)")
    add(
        "--uncut",
        choices=("leave", "median"),
        help="what mdl does with a column without a cut (default: leave; with --protocol paper: median)",
    )
    add("--missing", choices=("error", "bin"), help="missing values: an error, or a code of their own (default: error)")
    add("--target-bins", type=target_bins, metavar="N", help=TARGET_BINS)
    add("--drop-missing-target", action="store_true", help=DROP_MISSING)
    add("--header", action=argparse.BooleanOptionalAction, help=HEADER)
    add("--bounds", action="store_true", help="bound the error of the best possible classifier on what is chosen")
    add("--report", metavar="FILE.html", help="write a report with figures, in one file (needs bitsieve[report])")
    add("--output", metavar="FILE", help="save errors by method, fold and number; .parquet, .csv or .json")
    add("--resume", action="store_true", help="go on with the finished folds of an interrupted run")
    add("--json", action="store_true", help="print one JSON document")
    add("--threads", type=count, metavar="N", help="threads over the folds (default: all cores); same result for any")
    compare.set_defaults(run=_run_of("compare"))


def _add_reproduce(commands: argparse._SubParsersAction[_Parser]) -> None:
    reproduce = commands.add_parser(
        "reproduce",
        allow_abbrev=False,
        help="compute a table or a figure of a paper anew",
        description="Compute a table or a figure of a paper anew. Without --figure or --table: list what there is.",
    )
    add = reproduce.add_argument
    add("paper", metavar="PAPER", help="gao2016, vinh2014, yasaei, zhai2012, zhang-hancock")
    add("--figure", metavar="NAME", help="which figure, such as 3")
    add("--table", metavar="NAME", help="which table")
    add("--output", metavar="FILE", help="save the figure; .png, .svg, .pdf (needs bitsieve[report]); or all in .json")
    add("--data-dir", metavar="DIR", help="the directory with the public data sets, for what needs some")
    add("--sets", type=names, metavar="A,B,...", help="of the data sets, only these")
    add("--protocol", metavar="NAME", help="paper: as published (default); nested: ranked inside each fold as well")
    add("--json", action="store_true", help="print one JSON document")
    add("--seed", type=int, default=0, metavar="N", help="of what is drawn at random (default: 0)")
    add("--threads", type=count, metavar="N", help="threads (default: all cores)")
    reproduce.set_defaults(run=_run_of("reproduce"))


def _run_of(command: str) -> Callable[[argparse.Namespace], int]:
    """The function ``run`` of a command, imported when it is called, so that help comes at once."""

    def run(options: argparse.Namespace) -> int:
        code: int = import_module(f"bitsieve.commands.{command}").run(options)
        return code

    return run
