// The packed table in Python: packing, rows, matrices and tables of counts.
#include "binding.hpp"

#include <algorithm>

#include "jobs.hpp"

namespace bitsieve {
namespace {

void construct(Packed* self, Input<std::int64_t> class_sizes, Input<std::uint32_t> order, Input<std::int32_t> arities,
               const std::string& kernel, const std::string& storage) {
    const Kernel& chosen = choose_kernel(kernel);
    const Storage form = storage_named(storage);
    nb::gil_scoped_release unlocked;
    new (self) Packed(to_vector(class_sizes), to_vector(order), to_vector(arities), chosen, form);
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
                 const std::vector<std::int64_t>& block, Input<std::int64_t> place, Grid<Real> out) {
    const Terms terms = terms_of(table, shift);
    const PairForm form{xy_sign, xyc_sign, row.data(), column.data(), unit, symmetric};
    const Matrix<Real> matrix{out.data(), std::int64_t(out.shape(0)), place.data()};
    nb::gil_scoped_release unlocked;
    matrix_block(packed, terms, form, block.at(0), block.at(1), block.at(2), block.at(3), matrix);
}

// Rows of counts, one a column; see jobs.hpp.
void fill_cells(const Packed& packed, std::int64_t pivot, Input<std::int64_t> columns, Grid<std::int64_t> xy,
                std::optional<Grid<std::int64_t>> xyc) {
    const std::int64_t n = std::int64_t(columns.size());
    if (std::int64_t(xy.shape(0)) != n || (xyc && std::int64_t(xyc->shape(0)) != n))
        throw std::invalid_argument("one row a column is needed");
    const std::int64_t* features = columns.data();
    const std::int64_t xy_width = std::int64_t(xy.shape(1)), xyc_width = xyc ? std::int64_t(xyc->shape(1)) : 0;
    std::int64_t *pooled = xy.data(), *within = xyc ? xyc->data() : nullptr;
    nb::gil_scoped_release unlocked;
    pair_cells(packed, pivot, features, n, xy_width, pooled, xyc_width, within);
}

template <class Real>
void fill_rows(const Packed& packed, const Input<std::int64_t>& table, int shift, int xy_sign, int xyc_sign,
               Input<std::int64_t> row, Input<std::int64_t> column, double unit, bool symmetric,
               Input<std::int64_t> pivots, Input<std::int64_t> units, Input<std::int64_t> place, Grid<Real> out) {
    const Terms terms = terms_of(table, shift);
    const PairForm form{xy_sign, xyc_sign, row.data(), column.data(), unit, symmetric};
    if (out.shape(0) != pivots.size()) throw std::invalid_argument("one row a pivot is needed");
    const Rows<Real> rows{out.data(), std::int64_t(out.shape(1)), place.data()};
    const std::int64_t n_pivots = std::int64_t(pivots.size()), n_units = std::int64_t(units.size());
    nb::gil_scoped_release unlocked;
    matrix_rows(packed, terms, form, pivots.data(), n_pivots, units.data(), n_units, rows);
}

void fill_codes(const Packed& packed, std::int64_t feature, Output<std::uint16_t> out) {
    std::uint16_t* to = out.data();
    nb::gil_scoped_release unlocked;
    std::vector<std::uint16_t> scratch;
    const std::uint16_t* codes = packed.codes(feature, scratch);
    std::copy(codes, codes + packed.n_samples(), to);
}

}  // namespace

void bind_packed(nb::class_<Packed>& packed) {
    packed.def("__init__", &construct, "class_sizes"_a, "order"_a, "arities"_a, "kernel"_a, "storage"_a)
        .def("pack", &pack<std::uint8_t>, "codes"_a, "first"_a, "last"_a)
        .def("pack", &pack<std::uint16_t>, "codes"_a, "first"_a, "last"_a)
        .def("row_sums", &fill_row, "table"_a, "shift"_a, "pivot"_a, "units"_a, "xy"_a, "xyc"_a.none())
        .def("matrix_block", &fill_matrix<double>)
        .def("matrix_block", &fill_matrix<float>)
        .def("pair_cells", &fill_cells, "pivot"_a, "columns"_a, "xy"_a, "xyc"_a.none())
        .def("matrix_rows", &fill_rows<double>)
        .def("matrix_rows", &fill_rows<float>)
        .def("codes", &fill_codes, "feature"_a, "out"_a, "The codes of a feature in class order.")
        .def("simd_group_of", &Packed::unit_of, "feature"_a)
        .def_prop_ro("n_simd_groups", &Packed::n_units)
        .def_prop_ro("tallied", &Packed::tallied, "Whether features of few codes are counted by packed counters.")
        .def_prop_ro("nbytes", &Packed::bytes);
}

}  // namespace bitsieve
