// Sparse columns as vectors of unit length about their mean, f = (x - mean) / length with length^2 = sum (x - mean)^2,
// never formed: what a linear method asks of a table that must not be made dense.
//
// Sums run over the stored values in their order, in double precision: the split into blocks of columns changes no bit.
// A column that holds a single value has length 0 and counts as the zero vector.
//
// Numerical limits: means and squares are taken of values scaled by a power of two, so that neither overflows nor
// underflows. A column without implicit zeros is centred before it is summed; where zeros are implicit, subtracting the
// mean afterwards multiplies the rounding by the number of samples at most.
#pragma once

#include <cstdint>
#include <vector>

namespace bitsieve {

// Compressed sparse columns; no (row, column) twice.
template <class Real, class Index>
struct SparseColumns {
    const Index* start;
    const Index* row;
    const Real* value;
    std::int64_t n_samples;

    std::int64_t stored(std::int64_t j) const { return std::int64_t(start[j + 1] - start[j]); }
    bool full(std::int64_t j) const { return stored(j) == n_samples; }
};

// Mean and length of columns.
struct Moments {
    double* mean;
    double* length;
};

// Weights of the samples for each of several tasks, weights[i * n_tasks + t], and their sums.
struct SampleWeights {
    const double* values;
    std::int64_t n_tasks;
    const double* sums;
};

// Whether the rows of columns first .. last are those of samples, and no more than there are.
template <class Real, class Index>
bool rows_fit(const SparseColumns<Real, Index>& columns, std::int64_t first, std::int64_t last);

// Fills mean and length of columns first .. last.
template <class Real, class Index>
void fill_moments(const SparseColumns<Real, Index>& columns, std::int64_t first, std::int64_t last, const Moments& out);

// out[j * n_tasks + t] = sum_i f_ij weights_it for columns first .. last.
template <class Real, class Index>
void fill_products(const SparseColumns<Real, Index>& columns, const Moments& moments, const SampleWeights& weights,
                   std::int64_t first, std::int64_t last, double* out);

// Some columns by their rows, values divided by the column's length (and centred, where the column is full): level[s]
// is sqrt(n) mean / length of column s, 0 where it is full, and peak[s] its largest absolute value. Columns stand by
// falling peak, and those of a row in this order.
struct ChosenRows {
    const std::int64_t* start;
    const std::int64_t* column;
    const double* value;
    const double* level;
    const double* peak;
    std::int64_t n_chosen;
};

// Columns, the chosen one, and the correlation of the two.
struct Correlated {
    std::vector<std::int64_t> column, chosen;
    std::vector<double> correlation;
};

// Pairs of a column among first .. last and a chosen one whose correlation is at least `least` > 0 in absolute value,
// by column. With k stored values and a level l, a column correlates with chosen column s by no more than sqrt(k (1 +
// l^2)) peak[s] + |l level[s]|: most pairs of a rare column and a frequent one need not be looked at.
template <class Real, class Index>
void find_correlated(const SparseColumns<Real, Index>& columns, const Moments& moments, const ChosenRows& chosen,
                     double least, std::int64_t first, std::int64_t last, Correlated& out);

}  // namespace bitsieve
