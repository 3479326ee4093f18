// Differences between samples for x86-64 with AVX-512.
#if defined(__x86_64__)

#include <vector>

#include "samples/differences.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq")
#endif

namespace bitsieve {
namespace {

constexpr int kVectorBytes = 64, kPivots = 6, kVectors = 4;

#include "samples/differences_loop.inl.hpp"

}  // namespace

const DifferenceKernel kAvx512Differences = {distances, distance, add_weighted};

}  // namespace bitsieve

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
