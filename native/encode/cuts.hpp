// Cuts of columns of numbers: by the minimum description length (mdl.hpp), and by order statistics.
//
// A column of whole numbers in a small span is counted and not sorted. Of a long one only that part is sorted by the
// classes, or searched for order statistics, in which a cut may lie. Any other is sorted once, whatever the number of
// class vectors. NaN takes no part. Weights: how many times each row stands (null: once), 1 or more. Limits: rows <=
// 2^31, the sum of the weights <= 2^31. Scratch memory: 48 bytes a row, and 64 for a matrix in rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "count/fixed_point.hpp"
#include "encode/number_columns.hpp"

namespace bitsieve {

// Cuts at order statistics.

// The rank of cut b of n_bins bins of `total` numbers: round-half-up(b total / n_bins).
inline std::int64_t rank_of_cut(std::int64_t b, std::int64_t total, std::int64_t n_bins) {
    return (2 * b * total + n_bins) / (2 * n_bins);
}

// The order statistics of ascending numbers whose ranks end at last_rank(i); i counts places that may be empty.
template <class LastRank, class ValueAt>
inline void cut_by_ranks(std::size_t n_places, std::int64_t n_bins, LastRank&& last_rank, ValueAt&& value_at,
                         std::vector<double>& cuts) {
    cuts.clear();
    if (n_places == 0) return;
    const std::int64_t total = last_rank(n_places - 1);
    const double largest = value_at(n_places - 1);
    std::size_t place = 0;
    for (std::int64_t b = 1; b < n_bins; ++b) {
        const std::int64_t rank = rank_of_cut(b, total, n_bins);
        if (rank == 0) continue;
        std::size_t low = place;
        std::size_t high = n_places - 1;  // the first place whose ranks reach so far
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (last_rank(middle) < rank)
                low = middle + 1;
            else
                high = middle;
        }
        place = low;
        const double cut = value_at(place);
        if (cut >= largest) break;
        if (cuts.empty() || cuts.back() < cut) cuts.push_back(cut);
    }
}

// One or several vectors of classes of the rows, one after the other; each class lies in [0, n_classes).
struct ClassVectors {
    const std::int32_t* classes;
    std::int64_t n_vectors;
    std::size_t n_classes;
};

// The cuts of column j by class vector b are array j * n_vectors + b.
template <class T>
Ragged<double> mdl_cuts(const Columns& table, const ClassVectors& vectors, const std::int64_t* weights,
                        const Terms& terms);

// Cut b = 1, ..., n_bins - 1 is the order statistic of rank round-half-up(b N / n_bins) of N numbers; equal cuts are
// one, and none is the largest number.
template <class T>
Ragged<double> order_statistic_cuts(const Columns& table, std::int64_t n_bins, const std::int64_t* weights);
}  // namespace bitsieve
