// Shuffled classes, and the dependence of columns on them, in Python.
#include <algorithm>

#include "bind/alias_check.hpp"
#include "bind/binding.hpp"
#include "encode/dependence.hpp"
#include "encode/shuffles.hpp"

namespace bitsieve {

namespace {

using Vectors = InputGrid<std::int32_t>;
using Matrix = ByColumn<const double>;

ClassVectors vectors_of(const Vectors& classes, std::int64_t n_rows, std::int64_t n_classes) {
    require_within(n_rows, 1, kMaxSamples + 1, "the number of rows");
    require(std::int64_t(classes.shape(1)) == n_rows, "classes must hold one class a row");
    require_within(n_classes, 1, kMaxClasses + 1, "n_classes");
    require_all_within(classes, 0, n_classes, "classes");
    return {classes.data(), std::int64_t(classes.shape(0)), std::size_t(n_classes)};
}

Parts parts_of(const Input<std::uint32_t>& order, const Input<std::int64_t>& starts, std::int64_t n_rows) {
    require_size(order, n_rows, "order");
    require_all_within(order, 0, n_rows, "order");
    require(starts.size() >= 2 && starts.data()[0] == 0, "starts begin with 0");
    for (std::size_t z = 0; z + 1 < starts.size(); ++z)
        require(starts.data()[z] <= starts.data()[z + 1], "starts must ascend");
    require(starts.data()[starts.size() - 1] == n_rows, "starts end with the number of rows");
    return {order.data(), starts.data(), std::int64_t(starts.size()) - 1};
}

auto dependence_of_codes_of(Input<std::int32_t> codes, const Vectors& classes, std::int64_t n_classes,
                            Input<std::uint32_t> order, Input<std::int64_t> starts, Input<std::int64_t> table,
                            int shift) {
    const std::int64_t n_rows = std::int64_t(codes.size());
    const ClassVectors vectors = vectors_of(classes, n_rows, n_classes);
    require_all_within(codes, 0, kMaxCodes, "codes");
    const Parts parts = parts_of(order, starts, n_rows);
    const Terms terms = terms_of(table, shift);
    const std::int32_t* first_code = codes.data();
    std::vector<std::int64_t> freedom(std::size_t(vectors.n_vectors));
    std::vector<std::int64_t> sums(freedom);
    {
        nb::gil_scoped_release unlocked;
        const std::int64_t n_codes = 1 + std::int64_t(*std::max_element(first_code, first_code + n_rows));
        dependence_of_codes(first_code, n_rows, n_codes, vectors, parts, terms, freedom.data(), sums.data());
    }
    return std::make_tuple(to_numpy(std::move(freedom)), to_numpy(std::move(sums)));
}

auto dependence_of_cuts_of(const Matrix& columns, const Vectors& classes, std::int64_t n_classes,
                           Input<std::uint32_t> order, Input<std::int64_t> starts, Input<std::int64_t> table, int shift,
                           bool cut_at_median) {
    const std::int64_t n_rows = std::int64_t(columns.shape(0));
    const std::int64_t n_columns = std::int64_t(columns.shape(1));
    const ClassVectors vectors = vectors_of(classes, n_rows, n_classes);
    const Parts parts = parts_of(order, starts, n_rows);
    const Terms terms = terms_of(table, shift);
    const double* values = columns.data();
    std::vector<std::int64_t> freedom(std::size_t(n_columns * vectors.n_vectors));
    std::vector<std::int64_t> sums(freedom);
    {
        nb::gil_scoped_release unlocked;
        dependence_of_cuts(values, n_rows, n_columns, vectors, parts, terms, cut_at_median, freedom.data(),
                           sums.data());
    }
    return std::make_tuple(to_numpy(std::move(freedom)), to_numpy(std::move(sums)));
}

// Writes a shuffle of the classes for each seed.
void fill_shuffles(Input<std::int32_t> classes, Input<std::uint32_t> order, Input<std::int64_t> starts,
                   Input<std::uint64_t> seeds, Grid<std::int32_t> out) {
    const std::int64_t n_rows = std::int64_t(classes.size());
    require_within(n_rows, 1, kMaxSamples + 1, "the number of rows");
    const Parts parts = parts_of(order, starts, n_rows);
    require(out.shape(0) == seeds.size() && std::int64_t(out.shape(1)) == n_rows,
            "out must hold one class a seed and a row");
    const std::int32_t* first_class = classes.data();
    const std::uint64_t* first_seed = seeds.data();
    const std::int64_t n_shuffles = std::int64_t(seeds.size());
    std::int32_t* shuffles = out.data();
    nb::gil_scoped_release unlocked;
    shuffle_classes(first_class, n_rows, parts, first_seed, n_shuffles, shuffles);
}

}  // namespace

void bind_dependence(nb::module_& m) {
    m.def("shuffle_classes", with_alias_check(&fill_shuffles), "classes"_a, "order"_a, "starts"_a, "seeds"_a, "out"_a);
    m.def("dependence_of_codes", &dependence_of_codes_of, "codes"_a, "classes"_a, "n_classes"_a, "order"_a, "starts"_a,
          "table"_a, "shift"_a);
    m.def("dependence_of_cuts", &dependence_of_cuts_of, "columns"_a, "classes"_a, "n_classes"_a, "order"_a, "starts"_a,
          "table"_a, "shift"_a, "cut_at_median"_a);
}

}  // namespace bitsieve
