#include "count/tuples.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>

#include "count/pair_counts.hpp"
#include "count/pair_matrix.hpp"

namespace bitsieve {

namespace {

constexpr std::int64_t kNoValue = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kPastAll = std::numeric_limits<std::int64_t>::max();

bool better(const Tuple& a, const Tuple& b) {
    if (a.value != b.value) return a.value > b.value;
    return std::lexicographical_compare(a.features, a.features + kMaxInTuple, b.features, b.features + kMaxInTuple);
}

// Sums may leave 64 bits on the way to a number that does not: they are computed modulo 2^64, by unsigned integers.
std::int64_t as_signed(std::uint64_t value) { return std::int64_t(value); }
std::uint64_t as_unsigned(std::int64_t value) { return std::uint64_t(value); }

// What a pair counts for each of its features, from ij = I(Xi,Xj;C), i = I(Xi;C) and j = I(Xj;C).
template <Statistic kWhat>
void pair_values(std::int64_t ij, std::int64_t i, std::int64_t j, std::int64_t* values) {
    if constexpr (kWhat == Statistic::joint) values[0] = values[1] = ij;
    if constexpr (kWhat == Statistic::interaction || kWhat == Statistic::synergy) values[0] = values[1] = ij - i - j;
    if constexpr (kWhat == Statistic::gain) values[0] = ij - j, values[1] = ij - i;
}

// What a triple counts for each of its features, from the information of the triple, its pairs and its features.
template <Statistic kWhat>
inline void triple_values(std::int64_t ijk, std::int64_t ij, std::int64_t ik, std::int64_t jk, std::int64_t i,
                          std::int64_t j, std::int64_t k, std::int64_t* values) {
    if constexpr (kWhat == Statistic::joint) values[0] = values[1] = values[2] = ijk;
    if constexpr (kWhat == Statistic::interaction)
        values[0] = values[1] = values[2] =
            as_signed(as_unsigned(ijk) - as_unsigned(ij) - as_unsigned(ik) - as_unsigned(jk) + as_unsigned(i) +
                      as_unsigned(j) + as_unsigned(k));
    if constexpr (kWhat == Statistic::synergy)
        values[0] = values[1] = values[2] = std::min(
            std::min(ijk - ij - k, ijk - ik - j),
            std::min(ijk - jk - i, as_signed(as_unsigned(ijk) - as_unsigned(i) - as_unsigned(j) - as_unsigned(k))));
    if constexpr (kWhat == Statistic::gain) values[0] = ijk - jk, values[1] = ijk - ik, values[2] = ijk - ij;
}

// f(a constant of the type Statistic)
template <class F>
void with_statistic(Statistic what, const F& f) {
    switch (what) {
        case Statistic::joint: return f(std::integral_constant<Statistic, Statistic::joint>{});
        case Statistic::interaction: return f(std::integral_constant<Statistic, Statistic::interaction>{});
        case Statistic::gain: return f(std::integral_constant<Statistic, Statistic::gain>{});
        case Statistic::synergy: return f(std::integral_constant<Statistic, Statistic::synergy>{});
    }
}

}  // namespace

std::vector<std::int64_t> two_class_terms(const Terms& terms, int bits) {
    const TwoClassTerms layout{nullptr, bits};
    const std::uint64_t n = std::uint64_t(1) << bits;
    std::vector<std::int64_t> out(layout.size());
    for (std::uint64_t c1 = 0; c1 < n; ++c1)
        for (std::uint64_t c0 = 0; c0 < n; ++c0)  // beyond all samples the terms may wrap: they are never looked up
            out[layout.index(c0, c1)] =
                as_signed(as_unsigned(terms(c0)) + as_unsigned(terms(c1)) - as_unsigned(terms(c0 + c1)));
    return out;
}

// The whole tables of one feature with the eight of a SIMD group, and their information about the class.
struct TupleSearch::PairTables {
    std::vector<std::uint64_t> cells;              // [class][row][column][lane]
    std::vector<std::uint64_t> two_class_indices;  // TwoClassTerms::index of the counts of two classes
    bool fits;                                     // each count is below 1 << bits
    std::int64_t information[kLanes];

