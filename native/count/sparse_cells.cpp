// The counts of the cells of the tables of a partition of the samples with sparse columns of codes.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "count/sparse_counts.hpp"
#include "count/sparse_partition.hpp"

namespace bitsieve {

namespace {

// The counts of the cells of one table, in any order.
class CellList {
public:
    void reset(const std::vector<std::int64_t>& counts) {
        added_ = counts;
        removed_.clear();
    }
    void add(std::int64_t count) { added_.push_back(count); }

    // One of the counts `before` becomes `after`.
    void change(std::int64_t before, std::int64_t after) {
        removed_.push_back(before);
        added_.push_back(after);
    }

    // Writes the counts but zeros, ascending; false, and nothing is written, where they are more than `width`.
    bool write(std::int64_t* out, std::int64_t width) {
        std::sort(added_.begin(), added_.end());
        std::sort(removed_.begin(), removed_.end());
        counts_.clear();
        std::set_difference(added_.begin(), added_.end(), removed_.begin(), removed_.end(),
                            std::back_inserter(counts_));
        const auto first = std::upper_bound(counts_.begin(), counts_.end(), 0);
        if (counts_.end() - first > width) return false;
        std::copy(first, counts_.end(), out);
        return true;
    }

private:
    std::vector<std::int64_t> added_;
    std::vector<std::int64_t> removed_;
    std::vector<std::int64_t> counts_;  // scratch memory of write()
};

}  // namespace

bool partition_cells(const SparseCounts& counts, const SparsePartition& partition, const std::int64_t* columns,
                     std::int64_t n_columns, const CellGrid& pooled_grid, const CellGrid& class_grid) {
    const PartitionSizes sizes(counts, partition);
    const std::vector<std::int32_t> positions = positions_of_rows(counts, partition);
    std::vector<std::int64_t> class_rest(std::size_t(counts.n_classes()));  // by class: its samples in the rest
    for (std::int64_t c = 0; c < counts.n_classes(); ++c) class_rest[c] = counts.class_size(c) - sizes.of_class[c];
    CoOccurrences co_occurrences(counts, partition);
    CellList pooled_cells;
    CellList class_cells;
    const auto change_pooled = [&](std::int64_t before, std::int64_t after) { pooled_cells.change(before, after); };
    const auto change_class = [&](std::int64_t before, std::int64_t after) { class_cells.change(before, after); };
    CellChanges changes(counts, partition, sizes, change_pooled, change_class);
    std::vector<ListedEntry> entries;
    std::vector<std::int64_t> code_total(std::size_t(counts.max_codes()), 0);  // zeros between columns
    std::vector<std::int64_t> class_common;  // by class: those with the common code of a column
    for (std::int64_t k = 0; k < n_columns; ++k) {
        const std::int64_t j = columns[k];
        // The cells of a disjoint column: the parts, and the listed codes, each in the rest.
        pooled_cells.reset(sizes.of_part);
        class_cells.reset(sizes.of_label);
        for (const ListedCell* cell = counts.cells_begin(j); cell != counts.cells_end(j); ++cell) {
            class_cells.add(cell->count);
            code_total[cell->code] += cell->count;
        }
        for (const ListedCell* cell = counts.cells_begin(j); cell != counts.cells_end(j); ++cell)
            pooled_cells.add(std::exchange(code_total[cell->code], 0));

        find_entries(counts.columns(), positions, j, entries);
        const std::int64_t n_co_occurrences =
            changes.visit(j, co_occurrences.count(j, entries.data(), std::int64_t(entries.size())));

        // The cell of the rest and the common code.
        pooled_cells.add(counts.n_samples() - sizes.total - counts.n_listed(j) + n_co_occurrences);
        if (!pooled_cells.write(pooled_grid.first + k * pooled_grid.width, pooled_grid.width)) return false;
        if (class_grid.first == nullptr) continue;
        class_common = class_rest;
        changes.for_each_class([&](std::int32_t c, std::int64_t listed, std::int64_t co_occurring) {
            class_common[c] += co_occurring - listed;
        });
        for (const std::int64_t count : class_common) class_cells.add(count);
        if (!class_cells.write(class_grid.first + k * class_grid.width, class_grid.width)) return false;
    }
    return true;
}

}  // namespace bitsieve
