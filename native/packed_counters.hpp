// Counting pairs of features of at most ten codes by packed counters: ten counters of six bits in a 64-bit word.
//
// A sample of code b adds the word 1 << (6 b). Within a class the samples are put into buckets by the code of the pivot.
// The sum of the words of a bucket is a row of the contingency table: it counts all codes of the other feature at once,
// and a vector does so for eight features. A counter holds 63 samples at most; then the word is flushed, and its counts
// are carried to counters of 64 bits. The work grows with the number of samples, while that of bit planes grows with the
// product of the two arities and, for the entropy terms, with the number of classes.
#pragma once

#include <cstdint>

#include "kernel.hpp"

namespace bitsieve {

constexpr int kFieldBits = 6;
constexpr int kFields = 10;                       // counters of a word: codes 0 .. 9
constexpr std::int64_t kFieldMost = 63;           // samples that a counter holds
constexpr std::int64_t kBucketChunk = 2048;       // samples put into buckets at once: 16 KiB of a group's codes
constexpr std::uint64_t kEvenFields = 0x003f03f03f03f03fULL;  // every other counter, with room for 64 words' worth

}  // namespace bitsieve
