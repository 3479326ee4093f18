// The rows of a column in ascending order of its numbers, by radix.
//
// Numbers become 64-bit keys of the same order. Stable counting passes sort by the upper bits of what the keys of
// the column differ in, as many bits as its length makes worth while; the few keys that still stand together are then
// compared. The order of equal numbers is that of their rows where no more than kFewEqual stand together, else any.
// Cost: two to four passes; O(n log n) at worst. Few numbers that are spread evenly enough are put into as many buckets
// of one width, in one pass, and moved past their neighbours.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace bitsieve {

struct KeyedRow {
    std::uint64_t key;
    std::uint32_t row;
};

// Of -0.0 as of 0.0; not for NaN.
inline std::uint64_t key_of(double value) {
    value += 0.0;  // no negative zero
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits ^ (std::uint64_t(std::int64_t(bits) >> 63) | (std::uint64_t(1) << 63));
}

// Its inverse.
inline double value_of(std::uint64_t key) {
    const std::uint64_t bits = key ^ (std::uint64_t(std::int64_t(~key) >> 63) | (std::uint64_t(1) << 63));
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// For a few items, or items that are nearly sorted: each moves past those before it that are greater. Stable.
template <class T, class Less>
void insertion_sort(T* first, T* last, const Less& less) {
    for (T* i = first + 1; i < last; ++i) {
        const T item = *i;
        T* to = i;
        for (; to > first && less(item, to[-1]); --to) *to = to[-1];
        *to = item;
    }
}

// Sorts items by key; scratch is as long as the items afterwards.
void sort_by_key(std::vector<KeyedRow>& items, std::vector<KeyedRow>& scratch);

// The numbers of a column that are not NaN, in ascending order, each with label(i) of its row i in place of the row.
template <class T, class Label>
void sort_present(const T* values, std::int64_t n, const Label& label, std::vector<KeyedRow>& items,
                  std::vector<KeyedRow>& scratch) {
    items.resize(std::size_t(n));
    std::size_t n_present = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        items[n_present] = {key_of(double(values[i])), std::uint32_t(label(i))};
        n_present += values[i] == values[i];
    }
    items.resize(n_present);
    sort_by_key(items, scratch);
}

// The same with the rows.
template <class T>
void sort_present(const T* values, std::int64_t n, std::vector<KeyedRow>& items, std::vector<KeyedRow>& scratch) {
    sort_present(values, n, [](std::int64_t row) { return row; }, items, scratch);
}

// The rows class by class, those of a class in their order, and how many each class has. Throws std::invalid_argument
// where a class is not within 0 .. n_classes - 1. Cost: two passes over the classes.
struct ClassOrder {
    std::vector<std::uint32_t> rows;
    std::vector<std::int64_t> sizes;
};
ClassOrder class_order(const std::int32_t* classes, std::int64_t n_rows, std::int64_t n_classes);

}  // namespace bitsieve
