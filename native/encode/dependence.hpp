// The dependence of columns on several vectors of classes, within parts of the samples: what a test needs that shuffles
// the classes and repeats everything that looked at them.
//
// For a column of codes and one vector of classes, with n_zxc, n_zx, n_zc and n_z the samples of a part z with a code
// x, a class c, or both:
//     freedom = sum_z (codes in z - 1) (classes in z - 1)
//     sum     = sum_z [ sum T(n_zxc) - sum T(n_zx) - sum T(n_zc) + T(n_z) ]  =  N I(X;C|Z) 2^shift
// All are integers. Columns of numbers are cut anew by every vector of classes (cuts.hpp, mdl.hpp) and sorted once.
// Limits: rows <= 2^31. Scratch memory: 48 bytes a row, and a cell for every code and class of one part.
#pragma once

#include <cstdint>

#include "encode/cuts.hpp"
#include "encode/dependence.hpp"

namespace bitsieve {

// The samples order[starts[z]], ..., order[starts[z + 1] - 1] are part z; every sample is in one part.
struct Parts {
    const std::uint32_t* order;
    const std::int64_t* starts;
    std::int64_t n_parts;
};

// freedom[b] and sums[b] of codes[i] in [0, n_codes) with class vector b.
void dependence_of_codes(const std::int32_t* codes, std::int64_t n_rows, std::int64_t n_codes,
                         const ClassVectors& vectors, const Parts& parts, const Terms& terms, std::int64_t* freedom,
                         std::int64_t* sums);

// freedom[j * n_vectors + b] and sums[...] of columns[j * n_rows], ... cut by class vector b; a value on a cut has the
// lower code, NaN one of its own. A column without an accepted cut is cut at its lower median, or has one code.
void dependence_of_cuts(const double* columns, std::int64_t n_rows, std::int64_t n_columns, const ClassVectors& vectors,
                        const Parts& parts, const Terms& terms, bool cut_at_median, std::int64_t* freedom,
                        std::int64_t* sums);

}  // namespace bitsieve
