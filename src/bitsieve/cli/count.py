"""``bitsieve count`` and ``bitsieve sql``: the tables of all pairs of columns, counted here or by a database."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bitsieve.cli.build import column_options, discretization_options, execution_options, read_options
from bitsieve.cli.results import note_lines
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.io.output import check_output
from bitsieve.io.saved_files import is_saved_vocabulary
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.progress import phase, progress_bar
from bitsieve.utils.sql import identifier
from bitsieve.utils.terminal_text import printable_lines

if TYPE_CHECKING:
    from bitsieve.discretization.base import Binning
    from bitsieve.engines.partitioned_dataset import PartitionedDataset
    from bitsieve.engines.registry import DataInParts
    from bitsieve.engines.salt import Salt
    from bitsieve.engines.saved_counts import SavedCounts
    from bitsieve.options import DiscretizationOptions
    from bitsieve.pipeline.prepare import Prepared


DEFAULT_BINS = 10  # intervals of numbers by vocabularies
DEFAULT_MIN_COUNT = 5  # a value in fewer rows is not listed in a vocabulary


def run(arguments: argparse.Namespace) -> int:
    """Read, and save a vocabulary or counts."""
    _check_outputs(arguments)
    salt = _salt(arguments)
    if arguments.vocabulary is not None:
        return _write_vocabulary(arguments, salt)
    return _save_counts(arguments, salt)


def _save_counts(arguments: argparse.Namespace, salt: Salt | None) -> int:
    """Count the rows, round the counts if asked for, and save them."""
    with progress_bar(not arguments.quiet):
        from bitsieve.engines.counts_file import check_folder

        check_folder(arguments.save)
        counts = _count_with_new_bins(arguments, salt) if arguments.like is None else _count_like(arguments, salt)
        if arguments.min_cell is not None:
            counts = _rounded(counts, arguments.min_cell, salt)
        replace(counts, site=arguments.site or "").save(arguments.save)
    n_samples = int(counts.class_sizes.sum())
    n_columns = len(counts.names)
    arguments.say(
        f"saved the counts of {n_samples:,} samples and all pairs of {n_columns:,} columns to {arguments.save!r}"
    )
    return 0


def check(arguments: argparse.Namespace, reads_data: bool) -> None:
    """Raise UserError for what would stop ``bitsieve count``."""
    from bitsieve.engines.counts_file import check_folder

    _check_outputs(arguments)
    salt = _salt(arguments)
    if arguments.save is not None:
        check_folder(arguments.save)
    if arguments.like is None:
        discretization = discretization_options(arguments)
    else:
        discretization = _discretization_like(arguments)
        _load_like(arguments.like, discretization, salt)
    if reads_data:
        table, _ = _read(_source(arguments), arguments, discretization)
        _prepared(table, discretization, arguments)


def _source(arguments: argparse.Namespace) -> DataInParts:
    from bitsieve.engines.stream import StreamSource

    return StreamSource(arguments.data, arguments.memory)


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go together, and outputs that are there already."""
    if arguments.strata and arguments.salt_file is not None:
        raise UserError(
            code="contradicting-parameters",
            message="--salt-file hashes the text of columns, and counts hold the values of --strata as they are",
            advice="leave one of them out",
        )
    if arguments.vocabulary is None:
        _check_options_of_counts(arguments)
    else:
        _check_options_of_vocabulary(arguments)


def _check_options_of_counts(arguments: argparse.Namespace) -> None:
    if arguments.min_count is not None:
        raise UserError(
            code="parameter-without-effect",
            message="--min-count has an effect only with --vocabulary",
            advice="add that, or leave it out",
        )
    _refuse_existing_counts(arguments)
    if arguments.min_cell is not None:
        _check_min_cell(arguments)


