// The tables themselves of a pivot with some features, every cell at its place; see jobs.hpp.

#include "jobs.hpp"

namespace bitsieve {

namespace {

// Counts sample by sample: for features that are not planes.
void add_samples(const Packed& packed, const std::uint16_t* pivot, const std::uint16_t* codes, std::int64_t n_codes,
                 std::int64_t n_classes, std::int64_t* table) {
    std::int64_t first = 0;
    for (std::int64_t c = 0; c < packed.n_classes(); ++c) {
        const std::int64_t last = first + packed.class_size(c);
        std::int64_t* of_class = table + (n_classes == 1 ? 0 : c);
        for (std::int64_t t = first; t < last; ++t)
            ++of_class[((pivot ? pivot[t] : 0) * n_codes + codes[t]) * n_classes];
        first = last;
    }
}

}  // namespace

void pair_tables(const Packed& packed, std::int64_t pivot_feature, std::int64_t n_rows, const std::int64_t* columns,
                 const std::int64_t* n_codes, std::int64_t n, std::int64_t n_classes, std::int64_t* out) {
    const std::int64_t arity = pivot_feature < 0 ? 1 : packed.arity(pivot_feature);
    const bool as_planes = !packed.uses_counters() && (pivot_feature < 0 || !packed.is_wide(pivot_feature));
    std::vector<std::uint64_t> planes, tables;
    std::vector<std::uint32_t> margins;
    std::vector<std::uint16_t> pivot_scratch, scratch;
    const std::uint16_t* pivot_codes = nullptr;
    if (as_planes && pivot_feature >= 0) packed.pivot(pivot_feature, planes, margins);
    const PivotView view{planes.data(), margins.data(), int(arity - 1), 1, nullptr};
    for (std::int64_t k = 0, counted = -1; k < n; out += n_rows * n_codes[k++] * n_classes) {
        const std::int64_t other = columns[k], simd_group = packed.simd_group_of(other);
        if (!as_planes || simd_group >= packed.n_narrow_groups()) {
            if (pivot_feature >= 0 && !pivot_codes) pivot_codes = packed.codes(pivot_feature, pivot_scratch);
            add_samples(packed, pivot_codes, packed.codes(other, scratch), n_codes[k], n_classes, out);
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
        for (std::int64_t c = 0; c < packed.n_classes(); ++c) {
            std::int64_t* of_class = out + (n_classes == 1 ? 0 : c);
            for (std::int64_t a = 0; a < arity; ++a, cell += n_columns * kLanes)
                for (std::int64_t b = 0; b < packed.arity(other); ++b)
                    of_class[(a * n_codes[k] + b) * n_classes] += std::int64_t(cell[b * kLanes]);
        }
    }
}

}  // namespace bitsieve
