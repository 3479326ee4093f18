// Sparse columns in Python: counts of columns of codes, and standardised columns of numbers.
#include "bind/alias_check.hpp"

#include "count/sparse_counts.hpp"
#include "samples/sparse_columns.hpp"

namespace bitsieve {

namespace {

// What the counts fill with the codes by row.
struct RowArrays {
    Output<std::int64_t> start;
    Output<std::int32_t> column;
    Output<std::uint16_t> code;
};

// The counts with the arrays they look into, which must not be written to as long as these live.
class OwningSparseCounts {
public:
    OwningSparseCounts(Input<std::int64_t> start, Int32Array row, Input<std::uint16_t> code, Int32Array classes,
                       std::int64_t n_classes, std::optional<Input<std::uint32_t>> weights, RowArrays row_arrays,
                       std::int64_t block)
        : start_(std::move(start)),
          row_(std::move(row)),
          code_(std::move(code)),
          classes_(std::move(classes)),
          weights_(std::move(weights)),
          row_arrays_(std::move(row_arrays)),
          counts_(checked(n_classes, block),
                  {row_arrays_.start.data(), row_arrays_.column.data(), row_arrays_.code.data()}, block,
                  classes_.data(), n_classes, weights_ ? weights_->data() : nullptr) {}

    OwningSparseCounts(const OwningSparseCounts& other, Int32Array classes, std::int64_t n_classes)
        : start_(other.start_),
          row_(other.row_),
          code_(other.code_),
          classes_(std::move(classes)),
          weights_(other.weights_),
          row_arrays_(other.row_arrays_),
          counts_(other.counts_, checked_classes(other.counts_.n_rows(), n_classes), n_classes) {}

    const SparseCounts& counts() const { return counts_; }

    friend void add_kept_arrays(const OwningSparseCounts& owner, ArgumentExtents& extents) {
        const auto add_all = [&](const auto&... arrays) {
            (extents.add_range(arrays.data(), std::int64_t(arrays.size())), ...);
        };
        add_all(owner.start_, owner.row_, owner.code_, owner.classes_, owner.row_arrays_.start,
                owner.row_arrays_.column, owner.row_arrays_.code);
        if (owner.weights_) add_all(*owner.weights_);
    }

private:
    const std::int32_t* checked_classes(std::int64_t n_rows, std::int64_t n_classes) const {
        require_within(n_classes, 1, kMaxClasses + 1, "n_classes");
        require_size(classes_, n_rows, "classes");
        require_all_within(classes_, 0, n_classes, "classes");
        return classes_.data();
    }

    ListedCodes checked(std::int64_t n_classes, std::int64_t block) const {
        const std::int64_t n_rows = std::int64_t(classes_.size());
        const std::int64_t n_columns = std::int64_t(start_.size()) - 1;
        require_within(n_columns, 1, std::int64_t(1) << 31, "the number of columns");
        require_within(n_rows, 1, kMaxSamples + 1, "the number of rows");
        checked_classes(n_rows, n_classes);
        require_size(code_, std::int64_t(row_.size()), "code");
        require_size(row_arrays_.start, n_rows + 1, "row_start");
        require_size(row_arrays_.column, std::int64_t(row_.size()), "listed_column");
        require_size(row_arrays_.code, std::int64_t(row_.size()), "listed_code");
        require_within(block, 1, std::int64_t(1) << 40, "block");
        const std::int64_t* start = start_.data();
        require(start[0] == 0 && start[n_columns] == std::int64_t(row_.size()),
                "the columns do not hold all rows and codes");
        for (std::int64_t j = 0; j < n_columns; ++j) {
            require(start[j] <= start[j + 1] && start[j + 1] <= std::int64_t(row_.size()),
                    "the starts of the columns do not rise");
            std::int64_t last_row = -1;
            for (std::int64_t e = start[j]; e < start[j + 1]; ++e) {
                const std::int64_t row = row_.data()[e];
                require(last_row < row && row < n_rows, "the rows of a column do not rise, or are out of range");
                last_row = row;
            }
        }
        if (weights_) {
            require_size(*weights_, n_rows, "weights");
            std::int64_t sum = 0;
            for (std::int64_t i = 0; i < n_rows && sum <= kMaxSamples; ++i) {
                require(weights_->data()[i] > 0, "a weight is 0: leave out its row");
                sum += weights_->data()[i];
            }
            require(sum <= kMaxSamples, "the weights may sum to 2^31 at most");
        }
        return {start, row_.data(), code_.data(), n_columns, n_rows};
    }

