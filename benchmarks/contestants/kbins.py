"""scikit-learn's KBinsDiscretizer, quantile strategy, on all samples: fitted, then the codes made."""

import time

from sklearn.preprocessing import KBinsDiscretizer

PACKAGES = ("scikit-learn", "numpy")


def prepare(values, classes):
    def run():
        start = time.perf_counter()
        binner = KBinsDiscretizer(n_bins=10, encode="ordinal", strategy="quantile", subsample=None).fit(values)
        fitted = time.perf_counter()
        codes = binner.transform(values)
        done = time.perf_counter()
        return {"fit_s": fitted - start, "transform_s": done - fitted, "most_codes": int(codes.max()) + 1}

    return run
