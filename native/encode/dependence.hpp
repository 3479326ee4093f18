// The dependence of columns on several vectors of classes, within parts of the samples: for tests that shuffle the
// classes and repeat everything that looked at them, cuts included.
//
// For a column of codes and one vector of classes, with n_z the samples of a part z, n_zx and n_zc those of them with a
// code x or a class c, and n_zxc those with both:
//     freedom = sum_z (codes in z - 1) (classes in z - 1)
//     sum     = sum_z [ sum T(n_zxc) - sum T(n_zx) - sum T(n_zc) + T(n_z) ]  =  N I(X;C|Z) 2^shift
// All are integers. Columns of numbers are cut anew by every vector of classes (cuts.hpp, mdl.hpp) and sorted once.
// Many vectors of two classes are first searched together for those that cut a column, if it has at most 255 rows.
// Limits: rows <= 2^31. Scratch memory: 48 bytes a row, and a cell for every code and class of one part; in that search
// also a byte for each row and vector.
#pragma once

#include <cstdint>

#include "encode/cuts.hpp"

namespace bitsieve {

// The samples order[starts[z]], ..., order[starts[z + 1] - 1] are part z; every sample is in one part.
struct Parts {
    const std::uint32_t* order;
    const std::int64_t* starts;
    std::int64_t n_parts;
};

// freedom[b] and sums[b] of a column with class vector b; the code of sample i is codes[i], below n_codes.
void dependence_of_codes(const std::int32_t* codes, std::int64_t n_rows, std::int64_t n_codes,
                         const ClassVectors& vectors, const Parts& parts, const Terms& terms, std::int64_t* freedom,
                         std::int64_t* sums);

// freedom[j * n_vectors + b] and sums[j * n_vectors + b] of column j with class vector b, by which it is cut. The value
// of sample i is columns[j * n_rows + i]; a value on a cut has the lower code, NaN has a code of its own. A column
// without an accepted cut is cut at its lower median (cut_at_median), or else has one code.
void dependence_of_cuts(const double* columns, std::int64_t n_rows, std::int64_t n_columns, const ClassVectors& vectors,
                        const Parts& parts, const Terms& terms, bool cut_at_median, std::int64_t* freedom,
                        std::int64_t* sums);

}  // namespace bitsieve
