// The counting loops for x86-64 with AVX2: bits are counted by a table of sixteen nibbles in a register.
#if defined(__x86_64__)

#include <immintrin.h>

#include "count/kernels/counting_kernel.hpp"
#include "count/kernels/scratch.hpp"
#include "count/kernels/target.hpp"
#include "count/kernels/vector_address.hpp"

namespace bitsieve {
namespace avx2 {
namespace {

BITSIEVE_BEGIN_TARGET(BITSIEVE_AVX2)

inline __m256i popcount(__m256i x) {
    const __m256i nibble = _mm256_set1_epi8(0x0f);
    const __m256i bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                          0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_shuffle_epi8(bits, _mm256_and_si256(x, nibble));
    const __m256i high = _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble));
    return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}

struct U64x8 {
    __m256i low, high;

    static U64x8 zero() { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }
    static U64x8 broadcast(std::uint64_t x) {
        const __m256i v = _mm256_set1_epi64x(static_cast<long long>(x));
        return {v, v};
    }
    static U64x8 load(const std::uint64_t* p) {
        return {_mm256_loadu_si256(as_m256i(p)), _mm256_loadu_si256(as_m256i(p + 4))};
    }
    static U64x8 widen(const std::uint32_t* p) {
        return {_mm256_cvtepu32_epi64(_mm_loadu_si128(as_m128i(p))),
                _mm256_cvtepu32_epi64(_mm_loadu_si128(as_m128i(p + 4)))};
    }
    void store(std::uint64_t* p) const {
        _mm256_storeu_si256(as_m256i(p), low);
        _mm256_storeu_si256(as_m256i(p + 4), high);
    }
    static U64x8 add(const U64x8& a, const U64x8& b) {
        return {_mm256_add_epi64(a.low, b.low), _mm256_add_epi64(a.high, b.high)};
    }
    static U64x8 subtract(const U64x8& a, const U64x8& b) {
        return {_mm256_sub_epi64(a.low, b.low), _mm256_sub_epi64(a.high, b.high)};
    }
    static U64x8 add_popcount_and(const U64x8& sum, const U64x8& a, const U64x8& b) {
        return {_mm256_add_epi64(sum.low, popcount(_mm256_and_si256(a.low, b.low))),
                _mm256_add_epi64(sum.high, popcount(_mm256_and_si256(a.high, b.high)))};
    }
    static U64x8 shift_left(const U64x8& a, int bits) {
        const __m128i n = _mm_cvtsi32_si128(bits);
        return {_mm256_sll_epi64(a.low, n), _mm256_sll_epi64(a.high, n)};
    }
    static U64x8 shift_right(const U64x8& a, int bits) {
        const __m128i n = _mm_cvtsi32_si128(bits);
        return {_mm256_srl_epi64(a.low, n), _mm256_srl_epi64(a.high, n)};
    }
    static U64x8 shift_each(const U64x8& a, const U64x8& bits) {
        return {_mm256_sllv_epi64(a.low, bits.low), _mm256_sllv_epi64(a.high, bits.high)};
    }
    static U64x8 bit_and(const U64x8& a, const U64x8& b) {
        return {_mm256_and_si256(a.low, b.low), _mm256_and_si256(a.high, b.high)};
    }
    static U64x8 bit_xor(const U64x8& a, const U64x8& b) {
        return {_mm256_xor_si256(a.low, b.low), _mm256_xor_si256(a.high, b.high)};
    }
    static U64x8 widen_bytes(const std::uint8_t* p) {
        return {_mm256_cvtepu8_epi64(_mm_loadu_si32(p)), _mm256_cvtepu8_epi64(_mm_loadu_si32(p + 4))};
    }
    static U64x8 add_where_equal(const U64x8& sum, const U64x8& a, const U64x8& b, const U64x8& increment) {
        return add(sum, {_mm256_and_si256(_mm256_cmpeq_epi64(a.low, b.low), increment.low),
                         _mm256_and_si256(_mm256_cmpeq_epi64(a.high, b.high), increment.high)});
    }
    void store_quotient(double one_bit, double* out) const {
        alignas(32) std::uint64_t c[kLanes];
        store(c);
        for (int i = 0; i < kLanes; ++i) out[i] = double(std::int64_t(c[i])) / one_bit;
    }
};

constexpr int kTileRows = 2;
constexpr int kTileColumns = 2;
constexpr std::int64_t kCarriedWords = 24;
constexpr int kGroupsOfWeights = 1;

// The weights of a quad of samples, for weighted_loop.inl.hpp. They are not looked up: no register holds the sums of
// all subsets of a quad.
template <int kColumns>
inline __attribute__((always_inline)) void add_quad(const std::uint8_t* rows, const WeightedBuckets& buckets,
                                                    std::int64_t quad, int first_column, U64x8* sum) {
    const std::uint32_t* samples = buckets.sample + quad * kQuadSamples;
    const std::uint64_t* weights = buckets.weight + quad * kQuadSamples;
    for (int i = 0; i < kQuadSamples; ++i) {
        const U64x8 codes = U64x8::widen_bytes(rows + std::int64_t(samples[i]) * kLanes);
        const U64x8 weight = U64x8::broadcast(weights[i]);
        for (int c = 0; c < kColumns; ++c) {
            const U64x8 code = U64x8::broadcast(kCounterBits * std::uint64_t(first_column + c));
            sum[c] = U64x8::add_where_equal(sum[c], codes, code, weight);
        }
    }
}

// In this order: each uses those before it.
// clang-format off
#include "count/kernels/pair_loop.inl.hpp"
#include "count/kernels/triple_loop.inl.hpp"
#include "count/kernels/packed_counters_loop.inl.hpp"
#include "count/kernels/weighted_loop.inl.hpp"
// clang-format on

std::uint64_t plane_masks(const std::uint8_t* codes, int n_planes, bool add, std::uint64_t* out) {
    const __m256i first = _mm256_loadu_si256(as_m256i(codes));
    const __m256i second = _mm256_loadu_si256(as_m256i(codes + 32));
    const auto mask = [](__m256i low, __m256i high) {
        return (std::uint64_t(std::uint32_t(_mm256_movemask_epi8(high))) << 32) |
               std::uint32_t(_mm256_movemask_epi8(low));
    };
    for (int plane = 0; plane < n_planes; ++plane) {
        const __m256i code = _mm256_set1_epi8(char(plane));
        out[plane * kLanes] =
            mask(_mm256_cmpeq_epi8(first, code), _mm256_cmpeq_epi8(second, code)) | (add ? out[plane * kLanes] : 0);
    }
    const __m256i largest = _mm256_set1_epi8(char(n_planes));
    return ~mask(_mm256_cmpeq_epi8(_mm256_max_epu8(first, largest), largest),
                 _mm256_cmpeq_epi8(_mm256_max_epu8(second, largest), largest));
}

BITSIEVE_END_TARGET

// The costs were measured by benchmarks/kernel_costs.py on an AMD EPYC and an Intel Xeon (benchmarks/README.md), and
// lie between the two.
constexpr CountingKernel make_kernel() {
    CountingKernel kernel{};
    kernel.pair_sums = pair_sums;
    kernel.strata_sums = strata_sums;
    kernel.pair_cells = pair_cells;
    kernel.triple_sums = triple_sums;
    kernel.counter_sums = counter_sums;
    kernel.weighted_sums = weighted_sums;
    kernel.tile_values = tile_values;
    kernel.plane_masks = plane_masks;
    kernel.plane_margins = plane_margins;
    kernel.cost.pair_word = 0.24;
    kernel.cost.pair_term = 0.41;
    kernel.cost.counter_sample = 0.125;
    kernel.cost.counter_row = 1.4;
    return kernel;
}

}  // namespace

const CountingKernel kCounting = make_kernel();

}  // namespace avx2
}  // namespace bitsieve

#endif
