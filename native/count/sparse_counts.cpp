#include "count/sparse_counts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "count/sparse_partition.hpp"

namespace bitsieve {

SparseCounts::SparseCounts(const ListedCodes& columns, const ListedRows& rows, std::int64_t block,
                           const std::int32_t* classes, std::int64_t n_classes, const std::uint32_t* weights)
    : columns_(columns), rows_(rows), classes_(classes), weights_(weights), class_size_(std::size_t(n_classes), 0) {
    for (std::int64_t i = 0; i < columns.n_rows; ++i) class_size_[classes[i]] += weight(i);
    for (const std::int64_t size : class_size_) n_samples_ += size;
    count_cells();
    transpose_to_rows(block);
}

void SparseCounts::count_cells() {
    const std::int64_t n = columns_.n_columns;
    n_codes_.assign(std::size_t(n), 0);
    n_listed_.assign(std::size_t(n), 0);
    cell_start_.assign(std::size_t(n + 1), 0);
    std::size_t max_cells = 0;  // cells there may be
    for (std::int64_t j = 0; j < n; ++j) {
        std::int32_t codes = 0;
        for (std::int64_t e = columns_.start[j]; e < columns_.start[j + 1]; ++e)
            codes = std::max(codes, std::int32_t(columns_.code[e]) + 1);
        n_codes_[j] = codes;
        max_codes_ = std::max(max_codes_, std::int64_t(codes));
        max_cells +=
            std::size_t(std::min(columns_.start[j + 1] - columns_.start[j], std::int64_t(codes) * n_classes()));
    }
    cells_.reserve(max_cells);
    CellCounter counter;
    for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t begin = columns_.start[j];
        const auto label = [&](std::int64_t e) { return classes_[columns_.row[begin + e]]; };
        const auto code = [&](std::int64_t e) { return columns_.code[begin + e]; };
        const auto weight_of = [&](std::int64_t e) { return weight(columns_.row[begin + e]); };
        counter.append_counts(columns_.start[j + 1] - begin, n_classes(), n_codes_[j], label, code, weight_of, cells_);
        std::uint32_t listed = 0;
        cell_start_[j + 1] = std::int64_t(cells_.size());
        for (const ListedCell* cell = cells_begin(j); cell != cells_end(j); ++cell) listed += cell->count;
        n_listed_[j] = listed;
    }
}

void SparseCounts::transpose_to_rows(std::int64_t block) {
    const std::int64_t n = columns_.n_columns;
    const std::int64_t n_rows = columns_.n_rows;
    std::fill(rows_.start, rows_.start + n_rows + 1, 0);
    for (std::int64_t e = 0; e < columns_.start[n]; ++e) ++rows_.start[columns_.row[e] + 1];
    for (std::int64_t i = 0; i < n_rows; ++i) rows_.start[i + 1] += rows_.start[i];
    std::vector<std::int64_t> next(rows_.start, rows_.start + n_rows);
    std::vector<std::int64_t> next_entry(columns_.start,
                                         columns_.start + n);  // of every column, what was not taken yet
    for (std::int64_t first = 0, last; first < n_rows; first = last) {
        const std::int64_t* beyond =
            std::upper_bound(rows_.start + first + 1, rows_.start + n_rows + 1, rows_.start[first] + block);
        last = std::max<std::int64_t>(beyond - rows_.start - 1, first + 1);
        for (std::int64_t j = 0; j < n; ++j) {
            std::int64_t e = next_entry[j];
            for (const std::int64_t end = columns_.start[j + 1]; e < end && columns_.row[e] < last; ++e) {
                const std::int64_t to = next[columns_.row[e]]++;
                rows_.column[to] = std::int32_t(j);
                rows_.code[to] = columns_.code[e];
            }
            next_entry[j] = e;
        }
    }
}

void SparseCounts::column_sums(const Terms& terms, std::int64_t first, std::int64_t last, std::int64_t* pooled,
                               std::int64_t* per_class) const {
    std::vector<std::uint32_t> of_code(std::size_t(max_codes_), 0);
    for (std::int64_t j = first; j < last; ++j) {
        std::int64_t pooled_sum = 0;
        std::int64_t class_sum = 0;
        for (const ListedCell* cell = cells_begin(j); cell != cells_end(j); ++cell) {
            class_sum += terms(cell->count);
            of_code[cell->code] += cell->count;
        }
        for (const ListedCell* cell = cells_begin(j); cell != cells_end(j); ++cell) {
            pooled_sum += terms(of_code[cell->code]);  // T[0] = 0
            of_code[cell->code] = 0;
        }
        pooled[j] = pooled_sum;
        per_class[j] = class_sum;
    }
}

