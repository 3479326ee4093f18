// Sums of logarithms of likelihoods mixed over the classes: what one step of variational information maximisation asks
// of every candidate feature. With weights w(n,c), the likelihoods of the chosen features relative to the greatest of
// sample n, the sum of a candidate is
//
//     sum_n log2 sum_c w(n,c) q(n,c).
//
// Naive decomposition: q = p(x|c), looked up by the candidate's code. Pairwise: q = 2^(S(n,c) / m), S being the sum of
// log2 p(x|x_i,c) over the m chosen features. Samples come in blocks of eight, one to a lane. A sum over the classes
// runs in their order. The logarithm is taken once a candidate, of the product of all samples' sums, whose exponents
// are counted apart from its mantissa. No product is fused with a sum and no libm is called, so every instruction set
// and every split into blocks gives the same bits.
//
// Numerical limits: weights under 2^-70 count as 0. A sum under 2^-20, where such weights might matter, is computed
// anew from logarithms, so that nothing underflows however many features are chosen. 2^x has a relative error of 4e-14,
// log2 of some units in the last place.
//
// All sums exist in float32 too, at a third of the cost and half the memory. Those find the few candidates that might
// have the greatest bound; float64 then decides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace bitsieve {

// Coefficients of 2^x = 2^k (1 + r P(r)), k being the nearest integer to x and r = x - k in [-1/2, 1/2]. P interpolates
// (2^r - 1) / r in the Chebyshev nodes; the relative error is 4e-14, and 0 where x is an integer.

constexpr double kExp2Terms[9] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff823cedp-3,  0x1.c6b08d7047e52p-5,
                                  0x1.3b2ab7181b757p-7,  0x1.5d87fe86fe94fp-10, 0x1.4308ac85aa619p-13,
                                  0x1.ffcb951571ee6p-17, 0x1.63d136368c2c2p-20, 0x1.b63880e40fdeep-24};
constexpr double kToInteger = 0x1.8p52;  // added to a double, it leaves the nearest integer in the low bits

// The same in float32, with a relative error of 2e-7.
constexpr float kExp2TermsFloat32[5] = {0x1.62e43p-1f, 0x1.ebfa4cp-3f, 0x1.c6afeep-5f, 0x1.3cbf6p-7f, 0x1.5ec866p-10f};
constexpr float kToIntegerFloat32 = 0x1.8p23f;

constexpr std::uint8_t kNoKey = 255;
constexpr std::int64_t kKeyRoom = 32;  // behind the keys: what count_keys takes at once, at most
constexpr std::int64_t kMaxTableCells = (std::int64_t(1) << 31) - 1;  // of one class: the loops number cells by 32 bits
constexpr double kTinySum = 0x1p-20;
constexpr double kMinExponent = -1000.0;
constexpr float kMinExponentFloat32 = -120.0f;

// The samples of a step in blocks of eight, the lanes beyond the last sample with weight 0:
// weights[(block * n_classes + c) * 8 + lane]; active[start[block] .. start[block + 1]) are the classes of which some
// lane has weight, ascending.
template <class Real>
struct Weighted {
    std::int64_t n_samples, n_classes;
    const Real* weights;
    const double* log_weights;
    const std::int32_t* start;
    const std::int32_t* active;

    std::int64_t n_blocks() const { return (n_samples + 7) / 8; }
    double log_weight(std::int64_t block, std::int64_t c, int lane) const {
        return log_weights[(block * n_classes + c) * 8 + lane];
    }
};

// The codes of one feature, of one byte or two. Which of them is asked at every block: a type of its own for each would
// double the loops and gain nothing measurable.
struct Codes {
    const void* first;
    bool is_16_bit;

    std::uint16_t operator[](std::int64_t t) const {
        return is_16_bit ? static_cast<const std::uint16_t*>(first)[t] : static_cast<const std::uint8_t*>(first)[t];
    }
    void copy(std::int64_t n, std::uint16_t* to) const {
        is_16_bit ? std::copy_n(static_cast<const std::uint16_t*>(first), n, to)
                  : std::copy_n(static_cast<const std::uint8_t*>(first), n, to);
    }
};

// Codes by feature, each column padded with code 0 to whole blocks.
struct CodeColumns {
    Codes codes;
    std::int64_t rows;
    const std::int32_t* arities;

    Codes column(std::int64_t f) const {
        return {static_cast<const char*>(codes.first) + f * rows * (codes.is_16_bit ? 2 : 1), codes.is_16_bit};
    }
    std::int64_t max_code(std::int64_t f) const;
};

// Tables of features given one chosen feature, or none: cells[offset[f] + c * table_stride(...) + code of the chosen
// feature * arity of f + code of f].
template <class Real>
struct Tables {
    const Real* cells;
    const std::int64_t* offset;
    std::int64_t chosen;  // -1: none
};

