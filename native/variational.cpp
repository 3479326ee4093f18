#include "variational.hpp"

#include <algorithm>
#include <cmath>

#include "exp2_terms.hpp"

namespace bitsieve {

const VariationalKernel& variational_kernel(const std::string& name) {
#if defined(__x86_64__)
    if (name != kPortableVariational.name) return kAvx2Variational;
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

namespace {

constexpr std::int64_t kKnownLogs = 1 << 14;

// log2 of counts, the small ones from a table.
class CountLogs {
public:
    explicit CountLogs(std::int64_t n_samples) {
        for (std::int64_t c = 0; c <= std::min(n_samples, kKnownLogs); ++c) known_.push_back(log2_of(double(c)));
    }
    double operator()(std::int64_t count) const {
        return count < std::int64_t(known_.size()) ? known_[std::size_t(count)] : log2_of(double(count));
    }

private:
    std::vector<double> known_;
};

}  // namespace

template <class Code>
void fill_tables(const CodeColumns<Code>& columns, const std::int64_t* class_sizes, std::int64_t n_classes,
                 std::int64_t chosen, std::int64_t first, std::int64_t last, const std::int64_t* offset, bool logs,
                 double* cells, double* own) {
    std::int64_t n_samples = 0;
    for (std::int64_t c = 0; c < n_classes; ++c) n_samples += class_sizes[c];
    const CountLogs log_of(n_samples);
    const std::int64_t rows = chosen < 0 ? 1 : columns.arities[chosen];
    std::vector<std::int64_t> conditions(std::size_t(n_classes * rows));  // samples of a class and a code of the chosen one
    std::vector<std::int32_t> base(std::size_t(n_samples), 0);            // row of the table, by sample
    for (std::int64_t c = 0, t = 0; c < n_classes; ++c)
        for (const std::int64_t end = t + class_sizes[c]; t < end; ++t) {
            if (chosen >= 0) base[t] = columns.column(chosen)[t];
            ++conditions[c * rows + base[t]];
        }
    std::vector<std::int32_t> counts;
    for (std::int64_t f = first; f < last; ++f) {
        const Code* codes = columns.column(f);
        const std::int64_t arity = columns.arities[f], stride = table_stride(rows * arity);
        double* table = cells + offset[f];
        std::fill(table, table + stride * n_classes, logs ? 0.0 : 1.0);
        counts.assign(std::size_t(rows * arity), 0);
        own[f] = 0.0;
        for (std::int64_t c = 0, t = 0; c < n_classes; ++c) {
            for (const std::int64_t end = t + class_sizes[c]; t < end; ++t) ++counts[base[t] * arity + codes[t]];
            for (std::int64_t row = 0; row < rows; ++row) {
                const std::int64_t all = conditions[c * rows + row];
                if (all == 0) continue;
                const double log_all = log_of(all);
                for (std::int64_t code = 0; code < arity; ++code) {
                    std::int32_t& count = counts[row * arity + code];
                    const double log_p = log_of(count) - log_all;
                    table[c * stride + row * arity + code] = logs ? log_p : double(count) / double(all);
                    if (count) own[f] += count * log_p;
                    count = 0;
                }
            }
        }
    }
}

template void fill_tables(const CodeColumns<std::uint8_t>&, const std::int64_t*, std::int64_t, std::int64_t, std::int64_t,
                          std::int64_t, const std::int64_t*, bool, double*, double*);
template void fill_tables(const CodeColumns<std::uint16_t>&, const std::int64_t*, std::int64_t, std::int64_t,
                          std::int64_t, std::int64_t, const std::int64_t*, bool, double*, double*);

}  // namespace bitsieve
