"""The methods of the registry that select a Markov blanket of the class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, exp, log
from typing import Any

import numpy as np

from bitsieve.counts.source import conditioning
from bitsieve.diagnostics import ParameterError
from bitsieve.information.independence import (
    CHI_SQUARED,
    FREEDOMS,
    MAX_SEED,
    MAX_SHUFFLES,
    N_SHUFFLES,
    P_BY,
    SHUFFLES,
    TESTS,
    IndependenceTests,
    TestOptions,
    check_effects_of_test,
)
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.markov_blankets.blanket import (
    ALGORITHMS,
    AUTO,
    FBED,
    OVER_BLANKETS,
    SYMMETRIES,
    WITH_SYMMETRY,
    Blanket,
    BlanketOptions,
    find_blanket,
)
from bitsieve.methods.by_counts.markov_blankets.search import CORRECTIONS, FDR, Search, log_corrections
from bitsieve.methods.by_counts.markov_blankets.spouses import AND
from bitsieve.methods.constraints import has_items
from bitsieve.methods.method import CONDITIONED, INDEPENDENT, Method, MethodResult, defaults_of
from bitsieve.utils.messages import advice_on_choice, nearest_in, quoted
from bitsieve.utils.parameters import (
    check_choice,
    check_flag,
    check_integer,
    check_level,
    made_by,
    optional,
    whole_number,
)
from bitsieve.utils.progress import phase

BINS_PER_ROOT = 0.4  # bins per cube root of the number of samples


def few_bins(n_samples: int) -> int:
    """The number of bins of equal frequency of a column: few, so that joint values of several columns are frequent."""
    n_bins: float = BINS_PER_ROOT * n_samples ** (1 / 3)
    return max(3, round(n_bins))


def markov_blanket(
    information: Information,
    k: int | None,
    *,
    algorithm: str = "iamb-fdr",
    level: float = 0.05,
    max_conditioning: int | str | None = AUTO,
    symmetry: str | None = AND,
    n_extra_runs: int | None = 1,
    correction: str | None = None,
    test: str = "scaled",
    freedom: str = "adjusted",
    power: int = 0,
    p_by: str = CHI_SQUARED,
    n_shuffles: int = N_SHUFFLES,
    random_state: int = 0,
    levels: Mapping[int, int] | None = None,
    start: Sequence[int] = (),
    roles: bool = False,
) -> MethodResult:
    """Keep the Markov blanket of the class, or its ``k`` strongest; see :class:`bitsieve.MarkovBlanketSelector`."""
    options = BlanketOptions(
        algorithm=algorithm,
        level=level,
        max_conditioning=max_conditioning,
        symmetry=symmetry,
        n_extra_runs=n_extra_runs,
        correction=correction,
    )
    test_options = TestOptions(
        test=test, freedom=freedom, power=power, p_by=p_by, n_shuffles=n_shuffles, random_state=random_state
    )
    tests = IndependenceTests(conditioning(information.source), test_options, levels)
    phase("searching")
    target = tests.counts.class_variable
    candidates = np.flatnonzero(information.varies).tolist()
    check_shuffles(test_options, options, len(candidates))
    varying_start = [column for column in start if information.varies[column]]
    search = Search(tests, target, candidates, level, options.conditioning_limit, correction, varying_start)
    blanket = find_blanket(search, options, with_roles=roles)
    members = np.array(blanket.members[:k], np.intp)
    scores = np.array([blanket.deciding_tests[member].bits for member in members.tolist()], np.float64)
    return MethodResult(members, scores, extras=_fitted_attributes(blanket, tests, information.n_features))


def _fitted_attributes(blanket: Blanket, tests: IndependenceTests, n_features: int) -> dict[str, Any]:
    """The fitted attributes of the selector, from the blanket and its tests."""
    log_p = np.zeros(n_features)  # stays 0 for columns that do not vary: they are independent of everything
    statistic = np.zeros(n_features)
    degrees_of_freedom = np.zeros(n_features, np.int64)
    executed = np.ones(n_features, bool)
    for column, result in blanket.deciding_tests.items():
        log_p[column] = result.log_p
        statistic[column] = result.statistic
        degrees_of_freedom[column] = result.degrees_of_freedom
        executed[column] = result.is_executed
    return {
        "blanket_": np.array(blanket.members, np.intp),
        "log_p_": log_p,
        "statistic_": statistic,
        "degrees_of_freedom_": degrees_of_freedom,
        "executed_": executed,
        "roles_": blanket.roles,
        "separating_sets_": dict(sorted(blanket.separating_sets.items())),
        "signatures_": blanket.queues,
        "trace_": blanket.moves,
        "n_tests_": tests.n_tests,
        "n_unreliable_": tests.n_unreliable,
        "n_not_executed_": tests.n_not_executed,
    }


def _check_algorithm(name: str, value: object) -> None:
    """Refuse an unknown algorithm, and propose the nearest name: hiton-pc for si-hiton-pc of other programs."""
    if value in ALGORITHMS:
        return
    if not isinstance(value, str):
        raise ParameterError(name, value, f"give one of {', '.join(map(repr, ALGORITHMS))}")
    fix = nearest_in(name, value, ALGORITHMS)
    raise ParameterError(name, value, advice_on_choice(value, ALGORITHMS), "is not known", code="unknown-name", fix=fix)


def _check_max_conditioning(name: str, value: object) -> None:
    if value is None or value == AUTO:
        return
    number = whole_number(value)
    if number is None or number < 0:
        raise ParameterError(name, value, "give a whole number of 0 or more, 'auto', or None for no limit")


def check_levels(name: str, value: object) -> None:
    """Refuse what is no mapping of columns to whole numbers from 1; None is none."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        raise ParameterError(name, value, "give a mapping of columns to how many values each could have")
    for column, n_values in value.items():
        number = whole_number(n_values)
        if number is None or number < 1:
            raise ParameterError(name, {column: n_values}, "give a whole number of 1 or more for each column")