def _check_options_of_vocabulary(arguments: argparse.Namespace) -> None:
    options_of_counts = {
        "--save": arguments.save,
        "--like": arguments.like,
        "--binning": arguments.binning,
        "--bins": arguments.bins,
        "--min-cell": arguments.min_cell,
    }
    typed = [name for name, value in options_of_counts.items() if value is not None]
    if typed:
        raise UserError(
            code="contradicting-parameters",
            message=f"--vocabulary writes categories and ranges and no counts, and {typed[0]} is for counts",
            advice="write the vocabularies of all sites first, and then count with --like",
        )
    if os.path.exists(arguments.vocabulary) and not arguments.force:
        raise UserError(
            code="output-exists",
            message=f"--vocabulary {arguments.vocabulary!r} is there already",
            advice="add --force to overwrite it, or give another name",
        )
    check_output(arguments.vocabulary, (".json",), what="vocabulary")


def _check_min_cell(arguments: argparse.Namespace) -> None:
    """Refuse rounded counts whose categories may be those of a few rows, and a base that hides no row."""
    from bitsieve.engines.rounded_counts import check_base

    check_base(arguments.min_cell)
    if not any(map(is_saved_vocabulary, arguments.like or ())):
        raise UserError(
            code="contradicting-parameters",
            message="--min-cell needs a vocabulary, as the counts would list rare categories",
            advice="write one by --vocabulary, and give it as --like",
        )


def _refuse_existing_counts(arguments: argparse.Namespace) -> None:
    """Refuse to overwrite saved counts without --force."""
    existing_files = os.listdir(arguments.save) if os.path.isdir(arguments.save) else []
    is_free = all(name.startswith(".bitsieve-") for name in existing_files)  # a killed run leaves such files
    if not is_free and not arguments.force:
        raise UserError(
            code="output-exists",
            message=f"--save {arguments.save!r} is there already",
            advice="add --force to overwrite it, or give another name",
        )


def _count_with_new_bins(arguments: argparse.Namespace, salt: Salt | None) -> SavedCounts:
    """Count with bins that are found in the table itself."""
    from bitsieve.engines.count_pairs import count_table

    discretization = discretization_options(arguments)
    table, binner = _read(_source(arguments), arguments, discretization)
    prepared = _prepared(table, discretization, arguments)
    _print_notes(arguments, [*table.diagnostics, *prepared.diagnostics])
    counts = count_table(prepared.table, binner, small_integers_as_categories=discretization.leaves_codes_open)
    return counts if salt is None else salt.hashed_counts(counts)


def _rounded(counts: SavedCounts, base: int, salt: Salt | None) -> SavedCounts:
    from bitsieve.engines.rounded_counts import rounded_counts

    phase("rounding counts")
    secret = b"" if salt is None else salt.key
    return rounded_counts(counts, base, secret)


def _write_vocabulary(arguments: argparse.Namespace, salt: Salt | None) -> int:
    """Write the categories and ranges of the columns, and the classes."""
    from bitsieve.options import DiscretizationOptions

    # What a vocabulary needs of a column is what this rule needs, so that the rows are summarized once.
    discretization = DiscretizationOptions(binning="quantile", missing="bin")
    with progress_bar(not arguments.quiet):
        from bitsieve.engines.vocabulary import Vocabulary, check_target

        table, _ = _read(_source(arguments), arguments, discretization)
        check_target(table.target)
        prepared = _prepared(table, discretization, arguments)
        _print_notes(arguments, [*table.diagnostics, *_notes_at_every_site(prepared)])
        without_dropped = table.without(_dropped_at_every_site(prepared))
        min_count = arguments.min_count or DEFAULT_MIN_COUNT
        site = arguments.site or ""
        vocabulary = Vocabulary.of_table(without_dropped, min_count, site=site, salt=salt)
        vocabulary.save(arguments.vocabulary)
    arguments.say(f"saved the vocabulary of {len(vocabulary.columns):,} columns to {arguments.vocabulary!r}")
    return 0


