// Differences between samples for x86-64 with AVX-512.
#if defined(__x86_64__)

#include <vector>

#include "count/kernels/target.hpp"
#include "samples/differences.hpp"

namespace bitsieve {
namespace avx512 {
namespace {

BITSIEVE_BEGIN_TARGET(BITSIEVE_AVX512)

constexpr int kVectorBytes = 64, kPivots = 6, kVectors = 4;

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

}  // namespace avx512
}  // namespace bitsieve

#endif
