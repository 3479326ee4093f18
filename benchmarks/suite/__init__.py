"""The benchmarks, one after the other as they are run."""

from benchmarks.suite import cluster, geometric, global_methods, greedy, large, matrix, sparse, tables

ALL = {
    benchmark.name: benchmark
    for module in (greedy, matrix, tables, geometric, sparse, global_methods, large, cluster)
    for benchmark in module.BENCHMARKS
}
