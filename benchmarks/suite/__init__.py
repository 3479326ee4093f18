"""The benchmarks, one after the other as they are run."""

from benchmarks.suite import (
    blankets,
    cells,
    cluster,
    encoding,
    files,
    geometric,
    global_methods,
    greedy,
    interactions,
    large,
    matrix,
    monotone_bins,
    rules,
    sparse,
    tables,
    threads,
)

ALL = {
    benchmark.name: benchmark
    for module in (
        greedy,
        matrix,
        interactions,
        encoding,
        tables,
        monotone_bins,
        rules,
        geometric,
        sparse,
        global_methods,
        threads,
        large,
        cluster,
        files,
        cells,
        blankets,
    )
    for benchmark in module.BENCHMARKS
}
