// What columns of numbers hold; see encode.hpp.
#include "encode.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace bitsieve {

namespace {

// The smallest and largest of contiguous integers.
template <class T>
void widen(const T* values, std::int64_t n, T& low, T& high) {
    T least = low, most = high;
    for (std::int64_t i = 0; i < n; ++i) {
        least = std::min(least, values[i]);
        most = std::max(most, values[i]);
    }
    low = least;
    high = most;
}

// The same of columns side by side in rows, as many as a cache line holds.
template <class T>
void widen_rows(const T* values, std::int64_t stride, std::int64_t n, T* low, T* high) {
    constexpr std::int64_t kWidth = kLine / std::int64_t(sizeof(T));
    T least[kWidth], most[kWidth];
    std::copy(low, low + kWidth, least);
    std::copy(high, high + kWidth, most);
    for (std::int64_t i = 0; i < n; ++i, values += stride)
        for (std::int64_t c = 0; c < kWidth; ++c) {
            least[c] = values[c] < least[c] ? values[c] : least[c];
            most[c] = values[c] > most[c] ? values[c] : most[c];
        }
    std::copy(least, least + kWidth, low);
    std::copy(most, most + kWidth, high);
}

template <class T>
void integer_extent(const Columns& table, Extent<T>& found) {
    constexpr std::int64_t kWidth = kLine / std::int64_t(sizeof(T)), kAtOnce = 128;
    std::int64_t j = 0;  // columns side by side in rows, in whole cache lines
    while (j + kWidth <= table.size() && table.columns[std::size_t(j)].stride != 1 && side_by_side<T>(table, j, j + kWidth))
        j += kWidth;
    for (std::int64_t row = 0; row < table.n_rows; row += kAtOnce)  // a few rows stay in the cache for all columns
        for (std::int64_t c = 0; c < j; c += kWidth) {
            const Column& column = table.columns[std::size_t(c)];
            widen_rows(static_cast<const T*>(column.values) + row * column.stride, column.stride,
                       std::min(kAtOnce, table.n_rows - row), &found.low[std::size_t(c)], &found.high[std::size_t(c)]);
        }
    const Columns rest{table.type, table.n_rows, {table.columns.begin() + j, table.columns.end()}};
    for_each_tile<T>(rest, kTileRows, [&](std::int64_t c, std::int64_t, const T* values, std::int64_t n) {
        widen(values, n, found.low[std::size_t(j + c)], found.high[std::size_t(j + c)]);
    });
    std::fill(found.holds.begin(), found.holds.end(), std::uint8_t(kHoldsNumbers));
}

template <class T>
void float_extent(const Columns& table, bool whole, Extent<double>& found) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for_each_tile<T>(table, kTileRows, [&](std::int64_t j, std::int64_t, const T* values, std::int64_t n) {
        std::uint8_t& holds = found.holds[std::size_t(j)];
        T low = std::numeric_limits<T>::infinity(), high = -low;
        bool missing = false;
        for (std::int64_t i = 0; i < n; ++i) {
            const T v = values[i];
            missing |= v != v;
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        if (missing) holds |= kHoldsMissing;
        if (low > high) {  // none, or one infinity
            for (std::int64_t i = 0; i < n; ++i)
                if (std::isinf(values[i])) holds |= kHoldsInfinite | kHoldsNumbers;
            return;
        }
        holds |= kHoldsNumbers;
        if (double(low) == -kInfinity || double(high) == kInfinity) holds |= kHoldsInfinite;
        double& least = found.low[std::size_t(j)];
        double& most = found.high[std::size_t(j)];
        least = std::min(least, double(low));
        most = std::max(most, double(high));
        if (!whole || (holds & kHoldsFractions)) return;
        bool fraction = false;
        if (low > T(-2147483648.0) && high < T(2147483648.0)) {  // a cheap conversion will do
            for (std::int64_t i = 0; i < n; ++i) {
                const T v = values[i] == values[i] ? values[i] : T(0);
                fraction |= T(std::int32_t(v)) != v;
            }
        } else {
            for (std::int64_t i = 0; i < n; ++i) fraction |= values[i] == values[i] && is_fraction(double(values[i]));
        }
        if (fraction) holds |= kHoldsFractions;
    });
}

}  // namespace

template <class T>
Extent<typename Wide<T>::type> extent(const Columns& table, bool whole) {
    using Number = typename Wide<T>::type;
    const std::size_t n = std::size_t(table.size());
    Extent<Number> found{std::vector<std::uint8_t>(n, 0), std::vector<Number>(n), std::vector<Number>(n)};
    if constexpr (kFloats<T>) {
        std::fill(found.low.begin(), found.low.end(), std::numeric_limits<double>::infinity());
        std::fill(found.high.begin(), found.high.end(), -std::numeric_limits<double>::infinity());
        float_extent<T>(table, whole, found);
    } else {
        std::fill(found.low.begin(), found.low.end(), std::numeric_limits<T>::max());
        std::fill(found.high.begin(), found.high.end(), std::numeric_limits<T>::min());
        integer_extent<T>(table, found);
    }
    return found;
}

#define BITSIEVE_FOR_TYPE(T) template Extent<Wide<T>::type> extent<T>(const Columns&, bool);
BITSIEVE_FOR_NUMBER_TYPES(BITSIEVE_FOR_TYPE)

}  // namespace bitsieve
