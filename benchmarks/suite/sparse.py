"""Methods on sparse tables of a million columns and more."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Contestant, Job, Sizes
from benchmarks.data import Data, Shape

# Penalties that leave some 200 columns of the first shape; they are sought beforehand, and the seconds that takes are
# counted for none.
SVC_C = 0.00072
CELER_C = 0.0026
SKGLM_ALPHA = 0.0036


def _discovery(samples: int, features: int, nonzeros: int, k: int, *, others: bool, large: bool = False) -> Job:
    contestants = {
        "GDM": Contestant("ours_sparse.gdm", {"k": k, "n_jobs": 1}),
        "GDM, two threads": Contestant("ours_sparse.gdm", {"k": k, "n_jobs": 2}),
        "GDM, one cut": Contestant("ours_sparse.gdm", {"k": k, "n_jobs": 1, "per_cut": k}),
        "FGM": Contestant("ours_sparse.gdm", {"k": k, "n_jobs": 1, "tau": None}),
        "one product with y, scipy": Contestant("ours_sparse.product", {"k": k}),
    }
    if others:
        contestants |= {
            "L1SVM": Contestant("ours_sparse.l1_svm", {"k": k}),
            "L1 LinearSVC": Contestant("others.l1_linear_svc", {"C": SVC_C}),
            "celer, L1 logistic": Contestant("others.celer_logistic", {"C": CELER_C}, peers=True),
            "skglm, L1 logistic": Contestant("others.skglm_logistic", {"C": SKGLM_ALPHA}, peers=True),
        }
    name = f"{samples:,} x {features:,}, {nonzeros:,} non-zeros a row, k = {k}"
    data = Data("sparse_groups", Shape(samples, features, nonzeros, 2))
    return Job(name, data, contestants, large=large, fresh=large)


def _greedy(samples: int, features: int, nonzeros: int, k: int, *, piece: int, large: bool = False) -> Job:
    options = {"criterion": "jmi", "k": k, "n_jobs": 1}
    contestants = {
        "JMI": Contestant("ours_sparse.greedy", options),
        "JMI, two threads": Contestant("ours_sparse.greedy", {**options, "n_jobs": 2}),
        "CMIM": Contestant("ours_sparse.greedy", {**options, "criterion": "cmim"}),
        "MRMR": Contestant("ours_sparse.greedy", {**options, "criterion": "mrmr"}),
        "CMI": Contestant("ours_sparse.greedy", {**options, "criterion": "cmi"}),
        "FCBF": Contestant("ours_sparse.fcbf", {"k": k, "n_jobs": 1}),
        "a product a step, scipy": Contestant("by_hand_sparse.jmi", {"k": k}, piece={"k": piece}, work=_steps),
    }
    name = f"{samples:,} x {features:,}, {nonzeros:,} non-zeros a row, k = {k}"
    data = Data("sparse_groups", Shape(samples, features, nonzeros, 2))
    return Job(name, data, contestants, work=_steps, large=large, fresh=large)


def _texts(texts: int, words: int, of_a_text: int, k: int, *, large: bool = False) -> Job:
    options = {"criterion": "mrmr", "k": k, "binning": "none"}
    contestants = {
        "two threads": Contestant("ours_sparse.greedy", {**options, "n_jobs": 2}),
        "one thread": Contestant("ours_sparse.greedy", {**options, "n_jobs": 1}),
    }
    name = f"MRMR, {texts:,} texts x {words:,} words, {of_a_text:,} drawn for a text, k = {k}"
    return Job(name, Data("sparse_texts", Shape(texts, words, of_a_text, 2)), contestants, large=large, fresh=True)


def _relevance(samples: int, features: int, nonzeros: int, *, piece: int) -> Job:
    options = {"columns": features}
    contestants = {
        "mutual_information": Contestant("ours_sparse.relevance", options),
        "chi2, scikit-learn": Contestant("others.sparse_chi2", options),
        "mutual_info_classif, scikit-learn": Contestant(
            "others.sparse_mutual_info_classif", options, piece={"columns": piece}
        ),
    }
    name = f"{samples:,} x {features:,}, {nonzeros:,} non-zeros a row"
    data = Data("sparse_groups", Shape(samples, features, nonzeros, 2))
    return Job(name, data, contestants, work=lambda sizes: sizes["columns"])


def _steps(sizes: Sizes) -> float:
    return sizes["samples"] * sizes["features"] * sizes["k"]


BENCHMARKS = (
    Benchmark(
        "sparse_greedy",
        "Greedy selection on sparse tables, from a CSR matrix of numbers to the selected columns, with binning: 100 "
        "of a million columns in less than 10 s on one core, and 16 million columns within 8 GiB; 200 of 4.3 million "
        "words by MRMR, by two threads and by one.",
        [
            _greedy(100_000, 1_000_000, 50, 100, piece=10),
            _greedy(20_000, 16_000_000, 3_000, 100, piece=2, large=True),
            _texts(16_087, 4_272_227, 8_000, 200, large=True),
        ],
        [_greedy(2_000, 20_000, 30, 10, piece=10), _texts(300, 20_000, 200, 5)],
        rounds=3,
        patience_s=30.0,
    ),
    Benchmark(
        "sparse_relevance",
        "I(Xi;C) of the presences of all columns of a sparse table, one core, beside what else takes such tables.",
        [_relevance(100_000, 1_000_000, 50, piece=1_000)],
        [_relevance(2_000, 20_000, 30, piece=1_000)],
        rounds=3,
        patience_s=30.0,
    ),
    Benchmark(
        "group_discovery",
        "GDM on sparse tables with 200 planted groups, from a CSR matrix to the affiliated features: in less time "
        "than an L1 support vector machine of as many features, within three times the memory of the matrix.",
        [
            _discovery(100_000, 1_000_000, 50, 200, others=True),
            _discovery(20_000, 8_000_000, 500, 100, others=False, large=True),
            _discovery(20_000, 16_000_000, 3_000, 200, others=False, large=True),
        ],
        [_discovery(2_000, 20_000, 30, 10, others=True)],
        rounds=3,
        patience_s=30.0,
    ),
)
