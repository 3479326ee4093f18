// The variational bounds in Python; every entry point checks its arguments, as the loops trust them. The checks read
// all codes of some features, for which other threads need not wait.
#include "bind/alias_check.hpp"

#include <algorithm>
#include <cmath>

#include "kernel_set.hpp"
#include "samples/variational.hpp"

namespace bitsieve {
namespace {

using CodesArgument = std::variant<ByColumn<const std::uint8_t>, ByColumn<const std::uint16_t>>;

using RealsArgument = std::variant<Input<double>, Input<float>>;  // all of one call have one type
using TablesArgument = std::variant<Output<double>, Output<float>>;

template <class Real>
const Input<Real>& of_type(const RealsArgument& argument) {
    if (const auto* array = std::get_if<Input<Real>>(&argument)) return *array;
    throw nb::type_error("the weights and tables are of two types, or not of that of the entry point");
}

CodeColumns columns_of(const CodesArgument& argument, const Input<std::int32_t>& arities, std::int64_t n_samples) {
    return std::visit(
        [&](const auto& codes) -> CodeColumns {
            require_size(arities, std::int64_t(codes.shape(1)), "arities");
            require(n_samples >= 1 && n_samples <= std::int64_t(codes.shape(0)) && codes.shape(0) % 8 == 0,
                    "codes hold a row for every sample, and whole blocks of eight rows");
            const bool is_16_bit = sizeof(*codes.data()) == 2;
            return {{codes.data(), is_16_bit}, std::int64_t(codes.shape(0)), arities.data()};
        },
        argument);
}

// Codes index the tables: one beyond the arity would read behind them.
void require_codes(const CodeColumns& columns, std::int64_t feature) {
    require_within(columns.arities[feature], 1, kMaxCodes + 1, "arities");
    if (columns.max_code(feature) >= columns.arities[feature])
        throw std::invalid_argument("a code of feature " + std::to_string(feature) + " is not below its arity");
}

void require_features(const CodeColumns& columns, const Input<std::int32_t>& arities,
                      const Input<std::int64_t>& features) {
    require_all_within(features, 0, std::int64_t(arities.size()), "features");
    for (std::size_t i = 0; i < features.size(); ++i) require_codes(columns, features.data()[i]);
}

// The loops number the cells of a table by 32 bits.
void require_cells(std::int64_t cells) {
    require(cells <= kMaxTableCells, "the table of two features has 2^31 cells or more");
}

// The tables of the features, `rows` rows each, lie within the cells.
template <class Real, class Array>
void require_tables(const Array& cells, const Input<std::int64_t>& offset, const Input<std::int32_t>& arities,
                    const Input<std::int64_t>& features, std::int64_t rows, std::int64_t n_classes) {
    require_size(offset, std::int64_t(arities.size()), "offset");
    for (std::size_t i = 0; i < features.size(); ++i) {
        const std::int64_t f = features.data()[i];
        require_cells(rows * arities.data()[f]);
        const std::int64_t size = table_stride<Real>(rows * arities.data()[f]) * n_classes;
        require_within(offset.data()[f], 0, std::int64_t(cells.size()) - size + 1, "an offset of the tables");
    }
}

template <class Real>
Weighted<Real> weighted_of(std::int64_t n_samples, std::int64_t n_classes, const RealsArgument& argument,
                           const Input<double>& log_weights, const Input<std::int32_t>& start,
                           const Input<std::int32_t>& active) {
    const Input<Real>& weights = of_type<Real>(argument);
    require_within(n_samples, 1, kMaxSamples + 1, "n_samples");
    require_within(n_classes, 1, kMaxSamples + 1, "n_classes");
    const std::int64_t n_blocks = (n_samples + 7) / 8;
    require_size(weights, n_blocks * n_classes * 8, "weights");
    require_size(log_weights, n_blocks * n_classes * 8, "log_weights");
    require_size(start, n_blocks + 1, "start");
    require(start.data()[0] == 0 && start.data()[n_blocks] == std::int64_t(active.size()),
            "start runs from 0 to the size of active");
    for (std::int64_t b = 0; b < n_blocks; ++b) {
        const std::int32_t first = start.data()[b];
        const std::int32_t end = start.data()[b + 1];
        require(first <= end && end <= std::int64_t(active.size()), "start must ascend");
        for (std::int32_t i = first; i < end; ++i) {
            require_within(active.data()[i], 0, n_classes, "active");
            require(i == first || active.data()[i - 1] < active.data()[i], "active must ascend within a block");
        }
    }
    return {n_samples, n_classes, weights.data(), log_weights.data(), start.data(), active.data()};
}

Classes classes_of(const Input<std::int64_t>& sizes, const Input<double>& logs, std::int64_t rows) {
    std::int64_t n_samples = 0;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
        require_within(sizes.data()[c], 0, rows - n_samples + 1, "a class size");
        n_samples += sizes.data()[c];
    }
    return {sizes.data(), std::int64_t(sizes.size()), logs.data(), std::int64_t(logs.size())};
}

Candidates candidates_of(const Input<std::int64_t>& features, const Output<double>& sums) {
    require_size(sums, std::int64_t(features.size()), "out");
    return {features.data(), std::int64_t(features.size()), sums.data()};
}

double checked_log2(double x) {
    require(x == 0.0 || std::isnormal(x), "x must be a normal number or 0");
    require(x >= 0.0, "x must not be negative");
    return log2_of(x);
}

nb::ndarray<nb::numpy, double, nb::ndim<1>> checked_log2_of_each(Input<double> values) {
    const std::int64_t n = std::int64_t(values.size());
    const double* x = values.data();
    const bool all_have_logs = have_logs(x, n);
    for (std::int64_t i = 0; i < n && !all_have_logs; ++i) checked_log2(x[i]);  // says which is wrong
    std::vector<double> logs(values.size());
    {
        nb::gil_scoped_release unlocked;
        log2_of_each(x, n, logs.data());
    }
    return to_numpy(std::move(logs));
}

template <class Real>
std::int64_t checked_stride(std::int64_t cells) {
    require_within(cells, 1, kMaxCodes * kMaxCodes + 1, "cells");
    return table_stride<Real>(cells);
}

nb::ndarray<nb::numpy, double, nb::ndim<1>> exp2_by(const std::string& kernel, Input<double> values) {
    const VariationalKernel& chosen = *kernel_set(kernel).variational;
    std::vector<double> out(values.size());
    const double* x = values.data();
    {
        nb::gil_scoped_release unlocked;
        chosen.exp2(x, std::int64_t(out.size()), out.data());
    }
    return to_numpy(std::move(out));
}

nb::ndarray<nb::numpy, double, nb::ndim<1>> log2_of_counts(std::int64_t limit) {
    require_within(limit, 0, kMaxTabled + 1, "limit");
    std::vector<double> logs(static_cast<std::size_t>(limit));
    for (std::size_t n = 0; n < logs.size(); ++n) logs[n] = log2_of(double(n));
    return to_numpy(std::move(logs));
}

void likelihood_tables(const std::string& kernel, const CodesArgument& codes, Input<std::int32_t> arities,
                       Input<std::int64_t> sizes, Input<double> log_counts, std::int64_t chosen,
                       Input<std::int64_t> features, Input<std::int64_t> offset, bool in_logs,
                       const TablesArgument& cells, Output<double> true_class) {
    nb::gil_scoped_release unlocked;
    const VariationalKernel& kernels = *kernel_set(kernel).variational;
    const CodeColumns columns = columns_of(codes, arities, 1);
    const Classes classes = classes_of(sizes, log_counts, columns.rows);
    require_within(chosen, -1, std::int64_t(arities.size()), "chosen");
    if (chosen >= 0) require_codes(columns, chosen);
    require_features(columns, arities, features);
    require_size(true_class, std::int64_t(arities.size()), "true_class");
    const std::int64_t* feature_indices = features.data();
    const std::int64_t count = std::int64_t(features.size());
    const std::int64_t* offsets = offset.data();
    double* sums = true_class.data();
    std::visit(
        [&](const auto& tables) {
            using Real = std::decay_t<decltype(*tables.data())>;
            require_tables<Real>(tables, offset, arities, features, chosen < 0 ? 1 : arities.data()[chosen],
                                 classes.count);
            fill_tables(kernels, columns, classes, chosen, feature_indices, count, offsets, in_logs, tables.data(),
                        sums);
        },
        cells);
}

void naive_sums(const std::string& kernel, std::int64_t n_samples, std::int64_t n_classes, const RealsArgument& weights,
                Input<double> log_weights, Input<std::int32_t> start, Input<std::int32_t> active,
                const CodesArgument& codes, Input<std::int32_t> arities, const RealsArgument& cells,
                Input<std::int64_t> offset, Input<std::int64_t> features, Output<double> out) {
    nb::gil_scoped_release unlocked;
    const VariationalKernel& kernels = *kernel_set(kernel).variational;
    const CodeColumns columns = columns_of(codes, arities, n_samples);
    require_features(columns, arities, features);
    const Candidates candidates = candidates_of(features, out);
    std::visit(
        [&](const auto& weights_of_type) {
            using Real = std::decay_t<decltype(*weights_of_type.data())>;
            const auto weighted = weighted_of<Real>(n_samples, n_classes, weights, log_weights, start, active);
            const Input<Real>& cells_of_type = of_type<Real>(cells);
            require_tables<Real>(cells_of_type, offset, arities, features, 1, n_classes);
            const Tables<Real> tables{cells_of_type.data(), offset.data(), -1};
            if constexpr (std::is_same_v<Real, double>)
                kernels.naive(weighted, columns, tables, candidates);
            else
                kernels.naive_float32(weighted, columns, tables, candidates);
        },
        weights);
}

// Sums given the features that `state` holds and the `pending` ones, which it takes in: see PairwiseState.
void pair_sums_float32(const std::string& kernel, std::int64_t n_samples, std::int64_t n_classes,
                       const RealsArgument& weights, Input<double> log_weights, Input<std::int32_t> start,
                       Input<std::int32_t> active, const CodesArgument& codes, Input<std::int32_t> arities,
                       const std::vector<std::int64_t>& pending, const std::vector<RealsArgument>& cells,
                       const std::vector<Input<std::int64_t>>& offsets, double exponent,
                       std::optional<Output<float>> state, Input<std::int64_t> features, Output<double> out) {
    nb::gil_scoped_release unlocked;
    const VariationalKernel& kernels = *kernel_set(kernel).variational;
    const auto weighted = weighted_of<float>(n_samples, n_classes, weights, log_weights, start, active);
    const CodeColumns columns = columns_of(codes, arities, n_samples);
    require_features(columns, arities, features);
    require(cells.size() == pending.size() && offsets.size() == pending.size(),
            "every pending feature needs its cells and offsets");
    PairwiseState<float> pairwise{float(exponent), {}, nullptr, weighted.n_blocks() * n_classes * 8, true};
    for (std::size_t p = 0; p < pending.size(); ++p) {
        require_within(pending[p], 0, std::int64_t(arities.size()), "pending");
        require_codes(columns, pending[p]);
        const Input<float>& table = of_type<float>(cells[p]);
        require_tables<float>(table, offsets[p], arities, features, arities.data()[pending[p]], n_classes);
        pairwise.pending.push_back({table.data(), offsets[p].data(), pending[p]});
    }
    if (state) {
        pairwise.values = state->data();
        require_all_within(features, 0, std::int64_t(state->size()) / pairwise.row, "a feature with a state");
    }
    const Candidates candidates = candidates_of(features, out);
    kernels.pairwise_float32(weighted, columns, pairwise, candidates);
}

// Sums given all chosen features, whose tables are made here. `state`, of one candidate, takes in their logarithms.
void pair_sums_float64(const std::string& kernel, std::int64_t n_samples, std::int64_t n_classes,
                       const RealsArgument& weights, Input<double> log_weights, Input<std::int32_t> start,
                       Input<std::int32_t> active, const CodesArgument& codes, Input<std::int32_t> arities,
                       Input<std::int64_t> sizes, Input<double> log_counts, const std::vector<std::int64_t>& chosen,
                       Input<std::int64_t> features, Output<double> true_class, Output<double> out,
                       std::optional<Output<double>> state) {
    nb::gil_scoped_release unlocked;
    const VariationalKernel& kernels = *kernel_set(kernel).variational;
    const auto weighted = weighted_of<double>(n_samples, n_classes, weights, log_weights, start, active);
    const CodeColumns columns = columns_of(codes, arities, n_samples);
    const Classes classes = classes_of(sizes, log_counts, n_samples);
    require_size(sizes, n_classes, "sizes");
    require_features(columns, arities, features);
    require(!chosen.empty(), "at least one feature must be chosen");
    for (const std::int64_t feature : chosen) {
        require_within(feature, 0, std::int64_t(arities.size()), "chosen");
        require_codes(columns, feature);
        for (std::size_t i = 0; i < features.size(); ++i)
            require_cells(std::int64_t(arities.data()[feature]) * arities.data()[features.data()[i]]);
    }
    const Candidates candidates = candidates_of(features, out);
    const std::int64_t n_features = std::int64_t(arities.size());
    require_size(true_class, n_features, "true_class");
    if (state) {
        require(candidates.count == 1, "a state is kept of one candidate only");
        require_size(*state, weighted.n_blocks() * n_classes * 8, "state");
    }
    double* sums = true_class.data();
    double* state_out = state ? state->data() : nullptr;
    exact_pairwise(kernels, weighted, columns, classes, n_features, chosen, candidates, sums, state_out);
}

// Sums where the state holds the logarithms already.
void state_sums(const std::string& kernel, std::int64_t n_samples, std::int64_t n_classes, const RealsArgument& weights,
                Input<double> log_weights, Input<std::int32_t> start, Input<std::int32_t> active, double exponent,
                Output<double> state, Output<double> out) {
    const VariationalKernel& kernels = *kernel_set(kernel).variational;
    const auto weighted = weighted_of<double>(n_samples, n_classes, weights, log_weights, start, active);
    require_size(state, weighted.n_blocks() * n_classes * 8, "state");
    require_size(out, 1, "out");
    const std::int32_t arity = 1;
    const std::int64_t feature = 0;
    const CodeColumns no_columns{{nullptr, false}, 0, &arity};
    const PairwiseState<double> pairwise{exponent, {}, state.data(), 0, false};
    const Candidates candidates{&feature, 1, out.data()};
    nb::gil_scoped_release unlocked;
    kernels.pairwise(weighted, no_columns, pairwise, candidates);
}

void fill_log_kernel_sums(const std::string& kernel, Input<double> x, double scale_x, std::optional<Input<double>> z,
                          double scale_z, std::int64_t first, std::int64_t last, Output<double> out) {
    const VariationalKernel& kernels = *kernel_set(kernel).variational;
    const std::int64_t n = std::int64_t(x.size());
    if (z) require_size(*z, n, "z");
    require_size(out, n, "out");
    require(scale_x > 0 && (!z || scale_z > 0), "the scales of a kernel must be greater than 0");
    require_within(first, 0, n, "first");
    require_within(last, first + 1, n + 1, "last");
    const double* first_x = x.data();
    const double* first_z = z ? z->data() : nullptr;
    double* logs = out.data();
    nb::gil_scoped_release unlocked;
    kernels.log_kernel_sums(first_x, scale_x, first_z, scale_z, n, first, last, logs);
}

}  // namespace

void bind_variational(nb::module_& m) {
    m.def("log2", &checked_log2, "x"_a);
    m.def("log2_of_each", &checked_log2_of_each, "values"_a, "log2 of every value, the same bits on every machine.");
    m.def("exp2", &exp2_by, "kernel"_a, "values"_a);
    m.def("log2_of_counts", &log2_of_counts, "limit"_a);
    m.def("table_stride_float64", &checked_stride<double>, "cells"_a);
    m.def("table_stride_float32", &checked_stride<float>, "cells"_a);
    m.def("likelihood_tables", with_alias_check(&likelihood_tables));
    m.def("naive_sums", with_alias_check(&naive_sums));
    m.def("pair_sums_float32", with_alias_check(&pair_sums_float32));
    m.def("pair_sums_float64", with_alias_check(&pair_sums_float64));
    m.def("state_sums", with_alias_check(&state_sums));
    m.def("log_kernel_sums", with_alias_check(&fill_log_kernel_sums), "kernel"_a, "x"_a, "scale_x"_a, "z"_a.none(),
          "scale_z"_a, "first"_a, "last"_a, "out"_a);
}

}  // namespace bitsieve
