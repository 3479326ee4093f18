#include "count/expected_excess.hpp"

#include <algorithm>
#include <cmath>

namespace bitsieve {

namespace {

constexpr double kSeriesFrom = 64.0;  // the mean from which on a series is used
constexpr int kSlotBits = 15;         // 2^15 entries take 0.75 MiB

// The slot of a cell among the recent excesses. It depends on every bit of the three numbers.
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
    const double excess = mean < kSeriesFrom ? sum_over_counts(size, low, high) : series(size, low, high);
    entry = {size, low, high, std::int64_t(std::nearbyint(excess * kExcessUnit))};
    return entry.excess;
}

// P(c + 1) / P(c) = (a - c) (b - c) / ((c + 1) (n - a - b + c + 1)) gives all probabilities relative to that of the
// smallest count.
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

// mu_2 / 2m - mu_3 / 6m^2 + mu_4 / 12m^3, with the central moments of the count.
double ExpectedExcess::series(double n, double low, double high) const {
    const double mean = low / n * high;
    const double variance_low = low / n * (1 - low / n);  // of one draw that is among the `low`, or not
    const double variance_high = high / n * (1 - high / n);
    const double variance = n * variance_low * (n * variance_high) / (n - 1);
    const double third = variance * (1 - 2 * low / n) * (1 - 2 * high / n) * n / (n - 2);
    double kurtosis = (n - 1) * (1 + 1 / n - 6 * (variance_low + variance_high));
    kurtosis += 6 * (5 * n - 6) * variance_low * variance_high;
    const double fourth = variance * (3 * variance + kurtosis * n / (n - 1) * n / (n - 2) / (n - 3));
    return variance / (2 * mean) - third / (6 * mean * mean) + fourth / (12 * mean * mean * mean);
}

}  // namespace bitsieve
