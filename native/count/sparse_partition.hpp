// How a partition of the samples meets a sparse column of codes.
//
// The cells of the table of a partition and a column, where co-occurrences are the samples that have both a listed code
// and a part other than the rest:
//
//                  a listed code                                       the common code
//     a part       the co-occurrences of both                          the part without its co-occurrences
//     the rest     the samples of the code without co-occurrences      what is left of all samples
//
// The table of each class is alike, with the labels (part and class) in place of the parts. A column without
// co-occurrences is disjoint from the partition: the cells follow from the sizes of the parts and of the codes. Those of
// any other column are the same but for the cells that co-occurrences change, and CellChanges visits these alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "count/cell_counter.hpp"
#include "count/sparse_counts.hpp"

namespace bitsieve {

// A listed code of a column in a row of the partition: one number, so that entries are sorted and moved as such.
struct ListedEntry {
    std::uint64_t bits;  // position << 16 | code

    static ListedEntry of(std::int64_t position, std::uint16_t code) { return {std::uint64_t(position) << 16 | code}; }
    std::int64_t position() const { return std::int64_t(bits >> 16); }  // of the row, among those of the partition
    std::uint16_t code() const { return std::uint16_t(bits); }
    bool operator<(const ListedEntry& other) const { return bits < other.bits; }
};
static_assert(sizeof(ListedEntry) == sizeof(std::uint64_t), "an entry is one word");

// How many samples of a partition have each label and part, and how many of each class are in parts other than the
// rest.
struct PartitionSizes {
    std::vector<std::int64_t> of_label;
    std::vector<std::int64_t> of_part;
    std::vector<std::int64_t> of_class;
    std::int64_t total = 0;  // samples outside the rest

    PartitionSizes(const SparseCounts& counts, const SparsePartition& partition)
        : of_label(std::size_t(partition.n_labels), 0), of_class(std::size_t(counts.n_classes()), 0) {
        for (std::int64_t i = 0; i < partition.n_rows; ++i)
            of_label[partition.label[i]] += counts.weight(partition.row[i]);
        for (std::int64_t l = 0; l < partition.n_labels; ++l) {
            const std::size_t part = std::size_t(partition.part_of[l]);
            if (part >= of_part.size()) of_part.resize(part + 1, 0);
            of_part[part] += of_label[l];
            of_class[partition.class_of[l]] += of_label[l];
            total += of_label[l];
        }
    }
};

// Counts the co-occurrences of a partition and one column after the other, by label and code.
class CoOccurrences {
public:
    CoOccurrences(const SparseCounts& counts, const SparsePartition& partition)
        : counts_(counts), partition_(partition) {}

    // The co-occurrences of a column, whose n listed codes in rows of the partition are `entries`: by label, then by
    // code.
    const std::vector<ListedCell>& count(std::int64_t column, const ListedEntry* entries, std::int64_t n) {
        cells_.clear();
        const auto label = [&](std::int64_t e) { return partition_.label[entries[e].position()]; };
        const auto code = [&](std::int64_t e) { return entries[e].code(); };
        const auto weight = [&](std::int64_t e) { return counts_.weight(partition_.row[entries[e].position()]); };
        counter_.append_counts(n, partition_.n_labels, counts_.n_codes(column), label, code, weight, cells_);
        return cells_;
    }

private:
    const SparseCounts& counts_;
    const SparsePartition& partition_;
    CellCounter counter_;
    std::vector<ListedCell> cells_;
};

// The first cell not before a label and a code.
inline const ListedCell* find_cell(const ListedCell* begin, const ListedCell* end, std::int32_t label,
                                   std::uint16_t code) {
    const auto is_before = [](const ListedCell& cell, const std::pair<std::int32_t, std::uint16_t>& target) {
        return cell.label != target.first ? cell.label < target.first : cell.code < target.second;
    };
    return std::lower_bound(begin, end, std::make_pair(label, code), is_before);
}

// Visits the cells that the co-occurrences of a column change: change_pooled(before, after) for a cell of the table,
// change_class(before, after) for one of the table of a class, with the number of samples of the disjoint column and
// that of the column.
template <class ChangePooled, class ChangeClass>
class CellChanges {
public:
    CellChanges(const SparseCounts& counts, const SparsePartition& partition, const PartitionSizes& sizes,
                ChangePooled change_pooled, ChangeClass change_class)
        : counts_(counts),
          partition_(partition),
          sizes_(sizes),
          change_pooled_(change_pooled),
          change_class_(change_class),
          part_count_(std::size_t(counts.max_codes()), 0),
          code_count_(part_count_),
          code_total_(part_count_) {}

