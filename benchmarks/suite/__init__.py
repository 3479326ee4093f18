"""The benchmarks, one after the other as they are run."""

from benchmarks.suite import geometric, global_methods, greedy, large, matrix, tables

ALL = {
    benchmark.name: benchmark
    for module in (greedy, matrix, tables, geometric, global_methods, large)
    for benchmark in module.BENCHMARKS
}
