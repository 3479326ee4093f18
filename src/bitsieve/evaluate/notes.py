"""The diagnostics of a comparison: one function a code."""

from __future__ import annotations

from bitsieve.diagnostics import Diagnostic


def fewer_folds(class_name: str, n_rows: int, n_folds: int, default_folds: int) -> Diagnostic:
    """A class is too small for as many folds as usual."""
    return Diagnostic(
        code="fewer-folds",
        message=f"class {class_name!r} has {n_rows} samples only: {n_folds} folds instead of {default_folds}",
    )


def folds_by_class(n_folds: int) -> Diagnostic:
    """Folds are stratified by class only, and not by stratum."""
    return Diagnostic(
        code="folds-by-class",
        message=f"some class of some stratum has fewer than {n_folds} samples: the folds are stratified by class only",
    )


def fewer_measured(size_of_table: str, measured_counts: str, largest_requested: int) -> Diagnostic:
    """More features were requested than the table has."""
    return Diagnostic(
        code="fewer-measured",
        message=f"{size_of_table}: errors are measured for {measured_counts} features, not up to {largest_requested:,}",
    )


def slow_classifier() -> Diagnostic:
    """The default classifier takes long."""
    return Diagnostic(
        code="slow-classifier",
        message="linear-svm takes long on so many rows",
        advice="lda, the linear discriminant, is faster: add {classifier}",
        fix={"classifier": "lda"},
    )


def fast_classifier() -> Diagnostic:
    """The table has so many rows that another classifier is the default."""
    return Diagnostic(
        code="fast-classifier",
        message=(
            "the table has many rows, and linear-svm would take long: the classifier is lda, the linear discriminant"
        ),
        advice="for linear-svm add {classifier}",
        fix={"classifier": "linear-svm"},
    )


def unequal_classes(scoring: str, share: float) -> Diagnostic:
    """A class is so large that the accuracy is not the default measure."""
    return Diagnostic(
        code="unequal-classes",
        message=f"the largest class has {100 * share:.3g} % of the rows, so predictions are judged by {scoring}",
        advice="for the share of correct classes add {scoring}",
        fix={"scoring": "accuracy"},
    )


def errors_in_microseconds(times: str) -> Diagnostic:
    """The target is a time, and the measure keeps its unit."""
    return Diagnostic(
        code="errors-in-microseconds",
        message=f"the target is {times}: errors are in microseconds (a day is 8.64e+10)",
    )
