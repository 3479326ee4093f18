#include "count/pair_counts.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "count/pivot_counter.hpp"

namespace bitsieve {

namespace {

// The cells of a pivot with features that are bit planes, counted a SIMD group at a time.
class PlaneCells {
public:
    // PivotCounter -1 is a constant.
    PlaneCells(const PackedTable& packed, std::int64_t pivot)
        : packed_(packed),
          arity_(pivot < 0 ? 1 : packed.arity(pivot)),
          as_planes_(!packed.uses_counters() && (pivot < 0 || !packed.is_wide(pivot))) {
        if (as_planes_ && pivot >= 0) pivot_storage_ = packed.pivot(pivot);
    }

    // Whether the pivot and a feature are both bit planes.
    bool hold(std::int64_t feature) const {
        return as_planes_ && packed_.simd_group_of(feature) < packed_.n_narrow_groups();
    }

    // Calls use_row(c, a, cell) for every class c and code a of the pivot: cell[b * kLanes] samples of these have code
    // b of the feature.
    template <class UseRow>
    void for_each_row(std::int64_t feature, const UseRow& use_row) {
        const std::int64_t simd_group = packed_.simd_group_of(feature);
        const PlaneGroup group = packed_.group(simd_group);
        const std::int64_t n_columns = group.n_planes + 1;
        if (simd_group != counted_) {
            tables_.resize(std::size_t(packed_.n_classes() * arity_ * n_columns * kLanes));
            const std::uint64_t* planes = pivot_storage_ ? pivot_storage_->planes.get() : nullptr;
            const std::uint32_t* margins = pivot_storage_ ? pivot_storage_->margins.data() : nullptr;
            const PivotPlanes pivot{planes, margins, int(arity_ - 1), 1, nullptr};
            packed_.kernel().pair_cells(pivot, group, packed_.layout(), tables_.data());
            counted_ = simd_group;
        }
        const std::uint64_t* cell = tables_.data() + packed_.lane_of(feature);
        for (std::int64_t c = 0; c < packed_.n_classes(); ++c)
            for (std::int64_t a = 0; a < arity_; ++a) {
                use_row(c, a, cell);
                cell += n_columns * kLanes;
            }
    }

private:
    const PackedTable& packed_;
    const std::int64_t arity_;
    const bool as_planes_;
    std::shared_ptr<const PackedTable::PivotStorage> pivot_storage_;
    std::vector<std::uint64_t> tables_;
    std::int64_t counted_ = -1;  // the SIMD group whose cells are in the tables
};

}  // namespace

void pair_cells(const PackedTable& packed, std::int64_t pivot_feature, const std::int64_t* columns, std::int64_t n,
                std::int64_t pooled_width, std::int64_t* pooled_cells, std::int64_t class_width,
                std::int64_t* class_cells) {
    PlaneCells cells(packed, pivot_feature);
    std::optional<TableCounter> codes;
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t* pooled_row = pooled_cells + k * pooled_width;
        std::int64_t* class_row = class_cells ? class_cells + k * class_width : nullptr;
        if (!cells.hold(columns[k])) {
            if (!codes) codes.emplace(packed, pivot_feature);
            codes->cells(columns[k], pooled_row, class_row);
            continue;
        }
        const std::int64_t n_codes = packed.arity(columns[k]);
        cells.for_each_row(columns[k], [&](std::int64_t, std::int64_t a, const std::uint64_t* cell) {
            for (std::int64_t b = 0; b < n_codes; ++b) {
                const std::int64_t count = std::int64_t(cell[b * kLanes]);
                pooled_row[a * n_codes + b] += count;
                if (class_row && count) *class_row++ = count;
            }
        });
    }
}

namespace {

// Adds the samples of every class to a table of codes of the pivot (null: a constant), codes and classes.
void add_samples(const PackedTable& packed, const std::uint16_t* pivot, const std::uint16_t* codes,
                 std::int64_t n_codes, std::int64_t n_classes, std::int64_t* table) {
    std::int64_t first = 0;
    for (std::int64_t c = 0; c < packed.n_classes(); ++c) {
        const std::int64_t last = first + packed.class_size(c);
        std::int64_t* class_table = table + (n_classes == 1 ? 0 : c);
        for (std::int64_t t = first; t < last; ++t)
            ++class_table[((pivot ? pivot[t] : 0) * n_codes + codes[t]) * n_classes];
        first = last;
    }
}

}  // namespace

void pair_tables(const PackedTable& packed, std::int64_t pivot_feature, std::int64_t n_rows,
                 const std::int64_t* columns, const std::int64_t* n_codes, std::int64_t n, std::int64_t n_classes,
                 std::int64_t* out) {
    PlaneCells cells(packed, pivot_feature);
    std::vector<std::uint16_t> pivot_scratch;
    std::vector<std::uint16_t> scratch;
    const std::uint16_t* pivot_codes = nullptr;
    std::int64_t* next_table = out;
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t* table = next_table;
        next_table += n_rows * n_codes[k] * n_classes;
        const std::int64_t other = columns[k];
        if (!cells.hold(other)) {
            if (pivot_feature >= 0 && !pivot_codes) pivot_codes = packed.codes(pivot_feature, pivot_scratch);
            add_samples(packed, pivot_codes, packed.codes(other, scratch), n_codes[k], n_classes, table);
            continue;
        }
        const std::int64_t row_codes = n_codes[k];  // of the table; those of the packed feature may be fewer
        const std::int64_t arity = packed.arity(other);
        cells.for_each_row(other, [=](std::int64_t c, std::int64_t a, const std::uint64_t* cell) {
            std::int64_t* class_table = table + (n_classes == 1 ? 0 : c);
            for (std::int64_t b = 0; b < arity; ++b)
                class_table[(a * row_codes + b) * n_classes] += std::int64_t(cell[b * kLanes]);
        });
    }
}

}  // namespace bitsieve
