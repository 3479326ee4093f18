// Standardised sparse columns in Python: the three arrays of compressed sparse columns, by blocks of columns.
#include "binding.hpp"

#include "columns.hpp"

namespace bitsieve {
namespace {

constexpr const char* kRows = "a row of the columns is out of range, or there twice";

void check(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

void check_range(std::int64_t first, std::int64_t last, std::size_t n_columns) {
    check(0 <= first && first <= last && last <= std::int64_t(n_columns), "the block of columns is out of range");
}

template <class Real, class Index>
SparseColumns<Real, Index> columns_of(const Input<Index>& start, const Input<Index>& row, const Input<Real>& value,
                                      std::int64_t n_samples, std::int64_t first, std::int64_t last) {
    check(n_samples > 0 && start.size() > 0 && row.size() == value.size(), "the arrays of the columns differ in length");
    check_range(first, last, start.size() - 1);
    const Index* at = start.data();
    bool rises = at[first] >= 0 && std::size_t(at[last]) <= row.size();
    for (std::int64_t j = first; j < last; ++j) rises = rises && at[j] <= at[j + 1];
    check(rises, "the starts of the columns do not rise");
    return {at, row.data(), value.data(), n_samples};
}

Moments moments_of(const Output<double>& mean, const Output<double>& length, std::size_t n_columns) {
    check(mean.size() == n_columns && length.size() == n_columns, "there is one mean and one length a column");
    return {mean.data(), length.data()};
}

using Weights = InputGrid<double>;

SampleWeights weights_of(const Weights& weights, const Input<double>& sums, const Grid<double>& out,
                         std::int64_t n_samples, std::size_t n_columns) {
    const std::size_t tasks = weights.shape(1);
    check(std::int64_t(weights.shape(0)) == n_samples && sums.size() == tasks, "there is one weight a sample and task");
    check(out.shape(0) == n_columns && out.shape(1) == tasks, "there is one product a column and task");
    return {weights.data(), std::int64_t(tasks), sums.data()};
}

template <class Real, class Index>
void sparse_moments(Input<Index> start, Input<Index> row, Input<Real> value, std::int64_t n_samples, std::int64_t first,
                    std::int64_t last, Output<double> mean, Output<double> length) {
    const auto columns = columns_of(start, row, value, n_samples, first, last);
    const Moments out = moments_of(mean, length, start.size() - 1);
    nb::gil_scoped_release unlocked;
    check(rows_fit(columns, first, last), kRows);
    fill_moments(columns, first, last, out);
}

template <class Real, class Index>
void sparse_products(Input<Index> start, Input<Index> row, Input<Real> value, std::int64_t n_samples, std::int64_t first,
                     std::int64_t last, Output<double> mean, Output<double> length, Weights weights, Input<double> sums,
                     Grid<double> out) {
    const auto columns = columns_of(start, row, value, n_samples, first, last);
    const Moments moments = moments_of(mean, length, start.size() - 1);
    const SampleWeights given = weights_of(weights, sums, out, n_samples, start.size() - 1);
    double* products = out.data();
    nb::gil_scoped_release unlocked;
    check(rows_fit(columns, first, last), kRows);
    fill_products(columns, moments, given, first, last, products);
}

template <class Real, class Index>
auto sparse_correlated(Input<Index> start, Input<Index> row, Input<Real> value, std::int64_t n_samples,
                       std::int64_t first, std::int64_t last, Output<double> mean, Output<double> length,
                       Input<std::int64_t> chosen_start, Input<std::int64_t> chosen_column, Input<double> chosen_value,
                       Input<double> level, Input<double> peak, double least) {
    const auto columns = columns_of(start, row, value, n_samples, first, last);
    const Moments moments = moments_of(mean, length, start.size() - 1);
    check(std::int64_t(chosen_start.size()) == n_samples + 1 && chosen_column.size() == chosen_value.size(),
          "the chosen columns have other rows");
    check(least > 0, "the least correlation is above 0");
    const ChosenRows chosen{chosen_start.data(), chosen_column.data(), chosen_value.data(), level.data(),
                            peak.data(), std::int64_t(level.size())};
    check(peak.size() == level.size(), "there is one level and one peak a chosen column");
    bool fits = chosen.start[0] >= 0 && std::size_t(chosen.start[n_samples]) <= chosen_column.size();
    for (std::int64_t i = 0; i < n_samples; ++i) fits = fits && chosen.start[i] <= chosen.start[i + 1];
    for (std::size_t q = 0; q < chosen_column.size(); ++q)
        fits = fits && chosen.column[q] >= 0 && chosen.column[q] < chosen.n_chosen;
    check(fits, "the chosen columns are out of range");
    Correlated found;
    {
        nb::gil_scoped_release unlocked;
        check(rows_fit(columns, first, last), kRows);
        find_correlated(columns, moments, chosen, least, first, last, found);
    }
    return nb::make_tuple(to_numpy(std::move(found.column)), to_numpy(std::move(found.chosen)),
                          to_numpy(std::move(found.correlation)));
}

template <class Real, class Index>
void bind_sparse(nb::module_& m) {
    m.def("sparse_column_moments", &sparse_moments<Real, Index>);
    m.def("sparse_column_products", &sparse_products<Real, Index>);
    m.def("sparse_correlated", &sparse_correlated<Real, Index>);
}

}  // namespace

void bind_columns(nb::module_& m) {
    bind_sparse<float, std::int32_t>(m);
    bind_sparse<float, std::int64_t>(m);
    bind_sparse<double, std::int32_t>(m);
    bind_sparse<double, std::int64_t>(m);
}

}  // namespace bitsieve
