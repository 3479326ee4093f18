// The distinct whole numbers of columns, and codes by them; see encode.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "encode/encode.hpp"

namespace bitsieve {

// What columns of numbers hold; see encode.hpp.

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

namespace {

// The place of a number in the span that begins at `low`; kDenseSpan or more: beyond it.
template <class T>
std::size_t offset(T value, typename WidenFloat<T>::type low) {
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

// The distinct numbers of a column that spread too far for a table, as its tiles come.
template <class Number>
class SpreadNumbers {
public:
    template <class T>
    void add(const T* values, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i)
            if (values[i] == values[i]) numbers_.push_back(Number(values[i]));
        if (numbers_.size() > 2 * kept_ + kDenseSpan) keep();
    }

    const std::vector<Number>& sorted() {
        keep();
        return numbers_;
    }

private:
    [[gnu::noinline]] void keep() {
        std::sort(numbers_.begin(), numbers_.end());
        numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
        kept_ = numbers_.size();
    }

    std::vector<Number> numbers_;
    std::size_t kept_ = 0;
};

// The distinct numbers of columns of known extents: marks in tables of those of small spans, else lists. What is large
// is not inlined (gnu::noinline): it is compiled once for a type, not once for each loop that calls it.
template <class Number>
struct DistinctNumbers {
    [[gnu::noinline]] DistinctNumbers(const Number* lows, const Number* highs, std::size_t n)
        : low(lows), high(highs), begin(n + 1, 0), left(n), spread(n) {
        for (std::size_t j = 0; j < n; ++j) {
            left[j] = dense_span(low[j], high[j]);
            begin[j + 1] = begin[j] + left[j];
        }
        seen.assign(begin[n], 0);
    }

    bool is_spread(std::size_t j) const { return begin[j] == begin[j + 1] && low[j] <= high[j]; }

    [[gnu::noinline]] Ragged<Number> sorted() {
        Ragged<Number> found;
        found.ends.reserve(left.size());
        for (std::size_t j = 0; j < left.size(); ++j) {
            if (is_spread(j)) {
                const std::vector<Number>& numbers = spread[j].sorted();
                found.values.insert(found.values.end(), numbers.begin(), numbers.end());
                spread[j] = {};
            }
            for (std::size_t place = begin[j]; place < begin[j + 1]; ++place)
                if (seen[place]) found.values.push_back(at_offset(low[j], place - begin[j]));
            found.ends.push_back(std::int64_t(found.values.size()));
        }
        return found;
    }

    const Number *low, *high;
    std::vector<std::size_t> begin, left;  // left: numbers of the span that were not met yet
    std::vector<SpreadNumbers<Number>> spread;
    std::vector<std::uint8_t> seen;
};

}  // namespace

template <class T>
Ragged<typename WidenFloat<T>::type> distinct(const Columns& table, const typename WidenFloat<T>::type* low,
                                              const typename WidenFloat<T>::type* high) {
    using Number = typename WidenFloat<T>::type;
    DistinctNumbers<Number> numbers(low, high, std::size_t(table.size()));
    for_each_tile<T>(
        table, kMaxTileRows,
        [&](std::int64_t j) { return numbers.left[std::size_t(j)] > 0 || numbers.is_spread(std::size_t(j)); },
        [&](std::int64_t j, std::int64_t, const T* values, std::int64_t count) {
            const std::size_t column = std::size_t(j), span = numbers.begin[column + 1] - numbers.begin[column];
            if (span == 0) return numbers.spread[column].add(values, count);
            const Number least = low[j];
            std::uint8_t* at = numbers.seen.data() + numbers.begin[column];
            std::size_t met = 0;
            if constexpr (sizeof(T) == 1) {
                if (span <= kFewBytes) {  // bytes are searched for many at a time, and most are met at once
                    for (std::size_t place = 0; place < span; ++place)
                        if (!at[place] &&
                            std::memchr(values, std::uint8_t(at_offset(least, place)), std::size_t(count)))
                            at[place] = 1, ++met;
                    numbers.left[column] -= met;
                    return;
                }
            }
            for (std::int64_t i = 0; i < count; ++i) {
                const std::size_t place = offset<T>(values[i], least);
                if (place >= span) continue;
                met += 1 - at[place];
                at[place] = 1;
            }
            numbers.left[column] -= met;
        });
    return numbers.sorted();
}

namespace {

// The categories of one column, to be looked up.
class Coding {
public:
    [[gnu::noinline]] void take(const Categories& categories, std::int64_t j) {
        numbers_ = categories.numbers + (j ? categories.ends[j - 1] : 0);
        size_ = std::size_t(categories.ends[j] - (j ? categories.ends[j - 1] : 0));
        order_ = categories.are_unsigned ? 0 : std::uint64_t(1) << 63;
        code_.clear();
        if (size_ == 0) return;
        low_ = std::uint64_t(numbers_[0]);
        const std::uint64_t beyond = std::uint64_t(numbers_[size_ - 1]) - low_;
        if (beyond >= std::uint64_t(kDenseSpan)) return;
        code_.assign(std::size_t(beyond) + 1, -1);
        for (std::size_t c = 0; c < size_; ++c) {
            const std::size_t at = std::size_t(std::uint64_t(numbers_[c]) - low_);  // wraps, and back
            if (at < code_.size()) code_[at] = std::int32_t(c);
        }
    }

