"""SpecCMI on codes already made: whole, by landmarks, or within a limit of memory."""

import numpy as np

from bitsieve import Nystrom, SpecCMI

PACKAGES = ("bitsieve", "numpy", "scipy")


def prepare(codes, classes):
    def run(k, sampling_rate=None, random_state=0, variant=None, **parameters):
        if sampling_rate is not None:
            parameters["approximation"] = Nystrom(sampling_rate, random_state=random_state, variant=variant)
        fitted = SpecCMI(k, binning="none", **parameters).fit(codes, classes)
        return {
            "selected": fitted.selected_.tolist(),
            "weights": np.asarray(fitted.weights_).tolist(),
            "objective": fitted.objective_,
            "gap": fitted.gap_,
            "swapped": parameters.get("refine"),
        }

    return run
