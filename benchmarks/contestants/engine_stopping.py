"""bitsieve: greedy selection with a stopping rule that is asked at every step and never stops; "none": without."""

import time

from bitsieve.by_counts.criteria import make_criterion
from bitsieve.by_counts.greedy.forward import forward_select
from bitsieve.by_counts.stopping import STOPPING_RULES
from bitsieve.information import PlugInInformation
from bitsieve.sources import make_source


def prepare(codes, classes):
    n_classes = int(classes.max()) + 1

    def run(criterion, k, rule):
        start = time.perf_counter()
        source = make_source(codes, classes, n_classes=n_classes, n_jobs=1)
        asked = None if rule == "none" else endless(rule)
        chosen = forward_select(PlugInInformation(source), make_criterion(criterion), k, stopping=asked)
        return {"chosen": len(chosen.order), "seconds": time.perf_counter() - start}

    return run


def endless(rule):
    """The rule of that name, which computes its value as ever and lets everything pass."""
    made = STOPPING_RULES[rule]()

    class Endless(type(made)):
        def stops(self, value):
            return False

    return Endless()
