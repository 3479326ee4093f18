"""bitsieve's MDL binner on a table of floats: fitted, then the codes made."""

import time

from bitsieve.binning import MDLBinner


def prepare(values, classes):
    def run(n_jobs=1):
        start = time.perf_counter()
        binner = MDLBinner(n_jobs=n_jobs).fit(values, classes)
        fitted = time.perf_counter()
        codes = binner.transform(values)
        done = time.perf_counter()
        return {"fit_s": fitted - start, "transform_s": done - fitted, "most_codes": int(codes.max()) + 1}

    return run
