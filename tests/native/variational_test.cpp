// The sums of the variational bounds against plain loops, on shapes that touch every edge: a last block of one to eight
// samples, tables for every number of registers and for none, wide codes, classes of one sample.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "kernel_set.hpp"
#include "samples/variational.hpp"

using namespace bitsieve;

namespace {

struct Samples {
    std::vector<std::int64_t> sizes;
    std::vector<std::int32_t> arities;
    std::int64_t n_samples = 0, n_blocks = 0;
    std::vector<double> weights, log_weights;
    std::vector<float> in_float32;
    std::vector<std::int32_t> start{0}, active;

    Samples(std::vector<std::int64_t> class_sizes, std::vector<std::int32_t> with_arities, std::mt19937& random)
        : sizes(class_sizes), arities(with_arities) {
        for (const auto size : sizes) n_samples += size;
        n_blocks = (n_samples + 7) / 8;
        const std::int64_t n_classes = std::int64_t(sizes.size());
        for (std::int64_t b = 0; b < n_blocks; ++b) {
            for (std::int64_t c = 0; c < n_classes; ++c) {
                bool any = false;
                for (int lane = 0; lane < 8; ++lane) {
                    const bool real = b * 8 + lane < n_samples;
                    const double log = c == 0 ? 0.0 : -double(random() % 90);
                    log_weights.push_back(log);
                    weights.push_back(real && log > -70 ? std::exp2(log) : 0.0);
                    any = any || weights.back() > 0;
                }
                if (any) active.push_back(std::int32_t(c));
            }
            start.push_back(std::int32_t(active.size()));
        }
        in_float32.assign(weights.begin(), weights.end());
    }

    template <class Real>
    Weighted<Real> weighted(const std::vector<Real>& of) const {
        return {n_samples, std::int64_t(sizes.size()), of.data(), log_weights.data(), start.data(), active.data()};
    }
};

template <class Code>
bool test_codes(const Samples& s, const VariationalKernel& kernel, std::mt19937& random) {
    const std::int64_t n = std::int64_t(s.arities.size()), n_classes = std::int64_t(s.sizes.size()),
                       rows = s.n_blocks * 8;
    std::vector<Code> codes(std::size_t(n * rows), 0);
    for (std::int64_t f = 0; f < n; ++f)
        for (std::int64_t t = 0; t < s.n_samples; ++t) codes[f * rows + t] = Code(random() % s.arities[f]);
    const CodeColumns columns{{codes.data(), sizeof(Code) == 2}, rows, s.arities.data()};
    std::vector<double> logs;
    for (int count = 0; count < 20; ++count) logs.push_back(log2_of(count));
    const Classes classes{s.sizes.data(), n_classes, logs.data(), 20};

    std::vector<std::int64_t> features, offset{0};
    for (std::int64_t f = 0; f < n; ++f) {
        features.push_back(f);
        offset.push_back(offset[f] + n_classes * table_stride<double>(s.arities[f]));
    }
    std::vector<double> cells(offset.back(), 0.0), true_class(n), alone(n), exact(n), in_float32(n);
    fill_tables(kernel, columns, classes, -1, features.data(), n, offset.data(), false, cells.data(),
                true_class.data());
    kernel.naive(s.weighted(s.weights), columns, {cells.data(), offset.data(), -1}, {features.data(), n, alone.data()});

    const std::vector<std::int64_t> chosen = {0, n - 1};
    std::vector<double> exact_true_class(n);
    exact_pairwise(kernel, s.weighted(s.weights), columns, classes, n, chosen, {features.data(), n, exact.data()},
                   exact_true_class.data(), nullptr);
    std::vector<float> state(std::size_t(n * s.n_blocks * n_classes * 8), 0.0f);
    for (std::size_t p = 0; p < chosen.size(); ++p) {
        std::vector<std::int64_t> at{0};
        for (std::int64_t f = 0; f < n; ++f) {
            const std::int64_t pairs = std::int64_t(s.arities[chosen[p]]) * s.arities[f];
            at.push_back(at[f] + n_classes * table_stride<float>(pairs));
        }
        std::vector<float> table(at.back(), 0.0f);
        fill_tables(kernel, columns, classes, chosen[p], features.data(), n, at.data(), true, table.data(),
                    true_class.data());
        const PairwiseState<float> pairs{
            0.5f, {{table.data(), at.data(), chosen[p]}}, state.data(), s.n_blocks * n_classes * 8, true};
        kernel.pairwise_float32(s.weighted(s.in_float32), columns, pairs, {features.data(), n, in_float32.data()});
    }

    bool right = true;
    for (std::int64_t f = 0; f < n; ++f) {
        double naive_sum = 0.0, pairwise_sum = 0.0;
        for (std::int64_t t = 0; t < s.n_samples; ++t) {
            double one = 0.0, two = 0.0;
            std::int64_t first = 0;
            for (std::int64_t c = 0; c < n_classes; first += s.sizes[c++]) {
                double same = 0, log_mean = 0.0;
                for (std::int64_t u = first; u < first + s.sizes[c]; ++u)
                    same += codes[f * rows + u] == codes[f * rows + t];
                for (const auto other : chosen) {
                    double both = 0, all = 0;
                    for (std::int64_t u = first; u < first + s.sizes[c]; ++u) {
                        if (codes[other * rows + u] != codes[other * rows + t]) continue;
                        ++all;
                        both += codes[f * rows + u] == codes[f * rows + t];
                    }
                    if (all > 0) log_mean += std::log2(both / all) / 2;
                }
                const double w = std::exp2(s.log_weights[((t / 8) * n_classes + c) * 8 + t % 8]);
                one += s.sizes[c] ? w * same / double(s.sizes[c]) : w;
                two += w * std::exp2(log_mean);
            }
            naive_sum += std::log2(one);
            pairwise_sum += std::log2(two);
        }
        // A class of weight 2^-70 is left out beside sums above 2^-20; -inf where no class has the sample's codes.
        const auto near = [](double a, double b, double error) { return a == b || std::fabs(a - b) <= error; };
        right = right && near(alone[f], naive_sum, 1e-9) && near(exact[f], pairwise_sum, 1e-9);
        right = right && near(in_float32[f], pairwise_sum, 1e-4 * double(s.n_samples));
    }
    return right;
}

}  // namespace

