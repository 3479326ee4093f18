#include "count/expected_excess.hpp"

#include <algorithm>
#include <cmath>

namespace bitsieve {

namespace {

constexpr double kMinMeanOfSeries = 64.0;
constexpr int kSlotBits = 15;  // 2^15 entries take 0.75 MiB

// The slot of a cell among the recent excesses. It depends on every bit of the three numbers: a multiplication carries
// each into the upper bits. The factors are odd numbers without a pattern, those of the generator SplitMix64.
std::size_t slot_of(std::uint32_t n, std::uint32_t low, std::uint32_t high) {
    std::uint64_t key = (std::uint64_t(low) << 32 | high) * 0x9e3779b97f4a7c15u;
    key = (key ^ key >> 32 ^ n) * 0xbf58476d1ce4e5b9u;
    return std::size_t(key >> (64 - kSlotBits));
}

}  // namespace

ExpectedExcess::ExpectedExcess() : recent_(std::size_t(1) << kSlotBits), c_log_c_() {
    for (std::size_t c = 1; c < c_log_c_.size(); ++c) c_log_c_[c] = double(c) * std::log(double(c));
}

std::int64_t ExpectedExcess::operator()(std::int64_t n, std::int64_t a, std::int64_t b) {
    const std::uint32_t size = std::uint32_t(n);
    const std::uint32_t low = std::uint32_t(std::min(a, b));
    const std::uint32_t high = std::uint32_t(std::max(a, b));
    Entry& entry = recent_[slot_of(size, low, high)];
    if (entry.n == size && entry.low == low && entry.high == high) return entry.excess;
    const double mean = double(low) / size * high;
    const double excess = mean < kMinMeanOfSeries ? sum_over_counts(size, low, high) : series(size, low, high);
    entry = {size, low, high, std::int64_t(std::nearbyint(excess * kExcessUnit))};
    return entry.excess;
}

// The sum over c of P(c) c ln c. The recursion
//
//     P(c + 1) / P(c) = (low - c) (high - c) / ((c + 1) (n - low - high + c + 1))
//
// gives all probabilities relative to that of the smallest count; their total makes them probabilities.
double ExpectedExcess::sum_over_counts(double n, double low, double high) const {
    const double mean = low / n * high;
    // By Bernstein's inequality, counts above this reach have a probability below 2^-64 together. It is at most 162.
    const double reach = std::ceil(mean + 20 + std::sqrt(220 + 90 * mean));
    const auto first = std::int64_t(std::max(0.0, low + high - n));
    const auto last = std::int64_t(std::min(low, reach));
    double probability = 1.0;
    double total = 0.0;
    double sum = 0.0;
    for (std::int64_t count = first; count <= last; ++count) {
        const double c = double(count);
        total += probability;
        sum += probability * c_log_c_[std::size_t(count)];
        probability *= (low - c) * (high - c) / ((c + 1) * (n - low - high + c + 1));
    }
    return sum / total - mean * std::log(mean);
}

// With the mean m and the central moments mu of the count, the expectation of the Taylor series of c ln c about m:
//
//     mu_2 / 2m - mu_3 / 6m^2 + mu_4 / 12m^3
//
// For margins a and b, where v_a = a/n (1 - a/n) is the variance of one draw, and v_b is alike, the moments are
//
//     mu_2 = n^2 v_a v_b / (n - 1)
//     mu_3 = mu_2 (1 - 2a/n) (1 - 2b/n) n / (n - 2)
//     mu_4 = mu_2 (3 mu_2 + g n^2 / ((n - 1) (n - 2) (n - 3)))
//     g    = (n - 1) (1 + 1/n - 6 (v_a + v_b)) + 6 (5n - 6) v_a v_b
double ExpectedExcess::series(double n, double a, double b) const {
    const double mean = a / n * b;
    const double v_a = a / n * (1 - a / n);
    const double v_b = b / n * (1 - b / n);
    const double mu_2 = n * v_a * (n * v_b) / (n - 1);
    const double mu_3 = mu_2 * (1 - 2 * a / n) * (1 - 2 * b / n) * n / (n - 2);
    const double g = (n - 1) * (1 + 1 / n - 6 * (v_a + v_b)) + 6 * (5 * n - 6) * v_a * v_b;
    const double mu_4 = mu_2 * (3 * mu_2 + g * n / (n - 1) * n / (n - 2) / (n - 3));
    return mu_2 / (2 * mean) - mu_3 / (6 * mean * mean) + mu_4 / (12 * mean * mean * mean);
}

}  // namespace bitsieve
