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

// Compressed sparse columns: column j stores the numbers value[e] of the rows row[e], start[j] <= e < start[j + 1].
template <class Real>
struct StoredNumbers {
    const std::int64_t* start;
    const std::int32_t* row;
    const Real* value;
};

// The class of every row, in [0, n_classes), and its weight.
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

// The bins of columns first .. last. Column first + k has the cuts cuts[ends[k - 1], ends[k]).
struct StoredBins {
    const double* cuts;
    const std::int64_t* ends;
    bool left;                         // whether a number that equals a cut is in the bin on the left of it
    const std::int64_t* base;          // by k: the code of the first bin
    const std::int64_t* missing_code;  // by k: the code of NaN
};

// Codes of the stored numbers of columns first .. last, written to code[start[first]], ...: base and how many cuts are
// below the number, or, where `left` is false, not above it.
template <class Real>
void code_stored(const StoredNumbers<Real>& table, std::int64_t first, std::int64_t last, const StoredBins& bins,
                 std::uint16_t* code);

}  // namespace bitsieve
