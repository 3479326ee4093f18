#include "pivot.hpp"

namespace bitsieve {

namespace {

constexpr std::int64_t kRowTableCells = 4096;  // of a row table, 32 KiB: the first-level cache

}  // namespace

void Pivot::group_sums(std::int64_t simd_group, const Terms& terms, std::int64_t* xy, std::int64_t* xyc) {
    const bool as_planes = !packed_.uses_counters() && (feature_ < 0 || !packed_.is_wide(feature_));
    if (as_planes && simd_group < packed_.n_narrow_groups()) {
        packed_.kernel().pair_sums(view(terms, xyc != nullptr), packed_.group(simd_group), packed_.segments(), terms, xy,
                                   xyc);
        return;
    }
    if (!codes_) codes_.emplace(packed_, feature_);
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::int64_t other = packed_.feature_at(simd_group, lane);
        if (other >= 0) codes_->sums(other, terms, xy + lane, xyc ? xyc + lane : nullptr);
    }
}

void Pivot::prepare(const Terms& terms, bool within) {
    if (ready_ || feature_ < 0) return;
    packed_.pivot(feature_, planes_, margins_);
    make_row_tables(terms, within);
    ready_ = true;
}

PivotView Pivot::view(const Terms& terms, bool within) {
    if (feature_ < 0) return {nullptr, nullptr, 0, 1, nullptr};
    prepare(terms, within);
    return {planes_.data(), margins_.data(), packed_.arity(feature_) - 1, 1, row_tables_.empty() ? nullptr : row_tables_.data()};
}

// Tables for every row of every class (or of the pooled table alone) that are smaller than what they save.
void Pivot::make_row_tables(const Terms& terms, bool within) {
    if (std::uint64_t(packed_.n_samples()) >= terms.limit || packed_.group(0).n_planes > 2) return;
    const Segments segments = packed_.segments();
    const int n_planes = packed_.arity(feature_) - 1;
    std::vector<std::size_t> start;
    row_tables_.assign(std::size_t(segments.count + 1) * (n_planes + 1), RowTable{nullptr, 0, 0});
    for (std::int64_t s = 0; s <= segments.count; ++s) {
        std::int64_t last = segments.size[s];
        for (int r = 0; r <= n_planes; ++r) {
            const std::int64_t margin = r < n_planes ? margins_[s * n_planes + r] : last;
            last -= margin;
            int shift = 0;
            while ((std::int64_t(1) << shift) <= margin) ++shift;
            row_tables_[s * (n_planes + 1) + r] = {nullptr, shift, margin};
            const std::int64_t cells = (margin + 1) << shift;
            const bool pays = cells <= std::min(kRowTableCells, n_pairs_) && (within || s == segments.count);
            start.push_back(pays ? row_terms_.size() : std::size_t(-1));
            if (!pays) continue;
            row_terms_.resize(row_terms_.size() + std::size_t(cells));
            for (std::int64_t c1 = 0; c1 <= margin; ++c1)
                for (std::int64_t c0 = 0; c0 <= margin - c1; ++c0)
                    row_terms_[start.back() + std::size_t(c0 + (c1 << shift))] =
                        terms.table[c0] + terms.table[c1] + terms.table[margin - c0 - c1];
        }
    }
    for (std::size_t i = 0; i < start.size(); ++i)
        if (start[i] != std::size_t(-1)) row_tables_[i].terms = row_terms_.data() + start[i];
}

}  // namespace bitsieve
