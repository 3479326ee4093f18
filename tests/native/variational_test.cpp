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

// Samples with random weights in every class: log_weights[(block * n_classes + c) * 8 + lane].
struct Samples {
    std::vector<std::int64_t> class_sizes;
    std::vector<std::int32_t> arities;
    std::int64_t n_samples = 0;
    std::int64_t n_blocks = 0;
    std::vector<double> log_weights;
    std::vector<double> weights;
    std::vector<float> float32_weights;
    std::vector<std::int32_t> active;    // block by block, the classes with a weight above 0
    std::vector<std::int32_t> start{0};  // where the active classes of each block begin

    Samples(const std::vector<std::int64_t>& sizes, const std::vector<std::int32_t>& feature_arities,
            std::mt19937& random)
        : class_sizes(sizes), arities(feature_arities) {
        for (const std::int64_t size : class_sizes) n_samples += size;
        n_blocks = (n_samples + 7) / 8;
        for (std::int64_t b = 0; b < n_blocks; ++b) {
            for (std::int64_t c = 0; c < n_classes(); ++c) {
                bool is_active = false;
                for (int lane = 0; lane < 8; ++lane) {
                    const bool is_sample = b * 8 + lane < n_samples;
                    const double log = c == 0 ? 0.0 : -double(random() % 90);
                    log_weights.push_back(log);
                    weights.push_back(is_sample && log > -70 ? std::exp2(log) : 0.0);
                    is_active = is_active || weights.back() > 0;
                }
                if (is_active) active.push_back(std::int32_t(c));
            }
            start.push_back(std::int32_t(active.size()));
        }
        float32_weights.assign(weights.begin(), weights.end());
    }

    std::int64_t n_classes() const { return std::int64_t(class_sizes.size()); }
    std::int64_t n_features() const { return std::int64_t(arities.size()); }
    double weight(std::int64_t t, std::int64_t c) const {
        return std::exp2(log_weights[((t / 8) * n_classes() + c) * 8 + t % 8]);
    }

    template <class Real>
    Weighted<Real> weighted(const std::vector<Real>& real_weights) const {
        return {n_samples, n_classes(), real_weights.data(), log_weights.data(), start.data(), active.data()};
    }
};

// The codes of all features, column after column, and the two chosen features.
template <class Code>
struct CodedSamples {
    const Samples& samples;
    std::int64_t rows;  // of a column, with the padding of its last block
    std::vector<Code> codes;
    std::vector<std::int64_t> chosen;
    std::vector<double> log_counts;

    CodedSamples(const Samples& all_samples, std::mt19937& random)
        : samples(all_samples),
          rows(samples.n_blocks * 8),
          codes(std::size_t(samples.n_features() * rows), 0),
          chosen{0, samples.n_features() - 1} {
        for (std::int64_t f = 0; f < samples.n_features(); ++f)
            for (std::int64_t t = 0; t < samples.n_samples; ++t)
                codes[f * rows + t] = Code(random() % samples.arities[f]);
        for (int count = 0; count < 20; ++count) log_counts.push_back(log2_of(count));
    }

    CodeColumns columns() const { return {{codes.data(), sizeof(Code) == 2}, rows, samples.arities.data()}; }
    Classes classes() const { return {samples.class_sizes.data(), samples.n_classes(), log_counts.data(), 20}; }
    Code code(std::int64_t feature, std::int64_t t) const { return codes[feature * rows + t]; }
};

// The sums over all samples of log2 of their mixed likelihoods, for every feature as candidate.
struct CandidateSums {
    std::vector<double> naive;
    std::vector<double> pairwise;
    std::vector<double> pairwise_float32;

    explicit CandidateSums(std::int64_t n_features)
        : naive(std::size_t(n_features)), pairwise(naive), pairwise_float32(naive) {}
};

