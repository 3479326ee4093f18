// The cells of a pivot with features that are bit planes, counted a SIMD group at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "jobs.hpp"

namespace bitsieve {

class PlaneCells {
public:
    // Pivot -1 is a constant.
    PlaneCells(const Packed& packed, std::int64_t pivot)
        : packed_(packed),
          arity_(pivot < 0 ? 1 : packed.arity(pivot)),
          as_planes_(!packed.uses_counters() && (pivot < 0 || !packed.is_wide(pivot))) {
        if (as_planes_ && pivot >= 0) packed.pivot(pivot, planes_, margins_);
    }

    // Whether the pivot and a feature are both bit planes.
    bool hold(std::int64_t feature) const { return as_planes_ && packed_.simd_group_of(feature) < packed_.n_narrow_groups(); }

    // row(c, a, cell) for every class c and code a of the pivot: cell[b * kLanes] samples have code b of the feature.
    template <class Row>
    void each_row(std::int64_t feature, Row&& row) {
        const std::int64_t simd_group = packed_.simd_group_of(feature);
        const GroupView group = packed_.group(simd_group);
        const std::int64_t n_columns = group.n_planes + 1;
        if (simd_group != counted_) {
            tables_.resize(std::size_t(packed_.n_classes() * arity_ * n_columns * kLanes));
            const PivotView view{planes_.data(), margins_.data(), int(arity_ - 1), 1, nullptr};
            packed_.kernel().pair_cells(view, group, packed_.segments(), tables_.data());
            counted_ = simd_group;
        }
        const std::uint64_t* cell = tables_.data() + packed_.lane_of(feature);
        for (std::int64_t c = 0; c < packed_.n_classes(); ++c)
            for (std::int64_t a = 0; a < arity_; ++a, cell += n_columns * kLanes) row(c, a, cell);
    }

private:
    const Packed& packed_;
    const std::int64_t arity_;
    const bool as_planes_;
    std::vector<std::uint64_t> planes_, tables_;
    std::vector<std::uint32_t> margins_;
    std::int64_t counted_ = -1;  // the SIMD group whose cells are in the tables
};

}  // namespace bitsieve
