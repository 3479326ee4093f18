// Features taken out of a packed table: as codes, as a pivot, or as a packed table of their own; see storage.hpp.
#include <algorithm>
#include <cstring>

#include "packed_counters.hpp"
#include "storage.hpp"

namespace bitsieve {

const std::uint16_t* Packed::codes(std::int64_t feature, std::vector<std::uint16_t>& scratch) const {
    const std::int64_t simd_group = simd_group_of(feature);
    const int lane = lane_of(feature);
    if (simd_group >= n_narrow_groups())
        return wide_.get() + ((simd_group - n_narrow_groups()) * kLanes + lane) * n_samples_;
    const Group& group = groups_[simd_group];
    if (uses_counters_) {
        const std::uint8_t* rows = byte_group(simd_group).rows + lane;
        scratch.resize(std::size_t(n_samples_));
        for (std::int64_t t = 0; t < n_samples_; ++t) scratch[t] = std::uint16_t(rows[t * kLanes] / kFieldBits);
        return scratch.data();
    }
    scratch.assign(std::size_t(n_samples_), std::uint16_t(arities_[feature] - 1));
    std::uint16_t* out = scratch.data();
    for (std::int64_t c = 0; c < n_classes(); out += sizes_[c++])
        for (std::int64_t w = word_start_[c]; w < word_start_[c + 1]; ++w)
            for (int p = 0; p + 1 < arities_[feature]; ++p)
                for (std::uint64_t bits = planes_[group.planes + (w * group.n_planes + p) * kLanes + lane]; bits;
                     bits &= bits - 1)
                    out[(w - word_start_[c]) * 64 + __builtin_ctzll(bits)] = std::uint16_t(p);
    return scratch.data();
}

void Packed::pivot(std::int64_t feature, std::vector<std::uint64_t>& planes,
                   std::vector<std::uint32_t>& margins) const {
    const Group& group = groups_[simd_group_of(feature)];
    const int lane = lane_of(feature), n_planes = arities_[feature] - 1;
    planes.resize(std::size_t(n_words() * n_planes));
    margins.resize(sizes_.size() * std::size_t(n_planes));
    for (std::int64_t w = 0; w < n_words(); ++w)
        for (int p = 0; p < n_planes; ++p)
            planes[w * n_planes + p] = planes_[group.planes + (w * group.n_planes + p) * kLanes + lane];
    for (std::int64_t s = 0; s <= n_classes(); ++s)
        for (int p = 0; p < n_planes; ++p)
            margins[s * n_planes + p] = margins_[group.margins + (s * group.n_planes + p) * kLanes + lane];
}

// Plane by plane, all lanes of some words before the next ones. The last code of a feature has no plane of its own, but for
// one among features of more codes.
void Packed::gather_planes(const Packed& from, const std::vector<std::int64_t>& features, std::int64_t g) {
    constexpr std::int64_t kAtOnce = 64;  // words whose planes stay in the first-level cache, or the second
    const Group& group = groups_[g];
    for (std::int64_t c = 0; c < n_classes(); ++c)
        for (std::int64_t first = word_start_[c]; first < word_start_[c + 1]; first += kAtOnce)
            for (int lane = 0; lane < kLanes; ++lane) {
                const std::int64_t place = feature_at(g, lane), feature = place < 0 ? -1 : features[std::size_t(place)];
                const int last = feature < 0 ? 0 : from.arities_[feature] - 1;
                for (std::int64_t w = first; w < std::min(first + kAtOnce, word_start_[c + 1]); ++w) {
                    std::uint64_t* to = planes_.get() + group.planes + w * group.n_planes * kLanes + lane;
                    std::uint64_t rest = 0;
                    if (feature >= 0) {
                        const Group& other = from.groups_[from.simd_group_of(feature)];
                        const std::uint64_t* words =
                            from.planes_.get() + other.planes + w * other.n_planes * kLanes + from.lane_of(feature);
                        const std::int64_t n = std::min<std::int64_t>(64, sizes_[c] - (w - word_start_[c]) * 64);
                        rest = ~std::uint64_t(0) >> (64 - n);
                        for (int p = 0; p < last; ++p) {
                            to[p * kLanes] = words[p * kLanes];
                            rest &= ~words[p * kLanes];
                        }
                    }
                    for (int p = last; p < group.n_planes; ++p) to[p * kLanes] = p == last ? rest : 0;
                }
            }
    kernel_.plane_margins(planes_.get() + group.planes, std::int64_t(group.n_planes) * kLanes, segments(),
                          margins_.data() + group.margins);
}

Packed Packed::gathered(const std::vector<std::int64_t>& features) const {
    std::vector<std::int32_t> arities;
    for (const std::int64_t feature : features) arities.push_back(arities_[feature]);
    Packed out({sizes_.begin(), sizes_.end() - 1}, std::move(arities), kernel_, limit_, uses_counters_);
    const auto feature_of = [&](std::int64_t g, int lane) {
        const std::int64_t place = out.feature_at(g, lane);
        return place < 0 ? -1 : features[std::size_t(place)];
    };
    for (std::int64_t g = 0; g < out.n_narrow_groups(); ++g) {
        if (!uses_counters_) {
            out.gather_planes(*this, features, g);
            continue;
        }
        const std::uint8_t none = 0, *rows[kLanes];
        std::int64_t steps[kLanes];
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t feature = feature_of(g, lane);
            rows[lane] = feature < 0 ? &none : byte_group(simd_group_of(feature)).rows + lane_of(feature);
            steps[lane] = feature < 0 ? 0 : kLanes;
        }
        std::uint8_t* to = reinterpret_cast<std::uint8_t*>(out.planes_.get() + out.groups_[g].planes);
        for (std::int64_t t = 0; t < n_samples_; ++t, to += kLanes)
            for (int lane = 0; lane < kLanes; ++lane) to[lane] = rows[lane][t * steps[lane]];
    }
    for (std::int64_t g = out.n_narrow_groups(); g < out.n_simd_groups(); ++g)
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t feature = feature_of(g, lane);
            std::vector<std::uint16_t> unused;
            std::uint16_t* to = out.wide_.get() + ((g - out.n_narrow_groups()) * kLanes + lane) * n_samples_;
            if (feature >= 0) std::copy_n(codes(feature, unused), n_samples_, to);
        }
    std::fill(out.ready_.begin(), out.ready_.end(), 1);
    return out;
}

}  // namespace bitsieve
