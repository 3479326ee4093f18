// Sums of the ranks of columns within classes, for tests whether the ranks depend on the classes.
//
// The N samples of a column that are not NaN have ranks from 1 to N; equal values share their mean rank. The deviation
// of a sample is twice its rank less N + 1, a whole number whose mean is 0.
//
// A column of whole numbers in a small span is counted (small_span.hpp), any other is sorted (sorting.hpp). Limits: rows
// and the sum of the weights <= 2^31. Scratch memory: 32 bytes a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitsieve {

struct RankSums {
    // Column j and class c have the index j * n_classes + c.
    std::vector<std::int64_t> n_samples;   // that are not NaN
    std::vector<std::int64_t> deviations;  // their sum over these samples
    // By column: the sum of t^3 - t over its values, t being the samples of a value. It is 2^32 ties_high + ties_low.
    std::vector<std::int64_t> ties_high, ties_low;
};

// Row i of a column has the class classes[i] in [0, n_classes) and stands weights[i] >= 1 times (null: once).
RankSums rank_sums(const std::vector<const double*>& columns, std::int64_t n_rows, const std::int32_t* classes,
                   std::size_t n_classes, const std::int64_t* weights);

}  // namespace bitsieve
