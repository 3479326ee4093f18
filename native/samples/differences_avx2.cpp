// Differences between samples for x86-64 with AVX2.
#if defined(__x86_64__)

#include <vector>

#include "count/kernels/target.hpp"
#include "samples/differences.hpp"

namespace bitsieve {
namespace avx2 {
namespace {

BITSIEVE_BEGIN_TARGET(BITSIEVE_AVX2)

constexpr int kVectorBytes = 32, kPivots = 6, kVectors = 2;

#include "samples/differences_loop.inl.hpp"

BITSIEVE_END_TARGET

constexpr DifferenceKernel make_kernel() {
    DifferenceKernel kernel{};
    kernel.distances = distances;
    kernel.distance = distance;
    kernel.add_weighted = add_weighted;
    return kernel;
}

}  // namespace

const DifferenceKernel kDifferences = make_kernel();

}  // namespace avx2
}  // namespace bitsieve

#endif
