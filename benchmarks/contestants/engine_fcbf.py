"""bitsieve's FCBF, engine level: codes already made, packing included, no estimator around it."""

from bitsieve.by_counts.blankets.fcbf import fast_correlation_filter
from bitsieve.information import PlugInInformation
from bitsieve.sources import make_source


def prepare(codes, classes):
    n_classes = int(classes.max()) + 1

    def run():
        source = make_source(codes, classes, n_classes=n_classes, n_jobs=1)
        found = fast_correlation_filter(PlugInInformation(source), codes.shape[1])
        return {"selected": [int(j) for j in found.order]}

    return run