    const std::uint64_t* data(bool as_indices) const { return as_indices ? two_class_indices.data() : cells.data(); }
};

// A first feature: its planes, its tables with the groups from `first_group` on, and the ANDs of its planes with those
// of one group.
struct TupleSearch::FirstFeature {
    std::int64_t feature, simd_group, first_group;
    std::vector<std::uint64_t> planes, products;
    std::vector<std::uint32_t> margins;
    std::vector<PairTables> pairs;

    const PairTables& with(std::int64_t g) const { return pairs[std::size_t(g - first_group)]; }
    void multiply(const PlaneGroup& second, std::int64_t n_words, int n_first);
};

TupleSearch::TupleSearch(const PackedTable& packed, std::vector<std::int64_t> table, int shift,
                         TwoClassTerms two_class_terms, Statistic statistic, std::int64_t n_top)
    : packed_(packed),
      table_(std::move(table)),
      terms_{table_.data(), std::uint64_t(table_.size()), shift},
      two_class_terms_(two_class_terms),
      statistic_(statistic),
      n_top_(std::size_t(n_top)),
      class_terms_(terms_(std::uint64_t(packed.n_samples()))),
      single_information_(std::size_t(packed.n_features())),
      best_(std::size_t(packed.n_features()), {kNoValue, {-1, -1, -1}}),
      min_top_value_(n_top == 0 ? kPastAll : kNoValue) {
    for (std::int64_t c = 0; c < packed.n_classes(); ++c) class_terms_ -= terms_(std::uint64_t(packed.class_size(c)));
    std::vector<std::int64_t> groups(std::size_t(packed.n_simd_groups()));
    std::iota(groups.begin(), groups.end(), 0);
    std::vector<std::int64_t> pooled_sums(single_information_.size());
    std::vector<std::int64_t>& class_sums = single_information_;  // N I(X;C) = class sums - pooled sums + class terms
    row_sums(packed, terms_, -1, groups.data(), std::int64_t(groups.size()), pooled_sums.data(), class_sums.data());
    for (std::size_t f = 0; f < pooled_sums.size(); ++f) single_information_[f] += class_terms_ - pooled_sums[f];
    top_.reserve(n_top_ + 1);
}

std::int64_t TupleSearch::varying(std::int64_t simd_group, int lane) const {
    const std::int64_t feature = packed_.feature_at(simd_group, lane);
    return feature >= 0 && packed_.arity(feature) > 1 ? feature : -1;
}

// Keeps a tuple if it is among the best; values[m]: what it counts for its m-th feature.
void TupleSearch::take(const std::int64_t* features, const std::int64_t* values, int n) {
    Tuple tuple{*std::max_element(values, values + n), {-1, -1, -1}};
    std::copy(features, features + n, tuple.features);
    for (int m = 1; m < n; ++m)
        for (int at = m; at > 0 && tuple.features[at] < tuple.features[at - 1]; --at)
            std::swap(tuple.features[at], tuple.features[at - 1]);
    for (int m = 0; m < n; ++m) {
        Tuple entry = tuple;
        entry.value = values[m];
        if (better(entry, best_[std::size_t(features[m])])) best_[std::size_t(features[m])] = entry;
    }
    if (n_top_ == 0 || (top_.size() == n_top_ && !better(tuple, top_.front()))) return;
    if (top_.size() == n_top_) {
        std::pop_heap(top_.begin(), top_.end(), better);
        top_.pop_back();
    }
    top_.push_back(tuple);
    std::push_heap(top_.begin(), top_.end(), better);
    if (top_.size() == n_top_) min_top_value_ = top_.front().value;
}

template <Statistic kWhat>
void TupleSearch::take_pairs(std::int64_t i, std::int64_t simd_group, const std::int64_t* pooled_sums,
                             const std::int64_t* class_sums) {
    const bool same_group = packed_.simd_group_of(i) == simd_group;
    for (int lane = same_group ? packed_.lane_of(i) + 1 : 0; lane < kLanes; ++lane) {
        const std::int64_t j = varying(simd_group, lane);
        if (j < 0) continue;
        const std::int64_t features[] = {i, j};
        const std::int64_t one = single_information_[std::size_t(i)];
        const std::int64_t other = single_information_[std::size_t(j)];
        std::int64_t values[2];
        pair_values<kWhat>(class_sums[lane] - pooled_sums[lane] + class_terms_, one, other, values);
        if (values[0] >= best_[std::size_t(i)].value || values[1] >= best_[std::size_t(j)].value ||
            std::max(values[0], values[1]) >= min_top_value_)
            take(features, values, 2);
    }
}

void TupleSearch::pairs(std::int64_t i0, std::int64_t i1, std::int64_t j0, std::int64_t j1) {
    const ClassLayout layout = packed_.layout();
    std::int64_t pooled_sums[kLanes * kLanes];
    std::int64_t class_sums[kLanes * kLanes];
    for (std::int64_t i = i0; i < i1; ++i)
        for (std::int64_t j = std::max(i, j0); j < j1; ++j) {
            const PlaneGroup rows = packed_.group(i);
            packed_.kernel().pair_sums({rows.planes, rows.margins, rows.n_planes, kLanes, nullptr}, packed_.group(j),
                                       layout, terms_, pooled_sums, class_sums);
            with_statistic(statistic_, [&](auto what) {
                for (int lane = 0; lane < kLanes; ++lane)
                    if (varying(i, lane) >= 0)
                        take_pairs<decltype(what)::value>(varying(i, lane), j, pooled_sums + lane * kLanes,
                                                          class_sums + lane * kLanes);
            });
        }
}

void TupleSearch::FirstFeature::multiply(const PlaneGroup& second, std::int64_t n_words, int n_first) {
    const std::int64_t row = std::int64_t(second.n_planes) * kLanes;
    products.resize(std::size_t(n_words * n_first * row));
    std::uint64_t* out = products.data();
    for (std::int64_t w = 0; w < n_words; ++w)
        for (int a = 0; a < n_first; ++a, out += row) {
            const std::uint64_t plane = planes[std::size_t(w * n_first + a)];
            const std::uint64_t* others = second.planes + w * row;
            for (std::int64_t p = 0; p < row; ++p) out[p] = plane & others[p];
        }
}

void TupleSearch::count_pairs(const PivotPlanes& pivot, std::int64_t simd_group, PairTables& out) const {
    const PlaneGroup group = packed_.group(simd_group);
    const ClassLayout layout = packed_.layout();
    const std::size_t table = std::size_t(pivot.n_planes + 1) * std::size_t(group.n_planes + 1) * kLanes;
    out.cells.resize(table * std::size_t(layout.n_classes));
    packed_.kernel().pair_cells(pivot, group, layout, out.cells.data());
    std::fill_n(out.information, kLanes, class_terms_);
    out.fits = two_class_terms_.table != nullptr;
    for (std::size_t c = 0; c < table; ++c) {
        std::uint64_t pooled = 0;
        for (std::size_t at = c; at < out.cells.size(); at += table) {
            out.information[c % kLanes] += terms_(out.cells[at]);
            pooled += out.cells[at];
            out.fits = out.fits && out.cells[at] >> two_class_terms_.bits == 0;
        }
        out.information[c % kLanes] -= terms_(pooled);
    }
    out.two_class_indices.clear();
    if (two_class_terms_.table != nullptr)
        for (std::size_t c = 0; c < table; ++c)
            out.two_class_indices.push_back(two_class_terms_.index(out.cells[c], out.cells[table + c]));
}

// One lane of a group as a pivot, with as many planes as the group.
void TupleSearch::take_lane(const PlaneGroup& group, int lane, std::vector<std::uint64_t>& planes,
                            std::vector<std::uint32_t>& margins) const {
    planes.resize(std::size_t(packed_.n_words() * group.n_planes));
    margins.resize(std::size_t((packed_.n_classes() + 1) * group.n_planes));
    for (std::size_t p = 0; p < planes.size(); ++p) planes[p] = group.planes[p * kLanes + std::size_t(lane)];
    for (std::size_t m = 0; m < margins.size(); ++m) margins[m] = group.margins[m * kLanes + std::size_t(lane)];
}

TupleSearch::FirstFeature TupleSearch::prepare(std::int64_t simd_group, int lane, std::int64_t first_group) const {
    const PlaneGroup group = packed_.group(simd_group);
    const std::int64_t n_groups = packed_.n_narrow_groups();
    FirstFeature first{packed_.feature_at(simd_group, lane), simd_group, first_group, {}, {}, {}, {}};
    take_lane(group, lane, first.planes, first.margins);
    first.pairs.resize(std::size_t(n_groups - first_group));
    const PivotPlanes pivot{first.planes.data(), first.margins.data(), group.n_planes, 1, nullptr};
    for (std::int64_t g = first_group; g < n_groups; ++g)
        count_pairs(pivot, g, first.pairs[std::size_t(g - first_group)]);
    return first;
}

// One lane j of second features with the eight of a group: ij, and of each third one ik, jk and ijk.
template <Statistic kWhat>
void TupleSearch::take_triples(std::int64_t i, std::int64_t j, std::int64_t simd_group, std::int64_t ij,
                               const std::int64_t* ik, const std::int64_t* jk, const std::int64_t* sums) {
    const bool same_group = packed_.simd_group_of(j) == simd_group;
    for (int lane = same_group ? packed_.lane_of(j) + 1 : 0; lane < kLanes; ++lane) {
        const std::int64_t k = varying(simd_group, lane);
        if (k < 0) continue;
        const std::int64_t features[] = {i, j, k};
        std::int64_t values[3];
        triple_values<kWhat>(sums[lane] + class_terms_, ij, ik[lane], jk[lane], single_information_[std::size_t(i)],
                             single_information_[std::size_t(j)], single_information_[std::size_t(k)], values);
        if (values[0] >= best_[std::size_t(i)].value || values[1] >= best_[std::size_t(j)].value ||
            values[2] >= best_[std::size_t(k)].value ||
            std::max(values[0], std::max(values[1], values[2])) >= min_top_value_)
            take(features, values, 3);
    }
}

// The triples of one first feature, the second features of a group and the third ones of another.
void TupleSearch::count_triples(const FirstFeature& first, std::int64_t j, std::int64_t k,
                                const std::vector<PairTables>& jk) {
    const PairTables& ij = first.with(j);
    const PairTables& ik = first.with(k);
    const int n_first = packed_.group(first.simd_group).n_planes;
    const int n_second = packed_.group(j).n_planes;
    TripleView view{{first.products.data(), nullptr, n_first * n_second, kLanes, nullptr},
                    n_first,
                    n_second,
                    ij.data(ij.fits),
                    ik.data(ij.fits),
                    {},
                    {ij.fits ? two_class_terms_.table : nullptr, two_class_terms_.bits}};
    for (int lane = 0; lane < kLanes; ++lane) view.jk[lane] = jk[std::size_t(lane)].data(ij.fits);
    std::int64_t sums[kLanes * kLanes];
    packed_.kernel().triple_sums(view, packed_.group(k), packed_.layout(), terms_, sums);
    with_statistic(statistic_, [&](auto what) {
        for (int lane = first.simd_group == j ? packed_.lane_of(first.feature) + 1 : 0; lane < kLanes; ++lane)
            if (varying(j, lane) >= 0)
                take_triples<decltype(what)::value>(first.feature, varying(j, lane), k, ij.information[lane],
                                                    ik.information, jk[std::size_t(lane)].information,
                                                    sums + lane * kLanes);
    });
}

void TupleSearch::triples(std::int64_t i0, std::int64_t i1, std::int64_t j0, std::int64_t j1) {
    std::vector<FirstFeature> firsts;
    for (std::int64_t i = i0; i < std::min(i1, j1); ++i)
        for (int lane = 0; lane < kLanes; ++lane)
            if (varying(i, lane) >= 0) firsts.push_back(prepare(i, lane, std::max(i, j0)));
    std::vector<PairTables> jk(kLanes);
    std::vector<std::uint64_t> planes;
    std::vector<std::uint32_t> margins;
    for (std::int64_t j = std::max(i0, j0); j < j1; ++j) {
        const PlaneGroup second = packed_.group(j);
        for (FirstFeature& first : firsts)
            if (first.simd_group <= j)
                first.multiply(second, packed_.n_words(), packed_.group(first.simd_group).n_planes);
        for (std::int64_t k = j; k < packed_.n_narrow_groups(); ++k) {
            for (int lane = 0; lane < kLanes; ++lane) {
                take_lane(second, lane, planes, margins);
                count_pairs({planes.data(), margins.data(), second.n_planes, 1, nullptr}, k, jk[std::size_t(lane)]);
            }
            for (const FirstFeature& first : firsts)
                if (first.simd_group <= j) count_triples(first, j, k, jk);
        }
    }
}

}  // namespace bitsieve
