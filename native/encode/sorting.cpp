#include "encode/sorting.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bitsieve {

namespace {

constexpr std::size_t kFewItems = 24;  // sorted by comparisons alone
constexpr std::size_t kMaxInBuckets = 2048;
static_assert(kMaxInBuckets + 1 < 65536, "buckets are numbered by 16 bits");
constexpr double kMaxSpread = 1e300;   // of numbers in buckets
constexpr std::size_t kFewEqual = 32;  // sorted by insertion where their upper bits are the same

bool smaller(const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; }

// kPasses counting passes over kBits bits each, from the lower ones up to the top of (key - min_key) << shift.
template <int kBits, int kPasses>
void radix_passes(std::vector<KeyedRow>& items, std::vector<KeyedRow>& scratch, std::uint64_t min_key, int shift) {
    constexpr std::size_t kDigits = std::size_t(1) << kBits;
    std::uint32_t counts[kPasses][kDigits];
    std::memset(counts, 0, sizeof counts);
    const auto upper = [min_key, shift](std::uint64_t key) {
        return ((key - min_key) << shift) >> (64 - kBits * kPasses);
    };
    const std::size_t n = items.size();
    for (const KeyedRow& item : items) {
        const std::uint64_t bits = upper(item.key);
        for (int p = 0; p < kPasses; ++p) ++counts[p][(bits >> (kBits * p)) % kDigits];
    }
    for (int p = 0; p < kPasses; ++p) {
        std::uint32_t* start = counts[p];
        if (start[(upper(items[0].key) >> (kBits * p)) % kDigits] == n) continue;  // all alike
        std::uint32_t sum = 0;
        for (std::size_t d = 0; d < kDigits; ++d) {
            const std::uint32_t count = start[d];
            start[d] = sum;
            sum += count;
        }
        for (const KeyedRow& item : items) scratch[start[(upper(item.key) >> (kBits * p)) % kDigits]++] = item;
        items.swap(scratch);
    }
    for (std::size_t i = 1; i < n; ++i) {
        if (items[i - 1].key <= items[i].key) continue;
        const std::uint64_t bits = upper(items[i].key);  // what stands together by them
        std::size_t first = i - 1;
        while (first > 0 && upper(items[first - 1].key) == bits) --first;
        while (i < n && upper(items[i].key) == bits) ++i;
        if (i - first <= kFewEqual)
            insertion_sort(&items[first], &items[0] + i, smaller);
        else
            std::sort(&items[first], &items[0] + i, smaller);
    }
}

// Sorts by buckets of one width between the least and the most number; false, and nothing is done, where many share
// one.
bool sort_in_buckets(std::vector<KeyedRow>& items, std::vector<KeyedRow>& scratch, double min_value, double max_value) {
    const std::size_t n = items.size();
    const double scale = double(n) / (max_value - min_value);
    std::uint16_t bucket[kMaxInBuckets];
    std::uint16_t start[kMaxInBuckets + 2] = {};
    for (std::size_t i = 0; i < n; ++i) {
        bucket[i] = std::uint16_t((value_of(items[i].key) - min_value) * scale);  // never falls as the number rises
        ++start[bucket[i] + 1];
    }
    std::uint16_t fullest = 0;
    for (std::size_t b = 0; b <= n; ++b) {
        fullest = std::max(fullest, start[b + 1]);
        start[b + 1] = std::uint16_t(start[b + 1] + start[b]);
    }
    if (fullest > kFewEqual) return false;
    for (std::size_t i = 0; i < n; ++i) scratch[start[bucket[i]]++] = items[i];
    items.swap(scratch);
    insertion_sort(&items[0], &items[0] + n, smaller);
    return true;
}

}  // namespace

void sort_by_key(std::vector<KeyedRow>& items, std::vector<KeyedRow>& scratch) {
    const std::size_t n = items.size();
    if (n < 2) return;
    if (n <= kFewItems) return insertion_sort(&items[0], &items[0] + n, smaller);
    std::uint64_t min_key = items[0].key;
    std::uint64_t max_key = min_key;
    for (const KeyedRow& item : items) {
        min_key = std::min(min_key, item.key);
        max_key = std::max(max_key, item.key);
    }
    if (min_key == max_key) return;
    scratch.resize(n);
    const double min_value = value_of(min_key);
    const double max_value = value_of(max_key);
    if (n <= kMaxInBuckets && std::isfinite(double(n) / (max_value - min_value)) &&
        max_value - min_value < kMaxSpread && sort_in_buckets(items, scratch, min_value, max_value))
        return;
    const int shift = __builtin_clzll(max_key - min_key);
    if (n < 192)
        radix_passes<8, 2>(items, scratch, min_key, shift);
    else if (n < 8192)
        radix_passes<8, 3>(items, scratch, min_key, shift);
    else
        radix_passes<11, 3>(items, scratch, min_key, shift);
}

ClassOrder class_order(const std::int32_t* classes, std::int64_t n_rows, std::int64_t n_classes) {
    ClassOrder order{std::vector<std::uint32_t>(std::size_t(n_rows)),
                     std::vector<std::int64_t>(std::size_t(n_classes))};
    std::vector<std::int64_t> other(order.sizes);  // neighbours of one class do not wait for each other
    for (std::int64_t i = 0; i < n_rows; ++i) {
        if (classes[i] < 0 || classes[i] >= n_classes) throw std::invalid_argument("a class is out of range");
        ++(i % 2 ? other : order.sizes)[std::size_t(classes[i])];
    }
    std::vector<std::uint32_t*> end(other.size());
    std::uint32_t* next = order.rows.data();
    for (std::size_t c = 0; c < end.size(); ++c) {
        end[c] = next;
        next += order.sizes[c] += other[c];
    }
    for (std::int64_t i = 0; i < n_rows; ++i) *end[std::size_t(classes[i])]++ = std::uint32_t(i);
    return order;
}

}  // namespace bitsieve
