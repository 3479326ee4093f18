// The distinct whole numbers of columns, and codes by them; see encode.hpp.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "encode/encode.hpp"

namespace bitsieve {

namespace {

// How far a number is above `low`; kMaxTableSpan or more if it is below `low` or beyond the largest span of a table.
template <class T>
std::size_t offset_of(T value, typename WidenFloat<T>::type low) {
    if constexpr (kFloats<T>) {
        const double offset = double(value) - low;  // exact where it is small
        return offset >= 0 && offset < double(kMaxTableSpan) ? std::size_t(offset) : std::size_t(kMaxTableSpan);
    } else {
        return std::size_t(std::uint64_t(value) - std::uint64_t(low));  // wraps, and back
    }
}

// high - low + 1 if that is kMaxTableSpan at most, else 0.
template <class Number>
std::size_t dense_span(Number low, Number high) {
    if (high < low) return 0;
    if constexpr (kFloats<Number>) {
        const double span = high - low + 1;
        return span <= double(kMaxTableSpan) ? std::size_t(span) : 0;
    } else {
        const std::uint64_t last_offset = std::uint64_t(high) - std::uint64_t(low);
        return last_offset < std::uint64_t(kMaxTableSpan) ? std::size_t(last_offset) + 1 : 0;
    }
}

template <class Number>
Number at_offset(Number low, std::size_t offset) {
    if constexpr (kFloats<Number>)
        return low + double(offset);
    else
        return Number(std::uint64_t(low) + offset);
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
        if (numbers_.size() > 2 * n_distinct_ + kMaxTableSpan) drop_repeats();
    }

    const std::vector<Number>& sorted() {
        drop_repeats();
        return numbers_;
    }

private:
    [[gnu::noinline]] void drop_repeats() {
        std::sort(numbers_.begin(), numbers_.end());
        numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
        n_distinct_ = numbers_.size();
    }

    std::vector<Number> numbers_;
    std::size_t n_distinct_ = 0;
};

// The distinct numbers of columns whose extents are known: columns of a small span by marks in a table, others by lists.
// Long functions are not inlined (gnu::noinline), so that they are compiled once for a type, not once for each caller.
template <class Number>
struct DistinctNumbers {
    [[gnu::noinline]] DistinctNumbers(const Number* lows, const Number* highs, std::size_t n)
        : low(lows), high(highs), begin(n + 1, 0), n_unseen(n), spread(n) {
        for (std::size_t j = 0; j < n; ++j) {
            n_unseen[j] = dense_span(low[j], high[j]);
            begin[j + 1] = begin[j] + n_unseen[j];
        }
        seen.assign(begin[n], 0);
    }

    bool is_spread(std::size_t j) const { return begin[j] == begin[j + 1] && low[j] <= high[j]; }

    [[gnu::noinline]] Ragged<Number> sorted() {
        Ragged<Number> distinct_numbers;
        distinct_numbers.ends.reserve(n_unseen.size());
        for (std::size_t j = 0; j < n_unseen.size(); ++j) {
            if (is_spread(j)) {
                const std::vector<Number>& numbers = spread[j].sorted();
                distinct_numbers.values.insert(distinct_numbers.values.end(), numbers.begin(), numbers.end());
                spread[j] = {};
            }
            for (std::size_t mark = begin[j]; mark < begin[j + 1]; ++mark)
                if (seen[mark]) distinct_numbers.values.push_back(at_offset(low[j], mark - begin[j]));
            distinct_numbers.ends.push_back(std::int64_t(distinct_numbers.values.size()));
        }
        return distinct_numbers;
    }

    const Number *low, *high;
    std::vector<std::size_t> begin;     // where the marks of each column begin in `seen`
    std::vector<std::size_t> n_unseen;  // numbers of the span that have not occurred yet
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
        [&](std::int64_t j) { return numbers.n_unseen[std::size_t(j)] > 0 || numbers.is_spread(std::size_t(j)); },
        [&](std::int64_t j, std::int64_t, const T* values, std::int64_t count) {
            const std::size_t column = std::size_t(j);
            const std::size_t span = numbers.begin[column + 1] - numbers.begin[column];
            if (span == 0) return numbers.spread[column].add(values, count);
            const Number lowest = low[j];
            std::uint8_t* seen = numbers.seen.data() + numbers.begin[column];
            std::size_t n_new = 0;
            if constexpr (sizeof(T) == 1) {
                if (span <= kFewBytes) {  // bytes are searched for many at a time, and most are met at once
                    for (std::size_t offset = 0; offset < span; ++offset) {
                        if (seen[offset]) continue;
                        const auto byte = std::uint8_t(at_offset(lowest, offset));
                        if (!std::memchr(values, byte, std::size_t(count))) continue;
                        seen[offset] = 1;
                        ++n_new;
                    }
                    numbers.n_unseen[column] -= n_new;
                    return;
                }
            }
            for (std::int64_t i = 0; i < count; ++i) {
                const std::size_t offset = offset_of<T>(values[i], lowest);
                if (offset >= span) continue;
                n_new += 1 - seen[offset];
                seen[offset] = 1;
            }
            numbers.n_unseen[column] -= n_new;
        });
    return numbers.sorted();
}

