// The counts themselves of a pivot with some features; see jobs.hpp.
#include <optional>

#include "jobs.hpp"
#include "table_sums.hpp"

namespace bitsieve {

void pair_cells(const Packed& packed, std::int64_t pivot_feature, const std::int64_t* columns, std::int64_t n,
                std::int64_t xy_width, std::int64_t* xy, std::int64_t xyc_width, std::int64_t* xyc) {
    const std::int64_t arity = pivot_feature < 0 ? 1 : packed.arity(pivot_feature);
    const bool as_planes = !packed.uses_counters() && (pivot_feature < 0 || !packed.is_wide(pivot_feature));
    std::vector<std::uint64_t> planes, tables;
    std::vector<std::uint32_t> margins;
    std::optional<TablePivot> codes;
    if (as_planes && pivot_feature >= 0) packed.pivot(pivot_feature, planes, margins);
    const PivotView view{planes.data(), margins.data(), int(arity - 1), 1, nullptr};
    for (std::int64_t k = 0, counted = -1; k < n; ++k) {
        const std::int64_t other = columns[k], simd_group = packed.simd_group_of(other);
        std::int64_t *pooled = xy + k * xy_width, *within = xyc ? xyc + k * xyc_width : nullptr;
        if (!as_planes || simd_group >= packed.n_narrow_groups()) {
            if (!codes) codes.emplace(packed, pivot_feature);
            codes->cells(other, pooled, within);
            continue;
        }
        const GroupView group = packed.group(simd_group);
        const std::int64_t n_columns = group.n_planes + 1;
        if (simd_group != counted) {
            tables.resize(std::size_t(packed.n_classes() * arity * n_columns * kLanes));
            packed.kernel().pair_cells(view, group, packed.segments(), tables.data());
            counted = simd_group;
        }
        const std::uint64_t* cell = tables.data() + packed.lane_of(other);
        const std::int64_t n_codes = packed.arity(other);
        for (std::int64_t c = 0; c < packed.n_classes(); ++c)
            for (std::int64_t a = 0; a < arity; ++a, cell += n_columns * kLanes)
                for (std::int64_t b = 0; b < n_codes; ++b) {
                    const std::int64_t count = std::int64_t(cell[b * kLanes]);
                    pooled[a * n_codes + b] += count;
                    if (within && count) *within++ = count;
                }
    }
}

}  // namespace bitsieve
