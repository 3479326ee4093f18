// Variational bounds in Python.
#include "binding.hpp"

#include "variational.hpp"

namespace bitsieve {
namespace {

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
void likelihood_tables(const std::string& kernel, Codes<Code> codes, Input<std::int32_t> arities, Input<std::int64_t> sizes, Input<double> log_counts,
                       std::int64_t chosen, Input<std::int64_t> features, Input<std::int64_t> offset, bool logs,
                       Output<Real> cells, Output<double> own) {
    const CodeColumns<Code> columns = columns_of(codes, arities);
    const Classes classes = classes_of(sizes, log_counts);
    const std::int64_t *wanted = features.data(), count = std::int64_t(features.size()), *offsets = offset.data();
    Real* table = cells.data();
    double* sums = own.data();
    nb::gil_scoped_release unlocked;
    fill_tables(variational_kernel(kernel), columns, classes, chosen, wanted, count, offsets, logs, table, sums);
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

}  // namespace

void bind_variational(nb::module_& m) {
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
}

}  // namespace bitsieve