template <class Code>
CandidateSums kernel_sums(const CodedSamples<Code>& coded, const VariationalKernel& kernel) {
    const Samples& samples = coded.samples;
    const std::int64_t n = samples.n_features();
    const std::int64_t n_classes = samples.n_classes();
    const CodeColumns columns = coded.columns();
    const Classes classes = coded.classes();
    CandidateSums sums(n);
    std::vector<double> true_class(n);

    std::vector<std::int64_t> features;
    std::vector<std::int64_t> offset{0};
    for (std::int64_t f = 0; f < n; ++f) {
        features.push_back(f);
        offset.push_back(offset[f] + n_classes * table_stride<double>(samples.arities[f]));
    }
    std::vector<double> cells(offset.back(), 0.0);
    fill_tables(kernel, columns, classes, -1, features.data(), n, offset.data(), false, cells.data(),
                true_class.data());
    kernel.naive(samples.weighted(samples.weights), columns, {cells.data(), offset.data(), -1},
                 {features.data(), n, sums.naive.data()});
    exact_pairwise(kernel, samples.weighted(samples.weights), columns, classes, n, coded.chosen,
                   {features.data(), n, sums.pairwise.data()}, true_class.data(), nullptr);

    const std::int64_t state_size = samples.n_blocks * n_classes * 8;
    std::vector<float> state(std::size_t(n * state_size), 0.0f);
    for (const std::int64_t chosen : coded.chosen) {
        std::vector<std::int64_t> pair_offset{0};
        for (std::int64_t f = 0; f < n; ++f) {
            const std::int64_t n_pairs = std::int64_t(samples.arities[chosen]) * samples.arities[f];
            pair_offset.push_back(pair_offset[f] + n_classes * table_stride<float>(n_pairs));
        }
        std::vector<float> pair_cells(pair_offset.back(), 0.0f);
        fill_tables(kernel, columns, classes, chosen, features.data(), n, pair_offset.data(), true, pair_cells.data(),
                    true_class.data());
        const PairwiseState<float> pairs{
            0.5f, {{pair_cells.data(), pair_offset.data(), chosen}}, state.data(), state_size, true};
        kernel.pairwise_float32(samples.weighted(samples.float32_weights), columns, pairs,
                                {features.data(), n, sums.pairwise_float32.data()});
    }
    return sums;
}

// The share of the samples first .. last with the code of sample t in a feature; 1 if there are no samples.
template <class Code>
double share_of_code(const CodedSamples<Code>& coded, std::int64_t feature, std::int64_t t, std::int64_t first,
                     std::int64_t last) {
    double n_same = 0.0;
    for (std::int64_t u = first; u < last; ++u) n_same += coded.code(feature, u) == coded.code(feature, t);
    return first < last ? n_same / double(last - first) : 1.0;
}

// log2 of the same among the samples that have the code of t in the feature `chosen`, too; 0 if there are none.
template <class Code>
double log_share_given(const CodedSamples<Code>& coded, std::int64_t feature, std::int64_t chosen, std::int64_t t,
                       std::int64_t first, std::int64_t last) {
    double n_given = 0.0;
    double n_same = 0.0;
    for (std::int64_t u = first; u < last; ++u) {
        if (coded.code(chosen, u) != coded.code(chosen, t)) continue;
        ++n_given;
        n_same += coded.code(feature, u) == coded.code(feature, t);
    }
    return n_given > 0 ? std::log2(n_same / n_given) : 0.0;
}

template <class Code>
CandidateSums plain_sums(const CodedSamples<Code>& coded) {
    const Samples& samples = coded.samples;
    CandidateSums sums(samples.n_features());
    for (std::int64_t f = 0; f < samples.n_features(); ++f)
        for (std::int64_t t = 0; t < samples.n_samples; ++t) {
            double naive = 0.0;
            double pairwise = 0.0;
            std::int64_t first = 0;
            for (std::int64_t c = 0; c < samples.n_classes(); ++c) {
                const std::int64_t last = first + samples.class_sizes[c];
                double log_mean = 0.0;
                for (const std::int64_t chosen : coded.chosen)
                    log_mean += log_share_given(coded, f, chosen, t, first, last) / double(coded.chosen.size());
                naive += samples.weight(t, c) * share_of_code(coded, f, t, first, last);
                pairwise += samples.weight(t, c) * std::exp2(log_mean);
                first = last;
            }
            sums.naive[f] += std::log2(naive);
            sums.pairwise[f] += std::log2(pairwise);
        }
    return sums;
}

