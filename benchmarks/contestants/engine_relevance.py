"""bitsieve, engine level: I(Xi;C) of every feature from codes already made, packing included."""

from bitsieve.counts.packed import MemoryCounts
from bitsieve.information.pairwise import PairwiseInformation


def prepare(codes, classes):
    def run():
        source = MemoryCounts(codes, classes, n_classes=int(classes.max()) + 1, n_jobs=1)
        return {"bits": PairwiseInformation(source).relevance.tolist()}

    return run
