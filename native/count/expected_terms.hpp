// The expected entropy term of a cell, given its margins, when the samples are shuffled.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "count/fixed_point.hpp"

namespace bitsieve {

// expected_terms: out[i * n_second + j] = E(first[i], second[j]), rounded to an integer, where
//
//     E(a, b) = sum_n P(n) T[n]
//
// and P is the hypergeometric distribution of the count n of a cell with margins a and b out of n_samples.
//   how   one margin holds all samples: the count is certain; few samples are expected in the cell: the sum itself;
//         many: a Taylor series about the mean count. corrected.py has the formulas
//   needs margins from 0 to n_samples
//   same  additions, multiplications and divisions in a fixed order for each pair of margins: equal margins give equal
//         bits on every machine, whichever other pairs are computed with them
void expected_terms(const Terms& terms, std::int64_t n_samples, const std::int64_t* first, std::int64_t n_first,
                    const std::int64_t* second, std::int64_t n_second, std::int64_t* out);

// How values at some counts, the nodes, give those at others: each lies on the cubic through four nodes.
struct NodeInterpolation {
    std::vector<std::int64_t> nodes;
    std::vector<std::int64_t> stencil;  // [4][n]: the indices of the four nodes of every count
    std::vector<double> weights;        // [4][n]
    std::vector<bool> is_node;          // [n]: the first of the four nodes is the count itself, whose value is taken

    std::size_t n_counts() const { return is_node.size(); }
};

// Sums of expected terms over the counts of a table, as a margin, with each of the counts that are interpolated, as the
// other. Rows of expected terms with all nodes are computed once for each count of a table, and kept; all are dropped
// where there are `max_rows`. Threads may share it.
class ExpectedSums {
public:
    ExpectedSums(std::vector<std::int64_t> table, int shift, std::int64_t n_samples, NodeInterpolation interpolation,
                 std::int64_t max_rows);
    ExpectedSums(const ExpectedSums&) = delete;  // the terms point into its own table
    ExpectedSums& operator=(const ExpectedSums&) = delete;
    ~ExpectedSums() = default;

    std::int64_t n_samples() const { return n_samples_; }
    std::int64_t n_counts() const { return std::int64_t(interpolation_.n_counts()); }

    // out[j] = sum of E(c, m_j) over the n counts c of a table, rounded to an integer, m_j the j-th of the counts.
    void sums(const std::int64_t* counts, std::int64_t n, std::int64_t* out);

private:
    const std::vector<std::int64_t>& row(std::int64_t count);
    std::int64_t interpolated(const std::vector<std::uint64_t>& at_nodes, std::size_t j) const;

    const std::vector<std::int64_t> table_;
    const Terms terms_;
    const std::int64_t n_samples_;
    const NodeInterpolation interpolation_;
    const std::int64_t max_rows_;
    std::mutex mutex_;  // guards the rows
    std::unordered_map<std::int64_t, std::vector<std::int64_t>> rows_;
};

}  // namespace bitsieve
