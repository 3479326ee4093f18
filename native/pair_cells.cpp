// The counts themselves of a pivot with some features; see jobs.hpp.
#include <optional>

#include "jobs.hpp"
#include "plane_cells.hpp"
#include "table_sums.hpp"

namespace bitsieve {

void pair_cells(const Packed& packed, std::int64_t pivot_feature, const std::int64_t* columns, std::int64_t n,
                std::int64_t xy_width, std::int64_t* xy, std::int64_t xyc_width, std::int64_t* xyc) {
    PlaneCells cells(packed, pivot_feature);
    std::optional<TablePivot> codes;
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t *pooled = xy + k * xy_width, *within = xyc ? xyc + k * xyc_width : nullptr;
        if (!cells.hold(columns[k])) {
            if (!codes) codes.emplace(packed, pivot_feature);
            codes->cells(columns[k], pooled, within);
            continue;
        }
        const std::int64_t n_codes = packed.arity(columns[k]);
        cells.each_row(columns[k], [&](std::int64_t, std::int64_t a, const std::uint64_t* cell) {
            for (std::int64_t b = 0; b < n_codes; ++b) {
                const std::int64_t count = std::int64_t(cell[b * kLanes]);
                pooled[a * n_codes + b] += count;
                if (within && count) *within++ = count;
            }
        });
    }
}

}  // namespace bitsieve
