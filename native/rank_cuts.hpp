// Cuts at order statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitsieve {

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
        const std::int64_t rank = (2 * b * total + n_bins) / (2 * n_bins);
        if (rank == 0) continue;
        std::size_t low = place, high = n_places - 1;  // the first place whose ranks reach so far
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

}  // namespace bitsieve