// Numbers from the table of one class to that of the next: small tables fill registers of 32 bytes.
template <class Real>
std::int64_t table_stride(std::int64_t cells) {
    if (sizeof(Real) == 4) return cells <= 8 ? 8 : cells <= 16 ? 16 : cells <= 32 ? 32 : cells;
    return cells <= 4 ? 4 : cells <= 8 ? 8 : cells <= 12 ? 12 : cells;
}

// S(n,c) of the candidates in the pairwise decomposition: the kept values plus the tables of features that are not in
// them yet.
template <class Real>
struct PairwiseState {
    Real exponent;                      // 1 / m
    std::vector<Tables<Real>> pending;  // features that the values do not hold yet
    Real* values;                       // of feature f from f * row on, laid out as the weights; null: none are kept
    std::int64_t row;
    bool store;  // whether the values take in the pending features
};

// Which candidates, and where their sums go.
struct Candidates {
    const std::int64_t* features;
    std::int64_t count;
    double* sums;
};

// The loops compiled for one instruction set. All of them: no libm, no fused product, so every set gives the same bits
// (tests/native/variational_test.cpp); tables of at most kMaxTableCells, checked at the binding.
struct VariationalKernel {
    // naive: candidates.sums[i] = sum_n log2 sum_c w(n,c) p(x|c) of each candidate, from its table without a condition.
    //   needs tables padded to table_stride cells a class; codes below the arity; weights zero beyond the last sample
    //   cost  samples * classes that have weight in a block of eight
    void (*naive)(const Weighted<double>&, const CodeColumns&, const Tables<double>&, const Candidates&);
    void (*naive_float32)(const Weighted<float>&, const CodeColumns&, const Tables<float>&, const Candidates&);

    // pairwise: candidates.sums[i] = sum_n log2 sum_c w(n,c) 2^(S(n,c) exponent), S from the state and pending
    // features.
    //   needs as naive, and a table given each pending feature
    //   cost  samples * classes with weight (all, where the state is stored) * pending features
    void (*pairwise)(const Weighted<double>&, const CodeColumns&, const PairwiseState<double>&, const Candidates&);
    void (*pairwise_float32)(const Weighted<float>&, const CodeColumns&, const PairwiseState<float>&,
                             const Candidates&);

    // exp2: out[i] = 2^x[i], x <= 0, with a relative error of 4e-14; x below kMinExponent counts as kMinExponent.
    void (*exp2)(const double* x, std::int64_t count, double* out);

    // log_kernel_sums: logs[n] = log2 sum_j 2^-((scale_x (x_n - x_j))^2 + (scale_z (z_n - z_j))^2) over j in
    // [first, last); z null: x alone.
    //   needs scales above 0: what fills up the last eight points is infinitely far, and 0 * inf is no number
    //   cost  samples * (last - first) powers of two
    void (*log_kernel_sums)(const double* x, double scale_x, const double* z, double scale_z, std::int64_t n_samples,
                            std::int64_t first, std::int64_t last, double* logs);

    // count_keys: counts[key] += how many of n bytes are `key`, for key < n_keys.
    //   needs kKeyRoom bytes kNoKey behind the keys
    //   cost  n_keys passes over the keys, sixteen or 32 at once
    void (*count_keys)(const std::uint8_t* keys, std::int64_t n, int n_keys, std::int32_t* counts);
};

// The classes of the samples, which are sorted by them, and log2 of the counts below `n_logs`.
struct Classes {
    const std::int64_t* sizes;
    std::int64_t count;
    const double* log_counts;
    std::int64_t n_logs;

    double log2_of_count(std::int64_t n) const;
};

// Fills, for some features, the table of p(code | code of the chosen feature, class), or of its log2, and the
// true-class log-likelihood true_class[f] = sum_n log2 p of each sample in its own class. A condition that does not
// occur has p = 1.
template <class Real>
void fill_tables(const VariationalKernel& kernel, const CodeColumns& columns, const Classes& classes,
                 std::int64_t chosen, const std::int64_t* features, std::int64_t count, const std::int64_t* offset,
                 bool in_logs, Real* cells, double* true_class);

// The sums of candidates given all `chosen` features in float64, tables made on the way, and true_class[f] of each,
// sum_n S(n,c_n). To `state` (null: not wanted; else there must be one candidate) S(n,c) is added.
void exact_pairwise(const VariationalKernel& kernel, const Weighted<double>& weighted, const CodeColumns& columns,
                    const Classes& classes, std::int64_t n_features, const std::vector<std::int64_t>& chosen,
                    const Candidates& candidates, double* true_class, double* state);

double log2_of(double x);                         // x >= 0 and normal, or 0
bool have_logs(const double* x, std::int64_t n);  // whether all are normal and above 0, or 0
void log2_of_each(const double* x, std::int64_t n, double* out);
double exp2_of(double x);  // x <= 0

namespace portable {
extern const VariationalKernel kVariational;
}
#if defined(__x86_64__)
namespace avx2 {
extern const VariationalKernel kVariational;
}
namespace avx512 {
extern const VariationalKernel kVariational;
}
#endif

}  // namespace bitsieve
