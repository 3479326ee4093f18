// Whether storage that was filled before is that of a packed table; see packed_table.hpp.
#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "count/packed_table.hpp"

namespace bitsieve {

void refuse_code() { throw std::invalid_argument("a code is not below the arity of its feature"); }

void PackedTable::check(std::int64_t first, std::int64_t last) const {
    for (std::int64_t g = first; g < std::min(last, n_narrow_groups()); ++g) {
        const Group& group = groups_[g];
        const std::uint64_t* word = planes_.get() + group.planes;
        if (uses_counters_) {
            const std::uint8_t* bytes = reinterpret_cast<const std::uint8_t*>(word);
            for (std::int64_t i = 0; i < n_samples_ * kLanes; ++i)
                if (bytes[i] % kCounterBits != 0 || bytes[i] >= (group.n_planes + 1) * kCounterBits) refuse_code();
            continue;
        }
        std::uint64_t twice = 0;  // samples with two codes, or beyond the last sample of a class
        for (std::int64_t c = 0; c < n_classes(); ++c)
            for (std::int64_t w = word_start_[c]; w < word_start_[c + 1]; ++w) {
                const std::int64_t left = sizes_[c] - (w - word_start_[c]) * 64;
                const std::uint64_t beyond = left >= 64 ? 0 : ~std::uint64_t(0) << left;
                std::uint64_t seen[kLanes];
                std::fill(seen, seen + kLanes, beyond);
                for (int p = 0; p < group.n_planes; ++p)
                    for (int lane = 0; lane < kLanes; ++lane, ++word) {
                        twice |= seen[lane] & *word;
                        seen[lane] |= *word;
                    }
            }
        if (twice) refuse_code();
    }
    for (std::int64_t u = std::max(first, n_narrow_groups()); u < last; ++u)
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t feature = feature_at(u, lane);
            if (feature < 0) continue;
            const std::uint16_t* codes = wide_.get() + ((u - n_narrow_groups()) * kLanes + lane) * n_samples_;
            if (*std::max_element(codes, codes + n_samples_) >= arities_[feature]) refuse_code();
        }
}

}  // namespace bitsieve
