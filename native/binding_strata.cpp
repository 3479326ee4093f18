// Strata of samples in Python.
#include "binding.hpp"

#include "strata.hpp"

namespace bitsieve {
namespace {

Strata strata_of(const Input<std::uint32_t>& order, const Input<std::int64_t>& starts) {
    return {order.data(), starts.data(), std::int64_t(starts.size()) - 1};
}

nb::tuple refine_strata(const Packed& packed, Input<std::uint32_t> order, Input<std::int64_t> starts,
                        std::int64_t feature) {
    const Strata strata = strata_of(order, starts);
    StrataVectors split;
    {
        nb::gil_scoped_release unlocked;
        split = refine(packed, strata, feature);
    }
    return nb::make_tuple(to_numpy(std::move(split.order)), to_numpy(std::move(split.starts)));
}

void fill_stratum_sums(const Packed& packed, Input<std::int64_t> table, int shift, Input<std::uint32_t> order,
                       Input<std::int64_t> starts, Input<std::int64_t> units, Output<std::int64_t> xz,
                       Output<std::int64_t> xzc) {
    const Terms terms = terms_of(table, shift);
    const Strata strata = strata_of(order, starts);
    const std::int64_t* wanted = units.data();
    const std::int64_t n_wanted = std::int64_t(units.size());
    std::int64_t *pooled = xz.data(), *within = xzc.data();
    nb::gil_scoped_release unlocked;
    stratum_sums(packed, terms, strata, wanted, n_wanted, pooled, within);
}

nb::tuple sums_of_strata(const Packed& packed, Input<std::int64_t> table, int shift, Input<std::uint32_t> order,
                         Input<std::int64_t> starts) {
    std::int64_t z = 0, zc = 0;
    strata_alone(packed, terms_of(table, shift), strata_of(order, starts), &z, &zc);
    return nb::make_tuple(z, zc);
}

std::int64_t freedom(const Packed& packed, Input<std::uint32_t> order, Input<std::int64_t> starts,
                     std::int64_t feature) {
    return degrees_of_freedom(packed, strata_of(order, starts), feature);
}

void fill_shuffled_sums(const Packed& packed, Input<std::int64_t> table, int shift, Input<std::uint32_t> order,
                        Input<std::int64_t> starts, std::int64_t feature, Input<std::uint64_t> seeds,
                        Output<std::int64_t> out) {
    const Terms terms = terms_of(table, shift);
    const Strata strata = strata_of(order, starts);
    const std::uint64_t* first = seeds.data();
    const std::int64_t n_seeds = std::int64_t(seeds.size());
    std::int64_t* sums = out.data();
    nb::gil_scoped_release unlocked;
    shuffled_sums(packed, terms, strata, feature, first, n_seeds, sums);
}

}  // namespace

void bind_strata(nb::class_<Packed>& packed) {
    packed.def("refine", &refine_strata, "order"_a, "starts"_a, "feature"_a)
        .def("stratum_sums", &fill_stratum_sums, "table"_a, "shift"_a, "order"_a, "starts"_a, "units"_a, "xz"_a, "xzc"_a)
        .def("strata_alone", &sums_of_strata, "table"_a, "shift"_a, "order"_a, "starts"_a)
        .def("degrees_of_freedom", &freedom, "order"_a, "starts"_a, "feature"_a)
        .def("shuffled_sums", &fill_shuffled_sums, "table"_a, "shift"_a, "order"_a, "starts"_a, "feature"_a, "seeds"_a,
             "out"_a);
}

}  // namespace bitsieve
