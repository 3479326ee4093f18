// The only file that knows Python: arrays in, arrays out, the GIL released around every kernel.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "fixed_point.hpp"
#include "jobs.hpp"
#include "mdl.hpp"
#include "storage.hpp"
#include "strata.hpp"
#include "table_sums.hpp"
#include "variational.hpp"

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

void fill_codes(const Packed& packed, std::int64_t feature, Output<std::uint16_t> out) {
    std::uint16_t* to = out.data();
    nb::gil_scoped_release unlocked;
    std::vector<std::uint16_t> scratch;
    const std::uint16_t* codes = packed.codes(feature, scratch);
    std::copy(codes, codes + packed.n_samples(), to);
}

void fill_pair_table(const Packed& packed, std::int64_t i, std::int64_t j, Output<std::int64_t> out) {
    std::int64_t* counts = out.data();
    nb::gil_scoped_release unlocked;
    TablePivot(packed, i).table(j, counts);
}

template <class Code>
using Codes = nb::ndarray<const Code, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

template <class Code>
CodeColumns<Code> columns_of(const Codes<Code>& codes, const Input<std::int32_t>& arities) {
    return {codes.data(), std::int64_t(codes.shape(0)), arities.data()};
}

template <class Real>
Weighted<Real> weighted_of(std::int64_t n_samples, std::int64_t n_classes, const Input<Real>& weights,
                           const Input<double>& log_weights, const Input<std::int32_t>& start,
                           const Input<std::int32_t>& active) {
    return {n_samples, n_classes, weights.data(), log_weights.data(), start.data(), active.data()};
}

Classes classes_of(const Input<std::int64_t>& sizes, const Input<double>& logs) {
    return {sizes.data(), std::int64_t(sizes.size()), logs.data(), std::int64_t(logs.size())};
}

Candidates candidates_of(const Input<std::int64_t>& features, const Output<double>& sums) {
    return {features.data(), std::int64_t(features.size()), sums.data()};
}

nb::ndarray<nb::numpy, double, nb::ndim<1>> exp2_by(const std::string& kernel, Input<double> values) {
    const VariationalKernel& chosen = variational_kernel(kernel);
    std::vector<double> out(values.size());
    const double* x = values.data();
    {
        nb::gil_scoped_release unlocked;
        chosen.exp2(x, std::int64_t(out.size()), out.data());
    }
    return to_numpy(std::move(out));
}

nb::ndarray<nb::numpy, double, nb::ndim<1>> log2_of_counts(std::int64_t limit) {
    std::vector<double> logs;
    for (std::int64_t n = 0; n < limit; ++n) logs.push_back(log2_of(double(n)));
    return to_numpy(std::move(logs));
}

template <class Code, class Real>
void likelihood_tables(Codes<Code> codes, Input<std::int32_t> arities, Input<std::int64_t> sizes, Input<double> log_counts,
                       std::int64_t chosen, Input<std::int64_t> features, Input<std::int64_t> offset, bool logs,
                       Output<Real> cells, Output<double> own) {
    const CodeColumns<Code> columns = columns_of(codes, arities);
    const Classes classes = classes_of(sizes, log_counts);
    const std::int64_t *wanted = features.data(), count = std::int64_t(features.size()), *offsets = offset.data();
    Real* table = cells.data();
    double* sums = own.data();
    nb::gil_scoped_release unlocked;
    fill_tables(columns, classes, chosen, wanted, count, offsets, logs, table, sums);
}

template <class Code, class Real>
void naive_sums(const std::string& kernel, std::int64_t n_samples, std::int64_t n_classes, Input<Real> weights,
                Input<double> log_weights, Input<std::int32_t> start, Input<std::int32_t> active, Codes<Code> codes,
                Input<std::int32_t> arities, Input<Real> cells, Input<std::int64_t> offset, Input<std::int64_t> features,
                Output<double> out) {
    const VariationalKernel& chosen = variational_kernel(kernel);
    const auto weighted = weighted_of(n_samples, n_classes, weights, log_weights, start, active);
    const CodeColumns<Code> columns = columns_of(codes, arities);
    const Tables<Real> tables{cells.data(), offset.data(), -1};
    const Candidates candidates = candidates_of(features, out);
    nb::gil_scoped_release unlocked;
    if constexpr (sizeof(Real) == 4)
        chosen.sums(columns.codes).rough_naive(weighted, columns, tables, candidates);
    else
        chosen.sums(columns.codes).naive(weighted, columns, tables, candidates);
}