def _count_like(arguments: argparse.Namespace, salt: Salt | None) -> SavedCounts:
    """Count with the bins of other counts, or with those that follow from vocabularies."""
    from bitsieve.engines.count_pairs import (
        added_classes,
        check_same_columns,
        check_same_target,
        count_like,
        counted_strata,
    )
    from bitsieve.engines.saved_counts import check_same_strata

    discretization = _discretization_like(arguments)
    like = _load_like(arguments.like, discretization, salt)
    table, _ = _read(_source(arguments), arguments, discretization)
    first = "the vocabularies"
    if like.class_sizes.any():  # vocabularies alone have no rows, and do not say within which strata these are
        first = "the first counts"
        check_same_strata(like.strata, counted_strata(table))
    names = list(map(str, table.names))
    check_same_columns(names, "the data", like.names, first)
    check_same_target(table.target.name, "the data", like.target.name, first)
    like = like.in_order(names)
    prepared = _prepared(table.without(like.dropped), discretization, arguments)
    hash_categories = None if salt is None else salt.hashed
    without_dropped = table.without(_dropped_at_every_site(prepared))
    counts = count_like(without_dropped, like, hash_categories=hash_categories)
    notes = _notes_at_every_site(prepared)
    on_classes = added_classes(table.target, like.target, first)
    if on_classes is not None:
        notes.append(on_classes)
    _print_notes(arguments, [*table.diagnostics, *notes])
    return counts


def _discretization_like(arguments: argparse.Namespace) -> DiscretizationOptions:
    """The bins with --like: those of counts, or of equal width where there are vocabularies alone."""
    has_vocabularies_alone = all(map(is_saved_vocabulary, arguments.like))
    if not has_vocabularies_alone:
        _refuse_bins_beside_counts(arguments)
    discretization = discretization_options(arguments, "uniform" if has_vocabularies_alone else BINNING)
    if has_vocabularies_alone and discretization.binning != "uniform":
        raise UserError(
            code="contradicting-parameters",
            message=f"vocabularies hold ranges, which cannot be cut by --binning {discretization.binning}",
            advice="leave it out for bins of equal width, or let the first site count without --like",
        )
    return discretization


def _refuse_bins_beside_counts(arguments: argparse.Namespace) -> None:
    """Refuse options of bins where the bins are those of other counts."""
    for name in ("binning", "bins", "uncut", "missing"):
        if getattr(arguments, name) is not None:
            raise UserError(
                code="parameter-without-effect",
                message=f"--{name} has no effect beside counts of --like, whose bins are used",
                advice="leave it out",
            )


def _load_like(paths: Sequence[str], discretization: DiscretizationOptions, salt: Salt | None) -> SavedCounts:
    """The sum of the counts of --like with the values of its vocabularies; counts of no rows for vocabularies alone."""
    from bitsieve.engines.joined_vocabularies import empty_counts, with_vocabularies
    from bitsieve.engines.salt import check_same_salt
    from bitsieve.engines.saved_counts import load_sum
    from bitsieve.engines.vocabulary import Vocabulary

    vocabularies = [Vocabulary.load(path) for path in paths if is_saved_vocabulary(path)]
    for vocabulary in vocabularies:
        check_same_salt(vocabulary.salt, salt, "vocabularies of --like")
    folders = [path for path in paths if not is_saved_vocabulary(path)]
    if not folders:
        return empty_counts(vocabularies, discretization.n_bins or DEFAULT_BINS, discretization.missing or "bin")
    counts = load_sum(folders)
    check_same_salt(counts.salt, salt, "counts of --like")
    return with_vocabularies(counts, vocabularies) if vocabularies else counts


def _salt(arguments: argparse.Namespace) -> Salt | None:
    """The salt by which the text of categories is hashed; None where the text stays."""
    from bitsieve.engines.salt import Salt

    return None if arguments.salt_file is None else Salt.from_file(arguments.salt_file)


def _dropped_at_every_site(prepared: Prepared[PartitionedDataset]) -> list[int]:
    """The columns that no site can use: all that are dropped but the empty ones, which may have values elsewhere."""
    return [j for j, reason in prepared.dropped.items() if reason != "empty"]


