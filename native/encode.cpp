#include "encode.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace bitsieve {

namespace {

template <class T>
constexpr bool kFloats = std::is_floating_point_v<T>;

constexpr double kInt64 = 9223372036854775808.0;  // 2^63

bool is_fraction(double v) { return !(v >= -kInt64 && v < kInt64) || double(std::int64_t(v)) != v; }

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
    constexpr std::int64_t kWidth = kLine / std::int64_t(sizeof(T));
    std::int64_t j = 0;
    for (; j + kWidth <= table.size() && table.columns[std::size_t(j)].stride != 1; j += kWidth) {
        if (!side_by_side<T>(table, j, j + kWidth)) break;
        const Column& column = table.columns[std::size_t(j)];
        widen_rows(static_cast<const T*>(column.values), column.stride, table.n_rows, &found.low[std::size_t(j)],
                   &found.high[std::size_t(j)]);
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

// The place of a number in the span that begins at `low`; kDenseSpan or more: beyond it.
template <class T>
std::size_t offset(T value, typename Wide<T>::type low) {
    if constexpr (kFloats<T>) {
        const double beyond = double(value) - low;  // exact where it is small
        return beyond >= 0 && beyond < double(kDenseSpan) ? std::size_t(beyond) : std::size_t(kDenseSpan);
    } else {
        return std::size_t(std::uint64_t(value) - std::uint64_t(low));  // wraps, and back
    }
}

// high - low + 1 if that is kDenseSpan at most, else 0.
template <class Number>
std::size_t dense_span(Number low, Number high) {
    if (high < low) return 0;
    if constexpr (kFloats<Number>) {
        const double span = high - low + 1;
        return span <= double(kDenseSpan) ? std::size_t(span) : 0;
    } else {
        const std::uint64_t beyond = std::uint64_t(high) - std::uint64_t(low);
        return beyond < std::uint64_t(kDenseSpan) ? std::size_t(beyond) + 1 : 0;
    }
}

template <class Number>
Number at_offset(Number low, std::size_t place) {
    if constexpr (kFloats<Number>)
        return low + double(place);
    else
        return Number(std::uint64_t(low) + place);
}

constexpr std::size_t kFewBytes = 32;  // numbers of a span that are searched for one after the other

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

template <class T>
Ragged<typename Wide<T>::type> distinct(const Columns& table, const typename Wide<T>::type* low,
                                        const typename Wide<T>::type* high) {
    using Number = typename Wide<T>::type;
    const std::size_t n = std::size_t(table.size());
    std::vector<std::size_t> begin(n + 1, 0), left(n);  // left: numbers of the span that were not met yet
    for (std::size_t j = 0; j < n; ++j) {
        left[j] = dense_span(low[j], high[j]);
        begin[j + 1] = begin[j] + left[j];
    }
    std::vector<std::uint8_t> seen(begin[n], 0);
    for_each_tile<T>(
        table, kTileRows, [&](std::int64_t j) { return left[std::size_t(j)] > 0; },
        [&](std::int64_t j, std::int64_t, const T* values, std::int64_t count) {
            const std::size_t column = std::size_t(j), span = begin[column + 1] - begin[column];
            const Number least = low[j];
            std::uint8_t* at = seen.data() + begin[column];
            std::size_t met = 0;
            if constexpr (sizeof(T) == 1) {
                if (span <= kFewBytes) {  // bytes are searched for many at a time, and most are met at once
                    for (std::size_t place = 0; place < span; ++place)
                        if (!at[place] && std::memchr(values, std::uint8_t(at_offset(least, place)), std::size_t(count)))
                            at[place] = 1, ++met;
                    left[column] -= met;
                    return;
                }
            }
            for (std::int64_t i = 0; i < count; ++i) {
                const std::size_t place = offset<T>(values[i], least);
                if (place >= span) continue;
                met += 1 - at[place];
                at[place] = 1;
            }
            left[column] -= met;
        });
    Ragged<Number> found;
    found.ends.reserve(n);
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t place = begin[j]; place < begin[j + 1]; ++place)
            if (seen[place]) found.values.push_back(at_offset(low[j], place - begin[j]));
        found.ends.push_back(std::int64_t(found.values.size()));
    }
    return found;
}