template <class Code>
void rough_pair_sums(const std::string& kernel, std::int64_t n_samples, std::int64_t n_classes, Input<float> weights,
                Input<double> log_weights, Input<std::int32_t> start, Input<std::int32_t> active, Codes<Code> codes,
                Input<std::int32_t> arities, const std::vector<std::int64_t>& pending,
                const std::vector<Input<float>>& cells, const std::vector<Input<std::int64_t>>& offsets, double exponent,
                std::optional<Output<float>> state, Input<std::int64_t> features, Output<double> out) {
    const VariationalKernel& chosen = variational_kernel(kernel);
    const auto weighted = weighted_of(n_samples, n_classes, weights, log_weights, start, active);
    const CodeColumns<Code> columns = columns_of(codes, arities);
    Powers<float> powers{float(exponent), {}, state ? state->data() : nullptr, weighted.n_blocks() * n_classes * 8, true};
    for (std::size_t p = 0; p < pending.size(); ++p)
        powers.pending.push_back({cells.at(p).data(), offsets.at(p).data(), pending[p]});
    const Candidates candidates = candidates_of(features, out);
    nb::gil_scoped_release unlocked;
    chosen.sums(columns.codes).rough_power(weighted, columns, powers, candidates);
}

template <class Code>
void exact_pair_sums(const std::string& kernel, std::int64_t n_samples, std::int64_t n_classes, Input<double> weights,
                Input<double> log_weights, Input<std::int32_t> start, Input<std::int32_t> active, Codes<Code> codes,
                Input<std::int32_t> arities, Input<std::int64_t> sizes, Input<double> log_counts,
                const std::vector<std::int64_t>& given, Input<std::int64_t> features, Output<double> own,
                Output<double> out, std::optional<Output<double>> state) {
    const VariationalKernel& chosen = variational_kernel(kernel);
    const auto weighted = weighted_of(n_samples, n_classes, weights, log_weights, start, active);
    const CodeColumns<Code> columns = columns_of(codes, arities);
    const Classes classes = classes_of(sizes, log_counts);
    const Candidates candidates = candidates_of(features, out);
    const std::int64_t n_features = std::int64_t(arities.size());
    double *sums = own.data(), *kept = state ? state->data() : nullptr;
    nb::gil_scoped_release unlocked;
    exact_powers(chosen, weighted, columns, classes, n_features, given, candidates, sums, kept);
}

// Sums where the state holds the logarithms already.
void state_sums(const std::string& kernel, std::int64_t n_samples, std::int64_t n_classes, Input<double> weights,
                Input<double> log_weights, Input<std::int32_t> start, Input<std::int32_t> active, double exponent,
                Output<double> state, Output<double> out) {
    const VariationalKernel& chosen = variational_kernel(kernel);
    const auto weighted = weighted_of(n_samples, n_classes, weights, log_weights, start, active);
    const std::int32_t arity = 1;
    const std::int64_t feature = 0;
    const CodeColumns<std::uint8_t> no_columns{nullptr, 0, &arity};
    const Powers<double> powers{exponent, {}, state.data(), 0, false};
    const Candidates candidates{&feature, 1, out.data()};
    nb::gil_scoped_release unlocked;
    chosen.narrow.power(weighted, no_columns, powers, candidates);
}

void kernel_sums(const std::string& kernel, Input<double> x, double sx, std::optional<Input<double>> z, double sz,
                 std::int64_t first, std::int64_t last, Output<double> out) {
    const VariationalKernel& chosen = variational_kernel(kernel);
    const double *own = x.data(), *other = z ? z->data() : nullptr;
    const std::int64_t n = std::int64_t(x.size());
    double* sums = out.data();
    nb::gil_scoped_release unlocked;
    chosen.kernel_sums(own, sx, other, sz, n, first, last, sums);
}

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

