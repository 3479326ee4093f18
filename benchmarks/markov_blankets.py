"""How well Markov blankets are found, whether the tests keep their level, and how long both take.

``python -m benchmarks.markov_blankets [PART]...`` prints tables; the parts are "levels", "recovery" and "speed", by
default all. Times are those of this process on one thread. The networks are random: every column has up to three
earlier columns as parents, and for each joint value of these a random distribution of two to four codes.
"""

from __future__ import annotations

import sys
from math import log
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.independence_sums import IndependenceSums
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.tables import ContingencyTable, make_entropy_terms
from bitsieve.information import make_information
from bitsieve.information.independence import IndependenceTests, NominalShape, TestOptions, results_of
from bitsieve.methods.by_counts.criteria import make_criterion
from bitsieve.methods.by_counts.forward import forward_select
from bitsieve.methods.by_counts.markov_blankets.blanket import BlanketOptions, find_blanket
from bitsieve.methods.by_counts.markov_blankets.search import Search

LEVEL = 0.05
TABLES = 2000  # of every design
FIRST_SEED = 1000  # of the networks of which blankets are recovered
SEARCHES = {
    "iamb-fdr": BlanketOptions(algorithm="iamb-fdr"),
    "mmmb": BlanketOptions(algorithm="mmmb"),
    "fbed": BlanketOptions(algorithm="fbed"),
    "fbed, no extra run": BlanketOptions(algorithm="fbed", n_extra_runs=0),
    "iamb": BlanketOptions(algorithm="iamb"),
    "inter-iamb": BlanketOptions(algorithm="inter-iamb"),
    "fast-iamb": BlanketOptions(algorithm="fast-iamb"),
    "gs": BlanketOptions(algorithm="gs"),
    "hiton-mb": BlanketOptions(algorithm="hiton-mb"),
}


class Size(NamedTuple):
    """The size of the networks and tables of which blankets are recovered."""

    n_networks: int
    n_columns: int
    n_rows: int

    def __str__(self) -> str:
        return f"{self.n_columns} columns, {self.n_rows:,} rows"


SIZES = (Size(8, 30, 500), Size(8, 30, 5000), Size(8, 30, 20_000), Size(4, 70, 500))


class Design(NamedTuple):
    """Tables of two independent columns within strata."""

    n_samples: int
    n_codes: tuple[int, int]
    n_strata: int
    is_skewed: bool = False  # the k-th code of a column has a share proportional to 1 / k^2

    def __str__(self) -> str:
        first, second = self.n_codes
        skewed = ", skewed" if self.is_skewed else ""
        return f"{self.n_samples:,} rows, {first} x {second} x {self.n_strata}{skewed}"

    @property
    def samples_per_cell(self) -> float:
        first, second = self.n_codes
        return self.n_samples / (first * second * self.n_strata)


DESIGNS = (
    Design(500, (3, 3), 8),
    Design(500, (4, 4), 16),
    Design(500, (4, 4), 64),
    Design(5000, (4, 4), 64),
    Design(5000, (4, 4), 64, is_skewed=True),
    Design(5000, (4, 4), 512, is_skewed=True),
    Design(500, (2, 2), 8, is_skewed=True),
    Design(500, (8, 8), 8, is_skewed=True),
    Design(300, (3, 4), 9),
    *(
        Design(n_samples, n_codes, n_strata, is_skewed)
        for n_samples in (200, 2000)
        for n_codes, n_strata in (((2, 2), 1), ((2, 5), 4), ((3, 3), 16), ((6, 6), 2), ((10, 3), 30))
        for is_skewed in (False, True)
    ),
)


