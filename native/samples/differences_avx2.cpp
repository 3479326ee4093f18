// Differences between samples for x86-64 with AVX2.
#if defined(__x86_64__)

#include <vector>

#include "samples/differences.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace bitsieve {
namespace {

constexpr int kVectorBytes = 32, kPivots = 6, kVectors = 2;

#include "samples/differences_loop.inl.hpp"

}  // namespace

const DifferenceKernel kAvx2Differences = {distances, distance, add_weighted};

}  // namespace bitsieve

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
