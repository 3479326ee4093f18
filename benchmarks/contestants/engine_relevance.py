"""bitsieve, engine level: I(Xi;C) of every feature from codes already made, packing included."""

from bitsieve.information import PlugInInformation
from bitsieve.sources import make_source


def prepare(codes, classes):
    def run():
        source = make_source(codes, classes, n_classes=int(classes.max()) + 1, n_jobs=1)
        return {"bits": PlugInInformation(source).relevance.tolist()}

    return run
