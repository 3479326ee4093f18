/* The rates of one core that bound what counting can reach: the bare loop of AND and popcount on data in the first-level
   cache, reading memory, and writing memory that is there already. Prints a JSON object; the best of several times. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__AVX512VPOPCNTDQ__) || defined(__AVX2__)
#include <immintrin.h>
#endif

enum { WORDS = 1024, PASSES = 100000, REPEATS = 7 };
static const size_t BYTES = (size_t)256 << 20;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Two words of a with two of b, as a kernel does that keeps words in registers: 4 ANDs of 4 loads. */
static uint64_t and_popcount(const uint64_t *a, const uint64_t *b) {
#if defined(__AVX512VPOPCNTDQ__)
    __m512i sum[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    for (int i = 0; i < WORDS; i += 16) {
        const __m512i x[2] = {_mm512_load_si512(a + i), _mm512_load_si512(a + i + 8)};
        const __m512i y[2] = {_mm512_load_si512(b + i), _mm512_load_si512(b + i + 8)};
        for (int u = 0; u < 4; u++)
            sum[u] = _mm512_add_epi64(sum[u], _mm512_popcnt_epi64(_mm512_and_si512(x[u / 2], y[u % 2])));
    }
    return (uint64_t)_mm512_reduce_add_epi64(
        _mm512_add_epi64(_mm512_add_epi64(sum[0], sum[1]), _mm512_add_epi64(sum[2], sum[3])));
#elif defined(__AVX2__)
    /* Bits are added in carries; of eight vectors the one that holds eights is counted, half bytes by a register. */
    const __m256i low = _mm256_set1_epi8(15), table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    __m256i sum = _mm256_setzero_si256(), sums[3] = {sum, sum, sum}; /* bits of ones, twos, fours */
    for (int i = 0; i < WORDS; i += 16) {
        __m256i v[8];
        for (int u = 0; u < 8; u++) { /* two groups of 2 x 2 */
            const int h = i + 8 * (u / 4);
            v[u] = _mm256_and_si256(_mm256_load_si256((const __m256i *)(a + h + 4 * (u / 2 % 2))),
                                    _mm256_load_si256((const __m256i *)(b + h + 4 * (u % 2))));
        }
        for (int level = 0, n = 8; level < 3; level++, n /= 2)
            for (int u = 0; u < n; u += 2) {
                const __m256i either = _mm256_xor_si256(sums[level], v[u]), both = _mm256_and_si256(sums[level], v[u]);
                sums[level] = _mm256_xor_si256(either, v[u + 1]);
                v[u / 2] = _mm256_xor_si256(both, _mm256_and_si256(either, v[u + 1]));
            }
        const __m256i bytes = _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v[0], low)),
            _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v[0], 4), low)));
        sum = _mm256_add_epi64(sum, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
    }
    for (int level = 0; level < 3; level++) sum = _mm256_add_epi64(sum, sums[level]); /* so that none is left out */
    uint64_t parts[4];
    _mm256_storeu_si256((__m256i *)parts, sum);
    return parts[0] + parts[1] + parts[2] + parts[3];
#else
    uint64_t sum = 0;
    for (int i = 0; i < WORDS; i += 2)
        for (int u = 0; u < 4; u++) sum += (uint64_t)__builtin_popcountll(a[i + u / 2] & b[i + u % 2]);
    return sum;
#endif
}

int main(void) {
    static uint64_t a[WORDS] __attribute__((aligned(64))), b[WORDS] __attribute__((aligned(64)));
    uint64_t *large = malloc(BYTES), check = 0;
    double counting = 1e9, reading = 1e9, writing = 1e9;
    if (!large) return 1;
    memset(large, 1, BYTES);
    for (int i = 0; i < WORDS; i++) a[i] = 0x9E3779B97F4A7C15u * (uint64_t)(i + 1), b[i] = ~a[i] >> 3;
    for (int r = 0; r < REPEATS; r++) {
        double start = now();
        for (int p = 0; p < PASSES; p++) {
            check += and_popcount(a, b);
            __asm__ volatile("" ::: "memory"); /* the compiler must not take the sum out of the loop */
        }
        double counted = now();
        for (size_t i = 0; i < BYTES / 8; i++) check += large[i];
        double read = now();
        memset(large, r, BYTES);
        __asm__ volatile("" : : "r"(large) : "memory");
        double written = now();
        if (counted - start < counting) counting = counted - start;
        if (read - counted < reading) reading = read - counted;
        if (written - read < writing) writing = written - read;
    }
    fprintf(stderr, "%llu\n", (unsigned long long)check);
    printf("{\"and_popcount_gbit_s\": %.4g, \"read_gb_s\": %.4g, \"write_gb_s\": %.4g}\n",
           128.0 * WORDS * PASSES / counting / 1e9, BYTES / reading / 1e9, BYTES / writing / 1e9);
    return 0;
}