// The counts of the cells of the tables of a partition of the samples with sparse columns of codes.

bool partition_cells(const SparseCounts& counts, const SparsePartition& partition, const std::int64_t* columns,
                     std::int64_t n_columns, std::int64_t* pooled_rows, std::int64_t pooled_width,
                     std::int64_t* class_rows, std::int64_t class_width) {
    const Sizes sizes(counts, partition);
    const std::vector<std::int32_t> positions = positions_of_rows(counts, partition);
    std::vector<ListedEntry> entries;
    CoOccurrences co_occurrences(counts, partition);
    std::vector<std::int64_t> pooled_cells;
    std::vector<std::int64_t> class_cells;
    std::vector<std::int64_t> code_total(std::size_t(counts.max_codes()), 0);
    // Of a cell that changes, the count before is taken out of the list, and the count after is added.
    std::vector<std::int64_t> lost_pooled_cells;
    std::vector<std::int64_t> lost_class_cells;
    const auto change = [](std::vector<std::int64_t>& added, std::vector<std::int64_t>& lost) {
        return [&added, &lost](std::int64_t before, std::int64_t now) {
            if (now) added.push_back(now);
            if (before) lost.push_back(before);
        };
    };
    const auto change_pooled = change(pooled_cells, lost_pooled_cells);
    const auto change_class = change(class_cells, lost_class_cells);
    TableWalk walk(counts, partition, sizes, change_pooled, change_class);
    const auto settle = [](std::vector<std::int64_t>& added, std::vector<std::int64_t>& lost, std::int64_t* out,
                           std::int64_t room) {
        std::sort(added.begin(), added.end());
        std::sort(lost.begin(), lost.end());
        std::vector<std::int64_t> left;
        std::set_difference(added.begin(), added.end(), lost.begin(), lost.end(), std::back_inserter(left));
        while (!left.empty() && left.front() == 0) left.erase(left.begin());
        if (std::int64_t(left.size()) > room) return false;
        std::copy(left.begin(), left.end(), out);
        return true;
    };
    for (std::int64_t k = 0; k < n_columns; ++k) {
        const std::int64_t j = columns[k];
        entries_of(counts.columns(), positions, j, entries);
        pooled_cells = sizes.part;
        class_cells = sizes.label;
        lost_pooled_cells.clear();
        lost_class_cells.clear();
        const ListedCell* begin = counts.cells_begin(j);
        const ListedCell* end = counts.cells_end(j);
        for (const ListedCell* cell = begin; cell != end; ++cell) {
            class_cells.push_back(cell->count);
            code_total[cell->code] += cell->count;
        }
        for (const ListedCell* cell = begin; cell != end; ++cell)
            if (const std::int64_t total = std::exchange(code_total[cell->code], 0)) pooled_cells.push_back(total);
        const std::int64_t n_cooccurring =
            walk.walk(j, co_occurrences.of(j, entries.data(), std::int64_t(entries.size())));
        pooled_cells.push_back(counts.n_samples() - sizes.listed - counts.n_listed(j) + n_cooccurring);
        if (!settle(pooled_cells, lost_pooled_cells, pooled_rows + k * pooled_width, pooled_width)) return false;
        if (!class_rows) continue;
        std::vector<std::int64_t> rest(std::size_t(counts.n_classes()));
        for (std::int64_t c = 0; c < counts.n_classes(); ++c) rest[c] = counts.class_size(c) - sizes.class_listed[c];
        walk.each_class([&](std::int32_t c, std::int64_t listed, std::int64_t both) { rest[c] += both - listed; });
        class_cells.insert(class_cells.end(), rest.begin(), rest.end());
        if (!settle(class_cells, lost_class_cells, class_rows + k * class_width, class_width)) return false;
    }
    return true;
}

// Sums of T over the tables of a partition of the samples with sparse columns of codes.

namespace {

// T, of large counts too: the same few counts come again and again.
class RememberedTerms {
public:
    explicit RememberedTerms(const Terms& terms) : terms_(terms), cache_(kSlots, {0, 0}) {}