def rejected_shares(design: Design, tests: dict[str, TestOptions]) -> dict[str, float]:
    """The share of the tables in which each test rejects independence at the level."""
    random = np.random.default_rng(1)
    shares = [1 / np.arange(1, n + 1) ** (2 if design.is_skewed else 0) for n in design.n_codes]
    tables = []
    for _ in range(TABLES):
        x, y = (random.choice(len(share), design.n_samples, p=share / share.sum()) for share in shares)
        stratum = random.integers(0, design.n_strata, design.n_samples)
        cells = (stratum * design.n_codes[0] + x) * design.n_codes[1] + y
        tables.append(ContingencyTable.of_samples((design.n_strata, *design.n_codes), cells))
    terms = make_entropy_terms(design.n_samples)
    n_first, n_second = np.array([design.n_codes] * TABLES).T
    rejected = {}
    for name, options in tests.items():
        sums = IndependenceSums.of_tables(tables, terms, options.optional_sums)
        results = results_of(sums, NominalShape(design.n_strata, n_first, n_second), terms, options)
        rejected[name] = float(np.mean([result.log_p <= log(LEVEL) for result in results]))
    return rejected


def print_levels() -> None:
    """The share of true hypotheses that each test rejects at the level 0.05."""
    tests = {
        "scaled": TestOptions(),
        "g": TestOptions(test="g"),
        "g, nominal": TestOptions(test="g", freedom="nominal"),
        "pearson": TestOptions(test="pearson"),
    }
    print("| design | rows a cell |", " | ".join(tests), "|")
    for design in DESIGNS:
        shares = rejected_shares(design, tests)
        print(f"| {design} | {design.samples_per_cell:.1f} |", " | ".join(f"{s:.3f}" for s in shares.values()), "|")


class Network(NamedTuple):
    """A random network of columns: the parents of each, and the shares of its codes for each joint value of these."""

    parents: list[list[int]]
    shares: list[NDArray]

    @classmethod
    def random(cls, seed: int, n_columns: int) -> Network:
        random = np.random.default_rng(seed)
        n_codes = random.integers(2, 5, n_columns)
        parents = []
        shares = []
        for column in range(n_columns):
            earlier = np.arange(max(0, column - 8), column)
            n_parents = min(len(earlier), int(random.integers(0, 4)))
            parents.append(sorted(random.choice(earlier, n_parents, replace=False).tolist()))
            n_joint = int(np.prod(n_codes[parents[-1]])) if n_parents else 1
            shares.append(random.dirichlet(np.full(n_codes[column], 0.5), n_joint))
        return cls(parents, shares)

    def sample(self, n_rows: int, seed: int) -> NDArray:
        """Rows of the network, as codes."""
        random = np.random.default_rng(seed)
        codes = np.zeros((n_rows, len(self.parents)), np.uint8)
        for column, (parents, shares) in enumerate(zip(self.parents, self.shares, strict=True)):
            joint = np.zeros(n_rows, np.int64)
            for parent in parents:
                joint = joint * self.shares[parent].shape[1] + codes[:, parent]
            limits = shares.cumsum(axis=1)[joint, :-1]
            codes[:, column] = (random.random(n_rows)[:, None] > limits).sum(axis=1)
        return codes

    def n_codes(self) -> NDArray:
        return np.array([shares.shape[1] for shares in self.shares], np.int32)

    def blanket(self, column: int) -> set[int]:
        """The parents and children of a column, and the other parents of its children."""
        children = [child for child, parents in enumerate(self.parents) if column in parents]
        members = {*self.parents[column], *children}
        for child in children:
            members.update(self.parents[child])
        return members - {column}


def f1(members: set[int], truth: set[int]) -> float:
    """The harmonic mean of precision and recall; 1 if both sets are empty."""
    if not members and not truth:
        return 1.0
    return 2 * len(members & truth) / (len(members) + len(truth))


def search_for(tests: IndependenceTests, target: int, options: BlanketOptions) -> Search:
    others = [column for column in range(tests.counts.class_variable) if column != target]
    return Search(tests, target, others, LEVEL, options.conditioning_limit)


