// Counts of cuts for x86-64 with AVX2; AVX-512 compares no more numbers in the same time.
#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "count/kernels/target.hpp"
#include "encode/encode.hpp"

namespace bitsieve {
namespace avx2 {
namespace {

BITSIEVE_BEGIN_TARGET(BITSIEVE_AVX2)

constexpr int kVectorBytes = 32;

#include "encode/code_by_cuts_loop.inl.hpp"

BITSIEVE_END_TARGET

constexpr CutCounter make_counter() {
    CutCounter counter{};
    counter.below = count_cuts<true>;
    counter.not_above = count_cuts<false>;
    counter.max_cuts = 128;  // measured on x86-64; the codes do not depend on it
    return counter;
}

}  // namespace

const CutCounter kCuts = make_counter();

}  // namespace avx2
}  // namespace bitsieve

#endif
