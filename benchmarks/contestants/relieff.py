"""bitsieve's ReliefF on a table of floats."""

from bitsieve import ReliefF


def prepare(values, classes):
    def run(n_jobs=1):
        return {"weights": ReliefF(1, n_jobs=n_jobs).fit(values, classes).weights_.tolist()}

    return run
