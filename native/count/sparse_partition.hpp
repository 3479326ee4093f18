// How a partition of the samples meets a sparse column of codes: the samples that both list, and the cells that these
// change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "count/sparse_counts.hpp"

namespace bitsieve {

// The samples of a column and a partition that have both a listed code and a part other than the rest.
struct CoOccurrence {
    std::int32_t label;
    std::uint16_t code;
    std::uint32_t count;
};

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

// The co_occurrences of one column, ordered by label and code, from places in the rows of the partition and codes.
class CoOccurrences {
public:
    CoOccurrences(const SparseCounts& counts, const SparsePartition& partition)
        : counts_(counts), partition_(partition) {}

    // An entry is (place << 16) | code.
    const std::vector<CoOccurrence>& of(std::int64_t column, const std::uint64_t* entries, std::int64_t n) {
        co_occurrences_.clear();
        const std::int64_t codes = counts_.n_codes(column), size = codes * partition_.n_labels;
        if (size <= 4 * n + 16) {
            if (std::int64_t(table_.size()) < size) table_.resize(std::size_t(size), 0);
            for (std::int64_t e = 0; e < n; ++e)
                table_[label_of(entries[e]) * codes + std::int64_t(entries[e] & 0xffff)] += weight_of(entries[e]);
            for (std::int64_t cell = 0; cell < size; ++cell)
                if (table_[cell])
                    co_occurrences_.push_back(
                        {std::int32_t(cell / codes), std::uint16_t(cell % codes), std::exchange(table_[cell], 0)});
            return co_occurrences_;
        }
        keys_.clear();
        for (std::int64_t e = 0; e < n; ++e)
            keys_.emplace_back((std::uint64_t(label_of(entries[e])) << 16) | (entries[e] & 0xffff),
                               weight_of(entries[e]));
        std::sort(keys_.begin(), keys_.end());
        for (std::size_t k = 0; k < keys_.size(); ++k) {
            if (k && keys_[k].first == keys_[k - 1].first)
                co_occurrences_.back().count += keys_[k].second;
            else
                co_occurrences_.push_back(
                    {std::int32_t(keys_[k].first >> 16), std::uint16_t(keys_[k].first), keys_[k].second});
        }
        return co_occurrences_;
    }

private:
    std::int64_t label_of(std::uint64_t entry) const { return partition_.label[entry >> 16]; }
    std::uint32_t weight_of(std::uint64_t entry) const { return counts_.weight(partition_.row[entry >> 16]); }

    const SparseCounts& counts_;
    const SparsePartition& partition_;
    std::vector<std::uint32_t> table_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys_;
    std::vector<CoOccurrence> co_occurrences_;
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
          part_code_(std::size_t(counts.most_codes()), 0),
          code_taken_(part_code_),
          code_total_(part_code_) {}

    // Calls for all cells that the co_occurrences change. Returns the number of samples hit; taken(c) afterwards: those
    // of a class.
    std::int64_t walk(std::int64_t column, const std::vector<CoOccurrence>& co_occurrences) {
        begin_ = counts_.cells_begin(column);
        end_ = counts_.cells_end(column);
        taken_.assign(std::size_t(end_ - begin_), 0);
        std::int64_t all = 0;
        for (std::size_t i = 0; i < co_occurrences.size();) all += walk_part(co_occurrences, i);
        for (const ListedCell* cell = begin_; cell != end_; ++cell) {
            code_total_[cell->code] += cell->count;
            if (const std::int64_t hit = taken_[cell - begin_]) class_cell_(cell->count, cell->count - hit);
        }
        for (const ListedCell* cell = begin_; cell != end_; ++cell) {
            const std::int64_t total = std::exchange(code_total_[cell->code], 0);
            if (const std::int64_t hit = std::exchange(code_taken_[cell->code], 0)) pooled_cell_(total, total - hit);
        }
        return all;
    }

    // Calls found(class, samples listed, samples hit) for every class that lists a code of the column.
    template <class Found>
    void each_class(const Found& found) const {
        for (const ListedCell* cell = begin_; cell != end_;) {
            const std::int32_t label = cell->label;
            std::int64_t listed = 0, hit = 0;
            for (; cell != end_ && cell->label == label; ++cell) {
                listed += cell->count;
                hit += taken_[cell - begin_];
            }
            found(label, listed, hit);
        }
    }

private:
    std::int64_t walk_part(const std::vector<CoOccurrence>& co_occurrences, std::size_t& i) {
        const std::size_t first = i;
        const std::int32_t part = partition_.part_of[co_occurrences[i].label];
        std::int64_t in_part = 0;
        while (i < co_occurrences.size() && partition_.part_of[co_occurrences[i].label] == part) {
            const std::int32_t label = co_occurrences[i].label, its_class = partition_.class_of[label];
            std::int64_t in_label = 0;
            for (; i < co_occurrences.size() && co_occurrences[i].label == label; ++i) {
                const CoOccurrence& hit = co_occurrences[i];
                class_cell_(0, hit.count);
                in_label += hit.count;
                part_code_[hit.code] += hit.count;
                taken_[find_cell(begin_, end_, its_class, hit.code) - begin_] += hit.count;
            }
            class_cell_(sizes_.label[label], sizes_.label[label] - in_label);
            in_part += in_label;
        }
        for (std::size_t k = first; k < i; ++k)
            if (const std::int64_t count = std::exchange(part_code_[co_occurrences[k].code], 0)) {
                pooled_cell_(0, count);
                code_taken_[co_occurrences[k].code] += count;
            }
        pooled_cell_(sizes_.part[part], sizes_.part[part] - in_part);
        return in_part;
    }

    const SparseCounts& counts_;
    const SparsePartition& partition_;
    const Sizes& sizes_;
    Pooled pooled_cell_;
    PerClass class_cell_;
    std::vector<std::int64_t> part_code_, code_taken_, code_total_, taken_;
    const ListedCell *begin_ = nullptr, *end_ = nullptr;
};

// The places of the rows in the partition; -1: the rest.
inline std::vector<std::int32_t> places_of_rows(const SparseCounts& counts, const SparsePartition& partition) {
    std::vector<std::int32_t> place(std::size_t(counts.n_rows()), -1);
    for (std::int64_t i = 0; i < partition.n_rows; ++i) place[partition.row[i]] = std::int32_t(i);
    return place;
}

inline void entries_of(const ListedCodes& columns, const std::vector<std::int32_t>& place, std::int64_t column,
                       std::vector<std::uint64_t>& entries) {
    entries.clear();
    for (std::int64_t e = columns.start[column]; e < columns.start[column + 1]; ++e)
        if (const std::int32_t at = place[columns.row[e]]; at >= 0)
            entries.push_back((std::uint64_t(at) << 16) | columns.code[e]);
}

}  // namespace bitsieve
