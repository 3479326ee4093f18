// Counting a pair of features of few codes by adding up shifted ones: the way for many samples or many small classes.
//
// A sample of code b stands for the word 1 << (6 b): ten counters of six bits. Within a class the samples are put into
// buckets by the pivot's code; the words of a bucket, added up, are a row of the table of the pair, for all codes of the
// other feature at once and, in a vector, for eight features. At most 63 samples go into a word before it is emptied.
// Against bit planes, whose work grows with the product of the two arities, this grows with the samples alone.
#pragma once

#include <cstdint>

#include "kernel.hpp"

namespace bitsieve {

constexpr int kFieldBits = 6;
constexpr int kFields = 10;                       // counters of a word: codes 0 .. 9
constexpr std::int64_t kFieldMost = 63;           // samples that a word takes
constexpr std::int64_t kBucketChunk = 2048;       // samples put into buckets at once: 16 KiB of a group's codes
constexpr std::uint64_t kEvenFields = 0x003f03f03f03f03fULL;  // every other counter, with room for 64 words' worth

}  // namespace bitsieve
