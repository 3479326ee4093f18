// Shuffles within parts of every size: each part keeps its classes. And bounds of divisions beside the best ones.
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "encode/monotone.hpp"
#include "encode/random_keys.hpp"
#include "encode/shuffles.hpp"
#include "encode/value_bounds.hpp"

using namespace bitsieve;

namespace {

bool test_keys() {
    RandomKeys random(0);
    return random.next() == 0.6369616873214543;  // numpy.random.default_rng(0).random()
}

bool test_shuffles(std::int64_t n, std::int64_t n_parts, std::mt19937& random) {
    std::vector<std::int32_t> classes;
    std::vector<std::vector<std::uint32_t>> samples(static_cast<std::size_t>(n_parts));
    for (std::int64_t i = 0; i < n; ++i) {
        classes.push_back(std::int32_t(random() % 3));
        samples[random() % n_parts].push_back(std::uint32_t(i));
    }
    std::vector<std::uint32_t> order;
    std::vector<std::int64_t> starts{0};
    for (const auto& part : samples) {
        order.insert(order.end(), part.begin(), part.end());
        starts.push_back(std::int64_t(order.size()));
    }
    const std::vector<std::uint64_t> seeds{0, std::uint64_t(1) << 32, ~std::uint64_t(0)};
    std::vector<std::int32_t> shuffles(seeds.size() * classes.size(), -1);
    shuffle_classes(classes.data(), n, {order.data(), starts.data(), n_parts}, seeds.data(), std::int64_t(seeds.size()),
                    shuffles.data());
    bool right = true;
    for (std::size_t s = 0; s < seeds.size(); ++s)
        for (const auto& part : samples) {
            std::vector<std::int32_t> before, after;
            for (const std::uint32_t sample : part) {
                before.push_back(classes[sample]);
                after.push_back(shuffles[s * classes.size() + sample]);
            }
            std::sort(before.begin(), before.end());
            std::sort(after.begin(), after.end());
            right &= before == after;
        }
    return right;
}

bool test_bounds(RateTrend trend, std::int64_t n_bins, std::int64_t max_n_bins, std::mt19937& random) {
    std::vector<std::int64_t> events, nonevents;
    std::int64_t total_events = 1, total_nonevents = 1;
    for (std::int64_t b = 0; b < n_bins; ++b) {
        events.push_back(random() % 9);
        nonevents.push_back(random() % 9 + 1);
        total_events += events.back();
        total_nonevents += nonevents.back();
    }
    const PreBins bins{events.data(), nonevents.data(), n_bins, total_events, total_nonevents};
    const std::int64_t n_samples = total_events + total_nonevents;
    const DivisionRules rules{trend, BinObjective::kInformationValue, 1.0, 0.0, 1, max_n_bins, 5, n_samples, 1, 1, 0};
    const double bound = ValueBounds(rules, n_samples).of(bins);
    const Division best = best_division(bins, rules);
    if (best.ends.empty()) return trend != RateTrend::kNone || bound < 0;
    if (trend == RateTrend::kNone && bound > best.value + 1e-9) return false;
    return bound >= best.value - 1e-9;  // values of divisions are rounded to 2^-44
}

}  // namespace

void test_shuffles(int& passed, int& failed) {
    std::mt19937 random(1);
    const auto note = [&](bool holds, const char* what) {
        ++(holds ? passed : failed);
        if (!holds) std::printf("failed: %s\n", what);
    };
    note(test_keys(), "random keys");
    for (const std::int64_t n : {1, 2, 63, 64, 65, 300})
        for (const std::int64_t n_parts : {1, 2, 40}) note(test_shuffles(n, n_parts, random), "shuffles");
    for (const RateTrend trend : {RateTrend::kNone, RateTrend::kPeak, RateTrend::kValley})
        for (const std::int64_t n_bins : {1, 2, 7, 40})
            for (const std::int64_t max_n_bins : {0, 1, 2, 5})
                note(test_bounds(trend, n_bins, max_n_bins, random), "bounds of divisions");
}
