// A raw table to bit planes without a look at its samples one by one; see packed_table.hpp.
//
// The masks of 64 rows, as they lie, are made of all their codes at once. For each class the bits of its own rows are
// then drawn together, and appended to the plane of the class.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "count/packed_table.hpp"

namespace bitsieve {

namespace {

// Beyond so many classes drawing the bits of each costs more than taking the codes one by one.
constexpr std::int64_t kFewClasses = 16;

}  // namespace

bool PackedTable::rows_of_classes(const Batch& batch, std::vector<std::uint64_t>& rows) const {
    if (kernel_.append_bits == nullptr || batch.order == nullptr || n_classes() > kFewClasses) return false;
    std::int64_t n_rows = 0;
    for (std::int64_t c = 0; c < n_classes(); ++c) n_rows += batch.class_sizes[c];
    const std::int64_t n_words = (n_rows + 63) / 64;
    rows.assign(std::size_t(n_classes() * n_words), 0);
    for (std::int64_t c = 0, t = 0; c < n_classes(); ++c) {
        std::uint64_t* rows_of_class = rows.data() + c * n_words;
        std::int64_t previous = -1;
        for (const std::int64_t end = t + batch.class_sizes[c]; t < end; ++t) {
            const std::int64_t row = batch.order[t];
            if (row <= previous || row >= n_rows)
                return false;  // repeated by its weight, left out, or in another order
            rows_of_class[row / 64] |= std::uint64_t(1) << (row % 64);
            previous = row;
        }
    }
    return true;
}

void PackedTable::pack_by_class(const CodeTable<std::uint8_t>& table, const Batch& batch,
                                const std::vector<std::uint64_t>& rows, std::int64_t first, std::int64_t last) {
    alignas(64) std::uint8_t rest[kLanes][64];
    std::vector<std::uint64_t> masks;
    std::vector<std::int64_t> n_packed;  // samples of each class
    std::int64_t n_rows = 0;
    for (std::int64_t c = 0; c < n_classes(); ++c) n_rows += batch.class_sizes[c];
    const std::int64_t n_words = (n_rows + 63) / 64;
    std::uint64_t beyond = 0;
    for (std::int64_t g = first; g < last; ++g) {
        const Group& group = groups_[g];
        const std::int64_t width = std::int64_t(group.n_planes) * kLanes;
        std::uint64_t* const planes = planes_.get() + group.planes;
        masks.resize(std::size_t(width));
        n_packed.assign(batch.n_before, batch.n_before + n_classes());
        for (std::int64_t w = 0; w < n_words; ++w) {
            const std::int64_t n = std::min<std::int64_t>(64, n_rows - 64 * w);
            for (int lane = 0; lane < kLanes; ++lane) {
                const std::int64_t feature = feature_at(g, lane);
                const std::uint8_t* codes = rest[lane];
                if (feature >= 0 && n == 64) {
                    codes = table.column(feature) + 64 * w;
                } else {
                    std::memset(rest[lane], kNoCode, sizeof rest[lane]);
                    if (feature >= 0) std::memcpy(rest[lane], table.column(feature) + 64 * w, std::size_t(n));
                }
                const std::uint64_t is_beyond = kernel_.plane_masks(codes, group.n_planes, false, masks.data() + lane);
                if (feature >= 0) beyond |= is_beyond & (~std::uint64_t(0) >> (64 - n));
            }
            for (std::int64_t c = 0; c < n_classes(); ++c) {
                const std::uint64_t rows_of_class = rows[std::size_t(c * n_words + w)];
                if (rows_of_class == 0) continue;
                std::uint64_t* out = planes + (word_start_[c] + n_packed[c] / 64) * width;
                n_packed[c] += kernel_.append_bits(masks.data(), width, rows_of_class, int(n_packed[c] % 64), out);
            }
        }
    }
    if (beyond) refuse_code();
}

}  // namespace bitsieve
