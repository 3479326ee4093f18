// Shuffles of classes within parts of the samples, by random keys: the sample that is the k-th of its part in the list
// of the parts gets the class of the one whose key is the k-th smallest of the part; of equal keys, that which stands
// first in the list has the smaller rank.
//
// Keys are uniform in [0, 1), so that each is placed by its value near to its rank, and an insertion sort moves it on by
// one or two places: O(n) expected time of n samples for each shuffle. Scratch memory: 8 bytes a sample, and 20 a sample
// of the largest part.
#pragma once

#include "encode/dependence.hpp"

namespace bitsieve {

// shuffles[s * n_rows + i] is the class of sample i after shuffle s, whose keys are those of seeds[s] (random_keys.hpp).
void shuffle_classes(const std::int32_t* classes, std::int64_t n_rows, const Parts& parts, const std::uint64_t* seeds,
                     std::int64_t n_shuffles, std::int32_t* shuffles);

}  // namespace bitsieve
