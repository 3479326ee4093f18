"""Trials of what reads the samples: powers, Parzen sums, likelihoods, differences, spanning trees, sparse products."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from tests.methods.by_samples.spanning_tree.test_tree import edges_by_kruskal
from tests.methods.by_samples.variational.variational_reference import Bound
from tests.native.trials import equal, near, size, trial

from bitsieve import _native
from bitsieve.methods.by_samples.cutting_plane.columns import SparseColumns
from bitsieve.methods.by_samples.spanning_tree.tree import RankedColumns, SpanningTree, edges_between
from bitsieve.methods.by_samples.variational.bounds import Posterior
from bitsieve.methods.by_samples.variational.codes import CodeTable, NaiveBound, PairwiseBound

POWER_ERROR = 4e-14  # relative error of 2^x, see native/samples/variational.hpp
GRID = 2.0**32
TILE_SAMPLES = 64


def same_bits(kernel, call):
    """Assert that ``call(kernel)`` has the bits of ``call("portable")``, and return it."""
    result = call(kernel)
    assert result.tobytes() == call("portable").tobytes()
    return result


@trial("exp2", "log2")
def powers(random, kernel):
    x = -random.random(size(random, 300)) * random.choice([1.0, 60.0, 900.0])
    n_powers = near(same_bits(kernel, lambda name: _native.exp2(name, x)), np.exp2(x), POWER_ERROR)
    numbers = random.lognormal(0, 20, 20)
    n_logs = near([_native.log2(number) for number in numbers], np.log2(numbers), 4e-16, 4e-16)
    return n_powers + n_logs


def log2_sums(exponents):
    """log2 sum_j 2^x_j by rows."""
    top = exponents.max(axis=-1)
    return top + np.log2(np.exp2(exponents - top[..., None]).sum(axis=-1))


def plain_infection(weights, gains):
    """The next step by the formulas of Rota Bulo, Pelillo and Bomze, None at an equilibrium."""
    mean = np.add.reduce(weights * gains)
    excess = gains - mean
    error = np.minimum(weights, -excess / mean if mean > 0 else -excess)
    if np.add.reduce(error * error) <= 1e-9**2:
        return None
    best = excess.argmax()
    worst = np.where(weights > 0, excess, np.inf).argmin()
    infects = excess[best] >= -excess[worst]
    i = best
    longest = 1.0
    if not infects:  # immunization: the worst strategy loses weight, all of it by the longest step
        i = worst
        longest = -weights[i] / (1 - weights[i])
    curvature = mean - 2 * gains[i]
    if curvature < 0 and abs(excess[i] / curvature) < abs(longest):
        return i, -excess[i] / curvature, False
    return i, longest, not infects


@trial("infection_step", "infect")
def infection(random, kernel):
    """The same steps to the last bit: both sum by halves."""
    n = size(random, 400) + 1
    similar = np.triu(random.random((n, n)).round(random.integers(1, 17)), 1)
    similar += similar.T
    weights = np.full(n, 1 / n)
    gains = similar @ weights
    n_compared = 1
    for _ in range(60):
        step = _native.infection_step(weights, gains, 1e-9)
        expected = plain_infection(weights, gains)
        if expected is None:
            assert step[0] == -1
            break
        assert step == expected
        i, length, leaves = expected
        row = length * similar[i]
        next_weights = weights * (1 - length)
        next_weights[i] = 0.0 if leaves else next_weights[i] + length
        next_gains = gains * (1 - length) + row
        _native.infect(weights, gains, int(i), float(length), bool(leaves), row)
        n_compared += equal(weights, next_weights) + equal(gains, next_gains)
    return n_compared


@trial("log_kernel_sums")
def log_kernel_sums(random, kernel):
    n = size(random, 100)
    first, last = np.sort(random.permutation(n + 1)[:2]).tolist()
    x, z = random.normal(size=(2, n)).round(random.integers(1, 9))
    x_scale, z_scale = np.exp2(random.integers(-3, 4, 2).astype(float))
    has_partner = bool(random.integers(2))
    partner = z if has_partner else None

    def call(name):
        out = np.empty(n)
        _native.log_kernel_sums(name, x, x_scale, partner, z_scale, first, last, out)
        return out

    squared_distance = (x_scale * np.subtract.outer(x, x[first:last])) ** 2
    if has_partner:
        squared_distance += (z_scale * np.subtract.outer(z, z[first:last])) ** 2
    # exponents of up to some thousands have an absolute error of some 1e-13
    return near(same_bits(kernel, call), log2_sums(-squared_distance), 1e-12, 1e-12)


@trial("joint_log_sums")
def joint_log_sums(random, kernel):
    n = size(random, 60)
    n_shared = int(random.integers(0, 3))
    n_candidates = int(random.integers(1, 4))
    first, last = np.sort(random.permutation(n + 1)[:2]).tolist()
    start, stop = np.sort(random.permutation(n + 1)[:2]).tolist()
    shared = random.normal(size=(n_shared, n))
    candidates = random.normal(size=(n_candidates, n))

    def call(name):
        out = np.zeros((n_candidates, n))
        _native.joint_log_sums(name, shared, candidates, first, last, start, stop, out)
        return out

    expected = np.zeros((n_candidates, n))
    for row, candidate in zip(expected, candidates, strict=True):
        points = np.vstack([shared, candidate])
        squared_distance = ((points[:, start:stop, None] - points[:, None, first:last]) ** 2).sum(axis=0)
        row[start:stop] = log2_sums(-squared_distance)
    return near(same_bits(kernel, call), expected, 1e-12, 1e-12)  # exponents of some tens


@trial("grid_log_sums")
def grid_log_sums(random, kernel):
    n = size(random, 60)
    n_others = int(random.integers(1, 3))
    x = random.normal(size=n) * random.choice([1, 100])
    others = random.normal(size=(n_others, n))
    unit = float(random.uniform(0.2, 3))
    slopes = random.normal(size=n_others)
    scales = random.uniform(0.2, 3, n_others)
    max_nodes = int(random.choice([0, 1 << 20]))  # one by one, or on the grid

    def call(name):
        out = np.empty(n_others)
        _native.grid_log_sums(name, x, others, unit, slopes, scales, max_nodes, out)
        return out

    expected = []
    for other, slope, scale in zip(others, slopes, scales, strict=True):
        points = np.array([unit * x, scale * (other - slope * x)])
        squared_distance = ((points[:, :, None] - points[:, None]) ** 2).sum(axis=0)
        exponents = -np.log2(np.e) / 2 * squared_distance
        expected.append(log2_sums(exponents).sum())
    return near(same_bits(kernel, call), expected, 1e-9, 1e-9)  # the grid is right to 6e-12 of a sum


def class_sizes(random):
    return random.integers(1, random.choice([3, 30]), random.integers(1, 5))


@trial(
    "likelihood_tables",
    "naive_sums",
    "pair_sums_float32",
    "pair_sums_float64",
    "table_stride_float32",
    "table_stride_float64",
)
def variational(random, kernel):
    """Bounds with one to three chosen features, in double and in single precision."""
    sizes = class_sizes(random)
    n_features = int(random.integers(4, 7))
    classes = np.repeat(np.arange(len(sizes)), sizes)
    arities = random.integers(1, random.choice([4, 9, 40]), n_features)
    codes = (random.random((len(classes), n_features)) ** random.integers(1, 3) * arities).astype(np.uint8)
    code_type = np.uint8 if random.integers(2) else np.uint16
    pairwise = bool(random.integers(2))
    table = CodeTable(codes.astype(code_type), sizes, None)
    bound = PairwiseBound(table) if pairwise else NaiveBound(table)
    bound.posterior.kernel = kernel
    table.kernel = kernel
    bound_by_definition = Bound(codes, classes, pairwise)
    chosen = []
    n_compared = 0
    for feature in random.permutation(n_features)[:3].tolist():
        bound.add(feature)
        chosen.append(feature)
        others = np.setdiff1d(np.arange(n_features), chosen)
        expected = [bound_by_definition([*chosen, int(other)]) for other in others]
        n_compared += near(bound.values(others), expected, 1e-11, 1e-11)  # logs of products of some hundred factors
        n_compared += near(bound.float32_values(others), expected, 0, bound.float32_error() + 1e-11)
    return n_compared


@trial("state_sums")
def state_sums(random, kernel):
    posterior = Posterior(class_sizes(random).astype(np.int64))
    posterior.multiply(-random.random(posterior.shape) * random.choice([1, 90]))
    state = -random.random(posterior.shape) * 30
    exponent = float(1 / random.integers(1, 5))

    def call(name):
        out = np.empty(1)
        _native.state_sums(name, *posterior.weighted, exponent, state.reshape(-1), out)
        return out

    logs = posterior.weighted.log_weights.reshape(posterior.shape) + exponent * state
    by_sample = logs.transpose(0, 2, 1).reshape(-1, posterior.n_classes)[: posterior.n_samples]
    return near(same_bits(kernel, call), [log2_sums(by_sample).sum()], 1e-12, 1e-11)  # sums of some hundred logs


@trial("difference_distances", "nearest_samples", "add_weighted_differences")
def differences(random, kernel):
    n = size(random, 150) + 4
    n_columns = int(random.choice([1, 2, 63, 64, 65, 130]))
    grid = random.random((n, n_columns)) ** random.choice([1, 9])
    if random.integers(2):  # many distances that single precision takes for equal
        grid = np.rint(grid * 3) / 4 + grid / 2**20
    grid = np.rint(grid * GRID) / GRID
    n_tiles = -(-n // TILE_SAMPLES)
    tiles = np.zeros((n_tiles, n_columns, TILE_SAMPLES), np.float32)
    for sample in range(n):
        tiles[sample // TILE_SAMPLES, :, sample % TILE_SAMPLES] = grid[sample]
    samples = random.integers(0, n, 5)
    distances = np.empty((5, TILE_SAMPLES * n_tiles), np.float32)
    _native.difference_distances(kernel, tiles, samples, distances)
    exact = np.abs(grid[samples, None] - grid).sum(axis=2)  # multiples of 2^-32 below 2^21: exact
    n_compared = near(distances[:, :n], exact, 1e-5, 1e-6)  # roundings of single precision
    n_compared += nearest_samples(random, kernel, grid, samples, distances, exact)
    return n_compared + weighted_differences(random, kernel, grid, samples)


def nearest_samples(random, kernel, grid, samples, distances, exact):
    """The nearest members of three of the samples, by distances with an exact part added."""
    n = len(grid)
    members = np.sort(random.permutation(n)[: random.integers(4, n + 1)])
    k = 3
    added = random.integers(0, 3, (5, n)) * 0.25
    rows = random.permutation(5)[:3]
    nearest = np.empty((3, k), np.int64)
    tolerance = float(random.choice([0, 2.0**-21, 2.0**-4]))
    _native.nearest_samples(kernel, grid, distances, added, samples, rows, members, tolerance, nearest)
    n_compared = 0
    for row, neighbours in zip(rows, nearest, strict=True):
        others = members[members != samples[row]]
        distance = (exact + added)[row, others]
        beyond_kth = distance - np.sort(distance)[k - 1]
        nearer = others[beyond_kth < -tolerance]
        tied = others[np.abs(beyond_kth) <= tolerance]
        n_compared += equal(neighbours, np.sort([*nearer, *tied][:k]))
    return n_compared


def weighted_differences(random, kernel, grid, samples):
    n, n_columns = grid.shape
    spans = random.uniform(0.5, 2, n_columns)
    weights = random.normal(size=(5, 4))
    others = random.integers(0, n, (5, 4))

    def call(name):
        out = np.zeros(n_columns)
        _native.add_weighted_differences(name, grid, spans, samples, others, weights, out)
        return out

    expected = (weights[:, :, None] * np.abs(grid[others] - grid[samples, None]) / spans).sum(axis=(0, 1))
    return near(same_bits(kernel, call), expected, 0, 1e-13)  # twenty terms of about 1


def points_of(random, n, dims):
    """A grid with many equal lengths, or numbers of which none are equal."""
    if random.integers(2):
        return random.integers(0, random.choice([2, 6, 50]), (n, dims)).astype(float)
    return random.normal(size=(n, dims))


@trial("spanning_tree")
def spanning_trees(random, kernel):
    nodes = np.unique(points_of(random, int(random.integers(2, 45)), int(random.integers(1, 5))), axis=0)
    edges = _native.spanning_tree(kernel, np.ascontiguousarray(nodes.T))
    assert len(edges) == len(nodes) - 1
    assert {tuple(edge) for edge in edges.tolist()} == edges_by_kruskal(nodes)
    return len(edges)


@trial("cross_edges")
def cross_edges(random, kernel):
    n, dims = int(random.integers(2, 30)), int(random.integers(1, 3))
    numbers = points_of(random, n, dims + 2)
    columns = RankedColumns.of(numbers)
    values, ranks = np.unique(numbers[:, :dims], axis=0, return_inverse=True)
    second = random.random(n) < 0.5
    last = random.permutation(n)
    out = np.empty(2)
    _native.cross_edges(
        kernel,
        ranks.reshape(-1).astype(np.uint32),
        np.ascontiguousarray(values.T),
        np.arange(n),
        last,
        (~second).astype(float),
        second.astype(float),
        columns.ranks,
        columns.values,
        columns.starts,
        np.array([dims, dims + 1]),
        out,
    )
    expected = []
    for j in (dims, dims + 1):
        points = np.column_stack([numbers[:, :dims], numbers[last, j]])
        nodes, node_of_point = np.unique(points, axis=0, return_inverse=True)
        edges = np.array(sorted(edges_by_kruskal(nodes)), np.int64).reshape(-1, 2)
        tree = SpanningTree(nodes, node_of_point.reshape(-1), edges)
        expected.append(edges_between(tree, second.astype(int), 2)[0, 1])
    return near(out, expected, 1e-12, 1e-12)  # sums of fractions in two orders


@trial("sparse_column_moments", "sparse_column_products", "sparse_correlated")
def sparse_products(random, kernel):
    n = size(random, 60)
    n_columns = int(random.integers(1, 12))
    is_stored = random.random((n, n_columns)) < random.choice([0.1, 0.6, 1.0])
    table = random.integers(-3, 9, (n, n_columns)) * is_stored
    matrix = sparse.csc_array(table.astype((np.float32, np.float64)[random.integers(2)]))
    if random.integers(2):
        matrix.indices = matrix.indices.astype(np.int64)
        matrix.indptr = matrix.indptr.astype(np.int64)
    columns = SparseColumns(matrix)
    centred = table - table.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    rounding = 1e-12  # some hundred additions
    n_compared = near(columns.mean, table.mean(axis=0), rounding, rounding)
    n_compared += near(columns.length, length, 1e-9, rounding)
    vectors = centred / np.where(length > 0, length, np.inf)
    weights = random.normal(size=(n, int(random.integers(1, 4))))
    n_compared += near(columns.products(weights), vectors.T @ weights, 0, 1e-10)

    chosen = random.permutation(n_columns)[: random.integers(1, n_columns + 1)]
    min_correlation = float(random.uniform(0.05, 1))
    pairs = columns.correlated(chosen, min_correlation)
    correlation = vectors.T @ vectors[:, chosen]
    expected = np.where(np.abs(correlation) >= min_correlation, correlation, 0)
    dense = np.zeros(correlation.shape)
    dense[pairs.column, pairs.chosen] = pairs.correlation
    is_clear = np.abs(np.abs(correlation) - min_correlation) > 1e-9  # or rounding would decide
    return n_compared + near(dense[is_clear], expected[is_clear], 0, 1e-10)