    std::int64_t operator()(std::int64_t count) {
        const std::uint64_t c = std::uint64_t(count);
        if (c < terms_.limit) return terms_.table[c];
        auto& [key, value] = cache_[c % kSlots];
        if (key != c) {
            key = c;
            value = terms_(c);
        }
        return value;
    }

private:
    static constexpr std::size_t kSlots = 4096;
    Terms terms_;
    std::vector<std::pair<std::uint64_t, std::int64_t>> cache_;
};

// Sums over the tables of a partition with one column after the other.
class SparsePartitionSums {
public:
    SparsePartitionSums(const SparsePartitionSums&) = delete;  // walk_ holds pointers to this object and its members
    SparsePartitionSums& operator=(const SparsePartitionSums&) = delete;
    ~SparsePartitionSums() = default;

    SparsePartitionSums(const SparseCounts& counts, const Terms& terms, const SparsePartition& partition,
                        const ColumnSums& column_sums)
        : counts_(counts),
          sizes_(counts, partition),
          columns_(column_sums),
          terms_(terms),
          co_occurrences_(counts, partition),
          walk_(counts, partition, sizes_, Change{this, false}, Change{this, true}),
          class_rest_(std::size_t(counts.n_classes())) {
        for (const std::int64_t size : sizes_.part) pooled_base_ += terms_(size);
        for (const std::int64_t size : sizes_.label) class_base_ += terms_(size);
        for (std::int64_t c = 0; c < counts.n_classes(); ++c) {
            class_rest_[c] = terms_(counts.class_size(c) - sizes_.class_listed[c]);
            class_base_ += class_rest_[c];
        }
    }

    void add(std::int64_t column, const ListedEntry* entries, std::int64_t n, std::int64_t* pooled_sums,
             std::int64_t* class_sums) {
        pooled_sum_ = pooled_base_ + columns_.pooled[column];
        class_sum_ = class_base_ + columns_.per_class[column];
        const std::int64_t left = counts_.n_samples() - sizes_.listed - counts_.n_listed(column);
        if (n == 0) {
            // left is below 0 where no column of this size can be disjoint.
            *pooled_sums = pooled_sum_ + terms_(std::max(left, std::int64_t(0)));
            if (class_sums) *class_sums = class_sum_ + untouched_classes(column);
            return;
        }
        const std::int64_t n_cooccurring = walk_.walk(column, co_occurrences_.of(column, entries, n));
        *pooled_sums = pooled_sum_ + terms_(left + n_cooccurring);
        if (!class_sums) return;
        walk_.each_class([&](std::int32_t c, std::int64_t listed, std::int64_t both) {
            class_sum_ += terms_(rest_of(c) - listed + both) - class_rest_[c];
        });
        *class_sums = class_sum_;
    }

private:
    struct Change {
        SparsePartitionSums* sums;
        bool per_class;
        void operator()(std::int64_t before, std::int64_t now) const {
            (per_class ? sums->class_sum_ : sums->pooled_sum_) += sums->terms_(now) - sums->terms_(before);
        }
    };

    std::int64_t rest_of(std::int32_t c) const { return counts_.class_size(c) - sizes_.class_listed[c]; }

    std::int64_t untouched_classes(std::int64_t column) {
        std::int64_t sum = 0;
        const ListedCell* end = counts_.cells_end(column);
        for (const ListedCell* cell = counts_.cells_begin(column); cell != end;) {
            const std::int32_t label = cell->label;
            std::int64_t listed = 0;
            for (; cell != end && cell->label == label; ++cell) listed += cell->count;
            sum += terms_(rest_of(label) - listed) - class_rest_[label];
        }
        return sum;
    }

    const SparseCounts& counts_;
    Sizes sizes_;
    ColumnSums columns_;
    RememberedTerms terms_;
    CoOccurrences co_occurrences_;
    TableWalk<Change, Change> walk_;
    std::vector<std::int64_t> class_rest_;  // T of the samples of a class in the rest
    std::int64_t pooled_base_ = 0, class_base_ = 0, pooled_sum_ = 0, class_sum_ = 0;
};

}  // namespace

