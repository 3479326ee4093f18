"""bitsieve's equal-frequency binner on a table of floats: fitted, then the codes made."""

import time

from bitsieve.binning import EqualFrequencyBinner


def prepare(values, classes):
    def run(n_jobs=1):
        start = time.perf_counter()
        binner = EqualFrequencyBinner(n_bins=10, n_jobs=n_jobs).fit(values)
        fitted = time.perf_counter()
        codes = binner.transform(values)
        done = time.perf_counter()
        return {"fit_s": fitted - start, "transform_s": done - fitted, "most_codes": int(codes.max()) + 1}

    return run