    bool tabled() const { return !code_.empty() || size_ == 0; }

    // Codes of whole numbers where the categories are k, k + 1, ...: false where one of them is none, and `to` has no
    // meaning.
    template <class T, class Code>
    bool subtract(const T* values, std::int64_t count, Code* to) const {
        using Bits = std::make_unsigned_t<T>;
        if (code_.size() != size_ || size_ == 0 || !type_holds_all<T>()) return false;
        const Bits low = Bits(low_);
        Bits seen = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const Bits beyond =
                Bits(Bits(values[i]) - low);  // wraps where it is no category, and is then beyond the last
            seen |= beyond;
            to[i] = Code(beyond);
        }
        if (std::uint64_t(seen) > std::uint64_t(Code(~Code(0)))) return false;
        return std::size_t(*std::max_element(to, to + count)) < size_;
    }

    // The place of a number, given by its bits, in the table; -1: it is none of the categories.
    std::int32_t look_up(std::uint64_t number) const {
        const std::size_t at = std::size_t(number - low_);
        return at < code_.size() ? code_[at] : -1;
    }

    // The same by search.
    [[gnu::noinline]] std::int32_t search(std::uint64_t number) const {
        const auto* end = numbers_ + size_;
        const auto* at = std::lower_bound(numbers_, end, number, [this](std::int64_t category, std::uint64_t of) {
            return (std::uint64_t(category) ^ order_) < (of ^ order_);
        });
        return at != end && std::uint64_t(*at) == number ? std::int32_t(at - numbers_) : -1;
    }

private:
    // Whether all categories are numbers of a type.
    template <class T>
    bool type_holds_all() const {
        const std::int64_t least = numbers_[0], most = numbers_[size_ - 1];
        if (order_ == 0 && most < 0) return sizeof(T) == 8 && std::is_unsigned_v<T>;  // by its bits, beyond int64
        if (least < 0 && (std::is_unsigned_v<T> || least < std::int64_t(std::numeric_limits<T>::min()))) return false;
        return most < 0 || std::uint64_t(most) <= std::uint64_t(std::numeric_limits<T>::max());
    }

    const std::int64_t* numbers_ = nullptr;
    std::size_t size_ = 0;
    std::uint64_t low_ = 0, order_ = 0;  // bits that differ from their order as unsigned numbers
    std::vector<std::int32_t> code_;     // by the place in the span; -1: no category
};

}  // namespace

