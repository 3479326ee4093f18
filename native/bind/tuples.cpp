// The search through pairs and triples in Python.
#include "bind/binding.hpp"

#include "count/tuples.hpp"

namespace bitsieve {

namespace {

constexpr int kMaxTwoClassBits = 12;  // 128 MiB
constexpr std::int64_t kMaxTop = std::int64_t(1) << 26;

Statistic statistic_named(const std::string& name) {
    if (name == "joint") return Statistic::joint;
    if (name == "interaction") return Statistic::interaction;
    if (name == "gain") return Statistic::gain;
    if (name == "synergy") return Statistic::synergy;
    throw std::invalid_argument("statistic '" + name + "' is not joint, interaction, gain or synergy");
}

auto make_two_class_terms(Input<std::int64_t> table, int shift, int bits) {
    const Terms terms = terms_of(table, shift);
    require_within(bits, 1, kMaxTwoClassBits + 1, "bits");
    std::vector<std::int64_t> out;
    {
        nb::gil_scoped_release unlocked;
        out = two_class_terms(terms, bits);
    }
    return to_numpy(std::move(out));
}

void construct(TupleSearch* self, const PackedTable& packed, Input<std::int64_t> table, int shift,
               Input<std::int64_t> two_class_table, int two_class_bits, const std::string& statistic,
               std::int64_t n_top) {
    terms_of(table, shift);  // refuses a table that is too short
    const Statistic searched_statistic = statistic_named(statistic);
    require(packed.ready(0, packed.n_simd_groups()), "a feature has not been packed");
    require(!packed.uses_counters() && packed.n_wide() == 0, "all features must be kept as planes");
    for (std::int64_t f = 0; f < packed.n_features(); ++f)
        require(packed.arity(f) <= kMaxTupleCodes, "a feature has more codes than tuples may have");
    require_within(two_class_bits, 1, kMaxTwoClassBits + 1, "two_class_bits");
    const TwoClassTerms two_class_terms{two_class_table.size() == 0 ? nullptr : two_class_table.data(), two_class_bits};
    require(
        two_class_table.size() == 0 || (packed.n_classes() == 2 && two_class_table.size() == two_class_terms.size()),
        "two_class_table must hold the terms of two classes, or nothing");
    require_within(n_top, 0, kMaxTop, "n_top");
    nb::gil_scoped_release unlocked;
    new (self) TupleSearch(packed, to_vector(table), shift, two_class_terms, searched_statistic, n_top);
}

template <void (TupleSearch::*kSearch)(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>
void search(TupleSearch& self, std::int64_t i0, std::int64_t i1, std::int64_t j0, std::int64_t j1) {
    for (const auto& [first, last] : {std::pair(i0, i1), std::pair(j0, j1)}) {
        require_within(first, 0, self.n_simd_groups() + 1, "block");
        require_within(last, first, self.n_simd_groups() + 1, "block");
    }
    nb::gil_scoped_release unlocked;
    (self.*kSearch)(i0, i1, j0, j1);
}

// Two arrays: the value of each tuple, and its features, three for every tuple.
auto tuples_to_numpy(const std::vector<Tuple>& tuples) {
    std::vector<std::int64_t> values;
    std::vector<std::int64_t> features;
    for (const Tuple& tuple : tuples) {
        values.push_back(tuple.value);
        features.insert(features.end(), tuple.features, tuple.features + kMaxInTuple);
    }
    return std::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(features)));
}

}  // namespace

void bind_tuples(nb::module_& m) {
    m.def("two_class_terms", &make_two_class_terms, "table"_a, "shift"_a, "bits"_a);
    nb::class_<TupleSearch>(m, "TupleSearch")
        .def("__init__", &construct, "packed"_a, "table"_a, "shift"_a, "two_class_table"_a, "two_class_bits"_a,
             "statistic"_a, "n_top"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 5>())
        .def("pairs", &search<&TupleSearch::pairs>, "i0"_a, "i1"_a, "j0"_a, "j1"_a)
        .def("triples", &search<&TupleSearch::triples>, "i0"_a, "i1"_a, "j0"_a, "j1"_a)
        .def(
            "top", [](const TupleSearch& self) { return tuples_to_numpy(self.largest().top()); },
            "The largest tuples, in any order.")
        .def(
            "best", [](const TupleSearch& self) { return tuples_to_numpy(self.largest().by_feature()); },
            "The largest tuple of every feature.");
}

}  // namespace bitsieve
