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

POWER = 4e-14  # relative error of 2^x, see native/variational.hpp
GRID = 2.0**32


def same_bits(kernel, call):
    """What the call gives, which is what it gives with the portable kernel, bit for bit."""
    found, portable = call(kernel), call("portable")
    assert found.tobytes() == portable.tobytes()
    return found


@trial("exp2", "log2")
def powers(random, kernel):
    x = -random.random(size(random, 300)) * random.choice([1.0, 60.0, 900.0])
    compared = near(same_bits(kernel, lambda name: _native.exp2(name, x)), np.exp2(x), POWER)
    numbers = random.lognormal(0, 20, 20)
    logs = np.log2(numbers)
    return compared + near([_native.log2(number) for number in numbers], logs, 4e-16, 4e-16)


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
    best, worst = excess.argmax(), np.where(weights > 0, excess, np.inf).argmin()
    infects = excess[best] >= -excess[worst]
    i = best if infects else worst
    furthest = 1.0 if infects else -weights[i] / (1 - weights[i])
    curve = mean - 2 * gains[i]
    length = -excess[i] / curve if curve < 0 else furthest
    whole = curve >= 0 or abs(length) >= abs(furthest)
    return i, furthest if whole else length, whole and not infects


@trial("infection_step", "infect")
def infection(random, kernel):
    """The same steps to the last bit: both sum by halves."""
    n = size(random, 400) + 1
    similar = np.triu(random.random((n, n)).round(random.integers(1, 17)), 1)
    similar += similar.T
    weights = np.full(n, 1 / n)
    gains, compared = similar @ weights, 0
    for _ in range(60):
        found, wanted = _native.infection_step(weights, gains, 1e-9), plain_infection(weights, gains)
        if wanted is None:
            assert found[0] == -1
            break
        assert found == wanted
        i, length, leaves = wanted
        row = length * similar[i]
        next_weights, next_gains = weights * (1 - length), gains * (1 - length) + row
        next_weights[i] = 0.0 if leaves else next_weights[i] + length
        _native.infect(weights, gains, int(i), float(length), bool(leaves), row)
        compared += equal(weights, next_weights) + equal(gains, next_gains)
    return compared + 1


@trial("kernel_sums")
def kernel_sums(random, kernel):
    n = size(random, 100)
    first, last = np.sort(random.permutation(n + 1)[:2]).tolist()
    x, z = random.normal(size=(2, n)).round(random.integers(1, 9))
    scales, other = np.exp2(random.integers(-3, 4, 2).astype(float)), z if random.integers(2) else None

    def call(name):
        out = np.empty(n)
        _native.kernel_sums(name, x, scales[0], other, scales[1], first, last, out)
        return out

    apart = (scales[0] * np.subtract.outer(x, x[first:last])) ** 2
    if other is not None:
        apart += (scales[1] * np.subtract.outer(z, z[first:last])) ** 2
    # exponents of up to some thousands have an absolute error of some 1e-13
    return near(same_bits(kernel, call), log2_sums(-apart), 1e-12, 1e-12)


@trial("joint_log_sums")
def joint_log_sums(random, kernel):
    n, n_shared, count = size(random, 60), int(random.integers(0, 3)), int(random.integers(1, 4))
    first, last = np.sort(random.permutation(n + 1)[:2]).tolist()
    start, stop = np.sort(random.permutation(n + 1)[:2]).tolist()
    shared, own = random.normal(size=(n_shared, n)), random.normal(size=(count, n))

    def call(name):
        out = np.zeros((count, n))
        _native.joint_log_sums(name, shared, own, first, last, start, stop, out)
        return out

    wanted = np.zeros((count, n))
    for row, values in zip(wanted, own, strict=True):
        points = np.vstack([shared, values])
        apart = ((points[:, start:stop, None] - points[:, None, first:last]) ** 2).sum(axis=0)
        row[start:stop] = log2_sums(-apart)
    return near(same_bits(kernel, call), wanted, 1e-12, 1e-12)  # exponents of some tens


