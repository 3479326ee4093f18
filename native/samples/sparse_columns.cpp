#include "samples/sparse_columns.hpp"

#include <algorithm>
#include <cmath>

namespace bitsieve {

namespace {

constexpr int kMinExponent = -1000;  // 2^1000 is still a number
constexpr double kRounding = 1e-9;   // far above that of a correlation and of its bound

// Mean and length of a column of stored values and zeros.
template <class Real>
void moments_of(const Real* x, std::int64_t stored, std::int64_t zeros, double& mean, double& length) {
    double low = zeros > 0 ? 0.0 : double(x[0]);
    double high = low;
    for (std::int64_t i = 0; i < stored; ++i) {
        low = std::min(low, double(x[i]));
        high = std::max(high, double(x[i]));
    }
    mean = low;
    length = 0.0;
    if (!(low < high)) return;
    int exponent = 0;
    std::frexp(std::max(-low, high), &exponent);
    exponent = std::max(exponent, kMinExponent);
    const double scale = std::ldexp(1.0, -exponent);
    const double n = double(stored + zeros);
    double sum = 0.0;
    for (std::int64_t i = 0; i < stored; ++i) sum += double(x[i]) * scale;
    double centre = sum / n;
    double rest = -centre * double(zeros);  // of a mean that is not rounded it would be 0 in the end
    for (std::int64_t i = 0; i < stored; ++i) rest += double(x[i]) * scale - centre;
    centre += rest / n;
    double squares = centre * centre * double(zeros);
    for (std::int64_t i = 0; i < stored; ++i) {
        const double from_centre = double(x[i]) * scale - centre;
        squares += from_centre * from_centre;
    }
    mean = std::ldexp(centre, exponent);
    length = std::ldexp(std::sqrt(squares), exponent);
}

// Products for a number of tasks that is known to the compiler, or, where it is 0, not.
template <int kTasks, class Real, class Index>
void products(const SparseColumns<Real, Index>& columns, const Moments& moments, const SampleWeights& weights,
              std::int64_t first, std::int64_t last, double* out) {
    const std::int64_t tasks = kTasks ? kTasks : weights.n_tasks;
    for (std::int64_t j = first; j < last; ++j) {
        const double length = moments.length[j];
        const double mean = moments.mean[j];
        const bool full = columns.full(j);
        const double centred = full ? mean : 0.0;
        const double implied = full ? 0.0 : mean;
        for (std::int64_t t = 0; t < tasks; ++t) {
            double sum = 0.0;
            for (Index p = columns.start[j]; p < columns.start[j + 1]; ++p)
                sum += (double(columns.value[p]) - centred) * weights.values[std::int64_t(columns.row[p]) * tasks + t];
            out[j * tasks + t] = length > 0 ? (sum - implied * weights.sums[t]) / length : 0.0;
        }
    }
}

}  // namespace

template <class Real, class Index>
bool rows_fit(const SparseColumns<Real, Index>& columns, std::int64_t first, std::int64_t last) {
    bool fit = true;
    for (std::int64_t j = first; j < last; ++j) fit = fit && columns.stored(j) <= columns.n_samples;
    for (std::int64_t p = columns.start[first]; p < columns.start[last]; ++p)
        fit &= std::uint64_t(columns.row[p]) < std::uint64_t(columns.n_samples);  // of a negative one it is large
    return fit;
}

template <class Real, class Index>
void fill_moments(const SparseColumns<Real, Index>& columns, std::int64_t first, std::int64_t last,
                  const Moments& out) {
    for (std::int64_t j = first; j < last; ++j) {
        const std::int64_t stored = columns.stored(j);
        moments_of(columns.value + columns.start[j], stored, columns.n_samples - stored, out.mean[j], out.length[j]);
    }
}

template <class Real, class Index>
void fill_products(const SparseColumns<Real, Index>& columns, const Moments& moments, const SampleWeights& weights,
                   std::int64_t first, std::int64_t last, double* out) {
    if (weights.n_tasks == 1)
        products<1>(columns, moments, weights, first, last, out);
    else
        products<0>(columns, moments, weights, first, last, out);
}

template <class Real, class Index>
void find_correlated(const SparseColumns<Real, Index>& columns, const Moments& moments, const ChosenRows& chosen,
                     double min_correlation, std::int64_t first, std::int64_t last, Correlated& out) {
    const std::int64_t n_chosen = chosen.n_chosen;
    const double root = std::sqrt(double(columns.n_samples));
    const double threshold = min_correlation * (1 - kRounding);
    double highest = 0.0;
    for (std::int64_t s = 0; s < n_chosen; ++s) highest = std::max(highest, std::abs(chosen.level[s]));
    std::vector<double> sum(std::size_t(n_chosen), 0.0);
    for (std::int64_t j = first; j < last; ++j) {
        const double length = moments.length[j];
        if (!(length > 0)) continue;
        const bool full = columns.full(j);
        const double centred = full ? moments.mean[j] : 0.0;
        const double level = full ? 0.0 : root * moments.mean[j] / length;
        const double max_disjoint = std::abs(level) * highest;  // most that columns without a common row correlate by
        const double share = std::sqrt(double(columns.stored(j)) * (1 + level * level));
        const std::int64_t n_reached =
            std::partition_point(chosen.peak, chosen.peak + n_chosen,
                                 [&](double peak) { return share * peak + max_disjoint >= threshold; }) -
            chosen.peak;
        if (n_reached == 0) continue;
        std::fill_n(sum.begin(), n_reached, 0.0);
        for (Index p = columns.start[j]; p < columns.start[j + 1]; ++p) {
            const double value = double(columns.value[p]) - centred;
            const std::int64_t i = std::int64_t(columns.row[p]);
            for (std::int64_t q = chosen.start[i]; q < chosen.start[i + 1] && chosen.column[q] < n_reached; ++q)
                sum[chosen.column[q]] += value * chosen.value[q];
        }
        for (std::int64_t s = 0; s < n_reached; ++s) {
            const double correlation = sum[s] / length - level * chosen.level[s];
            if (std::abs(correlation) < min_correlation) continue;
            out.column.push_back(j);
            out.chosen.push_back(s);
            out.correlation.push_back(correlation);
        }
    }
}

#define BITSIEVE_SPARSE(Real, Index)                                                                                   \
    template bool rows_fit(const SparseColumns<Real, Index>&, std::int64_t, std::int64_t);                             \
    template void fill_moments(const SparseColumns<Real, Index>&, std::int64_t, std::int64_t, const Moments&);         \
    template void fill_products(const SparseColumns<Real, Index>&, const Moments&, const SampleWeights&, std::int64_t, \
                                std::int64_t, double*);                                                                \
    template void find_correlated(const SparseColumns<Real, Index>&, const Moments&, const ChosenRows&, double,        \
                                  std::int64_t, std::int64_t, Correlated&);
BITSIEVE_SPARSE(float, std::int32_t)
BITSIEVE_SPARSE(float, std::int64_t)
BITSIEVE_SPARSE(double, std::int32_t)
BITSIEVE_SPARSE(double, std::int64_t)
#undef BITSIEVE_SPARSE

}  // namespace bitsieve
