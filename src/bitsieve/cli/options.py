"""Every command and option: parser, help, messages and ``docs/reference/command_line.md`` are made of these lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias

from bitsieve.utils.defaults import (
    BINNING,
    COMPARED,
    DRIFT_BINNING,
    DRIFT_PENALTY,
    ESTIMATOR,
    HOW_MANY_METHOD,
    INTERACTIONS_BINNING,
    INTERACTIONS_BINS,
    MAX_DRIFT,
    N_FEATURES,
    SELECT_METHOD,
)

#: What the text behind an option is read as: ``bitsieve.cli.parser.KINDS`` says how.
Kind: TypeAlias = Literal[
    "text", "data", "column", "columns", "name", "names", "query", "file", "folder", "folders", "integer", "count",
    "number", "how many", "range", "folds", "classes", "assignment", "flag", "on or off", "one or all",
]  # fmt: skip


class Command(NamedTuple):
    """A command: its name, the function of ``bitsieve.cli`` that runs it, and its help.

    ``check`` is the function that raises UserError for what would stop the command.
    """

    name: str
    run: str
    help: str
    description: str | None = None
    epilog: str | None = None
    check: str = ""


class Option(NamedTuple):
    """An option as some commands have it; one that differs between commands has a line for each of its forms."""

    name: str  # as it is typed; an argument that is known by its place has no dashes
    commands: str  # the names of the commands that have it, between spaces
    help: str
    kind: Kind = "text"  # what the value is read as
    metavar: str | None = None  # the name of the value in the help; None for that of its kind
    default: object = None  # what the command takes where it is not given; None leaves that to the Python function
    choices: tuple[str, ...] = ()  # the values that are allowed, where a message of the parser names them
    form: Literal["optional", "repeated", "required"] = "optional"
    #: The parameters of Python that it gives, between spaces. In messages the option stands in place of them.
    parameters: str = ""
    short: str = ""  # its name of one dash and one letter


PROGRAM = "bitsieve"
DESCRIPTION = "Feature selection by information, exact and in bits."
# fmt: off
COMMANDS = (
    Command("select", "select.run", "rank the features of a table by their information about its target",
            "Rank the features of a table by their information about its target. The ranking goes to standard output, "
            "notes and progress to standard error.",
            "Exit codes: 0 done, 1 failed inside, 2 a mistake in what was given (one line says which), "
            "130 interrupted, 141 the reader of the output left, 143 terminated.",
            check="select.check"),
    Command("explain", "select.run_explain",
            "say why a feature is selected or not, and with which selected one it is redundant",
            "Select as 'bitsieve select' does with the same options, and say in bits why a feature is selected or not: "
            "its relevance, how much of that is redundant, what it adds, and what would replace it.",
            check="select.check"),
    Command("count", "count.run",
            "count a table once and save the tables of all pairs of columns, which add up with those of more rows",
            "Count the tables of all pairs of columns of DATA with its target, and save them. Counts with the same "
            "bins add up: 'bitsieve select --counts DIR --counts DIR' selects from all their rows. Sites that may not "
            "share rows agree on bins by --vocabulary and --like.",
            check="count.check"),
    Command("sql", "count.run_sql",
            "print the statement by which a database counts all pairs of columns",
            "Print the statement that counts all pairs of columns of DATA with its target, with bins found in DATA: a "
            "database file, or a sample of its rows. 'bitsieve select --counts RESULT' selects from what it returns, "
            "saved as CSV or Parquet.", check="count.check_sql"),
    Command("how-many", "questions.run_how_many", "say how many columns to take, by five rules side by side",
            "Ask shuffles, the false discovery rate, stability, cross-validation and knockoffs how many columns a "
            "greedy method should take, and say how to read their difference.", check="questions.check_how_many"),
    Command("compare", "questions.run_compare",
            "cross-validate a classifier or regressor on what several methods select, for every number of features",
            "Cross-validate a classifier or regressor on the first k features of several methods, for every k. Each "
            "method ranks once a fold, on the training samples alone. The table goes to standard output, notes and "
            "progress to standard error.",
            "Ctrl-C keeps the finished folds in a file next to --output; the same command with --resume goes on.",
            check="questions.check_compare"),
    Command("bounds", "bounds.run",
            "bound the error that the best possible classifier has on the columns of a table",
            "Bound the error of the best possible classifier of the target from below and above, by a minimum spanning "
            "tree of the rows: on all columns, or on those of --column. Numbers are standardised, and a category is a "
            "column of zeros and ones, as 'bitsieve compare --bounds' has them for the columns that a method selects.",
            "The bounds hold for more and more rows; on few, or on many columns, they are estimates, and too high."),
    Command("interactions", "questions.run_interactions",
            "count all pairs or triples of columns, and list those that carry the most about the target together",
            "Count all pairs (or triples) of columns of DATA with its target, and list those that carry the most about "
            "it together. Synergy above 0: bits beyond those of the parts, up to 1 for an exclusive or; below 0: "
            "redundancy, for two copies of a column what each carries. p is the share of shuffles of the target in "
            "which the strongest of all is as strong.",
            "Cost: all pairs of 10,000 columns, 2,000 rows, 3 codes: 1.2 processor seconds; all triples of 1,000: 7. "
            "Every shuffle costs the same again. Of more columns search triples with --screen.",
            check="questions.check_interactions"),
    Command("drift", "drift.run",
            "say which columns move from period to period, or from one file to another",
            "Say in bits which columns of DATA move from period to period, whether they do so among rows of one class, "
            "and whether they keep their relation to the target. Without --period every file is a period: "
            "'bitsieve drift old.csv new.csv'. If the first file is a selection that 'bitsieve select --save' wrote, "
            "the data after it is compared with that of the selection. With --card, the columns of a scorecard are "
            "compared over its bins.",
            "A column drifts if its shift, within classes if there is a target, is above --max-drift bits, with a p of "
            "at most --level."),
    Command("apply", "saved.run_apply",
            "take the columns of a saved selection from new data, and say what has changed in them; or score new rows",
            "Take the columns of a selection that 'bitsieve select --save' wrote from DATA, best first, and the target "
            "if it is there. Columns are found by name, in any order and beside others; all that are missing are named "
            "in one error. With a scorecard that 'bitsieve scorecard --save' wrote in place of the selection, all "
            "columns of DATA are written, and behind them the points of each column of the scorecard and the score. "
            "DATA is read in batches, so that it may be larger than memory.",
            "Without --output the rows go to standard output as CSV; with --check alone the comparison does. "
            "--append-score: score_bits is the sum over the columns of log2 p(class | value) / p(class), by the counts "
            "of the selection, for the likely class; that is the one with the largest sum of log2 p(class) and these "
            "bits."),
    Command("verify", "saved.run_verify",
            "select again from the data by a saved selection, and compare every step bit for bit",
            "Select again from DATA with the options of a selection that 'bitsieve select --save' wrote, and compare "
            "rows, columns, target, options and every step. The first step that differs is named with its cause. Each "
            "step shows the runner-up and by how much it was behind.",
            "Exit codes: 0 all steps agree, bit for bit; 1 a step differs; 2 a mistake in what was given."),
    Command("diff", "saved.run_diff",
            "compare two saved selections: which columns entered, left and moved, and why",
            "Compare two files that 'bitsieve select --save' wrote: which columns entered, left and moved, which "
            "scores changed, and what is not the same: rows, columns, target, values, options or version.",
            "Exit codes: 0 the same columns, order and scores, bit for bit; 1 they differ; 2 a mistake in what was "
            "given."),
    Command("scorecard", "scorecard.run",
            "cut columns into bins whose event rate rises or falls, and give points to each bin",
            "Cut the columns of DATA into bins whose event rate rises or falls, with the largest information value "
            "(IV), and give points to each bin by a logistic regression on the weights of evidence (WOE) of the bins. "
            "The tables of bins go to standard output, notes to standard error."),
    Command("demo", "demo.run", "run the example of the README on a table of scikit-learn, and show the commands",
            "Write scikit-learn's breast cancer data, 30 measurements of 569 tumours, as a CSV file, and run 'bitsieve "
            "select' and 'bitsieve explain' on it. Each command is shown before its output. No network is needed."),
    Command("methods", "methods.run", "list every method, its paper and what it needs"),
    Command("completion", "completion.run", "print a script by which a shell completes commands and options",
            "Print a script by which a shell completes commands, options and their values. bash and zsh read it by "
            "'eval \"$(bitsieve completion bash)\"' in ~/.bashrc or ~/.zshrc, fish by "
            "'bitsieve completion fish | source' in ~/.config/fish/config.fish."),
)
# fmt: on
MOVED = {"reproduce": "python -m papers"}  # commands that are no part of the package any more

#: Why a command lacks an option of others, and what to do.
LACKING = {
    ("drift", "--duration"): "drift is measured of columns and classes: give the column of the event as --target",
    ("interactions", "--duration"): "interactions are counted by classes: give the column of the event as --target",
    ("scorecard", "--memory"): (
        "the bins of a scorecard need all rows in memory: give a sample of them, or select columns first, by "
        "'bitsieve select DATA --memory'"
    ),
    ("sql", "--strata"): "the counts of a statement have no strata: give the table to 'bitsieve select DATA --strata'",
}

IN_PLACE_OF_SET = {  # of those parameters of methods that --set does not take
    "algorithm": "--method",
    "stopping": "--stop",
    "constraints": "--include, --exclude and --group",
    "estimator": "--estimator",
    "effect": "--effect",
    "roles": "--roles",
}

SELECTING = "select explain"
SAVED = "apply verify"
JUDGING = "how-many compare"
TUPLES = "interactions"
BINNED_ALIKE = f"{SELECTING} count sql {JUDGING}"
ON_TABLES = f"{BINNED_ALIKE} {TUPLES}"
BOUNDS = "bounds"
SCORECARD = "scorecard"
DRIFT = "drift"
SEVERAL = "several files, a folder of them, or a pattern such as 'part*.csv', are one table"
FORMATS = (
    "a file, such as CSV, Parquet, Arrow, Excel or SQLite, whose format is detected from the content, compressed or "
    f"not; an address such as s3://...; -: standard input; {SEVERAL}"
)
TARGET = "the target column; y by default in .npz and libsvm"

# fmt: off
#: By the heading under which the page has them.
OPTIONS: Mapping[str, tuple[Option, ...]] = {
    "The table": (
        Option("selection", "apply",
               "the file that 'bitsieve select --save' wrote, or 'bitsieve scorecard --save'", metavar="SELECTION",
               form="required"),
        Option("selection", "verify", "the file that 'bitsieve select --save' wrote", metavar="SELECTION",
               form="required"),
        Option("then", "diff", "the earlier selection, a file that 'bitsieve select --save' wrote", metavar="THEN",
               form="required"),
        Option("now", "diff", "the later selection", metavar="NOW", form="required"),
        Option("feature", "explain", "the column to explain", metavar="FEATURE", form="required"),
        Option("data", f"{SELECTING} {JUDGING} {TUPLES} {SAVED} {BOUNDS} {SCORECARD}", FORMATS, "data"),
        Option("data", DRIFT, "a table with a column of periods, or a file for each period, or a saved selection and "
               "new data; formats as for select", "data"),
        Option("data", "count", f"Parquet, Arrow/Feather, CSV or TSV, read in batches; {SEVERAL}",
               "data"),
        Option("data", "sql", "a database file, or a table of rows of the same columns", "data"),
        Option("--period", DRIFT, "the column of the period of each row, such as its month", "column",
               parameters="period"),
        Option("--period-bins", DRIFT,
               "bins of equal frequency of periods that are dates or numbers, and of a target that is a quantity",
               "count", parameters="period_bins target_bins"),
        Option("--target", DRIFT, "the target column (repeatable: several together)", "column", form="repeated",
               short="-t"),
        Option("--table", f"{ON_TABLES} {SAVED} {BOUNDS} {DRIFT} {SCORECARD}",
               "the table of a database, or the sheet of a workbook", "name"),
        Option("--query", f"{ON_TABLES} {SAVED} {BOUNDS} {DRIFT} {SCORECARD}",
               "the query whose rows are read from a PostgreSQL server, in place of --table", "query"),
        Option("--relation", f"sql {SCORECARD}",
               "the table in the statement (default: that of --table, or the name of DATA)", "name"),
        Option("--counts", SELECTING,
               "select from counts that 'bitsieve count' or a statement of 'bitsieve sql' has saved, in place of DATA; "
               "give it again to add those up", "folder", form="repeated"),
        Option("--target", f"{SELECTING} {JUDGING} {TUPLES} {BOUNDS}",
               f"{TARGET}; give it again for several columns together", "column", form="repeated", short="-t"),
        Option("--target", f"count sql {SCORECARD}", "the target column", "column", form="required", short="-t"),
        Option("--event", SCORECARD,
               "the class that is the event (default: the greater of two numbers, and yes of yes and no)",
               metavar="CLASS", parameters="event"),
        Option("--duration", f"{SELECTING} {JUDGING}",
               "in place of --target, the column of the time to an event, or to the end of observation: scores are "
               "then bits per event", "column", parameters="duration"),
        Option("--event", f"{SELECTING} {JUDGING}",
               "with --duration, the column that is 1 where the event happened and 0 where the row is censored; "
               "status=2 takes the rows of value 2, of several kinds of events", "text", metavar="COLUMN[=VALUE]",
               parameters="event"),
        Option("--entry", f"{SELECTING} {JUDGING}",
               "with --duration, the column of the time from which each row was under observation", "column",
               parameters="entry"),
        Option("--intervals", f"{SELECTING} {JUDGING}",
               "with --duration, intervals of time of about as many events each, at least 20 (default: 1); 4 to look "
               "for hazards that cross", "integer", parameters="n_intervals"),
        Option("--target-bins", f"{ON_TABLES} {BOUNDS} {SCORECARD}",
               "classes that a quantity is cut into, or none: each number is a class (default: max(3, N^(1/5)))",
               "classes", parameters="target_bins"),
        Option("--target-kind", f"{ON_TABLES} {BOUNDS} {SCORECARD}",
               "what the target is (default: by its values: fractions, dates and many whole numbers are a quantity)",
               "name", choices=("classes", "quantity"), parameters="target_kind"),
        Option("--drop-missing-target", f"{ON_TABLES} {BOUNDS} {SCORECARD}",
               "leave rows without a target out, with a note (default; --output keeps them); --no-drop-missing-target: "
               "they are an error", "on or off",
               parameters="drop_missing_target"),
        Option("--weight", f"{SELECTING} count sql how-many {TUPLES} {DRIFT} {SCORECARD}",
               "the column of frequency weights, whole numbers: how often each row counts",
               "column", parameters="sample_weight"),
        Option("--weight-kind", f"{SELECTING} count sql how-many {TUPLES} {DRIFT} {SCORECARD}",
               "what --weight holds: frequency, how often each row counts, or sampling, the weights of a survey, which "
               "are scaled to the effective number of rows (default: frequency)",
               choices=("frequency", "sampling"), parameters="weight_kind"),
        Option("--groups", f"{SELECTING} {JUDGING}",
               "rows with one value here belong together: rules shuffle, folds and halves divide whole groups",
               "column", parameters="groups"),
        Option("--strata", f"{SELECTING} {JUDGING}",
               "rows are compared with those of the same value here only, such as a batch or site: all information is "
               "within the strata (repeatable: joint values)",
               "column", form="repeated", parameters="strata"),
        Option("--strata", "count",
               "count within the values of this column too, so that 'bitsieve select --counts DIR --strata COLUMN' can "
               "compare rows with those of the same value only", "column", form="repeated", parameters="strata"),
        Option("--groups", DRIFT,
               "rows with one value here belong together, such as the visits of one patient: p follows from shuffles "
               "of whole groups",
               "column", parameters="groups"),
        Option("--strata", DRIFT,
               "rows are compared with those of the same value here only, such as a region (repeatable: joint values)",
               "column", form="repeated", parameters="strata"),
        Option("--period", f"{SELECTING} {JUDGING}",
               "the column of the period of each row, such as its month: columns that move with it are left out",
               "column", parameters="period"),
        Option("--drift", f"{SELECTING} {JUDGING}",
               "exclude the columns that move with --period within the classes of the target, or take a penalty off "
               "their scores, or take all information within the periods (default: exclude)",
               "name", choices=("exclude", "penalty", "within"), parameters="drift"),
        Option("--max-drift", f"{SELECTING} {JUDGING}",
               f"of --drift exclude: a column moves above so many bits (default: {MAX_DRIFT})",
               "number", metavar="BITS", parameters="max_drift"),
        Option("--drift-penalty", f"{SELECTING} {JUDGING}",
               f"of --drift penalty: bits of score for a bit by which a column moves (default: {DRIFT_PENALTY:g})",
               "number", metavar="WEIGHT", parameters="drift_penalty"),
        Option("--repair", f"{ON_TABLES} {BOUNDS} {DRIFT} {SCORECARD}",
               "read text that means numbers or times as such, with a note on each (default); --no-repair: do not",
               "on or off", parameters="repair"),
        Option("--column-type", f"{ON_TABLES} {BOUNDS} {DRIFT} {SCORECARD}",
               "what a column holds: category, number, day-first or month-first, as zip=category, or numbers some of "
               "which mean a missing value, as 'age=number, missing 99 999' (repeatable)",
               "assignment", form="repeated", parameters="column_types"),
        Option("--header", f"{SELECTING} compare {TUPLES} apply {BOUNDS} {DRIFT} {SCORECARD}",
               "the first line of a text file has the names, whatever it looks like; --no-header: it is data already",
               "on or off", parameters="header"),
    ),
    "The shell": (
        Option("shell", "completion", "bash, zsh or fish", "name", metavar="SHELL", choices=("bash", "zsh", "fish")),
    ),
    "The method": (
        Option("method", "methods", "the method that is described (default: all)", "one or all",
               metavar="METHOD", parameters="method"),
        Option("--method", SELECTING, "one of 'bitsieve methods' (default: %(default)s)",
               "name", default=SELECT_METHOD, parameters="method algorithm"),
        Option("--method", "how-many", "a greedy one of 'bitsieve methods' (default: %(default)s)",
               "name", default=HOW_MANY_METHOD, parameters="method criterion"),
        Option("--protocol", SELECTING,
               "paper: select as the paper of the method does, by plug-in information, with a cut at the median where "
               "mdl makes none, and with the parameters of the paper",
               "name", choices=("paper",), parameters="protocol"),
        Option("--methods", "compare", f"of 'bitsieve methods' (default: {','.join(COMPARED)})",
               "names", parameters="method methods algorithm"),
        Option("--set", f"{SELECTING} compare",
               "a parameter of the method, such as beta=0.5, or of the rule of --stop; once for each "
               "('bitsieve methods' lists those of methods)",
               "assignment", form="repeated"),
        Option("--screen", SELECTING, "run the method on so many columns only: those of the largest relevance", "count",
               parameters="screen"),
        Option("--estimator", f"{SELECTING} how-many",
               "how information is estimated from counts: plug-in, corrected, miller-madow or "
               f"shrinkage (default: {ESTIMATOR})",
               "name", parameters="estimator"),
        Option("--effect", f"{SELECTING} how-many compare",
               "within --strata: any effect, or one that all strata have in common, as for matched sets (default: any)",
               choices=("any", "common"), parameters="effect"),
        Option("--roles", SELECTING,
               "with a method that selects a Markov blanket: say which columns are directly related to the target, and "
               "which only given others", "flag", parameters="roles"),
        Option("--like", "count", "counts whose bins are used, and their categories and classes beside those of DATA, "
               "so that all of them add up; or the vocabularies of all sites, from which the bins follow (repeatable)",
               "folders", metavar="PATH"),
        Option("--min-count", "count", "with --vocabulary: the rows that a value needs to be listed (default: 5)",
               "count"),
        Option("--min-cell", "count",
               "save no exact counts, but each rounded at random to a multiple of N, down or up (with vocabularies as "
               "--like; N is 3 or more)", "count"),
        Option("--salt-file", "count",
               "a file with a secret that all sites have: hashes by it stand in place of the text of categories",
               "file"),
        Option("--site", "count", "the name of the site, which the counts carry", "name"),
    ),
    "Drift": (
        Option("--card", DRIFT,
               "a scorecard that 'bitsieve scorecard --save' wrote: the population stability index of its columns "
               "over its bins, of one file beside the data of the scorecard, or of a second file beside the first",
               "file", metavar="CARD"),
        Option("--reference", DRIFT, "the period that the population stability index compares with (default: the "
               "first)", metavar="PERIOD", parameters="reference"),
        Option("--max-drift", DRIFT, f"a column drifts above so many bits (default: {MAX_DRIFT})", "number",
               metavar="BITS", parameters="max_drift"),
        Option("--level", DRIFT, "and with a p of at most this, adjusted for all columns (default: 0.05)", "number",
               metavar="P", parameters="level"),
    ),
    "Pairs and triples": (
        Option("--order", TUPLES, "2: all pairs of columns, 3: all triples (default: %(default)s)", "count", default=2,
               parameters="order"),
        Option("--statistic", TUPLES,
               "synergy, interaction (information), gain (the largest of one column given the others) or joint "
               "(information) (default: %(default)s)", "name", default="synergy", parameters="statistic"),
        Option("--top", TUPLES, "how many pairs or triples are kept (default: %(default)s)", "count", default=100,
               parameters="top"),
        Option("--shuffles", TUPLES,
               "shuffles of the target, for p (default: 99 where they take some seconds, else none); 0: none",
               "integer", parameters="n_shuffles"),
        Option("--strata", TUPLES, "shuffle within the values of this column only, which is then in no tuple", "column",
               parameters="strata"),
        Option("--rate-by", TUPLES,
               "the false discovery rate of columns: from the shuffles, or from one search with shuffled copies of "
               "some columns, by --statistic gain (default: %(default)s)", "name", choices=("shuffles", "contrasts"),
               default="shuffles", parameters="rate_by"),
        Option("--screen", TUPLES, "search among so many columns only, those of the largest gain in pairs", "count",
               parameters="screen"),
    ),
    "How many features": (
        Option("--features", SELECTING,
               "how many to select: a number, a share such as 0.1, or auto (default: "
               f"{N_FEATURES}, or all if there are fewer)",
               "how many", parameters="n_features_to_select", short="-k"),
        Option("--features", SCORECARD, "select so many columns first, by --method (default: take all)", "count",
               parameters="n_features_to_select", short="-k"),
        Option("--method", SCORECARD, "the method of --features, one of 'bitsieve methods' (default: %(default)s)",
               "name", default="cmim", parameters="method"),
        Option("--features", "compare",
               "numbers of features, or a list as 5,10,20 (default: 10:100, or each number when there are 20 or fewer)",
               "range", parameters="features", short="-k"),
        Option("--stop", SELECTING,
               "end earlier: significance, permutation, fdr, conditional, knockoffs (by --binning quantile), dcrt, "
               "gaussian-knockoffs, threshold (with --features auto: significance)",
               metavar="RULE", parameters="stopping"),
        Option("--level", SELECTING, "level of significance, permutation (default: 0.05) or another rule (0.1)",
               "number", metavar="P", parameters="level"),
        Option("--draws", SELECTING,
               "draws of knockoffs, gaussian-knockoffs (default: 1); the list has at least 1 / level columns, or none; "
               "with several draws at least 1.25 / level, those that nearly all draws select",
               "count", parameters="n_draws"),
        Option("--min-bits", SELECTING,
               "what a feature must add under threshold, before correction for chance; the first also after it "
               "(default: 0.01)", "number", metavar="BITS", parameters="bits"),
    ),
    "Columns in and out": (
        Option("--include", f"{SELECTING} how-many",
               "select it first, whatever its score; an identifier: keep it (repeatable)",
               "column", form="repeated", parameters="include must_include"),
        Option("--include", f"count sql compare {TUPLES} {BOUNDS} {DRIFT} {SCORECARD}",
               "keep it although it looks like an identifier (repeatable)", "column", form="repeated",
               parameters="include must_include"),
        Option("--exclude", f"{SELECTING} {JUDGING} count sql {TUPLES} {BOUNDS} {DRIFT} {SCORECARD}",
               "never select it (repeatable)", "column", form="repeated", parameters="exclude"),
        Option("--identifiers", f"{ON_TABLES} {BOUNDS} {DRIFT} {SCORECARD}",
               "columns in which nearly every row has a value of its own: drop them, with a note, or keep them "
               "(default: drop)", choices=("drop", "keep"), parameters="identifiers"),
        Option("--group", SELECTING, "columns taken together (repeatable)", "columns", form="repeated"),
        Option("--affiliated", "select",
               "list for every selected column the others that are correlated with it by 1 - TAU or more", "number",
               metavar="TAU", parameters="tau"),
        Option("--affiliated-by", "select",
               "what --affiliated compares columns by: correlation, or information, which text and counts have, too "
               "(default: correlation)", choices=("correlation", "information"), parameters="by"),
    ),
    "Columns to codes": (
        Option("--binning", BINNED_ALIKE,
               "how numeric columns become codes: mdl, monotone, quantile, uniform, or none for codes already "
               f"(default: {BINNING}: mdl, or quantile where the target is a quantity)",
               metavar="RULE", parameters="binning"),
        Option("--binning", TUPLES,
               "how numeric columns become codes: quantile, uniform, mdl, monotone, auto, or none for codes already "
               f"(default: {INTERACTIONS_BINNING})", metavar="RULE", parameters="binning"),
        Option("--bins", BINNED_ALIKE,
               "bins of quantile and uniform, at most so many of monotone (default: 10; by auto max(3, N^(1/5)) + 1)",
               "count", parameters="n_bins"),
        Option("--bins", TUPLES,
               f"bins of quantile and uniform (default: {INTERACTIONS_BINS[2]} for pairs, {INTERACTIONS_BINS[3]} for "
               "triples)", "count", parameters="n_bins"),
        Option("--binning", DRIFT,
               "how numeric columns become codes: quantile, uniform, or none for codes already; not auto, mdl and "
               f"monotone, which cut by a target (default: {DRIFT_BINNING})", metavar="RULE", parameters="binning"),
        Option("--bins", DRIFT, "bins of quantile and uniform (default: 10)", "count", parameters="n_bins"),
        Option("--uncut", ON_TABLES,
               "a column without a cut: leave it, cut it at its median (of mdl), or give its largest value a code of "
               "its own (apart, of quantile); default: leave, or median of compare with --protocol paper and classes",
               choices=("leave", "median", "apart"), parameters="uncut"),
        Option("--bins-within", f"{SELECTING} {JUDGING}",
               "with --strata: cut numbers in each stratum for itself, by quantile or uniform (default: all have "
               "the same bins)", "flag", parameters="bins_within"),
        Option("--missing", f"{ON_TABLES} {DRIFT}", "missing values: an error, or a code of their own (default: bin)",
               choices=("error", "bin"), parameters="missing"),
    ),
    "Bins and points": (
        Option("--trend", SCORECARD,
               "how the event rate of a column goes, as age=descending: auto, ascending, descending, peak, valley or "
               "none (repeatable; default: auto)", "assignment", form="repeated", parameters="trend"),
        Option("--max-bins", SCORECARD, "the largest number of bins (default: 10)", "count", parameters="max_n_bins"),
        Option("--min-share", SCORECARD, "the smallest share of all rows of a bin (default: 0.05)", "number",
               metavar="SHARE", parameters="min_bin_share"),
        Option("--min-events", SCORECARD,
               "the smallest number of rows with the event in a bin; 0 lets a column separate the classes (default: 1)",
               "integer", parameters="min_events"),
        Option("--min-nonevents", SCORECARD, "the smallest number of rows without the event in a bin (default: 1)",
               "integer", parameters="min_nonevents"),
        Option("--min-level-share", SCORECARD,
               "categories with a smaller share of all rows are together as \"other\" (default: 0.01)", "number",
               metavar="SHARE", parameters="min_level_share"),
        Option("--special", SCORECARD,
               "a value that is no measurement and has a bin of its own, as -999, income=-999,-998 or "
               "opened=1900-01-01 (repeatable)",
               metavar="VALUE", form="repeated", parameters="special_values"),
        Option("--points", SCORECARD,
               "the scale, as pdo=20,base=600,odds=50: base points at these odds, and pdo more double them",
               metavar="SCALE", parameters="points"),
        Option("--drop-wrong-sign", SCORECARD, "leave out columns with a negative coefficient, one at a time", "flag",
               parameters="drop_wrong_sign"),
    ),
    "Cross-validation": (
        Option("--classifier", "how-many", "the model, as for compare",
               "name", parameters="classifier"),
        Option("--classifier", "compare",
               "the model: linear-svm, lda (linear discriminant), knn (3 neighbours), ncm (nearest class mean), bgm (a "
               "Gaussian mixture a class), vbem or gmm (one for all), forest, boosting (default: linear-svm; lda above "
               "10,000 rows, and where roc_auc is the default); for a quantity a regressor: ridge (the default), knn "
               "(10 neighbours), forest, boosting; for a time to an event cox (the default) or forest",
               "name", parameters="classifier"),
        Option("--scoring", JUDGING,
               "accuracy, roc_auc, mae, rmse, rank_correlation or a scorer of scikit-learn (default: accuracy; if a "
               "class has over 80 %% of the rows, roc_auc for two classes and balanced_accuracy for more; for a "
               "quantity r2); of a time to an event concordance (the default), uno or integrated_brier",
               "name", parameters="scoring"),
        Option("--folds", JUDGING, "stratified folds, or loo (default: loo below 100 rows, else 10)",
               "folds", parameters="folds"),
        Option("--protocol", "compare",
               "nested: ranked inside each fold; paper: once on all rows, with plug-in information and the parameters "
               "of the papers, as published, too good (default: %(default)s)",
               "name", default="nested", parameters="protocol"),
        Option("--pairs", "how-many", "pairs of halves for stability (default: %(default)s)",
               "count", default=50, parameters="n_pairs"),
        Option("--bounds", "compare", "bound the error of the best possible classifier on what is chosen", "flag",
               parameters="bounds"),
        Option("--column", BOUNDS, "bound the error on this column only, and those of further --column (repeatable)",
               "column", form="repeated", parameters="column"),
        Option("--tree", BOUNDS, "global: one tree of all rows; pairwise: one of every two classes (default: "
               "%(default)s)", "name", default="global", choices=("global", "pairwise"), parameters="tree"),
        Option("--seed", f"{JUDGING} {TUPLES}", "of what is drawn at random (default: %(default)s)",
               "integer", default=0, parameters="random_state"),
    ),
    "New data": (
        Option("--codes", "apply", "write the codes of the values, by the cuts of the selection; -1 for no code",
               "flag"),
        Option("--append-score", "apply",
               "add the columns likely_class and score_bits: the likely class of a row, and the bits by which its "
               "values speak for it", "flag", parameters="append_score"),
        Option("--check", "apply",
               "compare DATA with the data of the selection, and say which columns have moved", "flag"),
    ),
    "What is written": (
        Option("--json", f"{SELECTING} {JUDGING} {TUPLES} {BOUNDS} {DRIFT} {SCORECARD} methods {SAVED} diff",
               "print one JSON document", "flag"),
        Option("--output", "select",
               "save the selected columns, best first, and the target; .parquet, .csv, .tsv, .arrow, .feather or .npz",
               "file", short="-o"),
        Option("--output", "apply",
               "the file that is written; .parquet, .csv, .tsv, .arrow, .feather or .npz (default: CSV to standard "
               "output)", "file", short="-o"),
        Option("--output", "demo", "the folder that the table is written to (default: %(default)s)", "folder",
               default="demo_output", short="-o"),
        Option("--output", "compare", "save errors by method, fold and number; .parquet, .csv or .json",
               "file", short="-o"),
        Option("--output", TUPLES, "save the pairs or triples, a row each; .csv, .json or .parquet", "file",
               short="-o"),
        Option("--output", DRIFT, "save the figures of every column, a row each; .csv, .json or .parquet", "file",
               short="-o"),
        Option("--output-columns", TUPLES, "save the strongest of every column, a row a column; as --output", "file"),
        Option("--output-ranking", "select", "save the ranking, a row a column; .csv, .json or .parquet", "file"),
        Option("--force", f"select count how-many compare {TUPLES} {DRIFT} {SCORECARD} apply",
               "overwrite files that are there already", "flag"),
        Option("--resume", "compare", "go on with the finished folds of an interrupted run", "flag"),
        Option("--report", f"select compare how-many {SCORECARD}",
               "write a report with figures, in one file (needs bitsieve[report])", "file", metavar="FILE.html"),
        Option("--figure", f"select how-many {TUPLES} {DRIFT}",
               "draw it: .png, .svg or .pdf (needs bitsieve[report])", "file"),
        Option("--save", "select",
               "save the selection, without rows, for later use and for comparison; in Python bitsieve.load reads it",
               "file", metavar="FILE.json"),
        Option("--save", SCORECARD, "save the scorecard; in Python bitsieve.Scorecard.load reads it", "file",
               metavar="FILE.json"),
        Option("--sql", SCORECARD, "write the statement that scores the rows of a database", "file",
               metavar="FILE.sql"),
        Option("--dialect", SCORECARD, "the dialect of --sql (default: %(default)s)", "name", default="ansi",
               choices=("ansi", "postgres", "duckdb", "sqlite", "snowflake", "bigquery", "spark"),
               parameters="dialect"),
        Option("--save", "count", "the folder that the counts are written to", "folder"),
        Option("--vocabulary", "count",
               "write the categories, ranges and classes of DATA in place of counts, for --like of all sites", "file",
               metavar="FILE.json"),
        Option("--verbose", f"{ON_TABLES} {BOUNDS} {DRIFT} {SCORECARD} apply",
               "write all notes in full to standard error (default: at most three lines, the most important first)",
               "flag", short="-v"),
        Option("--quiet", f"{ON_TABLES} {BOUNDS} {DRIFT} {SCORECARD} {SAVED}",
               "write no notes and no progress to standard error, only errors", "flag", short="-q"),
    ),
    "Memory, threads and clusters": (
        Option("--memory", f"{SELECTING} {TUPLES} {DRIFT} verify",
               "about how much memory to take, such as 4GB: DATA is read in batches, and may be a folder of files",
               metavar="BYTES", parameters="memory"),
        Option("--memory", "count sql apply", "about how much memory to take, such as 4GB (default: 2GiB)",
               metavar="BYTES", parameters="memory"),
        Option("--spool", f"{SELECTING} {TUPLES} {DRIFT}",
               "keep what was packed of DATA there for later runs; DATA is read in batches", "folder",
               parameters="spool"),
        Option("--push-down", f"{SELECTING} {DRIFT}",
               "count the rows of a database file where they are (default: from 2^28 values on); --no-push-down: read "
               "them", "on or off", parameters="push_down"),
        Option("--threads", f"{ON_TABLES} {DRIFT} {SCORECARD} verify",
               "threads (default: all cores); the result is the same for any number", "count", parameters="n_jobs"),
        Option("--engine", f"{SELECTING} {TUPLES} {DRIFT} verify",
               "where the rows are worked on: local, in memory; stream, in batches; or dask, in parts, by the threads "
               "of this process or by --scheduler (default: stream for a folder, with --memory and with --spool, "
               "else local)",
               "name", parameters="engine"),
        Option("--scheduler", "select",
               "count on a Dask cluster, whose workers read DATA under the same path; local starts one on this "
               "machine, of --threads workers (needs bitsieve[dask])", metavar="ADDRESS"),
    ),
}
#: The options that most people need, which the help of a command has first.
COMMON = (
    "selection", "then", "now", "feature", "data", "--codes", "--append-score", "--check",
    "--target", "--features", "--method", "--methods", "--classifier", "--exclude", "--missing",
    "--order", "--output", "--save", "--report", "--figure",
)
# fmt: on


def all_options() -> list[Option]:
    """The options of all commands."""
    return list(chain.from_iterable(OPTIONS.values()))


def options_of(command: str) -> list[Option]:
    """The options of a command."""
    return [option for option in all_options() if command in option.commands.split()]


def function_at(path: str) -> Callable[..., Any]:
    """The function of a module of ``bitsieve.cli``, such as "select.run"."""
    module_name, _, function_name = path.partition(".")
    function: Callable[..., Any] = getattr(import_module(f"bitsieve.cli.{module_name}"), function_name)
    return function
