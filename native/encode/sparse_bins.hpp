// Cuts and codes of sparse columns of numbers, of which only the values that are not zero are stored.
//
// Zero takes no part in the cuts: it is a code of its own wherever a column does not store all of its rows. NaN takes
// no part either. Weights: how many times each row stands (null: once). Limits: rows <= 2^31, the sum of the weights <=
// 2^31.
#pragma once

#include <cstdint>

#include "count/fixed_point.hpp"
#include "encode/number_columns.hpp"

namespace bitsieve {

// Compressed sparse columns of numbers.
template <class Real>
struct StoredNumbers {
    const std::int64_t* start;
    const std::int32_t* row;
    const Real* value;
};

// Classes below n_classes, and weights, of every row.
struct RowClasses {
    const std::int32_t* classes;
    std::int64_t n_classes;
    const std::int64_t* weights;
};

// The cuts of the stored numbers of columns first .. last by the minimum description length, see mdl.hpp.
template <class Real>
Ragged<double> stored_mdl_cuts(const StoredNumbers<Real>& table, std::int64_t first, std::int64_t last,
                               const RowClasses& rows, const Terms& terms);

// Cut b = 1, ..., n_bins - 1 is the order statistic of rank round-half-up(b N / n_bins) of the N stored numbers; equal
// cuts are one, and none is the largest number.
template <class Real>
Ragged<double> stored_order_cuts(const StoredNumbers<Real>& table, std::int64_t first, std::int64_t last,
                                 std::int64_t n_bins, const std::int64_t* weights);

// The sorted distinct stored numbers of columns first .. last.
template <class Real>
Ragged<double> stored_distinct(const StoredNumbers<Real>& table, std::int64_t first, std::int64_t last);

// Codes of the stored numbers of columns first .. last, written to code[start[first]], ...: base[j] and the number of
// cuts that lie below the number (side left) or not above it; NaN takes missing_code[j].
template <class Real>
void code_stored(const StoredNumbers<Real>& table, std::int64_t first, std::int64_t last, const double* cuts,
                 const std::int64_t* ends, bool left, const std::int64_t* base, const std::int64_t* missing_code,
                 std::uint16_t* code);

}  // namespace bitsieve