@trial("grid_log_sums")
def grid_log_sums(random, kernel):
    n, count = size(random, 60), int(random.integers(1, 3))
    x, y = random.normal(size=n) * random.choice([1, 100]), random.normal(size=(count, n))
    unit, slope, scale = float(random.uniform(0.2, 3)), random.normal(size=count), random.uniform(0.2, 3, count)
    most = int(random.choice([0, 1 << 20]))  # one by one, or on the grid

    def call(name):
        out = np.empty(count)
        _native.grid_log_sums(name, x, y, unit, slope, scale, most, out)
        return out

    to_log2 = np.log2(np.e) / 2
    wanted = []
    for other, lean, by in zip(y, slope, scale, strict=True):
        points = np.array([unit * x, by * (other - lean * x)])
        apart = ((points[:, :, None] - points[:, None]) ** 2).sum(axis=0)
        wanted.append(log2_sums(-to_log2 * apart).sum())
    return near(same_bits(kernel, call), wanted, 1e-9, 1e-9)  # the grid is right to 6e-12 of a sum


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
    sizes, n = class_sizes(random), int(random.integers(4, 7))
    classes = np.repeat(np.arange(len(sizes)), sizes)
    arities = random.integers(1, random.choice([4, 9, 40]), n)
    codes = (random.random((len(classes), n)) ** random.integers(1, 3) * arities).astype(np.uint8)
    kind = np.uint8 if random.integers(2) else np.uint16
    pairwise, compared = bool(random.integers(2)), 0
    bound = (PairwiseBound if pairwise else NaiveBound)(CodeTable(codes.astype(kind), sizes, None))
    bound.posterior.kernel = bound.table.kernel = kernel
    defined, chosen = Bound(codes, classes, pairwise), []
    for feature in random.permutation(n)[:3].tolist():
        bound.add(feature)
        chosen.append(feature)
        left = np.setdiff1d(np.arange(n), chosen)
        wanted = [defined([*chosen, int(j)]) for j in left]
        compared += near(bound.values(left), wanted, 1e-11, 1e-11)  # logarithms of products of some hundred factors
        compared += near(bound.float32_values(left), wanted, 0, bound.float32_error() + 1e-11)
    return compared


@trial("state_sums")
def state_sums(random, kernel):
    posterior = Posterior(class_sizes(random).astype(np.int64))
    posterior.multiply(-random.random(posterior.shape) * random.choice([1, 90]))
    state, exponent = -random.random(posterior.shape) * 30, float(1 / random.integers(1, 5))

    def call(name):
        out = np.empty(1)
        _native.state_sums(name, *posterior.weighted, exponent, state.reshape(-1), out)
        return out

    logs = posterior.weighted.log_weights.reshape(posterior.shape) + exponent * state
    by_sample = logs.transpose(0, 2, 1).reshape(-1, posterior.n_classes)[: posterior.n_samples]
    return near(same_bits(kernel, call), [log2_sums(by_sample).sum()], 1e-12, 1e-11)  # sums of some hundred logs


