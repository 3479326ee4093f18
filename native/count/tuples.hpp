// A search through all pairs or all triples of features of several codes: what each tuple carries about the class, and
// of these numbers the largest, and the largest of every feature. Nothing is kept of the other tuples.
//
// Features are kept as planes. A block of the search is some SIMD groups of first features, some of second ones, and
// all third ones after them, so that every tuple is in one block. The tuples that are found depend on the blocks
// together, not on their order: equal numbers are decided by the lower features.
#pragma once

#include <cstdint>
#include <vector>

#include "count/packed_table.hpp"

namespace bitsieve {

// What is asked of a tuple, of I(its features;C) and that of its parts: see tuples.cpp.
enum class Statistic { joint, interaction, gain, synergy };

constexpr int kMaxInTuple = 3;
constexpr int kTupleCodes = 16;  // of a feature, at most

struct Tuple {
    std::int64_t value;                  // N 2^shift to a bit
    std::int64_t features[kMaxInTuple];  // ascending; -1 behind those of a pair
};

// The table of TwoClassTerms.
std::vector<std::int64_t> two_class_terms(const Terms& terms, int bits);

class TupleSearch {
public:
    // two_class_terms: its table must outlive this; null: each class is looked up by itself. n_top tuples are
    // kept.
    TupleSearch(const PackedTable& packed, std::vector<std::int64_t> table, int shift, TwoClassTerms two_class_terms,
                Statistic statistic, std::int64_t n_top);
    TupleSearch(const TupleSearch&) = delete;  // the terms point into its own table
    TupleSearch& operator=(const TupleSearch&) = delete;
    ~TupleSearch() = default;

    // All pairs of a feature of the SIMD groups [i0, i1) and a later one of [j0, j1).
    void pairs(std::int64_t i0, std::int64_t i1, std::int64_t j0, std::int64_t j1);
    // All triples of a feature of [i0, i1), a later one of [j0, j1), and any one later than that.
    void triples(std::int64_t i0, std::int64_t i1, std::int64_t j0, std::int64_t j1);

    std::int64_t n_simd_groups() const { return packed_.n_simd_groups(); }
    const std::vector<Tuple>& top() const { return top_; }    // in any order
    const std::vector<Tuple>& best() const { return best_; }  // by feature; what it counts for that one

private:
    struct FirstFeature;
    struct PairTables;

    // The feature of a lane where it has several codes, else -1.
    std::int64_t varying(std::int64_t simd_group, int lane) const;
    void count_pairs(const PivotPlanes& pivot, std::int64_t simd_group, PairTables& out) const;
    FirstFeature prepare(std::int64_t simd_group, int lane, std::int64_t first_group) const;
    void take_lane(const PlaneGroup& group, int lane, std::vector<std::uint64_t>& planes,
                   std::vector<std::uint32_t>& margins) const;
    void count_triples(const FirstFeature& first, std::int64_t j, std::int64_t k, const std::vector<PairTables>& jk);
    template <Statistic kWhat>
    void take_pairs(std::int64_t i, std::int64_t simd_group, const std::int64_t* pooled_sums,
                    const std::int64_t* class_sums);
    template <Statistic kWhat>
    void take_triples(std::int64_t i, std::int64_t j, std::int64_t simd_group, std::int64_t ij, const std::int64_t* ik,
                      const std::int64_t* jk, const std::int64_t* sums);
    void take(const std::int64_t* features, const std::int64_t* values, int n);

    const PackedTable& packed_;
    const std::vector<std::int64_t> table_;
    const Terms terms_;
    const TwoClassTerms two_class_terms_;
    const Statistic statistic_;
    const std::size_t n_top_;
    std::int64_t class_terms_;                      // N H(C)
    std::vector<std::int64_t> single_information_;  // I of every feature
    std::vector<Tuple> top_, best_;
    std::int64_t min_top_value_;  // tuples of a smaller value are not among the top ones
};

}  // namespace bitsieve