void partition_sums_by_rows(const SparseCounts& counts, const Terms& terms, const SparsePartition& partition,
                            const ColumnSums& column_sums, std::int64_t first, std::int64_t last,
                            std::int64_t* pooled_sums, std::int64_t* class_sums) {
    SparsePartitionSums sums(counts, terms, partition, column_sums);
    const std::int32_t* columns = counts.listed_columns();
    const std::uint16_t* codes = counts.listed_codes();
    std::vector<std::int64_t> begin(std::size_t(partition.n_rows));
    std::vector<std::int64_t> end(begin);
    std::vector<std::uint64_t> next(std::size_t(last - first + 1), 0);
    for (std::int64_t i = 0; i < partition.n_rows; ++i) {
        const std::int32_t* low = columns + counts.row_begin(partition.row[i]);
        const std::int32_t* high = columns + counts.row_end(partition.row[i]);
        if (first > 0) low = std::lower_bound(low, high, std::int32_t(first));
        if (last < counts.n_columns()) high = std::lower_bound(low, high, std::int32_t(last));
        begin[i] = low - columns;
        end[i] = high - columns;
        for (; low != high; ++low) ++next[*low - first + 1];
    }
    for (std::int64_t j = 0; j < last - first; ++j) next[j + 1] += next[j];
    std::vector<ListedEntry> entries(std::size_t(next.back()));
    for (std::int64_t i = 0; i < partition.n_rows; ++i)
        for (std::int64_t e = begin[i]; e < end[i]; ++e)
            entries[next[columns[e] - first]++] = ListedEntry::of(i, codes[e]);
    std::uint64_t done = 0;  // next[j] is by now where the entries of column j end
    for (std::int64_t j = first; j < last; done = next[j++ - first])
        sums.add(j, entries.data() + done, std::int64_t(next[j - first] - done), pooled_sums + j,
                 class_sums ? class_sums + j : nullptr);
}

void partition_sums_by_columns(const SparseCounts& counts, const Terms& terms, const SparsePartition& partition,
                               const ColumnSums& column_sums, const std::int64_t* columns, std::int64_t n_columns,
                               std::int64_t* pooled_sums, std::int64_t* class_sums) {
    SparsePartitionSums sums(counts, terms, partition, column_sums);
    const std::vector<std::int32_t> positions = positions_of_rows(counts, partition);
    std::vector<ListedEntry> entries;
    for (std::int64_t k = 0; k < n_columns; ++k) {
        entries_of(counts.columns(), positions, columns[k], entries);
        sums.add(columns[k], entries.data(), std::int64_t(entries.size()), pooled_sums + k,
                 class_sums ? class_sums + k : nullptr);
    }
}

std::int64_t partition_sums_cooccurring(const SparseCounts& counts, const Terms& terms,
                                        const SparsePartition& partition, const ColumnSums& column_sums,
                                        std::int64_t* columns, std::int64_t* pooled_sums) {
    struct Listed {
        std::int32_t column;
        ListedEntry entry;
        bool operator<(const Listed& other) const {
            return column != other.column ? column < other.column : entry < other.entry;
        }
    };
    std::vector<Listed> listed;
    for (std::int64_t i = 0; i < partition.n_rows; ++i)
        for (std::int64_t e = counts.row_begin(partition.row[i]); e < counts.row_end(partition.row[i]); ++e)
            listed.push_back({counts.listed_columns()[e], ListedEntry::of(i, counts.listed_codes()[e])});
    std::sort(listed.begin(), listed.end());
    SparsePartitionSums sums(counts, terms, partition, column_sums);
    std::vector<ListedEntry> entries;
    std::int64_t n_columns = 0;
    for (std::size_t k = 0; k < listed.size(); ++n_columns) {
        const std::int32_t column = listed[k].column;
        entries.clear();
        for (; k < listed.size() && listed[k].column == column; ++k) entries.push_back(listed[k].entry);
        columns[n_columns] = column;
        sums.add(column, entries.data(), std::int64_t(entries.size()), pooled_sums + n_columns, nullptr);
    }
    return n_columns;
}

void partition_sums_disjoint(const SparseCounts& counts, const Terms& terms, const SparsePartition& partition,
                             const ColumnSums& column_sums, const std::int64_t* columns, std::int64_t n_columns,
                             std::int64_t* pooled_sums) {
    SparsePartitionSums sums(counts, terms, partition, column_sums);
    for (std::int64_t k = 0; k < n_columns; ++k) sums.add(columns[k], nullptr, 0, pooled_sums + k, nullptr);
}

}  // namespace bitsieve