template <class T, class Code>
void code_categories(const Columns& table, const std::int64_t* categories, const std::int64_t* ends,
                     const std::int64_t* missing_code, const std::int64_t* place, Code* out, std::uint8_t* found) {
    struct Coding {
        std::uint64_t low = 0;
        std::vector<std::int32_t> code;  // by the place in the span; -1: no category
    };
    constexpr std::size_t kFirst = std::max<std::size_t>(8, std::size_t(kLine) / sizeof(T));  // columns at hand
    std::vector<Coding> codings(kFirst);
    std::vector<std::int64_t> holder(kFirst, -1);
    const auto coding_of = [&](std::int64_t j) -> const Coding& {
        Coding& coding = codings[std::size_t(j) % kFirst];
        if (holder[std::size_t(j) % kFirst] == j) return coding;
        holder[std::size_t(j) % kFirst] = j;
        const std::int64_t begin = j ? ends[j - 1] : 0, end = ends[j];
        coding.code.clear();
        if (begin == end) return coding;
        coding.low = std::uint64_t(categories[begin]);
        const std::uint64_t beyond = std::uint64_t(categories[end - 1]) - coding.low;
        coding.code.assign(beyond < std::uint64_t(kDenseSpan) ? std::size_t(beyond) + 1 : 0, -1);
        for (std::int64_t c = begin; c < end; ++c) {
            const std::size_t at = std::size_t(std::uint64_t(categories[c]) - coding.low);  // wraps, and back
            if (at < coding.code.size()) coding.code[at] = std::int32_t(c - begin);
        }
        return coding;
    };
    std::fill(found, found + table.size(), std::uint8_t(1));
    for_each_tile<T>(table, kTileRows, [&](std::int64_t j, std::int64_t row, const T* values, std::int64_t count) {
        const Coding& coding = coding_of(j);
        const std::int32_t* code = coding.code.data();
        const std::size_t span = coding.code.size();
        Code* to = out + place[j] * table.n_rows + row;
        std::int32_t least = 0;  // negative as soon as a number is no category
        for (std::int64_t i = 0; i < count; ++i) {
            if constexpr (kFloats<T>) {
                if (values[i] != values[i]) {
                    to[i] = Code(missing_code[j]);
                    continue;
                }
                if (is_fraction(double(values[i]))) {
                    least = -1;
                    continue;
                }
            }
            std::size_t at;
            if constexpr (kFloats<T>)
                at = std::size_t(std::uint64_t(std::int64_t(values[i])) - coding.low);
            else
                at = std::size_t(std::uint64_t(values[i]) - coding.low);
            const std::int32_t c = at < span ? code[at] : -1;
            least |= c;
            to[i] = Code(c);
        }
        if (least < 0) found[j] = 0;
    });
}

namespace {

constexpr std::int64_t kFewCuts = 24;  // up to here one comparison a cut is faster than a binary search a value

// Codes are counted in lanes as wide as the comparisons, which the compiler then does several at a time.
template <class T>
void count_cuts(const T* values, std::int64_t n, const double* cuts, std::int64_t n_cuts, bool left, std::uint16_t* codes) {
    if (n_cuts > kFewCuts) {
        for (std::int64_t i = 0; i < n; ++i) {
            const double v = double(values[i]);
            const double* at = left ? std::lower_bound(cuts, cuts + n_cuts, v) : std::upper_bound(cuts, cuts + n_cuts, v);
            codes[i] = std::uint16_t(at - cuts);
        }
        return;
    }
    constexpr std::int64_t kAtOnce = 128;
    double wide[kAtOnce];
    std::int64_t sums[kAtOnce];
    for (std::int64_t first = 0; first < n; first += kAtOnce) {
        const std::int64_t count = std::min(kAtOnce, n - first);
        for (std::int64_t i = 0; i < count; ++i) wide[i] = double(values[first + i]);
        std::fill(sums, sums + count, 0);
        for (std::int64_t c = 0; c < n_cuts; ++c) {
            const double cut = cuts[c];
            if (left)
                for (std::int64_t i = 0; i < count; ++i) sums[i] += wide[i] > cut;
            else
                for (std::int64_t i = 0; i < count; ++i) sums[i] += wide[i] >= cut;
        }
        for (std::int64_t i = 0; i < count; ++i) codes[first + i] = std::uint16_t(sums[i]);
    }
}

}  // namespace

