// Differences between samples for any processor.
#include <vector>

#include "samples/differences.hpp"

namespace bitsieve {
namespace {

constexpr int kVectorBytes = 16, kPivots = 4, kVectors = 2;

#include "samples/differences_loop.inl.hpp"

}  // namespace

const DifferenceKernel kPortableDifferences = {distances, distance, add_weighted};

}  // namespace bitsieve
