// Differences between samples in scaled columns: distances, near samples, and weighted sums of differences.
//
// Distances are sums over the columns of |a - b| for numbers between 0 and 1. Sums in float32 find the few samples that
// may be among the nearest; sums in float64, which are exact for numbers that are multiples of 2^-32, then decide. So
// the nearest are the same for every instruction set, and so are the weighted sums: each column has lanes of its own.
//
// Limits: 2^21 columns.
#pragma once

#include <cstdint>
#include <string>

namespace bitsieve {

constexpr std::int64_t kTileSamples = 64;   // of the float32 columns, side by side
constexpr std::int64_t kChunkColumns = 64;  // summed by themselves, so that the error of a sum stays small

// numbers[(tile * n_columns + column) * 64 + sample in the tile]
struct NumberTiles {
    const float* numbers;
    std::int64_t n_tiles, n_columns;

    const float* tile(std::int64_t t) const { return numbers + t * n_columns * kTileSamples; }
};

struct DifferenceKernel {
    // distances: distances of some samples from all, in float32.
    //   out   distances[b * 64 n_tiles + s] of samples[b] and sample s; exact up to distance_error
    //   needs tiles filled up to whole tiles; numbers between 0 and 1
    //   limit columns <= 2^21
    //   cost  count * 64 n_tiles * columns differences
    //   same  each sum runs over the columns in chunks of kChunkColumns; nearest() relies on distance_error alone
    //   test  tests/native: every set within distance_error; tests/methods/by_samples
    void (*distances)(const NumberTiles&, const std::int64_t* samples, std::int64_t count, float* distances);

    // distance: the sum over the columns of |a - b|.
    //   same  exact where the numbers are multiples of 2^-32 between 0 and 1, and so the same for every set
    //   cost  columns differences
    double (*distance)(const double* a, const double* b, std::int64_t n_columns);

    // add_weighted: weighted sums of differences, column by column.
    //   out   out[column] += sum_r weights[r] * |numbers[others[r]][column] - numbers[sample][column]| / spans[column]
    //   cost  count * columns divisions
    //   same  each sum runs in the order of r: every set gives the same bits
    //   test  tests/native/sample_trials.py: every set against portable
    void (*add_weighted)(const double* numbers, const double* spans, std::int64_t n_columns, std::int64_t sample,
                         const std::int64_t* others, const double* weights, std::int64_t count, double* out);
};

// How far a float32 distance may be off: |float32 - true| <= relative * true + absolute.
struct DistanceError {
    double relative, absolute;
};
DistanceError distance_error(std::int64_t n_columns);

// The k nearest neighbours of one sample that are asked for.
struct NearestQuery {
    const double* grid;  // the numbers of all samples, row by row
    std::int64_t n_columns;
    std::int64_t sample;
    const float* distances;       // of the sample from all samples, in float32; null: there are no columns of numbers
    const double* added;          // what other columns add to these distances; null: nothing
    const std::int64_t* members;  // the samples that may be neighbours, ascending
    std::int64_t n_members;
    std::int64_t k;
    double tolerance;  // distances that differ by no more are equal
};

// Writes the k nearest members other than the sample itself, ascending. Of those that tie with the k-th, the first are
// taken. Throws std::invalid_argument if there are fewer than k.
void nearest(const DifferenceKernel&, const NearestQuery&, std::int64_t* out);

namespace portable {
extern const DifferenceKernel kDifferences;
}
#if defined(__x86_64__)
namespace avx2 {
extern const DifferenceKernel kDifferences;
}
namespace avx512 {
extern const DifferenceKernel kDifferences;
}
#endif

}  // namespace bitsieve
