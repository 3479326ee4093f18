"""bitsieve as users call it: the scikit-learn estimator on a table of codes."""

from bitsieve import ForwardSelector


def prepare(codes, classes):
    def run(criterion, k):
        selector = ForwardSelector(k, criterion=criterion, binning="none", n_jobs=1).fit(codes, classes)
        return {"selected": [int(j) for j in selector.selected_]}

    return run