    Input<std::int64_t> start_;
    Int32Array row_;
    Input<std::uint16_t> code_;
    Int32Array classes_;
    std::optional<Input<std::uint32_t>> weights_;
    RowArrays row_arrays_;
    SparseCounts counts_;
};

void construct(OwningSparseCounts* self, Input<std::int64_t> start, Int32Array row, Input<std::uint16_t> code,
               Int32Array classes, std::int64_t n_classes, std::optional<Input<std::uint32_t>> weights,
               Output<std::int64_t> row_start, Output<std::int32_t> listed_column, Output<std::uint16_t> listed_code,
               std::int64_t block) {
    nb::gil_scoped_release unlocked;
    RowArrays row_arrays{std::move(row_start), std::move(listed_column), std::move(listed_code)};
    new (self) OwningSparseCounts(std::move(start), std::move(row), std::move(code), std::move(classes), n_classes,
                                  std::move(weights), std::move(row_arrays), block);
}

OwningSparseCounts with_classes(const OwningSparseCounts& self, Int32Array classes, std::int64_t n_classes) {
    nb::gil_scoped_release unlocked;
    return OwningSparseCounts(self, std::move(classes), n_classes);
}

SparsePartition partition_of(const SparseCounts& counts, const Int32Array& row, const Int32Array& label,
                             const Int32Array& part_of, const Int32Array& class_of) {
    require_size(label, std::int64_t(row.size()), "label");
    require_size(class_of, std::int64_t(part_of.size()), "class_of");
    const std::int64_t n_labels = std::int64_t(part_of.size());
    const SparsePartition partition{row.data(),     label.data(),    std::int64_t(row.size()),
                                    part_of.data(), class_of.data(), n_labels};
    for (std::int64_t l = 0; l < n_labels; ++l) {
        require_within(part_of.data()[l], 0, n_labels, "part_of");
        require_within(class_of.data()[l], 0, counts.n_classes(), "class_of");
        const bool rises = !l || part_of.data()[l - 1] < part_of.data()[l] ||
                           (part_of.data()[l - 1] == part_of.data()[l] && class_of.data()[l - 1] < class_of.data()[l]);
        require(rises, "the labels are not numbered by part and class");
    }
    for (std::int64_t i = 0; i < partition.n_rows; ++i) {
        require_within(row.data()[i], i ? std::int64_t(row.data()[i - 1]) + 1 : 0, counts.n_rows(),
                       "a row of the partition");
        require_within(label.data()[i], 0, n_labels, "label");
        require(class_of.data()[label.data()[i]] == counts.class_of(row.data()[i]),
                "a label is of another class than its row");
    }
    return partition;
}

ColumnSums column_sums_of(const SparseCounts& counts, const Input<std::int64_t>& pooled,
                          const Input<std::int64_t>& per_class) {
    require_size(pooled, counts.n_columns(), "column_sums");
    require_size(per_class, counts.n_columns(), "column_class_sums");
    return {pooled.data(), per_class.data()};
}

void require_block(const SparseCounts& counts, std::int64_t first, std::int64_t last) {
    require_within(first, 0, counts.n_columns() + 1, "first");
    require_within(last, first, counts.n_columns() + 1, "last");
}

void column_sums(const OwningSparseCounts& owner, Input<std::int64_t> table, int shift, std::int64_t first,
                 std::int64_t last, Output<std::int64_t> pooled, Output<std::int64_t> per_class) {
    const SparseCounts& counts = owner.counts();
    const Terms terms = terms_of(table, shift);
    require_block(counts, first, last);
    require_size(pooled, counts.n_columns(), "column_sums");
    require_size(per_class, counts.n_columns(), "column_class_sums");
    nb::gil_scoped_release unlocked;
    counts.column_sums(terms, first, last, pooled.data(), per_class.data());
}

void sums_by_rows(const OwningSparseCounts& owner, Input<std::int64_t> table, int shift, Int32Array row,
                  Int32Array label, Int32Array part_of, Int32Array class_of, Input<std::int64_t> column_sums,
                  Input<std::int64_t> column_class_sums, std::int64_t first, std::int64_t last,
                  Output<std::int64_t> pooled_sums, std::optional<Output<std::int64_t>> class_sums) {
    const SparseCounts& counts = owner.counts();
    const Terms terms = terms_of(table, shift);
    const ColumnSums sums = column_sums_of(counts, column_sums, column_class_sums);
    require_block(counts, first, last);
    require_size(pooled_sums, counts.n_columns(), "pooled_sums");
    if (class_sums) require_size(*class_sums, counts.n_columns(), "class_sums");
    nb::gil_scoped_release unlocked;
    const SparsePartition partition = partition_of(counts, row, label, part_of, class_of);
    partition_sums_by_rows(counts, terms, partition, sums, first, last, pooled_sums.data(),
                           class_sums ? class_sums->data() : nullptr);
}

void sums_by_columns(const OwningSparseCounts& owner, Input<std::int64_t> table, int shift, Int32Array row,
                     Int32Array label, Int32Array part_of, Int32Array class_of, Input<std::int64_t> column_sums,
                     Input<std::int64_t> column_class_sums, Input<std::int64_t> columns,
                     Output<std::int64_t> pooled_sums, std::optional<Output<std::int64_t>> class_sums) {
    const SparseCounts& counts = owner.counts();
    const Terms terms = terms_of(table, shift);
    const ColumnSums sums = column_sums_of(counts, column_sums, column_class_sums);
    require_all_within(columns, 0, counts.n_columns(), "columns");
    require_size(pooled_sums, std::int64_t(columns.size()), "pooled_sums");
    if (class_sums) require_size(*class_sums, std::int64_t(columns.size()), "class_sums");
    nb::gil_scoped_release unlocked;
    const SparsePartition partition = partition_of(counts, row, label, part_of, class_of);
    partition_sums_by_columns(counts, terms, partition, sums, columns.data(), std::int64_t(columns.size()),
                              pooled_sums.data(), class_sums ? class_sums->data() : nullptr);
}

std::int64_t sums_cooccurring(const OwningSparseCounts& owner, Input<std::int64_t> table, int shift, Int32Array row,
                              Int32Array label, Int32Array part_of, Int32Array class_of,
                              Input<std::int64_t> column_sums, Input<std::int64_t> column_class_sums,
                              Output<std::int64_t> columns, Output<std::int64_t> pooled_sums) {
    const SparseCounts& counts = owner.counts();
    const Terms terms = terms_of(table, shift);
    const ColumnSums sums = column_sums_of(counts, column_sums, column_class_sums);
    nb::gil_scoped_release unlocked;
    const SparsePartition partition = partition_of(counts, row, label, part_of, class_of);
    std::int64_t listed = 0;
    for (std::int64_t i = 0; i < partition.n_rows; ++i)
        listed += counts.row_end(partition.row[i]) - counts.row_begin(partition.row[i]);
    require_size(columns, listed, "columns");
    require_size(pooled_sums, listed, "pooled_sums");
    return partition_sums_cooccurring(counts, terms, partition, sums, columns.data(), pooled_sums.data());
}

void sums_disjoint(const OwningSparseCounts& owner, Input<std::int64_t> table, int shift, Int32Array row,
                   Int32Array label, Int32Array part_of, Int32Array class_of, Input<std::int64_t> column_sums,
                   Input<std::int64_t> column_class_sums, Input<std::int64_t> columns,
                   Output<std::int64_t> pooled_sums) {
    const SparseCounts& counts = owner.counts();
    const Terms terms = terms_of(table, shift);
    const ColumnSums sums = column_sums_of(counts, column_sums, column_class_sums);
    require_all_within(columns, 0, counts.n_columns(), "columns");
    require_size(pooled_sums, std::int64_t(columns.size()), "pooled_sums");
    nb::gil_scoped_release unlocked;
    const SparsePartition partition = partition_of(counts, row, label, part_of, class_of);
    partition_sums_disjoint(counts, terms, partition, sums, columns.data(), std::int64_t(columns.size()),
                            pooled_sums.data());
}

void cells(const OwningSparseCounts& owner, Int32Array row, Int32Array label, Int32Array part_of, Int32Array class_of,
           Input<std::int64_t> columns, Grid<std::int64_t> pooled_cells,
           std::optional<Grid<std::int64_t>> class_cells) {
    const SparseCounts& counts = owner.counts();
    require_all_within(columns, 0, counts.n_columns(), "columns");
    require(pooled_cells.shape(0) == columns.size() && (!class_cells || class_cells->shape(0) == columns.size()),
            "there is one row a column");
    const std::int64_t width = std::int64_t(pooled_cells.shape(1));
    const std::int64_t class_width = class_cells ? std::int64_t(class_cells->shape(1)) : 0;
    nb::gil_scoped_release unlocked;
    const SparsePartition partition = partition_of(counts, row, label, part_of, class_of);
    const CellGrid pooled_grid{pooled_cells.data(), width};
    const CellGrid class_grid{class_cells ? class_cells->data() : nullptr, class_width};
    require(partition_cells(counts, partition, columns.data(), std::int64_t(columns.size()), pooled_grid, class_grid),
            "a table has more cells than there is room for");
}

// Standardised columns: the three arrays of compressed sparse columns, by blocks of columns.

constexpr const char* kRows = "a row of the columns is out of range, or there twice";

void check_range(std::int64_t first, std::int64_t last, std::size_t n_columns) {
    require(0 <= first && first <= last && last <= std::int64_t(n_columns), "the block of columns is out of range");
}

template <class Real, class Index>
SparseColumns<Real, Index> columns_of(const Input<Index>& start, const Input<Index>& row, const Input<Real>& value,
                                      std::int64_t n_samples, std::int64_t first, std::int64_t last) {
    require(n_samples > 0 && start.size() > 0 && row.size() == value.size(),
            "the arrays of the columns differ in length");
    check_range(first, last, start.size() - 1);
    const Index* at = start.data();
    bool rises = at[first] >= 0 && std::size_t(at[last]) <= row.size();
    for (std::int64_t j = first; j < last; ++j) rises = rises && at[j] <= at[j + 1];
    require(rises, "the starts of the columns do not rise");
    return {at, row.data(), value.data(), n_samples};
}

Moments moments_of(const Output<double>& mean, const Output<double>& length, std::size_t n_columns) {
    require(mean.size() == n_columns && length.size() == n_columns, "there is one mean and one length a column");
    return {mean.data(), length.data()};
}

using Weights = InputGrid<double>;

SampleWeights weights_of(const Weights& weights, const Input<double>& sums, const Grid<double>& out,
                         std::int64_t n_samples, std::size_t n_columns) {
    const std::size_t tasks = weights.shape(1);
    require(std::int64_t(weights.shape(0)) == n_samples && sums.size() == tasks,
            "there is one weight a sample and task");
    require(out.shape(0) == n_columns && out.shape(1) == tasks, "there is one product a column and task");
    return {weights.data(), std::int64_t(tasks), sums.data()};
}

template <class Real, class Index>
void sparse_moments(Input<Index> start, Input<Index> row, Input<Real> value, std::int64_t n_samples, std::int64_t first,
                    std::int64_t last, Output<double> mean, Output<double> length) {
    const auto columns = columns_of(start, row, value, n_samples, first, last);
    const Moments out = moments_of(mean, length, start.size() - 1);
    nb::gil_scoped_release unlocked;
    require(rows_fit(columns, first, last), kRows);
    fill_moments(columns, first, last, out);
}

template <class Real, class Index>
void sparse_products(Input<Index> start, Input<Index> row, Input<Real> value, std::int64_t n_samples,
                     std::int64_t first, std::int64_t last, Output<double> mean, Output<double> length, Weights weights,
                     Input<double> sums, Grid<double> out) {
    const auto columns = columns_of(start, row, value, n_samples, first, last);
    const Moments moments = moments_of(mean, length, start.size() - 1);
    const SampleWeights sample_weights = weights_of(weights, sums, out, n_samples, start.size() - 1);
    double* products = out.data();
    nb::gil_scoped_release unlocked;
    require(rows_fit(columns, first, last), kRows);
    fill_products(columns, moments, sample_weights, first, last, products);
}

template <class Real, class Index>
auto sparse_correlated(Input<Index> start, Input<Index> row, Input<Real> value, std::int64_t n_samples,
                       std::int64_t first, std::int64_t last, Output<double> mean, Output<double> length,
                       Input<std::int64_t> chosen_start, Input<std::int64_t> chosen_column, Input<double> chosen_value,
                       Input<double> level, Input<double> peak, double least) {
    const auto columns = columns_of(start, row, value, n_samples, first, last);
    const Moments moments = moments_of(mean, length, start.size() - 1);
    require(std::int64_t(chosen_start.size()) == n_samples + 1 && chosen_column.size() == chosen_value.size(),
            "the chosen columns have other rows");
    require(least > 0, "the least correlation is above 0");
    const ChosenRows chosen{chosen_start.data(), chosen_column.data(), chosen_value.data(),
                            level.data(),        peak.data(),          std::int64_t(level.size())};
    require(peak.size() == level.size(), "there is one level and one peak a chosen column");
    bool fits = chosen.start[0] >= 0 && std::size_t(chosen.start[n_samples]) <= chosen_column.size();
    for (std::int64_t i = 0; i < n_samples; ++i) fits = fits && chosen.start[i] <= chosen.start[i + 1];
    for (std::size_t q = 0; q < chosen_column.size(); ++q)
        fits = fits && chosen.column[q] >= 0 && chosen.column[q] < chosen.n_chosen;
    require(fits, "the chosen columns are out of range");
    Correlated found;
    {
        nb::gil_scoped_release unlocked;
        require(rows_fit(columns, first, last), kRows);
        find_correlated(columns, moments, chosen, least, first, last, found);
    }
    return std::make_tuple(to_numpy(std::move(found.column)), to_numpy(std::move(found.chosen)),
                           to_numpy(std::move(found.correlation)));
}

template <class Real, class Index>
void bind_numbers(nb::module_& m) {
    m.def("sparse_column_moments", with_alias_check(&sparse_moments<Real, Index>));
    m.def("sparse_column_products", with_alias_check(&sparse_products<Real, Index>));
    m.def("sparse_correlated", with_alias_check(&sparse_correlated<Real, Index>));
}

}  // namespace

void bind_sparse(nb::module_& m) {
    nb::class_<OwningSparseCounts>(m, "SparseCounts")
        .def("__init__", with_alias_check(&construct), "start"_a, "row"_a, "code"_a, "classes"_a, "n_classes"_a,
             "weights"_a.none(), "row_start"_a, "listed_column"_a, "listed_code"_a, "block"_a)
        .def("with_classes", with_alias_check(&with_classes), "classes"_a, "n_classes"_a)
        .def("column_sums", with_alias_check(&column_sums))
        .def("sums_by_rows", with_alias_check(&sums_by_rows), "table"_a, "shift"_a, "row"_a, "label"_a, "part_of"_a,
             "class_of"_a, "column_sums"_a, "column_class_sums"_a, "first"_a, "last"_a, "pooled_sums"_a,
             "class_sums"_a.none())
        .def("sums_by_columns", with_alias_check(&sums_by_columns), "table"_a, "shift"_a, "row"_a, "label"_a,
             "part_of"_a, "class_of"_a, "column_sums"_a, "column_class_sums"_a, "columns"_a, "pooled_sums"_a,
             "class_sums"_a.none())
        .def("sums_cooccurring", with_alias_check(&sums_cooccurring))
        .def("sums_disjoint", with_alias_check(&sums_disjoint))
        .def("cells", with_alias_check(&cells), "row"_a, "label"_a, "part_of"_a, "class_of"_a, "columns"_a,
             "pooled_sums"_a, "class_sums"_a.none());
    bind_numbers<float, std::int32_t>(m);
    bind_numbers<float, std::int64_t>(m);
    bind_numbers<double, std::int32_t>(m);
    bind_numbers<double, std::int64_t>(m);
}

}  // namespace bitsieve
