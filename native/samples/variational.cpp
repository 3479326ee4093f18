#include "samples/variational.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "samples/parzen.hpp"

namespace bitsieve {

namespace {

constexpr double kSqrt2 = 1.4142135623730951;
constexpr double kTwoOverLogOf2 = 2.8853900817779268;  // 2 / ln 2
constexpr std::uint64_t kMantissaBits = (1ULL << 52) - 1;
constexpr std::uint64_t kExponentOfOne = 1023ULL << 52;
constexpr std::int64_t kMaxKeys = 40;  // cells of a table up to which comparing is faster than incrementing

template <class Code>
Code max_of(const Code* codes, std::int64_t n) {
    Code max = 0;
    for (std::int64_t t = 0; t < n; ++t) max = std::max(max, codes[t]);
    return max;
}

// The samples of one class: the row of the table of each, its code of the chosen feature or 0, and its code.
struct ClassSamples {
    const std::uint16_t* rows;
    const std::uint16_t* codes;
    std::int64_t size;
};

// Adds the number of samples with each row and code to counts[row * arity + code]. `key_buffer` is scratch. This and
// fill_row are inline, as a class may have few samples.
inline void count_cells(const VariationalKernel& kernel, const ClassSamples samples, std::int64_t arity,
                        std::vector<std::uint8_t>& key_buffer, std::vector<std::int32_t>& counts) {
    const std::int64_t n_cells = std::int64_t(counts.size());
    if (n_cells > kMaxKeys || samples.size < 2 * n_cells) {
        for (std::int64_t t = 0; t < samples.size; ++t) ++counts[samples.rows[t] * arity + samples.codes[t]];
        return;
    }
    std::uint8_t* const keys = key_buffer.data();
    for (std::int64_t t = 0; t < samples.size; ++t) keys[t] = std::uint8_t(samples.rows[t] * arity + samples.codes[t]);
    std::fill_n(keys + samples.size, kKeyRoom, kNoKey);
    kernel.count_keys(keys, samples.size, int(n_cells), counts.data());
}

// Writes p = counts[code] / n_samples of every code, or log2 p, to one row of a table, and adds the sum of log2 p over
// the samples to `true_class`. The counts are set back to 0.
template <class Real>
inline void fill_row(const Classes& classes, std::int32_t* counts, std::int64_t arity, std::int64_t n_samples,
                     bool in_logs, Real* row, double& true_class) {
    const double log_n_samples = classes.log2_of_count(n_samples);
    for (std::int64_t code = 0; code < arity; ++code) {
        const std::int32_t n = counts[code];
        const double log_p = classes.log2_of_count(n) - log_n_samples;
        row[code] = Real(in_logs ? log_p : double(n) / double(n_samples));
        if (n > 0) true_class += n * log_p;
        counts[code] = 0;
    }
}

}  // namespace

std::int64_t CodeColumns::max_code(std::int64_t f) const {
    const Codes codes_of_feature = column(f);
    if (codes_of_feature.is_16_bit) return max_of(static_cast<const std::uint16_t*>(codes_of_feature.first), rows);
    return max_of(static_cast<const std::uint8_t*>(codes_of_feature.first), rows);
}

// x = 2^e m, m in [sqrt(1/2), sqrt(2)); log2 m = 2 / ln 2 artanh(s), s = (m - 1) / (m + 1), |s| < 0.172.
double log2_of(double x) {
    if (x == 0.0) return -HUGE_VAL;
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    std::int64_t e = std::int64_t(bits >> 52) - 1023;
    bits = (bits & kMantissaBits) | kExponentOfOne;
    double m;
    std::memcpy(&m, &bits, sizeof m);
    if (m > kSqrt2) {
        m *= 0.5;
        ++e;
    }
    const double s = (m - 1.0) / (m + 1.0);
    const double s2 = s * s;
    double series = 0.0;
    for (int k = 11; k >= 0; --k) series = series * s2 + 1.0 / (2 * k + 1);
    return double(e) + kTwoOverLogOf2 * s * series;
}

bool have_logs(const double* x, std::int64_t n) {
    bool all = true;  // no early exit, so that compilers vectorize the loop
    for (std::int64_t i = 0; i < n; ++i) all &= (x[i] == 0.0) | ((x[i] >= DBL_MIN) & (x[i] <= DBL_MAX));
    return all;
}

// The same steps as log2_of, for two values at once.
void log2_of_each(const double* x, std::int64_t n, double* out) {
    typedef double Doubles __attribute__((vector_size(16)));
    typedef std::uint64_t Bits __attribute__((vector_size(16)));
    constexpr double kTwoTo52 = 4503599627370496.0;  // its last bit stands for 1
    std::int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        Doubles values;
        std::memcpy(&values, x + i, sizeof values);
        const Bits bits = Bits(values);
        const Doubles exponent_and_more = Doubles(bits >> 52 | 0x4330000000000000ULL);  // 2^52 and the exponent
        Doubles e = exponent_and_more - (kTwoTo52 + 1023.0);
        Doubles m = Doubles((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
        const Doubles root_of_two = {1.4142135623730951, 1.4142135623730951};
        e = m > root_of_two ? e + 1.0 : e;
        m = m > root_of_two ? m * 0.5 : m;
        const Doubles s = (m - 1.0) / (m + 1.0);
        const Doubles s2 = s * s;
        Doubles series = {0.0, 0.0};
        for (int k = 11; k >= 0; --k) series = series * s2 + 1.0 / (2 * k + 1);
        const Doubles logs = e + 2.8853900817779268 * s * series;
        std::memcpy(out + i, &logs, sizeof logs);
    }
    for (; i < n; ++i) out[i] = log2_of(x[i]);
    for (i = 0; i < n; ++i)
        if (x[i] == 0.0) out[i] = -HUGE_VAL;
}

// The same steps as those of eight lanes at once.
double exp2_of(double x) {
    if (x < kMinExponent) return 0.0;
    const double shifted = x + kToInteger;
    const double r = x - (shifted - kToInteger);
    const double r2 = r * r;
    double even = kExp2Terms[8];
    double odd = kExp2Terms[7];
    for (int i = 6; i >= 0; i -= 2) {
        even = even * r2 + kExp2Terms[i];
        if (i > 0) odd = odd * r2 + kExp2Terms[i - 1];
    }
    const double value = (even + odd * r) * r + 1.0;
    std::uint64_t bits;
    std::uint64_t power;
    std::memcpy(&bits, &value, sizeof bits);
    std::memcpy(&power, &shifted, sizeof power);
    bits += power << 52;
    double result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

double Classes::log2_of_count(std::int64_t n) const { return n < n_logs ? log_counts[n] : log2_of(double(n)); }

template <class Real>
void fill_tables(const VariationalKernel& kernel, const CodeColumns& columns, const Classes& classes,
                 std::int64_t chosen, const std::int64_t* features, std::int64_t count, const std::int64_t* offset,
                 bool in_logs, Real* cells, double* true_class) {
    std::int64_t n_samples = 0;
    for (std::int64_t c = 0; c < classes.count; ++c) n_samples += classes.sizes[c];

    const std::int64_t n_rows = chosen < 0 ? 1 : columns.arities[chosen];
    std::vector<std::uint16_t> rows(std::size_t(n_samples), 0);  // of the tables, by sample
    if (chosen >= 0) columns.column(chosen).copy(n_samples, rows.data());
    std::vector<std::int64_t> row_sizes(std::size_t(classes.count * n_rows));  // samples by class and row
    std::int64_t first = 0;
    for (std::int64_t c = 0; c < classes.count; ++c) {
        for (std::int64_t t = first; t < first + classes.sizes[c]; ++t) ++row_sizes[c * n_rows + rows[t]];
        first += classes.sizes[c];
    }

    std::vector<std::uint16_t> codes(rows.size());  // of one feature, by sample
    std::vector<std::int32_t> counts;
    std::vector<std::uint8_t> keys(std::size_t(n_samples + kKeyRoom));
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t f = features[i];
        const std::int64_t arity = columns.arities[f];
        const std::int64_t stride = table_stride<Real>(n_rows * arity);
        Real* tables = cells + offset[f];
        std::fill(tables, tables + stride * classes.count, Real(in_logs ? 0 : 1));
        columns.column(f).copy(n_samples, codes.data());
        counts.assign(std::size_t(n_rows * arity), 0);
        true_class[f] = 0.0;
        first = 0;
        for (std::int64_t c = 0; c < classes.count; ++c) {
            count_cells(kernel, {rows.data() + first, codes.data() + first, classes.sizes[c]}, arity, keys, counts);
            for (std::int64_t row = 0; row < n_rows; ++row) {
                const std::int64_t row_size = row_sizes[c * n_rows + row];
                if (row_size == 0) continue;
                fill_row(classes, counts.data() + row * arity, arity, row_size, in_logs,
                         tables + c * stride + row * arity, true_class[f]);
            }
            first += classes.sizes[c];
        }
    }
}

void exact_pairwise(const VariationalKernel& kernel, const Weighted<double>& weighted, const CodeColumns& columns,
                    const Classes& classes, std::int64_t n_features, const std::vector<std::int64_t>& chosen,
                    const Candidates& candidates, double* true_class, double* state) {
    PairwiseState<double> pairwise{1.0 / double(chosen.size()), {}, state, 0, state != nullptr};
    std::vector<std::vector<double>> cells(chosen.size());
    std::vector<std::vector<std::int64_t>> offsets(chosen.size(), std::vector<std::int64_t>(std::size_t(n_features)));
    std::vector<double> true_class_given_one(std::size_t(n_features), 0.0);
    for (std::int64_t i = 0; i < candidates.count; ++i) true_class[candidates.features[i]] = 0.0;
    for (std::size_t p = 0; p < chosen.size(); ++p) {
        std::int64_t size = 0;
        for (std::int64_t i = 0; i < candidates.count; ++i) {
            const std::int64_t f = candidates.features[i];
            offsets[p][f] = size;
            size += classes.count * table_stride<double>(std::int64_t(columns.arities[chosen[p]]) * columns.arities[f]);
        }
        cells[p].resize(std::size_t(size));
        fill_tables(kernel, columns, classes, chosen[p], candidates.features, candidates.count, offsets[p].data(), true,
                    cells[p].data(), true_class_given_one.data());
        for (std::int64_t i = 0; i < candidates.count; ++i)
            true_class[candidates.features[i]] += true_class_given_one[candidates.features[i]];
        pairwise.pending.push_back({cells[p].data(), offsets[p].data(), chosen[p]});
    }
    kernel.pairwise(weighted, columns, pairwise, candidates);
}

template void fill_tables(const VariationalKernel&, const CodeColumns&, const Classes&, std::int64_t,
                          const std::int64_t*, std::int64_t, const std::int64_t*, bool, double*, double*);
template void fill_tables(const VariationalKernel&, const CodeColumns&, const Classes&, std::int64_t,
                          const std::int64_t*, std::int64_t, const std::int64_t*, bool, float*, double*);

}  // namespace bitsieve
