// Spanning trees for x86-64 with AVX-512.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <limits>

#include "count/kernels/target.hpp"
#include "samples/spanning_tree.hpp"

namespace bitsieve {
namespace avx512 {
namespace {

BITSIEVE_BEGIN_TARGET(BITSIEVE_AVX512)

struct Mask {
    __mmask8 m;

    unsigned bits() const { return m; }
    static Mask any(Mask a, Mask b) { return {__mmask8(a.m | b.m)}; }
    static Mask both(Mask a, Mask b) { return {__mmask8(a.m & b.m)}; }
};

struct F64x8 {
    __m512d v;

    static F64x8 load(const double* p) { return {_mm512_loadu_pd(p)}; }
    static F64x8 broadcast(double x) { return {_mm512_set1_pd(x)}; }
    void store(double* p) const { _mm512_storeu_pd(p, v); }
    static F64x8 add(F64x8 a, F64x8 b) { return {_mm512_add_pd(a.v, b.v)}; }
    static F64x8 subtract(F64x8 a, F64x8 b) { return {_mm512_sub_pd(a.v, b.v)}; }
    static F64x8 multiply(F64x8 a, F64x8 b) { return {_mm512_mul_pd(a.v, b.v)}; }
    static F64x8 min(F64x8 a, F64x8 b) { return {_mm512_min_pd(a.v, b.v)}; }
    static F64x8 max(F64x8 a, F64x8 b) { return {_mm512_max_pd(a.v, b.v)}; }
    static Mask less(F64x8 a, F64x8 b) { return {_mm512_cmp_pd_mask(a.v, b.v, _CMP_LT_OQ)}; }
    static Mask less_equal(F64x8 a, F64x8 b) { return {_mm512_cmp_pd_mask(a.v, b.v, _CMP_LE_OQ)}; }
    static Mask equal(F64x8 a, F64x8 b) { return {_mm512_cmp_pd_mask(a.v, b.v, _CMP_EQ_OQ)}; }
    static F64x8 select(Mask m, F64x8 a, F64x8 b) { return {_mm512_mask_blend_pd(m.m, b.v, a.v)}; }
    double least() const { return _mm512_reduce_min_pd(v); }
    double greatest() const { return _mm512_reduce_max_pd(v); }
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

}  // namespace avx512
}  // namespace bitsieve

#endif
