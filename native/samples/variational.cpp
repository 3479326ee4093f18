#include "samples/variational.hpp"

#include <algorithm>
#include <cmath>

#include "samples/parzen.hpp"

namespace bitsieve {

namespace {

constexpr std::int64_t kMaxKeys = 40;  // cells of a table up to which comparing is faster than incrementing

}  // namespace

std::int64_t CodeColumns::greatest(std::int64_t f) const {
    const Codes of = column(f);
    const auto among = [this](const auto* code) {
        auto most = code[0];
        for (std::int64_t t = 1; t < rows; ++t) most = std::max(most, code[t]);
        return std::int64_t(most);
    };
    return of.wide ? among(static_cast<const std::uint16_t*>(of.at)) : among(static_cast<const std::uint8_t*>(of.at));
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
    const double s = (m - 1.0) / (m + 1.0);
    const double s2 = s * s;
    double series = 0.0;
    for (int k = 11; k >= 0; --k) series = series * s2 + 1.0 / (2 * k + 1);
    return double(e) + 2.8853900817779268 * s * series;
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

template <class Real>
void fill_tables(const VariationalKernel& kernel, const CodeColumns& columns, const Classes& classes,
                 std::int64_t chosen, const std::int64_t* features, std::int64_t count, const std::int64_t* offset,
                 bool logs, Real* cells, double* true_class) {
    const auto log_of = [&](std::int64_t n) { return n < classes.n_logs ? classes.logs[n] : log2_of(double(n)); };
    std::int64_t n_samples = 0;
    for (std::int64_t c = 0; c < classes.count; ++c) n_samples += classes.sizes[c];
    const std::int64_t rows = chosen < 0 ? 1 : columns.arities[chosen];
    std::vector<std::int64_t> conditions(std::size_t(classes.count * rows));  // samples by class and chosen code
    std::vector<std::uint16_t> row_of(std::size_t(n_samples), 0);             // row of the table, by sample
    if (chosen >= 0) columns.column(chosen).copy(n_samples, row_of.data());
    for (std::int64_t c = 0, t = 0; c < classes.count; ++c)
        for (const std::int64_t end = t + classes.sizes[c]; t < end; ++t) ++conditions[c * rows + row_of[t]];
    std::vector<std::uint16_t> code_of(row_of);  // of the feature, by sample
    std::vector<std::int32_t> counts;
    std::vector<std::uint8_t> keys(std::size_t(n_samples + kKeyRoom), kNoKey);  // cells of a small table, by sample
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t f = features[i];
        const std::int64_t arity = columns.arities[f];
        const std::int64_t n_cells = rows * arity;
        const std::int64_t stride = table_stride<Real>(n_cells);
        columns.column(f).copy(n_samples, code_of.data());
        const std::uint16_t* const codes = code_of.data();
        const std::uint16_t* const of_chosen = row_of.data();
        Real* table = cells + offset[f];
        std::fill(table, table + stride * classes.count, Real(logs ? 0 : 1));
        counts.assign(std::size_t(n_cells), 0);
        true_class[f] = 0.0;
        for (std::int64_t c = 0, first = 0; c < classes.count; first += classes.sizes[c++]) {
            const std::int64_t size = classes.sizes[c];
            if (n_cells <= kMaxKeys && size >= 2 * n_cells) {
                for (std::int64_t t = 0; t < size; ++t)
                    keys[t] = std::uint8_t(of_chosen[first + t] * arity + codes[first + t]);
                std::fill_n(keys.begin() + size, kKeyRoom, kNoKey);
                kernel.count_keys(keys.data(), size, int(n_cells), counts.data());
            } else {
                for (std::int64_t t = first; t < first + size; ++t) ++counts[of_chosen[t] * arity + codes[t]];
            }
            for (std::int64_t row = 0; row < rows; ++row) {
                const std::int64_t all = conditions[c * rows + row];
                if (all == 0) continue;
                const double log_all = log_of(all);
                for (std::int64_t code = 0; code < arity; ++code) {
                    std::int32_t& n = counts[row * arity + code];
                    const double log_p = log_of(n) - log_all;
                    table[c * stride + row * arity + code] = Real(logs ? log_p : double(n) / double(all));
                    if (n) true_class[f] += n * log_p;
                    n = 0;
                }
            }
        }
    }
}

void exact_pairwise(const VariationalKernel& kernel, const Weighted<double>& weighted, const CodeColumns& columns,
                    const Classes& classes, std::int64_t n_features, const std::vector<std::int64_t>& chosen,
                    const Candidates& candidates, double* true_class, double* state) {
    PairwiseState<double> pairwise{1.0 / double(chosen.size()), {}, state, 0, state != nullptr};
    std::vector<std::vector<double>> cells(chosen.size());
    std::vector<std::vector<std::int64_t>> offsets(chosen.size(), std::vector<std::int64_t>(std::size_t(n_features)));
    std::vector<double> given_one(std::size_t(n_features), 0.0);
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
                    cells[p].data(), given_one.data());
        for (std::int64_t i = 0; i < candidates.count; ++i)
            true_class[candidates.features[i]] += given_one[candidates.features[i]];
        pairwise.pending.push_back({cells[p].data(), offsets[p].data(), chosen[p]});
    }
    kernel.pairwise(weighted, columns, pairwise, candidates);
}

template void fill_tables(const VariationalKernel&, const CodeColumns&, const Classes&, std::int64_t,
                          const std::int64_t*, std::int64_t, const std::int64_t*, bool, double*, double*);
template void fill_tables(const VariationalKernel&, const CodeColumns&, const Classes&, std::int64_t,
                          const std::int64_t*, std::int64_t, const std::int64_t*, bool, float*, double*);

}  // namespace bitsieve
