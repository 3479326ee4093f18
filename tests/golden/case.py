"""What a case is, and what is recorded of a fitted selector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from tests.golden.encode import encode, encode_near, encode_short

from bitsieve.methods.registry import find_method

if TYPE_CHECKING:
    from collections.abc import Callable

# These rest on LAPACK and BLAS, whose last bits differ from one build and processor to the next: their numbers are
# compared with a tolerance, but for those that are counted, and their selections with ==.
OF_BLAS = {
    *("SDPCMI", "QPFS", "EQPFS", "RCFS", "DominantSetMII"),
    *("GDM", "L1SVM", "SVMRFE", "ModelSelector"),
}
UNCONVERGED = {"ModelSelector"}  # solvers that stop early, where rounding grows: what they select is recorded
COUNTED = {"relevance_", "overlap_"}
P_VALUES = {"stopping_value_", "stopping_values_"}  # tails of distributions, as the build of scipy has them
# The words of notes are tested where they arise.
LEFT_OUT = {"classes_", "diagnostics_", "feature_names_in_", "n_features_in_", "stopping_reason_", "support_"}
SHORT = {"alone_", "clusters_", "groups_", "overlap_", "overlap_with_", "ranking_", "relevance_"}  # a digest is enough


class Case(NamedTuple):
    """A result to record.

    Attributes
    ----------
    group : str
        The file that holds it.
    name : str
        Its key there.
    run : callable
        Gives the results by name, as JSON values.
    """

    group: str
    name: str
    run: Callable[[], dict[str, Any]]


def of_kernels(method: str) -> dict[str, Any]:
    """The settings by which a method rests on the counts alone: plug-in information, and no test of relevance."""
    if method == "fcbf":
        return {"delta": 0.0}
    return {"estimator": "plug-in"} if "estimator" in find_method(method).parameters else {}


def at_a_plateau(method: str, k: object) -> dict[str, str]:
    """What the recorded results of vmi do where the bound no longer grows: they go on, unless the method may end."""
    return {"on_plateau": "continue"} if method.startswith("vmi") and k != "auto" else {}


def is_near(selector: Any) -> bool:
    """Whether the numbers of a selector, beside those that are counted, are compared with a tolerance.

    SpecCMI has sums of its own in the place of BLAS, but for approximations. Densities are exponentials, which numpy
    and the mathematics library take by the processor.
    """
    approximated = getattr(selector, "approximation", None) is not None
    return type(selector).__name__ in OF_BLAS or approximated or getattr(selector, "binning", "") is None


def describe(selector: Any) -> dict[str, Any]:
    """Every fitted attribute of a selector that is a number, a text or made of them."""
    # Shrunk tables have logarithms of shares, by numpy, whose last bits go by the processor.
    shrunk = getattr(selector, "estimator", "") == "shrinkage"
    near = shrunk or is_near(selector)
    found = {}
    for name in object.__dir__(selector):  # that of scikit-learn computes every property
        if name.startswith("_") or not name.endswith("_") or name in LEFT_OUT:
            continue
        if name.startswith("stop") and selector.stopping is None:
            continue
        if not hasattr(selector, name):
            continue
        value = getattr(selector, name)
        if not isinstance(value, (bool, str, int, float, np.generic, np.ndarray, list)):
            continue
        if near and isinstance(value, list) and any(_is_float(entry) for entry in value):
            value = np.concatenate(value)
        if _is_float(value) and type(selector).__name__ in UNCONVERGED:
            continue
        if name in P_VALUES or (near and _is_float(value) and (shrunk or name not in COUNTED)):
            found[name] = encode_near(value)
        else:
            found[name] = (encode_short if name in SHORT else encode)(value)
    return found


def _is_float(value: Any) -> bool:
    return isinstance(value, (float, np.generic, np.ndarray)) and np.asarray(value).dtype.kind == "f"
