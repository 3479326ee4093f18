// Sparse columns of numbers in Python: their cuts and codes.
#include "bind/alias_check.hpp"
#include "bind/columns.hpp"
#include "encode/sparse_bins.hpp"

namespace bitsieve {

namespace {

using Starts = Input<std::int64_t>;

// The numbers of columns first .. last, whose rows lie in 0 .. n_rows.
template <class Real>
StoredNumbers<Real> numbers_of(const Starts& start, const Int32Array& row, const Input<Real>& value, std::int64_t first,
                               std::int64_t last, std::int64_t n_rows) {
    require(start.size() > 0, "the starts of the columns are missing");
    require_size(row, std::int64_t(value.size()), "row");
    require_within(last, 0, std::int64_t(start.size()), "last");
    require_within(first, 0, last + 1, "first");
    require_within(start.data()[first], 0, std::int64_t(row.size()) + 1, "a start");
    for (std::int64_t j = first; j < last; ++j)
        require_within(start.data()[j + 1], start.data()[j], std::int64_t(row.size()) + 1, "a start");
    for (std::int64_t e = start.data()[first]; e < start.data()[last]; ++e)
        require_within(row.data()[e], 0, n_rows, "row");
    return {start.data(), row.data(), value.data()};
}

template <class Real>
auto mdl(Starts start, Int32Array row, Input<Real> value, std::int64_t first, std::int64_t last, Int32Array classes,
         std::int64_t n_classes, Input<std::int64_t> table, int shift, std::optional<Starts> weights) {
    const std::int64_t n_rows = std::int64_t(classes.size());
    require_within(n_rows, 1, kMaxSamples + 1, "the number of rows");
    require_within(n_classes, 1, kMaxClasses + 1, "n_classes");
    const Terms terms = terms_of(table, shift);
    Ragged<double> result;
    {
        nb::gil_scoped_release unlocked;
        require_all_within(classes, 0, n_classes, "classes");
        const RowClasses rows{classes.data(), n_classes, checked_weights(weights, n_rows)};
        result = stored_mdl_cuts(numbers_of(start, row, value, first, last, n_rows), first, last, rows, terms);
    }
    return as_arrays(std::move(result));
}

template <class Real>
auto order_statistics(Starts start, Int32Array row, Input<Real> value, std::int64_t first, std::int64_t last,
                      std::int64_t n_rows, std::int64_t n_bins, std::optional<Starts> weights) {
    require_within(n_bins, 1, kMaxCodes, "n_bins");
    Ragged<double> result;
    {
        nb::gil_scoped_release unlocked;
        const std::int64_t* row_weights = checked_weights(weights, n_rows);
        result =
            stored_order_cuts(numbers_of(start, row, value, first, last, n_rows), first, last, n_bins, row_weights);
    }
    return as_arrays(std::move(result));
}

template <class Real>
auto distinct(Starts start, Int32Array row, Input<Real> value, std::int64_t first, std::int64_t last) {
    Ragged<double> result;
    {
        nb::gil_scoped_release unlocked;
        result = stored_distinct(numbers_of(start, row, value, first, last, kMaxSamples), first, last);
    }
    return as_arrays(std::move(result));
}

template <class Real>
void code(Starts start, Int32Array row, Input<Real> value, std::int64_t first, std::int64_t last, Input<double> cuts,
          Starts ends, bool left, Starts base, Starts missing_code, Output<std::uint16_t> out) {
    nb::gil_scoped_release unlocked;
    const StoredNumbers<Real> numbers = numbers_of(start, row, value, first, last, kMaxSamples);
    require_size(ends, last - first, "ends");
    require_size(base, last - first, "base");
    require_size(missing_code, last - first, "missing_code");
    require_size(out, std::int64_t(value.size()), "out");
    require_all_within(missing_code, 0, kMaxCodes, "missing_code");
    std::int64_t begin = 0;  // of the cuts of a column
    for (std::int64_t k = 0; k < last - first; ++k) {
        const std::int64_t end = ends.data()[k];
        require_within(end, begin, std::int64_t(cuts.size()) + 1, "an end");
        require_within(base.data()[k], 0, kMaxCodes - (end - begin), "base");
        begin = end;
    }
    require(begin == std::int64_t(cuts.size()), "the ends do not reach the last cut");
    const StoredBins bins{cuts.data(), ends.data(), left, base.data(), missing_code.data()};
    code_stored(numbers, first, last, bins, out.data());
}

template <class Real>
void bind_numbers(nb::module_& m) {
    m.def("stored_mdl_cuts", &mdl<Real>, "start"_a, "row"_a, "value"_a, "first"_a, "last"_a, "classes"_a, "n_classes"_a,
          "table"_a, "shift"_a, "weights"_a.none());
    m.def("stored_order_cuts", &order_statistics<Real>, "start"_a, "row"_a, "value"_a, "first"_a, "last"_a, "n_rows"_a,
          "n_bins"_a, "weights"_a.none());
    m.def("stored_distinct", &distinct<Real>);
    m.def("code_stored", with_alias_check(&code<Real>));
}

}  // namespace

void bind_sparse_columns(nb::module_& m) {
    bind_numbers<float>(m);
    bind_numbers<double>(m);
}

}  // namespace bitsieve