NB_MODULE(_native, m) {
    m.doc() = "Leaf kernels of bitsieve: single-threaded, on blocks, the GIL released.";
    m.def("term_shift", &term_shift, "n_samples"_a);
    m.def("term_table", &make_term_table, "n_samples"_a, "limit"_a);
    m.def("sum_terms", &sum_terms, "counts"_a, "table"_a, "shift"_a);
    m.def("mdl_cuts", &mdl_cuts_of, "values"_a, "classes"_a, "n_classes"_a, "table"_a, "shift"_a);
    m.def("kernel_names", &kernel_names, "Kernels this machine can run, fastest first.");

    m.def("log2", &log2_of, "x"_a);
    m.def("exp2", &exp2_by, "kernel"_a, "values"_a);
    m.def("log2_of_counts", &log2_of_counts, "limit"_a);
    m.def("table_stride", &table_stride<double>, "cells"_a);
    m.def("rough_table_stride", &table_stride<float>, "cells"_a);
    m.def("likelihood_tables", &likelihood_tables<std::uint8_t, double>);
    m.def("likelihood_tables", &likelihood_tables<std::uint16_t, double>);
    m.def("likelihood_tables", &likelihood_tables<std::uint8_t, float>);
    m.def("likelihood_tables", &likelihood_tables<std::uint16_t, float>);
    m.def("naive_sums", &naive_sums<std::uint8_t, double>);
    m.def("naive_sums", &naive_sums<std::uint16_t, double>);
    m.def("naive_sums", &naive_sums<std::uint8_t, float>);
    m.def("naive_sums", &naive_sums<std::uint16_t, float>);
    m.def("rough_pair_sums", &rough_pair_sums<std::uint8_t>);
    m.def("rough_pair_sums", &rough_pair_sums<std::uint16_t>);
    m.def("exact_pair_sums", &exact_pair_sums<std::uint8_t>);
    m.def("exact_pair_sums", &exact_pair_sums<std::uint16_t>);
    m.def("state_sums", &state_sums);
    m.def("kernel_sums", &kernel_sums);

    nb::class_<Packed>(m, "Packed")
        .def("__init__", &construct, "class_sizes"_a, "order"_a, "arities"_a, "kernel"_a, "table_only"_a)
        .def("pack", &pack<std::uint8_t>, "codes"_a, "first"_a, "last"_a)
        .def("pack", &pack<std::uint16_t>, "codes"_a, "first"_a, "last"_a)
        .def("row_sums", &fill_row, "table"_a, "shift"_a, "pivot"_a, "units"_a, "xy"_a, "xyc"_a.none())
        .def("matrix_block", &fill_matrix<double>)
        .def("matrix_block", &fill_matrix<float>)
        .def("pair_table", &fill_pair_table, "i"_a, "j"_a, "out"_a)
        .def("codes", &fill_codes, "feature"_a, "out"_a, "The codes of a feature in class order.")
        .def("refine", &refine_strata, "order"_a, "starts"_a, "feature"_a)
        .def("stratum_sums", &fill_stratum_sums, "table"_a, "shift"_a, "order"_a, "starts"_a, "units"_a, "xz"_a, "xzc"_a)
        .def("strata_alone", &sums_of_strata, "table"_a, "shift"_a, "order"_a, "starts"_a)
        .def("degrees_of_freedom", &freedom, "order"_a, "starts"_a, "feature"_a)
        .def("shuffled_sums", &fill_shuffled_sums, "table"_a, "shift"_a, "order"_a, "starts"_a, "feature"_a, "seeds"_a,
             "out"_a)
        .def("unit_of", &Packed::unit_of, "feature"_a)
        .def_prop_ro("n_units", &Packed::n_units)
        .def_prop_ro("n_words", &Packed::n_words)
        .def_prop_ro("nbytes", &Packed::bytes);
}

}  // namespace bitsieve