def check_shuffles(test_options: TestOptions, options: BlanketOptions, n_columns: int) -> None:
    """Refuse so few shuffles that no column can enter: the smallest p that they have, corrected, is above the level."""
    is_corrected = options.correction == FDR or options.algorithm == "iamb-fdr"
    if test_options.p_by != SHUFFLES or n_columns == 0:
        return
    log_correction = log_corrections(n_columns)[0] if is_corrected else 0.0
    if log(1 / (1 + test_options.n_shuffles)) + log_correction <= log(options.level):
        return
    n_needed = ceil(exp(log_correction) / options.level)
    problem = f"cannot show that a column depends on the target, among {n_columns:,} at level {options.level:g}"
    advice = f"give {n_needed:,} or more"
    if n_needed > MAX_SHUFFLES:
        advice = "use a larger level, or an algorithm without a correction, such as fbed"
    raise ParameterError("n_shuffles", test_options.n_shuffles, advice, problem, code="too-few-shuffles")


def _check_effects(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters without an effect: those of another algorithm, or of another test."""
    algorithm = parameters["algorithm"]
    start = parameters["start"]
    if has_items(start) and algorithm not in OVER_BLANKETS:
        raise _for_other_algorithms("start", start, algorithm, OVER_BLANKETS)
    n_extra_runs = parameters["n_extra_runs"]
    if n_extra_runs != 1 and algorithm != FBED:
        raise _for_other_algorithms("n_extra_runs", n_extra_runs, algorithm, [FBED])
    symmetry = parameters["symmetry"]
    if symmetry != AND and algorithm not in WITH_SYMMETRY:
        raise _for_other_algorithms("symmetry", symmetry, algorithm, WITH_SYMMETRY)
    check_effects_of_test(parameters["test"], parameters["freedom"], parameters["p_by"], parameters["n_shuffles"])


def _for_other_algorithms(name: str, value: object, algorithm: str, others: Sequence[str]) -> ParameterError:
    return ParameterError(
        name,
        value,
        "leave it out, or use {algorithm}",
        f"has an effect only with {quoted(others, limit=len(others))}, not with {algorithm!r}",
        code="parameter-without-effect",
        fix={"algorithm": others[0]},
    )


#: The algorithm by default; the others are this method with another ``algorithm``.
IAMB_FDR = Method(
    name="iamb-fdr",
    title="Incremental association under a false discovery rate",
    formula="I(Xi;C|M) > 0 given the other members M of the blanket",
    paper="Pena 2008",
    inputs="each feature with the class, conditional on members of the blanket together",
    cost="O(k n d)",
    seconds=lambda n, d, k: k * n * (5e-5 + 2e-8 * d),
    selector="bitsieve.selectors.markov_blanket:MarkovBlanketSelector",
    run=markov_blanket,
    required_capabilities=CONDITIONED | INDEPENDENT,
    default_bins=few_bins,
    ends_with=(None, "auto"),
    column_parameters=("levels", "start"),
    check=_check_effects,
    rules={
        "algorithm": _check_algorithm,
        "level": made_by(check_level),
        "max_conditioning": _check_max_conditioning,
        "symmetry": partial(check_choice, choices=SYMMETRIES),
        "n_extra_runs": optional(partial(check_integer, low=0)),
        "correction": partial(check_choice, choices=CORRECTIONS),
        "test": partial(check_choice, choices=TESTS),
        "freedom": partial(check_choice, choices=FREEDOMS),
        "power": partial(check_integer, low=0),
        "p_by": partial(check_choice, choices=P_BY),
        "n_shuffles": partial(check_integer, low=1, high=MAX_SHUFFLES),
        "random_state": partial(check_integer, low=0, high=MAX_SEED),
        "levels": check_levels,
        "roles": check_flag,
    },
)


def _variant(name: str, title: str, paper: str) -> Method:
    """The method of another algorithm."""
    return replace(
        IAMB_FDR, name=name, title=title, paper=paper, parameters=defaults_of(markov_blanket, algorithm=name)
    )


_HITON_PAPER = "Aliferis, Statnikov, Tsamardinos, Mani, Koutsoukos 2010"
METHODS = (
    IAMB_FDR,
    _variant("gs", "Grow-shrink", "Margaritis, Thrun 1999"),
    _variant("iamb", "Incremental association", "Tsamardinos, Aliferis, Statnikov 2003"),
    _variant(
        "inter-iamb", "Incremental association, interleaved with removals", "Tsamardinos, Aliferis, Statnikov 2003"
    ),
    _variant("fast-iamb", "Incremental association, several columns at once", "Yaramakala, Margaritis 2005"),
    _variant("fbed", "Forward-backward selection with early dropping", "Borboudakis, Tsamardinos 2019"),
    _variant("mmpc", "Max-min parents and children", "Tsamardinos, Brown, Aliferis 2006"),
    _variant("hiton-pc", "HITON parents and children, semi-interleaved", _HITON_PAPER),
    _variant("mmmb", "Max-min Markov blanket", "Tsamardinos, Aliferis, Statnikov 2003"),
    _variant("hiton-mb", "HITON Markov blanket", _HITON_PAPER),
    _variant("ses", "Statistically equivalent signatures", "Lagani, Athineou, Farcomeni, Tsagris, Tsamardinos 2017"),
)
