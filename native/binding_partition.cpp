// Partitions of the samples in Python.
#include "binding.hpp"

#include "partition.hpp"

namespace bitsieve {
namespace {

Partition partition_of(const Packed& packed, const Input<std::uint32_t>& order, const Input<std::int64_t>& starts) {
    require(packed.ready(0, packed.n_simd_groups()), "a feature has not been packed");
    require(starts.size() >= 1 && starts.data()[0] == 0, "starts begin with 0");
    require(starts.data()[starts.size() - 1] == std::int64_t(order.size()), "starts end with the size of order");
    for (std::size_t z = 0; z + 1 < starts.size(); ++z) {
        const std::int64_t first = starts.data()[z], last = starts.data()[z + 1];
        require(first <= last && last <= std::int64_t(order.size()), "starts must ascend");
        for (std::int64_t t = first; t < last; ++t)
            require(order.data()[t] < packed.n_samples() && (t == first || order.data()[t - 1] < order.data()[t]),
                    "order holds samples, ascending within a part");
    }
    return {order.data(), starts.data(), std::int64_t(starts.size()) - 1};
}

nb::tuple refine_partition(const Packed& packed, Input<std::uint32_t> order, Input<std::int64_t> starts,
                           std::int64_t feature) {
    const Partition partition = partition_of(packed, order, starts);
    require_feature(packed, feature, "feature");
    PartitionVectors split;
    {
        nb::gil_scoped_release unlocked;
        split = refine(packed, partition, feature);
    }
    return nb::make_tuple(to_numpy(std::move(split.order)), to_numpy(std::move(split.starts)));
}

void fill_partition_sums(const Packed& packed, Input<std::int64_t> table, int shift, Input<std::uint32_t> order,
                         Input<std::int64_t> starts, Input<std::int64_t> groups, Output<std::int64_t> xz,
                         Output<std::int64_t> xzc) {
    const Terms terms = terms_of(table, shift);
    const Partition partition = partition_of(packed, order, starts);
    require_groups(packed, groups);
    require_size(xz, packed.n_features(), "xz");
    require_size(xzc, packed.n_features(), "xzc");
    const std::int64_t* wanted = groups.data();
    const std::int64_t n_wanted = std::int64_t(groups.size());
    std::int64_t *pooled = xz.data(), *within = xzc.data();
    nb::gil_scoped_release unlocked;
    partition_sums(packed, terms, partition, wanted, n_wanted, pooled, within);
}

nb::tuple marginals_of(const Packed& packed, Input<std::int64_t> table, int shift, Input<std::uint32_t> order,
                       Input<std::int64_t> starts) {
    std::int64_t z = 0, zc = 0;
    partition_marginals(packed, terms_of(table, shift), partition_of(packed, order, starts), &z, &zc);
    return nb::make_tuple(z, zc);
}

std::int64_t freedom(const Packed& packed, Input<std::uint32_t> order, Input<std::int64_t> starts,
                     std::int64_t feature) {
    require_feature(packed, feature, "feature");
    return degrees_of_freedom(packed, partition_of(packed, order, starts), feature);
}

nb::tuple arranged(const Packed& packed, Input<std::uint32_t> order, Input<std::int64_t> starts, std::int64_t feature) {
    const Partition partition = partition_of(packed, order, starts);
    require_feature(packed, feature, "feature");
    std::vector<std::uint16_t> codes;
    Runs runs;
    {
        nb::gil_scoped_release unlocked;
        runs = arrange(packed, partition, feature, codes);
    }
    return nb::make_tuple(to_numpy(std::move(codes)), to_numpy(std::move(runs.ends)), to_numpy(std::move(runs.part_ends)));
}

// Ends of runs, or of parts: ascending from 1 to `last`.
void require_ends(const Input<std::int64_t>& ends, std::int64_t last, const char* name) {
    std::int64_t before = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        require_within(ends.data()[i], before + 1, last + 1, name);
        before = ends.data()[i];
    }
    require_within(before, last, last + 1, name);
}

void fill_shuffled_sums(Input<std::int64_t> table, int shift, Input<std::uint16_t> codes, Input<std::int64_t> run_ends,
                        Input<std::int64_t> part_ends, Input<std::uint64_t> seeds, Output<std::int64_t> out) {
    const Terms terms = terms_of(table, shift);
    require_ends(run_ends, std::int64_t(codes.size()), "run_ends");
    require_ends(part_ends, std::int64_t(run_ends.size()), "part_ends");
    require_size(out, std::int64_t(seeds.size()), "out");
    const std::uint16_t* given = codes.data();
    const std::int64_t *runs = run_ends.data(), *parts = part_ends.data();
    const std::uint64_t* first = seeds.data();
    const std::int64_t n = std::int64_t(codes.size()), n_parts = std::int64_t(part_ends.size());
    const std::int64_t n_seeds = std::int64_t(seeds.size());
    std::int64_t* sums = out.data();
    nb::gil_scoped_release unlocked;
    shuffled_sums(terms, given, n, runs, parts, n_parts, first, n_seeds, sums);
}

}  // namespace

void bind_partition(nb::module_& m, nb::class_<Packed>& packed) {
    packed.def("refine", &refine_partition, "order"_a, "starts"_a, "feature"_a)
        .def("partition_sums", &fill_partition_sums, "table"_a, "shift"_a, "order"_a, "starts"_a, "groups"_a, "xz"_a,
             "xzc"_a)
        .def("partition_marginals", &marginals_of, "table"_a, "shift"_a, "order"_a, "starts"_a)
        .def("degrees_of_freedom", &freedom, "order"_a, "starts"_a, "feature"_a)
        .def("arrange", &arranged, "order"_a, "starts"_a, "feature"_a);
    m.def("shuffled_sums", &fill_shuffled_sums, "table"_a, "shift"_a, "codes"_a, "run_ends"_a, "part_ends"_a, "seeds"_a,
          "out"_a);
}

}  // namespace bitsieve
