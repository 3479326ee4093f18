#include "count/tuples.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "count/pair_counts.hpp"
#include "count/pair_matrix.hpp"

namespace bitsieve {

namespace {

constexpr std::int64_t kMinValue = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxValue = std::numeric_limits<std::int64_t>::max();

// Whether a is the larger tuple; of equal values the one with the lower features is.
bool is_larger(const Tuple& a, const Tuple& b) {
    if (a.value != b.value) return a.value > b.value;
    return std::lexicographical_compare(a.features, a.features + kMaxInTuple, b.features, b.features + kMaxInTuple);
}

// Sums may leave 64 bits on the way to a number that does not: they are computed modulo 2^64, by unsigned integers.
std::int64_t as_signed(std::uint64_t value) { return std::int64_t(value); }
std::uint64_t as_unsigned(std::int64_t value) { return std::uint64_t(value); }

// N I of a pair of features, and of each of them.
struct PairInformation {
    std::int64_t ij;
    std::int64_t i, j;
};

// N I of a triple of features, of its pairs, and of its features.
struct TripleInformation {
    std::int64_t ijk;
    std::int64_t ij, ik, jk;
    std::int64_t i, j, k;
};

// The values of a pair for i and for j.
template <Statistic kStatistic>
inline std::array<std::int64_t, 2> values_of(const PairInformation& n) {
    if constexpr (kStatistic == Statistic::joint) {
        return {n.ij, n.ij};
    } else if constexpr (kStatistic == Statistic::gain) {
        return {n.ij - n.j, n.ij - n.i};
    } else {  // the interaction of a pair is its synergy
        const std::int64_t value = n.ij - n.i - n.j;
        return {value, value};
    }
}

// The values of a triple for i, for j and for k.
template <Statistic kStatistic>
inline std::array<std::int64_t, 3> values_of(const TripleInformation& n) {
    const std::uint64_t singles = as_unsigned(n.i) + as_unsigned(n.j) + as_unsigned(n.k);
    if constexpr (kStatistic == Statistic::joint) {
        return {n.ijk, n.ijk, n.ijk};
    } else if constexpr (kStatistic == Statistic::gain) {
        return {n.ijk - n.jk, n.ijk - n.ik, n.ijk - n.ij};
    } else if constexpr (kStatistic == Statistic::interaction) {
        const std::uint64_t pairs = as_unsigned(n.ij) + as_unsigned(n.ik) + as_unsigned(n.jk);
        const std::int64_t value = as_signed(as_unsigned(n.ijk) - pairs + singles);
        return {value, value, value};
    } else {
        const std::int64_t beyond_singles = as_signed(as_unsigned(n.ijk) - singles);
        const std::int64_t beyond_ij_and_k = n.ijk - n.ij - n.k;
        const std::int64_t beyond_ik_and_j = n.ijk - n.ik - n.j;
        const std::int64_t beyond_jk_and_i = n.ijk - n.jk - n.i;
        const std::int64_t value =
            std::min(std::min(beyond_ij_and_k, beyond_ik_and_j), std::min(beyond_jk_and_i, beyond_singles));
        return {value, value, value};
    }
}

// Calls work(constant) with a compile-time constant of the type Statistic.
template <class Work>
void with_statistic(Statistic statistic, const Work& work) {
    switch (statistic) {
        case Statistic::joint: return work(std::integral_constant<Statistic, Statistic::joint>{});
        case Statistic::interaction: return work(std::integral_constant<Statistic, Statistic::interaction>{});
        case Statistic::gain: return work(std::integral_constant<Statistic, Statistic::gain>{});
        case Statistic::synergy: return work(std::integral_constant<Statistic, Statistic::synergy>{});
    }
}

}  // namespace

std::vector<std::int64_t> two_class_terms(const Terms& terms, int bits) {
    const TwoClassTerms layout{nullptr, bits};
    const std::uint64_t n_counts = std::uint64_t(1) << bits;
    std::vector<std::int64_t> out(layout.size());
    // Terms of more than all samples may wrap: they are not looked up.
    for (std::uint64_t c1 = 0; c1 < n_counts; ++c1)
        for (std::uint64_t c0 = 0; c0 < n_counts; ++c0)
            out[layout.index(c0, c1)] =
                as_signed(as_unsigned(terms(c0)) + as_unsigned(terms(c1)) - as_unsigned(terms(c0 + c1)));
    return out;
}

LargestTuples::LargestTuples(std::int64_t n_features, std::int64_t n_top)
    : n_top_(std::size_t(n_top)),
      min_top_value_(n_top == 0 ? kMaxValue : kMinValue),
      by_feature_(std::size_t(n_features), {kMinValue, {-1, -1, -1}}) {
    top_.reserve(n_top_ + 1);
}

void LargestTuples::insert(const std::int64_t* features, const std::int64_t* values, int order) {
    Tuple tuple{*std::max_element(values, values + order), {-1, -1, -1}};
    std::copy(features, features + order, tuple.features);
    const auto sort_two = [&tuple](int first, int second) {
        if (tuple.features[first] > tuple.features[second]) std::swap(tuple.features[first], tuple.features[second]);
    };
    sort_two(0, 1);
    if (order == 3) {
        sort_two(1, 2);
        sort_two(0, 1);
    }
    for (int m = 0; m < order; ++m) {
        Tuple& best = by_feature_[std::size_t(features[m])];
        Tuple candidate = tuple;
        candidate.value = values[m];
        if (is_larger(candidate, best)) best = candidate;
    }
    if (n_top_ == 0) return;
    if (top_.size() == n_top_) {
        if (!is_larger(tuple, top_.front())) return;
        std::pop_heap(top_.begin(), top_.end(), is_larger);
        top_.pop_back();
    }
    top_.push_back(tuple);
    std::push_heap(top_.begin(), top_.end(), is_larger);
    if (top_.size() == n_top_) min_top_value_ = top_.front().value;
}

// The planes and margins of one feature by itself, with as many planes as its SIMD group has.
struct TupleSearch::LanePlanes {
    std::vector<std::uint64_t> planes;
    std::vector<std::uint32_t> margins;
    int n_planes;

