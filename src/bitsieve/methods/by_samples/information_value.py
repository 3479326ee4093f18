"""Information value: Jeffreys' divergence of a column's bins between two classes, as credit and insurance measure it.

``IV = sum_b (e_b/E - n_b/N) ln((e_b/E) / (n_b/N))`` in nats, over the bins of :class:`bitsieve.MonotoneBinner`: e_b and
n_b are the rows of bin b that have the event and those that do not, E and N those of the whole table.
"""

from __future__ import annotations

from functools import partial

from bitsieve.methods.by_samples.rows import Samples
from bitsieve.methods.method import DENSE_ROWS, Method, MethodResult
from bitsieve.utils.parameters import check_integer, check_number, optional
from bitsieve.utils.types import Label

MAX_EXACT = 1500  # columns of more different numbers are cut at some of them only, as by MonotoneBinner


def information_value(
    samples: Samples,
    k: int,
    *,
    event_class: Label | None = None,
    max_n_bins: int | None = 10,
    min_bin_share: float = 0.05,
    n_jobs: int | None = None,
) -> MethodResult:
    """Rank the columns by their corrected information value; see :class:`bitsieve.InformationValueSelector`."""
    from bitsieve.methods.by_samples.information_value_ranking import rank_by_information_value  # imports scipy

    return rank_by_information_value(
        samples, k, event_class=event_class, max_n_bins=max_n_bins, min_bin_share=min_bin_share, n_jobs=n_jobs
    )


def _seconds(n: int, d: int, k: int) -> float:
    """Nearly all time is that of the search for the best bins: over all different numbers, or over cuts of many."""
    if d <= MAX_EXACT:
        return n * (3e-3 + 7e-8 * d**2)
    return n * (2e-2 + 7e-8 * d)


METHODS = (
    Method(
        name="information-value",
        title="Ranking by information value",
        formula="sum over bins of (e/E - n/N) ln((e/E) / (n/N)), less its mean by chance",
        paper="Kullback 1959",
        inputs="the values themselves, each column with the class",
        cost="O(n d log d), and a search over up to 1,500 different numbers a column",
        seconds=_seconds,
        unit="nats",
        selector="bitsieve.selectors.information_value:InformationValueSelector",
        run=information_value,
        required_capabilities=DENSE_ROWS,
        bins=False,
        takes_missing=True,
        rules={
            "max_n_bins": optional(partial(check_integer, low=1, high=4096)),
            "min_bin_share": partial(check_number, low=0, high=1),
        },
    ),
)
