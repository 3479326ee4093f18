// Counts of cuts for x86-64 with AVX2; AVX-512 compares no more numbers in the same time.
#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "encode/encode.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace bitsieve {
namespace {

constexpr int kVectorBytes = 32;

#include "encode/code_by_cuts_loop.inl.hpp"

}  // namespace

const CutCounter kAvx2Cuts = {count_cuts<true>, count_cuts<false>, 128};

}  // namespace bitsieve

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
