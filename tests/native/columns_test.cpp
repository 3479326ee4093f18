// Standardised sparse columns against plain loops over a dense table: empty, full, constant and one-entry columns, both
// value types and both index types, blocks at every edge.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "samples/sparse_columns.hpp"

using namespace bitsieve;

namespace {

template <class Real, class Index>
struct Made {
    std::vector<double> dense;  // by column
    std::vector<Index> start{0}, row;
    std::vector<Real> value;
    std::int64_t n_samples, n_columns;

    Made(std::int64_t samples, std::int64_t columns, std::mt19937& random) : n_samples(samples), n_columns(columns) {
        for (std::int64_t j = 0; j < columns; ++j) {
            const int kind = int(random() % 6);  // empty, full, constant, one entry, sparse, sparse
            for (std::int64_t i = 0; i < samples; ++i) {
                const Real x = Real(int(random() % 17) - 8) / Real(4);
                const bool stored =
                    kind == 1 || kind == 2 || (kind == 3 && i == samples / 2) || (kind > 3 && random() % 3 == 0);
                dense.push_back(stored ? double(kind == 2 ? Real(3) : x) : 0.0);
                if (!stored) continue;
                row.push_back(Index(i));
                value.push_back(Real(dense.back()));
            }
            start.push_back(Index(row.size()));
        }
    }

    SparseColumns<Real, Index> columns() const { return {start.data(), row.data(), value.data(), n_samples}; }

    double mean(std::int64_t j) const {
        double sum = 0;
        for (std::int64_t i = 0; i < n_samples; ++i) sum += dense[j * n_samples + i];
        return sum / double(n_samples);
    }
    double product(std::int64_t j, std::int64_t k) const {
        double sum = 0;
        for (std::int64_t i = 0; i < n_samples; ++i)
            sum += (dense[j * n_samples + i] - mean(j)) * (dense[k * n_samples + i] - mean(k));
        return sum;
    }
};

bool near(double a, double b) { return std::fabs(a - b) <= 1e-9; }

template <class Real, class Index>
bool test_columns_of(std::int64_t samples, std::int64_t n, std::mt19937& random) {
    Made<Real, Index> made(samples, n, random);
    const auto columns = made.columns();
    bool right = rows_fit(columns, 0, n);
    std::vector<double> mean(n), length(n);
    const Moments moments{mean.data(), length.data()};
    fill_moments(columns, 0, n / 2, moments);
    fill_moments(columns, n / 2, n, moments);
    for (std::int64_t j = 0; j < n; ++j)
        right = right && near(mean[j], made.mean(j)) && near(length[j], std::sqrt(made.product(j, j)));

    const std::int64_t tasks = 2;
    std::vector<double> weights(samples * tasks), sums(tasks), out(n * tasks);
    for (std::int64_t i = 0; i < samples * tasks; ++i) {
        weights[i] = double(random() % 100) / 50 - 1;
        sums[i % tasks] += weights[i];
    }
    fill_products(columns, moments, {weights.data(), tasks, sums.data()}, 0, n, out.data());
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t t = 0; t < tasks; ++t) {
            double sum = 0;
            for (std::int64_t i = 0; i < samples; ++i)
                sum += (made.dense[j * samples + i] - mean[j]) * weights[i * tasks + t];
            right = right && near(out[j * tasks + t], length[j] > 0 ? sum / length[j] : 0.0);
        }

    // All columns chosen, by falling peak, by rows.
    std::vector<std::int64_t> order;
    std::vector<double> peak(n), level(n), peaks, levels;
    for (std::int64_t j = 0; j < n; ++j) {
        order.push_back(j);
        const bool full = columns.full(j);
        level[j] = full || !(length[j] > 0) ? 0.0 : std::sqrt(double(samples)) * mean[j] / length[j];
        for (Index p = made.start[j]; p < made.start[j + 1]; ++p)
            if (length[j] > 0)
                peak[j] = std::max(peak[j], std::fabs(double(made.value[p]) - (full ? mean[j] : 0.0)) / length[j]);
    }
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return peak[a] > peak[b]; });
    std::vector<std::int64_t> start{0}, column;
    std::vector<double> value;
    for (const auto j : order) peaks.push_back(peak[j]), levels.push_back(level[j]);
    for (std::int64_t i = 0; i < samples; ++i) {
        for (std::int64_t s = 0; s < n; ++s) {
            const std::int64_t j = order[s];
            const double centred = columns.full(j) ? mean[j] : 0.0, x = made.dense[j * samples + i] - centred;
            if (x == 0.0 || !(length[j] > 0)) continue;
            column.push_back(s);
            value.push_back(x / length[j]);
        }
        start.push_back(std::int64_t(column.size()));
    }
    const ChosenRows chosen{start.data(), column.data(), value.data(), levels.data(), peaks.data(), n};
    for (const double least : {0.031, 0.49, 0.9}) {
        Correlated found;
        find_correlated(columns, moments, chosen, least, 0, n / 3, found);
        find_correlated(columns, moments, chosen, least, n / 3, n, found);
        std::size_t expected = 0;
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t k = 0; k < n; ++k)
                if (length[j] > 0 && length[k] > 0)
                    expected += std::fabs(made.product(j, k) / length[j] / length[k]) >= least;
        right = right && found.column.size() == expected;
        for (std::size_t p = 0; p < found.column.size(); ++p) {
            const std::int64_t j = found.column[p], k = order[found.chosen[p]];
            right = right && near(found.correlation[p], made.product(j, k) / length[j] / length[k]);
        }
    }
    if (!made.row.empty()) {
        made.row.back() = Index(samples);
        right = right && !rows_fit(made.columns(), 0, n);
        made.row.back() = Index(-1);
        right = right && !rows_fit(made.columns(), 0, n);
    }
    return right;
}

}  // namespace

// Numbers of checks that passed and failed.
void test_columns(int& passed, int& failed) {
    std::mt19937 random(5);
    for (const std::int64_t samples : {1, 2, 7, 40})
        for (const std::int64_t n : {1, 3, 30}) {
            const bool right = test_columns_of<double, std::int32_t>(samples, n, random) &&
                               test_columns_of<float, std::int32_t>(samples, n, random) &&
                               test_columns_of<double, std::int64_t>(samples, n, random) &&
                               test_columns_of<float, std::int64_t>(samples, n, random);
            right ? ++passed : ++failed;
            if (!right) std::printf("FAILED: standardised columns, %d samples, %d columns\n", int(samples), int(n));
        }
}
