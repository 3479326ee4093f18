"""The arguments of the commands that judge selections by held-out data: compare and how-many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitsieve.cli.argument_types import count, counts, names
from bitsieve.cli.command_parser import add_command
from bitsieve.cli.shared_arguments import BINNING, add_shared

if TYPE_CHECKING:
    from bitsieve.cli.command_parser import Commands


def add_how_many(commands: Commands) -> None:
    add = add_command(
        commands,
        "how-many",
        help="say how many columns to take, by four rules side by side",
        description="Ask shuffles, the false discovery rate, stability and cross-validation how many columns a greedy "
        "method should take, and say how to read their difference.",
    )
    add_shared(add, "data", "--target", "--weight")
    add_shared(add, "--method", default="jmi", help="a greedy one of 'bitsieve methods' (default: %(default)s)")
    add_shared(add, "--include", "--exclude")
    add_shared(add, *BINNING, "--target-bins")
    add("--classifier", default="linear-svm", metavar="NAME", help="as for compare (default: linear-svm)")
    add_shared(add, "--folds")
    add("--pairs", type=count, default=50, metavar="N", help="pairs of halves for stability (default: 50)")
    add_shared(add, "--seed")
    add("--figure", metavar="FILE", help="draw it: .png, .svg or .pdf (needs bitsieve[report])")
    add_shared(add, "--json", "--threads")


def add_compare(commands: Commands) -> None:
    add = add_command(
        commands,
        "compare",
        help="cross-validate a classifier on what several methods select, for every number of features",
        description="Cross-validate a classifier on the first k features of several methods, for every k. Each method "
        "ranks once a fold, on the training samples alone. The table goes to standard output, notes and progress to "
        "standard error.",
        epilog="Ctrl-C keeps the finished folds in a file next to --output; the same command with --resume goes on.",
    )
    add_shared(add, "data", "--target")
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
    add_shared(add, "--include", help="keep it although it looks like an identifier (repeatable)")
    add_shared(add, "--exclude")
    add_shared(add, "--set", help="a parameter of those methods that take it, such as beta=0.5; once for each")
    add_shared(add, "--folds", "--seed")
    add(
        "--protocol",
        default="nested",
        metavar="NAME",
        help="nested: ranked inside each fold; paper: once on all rows, as published, too good (default: nested)",
    )
    add_shared(add, "--binning", default=None)  # mdl; under the protocol "paper" with uncut median
    add_shared(add, "--bins")
    add_shared(
        add,
        "--uncut",
        help="what mdl does with a column without a cut (default: leave; with --protocol paper: median)",
    )
    add_shared(add, "--missing", "--target-bins", "--drop-missing-target", "--header")
    add("--bounds", action="store_true", help="bound the error of the best possible classifier on what is chosen")
    add_shared(add, "--report")
    add("--output", metavar="FILE", help="save errors by method, fold and number; .parquet, .csv or .json")
    add("--resume", action="store_true", help="go on with the finished folds of an interrupted run")
    add_shared(add, "--json", "--threads")
