"""The supplement's errors of Gao, Ver Steeg, Galstyan 2016: eight methods on the sets that are public in a usable form.

The protocol is that of Vinh, Chan, Romano, Bailey 2014 (table 5), as the paper says: ranked once on all samples, a
linear support vector machine, leave-one-out below 100 samples. The columns are discrete; those that are not are cut by
MDL, at their median where it makes no cut.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bitsieve.discretization.transformers import MDLBinner
from bitsieve.utils.progress import phase
from bitsieve.utils.terminal_text import aligned
from papers.data.files import ORIGINS, load_npz
from papers.item import Options, Result
from papers.selectors import as_published
from papers.vinh2014.data import PaperData, prepare
from papers.vinh2014.errors import compared, error_summary

METHODS = {
    "VMI naive": "vmi",
    "VMI pairwise": "vmi-pairwise",
    "mRMR": "mrmr",
    "JMI": "jmi",
    "MIM": "mim",
    "CMIM": "cmim",
    "CIFE": "cife",
    "SPECCMI": "speccmi",
}
DISCRETE = ("lung_d3", "colon_d3", "leukemia_d3", "lymphoma_d3", "promoter", "krvskp", "splice", "optdigits")
CUT = ("spambase", "waveform40", "madelon", "ionosphere", "breast_wdbc")
SETS = (*DISCRETE, *CUT)
PROPER_NAMES = {"promoter": "Promoter", "madelon": "Madelon"}  # that the protocol treats in a way of their own
MIN_FEATURES = 10
MAX_FEATURES = 100


def table_errors(options: Options) -> Result:
    """The mean error with 10 to 100 features, and its standard deviation over them, of every method on every set."""
    if options.data_dir is None:
        raise ValueError("this table needs files of public data: give their directory by --data-dir")
    requested = [name.lower() for name in options.sets] or list(SETS)
    for name in SETS:
        if name not in requested:
            continue
        if not (options.data_dir / f"{name}.npz").is_file():
            origin = ORIGINS.get(name, "see the papers")
            options.part(f"{name}: not there, left out; its public origin: {origin}", {"set": name, "missing": origin})
            continue
        _report(options, name)
    return Result("Errors in percent: the mean over 10 to 100 features (or all of fewer) and its standard deviation.")


def _report(options: Options, name: str) -> None:
    data = load_npz(options.data_dir or "", name)
    row = PROPER_NAMES.get(name, name)
    table = PaperData(row, prepare(row, data.X), data.y, f"{name}.npz")
    phase(f"comparing on {name}")
    n_features = min(table.n_features, MAX_FEATURES)
    binning: Any = "none" if name in DISCRETE else MDLBinner(uncut="median")
    counts = np.arange(min(MIN_FEATURES, n_features), n_features + 1)
    errors: dict[str, float] = {}
    deviations: dict[str, float] = {}
    for label, method in METHODS.items():
        selector = as_published(method, n_features, binning=binning)
        error, deviation = error_summary(compared(options, table, {label: selector}, "paper", counts))
        errors |= error
        deviations |= deviation
        options.part(
            f"{name}, {label}: {error[label]:.1f} ± {deviation[label]:.1f} %",
            {"set": name, "method": label, "error": error[label], "deviation": deviation[label]},
        )
    cells = [f"{errors[label]:.1f} ± {deviations[label]:.1f}" for label in METHODS]
    text = aligned((name, *METHODS), [("error, %", *cells)], (False, *[True] * len(METHODS)))
    options.part(text + "\n", {"set": name, "errors": errors, "deviations": deviations})
