#include "count/expected_terms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace bitsieve {

namespace {

constexpr double kSeriesFrom = 64.0;  // samples expected in a cell, from which on a series is used: its error is below
                                      // 1e-4 bits a table
constexpr double kNegligible = 0x1p-64;  // probability of a count, as a share of that of the most probable one
constexpr int kPairsAtOnce = 4;          // the divisions of one pair need not wait for those of another
constexpr double kLogOf2 = 0.6931471805599453;

// Pairs of margins (a, b) whose sums over counts are added up side by side.
class PairBlock {
public:
    // All pairs have the margin `a`; the others are b[0 .. kPairsAtOnce - 1].
    PairBlock(const Terms& terms, std::int64_t n_samples, std::int64_t a, const std::int64_t* b)
        : terms_(terms), n_samples_(double(n_samples)), a_(double(a)) {
        for (int i = 0; i < kPairsAtOnce; ++i) {
            b_[i] = double(b[i]);
            const std::int64_t mode = (a + 1) * (b[i] + 1) / (n_samples + 2);
            mode_[i] = double(mode);
            total_weight_[i] = 1.0;
            weighted_terms_[i] = double(terms_(std::uint64_t(mode)));
        }
    }

    // E(a, b) of pair i.
    double expected(int i) const { return weighted_terms_[i] / total_weight_[i]; }

    // Adds the counts above the mode:  P(n + 1) / P(n) = (a - n) (b - n) / ((n + 1) (N - a - b + n + 1)).
    void add_counts_above() {
        start_at_mode();
        while (n_left_ > 0) {
            for (int i = 0; i < kPairsAtOnce; ++i) {
                const double n = count_[i];
                const double numerator = (a_ - n) * (b_[i] - n);
                const double denominator = (n + 1) * (n_samples_ - a_ - b_[i] + n + 1);
                weight_[i] = weight_[i] * numerator / std::max(denominator, 1.0);
                count_[i] = n + 1;
            }
            add_weighted_terms();
        }
    }

    // Adds the counts below the mode:  P(n - 1) / P(n) = n (N - a - b + n) / ((a - n + 1) (b - n + 1)).
    void add_counts_below() {
        start_at_mode();
        while (n_left_ > 0) {
            for (int i = 0; i < kPairsAtOnce; ++i) {
                const double n = count_[i];
                const double numerator = n * (n_samples_ - a_ - b_[i] + n);
                const double denominator = (a_ - n + 1) * (b_[i] - n + 1);
                weight_[i] = weight_[i] * numerator / std::max(denominator, 1.0);
                count_[i] = n - 1;
            }
            add_weighted_terms();
        }
    }

private:
    void start_at_mode() {
        for (int i = 0; i < kPairsAtOnce; ++i) {
            count_[i] = mode_[i];
            weight_[i] = 1.0;
        }
        n_left_ = kPairsAtOnce;
    }

    // A pair ends with its first negligible count. Impossible counts have the weight 0.
    void add_weighted_terms() {
        double term[kPairsAtOnce];
        for (int i = 0; i < kPairsAtOnce; ++i)
            term[i] = weight_[i] > 0.0 ? double(terms_(std::uint64_t(std::int64_t(count_[i])))) : 0.0;
        for (int i = 0; i < kPairsAtOnce; ++i) {
            total_weight_[i] += weight_[i];
            weighted_terms_[i] += weight_[i] * term[i];
        }
        n_left_ = 0;
        for (double& weight : weight_) {
            if (weight > kNegligible)
                ++n_left_;
            else
                weight = 0.0;
        }
    }

