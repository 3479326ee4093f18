"""Tables of numbers, files, and methods that need more than counts: binning, start, filters, VMI, error curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import Data, Shape, codes
from benchmarks.limits import Limit, binning
from benchmarks.rounds import significant

SELECT = ("-m", "bitsieve")  # as the installed command starts it
SELECT_20 = ("select", "TABLE", "--target", "class", "--features", "20")
READ = {  # on one thread
    "csv": "import sys, pyarrow; pyarrow.set_cpu_count(1); from pyarrow import csv; csv.read_csv(sys.argv[1])",
    "parquet": "import sys; from pyarrow import parquet; parquet.read_table(sys.argv[1], use_threads=False)",
    "npz": "import sys, numpy; numpy.load(sys.argv[1])['X']",
}
READ["words"] = READ["npz"]
BY_PYARROW = "import sys; from pyarrow import csv; csv.read_csv(sys.argv[1])"  # on all cores
BY_POLARS = "import sys, polars; polars.read_{}(sys.argv[1])"  # on all cores
PROGRAMS = {  # the first is the one that the others are compared with
    "import bitsieve": "import bitsieve",
    "python that does nothing": "pass",
    "import numpy": "import numpy",
    "import numpy and pyarrow": "import numpy, pyarrow",
    "import sklearn": "import sklearn",
    "import ForwardSelector": "from bitsieve import ForwardSelector",
}
# Seconds of the authors' C++ programs as whole processes, k = 50, one core of an AMD EPYC, and the nanoseconds that an
# evaluation needs at least: 8 or 45 instructions for eight of them, and 40 a block, at three a cycle and 3 GHz.
VMI = {"naive": (0.4, 0.25), "pairwise": (8.3, 0.8)}
PEER_VALUES = 2_000_000  # that programs of others bin: some need minutes for all
CLASSIFIERS = ("linear-svm", "knn", "ncm")


def _size(shape: Shape) -> str:
    return f"{shape.samples:,} x {shape.features:,}, {shape.classes} classes"


def _binning(shape: Shape, kind: str, data: str = "values") -> Job:
    peer = {"MDL": ("FImdlp", "others.fimdlp", True), "equal frequency": ("KBinsDiscretizer", "others.kbins", False)}
    name, command, peers = peer[kind]
    contestants = {
        kind: Contestant("ours_tables.binner", {"kind": kind}),
        f"{kind}, two threads": Contestant("ours_tables.binner", {"kind": kind, "n_jobs": 2}, threads=2),
        name: Contestant(command, peers=peers, piece={"features": min(shape.features, PEER_VALUES // shape.samples)}),
    }
    words = "" if data == "values" else f" of {data}"
    return Job(f"{kind}, {_size(shape)}{words}", Data(data, shape), contestants, limit=binning(shape))


def _process(*words: str, threads: int = 1) -> Contestant:
    return Contestant("ours_tables.process", {"arguments": list(words)}, threads=threads)


def _startup(shape: Shape) -> Job:
    contestants = {name: _process("-c", program) for name, program in PROGRAMS.items()}
    contestants |= {f"bitsieve {word}": _process(*SELECT, word) for word in ("--help", "methods")}
    contestants["bitsieve select"] = _process(*SELECT, *SELECT_20)
    for method in ("jmi", "speccmi"):
        contestants[f"bitsieve select, {method}"] = _process(*SELECT, *SELECT_20, "--method", method)
    return Job(f"CSV of {shape.samples} x {shape.features:,}", Data("csv", shape), contestants)


def _long_start(shape: Shape, data: str = "csv") -> Job:
    contestants = {
        "bitsieve select": _process(*SELECT, *SELECT_20, threads=2),
        "reading by pyarrow": _process("-c", BY_PYARROW, "TABLE", threads=2),
        "reading by polars": _process("-c", BY_POLARS.format("csv"), "TABLE", threads=2),
    }
    words = ", most unrelated" if data == "risks_csv" else ""
    return Job(f"CSV of {shape.samples:,} x {shape.features:,}{words}", Data(data, shape), contestants)


def _file(kind: str, shape: Shape, method: str) -> Job:
    target = "y" if kind in ("npz", "words") else "class"
    words = ("select", "TABLE", "--target", target, "--method", method, "--features", "10", "--threads", "1")
    contestants = {
        "bitsieve select": _process(*SELECT, *words),
        "reading alone": _process("-c", READ[kind], "TABLE"),
    }
    if kind in ("csv", "parquet"):
        contestants["bitsieve select, quantile bins"] = _process(*SELECT, *words, "--binning", "quantile")
        contestants["reading by polars"] = _process("-c", BY_POLARS.format(kind), "TABLE")
    return Job(f"{kind}, {_size(shape)}, {method}", Data(kind, shape), contestants, limited_by="reading alone")


def _fcbf(shape: Shape) -> Job:
    contestants = {"engine": Contestant("ours.fcbf"), "numpy bincount": Contestant("by_hand.fcbf")}
    return Job(f"FCBF, {shape.name}", codes(shape), contestants)


def _programs(shape: Shape, k: int) -> Job:
    contestants = {
        "bitsieve, quantile bins": Contestant("ours_tables.forward", {"k": k, "binning": "quantile"}),
        "bitsieve, default": Contestant("ours_tables.forward", {"k": k}),
        "mrmrs": Contestant("others.correlations", {"program": "mrmrs", "k": k}, peers=True),
        "fastcan": Contestant("others.correlations", {"program": "fastcan", "k": k}, peers=True),
        "mrmr_selection": Contestant(
            "others.correlations",
            {"program": "fcq", "k": k},
            peers=True,
            piece={"features": min(shape.features, 500), "samples": min(shape.samples, 10000)},
            work=lambda sizes: sizes["samples"] * sizes["features"] * sizes["k"],
        ),
    }
    return Job(f"MRMR, {_size(shape)}, k = {k}", Data("values", shape), contestants)


def _relieff(shape: Shape) -> Job:
    contestants = {
        "bitsieve": Contestant("ours_tables.relieff"),
        "numpy loop": Contestant("by_hand.relieff"),
        "scikit-rebate": Contestant("others.skrebate", peers=True),
        "fast-select": Contestant("others.fast_select_relieff", peers=True),
    }
    return Job(f"ReliefF, {_size(shape)}", Data("values", shape), contestants)


def _alike(ours: dict[str, Any], theirs: dict[str, Any]) -> Any:
    """The same columns, or the largest difference of weights."""
    if "weights" in ours:
        return significant(float(np.abs(np.subtract(ours["weights"], theirs["weights"])).max()), 2)
    return theirs["selected"] == ours["selected"]


def _variational(shape: Shape, kind: str, k: int, n_jobs: int, *, authors: bool = False, large: bool = False) -> Job:
    contestant = Contestant("ours.variational", {"decomposition": kind, "k": k, "n_jobs": n_jobs}, threads=n_jobs)
    evaluations = shape.samples * sum(shape.features - step for step in range(k)) * shape.classes
    limit = Limit(seconds=1e-9 * evaluations * VMI[kind][1] / n_jobs)
    name = f"{kind}, {shape.name}, k = {k}, {n_jobs} threads"
    reference_s = VMI[kind][0] if authors else None
    return Job(name, codes(shape), {"engine": contestant}, limit=limit, reference_s=reference_s, large=large)


def _curve(shape: Shape, classifier: str) -> Job:
    test = 1 if shape.samples < 100 else shape.samples // 10
    options = {"classifier": classifier, "train": shape.samples - test}
    contestants = {
        name: Contestant("ours_tables.curve", {**options, "anew": anew})
        for name, anew in {"grown": False, "anew": True}.items()
    }
    return Job(f"{classifier}, {_size(shape)}", Data("values", shape), contestants)


def _pairs(sizes: dict[str, int]) -> float:
    return sizes["samples"] * sizes["features"] ** 2


def _kernels(sizes: dict[str, int]) -> float:
    return _pairs(sizes) * sizes["samples"]


def _parzen(shape: Shape) -> Job:
    piece = {"features": 30}
    contestants = {
        "on a grid": Contestant("ours_tables.parzen"),
        "on a grid, two threads": Contestant("ours_tables.parzen", {"n_jobs": 2}, threads=2),
        "kernel by kernel": Contestant("ours_tables.parzen_kernels", piece=piece, work=_kernels),
        "scipy gaussian_kde": Contestant("by_hand.parzen", piece={"features": 8}, work=_kernels),
    }
    return Job(f"Parzen similarities, {_size(shape)}", Data("values", shape), contestants, work=_pairs)


def _dominant(shape: Shape) -> Job:
    return Job(
        f"dominant sets of |rho|, {_size(shape)}",
        Data("values", shape),
        {"infection": Contestant("ours_tables.clusters")},
    )


def _equal_predictions(ours: dict[str, Any], theirs: dict[str, Any]) -> float:
    return significant(float((np.array(ours["predicted"]) == np.array(theirs["predicted"])).mean()))


def _jobs(make: Any, shapes: tuple[Shape, ...], kinds: tuple[str, ...]) -> list[Job]:
    return [make(shape, kind) for shape in shapes for kind in kinds]


BINNINGS = ("MDL", "equal frequency")
TALL = Shape(100000, 500, 10, 2)
QUICK = Shape(300, 100, 3, 3)
VMI_SMALL = Shape(2000, 500, 3, 4)
VMI_LARGE = Shape(60000, 784, 5, 10)
BENCHMARKS = (
    Benchmark(
        "binning",
        "MDL in seconds, equal frequency beside KBinsDiscretizer; fit and transform.",
        [
            *_jobs(_binning, (Shape(72, 7129, 10, 2), TALL, Shape(500, 100000, 10, 2)), BINNINGS),
            _binning(Shape(60000, 784, 10, 10), "MDL", "pixels"),
        ],
        _jobs(_binning, (Shape(72, 300, 10, 2), Shape(5000, 20, 10, 2)), BINNINGS),
        patience_s=20.0,
    ),
    Benchmark(
        "startup",
        "Whole processes: bitsieve select on a CSV of 62 x 2,000 in 0.25 s and of 100,000 x 100 in 0.6 s, two goals "
        "not yet met; --help and methods under 0.25 s.",
        [
            _startup(Shape(62, 2000, 10, 2)),
            _long_start(Shape(100000, 100, 10, 2)),
            _long_start(Shape(100000, 100, 10, 2), "risks_csv"),
        ],
        [
            _startup(Shape(62, 100, 10, 2)),
            _long_start(Shape(1000, 10, 10, 2)),
            _long_start(Shape(1000, 10, 10, 2), "risks_csv"),
        ],
        rounds=9,
    ),
    Benchmark(
        "files",
        "bitsieve select from a file to a ranking, one thread: 1.5 times a process that only reads the file.",
        [
            _file("csv", Shape(100000, 100, 10, 2), "mrmr"),
            _file("parquet", Shape(1000000, 50, 10, 2), "mrmr"),
            _file("npz", Shape(60000, 784, 10, 10), "jmi"),
            _file("words", Shape(15935, 6000, 10, 10), "mrmr"),
        ],
        [_file(kind, QUICK, "mrmr") for kind in ("csv", "parquet", "npz")],
        rounds=3,
        patience_s=60.0,
    ),
    Benchmark(
        "filters",
        "FCBF and ReliefF, 10 neighbours, one core; agreement: the same columns, or the largest difference.",
        [_fcbf(shape) for shape in (Shape(72, 7129, 3, 2), Shape(500, 20000, 3, 5), TALL)]
        + [_relieff(shape) for shape in (Shape(100, 5000, 10, 2), Shape(1000, 200, 10, 3), Shape(2000, 500, 10, 2))],
        [_fcbf(QUICK), _relieff(QUICK)],
        agree=_alike,
    ),
    Benchmark(
        "programs",
        "MRMR from doubles, one core: bits of bins, and programs that need no bins: F statistics and correlations.",
        [_programs(Shape(72, 7129, 10, 2), 50), _programs(Shape(500, 20000, 10, 5), 50), _programs(TALL, 50)],
        [_programs(QUICK, 5)],
        rounds=3,
        patience_s=60.0,
    ),
    Benchmark(
        "variational",
        "VMI naive and pairwise on codes already made, sorting and tables included.",
        [
            _variational(VMI_SMALL, "naive", 50, 1, authors=True),
            _variational(VMI_SMALL, "pairwise", 50, 1, authors=True),
            _variational(Shape(72, 7129, 3, 2), "naive", 20, 1),
            _variational(Shape(72, 7129, 3, 2), "pairwise", 20, 1),
            _variational(VMI_LARGE, "naive", 50, 2),
            _variational(VMI_LARGE, "pairwise", 50, 2, large=True),
        ],
        [_variational(QUICK, kind, 5, 2) for kind in VMI],
    ),
    Benchmark(
        "dominant_sets",
        "W of 500 features by Parzen windows under 2 minutes on two cores (2 n 24^2 products a pair, not n^2 kernels).",
        [_parzen(Shape(2000, 500, 10, 2)), _dominant(Shape(200, 2000, 10, 2))],
        [_parzen(Shape(200, 10, 10, 2)), _dominant(Shape(100, 50, 10, 2))],
        rounds=3,
        patience_s=10.0,
    ),
    Benchmark(
        "comparison",
        "Error curves of 10 to 100 features, one fold, one core: grown feature by feature, and fitted anew.",
        _jobs(_curve, (Shape(62, 2000, 3, 2), Shape(1000, 200, 3, 3), Shape(4000, 100, 3, 10)), CLASSIFIERS),
        _jobs(_curve, (Shape(62, 200, 3, 2), QUICK), CLASSIFIERS),
        rounds=3,
        patience_s=20.0,
        agree=_equal_predictions,
    ),
)
