// Minima over pivots in Python.
#include "binding.hpp"

#include "minima.hpp"

namespace bitsieve {
namespace {

void construct(Minima* self, const Packed& packed, Input<std::int64_t> table, int shift, Input<std::int64_t> start,
               double one_bit, double tie) {
    terms_of(table, shift);  // checks them
    require(packed.ready(0, packed.n_simd_groups()), "a feature has not been packed");
    require(!packed.uses_counters() && packed.n_wide() == 0, "all features must be kept as planes");
    require_size(start, packed.n_features(), "start");
    require(one_bit > 0 && tie >= 0, "one_bit must be above 0, and tie 0 or more");
    nb::gil_scoped_release unlocked;
    new (self) Minima(packed, to_vector(table), shift, to_vector(start), one_bit, tie);
}

void add(Minima& self, std::int64_t feature, std::int64_t offset) {
    require_within(feature, 0, self.n_features(), "feature");
    nb::gil_scoped_release unlocked;
    self.add(feature, offset);
}

std::int64_t largest(Minima& self, Input<bool> candidates, std::int64_t first, std::int64_t last) {
    require_size(candidates, self.n_features(), "candidates");
    require_within(first, 0, self.n_simd_groups() + 1, "first");
    require_within(last, first, self.n_simd_groups() + 1, "last");
    nb::gil_scoped_release unlocked;
    return self.largest(candidates.data(), first, last);
}

nb::tuple first_at(const Minima& self, Input<bool> candidates, std::int64_t largest) {
    require_size(candidates, self.n_features(), "candidates");
    std::int64_t minimum = 0;
    const std::int64_t feature = self.first_at(candidates.data(), largest, minimum);
    require(feature >= 0, "no candidate has a minimum so large");
    return nb::make_tuple(feature, minimum);
}

}  // namespace

void bind_minima(nb::module_& m) {
    nb::class_<Minima>(m, "Minima")
        .def("__init__", &construct, "packed"_a, "table"_a, "shift"_a, "start"_a, "one_bit"_a, "tie"_a,
             nb::keep_alive<1, 2>())
        .def("add", &add, "feature"_a, "offset"_a)
        .def("largest", &largest, "candidates"_a, "first"_a, "last"_a)
        .def("first_at", &first_at, "candidates"_a, "largest"_a);
}

}  // namespace bitsieve
