#include "count/lazy_minima.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace bitsieve {

namespace {

constexpr double kNoScore = -std::numeric_limits<double>::infinity();  // the largest of none
constexpr double kNoNumber = std::numeric_limits<double>::infinity();  // the smallest of none
// What a pivot prepares must pay within one in so many of all features: how many a lazy search counts with it is not
// known beforehand. A choice, not a measurement; no result depends on it.
constexpr std::int64_t kCountedShare = 4;

double load(const double* value) {
    double loaded = 0.0;
    __atomic_load(value, &loaded, __ATOMIC_RELAXED);
    return loaded;
}

// Raises `value`, which other threads may raise at the same time, to `score` unless it is as large.
void raise_to(double* value, double score) {
    double current = load(value);
    bool is_raised = false;
    while (current < score && !is_raised)  // a failed exchange loads `current` anew
        is_raised = __atomic_compare_exchange(value, &current, &score, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

}  // namespace

LazyMinima::LazyMinima(const PackedTable& packed, std::vector<std::int64_t> table, int shift,
                       const std::vector<double>& start, int n_smallest, CodeCounts code_counts, double one_bit,
                       double tie)
    : packed_(packed),
      table_(std::move(table)),
      terms_{table_.data(), table_.size(), shift},
      n_smallest_(n_smallest),
      code_counts_(std::move(code_counts)),
      one_bit_(one_bit),
      tie_(tie),
      depth_(std::size_t(packed.n_simd_groups()), 0),
      smallest_(std::size_t(packed.n_simd_groups() * kLanes), kNoNumber),
      second_(n_smallest == 2 ? smallest_.size() : 0, kNoNumber) {
    for (std::int64_t f = 0; f < packed.n_features(); ++f)
        smallest_[std::size_t(packed.simd_group_of(f) * kLanes + packed.lane_of(f))] = start[std::size_t(f)];
}

void LazyMinima::add(std::int64_t feature, PivotOffsets offsets) {
    pivots_.emplace_back(packed_, feature, packed_.n_features() / kCountedShare);
    pivots_.back().prepare(terms_, true);
    offsets_.push_back(std::move(offsets));
}

double LazyMinima::score(std::size_t lane_index) const {
    if (n_smallest_ == 1 || pivots_.size() == 1) return smallest_[lane_index];
    return (smallest_[lane_index] + second_[lane_index]) / 2;
}

LazyMinima::Bound LazyMinima::bound(const bool* candidates, std::int64_t simd_group) const {
    double highest = kNoScore;
    const std::int64_t* features = packed_.features(simd_group);
    for (int lane = 0; lane < kLanes; ++lane)
        if (features[lane] >= 0 && candidates[features[lane]])
            highest = std::max(highest, score(std::size_t(simd_group * kLanes + lane)));
    return {highest, simd_group};
}

std::int64_t LazyMinima::chance(const PivotOffsets& offsets, std::int64_t feature) const {
    // Without a sign, as the caller may hand over anything: it wraps.
    std::uint64_t sum = std::uint64_t(offsets.chance);
    const std::int64_t last = code_counts_.starts[std::size_t(feature + 1)];
    for (std::int64_t code = code_counts_.starts[std::size_t(feature)]; code < last; ++code)
        sum += std::uint64_t(offsets.chance_of_count[std::size_t(code_counts_.index[std::size_t(code)])]);
    return std::int64_t(sum);
}

void LazyMinima::advance(std::int64_t simd_group) {
    std::int64_t pooled_sums[kLanes] = {};
    std::int64_t class_sums[kLanes] = {};
    const std::size_t next = std::size_t(depth_[std::size_t(simd_group)]++);
    pivots_[next].group_sums(simd_group, terms_, pooled_sums, class_sums);
    const PivotOffsets& offsets = offsets_[next];
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::int64_t feature = packed_.feature_at(simd_group, lane);
        if (feature < 0) continue;
        double number = double(class_sums[lane] - pooled_sums[lane] + offsets.sum) / one_bit_;
        if (!offsets.chance_of_count.empty()) number -= double(chance(offsets, feature)) / one_bit_;
        number += offsets.bits;
        double& smallest = smallest_[std::size_t(simd_group * kLanes + lane)];
        if (n_smallest_ == 2) {
            double& second = second_[std::size_t(simd_group * kLanes + lane)];
            second = std::min(second, std::max(smallest, number));
        }
        smallest = std::min(smallest, number);
    }
}

void LazyMinima::largest(const bool* candidates, std::int64_t first, std::int64_t last, double* best_so_far) {
    const auto is_lower = [](const Bound& a, const Bound& b) { return a.score < b.score; };
    const auto may_win = [&](const Bound& group_bound) { return reaches(group_bound.score, load(best_so_far)); };
    std::vector<Bound> waiting;
    for (std::int64_t g = first; g < last; ++g) {
        const Bound group_bound = bound(candidates, g);
        if (group_bound.score != kNoScore) waiting.push_back(group_bound);
    }
    std::make_heap(waiting.begin(), waiting.end(), is_lower);
    while (!waiting.empty() && may_win(waiting.front())) {
        std::pop_heap(waiting.begin(), waiting.end(), is_lower);
        Bound group_bound = waiting.back();
        waiting.pop_back();
        while (!is_current(group_bound.simd_group) && may_win(group_bound)) {
            advance(group_bound.simd_group);
            group_bound = bound(candidates, group_bound.simd_group);
        }
        if (is_current(group_bound.simd_group)) raise_to(best_so_far, group_bound.score);
    }
}

std::int64_t LazyMinima::first_at(const bool* candidates, double largest, double& score_of_first) const {
    std::int64_t first = packed_.n_features();
    for (std::int64_t g = 0; g < packed_.n_simd_groups(); ++g) {
        if (!is_current(g)) continue;
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t feature = packed_.feature_at(g, lane);
            if (feature < 0 || feature >= first || !candidates[feature]) continue;
            const double score_of_feature = score(std::size_t(g * kLanes + lane));
            if (!reaches(score_of_feature, largest)) continue;
            first = feature;
            score_of_first = score_of_feature;
        }
    }
    return first < packed_.n_features() ? first : -1;
}

}  // namespace bitsieve
