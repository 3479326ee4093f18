// Contingency tables of columns of codes of which most samples have one common code: only the others are listed.
//
// A cell that holds the common code is never counted: it is what the margins leave. A partition divides the samples into
// parts, such as those of the codes of another column; the samples of one part, the rest, are not listed. The tables of
// a partition with all columns cost the listed codes of the samples outside the rest, and a few additions a column.
//
// Codes are held by column and by row, in memory of the caller's, which may be mapped from files. Every sum is of
// integers: neither blocks nor the way the samples are visited can change a bit. Limits: samples, and the sum of their
// weights, <= 2^31; columns < 2^31; codes < 2^16.
#pragma once

#include <cstdint>
#include <vector>

#include "count/cell_counter.hpp"
#include "count/fixed_point.hpp"

namespace bitsieve {

// Compressed sparse columns; the rows of a column ascend.
struct ListedCodes {
    const std::int64_t* start;
    const std::int32_t* row;
    const std::uint16_t* code;
    std::int64_t n_columns, n_rows;
};

// The same by row: the columns that row i lists, ascending, and their codes are at start[i] .. start[i + 1].
struct ListedRows {
    std::int64_t* start;
    std::int32_t* column;
    std::uint16_t* code;
};

// The rows outside the rest. A label is a part and a class that occur together; labels are numbered by part, then by
// class.
struct SparsePartition {
    const std::int32_t* row;    // ascending
    const std::int32_t* label;  // of each of these rows
    std::int64_t n_rows;
    const std::int32_t* part_of;   // the part of each label
    const std::int32_t* class_of;  // the class of each label
    std::int64_t n_labels;
};

// For every column the sums of T over its listed codes, and over these and the classes.
struct ColumnSums {
    const std::int64_t* pooled;
    const std::int64_t* per_class;
};

class SparseCounts {
public:
    // rows: memory of the caller, filled here in blocks of rows that list about `block` codes: each is complete before
    // the next one begins, so that few pages of a mapped file must be in memory. classes: of every row, below
    // n_classes. weights: how many samples a row stands for, at least 1 (null: one).
    SparseCounts(const ListedCodes& columns, const ListedRows& rows, std::int64_t block, const std::int32_t* classes,
                 std::int64_t n_classes, const std::uint32_t* weights);

    // The codes and weights of other, of rows of other classes; they look into the same memory.
    SparseCounts(const SparseCounts& other, const std::int32_t* classes, std::int64_t n_classes);

    std::int64_t n_columns() const { return columns_.n_columns; }
    std::int64_t n_rows() const { return columns_.n_rows; }
    std::int64_t n_classes() const { return std::int64_t(class_size_.size()); }
    std::int64_t n_samples() const { return n_samples_; }
    std::int64_t class_size(std::int64_t c) const { return class_size_[c]; }

    std::uint32_t weight(std::int64_t row) const { return weights_ ? weights_[row] : 1; }
    std::int32_t class_of(std::int64_t row) const { return classes_[row]; }
    const ListedCodes& columns() const { return columns_; }
    std::int64_t n_codes(std::int64_t j) const { return n_codes_[j]; }    // one more than the largest listed code
    std::int64_t max_codes() const { return max_codes_; }                 // of any column
    std::int64_t n_listed(std::int64_t j) const { return n_listed_[j]; }  // samples with a listed code

    // By class, then by code.
    const ListedCell* cells_begin(std::int64_t j) const { return cells_.data() + cell_start_[j]; }
    const ListedCell* cells_end(std::int64_t j) const { return cells_.data() + cell_start_[j + 1]; }

    // The columns that row i lists a code of, ascending, and these codes.
    std::int64_t row_begin(std::int64_t i) const { return rows_.start[i]; }
    std::int64_t row_end(std::int64_t i) const { return rows_.start[i + 1]; }
    const std::int32_t* listed_columns() const { return rows_.column; }
    const std::uint16_t* listed_codes() const { return rows_.code; }

    // ColumnSums of columns first .. last, written to pooled[first], per_class[first], ...
    void column_sums(const Terms& terms, std::int64_t first, std::int64_t last, std::int64_t* pooled,
                     std::int64_t* per_class) const;

private:
    void count_samples();
    void count_cells();
    void transpose_to_rows(std::int64_t block);

    ListedCodes columns_;
    ListedRows rows_;
    const std::int32_t* classes_;
    const std::uint32_t* weights_;
    std::int64_t n_samples_ = 0, max_codes_ = 0;
    std::vector<std::int64_t> class_size_, cell_start_;
    std::vector<std::uint32_t> n_listed_;
    std::vector<std::int32_t> n_codes_;
    std::vector<ListedCell> cells_;
};

// Sums of T over the tables of a partition with columns: pooled over the classes, and within them (class_sums; null:
// skip). Both give the same integers:
//   by rows     columns first .. last from the rows of the partition, written to pooled_sums[first], ...
//   by columns  the columns named from all that they list, written to pooled_sums[0], ...
void partition_sums_by_rows(const SparseCounts& counts, const Terms& terms, const SparsePartition& partition,
                            const ColumnSums& column_sums, std::int64_t first, std::int64_t last,
                            std::int64_t* pooled_sums, std::int64_t* class_sums);
void partition_sums_by_columns(const SparseCounts& counts, const Terms& terms, const SparsePartition& partition,
                               const ColumnSums& column_sums, const std::int64_t* columns, std::int64_t n_columns,
                               std::int64_t* pooled_sums, std::int64_t* class_sums);

// Writes the columns that list a code in a row of the partition, ascending, and their sums pooled over the classes.
// Both arrays have one place for each code that these rows list. Returns the number of columns.
std::int64_t partition_sums_cooccurring(const SparseCounts& counts, const Terms& terms,
                                        const SparsePartition& partition, const ColumnSums& column_sums,
                                        std::int64_t* columns, std::int64_t* pooled_sums);

// The sums pooled over the classes that the columns would have if they listed no code in a row of the partition.
void partition_sums_disjoint(const SparseCounts& counts, const Terms& terms, const SparsePartition& partition,
                             const ColumnSums& column_sums, const std::int64_t* columns, std::int64_t n_columns,
                             std::int64_t* pooled_sums);

// Rows of counts: row k is first[k * width], ..., first[k * width + width - 1].
struct CellGrid {
    std::int64_t* first;  // null: not wanted
    std::int64_t width;
};

// Writes to row k of the grids the counts of the cells that are not empty of the table with column columns[k], pooled
// over the classes and within them. Returns false where a table has more cells than a row is wide.
bool partition_cells(const SparseCounts& counts, const SparsePartition& partition, const std::int64_t* columns,
                     std::int64_t n_columns, const CellGrid& pooled_grid, const CellGrid& class_grid);

}  // namespace bitsieve
