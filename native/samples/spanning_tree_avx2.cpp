// Spanning trees for x86-64 with AVX2.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <limits>

#include "count/kernels/target.hpp"
#include "samples/spanning_tree.hpp"

namespace bitsieve {
namespace avx2 {
namespace {

BITSIEVE_BEGIN_TARGET(BITSIEVE_AVX2)

struct Mask {
    __m256d low;
    __m256d high;

    unsigned bits() const { return unsigned(_mm256_movemask_pd(low) | _mm256_movemask_pd(high) << 4); }
    static Mask any(Mask a, Mask b) { return {_mm256_or_pd(a.low, b.low), _mm256_or_pd(a.high, b.high)}; }
    static Mask both(Mask a, Mask b) { return {_mm256_and_pd(a.low, b.low), _mm256_and_pd(a.high, b.high)}; }
};

struct F64x8 {
    __m256d low, high;

    static F64x8 load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
    static F64x8 broadcast(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
    void store(double* p) const {
        _mm256_storeu_pd(p, low);
        _mm256_storeu_pd(p + 4, high);
    }
    static F64x8 add(F64x8 a, F64x8 b) { return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)}; }
    static F64x8 subtract(F64x8 a, F64x8 b) { return {_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)}; }
    static F64x8 multiply(F64x8 a, F64x8 b) { return {_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)}; }
    static F64x8 min(F64x8 a, F64x8 b) { return {_mm256_min_pd(a.low, b.low), _mm256_min_pd(a.high, b.high)}; }
    static F64x8 max(F64x8 a, F64x8 b) { return {_mm256_max_pd(a.low, b.low), _mm256_max_pd(a.high, b.high)}; }
    static Mask less(F64x8 a, F64x8 b) {
        return {_mm256_cmp_pd(a.low, b.low, _CMP_LT_OQ), _mm256_cmp_pd(a.high, b.high, _CMP_LT_OQ)};
    }
    static Mask less_equal(F64x8 a, F64x8 b) {
        return {_mm256_cmp_pd(a.low, b.low, _CMP_LE_OQ), _mm256_cmp_pd(a.high, b.high, _CMP_LE_OQ)};
    }
    static Mask equal(F64x8 a, F64x8 b) {
        return {_mm256_cmp_pd(a.low, b.low, _CMP_EQ_OQ), _mm256_cmp_pd(a.high, b.high, _CMP_EQ_OQ)};
    }
    static F64x8 select(Mask m, F64x8 a, F64x8 b) {
        return {_mm256_blendv_pd(b.low, a.low, m.low), _mm256_blendv_pd(b.high, a.high, m.high)};
    }
    double least() const {
        const __m256d four = _mm256_min_pd(low, high);
        const __m128d two = _mm_min_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
        return _mm_cvtsd_f64(_mm_min_sd(two, _mm_unpackhi_pd(two, two)));
    }
    double greatest() const {
        const __m256d four = _mm256_max_pd(low, high);
        const __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
        return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
    }
};

#include "samples/spanning_tree_loop.inl.hpp"

BITSIEVE_END_TARGET

constexpr TreeKernel make_kernel() {
    TreeKernel kernel{};
    kernel.plane = prim<2>;
    kernel.space = prim<0>;
    return kernel;
}

}  // namespace

const TreeKernel kTrees = make_kernel();

}  // namespace avx2
}  // namespace bitsieve

#endif
