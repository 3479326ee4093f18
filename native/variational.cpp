#include "variational.hpp"

#include <algorithm>
#include <cmath>

#include "exp2_terms.hpp"

namespace bitsieve {

const VariationalKernel& variational_kernel(const std::string& name) {
#if defined(__x86_64__)
    for (const VariationalKernel* kernel : {&kAvx512Variational, &kAvx2Variational})
        if (name == kernel->name) return *kernel;
#endif
    return kPortableVariational;
}

// x = 2^e m, m in [sqrt(1/2), sqrt(2)); log2 m = 2 / ln 2 artanh(s), s = (m - 1) / (m + 1), |s| < 0.172.
double log2_of(double x) {
    if (x == 0.0) return -HUGE_VAL;
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    std::int64_t e = std::int64_t(bits >> 52) - 1023;
    bits = (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
    double m;
    std::memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++e;
    }
    const double s = (m - 1.0) / (m + 1.0), s2 = s * s;
    double series = 0.0;
    for (int k = 11; k >= 0; --k) series = series * s2 + 1.0 / (2 * k + 1);
    return double(e) + 2.8853900817779268 * s * series;
}

// The same steps as those of eight lanes at once.
double exp2_of(double x) {
    if (x < kLeastExponent) return 0.0;
    const double shifted = x + kToInteger, r = x - (shifted - kToInteger), r2 = r * r;
    double even = kExp2Terms[8], odd = kExp2Terms[7];
    for (int i = 6; i >= 0; i -= 2) {
        even = even * r2 + kExp2Terms[i];
        if (i > 0) odd = odd * r2 + kExp2Terms[i - 1];
    }
    const double value = (even + odd * r) * r + 1.0;
    std::uint64_t bits, power;
    std::memcpy(&bits, &value, sizeof bits);
    std::memcpy(&power, &shifted, sizeof power);
    bits += power << 52;
    double result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

constexpr std::int64_t kMostKeys = 40;  // cells of a table up to which comparing is faster than incrementing

template <class Code, class Real>
void fill_tables(const VariationalKernel& kernel, const CodeColumns<Code>& columns, const Classes& classes, std::int64_t chosen,
                 const std::int64_t* features, std::int64_t count, const std::int64_t* offset, bool logs, Real* cells,
                 double* own) {
    const auto log_of = [&](std::int64_t n) { return n < classes.n_logs ? classes.logs[n] : log2_of(double(n)); };
    std::int64_t n_samples = 0;
    for (std::int64_t c = 0; c < classes.count; ++c) n_samples += classes.sizes[c];
    const std::int64_t rows = chosen < 0 ? 1 : columns.arities[chosen];
    std::vector<std::int64_t> conditions(std::size_t(classes.count * rows));  // samples by class and code of the chosen one
    std::vector<std::uint16_t> row_of(std::size_t(n_samples), 0);            // row of the table, by sample
    for (std::int64_t c = 0, t = 0; c < classes.count; ++c)
        for (const std::int64_t end = t + classes.sizes[c]; t < end; ++t) {
            if (chosen >= 0) row_of[t] = columns.column(chosen)[t];
            ++conditions[c * rows + row_of[t]];
        }
    std::vector<std::int32_t> counts;
    std::vector<std::uint8_t> keys(std::size_t(n_samples + 32), kNoKey);  // cells of a small table, by sample of a class
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t f = features[i];
        const Code* codes = columns.column(f);
        const std::int64_t arity = columns.arities[f], stride = table_stride<Real>(rows * arity);
        Real* table = cells + offset[f];
        std::fill(table, table + stride * classes.count, Real(logs ? 0 : 1));
        counts.assign(std::size_t(rows * arity), 0);
        own[f] = 0.0;
        for (std::int64_t c = 0, t = 0; c < classes.count; ++c) {
            const std::int64_t first = t, size = classes.sizes[c], cells_of_class = rows * arity;
            t += size;
            if (cells_of_class <= kMostKeys && size >= 2 * cells_of_class) {
                for (std::int64_t i = 0; i < size; ++i) keys[i] = std::uint8_t(row_of[first + i] * arity + codes[first + i]);
                std::fill_n(keys.begin() + size, 32, kNoKey);
                kernel.count_keys(keys.data(), size, int(cells_of_class), counts.data());
            } else {
                for (std::int64_t i = first; i < t; ++i) ++counts[row_of[i] * arity + codes[i]];
            }
            for (std::int64_t row = 0; row < rows; ++row) {
                const std::int64_t all = conditions[c * rows + row];
                if (all == 0) continue;
                const double log_all = log_of(all);
                for (std::int64_t code = 0; code < arity; ++code) {
                    std::int32_t& n = counts[row * arity + code];
                    const double log_p = log_of(n) - log_all;
                    table[c * stride + row * arity + code] = Real(logs ? log_p : double(n) / double(all));
                    if (n) own[f] += n * log_p;
                    n = 0;
                }
            }
        }
    }
}

template <class Code>
void exact_powers(const VariationalKernel& kernel, const Weighted<double>& weighted, const CodeColumns<Code>& columns,
                  const Classes& classes, std::int64_t n_features, const std::vector<std::int64_t>& chosen,
                  const Candidates& candidates, double* own, double* state) {
    Powers<double> powers{1.0 / double(chosen.size()), {}, state, 0, state != nullptr};
    std::vector<std::vector<double>> cells(chosen.size());
    std::vector<std::vector<std::int64_t>> offsets(chosen.size(), std::vector<std::int64_t>(std::size_t(n_features)));
    std::vector<double> of_one(std::size_t(n_features), 0.0);
    for (std::int64_t i = 0; i < candidates.count; ++i) own[candidates.features[i]] = 0.0;
    for (std::size_t p = 0; p < chosen.size(); ++p) {
        std::int64_t size = 0;
        for (std::int64_t i = 0; i < candidates.count; ++i) {
            const std::int64_t f = candidates.features[i];
            offsets[p][f] = size;
            size += classes.count * table_stride<double>(std::int64_t(columns.arities[chosen[p]]) * columns.arities[f]);
        }
        cells[p].resize(std::size_t(size));
        fill_tables(kernel, columns, classes, chosen[p], candidates.features, candidates.count, offsets[p].data(), true,
                    cells[p].data(), of_one.data());
        for (std::int64_t i = 0; i < candidates.count; ++i)
            own[candidates.features[i]] += of_one[candidates.features[i]];
        powers.pending.push_back({cells[p].data(), offsets[p].data(), chosen[p]});
    }
    kernel.sums(columns.codes).power(weighted, columns, powers, candidates);
}

#define BITSIEVE_FOR_CODES(Code)                                                                                       \
    template void fill_tables(const VariationalKernel&, const CodeColumns<Code>&, const Classes&, std::int64_t, const std::int64_t*,             \
                              std::int64_t, const std::int64_t*, bool, double*, double*);                              \
    template void fill_tables(const VariationalKernel&, const CodeColumns<Code>&, const Classes&, std::int64_t, const std::int64_t*,             \
                              std::int64_t, const std::int64_t*, bool, float*, double*);                               \
    template void exact_powers(const VariationalKernel&, const Weighted<double>&, const CodeColumns<Code>&,            \
                               const Classes&, std::int64_t, const std::vector<std::int64_t>&, const Candidates&,      \
                               double*, double*);
BITSIEVE_FOR_CODES(std::uint8_t)
BITSIEVE_FOR_CODES(std::uint16_t)

}  // namespace bitsieve
