"""Programs of others, from PyPI. Most run in the environment that `python -m benchmarks.peers` makes."""

import numpy as np
from sklearn.base import clone

from benchmarks.contestants.problems import found_groups, on_grid, presences

PACKAGES = {
    "itmo_fs": ("ITMO_FS", "numpy", "scikit-learn"),
    "pycausalfs_iamb": ("pyCausalFS", "numpy"),
    "fast_select_mrmr": ("fast-select", "numba"),
    "fast_select_matrix": ("fast-select", "numba"),
    "fast_select_relieff": ("fast-select", "numba"),
    "correlations": ("mrmrs", "fastcan", "mrmr-selection"),
    "skrebate": ("skrebate",),
    "fimdlp": ("fimdlp",),
    "mutual_info_classif": ("scikit-learn",),
    "sparse_mutual_info_classif": ("scikit-learn",),
    "sparse_chi2": ("scikit-learn",),
    "kbins": ("scikit-learn",),
    "quitefastmst": ("quitefastmst",),
    "delaunay": ("scipy",),
    "quadprog": ("quadprog",),
    "clarabel": ("clarabel",),
    "l1_linear_svc": ("scikit-learn",),
    "celer_logistic": ("celer",),
    "skglm_logistic": ("skglm", "numba"),
}


def itmo_fs(codes, classes):
    """ITMO_FS's MultivariateFilter, which at every step scores every pair with the selected features anew."""
    from ITMO_FS.filters.multivariate import MultivariateFilter

    table = np.ascontiguousarray(codes, dtype=np.int64)
    target = classes.astype(np.int64)

    def run(criterion, k):
        selector = MultivariateFilter(criterion.upper(), k)
        selector.fit(table, target)
        return {"selected": [int(j) for j in selector.selected_features]}

    return run


def pycausalfs_iamb(codes):
    """IAMB of pyCausalFS, whose tests go through the rows in Python."""
    from pyCausalFS.CBD.MBs.IAMB import IAMB

    table = np.ascontiguousarray(codes, dtype=np.int64)
    return lambda targets: {"blankets": [sorted(map(int, IAMB(table, target, 0.05)[0])) for target in range(targets)]}


def fast_select_mrmr(codes, classes):
    """MRMR of fast-select, compiled by numba, which counts the whole matrix."""
    from fast_select import mRMR

    table = np.ascontiguousarray(codes)

    mRMR(n_features_to_select=2, backend="cpu").fit(table[:50, :5], classes[:50])  # compiles

    def run(criterion, k):
        fitted = mRMR(n_features_to_select=k, method="MID", backend="cpu").fit(table, classes)
        return {"selected": [int(j) for j in fitted.top_features_]}

    return run


def fast_select_matrix(codes, classes):
    """The matrix of I(Xi;Xj) by fast-select, compiled by numba."""
    from fast_select import calculate_mi_matrices

    table = np.ascontiguousarray(codes.astype(np.int32))

    def run(conditional):
        calculate_mi_matrices(table, classes, backend="cpu", unit="bit")

    calculate_mi_matrices(table[:50, :5], classes[:50], backend="cpu", unit="bit")  # compiles
    return run


def correlations(values, classes):
    """Programs that need no bins: relevance and redundancy are F statistics and correlations of the doubles."""
    import pandas
    import polars

    names = [str(j) for j in range(values.shape[1])]
    pandas_frame = pandas.DataFrame(values, columns=names)
    polars_frame = polars.DataFrame(values, schema=names)

    def mrmrs(k):
        from mrmrs import mrmr

        selected = mrmr(polars_frame, polars.Series("y", classes), k, "classification")
        return [int(feature.name) for feature in selected]

    def fastcan(k):
        from fastcan import FastCan

        one_hot_classes = np.eye(classes.max() + 1)[classes]
        return FastCan(k, verbose=0).fit(values, one_hot_classes).indices_.tolist()

    def fcq(k):
        from mrmr import mrmr_classif

        selected = mrmr_classif(pandas_frame, pandas.Series(classes), k, show_progress=False, n_jobs=1)
        return [int(name) for name in selected]

    programs = {"mrmrs": mrmrs, "fastcan": fastcan, "fcq": fcq}

    def run(program, k):
        return {"selected": programs[program](k)}

    return run


def fast_select_relieff(values, classes):
    """ReliefF of fast-select, compiled by numba, in single precision."""
    from fast_select import ReliefF

    return _relieff(ReliefF(n_features_to_select=1, n_neighbors=10, backend="cpu", n_jobs=1), values, classes)


def skrebate(values, classes):
    """ReliefF of scikit-rebate, pure Python, in one process."""
    from skrebate import ReliefF

    return _relieff(ReliefF(n_features_to_select=1, n_neighbors=10, n_jobs=1), values, classes)


def _relieff(selector, values, classes):
    table = np.ascontiguousarray(values)
    clone(selector).fit(table[:60, :5], classes[:60])  # compiles

    def run():
        return {"weights": selector.fit(table, classes).feature_importances_.tolist()}

    return run


def fimdlp(values, classes):
    """The MDL discretisation of FImdlp, C++ behind a scikit-learn transformer: fitted, then the codes made."""
    from fimdlp.mdlp import FImdlp

    table = np.ascontiguousarray(values)

    def run():
        FImdlp(n_jobs=1).fit(table, classes).transform(table)

    return run


