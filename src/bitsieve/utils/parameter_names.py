"""Wrong names of parameters and options: the right one is proposed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from bitsieve.diagnostics import UserTypeError
from bitsieve.utils.messages import nearest

P = ParamSpec("P")
R = TypeVar("R")

_NUMBER = (
    "n_features_to_select", "features", "top", "n_features", "num_features", "max_features", "n_selected", "n_columns",
    "top_k", "k", "n",
)  # fmt: skip
_METHOD = ("method", "methods", "criterion", "criteria", "score_func", "algorithm", "selector", "selectors")

#: The other names that people type for a parameter: those of other libraries, of the command line, and of other
#: functions of this package.
OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "n_features_to_select": _NUMBER,
    "features": _NUMBER,
    "top": _NUMBER,
    "method": _METHOD,
    "methods": _METHOD,
    "criterion": _METHOD,
    "stopping": ("stop", "stop_rule", "stopping_rule", "stopping_criterion"),
    "level": ("alpha", "significance", "fdr", "q"),
    "n_bins": ("bins", "nbins", "num_bins", "number_of_bins", "max_bins"),
    "binning": ("discretization", "discretizer", "discretize", "binner", "strategy"),
    "missing": ("missing_values", "nan", "na", "nan_policy", "handle_missing"),
    "target": ("y", "label", "labels", "target_name", "target_column", "outcome", "response", "class_column"),
    "sample_weight": ("weight", "weights", "sample_weights"),
    "weight_kind": ("weight_type", "weights_kind"),
    "groups": ("group", "group_column"),
    "include": ("must_include", "keep", "force"),
    "exclude": ("drop", "ignore", "skip", "drop_columns", "leave_out"),
    "column_types": ("column_type", "dtype", "dtypes", "types", "schema"),
    "classifier": ("estimator", "model", "clf", "regressor"),
    "scoring": ("score", "scorer", "metric"),
    "folds": ("cv", "n_splits", "n_folds"),
    "random_state": ("seed", "random_seed"),
    "n_jobs": ("threads", "n_threads", "num_threads", "jobs", "workers", "cores"),
    "memory": ("memory_limit", "max_memory"),
    "n_pairs": ("pairs", "n_repeats"),
    "n_shuffles": ("shuffles", "permutations", "n_permutations"),
    "n_draws": ("draws",),
    "min_bits": ("bits", "threshold"),
    "strata": ("stratify", "strata_col"),
    "duration": ("duration_col", "time", "time_col", "survival_time", "durations"),
    "event": ("event_col", "status", "event_observed", "failure", "events"),
    "entry": ("entry_col", "start", "start_col", "truncation"),
    "n_intervals": ("intervals", "num_intervals"),
    "output": ("out", "outfile", "output_file"),
    "quiet": ("silent",),
    "force": ("overwrite",),
    "figure": ("plot",),
}


#: The names under which people give a parameter of a stopping rule to a function that takes the rule.
NAMES_OF_RULES = ("level", *OTHER_NAMES["level"], "n_draws", *OTHER_NAMES["n_draws"], "bits", "min_bits")


def right_name(name: str, allowed: Iterable[str]) -> str | None:
    """The allowed name that ``name`` stands for, by the table or by similar letters; None if there is none."""
    allowed_names = list(allowed)
    for allowed_name in allowed_names:
        if name in OTHER_NAMES.get(allowed_name, ()):
            return allowed_name
    similar_names = nearest(name, allowed_names, limit=1)
    return similar_names[0] if similar_names else None


def refuse_wrong_names(arguments: Mapping[str, object], allowed: Iterable[str]) -> None:
    """Raise a UserError for the first argument whose name is not allowed and stands for one that is.

    A parameter of a stopping rule is one of the rule, for functions that take a rule.
    """
    allowed_names = list(allowed)
    for name, value in arguments.items():
        if name in allowed_names:
            continue
        if name in NAMES_OF_RULES and "stopping" in allowed_names and "level" not in allowed_names:
            raise UserTypeError(
                code="unknown-parameter",
                message=f"there is no parameter {name!r}, which is one of stopping rules",
                advice="give a rule with it, such as stopping=bitsieve.FalseDiscoveryStopping(level=0.05)",
            )
        proposed = right_name(name, allowed_names)
        if proposed is not None:
            raise UserTypeError(
                code="unknown-parameter",
                message=f"there is no parameter {name!r}",
                advice=f"did you mean {{{proposed}}}?",
                fix={proposed: value},
            )


def proposes_right_names(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function, so that a call with a wrong name of a parameter raises an error that has the right one."""
    parameters = inspect.signature(function).parameters

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        refuse_wrong_names(kwargs, parameters)
        return function(*args, **kwargs)

    return checked