def recovery_of_searches(network: Network, codes: NDArray) -> dict[str, float]:
    """The mean F1 over all columns as targets, of every search."""
    source = PackedSource(codes, arities=network.n_codes(), n_jobs=1)
    scores = {}
    for name, options in SEARCHES.items():
        tests = IndependenceTests(source, TestOptions())
        found = []
        for target in range(codes.shape[1]):
            blanket = find_blanket(search_for(tests, target, options), options)
            found.append(f1(set(blanket.members), network.blanket(target)))
        scores[name] = float(np.mean(found))
    return scores


def recovery_of_rankings(network: Network, codes: NDArray) -> dict[str, float]:
    """The mean F1 of rankings that are cut at the true number of members, which nobody knows in practice."""
    scores = {}
    for name in ("jmi", "cmim", "mrmr"):
        found = []
        for target in range(codes.shape[1]):
            truth = network.blanket(target)
            if not truth:
                continue
            others = [column for column in range(codes.shape[1]) if column != target]
            source = PackedSource(codes[:, others], codes[:, target], n_jobs=1)
            ranking = forward_select(make_information("plug-in", source), make_criterion(name), len(truth))
            found.append(f1({others[column] for column in ranking.order.tolist()}, truth))
        scores[f"{name}, true number"] = float(np.mean(found))
    return scores


def print_recovery() -> None:
    """F1 against the true blanket: one row a method, one column a size of networks and tables."""
    rows: dict[str, list[str]] = {}
    for size in SIZES:
        by_network = []
        for seed in range(FIRST_SEED, FIRST_SEED + size.n_networks):
            network = Network.random(seed, size.n_columns)
            codes = network.sample(size.n_rows, seed + FIRST_SEED)
            by_network.append(recovery_of_searches(network, codes) | recovery_of_rankings(network, codes))
        for name in by_network[0]:
            mean = np.mean([scores[name] for scores in by_network])
            rows.setdefault(name, []).append(f"{mean:.3f}")
    print("| method |", " | ".join(map(str, SIZES)), "|")
    for name, figures in rows.items():
        print(f"| {name} |", " | ".join(figures), "|")


def print_speed() -> None:
    """Seconds of a test and of whole searches by iamb-fdr."""
    network = Network.random(0, 37)
    for n_rows in (20_000, 1_000_000):
        source = PackedSource(network.sample(n_rows, 1), arities=network.n_codes(), n_jobs=1)
        tests = IndependenceTests(source, TestOptions())
        tests.test_each(0, [1], [])  # the codes are brought to memory
        for condition in ([], [1], [1, 2, 3]):
            started = process_time()
            tests.test_each(0, range(4, 37), condition)
            seconds = (process_time() - started) / 33
            print(f"a test of {n_rows:,} rows given {len(condition)} columns: {1e6 * seconds:.0f} microseconds")
    options = SEARCHES["iamb-fdr"]
    source = PackedSource(network.sample(20_000, 1), arities=network.n_codes(), n_jobs=1)
    started = process_time()
    tests = IndependenceTests(source, TestOptions())
    for target in range(37):
        find_blanket(search_for(tests, target, options), options)
    print(f"37 blankets of 20,000 rows: {process_time() - started:.2f} s, {tests.n_tests:,} tests")
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, (500, 20_000)).astype(np.uint8)
    classes = (codes[:, :3].sum(axis=1) + random.integers(0, 2, 500) > 3).astype(np.uint8)
    started = process_time()
    tests = IndependenceTests(PackedSource(codes, classes, n_jobs=1), TestOptions())
    find_blanket(search_for(tests, 20_000, options), options)
    print(f"a blanket of 20,000 columns and 500 rows: {process_time() - started:.2f} s, {tests.n_tests:,} tests")


PARTS = {"levels": print_levels, "recovery": print_recovery, "speed": print_speed}


def main(parts: list[str]) -> None:
    for part in parts or PARTS:
        print(f"\n{part}\n")
        PARTS[part]()


if __name__ == "__main__":
    main(sys.argv[1:])
