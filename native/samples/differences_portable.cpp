// Differences between samples for any processor.
#include <vector>

#include "samples/differences.hpp"

namespace bitsieve {
namespace portable {
namespace {

constexpr int kVectorBytes = 16, kPivots = 4, kVectors = 2;

#include "samples/differences_loop.inl.hpp"

constexpr DifferenceKernel make_kernel() {
    DifferenceKernel kernel{};
    kernel.distances = distances;
    kernel.distance = distance;
    kernel.add_weighted = add_weighted;
    return kernel;
}

}  // namespace

const DifferenceKernel kDifferences = make_kernel();

}  // namespace portable
}  // namespace bitsieve
