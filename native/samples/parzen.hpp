// Sums of Gaussian kernels over samples, which Parzen densities are made of, in coordinates in which the kernel is
// round.
//
// Two coordinates, all samples as queries (grid_logs). A Gaussian is an integral over the product of two narrower ones,
//
//     exp(-(a - b)^2 / 2) = sqrt(2 / pi) int exp(-(a - t)^2) exp(-(t - b)^2) dt,
//
// and the trapezoidal rule with nodes kStep apart takes that integral to 6e-12 of itself, whatever a and b. So every
// sample is spread over kWindow x kWindow nodes, added up once, and the sums are read off the same nodes: 2 n kWindow^2
// products take the place of n^2 kernels. What lies outside a window is below 3e-12 of a kernel at distance 0, which
// each sum holds at least once. Empty stretches between samples are shortened to what kernels do not reach across.
// Where the nodes would still take more room than allowed, the kernels are summed one by one.
//
// Any number of coordinates, the samples of one class as points (joint_logs): one by one, the distances in the
// coordinates that all candidates share once a query.
//
// Nothing is fused and no libm is called: every instruction set gives the same bits.
#pragma once

#include <cstdint>
#include <string>

namespace bitsieve {

constexpr int kWindow = 24;
constexpr double kStep = 0.43;     // widths of the kernel
constexpr double kMaxSteps = 1e8;  // from the least value to the greatest: standardised columns stay far below

// The densities of a first column with each of some others: kernels stand at (unit x_n, scale[o] (y_n - slope[o] x_n)).
struct ParzenPairs {
    const double* x;
    const double* y;  // of the others: y[o * n_samples + n]
    std::int64_t n_samples, n_others;
    double unit;
    const double* slope;
    const double* scale;
    std::int64_t max_nodes;
};

// Candidates beside shared coordinates, both row by row: shared[k * n_samples + n], own[o * n_samples + n]. Points are
// the samples of [first_point, end_point), queries those of [first_query, end_query); exponents are minus the squared
// distances.
struct JointPoints {
    const double* shared;
    std::int64_t n_shared;
    const double* own;
    std::int64_t n_candidates;
    std::int64_t n_samples, first_point, end_point, first_query, end_query;
};

struct ParzenKernel {
    // grid_logs: sums[o] = sum_n log2 sum_j exp(-|p_n - p_j|^2 / 2), by nodes of a grid (see above).
    //   limit nodes of a grid <= max_nodes, else the kernels are summed one by one
    //   cost  2 samples * kWindow^2 products, or samples^2 powers
    //   same  nothing is fused, no libm: every set gives the same bits
    void (*grid_logs)(const ParzenPairs& pairs, double* sums);
    // joint_logs: logs[o * n_samples + n] = log2 sum_j 2^(-|p_n - p_j|^2), one by one.
    //   cost  queries * points * (shared dimensions + candidates)
    //   same  as grid_logs
    void (*joint_logs)(const JointPoints& points, double* logs);
};

namespace portable {
extern const ParzenKernel kParzen;
}
#if defined(__x86_64__)
namespace avx2 {
extern const ParzenKernel kParzen;
}
namespace avx512 {
extern const ParzenKernel kParzen;
}
#endif

}  // namespace bitsieve
