"""bitsieve's FCBF, engine level: codes already made, packing included, no estimator around it."""

from bitsieve.by_counts.fcbf import fast_correlation_filter
from bitsieve.information.pairwise import PairwiseInformation
from bitsieve.sources.memory import MemoryCounts


def prepare(codes, classes):
    n_classes = int(classes.max()) + 1

    def run():
        source = MemoryCounts(codes, classes, n_classes=n_classes, n_jobs=1)
        found = fast_correlation_filter(PairwiseInformation(source), codes.shape[1])
        return {"selected": [int(j) for j in found.selected]}

    return run