    // Visits all cells but that of the rest and the common code, and the like of each class. Returns the number of
    // co-occurrences.
    std::int64_t visit(std::int64_t column, const std::vector<ListedCell>& co_occurrences) {
        cells_begin_ = counts_.cells_begin(column);
        cells_end_ = counts_.cells_end(column);
        cell_count_.assign(std::size_t(cells_end_ - cells_begin_), 0);
        std::int64_t n_co_occurrences = 0;
        const ListedCell* const end = co_occurrences.data() + co_occurrences.size();
        for (const ListedCell* cell = co_occurrences.data(); cell != end;) n_co_occurrences += visit_part(cell, end);
        visit_codes_of_rest();
        return n_co_occurrences;
    }

    // After visit(): calls work(class, listed, co_occurring) for every class that has samples with a listed code of the
    // column: the number of these samples, and of the co-occurrences among them.
    template <class Work>
    void for_each_class(const Work& work) const {
        for (const ListedCell* cell = cells_begin_; cell != cells_end_;) {
            const std::int32_t class_index = cell->label;
            std::int64_t listed = 0;
            std::int64_t co_occurring = 0;
            for (; cell != cells_end_ && cell->label == class_index; ++cell) {
                listed += cell->count;
                co_occurring += cell_count_[cell - cells_begin_];
            }
            work(class_index, listed, co_occurring);
        }
    }

private:
    // Visits the cells of the part that the next co-occurrences have, and moves `cell` behind these. Returns their
    // number.
    std::int64_t visit_part(const ListedCell*& cell, const ListedCell* end) {
        const ListedCell* const first = cell;
        const std::int32_t part = partition_.part_of[first->label];
        std::int64_t in_part = 0;
        while (cell != end && partition_.part_of[cell->label] == part) in_part += visit_label(cell, end);
        for (const ListedCell* counted = first; counted != cell; ++counted) {
            const std::int64_t count = std::exchange(part_count_[counted->code], 0);
            if (count == 0) continue;  // the code was visited under an earlier label
            change_pooled_(0, count);
            code_count_[counted->code] += count;
        }
        change_pooled_(sizes_.of_part[part], sizes_.of_part[part] - in_part);
        return in_part;
    }

    // The same for the next label.
    std::int64_t visit_label(const ListedCell*& cell, const ListedCell* end) {
        const std::int32_t label = cell->label;
        const std::int32_t class_index = partition_.class_of[label];
        std::int64_t in_label = 0;
        for (; cell != end && cell->label == label; ++cell) {
            change_class_(0, cell->count);
            in_label += cell->count;
            part_count_[cell->code] += cell->count;
            cell_count_[find_cell(cells_begin_, cells_end_, class_index, cell->code) - cells_begin_] += cell->count;
        }
        change_class_(sizes_.of_label[label], sizes_.of_label[label] - in_label);
        return in_label;
    }

    void visit_codes_of_rest() {
        for (const ListedCell* cell = cells_begin_; cell != cells_end_; ++cell) {
            code_total_[cell->code] += cell->count;
            const std::int64_t co_occurring = cell_count_[cell - cells_begin_];
            if (co_occurring != 0) change_class_(cell->count, cell->count - co_occurring);
        }
        for (const ListedCell* cell = cells_begin_; cell != cells_end_; ++cell) {
            const std::int64_t total = std::exchange(code_total_[cell->code], 0);
            const std::int64_t co_occurring = std::exchange(code_count_[cell->code], 0);
            if (co_occurring != 0) change_pooled_(total, total - co_occurring);
        }
    }

    const SparseCounts& counts_;
    const SparsePartition& partition_;
    const PartitionSizes& sizes_;
    ChangePooled change_pooled_;
    ChangeClass change_class_;
    std::vector<std::int64_t> part_count_;  // by code: co-occurrences in the present part; zeros between parts
    std::vector<std::int64_t> code_count_;  // by code: co-occurrences; zeros between columns
    std::vector<std::int64_t> code_total_;  // by code: all samples; zeros between columns
    std::vector<std::int64_t> cell_count_;  // by cell of the column (class and code): co-occurrences
    const ListedCell* cells_begin_ = nullptr;
    const ListedCell* cells_end_ = nullptr;
};

// The position of every row among those of the partition; -1 for a row of the rest.
inline std::vector<std::int32_t> positions_of_rows(const SparseCounts& counts, const SparsePartition& partition) {
    std::vector<std::int32_t> positions(std::size_t(counts.n_rows()), -1);
    for (std::int64_t i = 0; i < partition.n_rows; ++i) positions[partition.row[i]] = std::int32_t(i);
    return positions;
}

// Fills `entries` with the listed codes of a column in rows of the partition.
inline void find_entries(const ListedCodes& columns, const std::vector<std::int32_t>& positions, std::int64_t column,
                         std::vector<ListedEntry>& entries) {
    entries.clear();
    for (std::int64_t e = columns.start[column]; e < columns.start[column + 1]; ++e) {
        const std::int32_t position = positions[columns.row[e]];
        if (position >= 0) entries.push_back(ListedEntry::of(position, columns.code[e]));
    }
}

}  // namespace bitsieve
