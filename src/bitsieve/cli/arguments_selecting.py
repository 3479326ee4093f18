"""The arguments of the commands that select, and of the one that counts for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitsieve.cli.argument_types import how_many
from bitsieve.cli.command_parser import add_command
from bitsieve.cli.shared_arguments import BINNING, add_shared

if TYPE_CHECKING:
    from collections.abc import Callable

    from bitsieve.cli.command_parser import Commands


def add_select(commands: Commands) -> None:
    add = add_command(
        commands,
        "select",
        help="rank the features of a table by what they tell about its target",
        description="Rank the features of a table by what they tell about its target. The ranking goes to standard "
        "output, notes and progress to standard error.",
        epilog="Exit codes: 0 done, 1 failed inside, 2 a mistake in what was given (one line says which), "
        "130 interrupted.",
    )
    _add_selection(add)
    add(
        "--output",
        metavar="FILE",
        help="save the selected columns and the target; .parquet, .csv, .tsv, .arrow, .feather or .npz",
    )
    add_shared(add, "--report")
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="count on a Dask cluster, whose workers read DATA under the same path; local starts one on this machine, "
        "of --threads workers (needs bitsieve[dask])",
    )


def add_explain(commands: Commands) -> None:
    add = add_command(
        commands,
        "explain",
        help="say why a feature is selected or not, and which selected one tells the same",
        description="Select as 'bitsieve select' does with the same options, and say in bits why a feature is selected "
        "or not: what it tells alone, what of that is told already, what it adds, and what would replace it.",
    )
    add("feature", metavar="FEATURE", help="the column to explain")
    _add_selection(add)


def add_count(commands: Commands) -> None:
    add = add_command(
        commands,
        "count",
        help="count a table once and save the tables of all pairs of columns, which add up with those of more rows",
        description="Count the tables of all pairs of columns of DATA with its target, and save them. Counts with the "
        "same bins add up: 'bitsieve select --counts DIR --counts DIR' selects from all their rows.",
    )
    add_shared(add, "data", help="Parquet, Arrow/Feather, CSV or TSV; or a folder of them: read in batches")
    add("--save", metavar="DIR", required=True, help="the folder that the counts are written to")
    add_shared(add, "--target", required=True, help="the column to tell about")
    add_shared(add, "--weight")
    add("--like", metavar="DIR", help="counts whose bins and classes are used, so that those of DATA add up with them")
    add_shared(add, *BINNING, "--target-bins")
    add_shared(add, "--memory", help="about how much memory to take, such as 4GB (default: 2GiB)")
    add_shared(add, "--threads")


def _add_selection(add: Callable[..., object]) -> None:
    """The data, and all that decides which of its features are selected."""
    add_shared(add, "data", nargs="?")
    add(
        "--counts",
        action="append",
        metavar="DIR",
        help="select from counts that 'bitsieve count' has saved, in place of DATA; give it again to add those up",
    )
    add_shared(
        add,
        "--target",
        action="append",
        help="the column to tell about; y by default in .npz and libsvm; give it again for several columns together",
    )
    add_shared(add, "--weight")
    add_shared(add, "--method", "--set")
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
    add_shared(add, "--include", "--exclude")
    add("--group", action="append", nargs="+", metavar="COLUMN", help="columns taken together (repeatable)")
    add_shared(add, *BINNING)
    add(
        "--estimator",
        choices=("plug-in", "miller-madow", "shrinkage"),
        help="how information is estimated from counts (default: plug-in)",
    )
    add_shared(add, "--target-bins", "--drop-missing-target", "--header", "--json")
    add_shared(add, "--memory")
    add("--spool", metavar="DIR", help="keep what was packed of DATA there for later runs; DATA is read in batches")
    add_shared(add, "--threads")