@trial("difference_distances", "nearest_samples", "add_weighted_differences")
def differences(random, kernel):
    n, n_columns = size(random, 150) + 4, int(random.choice([1, 2, 63, 64, 65, 130]))
    grid = random.random((n, n_columns)) ** random.choice([1, 9])
    if random.integers(2):  # many distances that single precision takes for equal
        grid = np.rint(grid * 3) / 4 + grid / 2**20
    grid = np.rint(grid * GRID) / GRID
    n_tiles = -(-n // 64)
    tiles = np.zeros((n_tiles, n_columns, 64), np.float32)
    for sample in range(n):
        tiles[sample // 64, :, sample % 64] = grid[sample]
    samples = random.integers(0, n, 5)

    def distances(name):
        out = np.empty((5, 64 * n_tiles), np.float32)
        _native.difference_distances(name, tiles, samples, out)
        return out

    exact = np.abs(grid[samples, None] - grid).sum(axis=2)  # multiples of 2^-32 below 2^21: exact
    found = distances(kernel)
    compared = near(found[:, :n], exact, 1e-5, 1e-6)  # roundings of single precision
    members = np.sort(random.permutation(n)[: random.integers(4, n + 1)])
    k, added, rows = 3, random.integers(0, 3, (5, n)) * 0.25, random.permutation(5)[:3]
    nearest = np.empty((3, k), np.int64)
    tolerance = float(random.choice([0, 2.0**-21, 2.0**-4]))
    _native.nearest_samples(kernel, grid, found, added, samples, rows, members, tolerance, nearest)
    for row, chosen in zip(rows, nearest, strict=True):
        others = members[members != samples[row]]
        apart = (exact + added)[row, others]
        apart -= np.sort(apart)[k - 1]  # from the k-th
        wanted = [*others[apart < -tolerance], *others[np.abs(apart) <= tolerance]][:k]
        compared += equal(chosen, np.sort(wanted))
    spans, weights = random.uniform(0.5, 2, n_columns), random.normal(size=(5, 4))
    others = random.integers(0, n, (5, 4))

    def weighted(name):
        out = np.zeros(n_columns)
        _native.add_weighted_differences(name, grid, spans, samples, others, weights, out)
        return out

    wanted = (weights[:, :, None] * np.abs(grid[others] - grid[samples, None]) / spans).sum(axis=(0, 1))
    return compared + near(same_bits(kernel, weighted), wanted, 0, 1e-13)  # twenty terms of about 1


def points_of(random, n, dims):
    """A grid with many equal lengths, or numbers of which none are equal."""
    if random.integers(2):
        return random.integers(0, random.choice([2, 6, 50]), (n, dims)).astype(float)
    return random.normal(size=(n, dims))


@trial("spanning_tree")
def spanning_trees(random, kernel):
    places = np.unique(points_of(random, int(random.integers(2, 45)), int(random.integers(1, 5))), axis=0)
    edges = _native.spanning_tree(kernel, np.ascontiguousarray(places.T))
    assert len(edges) == len(places) - 1
    assert {tuple(edge) for edge in edges.tolist()} == edges_by_kruskal(places)
    return len(edges)


@trial("cross_edges")
def cross_edges(random, kernel):
    n, dims = int(random.integers(2, 30)), int(random.integers(1, 3))
    numbers = points_of(random, n, dims + 2)
    columns = RankedColumns.of(numbers)
    values, ranks = np.unique(numbers[:, :dims], axis=0, return_inverse=True)
    second, last = random.random(n) < 0.5, random.permutation(n)
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
    wanted = []
    for j in (dims, dims + 1):
        places, place = np.unique(np.column_stack([numbers[:, :dims], numbers[last, j]]), axis=0, return_inverse=True)
        edges = np.array(sorted(edges_by_kruskal(places)), np.int64).reshape(-1, 2)
        tree = SpanningTree(places, place.reshape(-1), edges)
        wanted.append(edges_between(tree, second.astype(int), 2)[0, 1])
    return near(out, wanted, 1e-12, 1e-12)  # sums of fractions in two orders


@trial("sparse_column_moments", "sparse_column_products", "sparse_correlated")
def sparse_products(random, kernel):
    n, n_columns = size(random, 60), int(random.integers(1, 12))
    table = random.integers(-3, 9, (n, n_columns)) * (random.random((n, n_columns)) < random.choice([0.1, 0.6, 1.0]))
    matrix = sparse.csc_array(table.astype((np.float32, np.float64)[random.integers(2)]))
    if random.integers(2):
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    columns, centred = SparseColumns(matrix), table - table.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    rounding = 1e-12  # some hundred additions
    compared = near(columns.mean, table.mean(axis=0), rounding, rounding) + near(columns.length, length, 1e-9, rounding)
    vectors = centred / np.where(length > 0, length, np.inf)
    weights = random.normal(size=(n, int(random.integers(1, 4))))
    compared += near(columns.products(weights), vectors.T @ weights, 0, 1e-10)
    chosen, least = random.permutation(n_columns)[: random.integers(1, n_columns + 1)], float(random.uniform(0.05, 1))
    correlation = vectors.T @ vectors[:, chosen]
    pairs, dense = columns.correlated(chosen, least), np.zeros(correlation.shape)
    dense[pairs.column, pairs.chosen] = pairs.correlation
    clear = np.abs(np.abs(correlation) - least) > 1e-9  # or rounding would decide
    return compared + near(dense[clear], np.where(np.abs(correlation) >= least, correlation, 0)[clear], 0, 1e-10)
