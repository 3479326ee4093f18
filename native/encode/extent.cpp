// What columns of numbers hold; see encode.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "encode/encode.hpp"

namespace bitsieve {

namespace {

// The smallest and largest of the integers of a column.
template <class T>
void widen(const T* values, std::int64_t stride, std::int64_t n, T& low, T& high) {
    T least = low, most = high;
    const auto look = [&](std::int64_t step) {
        for (std::int64_t i = 0; i < n; ++i) {
            least = std::min(least, values[i * step]);
            most = std::max(most, values[i * step]);
        }
    };
    if (stride == 1)
        look(1);
    else
        look(stride);
    low = least;
    high = most;
}

// Columns side by side in rows whose extents stay in the first-level cache.
template <class T>
constexpr std::int64_t kWidth = 4096 / std::int64_t(sizeof(T));

// The same of each of at most kWidth columns that lie side by side in rows, and whether they hold NaN.
template <class T>
void widen_rows(const T* values, std::int64_t stride, std::int64_t n_rows, std::int64_t n_columns, T* low, T* high,
                std::uint8_t* content_flags) {
    T least[kWidth<T>], most[kWidth<T>];
    [[maybe_unused]] std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t> missing[kWidth<T>] = {};
    std::copy(low, low + n_columns, least);
    std::copy(high, high + n_columns, most);
    for (std::int64_t i = 0; i < n_rows; ++i, values += stride)  // row by row: the order in which memory comes fastest
        for (std::int64_t c = 0; c < n_columns; ++c) {
            const T value = values[c];
            least[c] = value < least[c] ? value : least[c];
            most[c] = value > most[c] ? value : most[c];
            if constexpr (kFloats<T>) missing[c] |= value != value;
        }
    if constexpr (kFloats<T>)
        for (std::int64_t c = 0; c < n_columns; ++c)
            if (missing[c]) content_flags[c] |= kHasMissing;
    std::copy(least, least + n_columns, low);
    std::copy(most, most + n_columns, high);
}

template <class T>
void integer_extent(const Columns& table, Extent<T>& found) {
    for (std::int64_t first = 0, last = 0; first < table.size(); first = last) {
        last = std::min(first + kWidth<T>, table.size());
        const Column& column = table.columns[std::size_t(first)];
        const T* values = static_cast<const T*>(column.values);
        T *low = &found.low[std::size_t(first)], *high = &found.high[std::size_t(first)];
        if (column.stride != 1 && side_by_side<T>(table, first, last)) {
            widen_rows(values, column.stride, table.n_rows, last - first, low, high,
                       &found.content_flags[std::size_t(first)]);
        } else {
            last = first + 1;
            widen(values, column.stride, table.n_rows, *low, *high);
        }
    }
    std::fill(found.content_flags.begin(), found.content_flags.end(), std::uint8_t(kHasNumbers));
}

template <class T>
void float_extent(const Columns& table, bool whole, Extent<double>& found) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    // Of a column, some numbers of which were looked at.
    const auto note = [&](std::int64_t j, T low, T high) {
        std::uint8_t& content_flags = found.content_flags[std::size_t(j)];
        content_flags |= kHasNumbers;
        if (double(low) == -kInfinity || double(high) == kInfinity) content_flags |= kHasInfinite;
        double &least = found.low[std::size_t(j)], &most = found.high[std::size_t(j)];
        least = std::min(least, double(low));
        most = std::max(most, double(high));
    };
    if (!whole && table.size() > 0 && table.columns[0].stride != 1 && side_by_side<T>(table, 0, table.size())) {
        const Column& start = table.columns[0];
        for (std::int64_t first = 0; first < table.size(); first += kWidth<T>) {
            T low[kWidth<T>], high[kWidth<T>];
            const std::int64_t width = std::min(kWidth<T>, table.size() - first);
            std::fill_n(low, width, T(kInfinity));
            std::fill_n(high, width, -T(kInfinity));
            widen_rows(static_cast<const T*>(start.values) + first, start.stride, table.n_rows, width, low, high,
                       &found.content_flags[std::size_t(first)]);
            for (std::int64_t c = 0; c < width; ++c)
                if (low[c] <= high[c]) note(first + c, low[c], high[c]);
        }
        return;
    }
    for_each_tile<T>(table, kMaxTileRows, [&](std::int64_t j, std::int64_t, const T* values, std::int64_t n) {
        std::uint8_t& content_flags = found.content_flags[std::size_t(j)];
        T low = std::numeric_limits<T>::infinity(), high = -low;
        bool missing = false;
        for (std::int64_t i = 0; i < n; ++i) {
            const T v = values[i];
            missing |= v != v;
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        if (missing) content_flags |= kHasMissing;
        if (low > high) {  // none, or one infinity
            for (std::int64_t i = 0; i < n; ++i)
                if (std::isinf(values[i])) content_flags |= kHasInfinite | kHasNumbers;
            return;
        }
        note(j, low, high);
        if (!whole || (content_flags & kHasFractions)) return;
        bool fraction = false;
        if (low > T(-2147483648.0) && high < T(2147483648.0)) {  // a cheap conversion will do
            for (std::int64_t i = 0; i < n; ++i) {
                const T v = values[i] == values[i] ? values[i] : T(0);
                fraction |= T(std::int32_t(v)) != v;
            }
        } else {
            for (std::int64_t i = 0; i < n; ++i) fraction |= values[i] == values[i] && is_fraction(double(values[i]));
        }
        if (fraction) content_flags |= kHasFractions;
    });
}

}  // namespace

template <class T>
Extent<typename WidenFloat<T>::type> extent(const Columns& table, bool whole) {
    using Number = typename WidenFloat<T>::type;
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

#define BITSIEVE_FOR_TYPE(T) template Extent<WidenFloat<T>::type> extent<T>(const Columns&, bool);
BITSIEVE_FOR_NUMBER_TYPES(BITSIEVE_FOR_TYPE)
#undef BITSIEVE_FOR_TYPE

}  // namespace bitsieve