// -inf where no class has the sample's codes.
bool are_near(double a, double b, double error) { return a == b || std::fabs(a - b) <= error; }

template <class Code>
bool codes_are_right(const Samples& samples, const VariationalKernel& kernel, std::mt19937& random) {
    const CodedSamples<Code> coded(samples, random);
    const CandidateSums sums = kernel_sums(coded, kernel);
    const CandidateSums expected = plain_sums(coded);
    // A class of weight 2^-70 is left out next to sums above 2^-20.
    for (std::int64_t f = 0; f < samples.n_features(); ++f) {
        if (!are_near(sums.naive[f], expected.naive[f], 1e-9)) return false;
        if (!are_near(sums.pairwise[f], expected.pairwise[f], 1e-9)) return false;
        const double float32_error = 1e-4 * double(samples.n_samples);
        if (!are_near(sums.pairwise_float32[f], expected.pairwise[f], float32_error)) return false;
    }
    return true;
}

bool powers_are_right(const VariationalKernel& kernel) {
    std::vector<double> x = {-3.0, -0.5, -0.25, -100.0, -2000.0, 0.0, -1.5, -7.0, -0.125};
    const std::int64_t n = std::int64_t(x.size());
    std::vector<double> y(x.size());
    kernel.exp2(x.data(), n, y.data());
    if (y[4] != 0.0) return false;
    for (std::int64_t i = 0; i < n; ++i)
        if (std::fabs(y[i] - std::exp2(x[i])) > 4e-14 * y[i] + 1e-300) return false;
    const std::int64_t first = 2;
    const std::int64_t last = 7;
    std::vector<double> logs(x.size());
    kernel.log_kernel_sums(x.data(), 0.5, y.data(), 2.0, n, first, last, logs.data());
    for (std::int64_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (std::int64_t j = first; j < last; ++j) {
            const double dx = 0.5 * (x[i] - x[j]);
            const double dy = 2.0 * (y[i] - y[j]);
            sum += std::exp2(-dx * dx - dy * dy);
        }
        if (sum >= 1e-290 && std::fabs(logs[i] - std::log2(sum)) > 1e-9) return false;
    }
    return true;
}

}  // namespace

// Numbers of checks that passed and failed.
void test_variational(int& passed, int& failed) {
    const auto check = [&](bool holds, const char* what, const char* set) {
        if (holds) {
            ++passed;
            return;
        }
        ++failed;
        std::printf("FAILED: %s, %s\n", what, set);
    };
    std::mt19937 random(11);
    const std::vector<std::vector<std::int64_t>> all_class_sizes = {
        {1, 1}, {8}, {5, 4}, {30, 1, 40}, {64, 65, 3, 3, 3, 3}, {700, 301}};
    for (const KernelSet& set : kernel_sets()) {
        if (!set.is_available()) continue;
        const VariationalKernel& kernel = *set.variational;
        for (const std::vector<std::int64_t>& class_sizes : all_class_sizes) {
            const Samples narrow(class_sizes, {3, 1, 2, 4, 5, 8, 9, 12, 13, 3}, random);
            const Samples wide(class_sizes, {5, 300, 2, 30, 5}, random);
            const bool narrow_is_right = codes_are_right<std::uint8_t>(narrow, kernel, random);
            const bool wide_is_right = codes_are_right<std::uint16_t>(wide, kernel, random);
            check(narrow_is_right && wide_is_right, "variational sums", set.name);
        }
        check(powers_are_right(kernel), "powers of two", set.name);
    }
}
