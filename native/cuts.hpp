// Cuts of columns of numbers: by the minimum description length (mdl.hpp), and by order statistics.
//
// A column of whole numbers in a small span is counted and not sorted, of a long one only that part is sorted by the classes in
// which a cut may lie; any other is sorted once, whatever the number of class vectors. NaN takes no part. Weights: how many
// times each row stands (null: once), 1 or more.
// Limits: rows <= 2^31, the sum of the weights <= 2^31. Scratch memory: 48 bytes a row, and 64 for a matrix in rows.
#pragma once

#include "number_columns.hpp"
#include "fixed_point.hpp"

namespace bitsieve {

// One or several vectors of classes of the rows, one after the other; each class lies in [0, n_classes).
struct ClassVectors {
    const std::int32_t* classes;
    std::int64_t n_vectors;
    std::size_t n_classes;
};

// The cuts of column j by class vector b are array j * n_vectors + b.
template <class T>
Ragged<double> mdl_cuts(const Columns& table, const ClassVectors& vectors, const std::int64_t* weights, const Terms& terms);

// Cut b = 1, ..., n_bins - 1 is the order statistic of rank round-half-up(b N / n_bins) of N numbers; equal cuts are one,
// and none is the largest number.
template <class T>
Ragged<double> order_statistic_cuts(const Columns& table, std::int64_t n_bins, const std::int64_t* weights);

}  // namespace bitsieve
