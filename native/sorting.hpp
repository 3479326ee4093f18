// The rows of a column in ascending order of its numbers, by radix.
//
// Numbers become 64-bit keys of the same order. Stable counting passes sort by the upper bits of what the keys of
// the column differ in, as many bits as its length makes worth while; the few keys that still stand together are then
// compared. The order of equal numbers is that of their rows where no more than kFewEqual stand together, else any.
// Cost: two to four passes; O(n log n) at worst.
#pragma once

#include <cstdint>
#include <vector>

namespace bitsieve {

struct Item {
    std::uint64_t key;
    std::uint32_t row;
};

std::uint64_t key_of(double value);    // of -0.0 as of 0.0; not for NaN
double value_of(std::uint64_t key);    // its inverse

// Sorts items by key; scratch is as long as the items afterwards.
void sort_items(std::vector<Item>& items, std::vector<Item>& scratch);

}  // namespace bitsieve
