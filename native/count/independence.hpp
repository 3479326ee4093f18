// What a test of independence needs of two variables within strata, the joint values of other variables.
//
// With n_z samples in a stratum, n_xz of them with code x of the first variable, n_yz with code y of the second, and
// n_xyz with both:
//
//     information        S_xyz + S_z - S_xz - S_yz,  sums of T over these counts: N I(X;Y|Z) in terms
//     degrees_of_freedom sum over the strata of (codes of x - 1) (codes of y - 1), of those that occur
//     expected_excess    sum over the strata, x and y of E[c ln c] - m ln m, with the mean m = n_xz n_yz / n_z
//     pearson            sum of (n_xyz - m)^2 / m
//     least_expected     the smallest m, over the strata in which both variables vary; infinite without any
//     n_strata           how many strata have samples
//
// A stratum in which one of the variables is constant adds to `n_strata` only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#include "count/expected_excess.hpp"
#include "count/fixed_point.hpp"
#include "count/partition.hpp"

namespace bitsieve {

// The codes of several variables, stored variable by variable. The codes of variable v are below n_codes[v].
struct CodedVariables {
    const std::uint16_t* first;
    std::int64_t n_samples;
    std::vector<std::int64_t> n_codes;

    std::int64_t n_variables() const { return std::int64_t(n_codes.size()); }
    std::int64_t max_codes() const { return *std::max_element(n_codes.begin(), n_codes.end()); }
    const std::uint16_t* codes(std::int64_t variable) const { return first + variable * n_samples; }
};

// All samples, divided into strata by the joint values of variables.
class Strata {
public:
    explicit Strata(std::int64_t n_samples);  // one stratum
    Strata refined(const std::uint16_t* codes, std::int64_t n_codes) const;

    std::int64_t n_samples() const { return n_samples_; }
    std::int64_t n_strata() const;  // strata that have samples
    Partition partition() const;    // without the strata of one sample

private:
    std::int64_t n_samples_;
    PartitionVectors vectors_;
};

// The samples of the strata in which a variable varies, grouped by stratum and code of the variable. Several strata
// make a block, of such a size that its table with a second variable stays in the cache.
class VariableInStrata {
public:
    VariableInStrata(const CodedVariables& variables, std::int64_t variable, const Strata& strata);

    struct Stratum {
        std::int64_t n_samples;
        std::int64_t groups_end;  // among the groups of the block
    };
    struct Block {
        std::vector<Stratum> strata;
        std::vector<std::int64_t> group_sizes;
        std::vector<std::uint32_t> samples;  // ascending; empty if `groups` is of all samples
        std::vector<std::uint32_t> groups;   // the group of each sample; group_sizes.size() if it is in none

        bool has_all_samples() const { return samples.empty(); }
        std::int64_t n_samples() const {
            return std::accumulate(group_sizes.begin(), group_sizes.end(), std::int64_t(0));
        }
    };

    const std::vector<Block>& blocks() const { return blocks_; }
    std::int64_t n_samples() const { return n_samples_; }
    std::int64_t n_strata() const { return n_strata_; }    // also strata in which the variable is constant
    std::int64_t max_codes() const { return max_codes_; }  // that a second variable may have

private:
    // The last block, or a new one if that has no room for so many groups more. There are n_groups in all blocks.
    Block& block_with_room(std::size_t n_more, std::uint32_t n_groups);
    void fill_blocks(const std::vector<std::uint32_t>& group_of_sample);

    std::int64_t n_samples_;
    std::int64_t n_strata_;
    std::int64_t max_codes_;
    std::vector<Block> blocks_;
    std::vector<std::uint32_t> first_group_;  // of every block, among all groups
};

struct IndependenceSums {
    std::int64_t information = 0;
    std::int64_t degrees_of_freedom = 0;
    __int128 expected_excess = 0;  // in units of 2^-50 nats
    double pearson = 0.0;
    double least_expected = std::numeric_limits<double>::infinity();
    std::int64_t n_strata = 0;
};

// Which of the sums that few tests use are computed.
struct OptionalSums {
    bool expected_excess;
    bool pearson;
};

// Adds up the sums of tests. Threads may share it.
class IndependenceCounter {
public:
    IndependenceCounter(std::vector<std::int64_t> table, int shift);
    IndependenceCounter(const IndependenceCounter&) = delete;  // terms_ points into table_
    IndependenceCounter& operator=(const IndependenceCounter&) = delete;
    ~IndependenceCounter() = default;

    // The tests of a variable, whose samples are grouped, with each of `others`.
    std::vector<IndependenceSums> of_variables(const VariableInStrata& grouped, const CodedVariables& variables,
                                               const std::int64_t* others, std::int64_t n_others,
                                               OptionalSums optional);

    // The test of a table of shape (strata, n_rows, n_columns), from its occupied cells, ascending.
    IndependenceSums of_table(const std::int64_t* cells, const std::int64_t* counts, std::int64_t n_cells,
                              std::int64_t n_rows, std::int64_t n_columns, OptionalSums optional);

private:
    struct Return {
        IndependenceCounter* owner;
        void operator()(ExpectedExcess* excess) const;
    };
    using Borrowed = std::unique_ptr<ExpectedExcess, Return>;  // used by one thread until it is returned

    Borrowed borrow();
    void add_block(const VariableInStrata::Block& block, const std::uint32_t* cells, std::int64_t n_codes,
                   OptionalSums optional, ExpectedExcess* excess, IndependenceSums& sums) const;

    const std::vector<std::int64_t> table_;
    const Terms terms_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<ExpectedExcess>> idle_;  // used by no thread now
};

}  // namespace bitsieve