template <class T, class Code>
void code_categories(const Columns& table, const Categories& categories, const std::int64_t* missing_code,
                     const std::int64_t* place, Code* out, std::uint8_t* found) {
    constexpr std::size_t kFirst = std::size_t(kStrip);  // columns at hand
    std::vector<Coding> codings(kFirst);
    std::vector<std::int64_t> holder(kFirst, -1);
    // Whether all numbers of one sign bit are beyond the categories: 64 bits hold either negative or large numbers.
    constexpr bool kUnsigned64 = std::is_same_v<T, std::uint64_t>;
    const bool no_sign = categories.are_unsigned != kUnsigned64;
    std::fill(found, found + table.size(), std::uint8_t(1));
    for_each_tile<T>(table, kMaxTileRows, [&](std::int64_t j, std::int64_t row, const T* values, std::int64_t count) {
        Coding& coding = codings[std::size_t(j) % kFirst];
        if (std::exchange(holder[std::size_t(j) % kFirst], j) != j) coding.take(categories, j);
        Code* to = out + place[j] * table.n_rows + row;
        if constexpr (!kFloats<T>)
            if (coding.subtract(values, count, to)) return;
        std::int32_t least = 0;  // negative as soon as a number is no category
        const auto code_all = [&](const auto& code_of) {
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
                std::uint64_t number;
                if constexpr (kFloats<T>)
                    number = std::uint64_t(std::int64_t(values[i]));
                else
                    number = std::uint64_t(values[i]);
                std::int32_t c = code_of(number);
                if (no_sign && number >> 63) c = -1;
                least |= c;
                to[i] = Code(c);
            }
        };
        if (coding.tabled())
            code_all([&](std::uint64_t number) { return coding.look_up(number); });
        else
            code_all([&](std::uint64_t number) { return coding.search(number); });
        if (least < 0) found[j] = 0;
    });
}

#define BITSIEVE_FOR_TYPE(T)                                                                                      \
    template Ragged<WidenFloat<T>::type> distinct<T>(const Columns&, const WidenFloat<T>::type*,                  \
                                                     const WidenFloat<T>::type*);                                 \
    template void code_categories<T>(const Columns&, const Categories&, const std::int64_t*, const std::int64_t*, \
                                     std::uint8_t*, std::uint8_t*);                                               \
    template void code_categories<T>(const Columns&, const Categories&, const std::int64_t*, const std::int64_t*, \
                                     std::uint16_t*, std::uint8_t*);
BITSIEVE_FOR_NUMBER_TYPES(BITSIEVE_FOR_TYPE)
#undef BITSIEVE_FOR_TYPE

// Places in dictionaries to codes in the order of the values; see encode.hpp.

namespace {

// The codes of one column: ranks first, and a second time only where some of them do not occur.
template <class T>
void code_column(const T* places, std::int64_t stride, std::int64_t n_rows, const std::int32_t* rank,
                 std::int64_t n_ranks, std::int32_t* out, std::uint8_t* occurs) {
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const T place = places[i * stride];
        std::int32_t code = -1;
        if (!(place < T(0))) {
            if (std::uint64_t(place) >= std::uint64_t(n_ranks))
                throw std::invalid_argument("a place is beyond the dictionary of its column");
            code = rank[std::size_t(place)];
            if (code >= 0) occurs[code] = 1;
        }
        out[i] = code;
    }
    std::vector<std::int32_t> code(std::size_t(n_ranks) + 1, -1);  // the first answers for -1
    std::int32_t n_codes = 0, n_values = 0;
    for (std::int64_t r = 0; r < n_ranks; ++r) {
        if (occurs[r]) code[std::size_t(r) + 1] = n_codes++;
        n_values = std::max(n_values, rank[r] + 1);
    }
    if (n_codes < n_values)
        for (std::int64_t i = 0; i < n_rows; ++i) out[i] = code[std::size_t(out[i] + 1)];
}

}  // namespace

template <class T>
void code_dictionaries(const Columns& places, const std::int32_t* rank, const std::int64_t* ends, std::int32_t* out,
                       std::uint8_t* occurs) {
    for (std::int64_t j = 0, begin = 0; j < places.size(); begin = ends[j++]) {
        const Column& column = places.columns[std::size_t(j)];
        code_column(static_cast<const T*>(column.values), column.stride, places.n_rows, rank + begin, ends[j] - begin,
                    out + j * places.n_rows, occurs + begin);
    }
}

#define BITSIEVE_FOR_TYPE(T)                                                                                    \
    template void code_dictionaries<T>(const Columns&, const std::int32_t*, const std::int64_t*, std::int32_t*, \
                                       std::uint8_t*);
BITSIEVE_FOR_TYPE(std::int8_t)
BITSIEVE_FOR_TYPE(std::int16_t)
BITSIEVE_FOR_TYPE(std::int32_t)
BITSIEVE_FOR_TYPE(std::int64_t)
BITSIEVE_FOR_TYPE(std::uint8_t)
BITSIEVE_FOR_TYPE(std::uint16_t)
BITSIEVE_FOR_TYPE(std::uint32_t)
BITSIEVE_FOR_TYPE(std::uint64_t)

}  // namespace bitsieve