template <class T, class Code>
void code_by_cuts(const Columns& table, const double* cuts, const std::int64_t* ends, bool left,
                  const std::int64_t* missing_code, const std::int64_t* place, Code* out) {
    std::uint16_t codes[kTileRows];
    [[maybe_unused]] std::uint16_t by_byte[256];
    [[maybe_unused]] T bytes[256];
    for_each_tile<T>(table, kTileRows, [&](std::int64_t j, std::int64_t row, const T* values, std::int64_t n) {
        const std::int64_t begin = j ? ends[j - 1] : 0, n_cuts = ends[j] - begin;
        Code* to = out + place[j] * table.n_rows + row;
        if constexpr (sizeof(T) == 1) {
            if (n >= 256 && n_cuts > 0) {
                for (int b = 0; b < 256; ++b) bytes[b] = T(b);
                count_cuts(bytes, 256, cuts + begin, n_cuts, left, by_byte);
                for (std::int64_t i = 0; i < n; ++i) to[i] = Code(by_byte[std::uint8_t(values[i])]);
                return;
            }
        }
        count_cuts(values, n, cuts + begin, n_cuts, left, codes);
        if constexpr (kFloats<T>)
            for (std::int64_t i = 0; i < n; ++i) to[i] = values[i] == values[i] ? Code(codes[i]) : Code(missing_code[j]);
        else
            for (std::int64_t i = 0; i < n; ++i) to[i] = Code(codes[i]);
    });
}

#define BITSIEVE_FOR_TYPE(T)                                                                                             \
    template Extent<Wide<T>::type> extent<T>(const Columns&, bool);                                                      \
    template Ragged<Wide<T>::type> distinct<T>(const Columns&, const Wide<T>::type*, const Wide<T>::type*);              \
    template void code_categories<T>(const Columns&, const std::int64_t*, const std::int64_t*, const std::int64_t*,     \
                                     const std::int64_t*, std::uint8_t*, std::uint8_t*);                                 \
    template void code_categories<T>(const Columns&, const std::int64_t*, const std::int64_t*, const std::int64_t*,     \
                                     const std::int64_t*, std::uint16_t*, std::uint8_t*);                                \
    template void code_by_cuts<T>(const Columns&, const double*, const std::int64_t*, bool, const std::int64_t*,         \
                                  const std::int64_t*, std::uint8_t*);                                                   \
    template void code_by_cuts<T>(const Columns&, const double*, const std::int64_t*, bool, const std::int64_t*,         \
                                  const std::int64_t*, std::uint16_t*);
BITSIEVE_FOR_TYPE(std::uint8_t)
BITSIEVE_FOR_TYPE(std::uint16_t)
BITSIEVE_FOR_TYPE(std::uint32_t)
BITSIEVE_FOR_TYPE(std::uint64_t)
BITSIEVE_FOR_TYPE(std::int8_t)
BITSIEVE_FOR_TYPE(std::int16_t)
BITSIEVE_FOR_TYPE(std::int32_t)
BITSIEVE_FOR_TYPE(std::int64_t)
BITSIEVE_FOR_TYPE(float)
BITSIEVE_FOR_TYPE(double)

}  // namespace bitsieve