def _notes_at_every_site(prepared: Prepared[PartitionedDataset]) -> list[Diagnostic]:
    """The notes on a table but those on its empty columns, which may have values elsewhere."""
    return [note for note in prepared.diagnostics if note.code != "empty"]


def run_sql(arguments: argparse.Namespace) -> int:
    """Find the bins, and print the statement that counts all pairs of columns."""
    discretization = discretization_options(arguments)
    with progress_bar(not arguments.quiet):
        from bitsieve.engines.sql import statement

        relation = _relation_of_sql(arguments)
        table, binner = _read(_source_of_sql(arguments), arguments, discretization)
        prepared = _prepared(table, discretization, arguments)
        _print_notes(arguments, [*table.diagnostics, *prepared.diagnostics])
        counted_table = prepared.table
        if discretization.leaves_codes_open:
            counted_table = counted_table.with_small_integers_as_categories()
        text = statement(counted_table, binner, relation)
    print(printable_lines(text))
    return 0


def check_sql(arguments: argparse.Namespace, reads_data: bool) -> None:
    """Raise UserError for what would stop ``bitsieve sql``."""
    discretization = discretization_options(arguments)
    if reads_data:
        table, _ = _read(_source_of_sql(arguments), arguments, discretization)
        _prepared(table, discretization, arguments)


def _relation_of_sql(arguments: argparse.Namespace) -> str:
    """The name of the relation in the statement: that of --relation, of the table in a database, or of the file."""
    from bitsieve.io.database import name_of_table
    from bitsieve.io.read import database_kind

    if arguments.relation is not None:
        return ".".join(map(identifier, arguments.relation.split(".")))
    if database_kind(arguments.data):
        return name_of_table(arguments.data)
    return identifier(Path(str(arguments.data)).stem)


def _source_of_sql(arguments: argparse.Namespace) -> DataInParts:
    """Where the bins are found: in the database itself, or in the rows of a file."""
    from bitsieve.engines.in_database import DatabaseSource
    from bitsieve.engines.stream import StreamSource
    from bitsieve.io.read import database_kind

    if database_kind(arguments.data) == "duckdb":
        return DatabaseSource(arguments.data)
    return StreamSource(arguments.data, arguments.memory)


def _read(
    source: DataInParts, arguments: argparse.Namespace, discretization: DiscretizationOptions
) -> tuple[PartitionedDataset, Binning]:
    """Open the table, and make the rule that bins it."""
    from bitsieve.discretization.registry import make_discretizer
    from bitsieve.engines.partitioned_dataset import PartitionedDataset
    from bitsieve.engines.registry import refuse_sampling_weights
    from bitsieve.io.errors import DataError
    from bitsieve.io.libsvm import LibsvmFile
    from bitsieve.io.read import STANDARD_INPUT, open_columns

    if source.target_in_file is not None:
        open_columns(arguments.data)  # refuses sparse rows
    read = read_options(arguments)
    refuse_sampling_weights(read)
    table = source.read_in_parts(read)
    if not isinstance(table, PartitionedDataset):  # sparse rows, or a file of AnnData
        if arguments.data != STANDARD_INPUT:
            open_columns(arguments.data)  # refuses the file by what it is
        raise DataError(code="cannot-read", message=f"{arguments.data!r} is {LibsvmFile.refusal}")
    return table, make_discretizer(discretization, arguments.threads or -1).for_table(table)


def _prepared(
    table: PartitionedDataset, discretization: DiscretizationOptions, arguments: argparse.Namespace
) -> Prepared[PartitionedDataset]:
    """Prepare the table: drop the columns that are no features."""
    from bitsieve.pipeline.prepare import prepare

    return prepare(table, column_options(arguments), discretization, execution_options(arguments))


def _print_notes(arguments: argparse.Namespace, diagnostics: Sequence[Diagnostic]) -> None:
    for note in note_lines(arguments, diagnostics):
        arguments.say(f"note: {note}")
