// Counts one feature, the pivot, with SIMD groups of others, in whichever form they are kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "count/packed_table.hpp"

namespace bitsieve {

// Counting pairs by incrementing the cells of their contingency table: for features of many codes.
//
// Small tables are incremented directly. For large ones (up to 65536 x 65536 codes) samples are visited in the order of
// the pivot's codes, so that memory for one row of the table is enough.

class TableCounter {
public:
    // feature -1: a constant, whose pair sums are the marginal sums of the other feature.
    TableCounter(const PackedTable& packed, std::int64_t feature);

    // Sum of T over the table with `other` pooled over the classes, and over the tables within them (null: skip).
    void sums(std::int64_t other, const Terms& terms, std::int64_t* pooled_sums, std::int64_t* class_sums);

    // The counts of the cells that are not empty, in any order: of the table pooled over the classes, and of those
    // within them (null: skip). Room for as many as the table has cells, or samples if they are fewer.
    void cells(std::int64_t other, std::int64_t* pooled_cells, std::int64_t* class_cells);

private:
    struct OtherFeature {
        const std::uint16_t* codes;
        std::int64_t arity;
    };

    // Calls visit_pooled(count) for every cell of the pooled table, and, with `per_class`, visit_class(count) for every
    // cell of the tables within the classes. Empty cells may be left out, or visited more than once.
    template <class VisitPooled, class VisitClass>
    void visit(std::int64_t other_feature, bool per_class, const VisitPooled& visit_pooled,
               const VisitClass& visit_class);
    template <class VisitCell>
    void visit_small_table(OtherFeature other, const VisitCell& visit_pooled);
    template <class VisitPooled, class VisitClass>
    void visit_small_tables(OtherFeature other, const VisitPooled& visit_pooled, const VisitClass& visit_class);
    // The cells of n samples, row by row: the samples ascend by the code of the pivot. table_ has the cells of one row,
    // all 0 before and after.
    template <class VisitCell>
    void visit_rows(OtherFeature other, const std::uint32_t* samples, std::int64_t n, const VisitCell& visit_cell);
    void sort_samples();

    const PackedTable& packed_;
    std::int64_t arity_;  // of the pivot
    std::vector<std::uint16_t> scratch_, other_scratch_;
    const std::uint16_t* pivot_codes_;
    std::vector<std::uint32_t> table_, pooled_, by_code_, by_class_and_code_;
};

// One pivot (-1: a constant), prepared when first needed: as planes for narrow features, as codes for wide ones.
// n_pairs is how many features it will be counted with, and so how much preparation pays.
class PivotCounter {
public:
    PivotCounter(const PackedTable& packed, std::int64_t feature, std::int64_t n_pairs)
        : packed_(packed), feature_(feature), n_pairs_(n_pairs) {}

    // Prepares a pivot that is kept as planes for sums within the classes or for the pooled ones alone, so that several
    // threads may then count with it at once.
    void prepare(const Terms& terms, bool per_class);

    // The sums with the eight features of a SIMD group; those of a lane without a feature mean nothing.
    void group_sums(std::int64_t simd_group, const Terms& terms, std::int64_t* pooled_sums, std::int64_t* class_sums);

    // The sums within strata, and within the classes (null: skip), with the eight features of a SIMD group. All features
    // of the table are planes.
    void sums_within_strata(std::int64_t simd_group, const StrataLayout& strata, const Terms& terms,
                            std::int64_t* stratum_sums, std::int64_t* class_sums);

private:
    PivotPlanes pivot_planes(const Terms& terms, bool per_class);
    void make_row_tables(const Terms& terms, bool per_class);
    void append_row_terms(const RowTable& table, const Terms& terms);

    const PackedTable& packed_;
    const std::int64_t feature_, n_pairs_;
    bool ready_ = false;
    std::shared_ptr<const PackedTable::PivotStorage> pivot_storage_;
    std::vector<RowTable> row_tables_;
    std::vector<std::int64_t> row_terms_;
    std::optional<TableCounter> codes_;
};

// Counts by packed counters. The pivots are all features of one SIMD group (lane -1), one of them, or a constant
// (pivot_group -1); they are counted with other SIMD groups, as many at a time as have their counters in the
// second-level cache. Calls use_sums(group, pooled_sums, class_sums) with the sums of each group, [pivot][lane].
template <class UseSums>
void for_each_counted_group(const PackedTable& packed, const Terms& terms, std::int64_t pivot_group, int lane,
                            const std::int64_t* groups, std::int64_t n_groups, bool per_class,
                            const UseSums& use_sums) {
    constexpr std::int64_t kGroupsAtOnce = 16;
    BytePivots pivots{nullptr, 1, 1};
    if (pivot_group >= 0) {
        const ByteGroup rows = packed.byte_group(pivot_group);
        pivots = {rows.rows + std::max(lane, 0), rows.n_codes, lane < 0 ? kLanes : 1};
    }
    const std::int64_t n_group_sums = std::int64_t(pivots.lanes) * kLanes;
    ByteGroup byte_groups[kGroupsAtOnce];
    std::vector<std::int64_t> pooled_sums(std::size_t(kGroupsAtOnce * n_group_sums));
    std::vector<std::int64_t> class_sums(per_class ? pooled_sums.size() : 0);
    for (std::int64_t first = 0; first < n_groups; first += kGroupsAtOnce) {
        const std::int64_t n = std::min(kGroupsAtOnce, n_groups - first);
        for (std::int64_t g = 0; g < n; ++g) byte_groups[g] = packed.byte_group(groups[first + g]);
        packed.kernel().counter_sums(pivots, byte_groups, int(n), packed.layout(), terms, pooled_sums.data(),
                                     per_class ? class_sums.data() : nullptr);
        for (std::int64_t g = 0; g < n; ++g)
            use_sums(groups[first + g], pooled_sums.data() + g * n_group_sums,
                     per_class ? class_sums.data() + g * n_group_sums : nullptr);
    }
}

// Calls use_sums(group, pooled_sums, class_sums) with the sums of one pivot (-1: a constant) with each SIMD group.
template <class UseSums>
void for_each_group(const PackedTable& packed, const Terms& terms, std::int64_t pivot_feature,
                    const std::int64_t* groups, std::int64_t n_groups, bool per_class, const UseSums& use_sums) {
    std::int64_t n_counted = 0;  // groups that come first and are kept as bytes, if the pivot is too
    if (packed.uses_counters() && (pivot_feature < 0 || !packed.is_wide(pivot_feature)))
        while (n_counted < n_groups && groups[n_counted] < packed.n_narrow_groups()) ++n_counted;
    if (n_counted > 0)
        for_each_counted_group(packed, terms, pivot_feature < 0 ? -1 : packed.simd_group_of(pivot_feature),
                               pivot_feature < 0 ? 0 : packed.lane_of(pivot_feature), groups, n_counted, per_class,
                               use_sums);
    PivotCounter pivot(packed, pivot_feature, n_groups * kLanes);
    std::int64_t pooled_sums[kLanes] = {};
    std::int64_t class_sums[kLanes] = {};
    for (std::int64_t g = n_counted; g < n_groups; ++g) {
        pivot.group_sums(groups[g], terms, pooled_sums, per_class ? class_sums : nullptr);
        use_sums(groups[g], pooled_sums, class_sums);
    }
}

}  // namespace bitsieve
