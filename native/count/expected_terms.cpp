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
constexpr int kPairsAtOnce = 8;          // the divisions of one pair need not wait for those of another
constexpr double kLogOf2 = 0.6931471805599453;

// Two doubles, and all bits or none of each: what compilers for every machine keep in a register.
typedef double Doubles __attribute__((vector_size(16)));
typedef std::int64_t Mask __attribute__((vector_size(16)));
constexpr int kDoubles = 2;
constexpr int kVectors = kPairsAtOnce / kDoubles;

// T[n] as a double for the counts n that have a weight where fewer than kSeriesFrom samples are expected. There
// P(n + 1) / P(n) <= kSeriesFrom / (n + 1): from n = 128 on each count is less than half as probable as the one before,
// and those from 256 on are negligible. For these, and for the count -1, any term is returned.
class TermsOfSmallCounts {
public:
    TermsOfSmallCounts(const Terms& terms, std::int64_t n_samples) {
        for (std::int64_t n = 0; n < std::min(n_samples + 1, kSize); ++n) term_[n] = double(terms(std::uint64_t(n)));
    }

    Doubles operator()(Doubles counts) const { return Doubles{term(counts[0]), term(counts[1])}; }

private:
    static constexpr std::int64_t kSize = 256;

    double term(double count) const { return term_[std::int32_t(count) & (kSize - 1)]; }

    double term_[kSize] = {};
};

// Pairs of margins (a, b) whose sums over counts are added up side by side.
class PairBlock {
public:
    // All pairs have the margin `a`; the others are b[0 .. kPairsAtOnce - 1].
    PairBlock(const TermsOfSmallCounts& terms, std::int64_t n_samples, std::int64_t a, const std::int64_t* b)
        : terms_(terms), n_samples_(double(n_samples)), a_(double(a)) {
        for (int v = 0; v < kVectors; ++v) {
            for (int i = 0; i < kDoubles; ++i) {
                const std::int64_t margin = b[v * kDoubles + i];
                const std::int64_t mode = (a + 1) * (margin + 1) / (n_samples + 2);
                b_[v][i] = double(margin);
                mode_[v][i] = double(mode);
            }
            total_weight_[v] = Doubles{1.0, 1.0};
            weighted_terms_[v] = terms_(mode_[v]);
        }
    }

    // E(a, b) of pair i.
    double expected(int i) const {
        return weighted_terms_[i / kDoubles][i % kDoubles] / total_weight_[i / kDoubles][i % kDoubles];
    }

    // Adds the counts above the mode:  P(n + 1) / P(n) = (a - n) (b - n) / ((n + 1) (N - a - b + n + 1)).
    void add_counts_above() {
        start_at_mode();
        while (any_left_) {
            any_left_ = false;
            for (int v = 0; v < kVectors; ++v) {
                const Doubles n = count_[v];
                const Doubles numerator = (a_ - n) * (b_[v] - n);
                const Doubles denominator = (n + 1) * (n_samples_ - a_ - b_[v] + n + 1);
                add(v, numerator, denominator, n + 1);
            }
        }
    }

    // Adds the counts below the mode:  P(n - 1) / P(n) = n (N - a - b + n) / ((a - n + 1) (b - n + 1)).
    void add_counts_below() {
        start_at_mode();
        while (any_left_) {
            any_left_ = false;
            for (int v = 0; v < kVectors; ++v) {
                const Doubles n = count_[v];
                const Doubles numerator = n * (n_samples_ - a_ - b_[v] + n);
                const Doubles denominator = (a_ - n + 1) * (b_[v] - n + 1);
                add(v, numerator, denominator, n - 1);
            }
        }
    }

private:
    void start_at_mode() {
        for (int v = 0; v < kVectors; ++v) {
            count_[v] = mode_[v];
            weight_[v] = Doubles{1.0, 1.0};
        }
        any_left_ = true;
    }

    // Adds the next count of the pairs of vector v: its probability is numerator / denominator of that of the last count.
    // A pair ends with its first negligible count. Impossible counts have the weight 0.
    void add(int v, Doubles numerator, Doubles denominator, Doubles count) {
        const Doubles one = {1.0, 1.0};
        const Doubles weight = weight_[v] * numerator / (denominator > one ? denominator : one);
        total_weight_[v] += weight;
        weighted_terms_[v] += weight * terms_(count);
        const Mask is_left = weight > kNegligible;
        weight_[v] = Doubles(Mask(weight) & is_left);
        count_[v] = count;
        any_left_ |= (is_left[0] | is_left[1]) != 0;
    }

    const TermsOfSmallCounts& terms_;
    const double n_samples_, a_;
    Doubles b_[kVectors], mode_[kVectors];
    Doubles count_[kVectors];   // the count that was added last
    Doubles weight_[kVectors];  // P(count) / P(mode); 0: nothing is left to be added
    bool any_left_ = false;     // whether a pair has a weight above 0
    Doubles total_weight_[kVectors], weighted_terms_[kVectors];
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

// One row of the result: E(a, b) for each b of `second`.
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
    if (summed.empty()) return;
    const TermsOfSmallCounts terms_of_small_counts(terms, n_samples);
    const std::int64_t n_summed = std::int64_t(summed.size());
    for (std::int64_t start = 0; start < n_summed; start += kPairsAtOnce) {
        const std::int64_t n_pairs = std::min<std::int64_t>(kPairsAtOnce, n_summed - start);
        std::int64_t margins[kPairsAtOnce];
        for (std::int64_t i = 0; i < kPairsAtOnce; ++i) margins[i] = second[summed[start + std::min(i, n_pairs - 1)]];
        PairBlock block(terms_of_small_counts, n_samples, a, margins);
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
