"""A selection from a file of cells by genes."""

from benchmarks.memory import Peak


def select(cells):
    """Genes that tell the types of cells apart within batches, from the file, in memory or in batches."""

    def run(k, memory=None):
        import bitsieve

        with Peak() as peak:
            bitsieve.select(cells, "cell_type", strata="batch", n_features_to_select=k, memory=memory)
        return {"seconds": peak.seconds, **peak.told()}

    return run
