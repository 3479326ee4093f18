// The numbers of a column and the classes of their rows, as keys: integers that hold both.
//
// Sorted keys are the column in ascending order, with the class of each row at hand, where numbers that are sorted class
// by class have to be merged. The lowest bit of a key is the class. It takes the place of the sign: the keys of negative
// numbers are never among those of others.
//
// A column is divided into pieces, ranges of numbers that are sorted each for itself, by several threads or in a cache.
#pragma once

#include <cstdint>
#include <vector>

#include "encode/sorting.hpp"

namespace bitsieve {

inline std::uint64_t classed_key(double value, bool is_event) { return key_of(value) << 1 | std::uint64_t(is_event); }

inline bool is_event_of(std::uint64_t key) { return key & 1; }

inline bool is_same_number(std::uint64_t key, std::uint64_t other) { return key >> 1 == other >> 1; }

inline double number_of(std::uint64_t key, bool is_negative) {
    return value_of(key >> 1 | std::uint64_t(!is_negative) << 63);
}

// A column of numbers and the class of each row. Rows that are not included have any number.
struct ClassedColumn {
    const double* values;
    const bool* is_event;
    const bool* is_included;
    const std::int64_t* weights;  // null: none
    std::int64_t n_rows;
};

// The limits ascend. A number reaches those that are not above it, and piece p has the numbers that reach p limits.
struct PieceLimits {
    const double* limits;
    std::int64_t n;
};

// How many rows are included, and then how many of them reach each limit.
std::vector<std::int64_t> count_reaching(const ClassedColumn& column, const PieceLimits& limits);

// Where the keys of each piece are put. Rows that are not included are one piece more, the last.
struct Places {
    std::int64_t* next;       // by piece: the place of its next key; advanced with each key
    const std::int64_t* end;  // by piece: behind its last place
    std::uint64_t* keys;
    std::int64_t* weights;  // null: none
};

// Puts the key of each row to the next place of its piece. False if the places of a piece do not suffice.
bool place_keys(const ClassedColumn& column, const PieceLimits& limits, const Places& places);

}  // namespace bitsieve
