// Columns of whole numbers in a small span: these are counted, not sorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace bitsieve {

// The whole numbers of a column that lie in a small span, from `low`.
struct Span {
    double low = 0;
    std::uint64_t range = 0;  // the largest less the smallest
};

// Whether all numbers are whole and of a span of less than `limit`. Ends early where it finds that they are not.
template <class T>
bool is_small_span(const T* values, std::int64_t n, std::uint64_t limit, Span& span) {
    constexpr double kInt32 = 2147483648.0;  // 2^31
    if constexpr (std::is_floating_point_v<T>) {
        double low = kInt32;
        double high = -kInt32;
        for (std::int64_t i = 0; i < n; ++i) {
            const double v = double(values[i]);
            if (v != v) continue;
            if (!(v > -kInt32 && v < kInt32) || double(std::int32_t(v)) != v) return false;
            low = std::min(low, v);
            high = std::max(high, v);
            if (high - low >= double(limit)) return false;
        }
        if (low > high) return false;
        span = {low, std::uint64_t(high - low)};
    } else {
        T low = values[0];
        T high = low;
        for (std::int64_t i = 1; i < n; ++i) {
            low = std::min(low, values[i]);
            high = std::max(high, values[i]);
        }
        span = {double(low), std::uint64_t(high) - std::uint64_t(low)};
        if (double(low) < -kInt32 || double(high) > kInt32) return false;  // neighbours might be one double
    }
    return span.range < limit;
}

template <class T>
bool is_missing(T value) {
    return value != value;
}

template <class T>
std::size_t index_in_span(T value, double low) {
    return std::size_t(std::int64_t(value) - std::int64_t(low));
}

// A column of n_rows with a span below it is counted by class sooner than it is sorted.
inline std::uint64_t limit_of_span(std::int64_t n_rows, std::size_t n_classes) {
    return std::max<std::uint64_t>(4096, 2 * std::uint64_t(n_rows)) / n_classes;
}

// counts[v * n_classes + c]: the samples of class c with the number low + v. Row i stands weights[i] times (null: once).
template <class T>
void count_classes(const T* values, std::int64_t n, const Span& span, const std::int32_t* classes,
                   std::size_t n_classes, const std::int64_t* weights, std::vector<std::uint32_t>& counts) {
    counts.assign(std::size_t(span.range + 1) * n_classes, 0);
    for (std::int64_t i = 0; i < n; ++i)
        if (!is_missing(values[i]))
            counts[index_in_span(values[i], span.low) * n_classes + std::size_t(classes[i])] +=
                weights ? std::uint32_t(weights[i]) : 1;
}

}  // namespace bitsieve
