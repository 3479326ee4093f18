"""bitsieve: greedy JMI by an estimator, codes already made, packing included."""

from bitsieve.by_counts.criteria import make_criterion
from bitsieve.by_counts.greedy.forward import forward_select
from bitsieve.information import make_information
from bitsieve.sources import make_source


def prepare(codes, classes):
    n_classes = int(classes.max()) + 1

    def run(estimator, k):
        source = make_source(codes, classes, n_classes=n_classes, n_jobs=1)
        chosen = forward_select(make_information(estimator, source), make_criterion("jmi"), k)
        return {"selected": [int(j) for j in chosen.order]}

    return run
