"""All codes of notes and errors, in one table: what each means, and what to do.

Its order is the order in which notes are shown: of several, the first ones are printed. ``python -m tools.codes_page``
makes ``docs/reference/notes_and_errors.md`` of it, and a test compares it with the codes that occur in the source.
"""

from __future__ import annotations

from typing import NamedTuple

from bitsieve.diagnostics import Severity


class Code(NamedTuple):
    """A row of the table."""

    severity: Severity
    meaning: str
    action: str
    #: The middle of a line about several columns, such as "3 columns hold numbers with text among them: a, b, c".
    predicate: str = ""


CODES: dict[str, Code] = {
    # Warnings on the selection
    "no-information": Code(
        "warning", "No selected column has information about the target.", "Do not use the selection."
    ),
    "not-informative": Code(
        "warning", "No selected column is shown to be more informative than chance.", "Do not use the selection."
    ),
    "leak": Code(
        "warning",
        "A column alone decides the target in nearly all rows.",
        "Exclude it if it is not known at prediction time.",
    ),
    "too-good": Code(
        "warning",
        "The information value of a column is above .5, or a column has one bin as it separates the classes.",
        "Exclude it if it is not known at prediction time.",
    ),
    "coefficient-sign": Code(
        "warning",
        "A column of a scorecard has a negative coefficient: bins of more events get better points.",
        "Set `drop_wrong_sign=True`.",
    ),
    "bounds-not-kept": Code(
        "warning", "No bins of a column keep the bounds, so that it has one bin.", "Loosen the bound that is named."
    ),
    "few-rows": Code(
        "warning", "The table has so few rows that any column may look informative by chance.", "Get more rows."
    ),
    "text-in-order": Code(
        "warning",
        "The rule takes the values of columns of text in their alphabetical order, as if they were numbers.",
        'Exclude these columns, give them numbers, or use `stopping="conditional"`.',
    ),
    "missing-in-order": Code(
        "warning",
        "The rule takes codes as if they were numbers, and the missing values of a column have its largest code.",
        'Fill them in, such as with the median, or use `stopping="conditional"`.',
    ),
    # Warnings on the target and on rows
    "many-classes": Code(
        "warning",
        "The target has suspiciously many classes.",
        'Check that it is no identifier; set `target_kind="quantity"` if it is numeric.',
    ),
    "single-row-class": Code(
        "warning",
        "A class of the target has a single row, as a typing error or a row of totals makes it.",
        "Correct or delete the row.",
    ),
    "classes-alike": Code(
        "warning",
        "Classes of the target differ in upper and lower case or in blanks only.",
        "Give each class one spelling if they mean the same.",
    ),
    "weights-like-sampling": Code(
        "warning",
        "Frequency weights count every row many times, as the weights of a survey do.",
        'Set `weight_kind="sampling"` if they are the weights of a survey.',
    ),
    "repeated-identifier": Code(
        "warning", "A column names persons or other units that have several rows.", "Set `groups` to that column."
    ),
    "rows-alike": Code(
        "warning",
        "Neighbouring rows are alike, so they may not be independent.",
        "Set `groups` if rows belong together.",
    ),
    "small-strata": Code(
        "warning",
        "Strata have few rows, and the information within few rows is mostly chance.",
        'Set `effect="common"`.',
    ),
    "strata-determine-target": Code(
        "warning",
        "The strata determine most of the target.",
        "Collect rows of every class in every stratum.",
    ),
    # Warnings on columns
    "identifier-kept": Code(
        "warning", "A ranked column has about as many values as rows.", "Exclude it: it is useless on new rows."
    ),
    "row-counter": Code(
        "warning", "A selected column rises from row to row.", "Exclude it, if it only numbers the rows."
    ),
    "sentinel": Code(
        "warning",
        "A number unlike all others, such as -999, may stand for a missing value.",
        'If it does, set `column_types` to such as "number, missing 999", or of a scorecard `special_values`.',
        "hold a number unlike all others, which may stand for a missing value",
    ),
    "special-value-absent": Code(
        "warning",
        "A special value of a scorecard is in none of the columns that it was declared for.",
        "Look for its sign, or leave it out.",
    ),
    "numbers-with-text": Code(
        "warning",
        "Nearly all values of a column of text are numbers. The others, such as `<200`, are read as missing, or all "
        "are taken as categories.",
        'Set `column_types` to "number": the page on formats says how each is read.',
        "hold numbers with text among them",
    ),
    "mixed-units": Code(
        "warning",
        "The numbers of a column have several units, which are not converted.",
        "Convert them to one unit.",
        "hold numbers with different units",
    ),
    "two-formats": Code(
        "warning",
        "A column holds dates of both orders of day and month, or numbers of both decimal marks, and is categories.",
        "Write them in one way, or set `column_types` to read those of one order, or one mark, alone.",
        predicate="hold numbers or dates that are written in two ways",
    ),
    "ambiguous-dates": Code(
        "warning",
        "Dates may begin with the day or with the month, so they were kept as categories.",
        "Set `column_types` to day-first or month-first.",
        "hold dates that may begin with the day or the month, and are taken as categories",
    ),
    # Warnings on methods
    "list-from-target-bins": Code(
        "warning",
        "The bins were made with the target, so the error rate of the list may be higher.",
        'Use `binning="quantile"`.',
    ),
    "many-values-in-tuples": Code(
        "warning",
        "Columns have so many values that all their pairs are strong by chance.",
        "Group the values, or exclude them.",
    ),
    "not-converged": Code(
        "warning", "A solver ended before the minimum.", "See `gap_`; use fewer columns or more iterations."
    ),
    # Warnings on new data
    "kind-changed": Code(
        "warning",
        "A column holds another kind of values than before, or is written in another way.",
        "Check the data; where its values cannot be read, they have no codes.",
        "hold another kind of values than before",
    ),
    "text-not-read": Code(
        "warning",
        "A selected column has text that its format cannot read; it is taken as missing.",
        "Correct the text, if it means numbers.",
        "hold text that cannot be read, and is taken as missing",
    ),
    "unseen-categories": Code(
        "warning",
        "A selected column has categories that were not there before; they have no code.",
        "Select again on data that has them.",
        "hold categories that were not there before, and have no code",
    ),
    "values-without-bin": Code(
        "warning",
        "A column of a scorecard has missing, special or new values, of which fitting saw none; they are in no bin.",
        "Fit again on data that has them.",
        "have missing, special or new values now, and these are in no bin",
    ),
    "missing-without-code": Code(
        "warning",
        "A selected column had no missing values before, and has some now; they have no code.",
        "Fill them in, or select again on data that has some.",
        "have missing values now, and these have no code",
    ),
    # Notes on the target and on rows
    "folds-by-class": Code(
        "note",
        "Some class of some stratum has fewer samples than there are folds, which are stratified by class only.",
        "Nothing, or use fewer folds.",
    ),
    "one-stratum": Code(
        "note",
        "All rows are in one stratum, so that nothing is different from a call without strata.",
        "Leave out `strata`, or name columns that differ between rows.",
    ),
    "strata-of-one-class": Code(
        "note",
        "Some strata have one class only, so that nothing can be learned from them.",
        "Nothing; the other strata count.",
    ),
    "rows-without-target": Code(
        "note", "Rows without a value of the target were left out.", "Fill in the target, if it is known."
    ),
    "quantity-binned": Code(
        "note",
        "The target is numeric and was split into classes.",
        'Set `target_kind="classes"` if each value is a class.',
    ),
    "events-counted": Code(
        "note",
        "The target is a time to an event, which so many rows have.",
        'If it is the number of censored rows, name the value of the event, as in `event="status=0"`.',
    ),
    "target-binned-on-sample": Code(
        "note",
        "The classes of a numeric target were found on a sample of the rows.",
        "Nothing; the ranks are off by the fraction that is named.",
    ),
    "numbers-as-classes": Code(
        "note", "Each number of the target is a class.", 'Set `target_kind="quantity"` if it is a number to predict.'
    ),
    "target-text-read": Code(
        "note", "Text of the target was read as numbers, times or truth values.", "Set `repair=False` to keep the text."
    ),
    "joint-target": Code("note", "Several targets were combined into one.", "Nothing."),
    "unequal-classes": Code(
        "note",
        "A class has more than 80 % of the rows, so the accuracy is not the measure.",
        'Set `scoring="accuracy"` for the share of correct classes.',
    ),
    # Notes on the selection
    "partly-informative": Code(
        "note",
        "Some selected columns are not shown to be more informative than chance, alone or with others.",
        "Use a smaller number, or a stopping rule.",
    ),
    "common-effect-not-tested": Code(
        "note",
        "No selected column was tested for an effect that all strata have in common.",
        'Use `stopping="permutation"` with `binning="quantile"`, or fewer rows or columns.',
    ),
    "tied-scores": Code(
        "note",
        "Columns of different relevance have the same score: they stand in the order of the table.",
        'Exclude the copy of the target, or use `method="mim"` for an order by relevance.',
    ),
    "fewer-selected": Code(
        "note",
        "The method ended before the number of features that was requested.",
        "Nothing; by its rule the others add nothing.",
    ),
    "fewer-columns": Code("note", "More features were requested than the table has.", "Nothing; all are ranked."),
    "stopped-at": Code(
        "note", "A stopping rule ended the selection at the column that is named.", "Nothing, or another level."
    ),
    "stopped-by-rule": Code(
        "note", "A stopping rule ended the selection.", 'Use `stopping="conditional"` if fewer columns are relevant.'
    ),
    "tests-not-executed": Code(
        "note",
        "Tests of a Markov blanket had fewer rows than `power` asks for, and count as p = 1.",
        "Lower `power`, or take fewer bins or more rows.",
    ),
    "empty-blanket": Code("note", "No column is shown to depend on the target.", "Raise the level, or get more rows."),
    "nothing-related": Code(
        "note", "No column is related to the target beyond chance.", "Give `delta=0.0`, or get more rows."
    ),
    "nothing-left": Code("note", "All columns that are left are constant or unrelated to the target.", "Nothing."),
    "untested": Code(
        "note", "A conditional test has nothing to permute in some columns.", "Keep one of several equal columns."
    ),
    "list-of-dependent": Code(
        "note",
        "Columns of the list depend on each other, so the error rate may be higher.",
        'Use `stopping="conditional"`.',
    ),
    "conditional-list": Code("note", "What may be concluded of each selected column.", "Nothing."),
    "screened-out": Code("note", "`screen` kept columns from the method.", "Give a larger `screen`."),
    "near-best": Code("note", "How near the selected subset is to the best one.", "Nothing."),
    "best-found": Code("note", "The selected subset is the best one by what the method measures.", "Nothing."),
    "missing-without-effect": Code(
        "note", "`missing` changes nothing with a method that makes no bins.", "Leave it out."
    ),
    "group-of-one": Code("note", "A group has fewer than two columns.", "Name all columns that are taken together."),
    # Notes on columns
    "missing-kept": Code("note", "Missing values get a separate bin.", 'Set `missing="error"` to refuse them.'),
    "bins-of-each-stratum": Code(
        "note", "Numbers are cut in each stratum for itself, by quantiles.", "Nothing, or give `n_bins`."
    ),
    "drift-excluded": Code(
        "note", "Columns that move from period to period were left out.", "Nothing, or set a higher `max_drift`."
    ),
    "identifier-dropped": Code(
        "note",
        "Columns that name or number the rows were left out.",
        'Set `include`, or `identifiers="keep"`, to keep them.',
    ),
    "text-read": Code(
        "note",
        "Text was read as numbers, times or truth values.",
        "Set `column_types` if it is a category.",
        "hold text that is read as numbers or times",
    ),
    "text-as-categories": Code(
        "note",
        "Numbers with leading zeros or points were kept as categories.",
        "Set `column_types` if they are numbers.",
        "hold numbers with leading zeros or points, which are taken as categories",
    ),
    "named-like-identifier": Code(
        "note",
        "A column named like an identifier was read as numbers.",
        "Set `column_types` if each number is a category.",
        "are named like identifiers, but are read as numbers",
    ),
    "copies": Code(
        "note",
        "Columns repeat another one: with the same values, by a linear function, or with other values one to one.",
        "Exclude all but one of each, as the note names them.",
    ),
    "names-alike": Code(
        "note",
        "Names of columns differ in upper and lower case or in blanks only.",
        "Check that a column is not in the table twice, under two spellings.",
    ),
    "values-alike": Code(
        "note",
        "Values of a column differ in upper and lower case or in blanks only.",
        "Give them one spelling if they mean the same.",
        predicate="have values that differ in case or blanks only",
    ),
    "columns-renamed": Code("note", "Several columns have the same name.", "Give every column its own name."),
    "no-reliable-relation": Code(
        "note",
        "Numeric columns have no split that separates the classes beyond chance.",
        'Set `uncut="median"` or `binning="quantile"` to split them anyway.',
    ),
    "target-encoding": Code(
        "warning",
        "Each value of a selected column is near the share of a class among its own rows, as target encoding makes it.",
        "Encode on other rows than those that are selected from, or `exclude` the column.",
    ),
    "mostly-chance": Code(
        "warning",
        "A selected column has over 20 values and at most ten rows for each: half of its information is chance.",
        "Group the values, or `exclude` the column.",
    ),
    "rows-of-one-value": Code(
        "warning",
        "A selected column has over 20 values, at most ten rows for each, and is informative beyond chance.",
        "If the rows of one value belong together, as those of one person, name the column as `groups`.",
    ),
    "ordered-by-ranks": Code(
        "note",
        "Selected columns have no cut: a test of their ranks, of Kruskal and Wallis, orders them.",
        'Read their p: a large one is that of noise. Set `uncut="median"` or `binning="quantile"` to count them.',
    ),
    "ordered-by-position": Code(
        "note",
        "Columns without a cut are in the order of the table, as saved counts do not hold their ranks.",
        "Select from the rows for an order by a test of ranks.",
    ),
    "many-values": Code(
        "note",
        "Columns have so many values that chance makes a good part of their information.",
        'Group the values, or use `estimator="corrected"`.',
    ),
    "empty": Code("note", "Columns without values were left out.", "Nothing."),
    "left-out-of-counts": Code(
        "note", "Columns were dropped before the rows were counted.", "Count again with `include` if they are needed."
    ),
    "added-classes": Code(
        "note",
        "A part of the rows has classes that the first counts or the vocabularies lack; they are added.",
        "See that all sites name the classes alike.",
    ),
    "rounded-counts": Code(
        "note",
        "Sites rounded their counts by `--min-cell`, which moves scores. The ranges are found by 20 repeats of the "
        "rounding, on counts that may have led to the saved ones.",
        "Take fewer bins or a smaller multiple, if the ranges are too wide.",
    ),
    "binned-on-sample": Code(
        "note", "Bins of columns were found on a part of the values.", "Give more `memory` for exact bins."
    ),
    "constant": Code("note", "Columns have one value only.", "Nothing."),
    "wrong-sign-dropped": Code("note", "Columns are left out, as their coefficient was negative.", "Nothing."),
    "smoothed-bins": Code(
        "note",
        "Bins of a column of a scorecard have rows of one class only, so that one more row is added to each.",
        "Merge them, or leave it so.",
        "have bins of one class only, whose weights of evidence are smoothed",
    ),
    "rare-categories": Code(
        "note",
        'Rare categories of a column have a bin together, as "other", which takes new categories, too.',
        "Set `min_level_share=0`, if each of them should be judged alone.",
        'have rare categories, which are together as "other"',
    ),
    "single-bin": Code("note", "Columns of a scorecard have one bin, and no points.", "Nothing."),
    # Notes on comparisons and interactions
    "without-shuffles": Code("note", "The strongest pairs were not compared with chance.", "Set `n_shuffles`."),
    "constant-in-tuples": Code("note", "Columns have a single bin, so no pair or triple holds them.", "Nothing."),
    "fewer-measured": Code("note", "More features were requested than the table has.", "Nothing."),
    "fewer-folds": Code("note", "A class is too small for the usual number of folds.", "Nothing, or set `folds`."),
    "fast-classifier": Code(
        "note",
        "The table has so many rows that a fast classifier is used.",
        'Set `classifier="linear-svm"` for the usual one.',
    ),
    "slow-classifier": Code("note", "The default classifier takes long on so many rows.", 'Set `classifier="lda"`.'),
    "errors-in-microseconds": Code(
        "note", "The target is a time, so errors are in microseconds.", "Divide them, or use another `scoring`."
    ),
    # Notes on how the work is done
    "long-job": Code("note", "The method will take more than a minute.", "Use `screen`, or fewer rows."),
    "no-names": Code(
        "note", "The file has no header line.", "Give the columns names, if you want other names than x0, x1, ..."
    ),
    "not-utf8": Code("note", "A text file has another encoding than UTF-8.", "Save it as UTF-8 if letters look wrong."),
    "empty-files-left-out": Code(
        "note", "Empty files of a folder are no part of the table.", "Nothing, or write them again."
    ),
    "documents-left-out": Code(
        "note",
        "A folder has text files, such as readme.txt, without any column of its tables.",
        "Nothing, or give such a file the columns of the others if it holds rows.",
    ),
    "rows-above-names": Code("note", "Rows above the names of a sheet were skipped.", "Nothing, if they are a title."),
    "comments-left-out": Code("note", "Lines of comments were skipped.", "Nothing, if they are comments."),
    "counted-in-place": Code(
        "note", "A database counted the rows, which were not read.", "Set `push_down=False` to read them."
    ),
    "counted-in-postgres": Code(
        "note",
        "PostgreSQL counted the rows, which takes longer than to read them.",
        "Give the address of the table, as postgresql://USER@HOST/DATABASE/TABLE, if the rows may be read.",
    ),
    "partial-fit-begins-again": Code(
        "note", "`partial_fit` follows a `fit` whose rows it does not know.", "Use `partial_fit` for all rows."
    ),
    "other": Code("note", "A note of another program, given as text.", "See its text."),
    # Errors of saved selections
    "options-not-saved": Code(
        "error",
        "A selection cannot be computed again from its file, which does not hold values or objects of the user's own.",
        "Make the values a column of the data, and select again.",
    ),
    "name-taken": Code(
        "error",
        "The data has a column with the name of a column of scores.",
        "Rename it, or leave the scores out.",
    ),
    "no-bins-saved": Code(
        "error",
        "Each stratum has bins of its own, which are not saved.",
        "Leave out codes, scores and checks, or select again without `bins_within`.",
    ),
    "no-counts-saved": Code(
        "error",
        "The selection has kept no counts of a column with very many values, which scores need.",
        "Leave the score out, or select again with fewer bins.",
    ),
    # Errors in parameters
    "parameter-not-allowed": Code(
        "error", "A parameter has a value that is not allowed.", "Give one of the values that are named."
    ),
    "unknown-name": Code(
        "error",
        "A parameter names a method, rule or the like that does not exist.",
        "Give one of the names that are listed.",
    ),
    "unknown-parameter": Code("error", "There is no parameter of that name.", "Use the name that is proposed."),
    "group-in-several-strata": Code(
        "error", "A group of rows lies in several strata.", "Leave out `groups` or `strata`."
    ),
    "every-row-a-stratum": Code(
        "error", "Every row is a stratum of its own.", "Name a column that several rows share."
    ),
    "strata-are-numbers": Code(
        "error", "The strata are a quantity.", "Cut them into bins, or declare the column a category."
    ),
    "strata-not-supported": Code(
        "error",
        "The method does not work within strata, or saved counts have no such strata.",
        "Use a greedy method, or leave out strata.",
    ),
    "strata-too-small": Code(
        "error",
        "No stratum has two rows of each of two classes.",
        'Set `effect="common"`, which finds what the strata have in common.',
    ),
    "invalid-events": Code(
        "error",
        "The event column holds other values than 0 and 1.",
        'Name the value that is the event, as in `event="status=2"`.',
    ),
    "invalid-times": Code(
        "error", "A time is negative, or not after the entry of its row.", "Correct these rows, or leave them out."
    ),
    "no-events": Code("error", "No row has an event.", "Give the column that is 1 where the event happened."),
    "survival-not-supported": Code(
        "error",
        "The method, the rule or the result does not take a time to an event.",
        "Use a greedy method such as `jmi`.",
    ),
    "too-many-strata": Code("error", "There are too many combinations of class and stratum.", "Use fewer strata."),
    "unknown-column": Code("error", "There is no column of that name or number.", "Use the name that is proposed."),
    "contradicting-parameters": Code("error", "Two parameters contradict each other.", "Leave out one of them."),
    "parameter-without-effect": Code("error", "A parameter has no effect together with the others.", "Leave it out."),
    "given-twice": Code("error", "Something is named more than once.", "Name it once."),
    "column-in-two-groups": Code("error", "A column is in two groups.", "Give every column one group at most."),
    "column-in-two-roles": Code(
        "error", "A column has two roles, such as target and weight.", "Name different columns."
    ),
    "column-is-target": Code("error", "The target is named where a feature is needed.", "Name a feature."),
    "too-many-included": Code(
        "error", "More columns are included than are to be selected.", "Raise `n_features_to_select`."
    ),
    "too-many-features": Code(
        "error", "More features are requested than the table has.", "Ask for no more than there are."
    ),
    "include-not-supported": Code(
        "error",
        "The method cannot select given columns first.",
        "Leave out `include`, or use a greedy method such as cmim.",
    ),
    "exclude-not-supported": Code(
        "error", "Columns of saved counts cannot be excluded for this method.", "Leave them out of the data."
    ),
    "groups-not-supported": Code(
        "error", "The method takes no groups of columns.", "Use a greedy method such as cmim."
    ),
    "penalties-not-supported": Code(
        "error", "The method takes no penalties of columns.", "Use a greedy method such as cmim."
    ),
    "level-out-of-reach": Code(
        "error", "No p-value can be as small as the level asks for.", "Use more permutations, or a larger level."
    ),
    "undefined-quantity": Code(
        "error", "The estimator does not define what the criterion needs.", "Use another estimator."
    ),
    "no-method": Code("error", "No method is named.", "Name at least one."),
    "invalid-similarities": Code(
        "error", "A matrix of similarities is not symmetric, finite and 0 or more.", "Correct the matrix."
    ),
    # Errors in the target and weights
    "target-needed": Code(
        "error", "No target is given where one is needed.", "Name a column, or give one value per row."
    ),
    "one-target-needed": Code("error", "Several targets are given where one is needed.", "Name one column."),
    "column-needed": Code("error", "A target or weight is given by values where rows have no order.", "Name a column."),
    "event-needed": Code("error", "Either class of the target may be the event.", "Set `event` to one of them."),
    "one-class": Code("error", "The target has one class only.", "Give a target with at least two."),
    "target-is-identifier": Code(
        "error",
        "The target is text that differs in every row, so that no class has two rows.",
        "Name a column of classes. If the rows are genes and the columns are samples, transpose the table.",
    ),
    "too-many-classes": Code(
        "error", "The target has too many classes.", "Check that it is no identifier, or use fewer or coarser columns."
    ),
    "wrong-kind-of-target": Code(
        "error",
        "A parameter does not fit the kind of the target, classes or numeric.",
        "Change the parameter, or set `target_kind`.",
    ),
    "missing-target": Code(
        "error", "The target has missing values.", "Set `drop_missing_target=True`, or fill them in."
    ),
    "target-of-mixed-text": Code(
        "error",
        "Some values of the target are no numbers where the others are.",
        "Set `drop_missing_target=True`, or `repair=False`.",
    ),
    "invalid-weights": Code(
        "error", "Weights are not whole numbers from 0, or do not fit the rows.", "Give one whole number per row."
    ),
    "small-class": Code("error", "A class has fewer rows than there are folds.", "Use fewer folds, or leave one out."),
    "too-few-levels": Code(
        "error", "A column has more values than `levels` gives it.", "Give the number of values that it could have."
    ),
    "too-few-shuffles": Code(
        "error", "So few shuffles cannot show that a column depends on the target.", "Raise `n_shuffles`."
    ),
    "too-few-groups": Code("error", "There is one group of rows only.", "Give at least two groups."),
    # Errors in the table
    "data-needed": Code("error", "The command has no data.", "Give a file."),
    "data-type-not-read": Code(
        "error", "The data is of a type that is not read.", "Give an array, a data frame, or the path of a table file."
    ),
    "empty-data": Code("error", "The data has no rows or no columns.", "Check the data."),
    "no-features": Code("error", "No column is left to select from.", "Exclude fewer columns."),
    "constant-columns": Code("error", "No column varies.", "Check the data."),
    "one-bin-only": Code("error", "Every column became one bin.", "Use more bins."),
    "no-relation": Code(
        "error",
        "No column is related to the target as the method needs it.",
        "Use another method, or looser parameters.",
    ),
    "nothing-selected": Code("error", "A method selected no feature.", "Ask for a number of features."),
    "wrong-shape": Code("error", "An array has the wrong shape.", "Give it the shape that is named."),
    "index-in-other-order": Code(
        "error",
        "The index of a target, of weights or of groups has the labels of the data in another order.",
        "Give `values.loc[data.index]` to match rows by labels, or `values.to_numpy()` to match them by position.",
    ),
    "lengths-differ": Code(
        "error", "Two inputs do not have the same number of rows or columns.", "Give as many of both."
    ),
    "columns-differ": Code(
        "error", "The columns are not those that were seen before.", "Give the same columns in the same order."
    ),
    "column-kind-changed": Code(
        "error", "A column is numeric here and categorical before, or the other way round.", "Give it the same type."
    ),
    "unseen-value": Code(
        "error", "A column holds a value that was not there before.", "Fit on data that has every value."
    ),
    "partitions-differ": Code(
        "error", "Features and target are divided at different rows.", "Divide both at the same rows."
    ),
    "duplicate-names": Code("error", "Several columns have the same name.", "Give every column its own name."),
    "period-needed": Code(
        "error",
        "Drift is looked for in one table without a period.",
        "Name the column of the period, or give a table for each period.",
    ),
    "names-and-values": Code(
        "error",
        "Of the period, the target and the strata some are named and some given as values.",
        "Give all as names, or all as values.",
    ),
    "names-needed": Code("error", "A column is named in data without names.", "Give its values, or a data frame."),
    "frame-not-in-memory": Code(
        "error", "The data is a lazy or distributed frame.", "Collect it, or use the engine for it."
    ),
    "complex-numbers": Code("error", "Complex numbers are not supported.", "Give real numbers."),
    "column-type-not-read": Code(
        "error",
        "A column is of a type that is not read, such as raw bytes, or no text in it is of the type that was chosen.",
        "Drop it, convert it, or leave it out of `column_types`.",
    ),
    "mixed-values": Code("error", "A column mixes numbers and text.", "Convert it to one of them."),
    "numbers-needed": Code(
        "error", "Numbers are needed where there are categories.", "Encode them as numbers, or leave them out."
    ),
    "numbers-not-categories": Code(
        "error",
        "A column of fractions is given where categories are needed.",
        "Use binning 'mdl', 'quantile' or 'uniform'.",
    ),
    "infinite-values": Code("error", "Columns hold infinite values.", "Replace them, or drop the rows."),
    "missing-values": Code(
        "error", "Missing values are not allowed here.", 'Impute them, drop the rows, or set `missing="bin"`.'
    ),
    "precision-lost": Code(
        "error",
        "Different values are the same in double precision.",
        "Subtract the smallest, round them, or make them text.",
    ),
    "values-too-large": Code("error", "Values are too large to be added up or squared.", "Change the unit."),
    "too-few-rows": Code("error", "The data has too few rows.", "Get more rows."),
    "too-few-columns": Code("error", "The data has too few columns that vary.", "Give more columns."),
    "too-many-rows": Code("error", "The data has too many rows.", "Draw a sample, or count in parts."),
    "too-many-columns": Code("error", "The data has too many columns.", "Filter the columns first."),
    "too-many-bins": Code("error", "A column has too many different values.", "Drop it, or group its values."),
    "table-too-large": Code("error", "A table of counts is too large.", "Use fewer columns or bins."),
    "not-enough-memory": Code(
        "error",
        "More memory is needed than there is, or than is allowed.",
        "Give more `memory`, or fewer columns or rows.",
    ),
    "invalid-codes": Code(
        "error",
        "Codes are not integers 0, 1, 2, ... in a table.",
        "Encode the columns first, such as by CategoricalBinner.",
    ),
    # Errors of methods and engines
    "rows-not-in-memory": Code(
        "error",
        "All rows are needed in memory, and they are not.",
        "Give a table in memory, or use a method on counts such as jmi.",
    ),
    "dense-rows-needed": Code(
        "error", "A sparse table is given where dense rows are needed.", "Use a method on counts, or `X.toarray()`."
    ),
    "independent-rows-needed": Code(
        "error",
        "A rule assumes that the rows are independent, and `groups` are given.",
        "Leave out `groups`, or use another rule.",
    ),
    "pairs-only": Code("error", "Saved counts are of pairs of columns, and more are needed.", "Give the data."),
    "not-in-saved-counts": Code("error", "A column is included that was not counted.", "Count again with it."),
    "not-saved-selection": Code(
        "error", "A file is no saved selection.", "Give a file of `bitsieve select --save` or of `Selection.save`."
    ),
    "newer-selection": Code(
        "error",
        "A selection or a scorecard was saved by a later version of bitsieve.",
        "Install that version or a later one.",
    ),
    "selection-without-rows": Code(
        "error",
        "A selection that was loaded or unpickled has no rows to count again.",
        "Call `select` on the data again.",
    ),
    "columns-missing": Code(
        "error", "A table lacks columns that were selected.", "Add them, under the names that the message lists."
    ),
    "not-saved-counts": Code("error", "A folder holds no saved counts.", "Give the folder of `bitsieve count --save`."),
    "counts-differ": Code("error", "Saved counts have different columns or bins.", "Count all parts with `--like`."),
    "counts-repeated": Code("error", "The same saved counts are given twice.", "Give them once."),
    "rule-not-saved": Code("error", "Counts with bins of this rule cannot be saved.", "Use another binning."),
    "bins-from-target": Code(
        "error", "`dcrt` and knockoffs need bins that were made without the target.", 'Use `binning="quantile"`.'
    ),
    "no-density": Code(
        "error", "A density needs two different values in every class.", "Drop the column or class, or bin the columns."
    ),
    "not-convex": Code(
        "error", "The quadratic program is not convex.", 'Set `convexify="shift"`, or use fewer columns.'
    ),
    "too-many-values-for-ibis": Code(
        "error",
        "An Ibis table of PostgreSQL has too many values to be read by Ibis.",
        "Give its address, as postgresql://USER@HOST/DATABASE/TABLE.",
    ),
    "too-many-values-to-group": Code(
        "error",
        "A column has too many different values to group rows by in a database.",
        "Exclude it, or set `push_down=False`.",
    ),
    "not-counted-by-sql": Code(
        "error", "Text or times that are split have no common SQL.", "Exclude the column, or make it a category."
    ),
    "worker-without-bitsieve": Code(
        "error", "A worker of the cluster cannot load this version of bitsieve.", "Install it on all workers."
    ),
    "no-scheduler": Code("error", "No Dask scheduler answers at the address.", "Check the address."),
    "package-missing": Code("error", "An optional package is not installed.", "Install it as shown."),
    # Errors of the evaluation
    "no-folds": Code("error", "There are no folds.", "Give at least one pair of training and test rows."),
    "invalid-fold": Code("error", "A fold is empty, overlaps, or names rows that do not exist.", "Correct the folds."),
    "small-test": Code(
        "error", "A fold tests on too few rows, or on one class only.", "Use fewer folds, or another `scoring`."
    ),
    "classifier-without-scores": Code(
        "error", "The measure needs scores, and the classifier gives none.", "Use another classifier or `scoring`."
    ),
    "undefined-score": Code(
        "error", "A scorer has no value for the predictions of a fold.", "Use another `scoring`, or fewer folds."
    ),
    "settings-not-comparable": Code(
        "error",
        "Finished folds cannot be kept, as a setting has no value to compare.",
        "Give a function of a module, or no checkpoint.",
    ),
    "not-a-checkpoint": Code("error", "A folder holds something else than finished folds.", "Give another path."),
    "other-comparison": Code(
        "error", "A checkpoint is of another comparison.", "Delete it, or give the same data and settings."
    ),
    "unfinished-run": Code(
        "error", "Finished folds of a run that did not end are there.", "Add `--resume`, or delete them."
    ),
    # Errors of files and output
    "file-missing": Code("error", "There is no such file.", "Check the path."),
    "one-file-needed": Code("error", "The engine reads one file or a folder.", "Put the files into a folder."),
    "not-a-file": Code("error", "The path is a folder or a special file.", "Give the path of a table file."),
    "not-a-table": Code("error", "The file is not a table that is read.", "Give a file of a format that is listed."),
    "table-not-named": Code("error", "A file holds several tables.", "Name one, as FILE/TABLE."),
    "cannot-read": Code("error", "A file or stream cannot be read.", "See the reason in the message."),
    "not-read-in-batches": Code(
        "error", "The file cannot be read in parts.", "Save it in another format, or read it into memory."
    ),
    "header-unclear": Code("error", "The first line may be names or data.", "Set `header`."),
    "malformed-row": Code("error", "A row of a text file is broken.", "Complete or delete it."),
    "damaged-file": Code("error", "A file that bitsieve wrote is damaged.", "Delete it and write it again."),
    "data-changed": Code("error", "The data changed while it was read.", "Run again when nobody writes it."),
    "incomplete-download": Code("error", "The copy of a file at an address was cut short.", "Run again."),
    "unsafe-name": Code("error", "A folder at an address holds a name that is no path in it.", "Rename the file."),
    "bad-timeout": Code(
        "error",
        "The environment variable `BITSIEVE_TIMEOUT` is no number of seconds.",
        "Set it to a number, or unset it.",
    ),
    "content-too-large": Code(
        "error", "The content of a compressed file is far longer than the file.", "Decompress it first."
    ),
    "disk-full": Code("error", "The disk has no room for temporary files.", "Give a folder on a larger disk."),
    "cannot-write": Code("error", "A file or folder cannot be written.", "Give another path."),
    "output-exists": Code("error", "The output file exists.", "Add `--force`, or give another name."),
    "output-format": Code("error", "The output format does not suit.", "Use an ending that is listed."),
    "output-is-input": Code("error", "The output file is the input.", "Give another name."),
    "output-needed": Code("error", "`--resume` needs the output of the first run.", "Give `--output`."),
    "no-rows-to-write": Code("error", "Saved counts have no rows to write.", "Leave out `--output`."),
    "no-sql": Code("error", "A column of a scorecard cannot be written in SQL.", "Give numbers, dates or categories."),
    "no-bins": Code("error", "No column has two bins.", "Loosen the bounds on bins, or give more rows."),
    "special-value-type": Code("error", "A special value is of another type than its column.", "Give it that type."),
    "no-report": Code("error", "The result has no report.", "Give the result of `select` or `compare`."),
    "no-figure": Code(
        "error", "The selector has nothing to draw.", "Give a fitted selector of the kind that is named."
    ),
}