    PivotPlanes pivot() const { return {planes.data(), margins.data(), n_planes, 1, nullptr}; }
};

// The tables of one feature with the eight of a SIMD group, and N I of these pairs.
struct TupleSearch::PairTables {
    std::vector<std::uint64_t> cells;              // [class][code of the feature][code of the other][lane]
    std::vector<std::uint64_t> two_class_indices;  // TwoClassTerms::index of the counts of two classes; or empty
    bool has_indices;                              // each count is within the table of TwoClassTerms
    std::int64_t information[kLanes];

    const std::uint64_t* cells_or_indices(bool take_indices) const {
        return take_indices ? two_class_indices.data() : cells.data();
    }
};

// The first feature of triples, with its pairs with the SIMD groups from `first_group` on.
struct TupleSearch::FirstFeature {
    std::int64_t feature;
    std::int64_t simd_group;
    std::int64_t first_group;
    LanePlanes lane;
    std::vector<PairTables> pairs;
    std::vector<std::uint64_t> products;  // the ANDs of its planes with those of one SIMD group of second features

    const PairTables& pairs_with(std::int64_t group) const { return pairs[std::size_t(group - first_group)]; }
};

// N I of the triples of one first feature, one second feature and the eight third ones of a SIMD group.
struct TupleSearch::TripleTile {
    std::int64_t i, j;
    std::int64_t third_group;
    std::int64_t ij;
    const std::int64_t* ik;    // by the lane of the third feature
    const std::int64_t* jk;    // by the lane of the third feature
    const std::int64_t* sums;  // by the lane of the third feature: N I of the triple less N H(C)
};

TupleSearch::TupleSearch(const PackedTable& packed, std::vector<std::int64_t> table, int shift,
                         TwoClassTerms two_class_terms, Statistic statistic, std::int64_t n_top)
    : packed_(packed),
      table_(std::move(table)),
      terms_{table_.data(), std::uint64_t(table_.size()), shift},
      two_class_terms_(two_class_terms),
      statistic_(statistic),
      class_entropy_(terms_(std::uint64_t(packed.n_samples()))),
      single_information_(std::size_t(packed.n_features())),
      largest_(packed.n_features(), n_top) {
    for (std::int64_t c = 0; c < packed.n_classes(); ++c) class_entropy_ -= terms_(std::uint64_t(packed.class_size(c)));
    std::vector<std::int64_t> groups(std::size_t(packed.n_simd_groups()));
    std::iota(groups.begin(), groups.end(), 0);
    std::vector<std::int64_t> pooled_sums(single_information_.size());
    std::vector<std::int64_t> class_sums(single_information_.size());
    row_sums(packed, terms_, -1, groups.data(), std::int64_t(groups.size()), pooled_sums.data(), class_sums.data());
    for (std::size_t f = 0; f < pooled_sums.size(); ++f)
        single_information_[f] = class_sums[f] - pooled_sums[f] + class_entropy_;
}

std::int64_t TupleSearch::nonconstant_feature(std::int64_t simd_group, int lane) const {
    const std::int64_t feature = packed_.feature_at(simd_group, lane);
    return feature >= 0 && packed_.arity(feature) > 1 ? feature : -1;
}

int TupleSearch::first_lane_after(std::int64_t feature, std::int64_t simd_group) const {
    return packed_.simd_group_of(feature) == simd_group ? packed_.lane_of(feature) + 1 : 0;
}

// Pairs of feature i with the features of a SIMD group.
template <Statistic kStatistic>
void TupleSearch::add_pairs(std::int64_t i, std::int64_t simd_group, const std::int64_t* pooled_sums,
                            const std::int64_t* class_sums) {
    for (int lane = first_lane_after(i, simd_group); lane < kLanes; ++lane) {
        const std::int64_t j = nonconstant_feature(simd_group, lane);
        if (j < 0) continue;
        PairInformation information;
        information.ij = class_sums[lane] - pooled_sums[lane] + class_entropy_;
        information.i = single_information_[std::size_t(i)];
        information.j = single_information_[std::size_t(j)];
        largest_.add<2>({i, j}, values_of<kStatistic>(information));
    }
}

void TupleSearch::pairs(std::int64_t i0, std::int64_t i1, std::int64_t j0, std::int64_t j1) {
    const ClassLayout layout = packed_.layout();
    std::int64_t pooled_sums[kLanes * kLanes];
    std::int64_t class_sums[kLanes * kLanes];
    for (std::int64_t i_group = i0; i_group < i1; ++i_group) {
        const PlaneGroup rows = packed_.group(i_group);
        const PivotPlanes pivots{rows.planes, rows.margins, rows.n_planes, kLanes, nullptr};
        for (std::int64_t j_group = std::max(i_group, j0); j_group < j1; ++j_group) {
            packed_.kernel().pair_sums(pivots, packed_.group(j_group), layout, terms_, pooled_sums, class_sums);
            with_statistic(statistic_, [&](auto statistic) {
                for (int lane = 0; lane < kLanes; ++lane) {
                    const std::int64_t i = nonconstant_feature(i_group, lane);
                    if (i < 0) continue;
                    add_pairs<decltype(statistic)::value>(i, j_group, pooled_sums + lane * kLanes,
                                                          class_sums + lane * kLanes);
                }
            });
        }
    }
}

void TupleSearch::copy_lane(const PlaneGroup& group, int lane, LanePlanes& out) const {
    out.n_planes = group.n_planes;
    out.planes.resize(std::size_t(packed_.n_words() * group.n_planes));
    out.margins.resize(std::size_t((packed_.n_classes() + 1) * group.n_planes));
    for (std::size_t p = 0; p < out.planes.size(); ++p) out.planes[p] = group.planes[p * kLanes + std::size_t(lane)];
    for (std::size_t m = 0; m < out.margins.size(); ++m) out.margins[m] = group.margins[m * kLanes + std::size_t(lane)];
}

void TupleSearch::count_pairs(const PivotPlanes& pivot, std::int64_t simd_group, PairTables& out) const {
    const PlaneGroup group = packed_.group(simd_group);
    const ClassLayout layout = packed_.layout();
    const std::size_t n_cells = std::size_t(pivot.n_planes + 1) * std::size_t(group.n_planes + 1) * kLanes;  // a class
    out.cells.resize(n_cells * std::size_t(layout.n_classes));
    packed_.kernel().pair_cells(pivot, group, layout, out.cells.data());
    std::fill_n(out.information, kLanes, class_entropy_);
    out.has_indices = two_class_terms_.table != nullptr;
    for (std::size_t cell = 0; cell < n_cells; ++cell) {
        std::int64_t& information = out.information[cell % kLanes];
        std::uint64_t pooled = 0;
        for (std::size_t class_cell = cell; class_cell < out.cells.size(); class_cell += n_cells) {
            const std::uint64_t count = out.cells[class_cell];
            information += terms_(count);
            pooled += count;
            out.has_indices = out.has_indices && count >> two_class_terms_.bits == 0;
        }
        information -= terms_(pooled);
    }
    out.two_class_indices.clear();
    if (two_class_terms_.table == nullptr) return;
    for (std::size_t cell = 0; cell < n_cells; ++cell)
        out.two_class_indices.push_back(two_class_terms_.index(out.cells[cell], out.cells[n_cells + cell]));
}

TupleSearch::FirstFeature TupleSearch::prepare_first(std::int64_t simd_group, int lane,
                                                     std::int64_t first_group) const {
    const std::int64_t n_groups = packed_.n_narrow_groups();
    FirstFeature first{packed_.feature_at(simd_group, lane), simd_group, first_group, {}, {}, {}};
    copy_lane(packed_.group(simd_group), lane, first.lane);
    first.pairs.resize(std::size_t(n_groups - first_group));
    for (std::int64_t g = first_group; g < n_groups; ++g)
        count_pairs(first.lane.pivot(), g, first.pairs[std::size_t(g - first_group)]);
    return first;
}

void TupleSearch::multiply_planes(FirstFeature& first, std::int64_t second_group) const {
    const PlaneGroup second = packed_.group(second_group);
    const std::int64_t n_first = first.lane.n_planes;
    const std::int64_t row = std::int64_t(second.n_planes) * kLanes;
    first.products.resize(std::size_t(packed_.n_words() * n_first * row));
    std::uint64_t* out = first.products.data();
    for (std::int64_t w = 0; w < packed_.n_words(); ++w) {
        const std::uint64_t* second_planes = second.planes + w * row;
        for (std::int64_t a = 0; a < n_first; ++a, out += row) {
            const std::uint64_t first_plane = first.lane.planes[std::size_t(w * n_first + a)];
            for (std::int64_t p = 0; p < row; ++p) out[p] = first_plane & second_planes[p];
        }
    }
}

template <Statistic kStatistic>
void TupleSearch::add_triples(const TripleTile& tile) {
    for (int lane = first_lane_after(tile.j, tile.third_group); lane < kLanes; ++lane) {
        const std::int64_t k = nonconstant_feature(tile.third_group, lane);
        if (k < 0) continue;
        TripleInformation information;
        information.ijk = tile.sums[lane] + class_entropy_;
        information.ij = tile.ij;
        information.ik = tile.ik[lane];
        information.jk = tile.jk[lane];
        information.i = single_information_[std::size_t(tile.i)];
        information.j = single_information_[std::size_t(tile.j)];
        information.k = single_information_[std::size_t(k)];
        largest_.add<3>({tile.i, tile.j, k}, values_of<kStatistic>(information));
    }
}

// The triples of one first feature with the second features of one SIMD group and the third ones of another;
// second_pairs: the tables of the second features, by lane, with the third ones.
void TupleSearch::count_triples(const FirstFeature& first, std::int64_t second_group, std::int64_t third_group,
                                const std::vector<PairTables>& second_pairs) {
    const PairTables& ij = first.pairs_with(second_group);
    const PairTables& ik = first.pairs_with(third_group);
    // A cell of a triple is no larger than its cell of ij. Indices of ik and jk beyond the table do no harm: index() is
    // linear, and only the cells that are left when they are subtracted from one another are looked up.
    const bool take_indices = ij.has_indices;
    const int n_first = first.lane.n_planes;
    const int n_second = packed_.group(second_group).n_planes;
    TripleView view;
    view.products = {first.products.data(), nullptr, n_first * n_second, kLanes, nullptr};
    view.n_first = n_first;
    view.n_second = n_second;
    view.ij = ij.cells_or_indices(take_indices);
    view.ik = ik.cells_or_indices(take_indices);
    for (int lane = 0; lane < kLanes; ++lane)
        view.jk[lane] = second_pairs[std::size_t(lane)].cells_or_indices(take_indices);
    view.two_class_terms = {take_indices ? two_class_terms_.table : nullptr, two_class_terms_.bits};
    std::int64_t sums[kLanes * kLanes];
    packed_.kernel().triple_sums(view, packed_.group(third_group), packed_.layout(), terms_, sums);
    with_statistic(statistic_, [&](auto statistic) {
        for (int lane = first_lane_after(first.feature, second_group); lane < kLanes; ++lane) {
            const std::int64_t j = nonconstant_feature(second_group, lane);
            if (j < 0) continue;
            TripleTile tile;
            tile.i = first.feature;
            tile.j = j;
            tile.third_group = third_group;
            tile.ij = ij.information[lane];
            tile.ik = ik.information;
            tile.jk = second_pairs[std::size_t(lane)].information;
            tile.sums = sums + lane * kLanes;
            add_triples<decltype(statistic)::value>(tile);
        }
    });
}

void TupleSearch::triples(std::int64_t i0, std::int64_t i1, std::int64_t j0, std::int64_t j1) {
    std::vector<FirstFeature> firsts;
    for (std::int64_t i_group = i0; i_group < std::min(i1, j1); ++i_group)
        for (int lane = 0; lane < kLanes; ++lane)
            if (nonconstant_feature(i_group, lane) >= 0)
                firsts.push_back(prepare_first(i_group, lane, std::max(i_group, j0)));
    LanePlanes second;
    std::vector<PairTables> second_pairs(kLanes);
    for (std::int64_t j_group = std::max(i0, j0); j_group < j1; ++j_group) {
        for (FirstFeature& first : firsts)
            if (first.simd_group <= j_group) multiply_planes(first, j_group);
        for (std::int64_t k_group = j_group; k_group < packed_.n_narrow_groups(); ++k_group) {
            for (int lane = 0; lane < kLanes; ++lane) {
                copy_lane(packed_.group(j_group), lane, second);
                count_pairs(second.pivot(), k_group, second_pairs[std::size_t(lane)]);
            }
            for (const FirstFeature& first : firsts)
                if (first.simd_group <= j_group) count_triples(first, j_group, k_group, second_pairs);
        }
    }
}

}  // namespace bitsieve