namespace {

// The categories of one column, to be looked up.
class CategoryLookup {
public:
    [[gnu::noinline]] void take(const Categories& categories, std::int64_t j) {
        numbers_ = categories.numbers + (j ? categories.ends[j - 1] : 0);
        size_ = std::size_t(categories.ends[j] - (j ? categories.ends[j - 1] : 0));
        order_ = categories.are_unsigned ? 0 : std::uint64_t(1) << 63;
        code_.clear();
        if (size_ == 0) return;
        low_ = std::uint64_t(numbers_[0]);
        const std::uint64_t beyond = std::uint64_t(numbers_[size_ - 1]) - low_;
        if (beyond >= std::uint64_t(kMaxTableSpan)) return;
        code_.assign(std::size_t(beyond) + 1, -1);
        for (std::size_t c = 0; c < size_; ++c) {
            const std::size_t at = std::size_t(std::uint64_t(numbers_[c]) - low_);  // wraps, and back
            if (at < code_.size()) code_[at] = std::int32_t(c);
        }
    }

    bool has_table() const { return !code_.empty() || size_ == 0; }

    // Codes of whole numbers where the categories are k, k + 1, ...: false where one of them is none, and `to` has no
    // meaning.
    template <class T, class Code>
    bool subtract(const T* values, std::int64_t count, Code* to) const {
        using Bits = std::make_unsigned_t<T>;
        if (code_.size() != size_ || size_ == 0 || !type_holds_all<T>()) return false;
        const Bits low = Bits(low_);
        Bits seen = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const Bits code = Bits(Bits(values[i]) - low);  // wraps below the first category, and is then too large
            seen |= code;
            to[i] = Code(code);
        }
        if (std::uint64_t(seen) > std::uint64_t(Code(~Code(0)))) return false;
        return std::size_t(*std::max_element(to, to + count)) < size_;
    }

    // The code of a number, given by its bits, by the table; -1: it is none of the categories.
    std::int32_t look_up(std::uint64_t number) const {
        const std::size_t offset = std::size_t(number - low_);
        return offset < code_.size() ? code_[offset] : -1;
    }

    // The same by binary search.
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
        const std::int64_t smallest = numbers_[0];
        const std::int64_t largest = numbers_[size_ - 1];
        if (order_ == 0 && largest < 0) return sizeof(T) == 8 && std::is_unsigned_v<T>;  // by its bits, beyond int64
        if (smallest < 0 && (std::is_unsigned_v<T> || smallest < std::int64_t(std::numeric_limits<T>::min())))
            return false;
        return largest < 0 || std::uint64_t(largest) <= std::uint64_t(std::numeric_limits<T>::max());
    }

    const std::int64_t* numbers_ = nullptr;
    std::size_t size_ = 0;
    std::uint64_t low_ = 0, order_ = 0;  // bits that differ from their order as unsigned numbers
    std::vector<std::int32_t> code_;     // by how far a number is above low_; -1: no category
};

}  // namespace

template <class T, class Code>
void code_categories(const Columns& table, const Categories& categories, const std::int64_t* missing_code,
                     const std::int64_t* out_column, Code* out, std::uint8_t* complete) {
    constexpr std::size_t kLookups = std::size_t(kMaxTileColumns);  // of the columns that take turns, tile by tile
    std::vector<CategoryLookup> lookups(kLookups);
    std::vector<std::int64_t> column_of_lookup(kLookups, -1);
    // Whether all numbers of one sign bit are beyond the categories: 64 bits hold either negative or large numbers.
    constexpr bool kUnsigned64 = std::is_same_v<T, std::uint64_t>;
    const bool no_sign = categories.are_unsigned != kUnsigned64;
    std::fill(complete, complete + table.size(), std::uint8_t(1));
    for_each_tile<T>(table, kMaxTileRows, [&](std::int64_t j, std::int64_t row, const T* values, std::int64_t count) {
        CategoryLookup& lookup = lookups[std::size_t(j) % kLookups];
        if (std::exchange(column_of_lookup[std::size_t(j) % kLookups], j) != j) lookup.take(categories, j);
        Code* to = out + out_column[j] * table.n_rows + row;
        if constexpr (!kFloats<T>)
            if (lookup.subtract(values, count, to)) return;
        std::int32_t all_codes = 0;  // the codes, combined by OR: negative if one of them is -1
        const auto code_all = [&](const auto& code_of) {
            for (std::int64_t i = 0; i < count; ++i) {
                if constexpr (kFloats<T>) {
                    if (values[i] != values[i]) {
                        to[i] = Code(missing_code[j]);
                        continue;
                    }
                    if (is_fraction(double(values[i]))) {
                        all_codes = -1;
                        continue;
                    }
                }
                const std::uint64_t number = std::uint64_t(std::int64_t(values[i]));
                std::int32_t c = code_of(number);
                if (no_sign && number >> 63) c = -1;
                all_codes |= c;
                to[i] = Code(c);
            }
        };
        if (lookup.has_table())
            code_all([&](std::uint64_t number) { return lookup.look_up(number); });
        else
            code_all([&](std::uint64_t number) { return lookup.search(number); });
        if (all_codes < 0) complete[j] = 0;
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

}  // namespace bitsieve
