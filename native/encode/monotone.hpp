// The best division of a column's ordered pre-bins into bins whose event rates follow a trend.
//
// Pre-bin b holds events[b] samples of the event and nonevents[b] others. A bin (i, j] holds the pre-bins i .. j-1. The
// best division maximises  sum over bins of [ value(i, j) - cost per bin ]  over all divisions whose bins keep the
// bounds and whose neighbours keep the trend. Rates are compared as fractions of integers. Values are multiples of
// 2^-44, so that sums are the same in any order; among divisions equal within 1e-12 the one of fewest bins wins, then
// the one of the smallest ends.
//
// The trend binds neighbours alone, so what may stand before a division of the pre-bins from a boundary on depends on the
// event rate of its first bin alone. From the last boundary to the first, those divisions are kept that are better than
// all others whose first bin is as easy to precede: a handful for every number of bins. So the search is exact. Cost:
// O(B^2 k) time and O(B k) memory, B pre-bins and k bins.
//
// Cuts that no best division can have are left out first (cut_bounds.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "encode/division_rules.hpp"

namespace bitsieve {

constexpr std::int64_t kMaxPreBins = 1 << 13;

struct Division {
    std::vector<std::int64_t> ends;  // of each bin, ascending, the last one B; none if no division keeps the rules
    double value = 0;                // less the cost of the bins
};
Division best_division(const PreBins& bins, const DivisionRules& rules);

}  // namespace bitsieve
