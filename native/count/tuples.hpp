// A search through all pairs or all triples of features of several codes: what each tuple carries about the class, and
// of these numbers the largest, and the largest of every feature. Nothing is stored of the other tuples.
//
// The features are planes. A block of the search is some SIMD groups of first features, some of second ones, and
// all third ones after them, so that every tuple is in one block. The result depends on the blocks together, not on
// their order: of tuples of equal value the one with the lower features is taken for the larger.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "count/packed_table.hpp"

namespace bitsieve {

// The value of a tuple; I(...) is the information that features carry about the class.
enum class Statistic {
    joint,        // I(tuple)
    interaction,  // I(i,j) - I(i) - I(j), or I(i,j,k) - I(i,j) - I(i,k) - I(j,k) + I(i) + I(j) + I(k)
    gain,         // for each feature of the tuple: I(tuple) - I(the other features)
    synergy,      // I(tuple) - max sum of I over the parts that the tuple can be divided into
};

constexpr int kMaxInTuple = 3;
constexpr int kMaxTupleCodes = 16;  // of a feature

struct Tuple {
    std::int64_t value;                  // N 2^shift to a bit
    std::int64_t features[kMaxInTuple];  // ascending; the third is -1 for a pair
};

// The table of TwoClassTerms.
std::vector<std::int64_t> two_class_terms(const Terms& terms, int bits);

// The n_top largest tuples of those added, and the largest of every feature.
class LargestTuples {
public:
    LargestTuples(std::int64_t n_features, std::int64_t n_top);

    // values[m]: the value of the tuple for its m-th feature. The largest of them counts among the top tuples.
    template <std::size_t kOrder>
    void add(const std::array<std::int64_t, kOrder>& features, const std::array<std::int64_t, kOrder>& values) {
        bool may_enter = false;
        for (std::size_t m = 0; m < kOrder; ++m) {
            const std::int64_t best = by_feature_[std::size_t(features[m])].value;
            may_enter = may_enter || values[m] >= best || values[m] >= min_top_value_;
        }
        if (may_enter) insert(features.data(), values.data(), int(kOrder));
    }

    const std::vector<Tuple>& top() const { return top_; }                // in any order
    const std::vector<Tuple>& by_feature() const { return by_feature_; }  // with the value for that feature

private:
    void insert(const std::int64_t* features, const std::int64_t* values, int order);

    std::size_t n_top_;
    std::vector<Tuple> top_;      // a heap, its smallest tuple first
    std::int64_t min_top_value_;  // a tuple of a smaller value is not among the top ones
    std::vector<Tuple> by_feature_;
};

class TupleSearch {
public:
    // two_class_terms: its table must outlive this; null: each class is looked up by itself.
    TupleSearch(const PackedTable& packed, std::vector<std::int64_t> table, int shift, TwoClassTerms two_class_terms,
                Statistic statistic, std::int64_t n_top);
    TupleSearch(const TupleSearch&) = delete;  // terms_ points into table_
    TupleSearch& operator=(const TupleSearch&) = delete;
    ~TupleSearch() = default;

    // All pairs of a feature of the SIMD groups [i0, i1) and a later one of [j0, j1).
    void pairs(std::int64_t i0, std::int64_t i1, std::int64_t j0, std::int64_t j1);
    // All triples of a feature of [i0, i1), a later one of [j0, j1), and any one later than that.
    void triples(std::int64_t i0, std::int64_t i1, std::int64_t j0, std::int64_t j1);

    std::int64_t n_simd_groups() const { return packed_.n_simd_groups(); }
    const LargestTuples& largest() const { return largest_; }

private:
    struct LanePlanes;
    struct PairTables;
    struct FirstFeature;
    struct TripleTile;

    // The feature of a lane where it has several codes, else -1.
    std::int64_t nonconstant_feature(std::int64_t simd_group, int lane) const;
    // The first lane of a SIMD group whose feature is later than `feature`, which is not in a later group.
    int first_lane_after(std::int64_t feature, std::int64_t simd_group) const;

    void copy_lane(const PlaneGroup& group, int lane, LanePlanes& out) const;
    void count_pairs(const PivotPlanes& pivot, std::int64_t simd_group, PairTables& out) const;
    FirstFeature prepare_first(std::int64_t simd_group, int lane, std::int64_t first_group) const;
    void multiply_planes(FirstFeature& first, std::int64_t second_group) const;
    void count_triples(const FirstFeature& first, std::int64_t second_group, std::int64_t third_group,
                       const std::vector<PairTables>& second_pairs);

    template <Statistic kStatistic>
    void add_pairs(std::int64_t i, std::int64_t simd_group, const std::int64_t* pooled_sums,
                   const std::int64_t* class_sums);
    template <Statistic kStatistic>
    void add_triples(const TripleTile& tile);

    const PackedTable& packed_;
    const std::vector<std::int64_t> table_;
    const Terms terms_;
    const TwoClassTerms two_class_terms_;
    const Statistic statistic_;
    std::int64_t class_entropy_;                    // N H(C)
    std::vector<std::int64_t> single_information_;  // N I of every feature
    LargestTuples largest_;
};

}  // namespace bitsieve
