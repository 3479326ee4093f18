#include "count/lazy_minima.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace bitsieve {

namespace {

constexpr std::int64_t kNoMinimum = std::numeric_limits<std::int64_t>::min();
// What a pivot prepares must pay within one in so many of all features: how many a lazy search counts with it is not
// known beforehand. A choice, not a measurement; no result depends on it.
constexpr std::int64_t kCountedShare = 4;

}  // namespace

LazyMinima::LazyMinima(const PackedTable& packed, std::vector<std::int64_t> table, int shift,
                       std::vector<std::int64_t> start, double one_bit, double tie)
    : packed_(packed),
      table_(std::move(table)),
      terms_{table_.data(), table_.size(), shift},
      one_bit_(one_bit),
      tie_(tie),
      depth_(std::size_t(packed.n_simd_groups()), 0),
      lowest_(std::size_t(packed.n_simd_groups() * kLanes), kNoMinimum) {
    for (std::int64_t f = 0; f < packed.n_features(); ++f)
        lowest_[std::size_t(packed.simd_group_of(f) * kLanes + packed.lane_of(f))] = start[std::size_t(f)];
}

void LazyMinima::add(std::int64_t feature, std::int64_t offset) {
    pivots_.emplace_back(packed_, feature, packed_.n_features() / kCountedShare);
    pivots_.back().prepare(terms_, true);
    offsets_.push_back(offset);
}

LazyMinima::Bound LazyMinima::bound(const bool* candidates, std::int64_t simd_group) const {
    std::int64_t highest = kNoMinimum;
    const std::int64_t* features = packed_.features(simd_group);
    for (int lane = 0; lane < kLanes; ++lane)
        if (features[lane] >= 0 && candidates[features[lane]])
            highest = std::max(highest, lowest_[std::size_t(simd_group * kLanes + lane)]);
    return {highest, simd_group};
}

void LazyMinima::advance(std::int64_t simd_group) {
    std::int64_t pooled_sums[kLanes] = {};
    std::int64_t class_sums[kLanes] = {};
    const std::size_t next = std::size_t(depth_[std::size_t(simd_group)]++);
    pivots_[next].group_sums(simd_group, terms_, pooled_sums, class_sums);
    for (int lane = 0; lane < kLanes; ++lane) {
        std::int64_t& lowest = lowest_[std::size_t(simd_group * kLanes + lane)];
        lowest = std::min(lowest, class_sums[lane] - pooled_sums[lane] + offsets_[next]);
    }
}

void LazyMinima::largest(const bool* candidates, std::int64_t first, std::int64_t last, std::int64_t* best_so_far) {
    const auto below = [](const Bound& a, const Bound& b) { return a.sum < b.sum; };
    const auto may_win = [&](const Bound& group_bound) {
        return reaches(group_bound.sum, __atomic_load_n(best_so_far, __ATOMIC_RELAXED));
    };
    std::vector<Bound> waiting;
    for (std::int64_t g = first; g < last; ++g) {
        const Bound group_bound = bound(candidates, g);
        if (group_bound.sum != kNoMinimum) waiting.push_back(group_bound);
    }
    std::make_heap(waiting.begin(), waiting.end(), below);
    while (!waiting.empty() && may_win(waiting.front())) {
        std::pop_heap(waiting.begin(), waiting.end(), below);
        Bound group_bound = waiting.back();
        waiting.pop_back();
        std::int64_t& depth = depth_[std::size_t(group_bound.simd_group)];
        while (depth < std::int64_t(pivots_.size()) && may_win(group_bound)) {
            advance(group_bound.simd_group);
            group_bound = bound(candidates, group_bound.simd_group);
        }
        if (depth < std::int64_t(pivots_.size())) continue;
        std::int64_t current = __atomic_load_n(best_so_far, __ATOMIC_RELAXED);
        while (current < group_bound.sum && !__atomic_compare_exchange_n(best_so_far, &current, group_bound.sum, false,
                                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }
}

std::int64_t LazyMinima::first_at(const bool* candidates, std::int64_t largest, std::int64_t& minimum) const {
    std::int64_t first = packed_.n_features();
    for (std::int64_t g = 0; g < packed_.n_simd_groups(); ++g) {
        if (depth_[std::size_t(g)] < std::int64_t(pivots_.size())) continue;
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t feature = packed_.feature_at(g, lane);
            const std::int64_t lowest = lowest_[std::size_t(g * kLanes + lane)];
            if (feature < 0 || feature >= first || !candidates[feature] || !reaches(lowest, largest)) continue;
            first = feature;
            minimum = lowest;
        }
    }
    return first < packed_.n_features() ? first : -1;
}

}  // namespace bitsieve