    const Terms& terms_;
    const double n_samples_, a_;
    double b_[kPairsAtOnce], mode_[kPairsAtOnce];
    double count_[kPairsAtOnce];   // the count that was added last
    double weight_[kPairsAtOnce];  // P(count) / P(mode); 0: nothing is left to be added
    int n_left_ = 0;
    double total_weight_[kPairsAtOnce], weighted_terms_[kPairsAtOnce];
};

// With m the mean and mu_k the central moments of the count:
//
//     E[n ln n] = m ln m + mu_2 / (2 m) - mu_3 / (6 m^2) + mu_4 / (12 m^3)
double expected_by_series(const Terms& terms, std::int64_t n_samples, std::int64_t margin_a, std::int64_t margin_b) {
    const double n = double(n_samples);
    const double a = double(margin_a);
    const double b = double(margin_b);
    // The logarithms are taken from the entropy terms, T[c] / c, so that no function of the system is called.
    const double log_a = double(terms(std::uint64_t(margin_a))) / a;
    const double log_b = double(terms(std::uint64_t(margin_b))) / b;
    const double log_n = double(terms(std::uint64_t(n_samples))) / n;
    const double log_mean = log_a + log_b - log_n;  // log2(m) 2^shift
    const double mean = a * b / n;
    const double x = a * (n - a) / (n * n);
    const double y = b * (n - b) / (n * n);
    const double mu_2 = n * n * x * y / (n - 1);
    const double mu_3 = mu_2 * ((n - 2 * a) * (n - 2 * b)) / (n * (n - 2));
    const double excess = (n - 1) * (1 + 1 / n - 6 * (x + y)) + 6 * (5 * n - 6) * (x * y);
    const double mu_4 = mu_2 * (3 * mu_2 + excess * (n * n) / ((n - 1) * (n - 2) * (n - 3)));
    const double beyond_mean = mu_2 / (2 * mean) - mu_3 / (6 * mean * mean) + mu_4 / (12 * mean * mean * mean);
    return mean * log_mean + beyond_mean * (std::ldexp(1.0, terms.shift) / kLogOf2);
}

// One row of the result: the pairs of margin `a` with each of `second`.
void expected_row(const Terms& terms, std::int64_t n_samples, std::int64_t a, const std::int64_t* second,
                  std::int64_t n_second, std::int64_t* out) {
    std::vector<std::int64_t> summed;  // positions in the row of the pairs with few expected samples
    for (std::int64_t j = 0; j < n_second; ++j) {
        const std::int64_t b = second[j];
        if (a == n_samples || b == n_samples)
            out[j] = terms(std::uint64_t(std::min(a, b)));
        else if (a == 0 || b == 0)
            out[j] = 0;
        else if (double(a) * double(b) >= kSeriesFrom * double(n_samples))
            out[j] = std::int64_t(std::nearbyint(expected_by_series(terms, n_samples, a, b)));
        else
            summed.push_back(j);
    }
    const std::int64_t n_summed = std::int64_t(summed.size());
    for (std::int64_t start = 0; start < n_summed; start += kPairsAtOnce) {
        const std::int64_t n_pairs = std::min<std::int64_t>(kPairsAtOnce, n_summed - start);
        std::int64_t margins[kPairsAtOnce];
        for (std::int64_t i = 0; i < kPairsAtOnce; ++i) margins[i] = second[summed[start + std::min(i, n_pairs - 1)]];
        PairBlock block(terms, n_samples, a, margins);
        block.add_counts_above();
        block.add_counts_below();
        for (std::int64_t i = 0; i < n_pairs; ++i)
            out[summed[start + i]] = std::int64_t(std::nearbyint(block.expected(int(i))));
    }
}

}  // namespace

void expected_terms(const Terms& terms, std::int64_t n_samples, const std::int64_t* first, std::int64_t n_first,
                    const std::int64_t* second, std::int64_t n_second, std::int64_t* out) {
    for (std::int64_t i = 0; i < n_first; ++i)
        expected_row(terms, n_samples, first[i], second, n_second, out + i * n_second);
}

ExpectedSums::ExpectedSums(std::vector<std::int64_t> table, int shift, std::int64_t n_samples,
                           NodeInterpolation interpolation, std::int64_t max_rows)
    : table_(std::move(table)),
      terms_{table_.data(), table_.size(), shift},
      n_samples_(n_samples),
      interpolation_(std::move(interpolation)),
      max_rows_(max_rows) {}

const std::vector<std::int64_t>& ExpectedSums::row(std::int64_t count) {
    const auto cached = rows_.find(count);
    if (cached != rows_.end()) return cached->second;
    if (std::int64_t(rows_.size()) >= max_rows_) rows_.clear();
    std::vector<std::int64_t>& row = rows_[count];
    row.resize(interpolation_.nodes.size());
    expected_row(terms_, n_samples_, count, interpolation_.nodes.data(), std::int64_t(row.size()), row.data());
    return row;
}

std::int64_t ExpectedSums::interpolated(const std::vector<std::uint64_t>& at_nodes, std::size_t j) const {
    const std::int64_t* stencil = interpolation_.stencil.data();
    if (interpolation_.is_node[j]) return std::int64_t(at_nodes[std::size_t(stencil[j])]);
    double value = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t position = i * interpolation_.n_counts() + j;
        value += interpolation_.weights[position] * double(std::int64_t(at_nodes[std::size_t(stencil[position])]));
    }
    return std::int64_t(std::nearbyint(value));
}

void ExpectedSums::sums(const std::int64_t* counts, std::int64_t n, std::int64_t* out) {
    std::vector<std::uint64_t> at_nodes(interpolation_.nodes.size(), 0);  // without a sign: counts of no table wrap
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (std::int64_t k = 0; k < n; ++k) {
            if (counts[k] < 2) continue;  // E(0, m) = E(1, m) = 0
            const std::vector<std::int64_t>& expected = row(counts[k]);
            for (std::size_t j = 0; j < at_nodes.size(); ++j) at_nodes[j] += std::uint64_t(expected[j]);
        }
    }
    for (std::size_t j = 0; j < interpolation_.n_counts(); ++j) out[j] = interpolated(at_nodes, j);
}

}  // namespace bitsieve
