// The only file that knows Python: arrays in, arrays out, the GIL released around every kernel.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "fixed_point.hpp"
#include "jobs.hpp"
#include "mdl.hpp"
#include "storage.hpp"
#include "table_sums.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bitsieve {
namespace {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A numpy array that owns the values of the vector.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {kept->data(), {kept->size()}, owner};
}

Terms terms_of(const Input<std::int64_t>& table, int shift) {
    return {table.data(), std::uint64_t(table.size()), shift};
}

nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> make_term_table(std::uint64_t n, std::uint64_t limit) {
    std::vector<std::int64_t> table;
    {
        nb::gil_scoped_release unlocked;
        table = term_table(n, limit);
    }
    return to_numpy(std::move(table));
}

std::int64_t sum_terms(Input<std::int64_t> counts, Input<std::int64_t> table, int shift) {
    const Terms terms = terms_of(table, shift);
    const std::int64_t *c = counts.data(), *end = c + counts.size();
    nb::gil_scoped_release unlocked;
    std::int64_t sum = 0;
    for (; c != end; ++c) sum += terms(std::uint64_t(*c));
    return sum;
}

nb::ndarray<nb::numpy, double, nb::ndim<1>> mdl_cuts_of(Input<double> values, Input<std::int32_t> classes,
                                                        std::size_t n_classes, Input<std::int64_t> table, int shift) {
    if (values.size() != classes.size()) throw std::invalid_argument("values and classes differ in length");
    const Terms terms = terms_of(table, shift);
    std::vector<double> cuts;
    {
        nb::gil_scoped_release unlocked;
        cuts = mdl_cuts(values.data(), classes.data(), values.size(), n_classes, terms);
    }
    return to_numpy(std::move(cuts));
}

template <class T>
using Output = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Square = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> to_vector(const Input<T>& array) {
    return std::vector<T>(array.data(), array.data() + array.size());
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const Kernel& kernel : kernels())
        if (kernel.available()) names.push_back(kernel.name);
    return names;
}

void construct(Packed* self, Input<std::int64_t> class_sizes, Input<std::uint32_t> order, Input<std::int32_t> arities,
               const std::string& kernel, bool table_only) {
    const Kernel& chosen = choose_kernel(kernel);
    nb::gil_scoped_release unlocked;
    new (self) Packed(to_vector(class_sizes), to_vector(order), to_vector(arities), chosen, table_only);
}

template <class Code>
void pack(Packed& packed, Table<Code> codes, std::int64_t first, std::int64_t last) {
    const CodeTable<Code> table{codes.data(), codes.stride(0), codes.stride(1)};
    nb::gil_scoped_release unlocked;
    packed.pack(table, first, last);
}

void fill_row(const Packed& packed, const Input<std::int64_t>& table, int shift, std::int64_t pivot,
              Input<std::int64_t> units, Output<std::int64_t> xy, std::optional<Output<std::int64_t>> xyc) {
    const Terms terms = terms_of(table, shift);
    const std::int64_t* wanted = units.data();
    const std::int64_t n_wanted = std::int64_t(units.size());
    std::int64_t *pooled = xy.data(), *within = xyc ? xyc->data() : nullptr;
    nb::gil_scoped_release unlocked;
    row_sums(packed, terms, pivot, wanted, n_wanted, pooled, within);
}

template <class Real>
void fill_matrix(const Packed& packed, const Input<std::int64_t>& table, int shift, int xy_sign, int xyc_sign,
                 Input<std::int64_t> row, Input<std::int64_t> column, double unit, bool symmetric,
                 const std::vector<std::int64_t>& block, Input<std::int64_t> place, Square<Real> out) {
    const Terms terms = terms_of(table, shift);
    const PairForm form{xy_sign, xyc_sign, row.data(), column.data(), unit, symmetric};
    const Matrix<Real> matrix{out.data(), std::int64_t(out.shape(0)), place.data()};
    nb::gil_scoped_release unlocked;
    matrix_block(packed, terms, form, block.at(0), block.at(1), block.at(2), block.at(3), matrix);
}

void fill_pair_table(const Packed& packed, std::int64_t i, std::int64_t j, Output<std::int64_t> out) {
    std::int64_t* counts = out.data();
    nb::gil_scoped_release unlocked;
    TablePivot(packed, i).table(j, counts);
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "Leaf kernels of bitsieve: single-threaded, on blocks, the GIL released.";
    m.def("term_shift", &term_shift, "n_samples"_a);
    m.def("term_table", &make_term_table, "n_samples"_a, "limit"_a);
    m.def("sum_terms", &sum_terms, "counts"_a, "table"_a, "shift"_a);
    m.def("mdl_cuts", &mdl_cuts_of, "values"_a, "classes"_a, "n_classes"_a, "table"_a, "shift"_a);
    m.def("kernel_names", &kernel_names, "Kernels this machine can run, fastest first.");

    nb::class_<Packed>(m, "Packed")
        .def("__init__", &construct, "class_sizes"_a, "order"_a, "arities"_a, "kernel"_a, "table_only"_a)
        .def("pack", &pack<std::uint8_t>, "codes"_a, "first"_a, "last"_a)
        .def("pack", &pack<std::uint16_t>, "codes"_a, "first"_a, "last"_a)
        .def("row_sums", &fill_row, "table"_a, "shift"_a, "pivot"_a, "units"_a, "xy"_a, "xyc"_a.none())
        .def("matrix_block", &fill_matrix<double>)
        .def("matrix_block", &fill_matrix<float>)
        .def("pair_table", &fill_pair_table, "i"_a, "j"_a, "out"_a)
        .def("unit_of", &Packed::unit_of, "feature"_a)
        .def_prop_ro("n_units", &Packed::n_units)
        .def_prop_ro("tallied", &Packed::tallied, "Whether features of few codes are counted by the tally.")
        .def_prop_ro("n_words", &Packed::n_words)
        .def_prop_ro("nbytes", &Packed::bytes);
}

}  // namespace bitsieve