def kbins(values, classes):
    """scikit-learn's KBinsDiscretizer by quantiles on all samples: fitted, then the codes made."""
    from sklearn.preprocessing import KBinsDiscretizer

    def run():
        discretizer = KBinsDiscretizer(n_bins=10, encode="ordinal", strategy="quantile", subsample=None)
        discretizer.fit(values).transform(values)

    return run


def sparse_mutual_info_classif(value, column, start, classes, groups):
    """scikit-learn's mutual_info_classif of presences, in bits."""
    from sklearn.feature_selection import mutual_info_classif

    X = presences(value, column, start, classes, groups)

    def run(columns):
        nats = mutual_info_classif(X[:, :columns], classes, discrete_features=True)
        return {"largest": float(nats.max() / np.log(2))}

    return run


def sparse_chi2(value, column, start, classes, groups):
    """scikit-learn's chi2 of presences, which is another score but takes the same tables."""
    from sklearn.feature_selection import chi2

    X = presences(value, column, start, classes, groups)

    def run(columns):
        statistics, _ = chi2(X[:, :columns], classes)
        return {"largest_statistic": float(np.nanmax(statistics))}

    return run


def mutual_info_classif(codes, classes):
    """scikit-learn's mutual_info_classif with discrete features, in bits."""
    from sklearn.feature_selection import mutual_info_classif

    def run():
        nats = mutual_info_classif(codes, classes, discrete_features=True, n_jobs=1)
        return {"bits": (nats / np.log(2)).tolist()}

    return run


def quadprog(redundancy, relevance, shift, **_):
    """QPFS by the dual active set method of Goldfarb and Idnani."""
    import quadprog

    from benchmarks.contestants.problems import Quadratic

    problem = Quadratic.of(redundancy, relevance, shift)
    n = len(relevance)
    constraints = np.concatenate([np.ones((n, 1)), np.eye(n)], axis=1)  # the sum is 1, and no weight is negative
    bounds = np.eye(n + 1)[0]

    def run():
        scaled = (1 - problem.alpha) * problem.matrix
        weights, *_ = quadprog.solve_qp(scaled, problem.alpha * problem.relevance, constraints, bounds, 1)
        return {"relative_gap": problem.relative_gap(weights)}

    return run


def clarabel(redundancy, relevance, shift, **_):
    """QPFS by an interior point method."""
    import clarabel
    from scipy import sparse

    from benchmarks.contestants.problems import Quadratic

    problem = Quadratic.of(redundancy, relevance, shift)
    n = len(relevance)
    constraints = sparse.vstack([sparse.csc_matrix(np.ones((1, n))), -sparse.eye(n)], format="csc")
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(n)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False

    def run():
        scaled = sparse.triu(sparse.csc_matrix((1 - problem.alpha) * problem.matrix), format="csc")
        linear = -problem.alpha * problem.relevance
        solver = clarabel.DefaultSolver(scaled, linear, constraints, np.eye(n + 1)[0], cones, settings)
        return {"relative_gap": problem.relative_gap(np.array(solver.solve().x))}

    return run


def quitefastmst(values, classes):
    """Spanning trees by quitefastmst, C++ with OpenMP, on one thread."""
    from quitefastmst import mst_euclid, omp_set_num_threads

    omp_set_num_threads(1)

    def run(times, levels):
        points = on_grid(values, levels)
        for _ in range(times):
            lengths, _ = mst_euclid(points)
        return {"weight": float(lengths.sum())}

    return run


def delaunay(values, classes):
    """Spanning trees of the edges of Delaunay triangles, by scipy."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial import Delaunay

    def run(times, levels):
        points = on_grid(values, levels)
        for _ in range(times):
            corners = Delaunay(points).simplices
            edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
            lengths = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
            i, j = np.sort(edges, axis=1).T
            _, distinct = np.unique(i * len(points) + j, return_index=True)
            graph = coo_array((lengths[distinct], (i[distinct], j[distinct])), shape=(len(points), len(points)))
            tree = minimum_spanning_tree(graph.tocsr())
        return {"weight": float(tree.sum())}

    return run


def l1_linear_svc(value, column, start, classes, groups):
    """scikit-learn's LinearSVC with an L1 penalty, at a C that leaves about as many columns as are asked for."""
    from sklearn.svm import LinearSVC

    return _penalised(lambda C: LinearSVC(penalty="l1", dual=False, C=C), value, column, start, classes, groups)


def celer_logistic(value, column, start, classes, groups):
    """Logistic regression with an L1 penalty by celer, at such a C."""
    from celer import LogisticRegression

    return _penalised(lambda C: LogisticRegression(C=C, tol=1e-4), value, column, start, classes, groups)


def skglm_logistic(value, column, start, classes, groups):
    """Logistic regression with an L1 penalty by skglm, compiled by numba, at such an alpha."""
    from scipy.sparse import eye_array
    from skglm import SparseLogisticRegression

    def make(C):
        return SparseLogisticRegression(alpha=C, tol=1e-4)

    make(0.1).fit(eye_array(20, format="csc"), np.arange(20) % 2)  # compiles
    return _penalised(make, value, column, start, classes, groups)


def _penalised(make, value, column, start, classes, groups):
    from scipy.sparse import csr_matrix

    X = csr_matrix((value, column, start), shape=(len(classes), len(groups)))

    def run(C):
        weights = make(C).fit(X, classes).coef_[0]
        is_positive = X[:20_000] @ weights > 0
        accuracy = float((is_positive == (classes[:20_000] > 0)).mean())
        return {**found_groups(np.flatnonzero(weights), groups), "training_accuracy": round(accuracy, 4)}

    return run
