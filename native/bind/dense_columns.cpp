// Dense columns of numbers in Python: what they hold, their cuts, and their codes.
#include "bind/alias_check.hpp"
#include "bind/columns.hpp"

#include <algorithm>
#include <cmath>

#include "encode/cuts.hpp"
#include "encode/encode.hpp"
#include "encode/rank_sums.hpp"
#include "encode/sorting.hpp"
#include "kernel_set.hpp"

namespace bitsieve {

namespace {

using AnyMatrix = NoConvertArray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using AnyColumn = NoConvertArray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using GivenColumns = std::variant<AnyMatrix, std::vector<AnyColumn>>;
using GivenCodes = std::variant<ByColumn<std::uint8_t>, ByColumn<std::uint16_t>>;  // to be written

NumberType number_type(nb::dlpack::dtype type) {
    const auto is = [type](nb::dlpack::dtype_code code, int bits) {
        return type.code == std::uint8_t(code) && type.bits == bits && type.lanes == 1;
    };
    using Kind = nb::dlpack::dtype_code;
    if (is(Kind::UInt, 8)) return NumberType::u8;
    if (is(Kind::UInt, 16)) return NumberType::u16;
    if (is(Kind::UInt, 32)) return NumberType::u32;
    if (is(Kind::UInt, 64)) return NumberType::u64;
    if (is(Kind::Int, 8)) return NumberType::i8;
    if (is(Kind::Int, 16)) return NumberType::i16;
    if (is(Kind::Int, 32)) return NumberType::i32;
    if (is(Kind::Int, 64)) return NumberType::i64;
    if (is(Kind::Float, 32)) return NumberType::f32;
    if (is(Kind::Float, 64)) return NumberType::f64;
    throw std::invalid_argument("columns must hold integers of 8 to 64 bits or floats of 32 or 64");
}

void check_rows(std::int64_t n_rows) { require_within(n_rows, 1, kMaxSamples + 1, "the number of rows"); }

Columns columns_of(const AnyMatrix& matrix) {
    Columns table{number_type(matrix.dtype()), std::int64_t(matrix.shape(0)), {}};
    check_rows(table.n_rows);
    const std::int64_t step = matrix.stride(1) * std::int64_t(matrix.itemsize());
    const char* start = static_cast<const char*>(matrix.data());
    for (std::size_t j = 0; j < matrix.shape(1); ++j)
        table.columns.push_back({start + std::int64_t(j) * step, matrix.stride(0)});
    return table;
}

Columns columns_of(const std::vector<AnyColumn>& arrays) {
    require(!arrays.empty(), "at least one column is needed");
    Columns table{number_type(arrays[0].dtype()), std::int64_t(arrays[0].shape(0)), {}};
    check_rows(table.n_rows);
    for (const AnyColumn& array : arrays) {
        require(array.dtype() == arrays[0].dtype(), "the columns must be of one type");
        require(std::int64_t(array.shape(0)) == table.n_rows, "the columns differ in length");
        table.columns.push_back({array.data(), array.stride(0)});
    }
    return table;
}

Columns columns_of(const GivenColumns& arrays) {
    return std::visit([](const auto& columns) { return columns_of(columns); }, arrays);
}

template <class T>
nb::object as_array(std::vector<T>&& values) {
    return nb::cast(to_numpy(std::move(values)));
}

// Calls `use` with a number of the type of the columns and the start of the codes.
template <class Use>
void with_codes(const Columns& table, const GivenCodes& out, const Use& use) {
    std::visit([&](const auto& codes) { with_type(table.type, [&](auto number) { use(number, codes.data()); }); }, out);
}

// A position and a missing code for each column, and ends that fit the values.
void check_layout(const Columns& table, const Input<std::int64_t>& ends, std::size_t n_values,
                  const Input<std::int64_t>& missing_code, const Input<std::int64_t>& position, const GivenCodes& out) {
    const auto shape = [&out](int axis) {
        return std::visit([axis](const auto& codes) { return std::int64_t(codes.shape(axis)); }, out);
    };
    const std::int64_t end_of_codes = out.index() == 0 ? 1 << 8 : 1 << 16;
    require_size(ends, table.size(), "ends");
    require_size(missing_code, table.size(), "missing_code");
    require_size(position, table.size(), "position");
    require_all_within(position, 0, shape(1), "position");
    require_all_within(missing_code, 0, end_of_codes, "missing_code");
    require(shape(0) == table.n_rows, "out has one row a row of the columns");
    std::int64_t begin = 0;  // of the values of a column
    for (std::size_t j = 0; j < ends.size(); ++j) {
        const std::int64_t end = ends.data()[j];
        require_within(end, begin, std::min(std::int64_t(n_values), begin + end_of_codes) + 1, "an end");
        begin = end;
    }
    require(begin == std::int64_t(n_values), "the ends do not reach the last value");
}

nb::tuple extent_of(const GivenColumns& columns, bool whole) {
    const Columns table = columns_of(columns);
    nb::tuple result;
    with_type(table.type, [&](auto number) {
        using T = decltype(number);
        Extent<typename WidenFloat<T>::type> extents;
        {
            nb::gil_scoped_release unlocked;
            extents = extent<T>(table, whole);
        }
        result = nb::make_tuple(as_array(std::move(extents.content_flags)), as_array(std::move(extents.low)),
                                as_array(std::move(extents.high)));
    });
    return result;
}

auto as_bytes_of(const GivenColumns& columns, const NoConvertArray<std::uint8_t, nb::ndim<2>, nb::device::cpu>& out) {
    const Columns table = columns_of(columns);
    require(out.stride(0) == 1 && out.stride(1) >= std::int64_t(out.shape(0)), "the rows of out lie side by side");
    require(std::int64_t(out.shape(0)) == table.n_rows && std::int64_t(out.shape(1)) == table.size(),
            "out has the shape of the columns");
    std::vector<std::uint8_t> fits(std::size_t(table.size()));
    {
        nb::gil_scoped_release unlocked;
        with_type(table.type,
                  [&](auto number) { as_bytes<decltype(number)>(table, out.data(), out.stride(1), fits.data()); });
    }
    return to_numpy(std::move(fits));
}

// Values of the type that `extent` gives, one a column or ragged.
template <class T>
const typename WidenFloat<T>::type* values_of(const AnyColumn& array, const char* name) {
    if (array.dtype() != nb::dtype<typename WidenFloat<T>::type>() || (array.shape(0) > 1 && array.stride(0) != 1))
        throw std::invalid_argument(std::string(name) + " must be contiguous and of the type of the columns");
    return static_cast<const typename WidenFloat<T>::type*>(array.data());
}

nb::tuple distinct_of(const GivenColumns& columns, const AnyColumn& low, const AnyColumn& high) {
    const Columns table = columns_of(columns);
    require_size(low, table.size(), "low");
    require_size(high, table.size(), "high");
    nb::tuple result;
    with_type(table.type, [&](auto number) {
        using T = decltype(number);
        const auto* lowest = values_of<T>(low, "low");
        const auto* highest = values_of<T>(high, "high");
        Ragged<typename WidenFloat<T>::type> numbers;
        {
            nb::gil_scoped_release unlocked;
            numbers = distinct<T>(table, lowest, highest);
        }
        result = nb::make_tuple(as_array(std::move(numbers.values)), as_array(std::move(numbers.ends)));
    });
    return result;
}

auto code_categories_of(const GivenColumns& columns, Input<std::int64_t> categories, bool are_unsigned,
                        Input<std::int64_t> ends, Input<std::int64_t> missing_code, Input<std::int64_t> position,
                        const GivenCodes& out) {
    const Columns table = columns_of(columns);
    check_layout(table, ends, categories.size(), missing_code, position, out);
    std::vector<std::uint8_t> result(std::size_t(table.size()));
    {
        nb::gil_scoped_release unlocked;
        const Categories sorted_numbers{categories.data(), ends.data(), are_unsigned};
        with_codes(table, out, [&](auto number, auto* codes) {
            code_categories<decltype(number)>(table, sorted_numbers, missing_code.data(), position.data(), codes,
                                              result.data());
        });
    }
    return to_numpy(std::move(result));
}

auto code_dictionaries_of(const std::vector<AnyColumn>& places, Input<std::int32_t> rank, Input<std::int64_t> ends,
                          ByColumn<std::int32_t> out) {
    const Columns table = columns_of(places);
    require_size(ends, table.size(), "ends");
    require(std::int64_t(out.shape(0)) == table.n_rows && std::int64_t(out.shape(1)) == table.size(),
            "out has a row and a column for each of the places");
    std::int64_t begin = 0;  // of the ranks of a column
    for (std::size_t j = 0; j < ends.size(); ++j) {
        const std::int64_t end = ends.data()[j];
        require_within(end, begin, std::int64_t(rank.size()) + 1, "an end");
        for (std::int64_t r = begin; r < end; ++r) require_within(rank.data()[r], -1, end - begin, "a rank");
        begin = end;
    }
    require(begin == std::int64_t(rank.size()), "the ends do not reach the last rank");
    std::vector<std::uint8_t> occurs(rank.size());
    with_type(table.type, [&](auto number) {
        using T = decltype(number);
        if constexpr (kFloats<T>) {
            throw std::invalid_argument("places must be whole numbers");
        } else {
            nb::gil_scoped_release unlocked;
            code_dictionaries<T>(table, rank.data(), ends.data(), out.data(), occurs.data());
        }
    });
    return to_numpy(std::move(occurs));
}

void code_by_cuts_of(const std::string& kernel, const GivenColumns& columns, Input<double> cuts,
                     Input<std::int64_t> ends, bool left, Input<std::int64_t> missing_code,
                     Input<std::int64_t> position, const GivenCodes& out) {
    const CutCounter& counter = *kernel_set(kernel).cuts;
    const Columns table = columns_of(columns);
    check_layout(table, ends, cuts.size(), missing_code, position, out);
    nb::gil_scoped_release unlocked;
    with_codes(table, out, [&](auto number, auto* codes) {
        code_by_cuts<decltype(number)>(counter, table, cuts.data(), ends.data(), left, missing_code.data(),
                                       position.data(), codes);
    });
}

// Classes of shape (vectors, rows).
auto mdl_cuts_of(const GivenColumns& columns, InputGrid<std::int32_t> classes, std::int64_t n_classes,
                 Input<std::int64_t> term_table, int shift, std::optional<Input<std::int64_t>> weights) {
    const Columns table = columns_of(columns);
    require(std::int64_t(classes.shape(1)) == table.n_rows, "classes must hold one class a row");
    require_within(n_classes, 1, kMaxClasses + 1, "n_classes");
    require_all_within(classes, 0, n_classes, "classes");
    const ClassVectors vectors{classes.data(), std::int64_t(classes.shape(0)), std::size_t(n_classes)};
    const std::int64_t* row_weights = checked_weights(weights, table.n_rows);
    const Terms terms = terms_of(term_table, shift);
    Ragged<double> result;
    {
        nb::gil_scoped_release unlocked;
        with_type(table.type,
                  [&](auto number) { result = mdl_cuts<decltype(number)>(table, vectors, row_weights, terms); });
    }
    return as_arrays(std::move(result));
}

auto order_statistic_cuts_of(const GivenColumns& columns, std::int64_t n_bins,
                             std::optional<Input<std::int64_t>> weights) {
    const Columns table = columns_of(columns);
    require_within(n_bins, 2, kMaxCodes, "n_bins");
    const std::int64_t* row_weights = checked_weights(weights, table.n_rows);
    Ragged<double> result;
    {
        nb::gil_scoped_release unlocked;
        with_type(table.type,
                  [&](auto number) { result = order_statistic_cuts<decltype(number)>(table, n_bins, row_weights); });
    }
    return as_arrays(std::move(result));
}

// Four arrays: the fields of RankSums.
auto rank_sums_of(const std::vector<Input<double>>& columns, Input<std::int32_t> classes, std::int64_t n_classes,
                  std::optional<Input<std::int64_t>> weights) {
    const std::int64_t n_rows = std::int64_t(classes.size());
    require_within(n_rows, 0, kMaxSamples + 1, "the number of rows");
    require_within(n_classes, 1, kMaxClasses + 1, "n_classes");
    require_all_within(classes, 0, n_classes, "classes");
    const std::int64_t* times = checked_weights(weights, n_rows);
    std::vector<const double*> values;
    for (const Input<double>& column : columns) {
        require_size(column, n_rows, "a column");
        values.push_back(column.data());
    }
    RankSums sums;
    {
        nb::gil_scoped_release unlocked;
        sums = rank_sums(values, n_rows, classes.data(), std::size_t(n_classes), times);
    }
    return std::make_tuple(to_numpy(std::move(sums.n_samples)), to_numpy(std::move(sums.deviations)),
                           to_numpy(std::move(sums.ties_high)), to_numpy(std::move(sums.ties_low)));
}

auto order_by_class(Input<std::int32_t> classes, std::int64_t n_classes) {
    require_within(std::int64_t(classes.size()), 0, kMaxSamples + 1, "the number of rows");
    require_within(n_classes, 1, kMaxClasses + 1, "n_classes");
    ClassOrder result;
    {
        nb::gil_scoped_release unlocked;
        result = class_order(classes.data(), std::int64_t(classes.size()), n_classes);
    }
    return std::make_tuple(to_numpy(std::move(result.rows)), to_numpy(std::move(result.sizes)));
}

}  // namespace

void bind_dense_columns(nb::module_& m) {
    m.def("class_order", &order_by_class, "classes"_a, "n_classes"_a);
    m.def("code_dictionaries", with_alias_check(&code_dictionaries_of), "places"_a, "rank"_a, "ends"_a, "out"_a);
    m.def("extent", &extent_of, "columns"_a, "whole"_a);
    m.def("as_bytes", with_alias_check(&as_bytes_of), "columns"_a, "out"_a);
    m.def("distinct", &distinct_of, "columns"_a, "low"_a, "high"_a);
    m.def("mdl_cuts", &mdl_cuts_of, "columns"_a, "classes"_a, "n_classes"_a, "table"_a, "shift"_a,
          "weights"_a.none() = nb::none());
    m.def("order_statistic_cuts", &order_statistic_cuts_of, "columns"_a, "n_bins"_a, "weights"_a.none() = nb::none());
    m.def("rank_sums", &rank_sums_of, "columns"_a, "classes"_a, "n_classes"_a, "weights"_a.none() = nb::none());
    m.def("code_categories", with_alias_check(&code_categories_of), "columns"_a, "categories"_a, "are_unsigned"_a,
          "ends"_a, "missing_code"_a, "position"_a, "out"_a);
    m.def("code_by_cuts", with_alias_check(&code_by_cuts_of), "kernel"_a, "columns"_a, "cuts"_a, "ends"_a, "left"_a,
          "missing_code"_a, "position"_a, "out"_a);
}

}  // namespace bitsieve