// Numbers of checks that passed and failed.
void test_variational(int& passed, int& failed) {
    std::mt19937 random(11);
    for (const KernelSet& set : kernel_sets()) {
        if (!set.is_available()) continue;
        const VariationalKernel& kernel = *set.variational;
        for (const std::vector<std::int64_t>& sizes :
             {std::vector<std::int64_t>{1, 1}, {8}, {5, 4}, {30, 1, 40}, {64, 65, 3, 3, 3, 3}, {700, 301}}) {
            const Samples narrow(sizes, {3, 1, 2, 4, 5, 8, 9, 12, 13, 3}, random);
            const Samples wide(sizes, {5, 300, 2, 30, 5}, random);
            const bool right =
                test_codes<std::uint8_t>(narrow, kernel, random) && test_codes<std::uint16_t>(wide, kernel, random);
            right ? ++passed : ++failed;
            if (!right) std::printf("FAILED: variational sums, %s\n", set.name);
        }
        std::vector<double> x = {-3.0, -0.5, -0.25, -100.0, -2000.0, 0.0, -1.5, -7.0, -0.125}, y(9);
        kernel.exp2(x.data(), 9, y.data());
        bool right = y[4] == 0.0;
        for (int i = 0; i < 9; ++i) right = right && std::fabs(y[i] - std::exp2(x[i])) <= 4e-14 * y[i] + 1e-300;
        std::vector<double> out(9);
        kernel.kernel_sums(x.data(), 0.5, y.data(), 2.0, 9, 2, 7, out.data());
        for (int i = 0; i < 9; ++i) {
            double sum = 0.0;
            for (int j = 2; j < 7; ++j) {
                const double dx = 0.5 * (x[i] - x[j]), dy = 2.0 * (y[i] - y[j]);
                sum += std::exp2(-dx * dx - dy * dy);
            }
            right = right && (sum < 1e-290 || std::fabs(out[i] - std::log2(sum)) <= 1e-9);
        }
        right ? ++passed : ++failed;
        if (!right) std::printf("FAILED: powers of two, %s\n", set.name);
    }
}
