#include "count/sparse_counts.hpp"

#include <algorithm>
namespace bitsieve {

SparseCounts::SparseCounts(const ListedCodes& columns, const ListedRows& rows, std::int64_t block,
                           const std::int32_t* classes, std::int64_t n_classes, const std::uint32_t* weights)
    : columns_(columns), rows_(rows), classes_(classes), weights_(weights), class_size_(std::size_t(n_classes), 0) {
    count_samples();
    count_cells();
    transpose_to_rows(block);
}

SparseCounts::SparseCounts(const SparseCounts& other, const std::int32_t* classes, std::int64_t n_classes)
    : columns_(other.columns_),
      rows_(other.rows_),
      classes_(classes),
      weights_(other.weights_),
      class_size_(std::size_t(n_classes), 0) {
    count_samples();
    count_cells();
}

void SparseCounts::count_samples() {
    for (std::int64_t i = 0; i < n_rows(); ++i) class_size_[classes_[i]] += weight(i);
    for (const std::int64_t size : class_size_) n_samples_ += size;
}

void SparseCounts::count_cells() {
    const std::int64_t n = columns_.n_columns;
    n_codes_.assign(std::size_t(n), 0);
    n_listed_.assign(std::size_t(n), 0);
    cell_start_.assign(std::size_t(n + 1), 0);
    std::int64_t max_cells = 0;  // an upper bound of the number of cells
    for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t n_entries = columns_.start[j + 1] - columns_.start[j];
        std::int32_t n_codes = 0;
        for (std::int64_t e = columns_.start[j]; e < columns_.start[j + 1]; ++e)
            n_codes = std::max(n_codes, std::int32_t(columns_.code[e]) + 1);
        n_codes_[j] = n_codes;
        max_codes_ = std::max(max_codes_, std::int64_t(n_codes));
        max_cells += std::min(n_entries, std::int64_t(n_codes) * n_classes());
    }
    cells_.reserve(std::size_t(max_cells));
    CellCounter counter;
    for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t begin = columns_.start[j];
        const std::int64_t n_entries = columns_.start[j + 1] - begin;
        const auto label = [&](std::int64_t e) { return classes_[columns_.row[begin + e]]; };
        const auto code = [&](std::int64_t e) { return columns_.code[begin + e]; };
        const auto weight_of = [&](std::int64_t e) { return weight(columns_.row[begin + e]); };
        counter.append_counts(n_entries, n_classes(), n_codes_[j], label, code, weight_of, cells_);
        cell_start_[j + 1] = std::int64_t(cells_.size());
        for (const ListedCell* cell = cells_begin(j); cell != cells_end(j); ++cell) n_listed_[j] += cell->count;
    }
}

void SparseCounts::transpose_to_rows(std::int64_t block) {
    const std::int64_t n = columns_.n_columns;
    const std::int64_t n_rows = columns_.n_rows;
    std::fill(rows_.start, rows_.start + n_rows + 1, 0);
    for (std::int64_t e = 0; e < columns_.start[n]; ++e) ++rows_.start[columns_.row[e] + 1];
    for (std::int64_t i = 0; i < n_rows; ++i) rows_.start[i + 1] += rows_.start[i];
    std::vector<std::int64_t> next_of_row(rows_.start, rows_.start + n_rows);      // where its next code is written
    std::vector<std::int64_t> next_of_column(columns_.start, columns_.start + n);  // its first entry not yet written
    std::int64_t row_end = 0;
    for (std::int64_t row_begin = 0; row_begin < n_rows; row_begin = row_end) {
        // As many rows as list `block` codes, at least one.
        const std::int64_t* beyond =
            std::upper_bound(rows_.start + row_begin + 1, rows_.start + n_rows + 1, rows_.start[row_begin] + block);
        row_end = std::max<std::int64_t>(beyond - rows_.start - 1, row_begin + 1);
        for (std::int64_t j = 0; j < n; ++j) {
            const std::int64_t end = columns_.start[j + 1];
            std::int64_t e = next_of_column[j];
            for (; e < end && columns_.row[e] < row_end; ++e) {
                const std::int64_t target = next_of_row[columns_.row[e]]++;
                rows_.column[target] = std::int32_t(j);
                rows_.code[target] = columns_.code[e];
            }
            next_of_column[j] = e;
        }
    }
}

void SparseCounts::column_sums(const Terms& terms, std::int64_t first, std::int64_t last, std::int64_t* pooled,
                               std::int64_t* per_class) const {
    std::vector<std::uint32_t> code_total(std::size_t(max_codes_), 0);  // zeros between columns
    for (std::int64_t j = first; j < last; ++j) {
        std::int64_t pooled_sum = 0;
        std::int64_t class_sum = 0;
        for (const ListedCell* cell = cells_begin(j); cell != cells_end(j); ++cell) {
            class_sum += terms(cell->count);
            code_total[cell->code] += cell->count;
        }
        for (const ListedCell* cell = cells_begin(j); cell != cells_end(j); ++cell) {
            pooled_sum += terms(code_total[cell->code]);  // 0 for a code that has been added: T[0] = 0
            code_total[cell->code] = 0;
        }
        pooled[j] = pooled_sum;
        per_class[j] = class_sum;
    }
}

}  // namespace bitsieve
