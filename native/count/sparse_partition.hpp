// How a partition of the samples meets a sparse column of codes: the samples that both list, and the cells that these
// change.
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

// The sizes of a partition: samples of every label and part, and of every class outside the rest.
struct Sizes {
    std::vector<std::int64_t> label, part, class_listed;
    std::int64_t listed = 0;

    Sizes(const SparseCounts& counts, const SparsePartition& partition)
        : label(std::size_t(partition.n_labels), 0), class_listed(std::size_t(counts.n_classes()), 0) {
        for (std::int64_t i = 0; i < partition.n_rows; ++i)
            label[partition.label[i]] += counts.weight(partition.row[i]);
        for (std::int64_t l = 0; l < partition.n_labels; ++l) {
            if (std::size_t(partition.part_of[l]) >= part.size()) part.resize(std::size_t(partition.part_of[l]) + 1, 0);
            part[partition.part_of[l]] += label[l];
            class_listed[partition.class_of[l]] += label[l];
            listed += label[l];
        }
    }
};

// The samples of one column and a partition that have both a listed code and a part other than the rest, counted by
// label and code.
class CoOccurrences {
public:
    CoOccurrences(const SparseCounts& counts, const SparsePartition& partition)
        : counts_(counts), partition_(partition) {}

    // Those of the n listed codes of a column in rows of the partition, ordered by label and code.
    const std::vector<ListedCell>& of(std::int64_t column, const ListedEntry* entries, std::int64_t n) {
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

inline const ListedCell* find_cell(const ListedCell* begin, const ListedCell* end, std::int32_t label,
                                   std::uint16_t code) {
    return std::lower_bound(begin, end, std::make_pair(label, code), [](const ListedCell& cell, const auto& wanted) {
        return cell.label != wanted.first ? cell.label < wanted.first : cell.code < wanted.second;
    });
}

// What visits the two tables of a partition with a column: pooled_cell(before, now) and class_cell(before, now) say
// that a cell holds `now` samples and would hold `before` if the column's listed codes met the rest alone.
template <class Pooled, class PerClass>
class TableWalk {
public:
    TableWalk(const SparseCounts& counts, const SparsePartition& partition, const Sizes& sizes, Pooled pooled_cell,
              PerClass class_cell)
        : counts_(counts),
          partition_(partition),
          sizes_(sizes),
          pooled_cell_(pooled_cell),
          class_cell_(class_cell),
          part_code_(std::size_t(counts.max_codes()), 0),
          code_cooccurring_(part_code_),
          code_total_(part_code_) {}

    // Calls for all cells that the co-occurrences change. Returns the number of samples listed by both; taken(c)
    // afterwards: those of a class.
    std::int64_t walk(std::int64_t column, const std::vector<ListedCell>& co_occurrences) {
        begin_ = counts_.cells_begin(column);
        end_ = counts_.cells_end(column);
        n_cooccurring_.assign(std::size_t(end_ - begin_), 0);
        std::int64_t all = 0;
        for (std::size_t i = 0; i < co_occurrences.size();) all += walk_part(co_occurrences, i);
        for (const ListedCell* cell = begin_; cell != end_; ++cell) {
            code_total_[cell->code] += cell->count;
            if (const std::int64_t n_cooccurring = n_cooccurring_[cell - begin_])
                class_cell_(cell->count, cell->count - n_cooccurring);
        }
        for (const ListedCell* cell = begin_; cell != end_; ++cell) {
            const std::int64_t total = std::exchange(code_total_[cell->code], 0);
            if (const std::int64_t n_cooccurring = std::exchange(code_cooccurring_[cell->code], 0))
                pooled_cell_(total, total - n_cooccurring);
        }
        return all;
    }

    // Calls found(class, samples listed, samples hit) for every class that lists a code of the column.
    template <class Visit>
    void each_class(const Visit& visit) const {
        for (const ListedCell* cell = begin_; cell != end_;) {
            const std::int32_t label = cell->label;
            std::int64_t listed = 0;
            std::int64_t n_cooccurring = 0;
            for (; cell != end_ && cell->label == label; ++cell) {
                listed += cell->count;
                n_cooccurring += n_cooccurring_[cell - begin_];
            }
            visit(label, listed, n_cooccurring);
        }
    }

private:
    std::int64_t walk_part(const std::vector<ListedCell>& co_occurrences, std::size_t& i) {
        const std::size_t first = i;
        const std::int32_t part = partition_.part_of[co_occurrences[i].label];
        std::int64_t in_part = 0;
        while (i < co_occurrences.size() && partition_.part_of[co_occurrences[i].label] == part) {
            const std::int32_t label = co_occurrences[i].label;
            const std::int32_t its_class = partition_.class_of[label];
            std::int64_t in_label = 0;
            for (; i < co_occurrences.size() && co_occurrences[i].label == label; ++i) {
                const ListedCell& n_cooccurring = co_occurrences[i];
                class_cell_(0, n_cooccurring.count);
                in_label += n_cooccurring.count;
                part_code_[n_cooccurring.code] += n_cooccurring.count;
                n_cooccurring_[find_cell(begin_, end_, its_class, n_cooccurring.code) - begin_] += n_cooccurring.count;
            }
            class_cell_(sizes_.label[label], sizes_.label[label] - in_label);
            in_part += in_label;
        }
        for (std::size_t k = first; k < i; ++k)
            if (const std::int64_t count = std::exchange(part_code_[co_occurrences[k].code], 0)) {
                pooled_cell_(0, count);
                code_cooccurring_[co_occurrences[k].code] += count;
            }
        pooled_cell_(sizes_.part[part], sizes_.part[part] - in_part);
        return in_part;
    }

    const SparseCounts& counts_;
    const SparsePartition& partition_;
    const Sizes& sizes_;
    Pooled pooled_cell_;
    PerClass class_cell_;
    std::vector<std::int64_t> part_code_, code_cooccurring_, code_total_, n_cooccurring_;
    const ListedCell *begin_ = nullptr, *end_ = nullptr;
};

// The position of every row among those of the partition; -1: the rest.
inline std::vector<std::int32_t> positions_of_rows(const SparseCounts& counts, const SparsePartition& partition) {
    std::vector<std::int32_t> positions(std::size_t(counts.n_rows()), -1);
    for (std::int64_t i = 0; i < partition.n_rows; ++i) positions[partition.row[i]] = std::int32_t(i);
    return positions;
}

inline void entries_of(const ListedCodes& columns, const std::vector<std::int32_t>& positions, std::int64_t column,
                       std::vector<ListedEntry>& entries) {
    entries.clear();
    for (std::int64_t e = columns.start[column]; e < columns.start[column + 1]; ++e)
        if (const std::int32_t position = positions[columns.row[e]]; position >= 0)
            entries.push_back(ListedEntry::of(position, columns.code[e]));
}

}  // namespace bitsieve
