// The expected entropy term of a cell, given its margins, when the samples are shuffled.
#pragma once

#include <cstdint>

#include "count/fixed_point.hpp"

namespace bitsieve {

// expected_terms: out[i * n_second + j] = E(first[i], second[j]), rounded to an integer, where
//
//     E(a, b) = sum_n P(n) T[n]
//
// and P is the hypergeometric distribution of the count n of a cell with margins a and b out of n_samples.
//   how   one margin holds all samples: the count is certain; few samples are expected in the cell: the sum itself;
//         many: a Taylor series about the mean count. corrected.py has the formulas
//   needs margins from 0 to n_samples
//   same  additions, multiplications and divisions in a fixed order for each pair of margins: equal margins give equal
//         bits on every machine, whichever other pairs are computed with them
void expected_terms(const Terms& terms, std::int64_t n_samples, const std::int64_t* first, std::int64_t n_first,
                    const std::int64_t* second, std::int64_t n_second, std::int64_t* out);

}  // namespace bitsieve
