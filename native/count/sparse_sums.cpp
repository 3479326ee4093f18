// Sums of T over the tables of a partition of the samples with sparse columns of codes.
#include <algorithm>
#include <utility>
#include <vector>

#include "count/sparse_counts.hpp"
#include "count/sparse_partition.hpp"

namespace bitsieve {

namespace {

// T of counts, also of those beyond its table: the same few large counts come again and again, and are cached.
class CachedTerms {
public:
    explicit CachedTerms(const Terms& terms) : terms_(terms), cache_(kSlots, {0, 0}) {}

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

// The sums over the tables of a partition with one column after the other.
class SparsePartitionSums {
public:
    SparsePartitionSums(const SparsePartitionSums&) = delete;  // changes_ holds pointers to this object and its members
    SparsePartitionSums& operator=(const SparsePartitionSums&) = delete;
    ~SparsePartitionSums() = default;

    SparsePartitionSums(const SparseCounts& counts, const Terms& terms, const SparsePartition& partition,
                        const ColumnSums& column_sums)
        : counts_(counts),
          sizes_(counts, partition),
          column_sums_(column_sums),
          terms_(terms),
          co_occurrences_(counts, partition),
          changes_(counts, partition, sizes_, ChangePooled{this}, ChangeClass{this}),
          class_rest_(std::size_t(counts.n_classes())) {
        for (const std::int64_t size : sizes_.of_part) pooled_sum_of_parts_ += terms_(size);
        for (const std::int64_t size : sizes_.of_label) class_sum_of_parts_ += terms_(size);
        for (std::int64_t c = 0; c < counts.n_classes(); ++c) {
            class_rest_[c] = terms_(n_in_rest(c));
            class_sum_of_parts_ += class_rest_[c];
        }
    }

    // The sums of a column whose n listed codes in rows of the partition are `entries`. With n = 0 they are those that
    // the column would have if it were disjoint, whatever it lists. class_sum may be null.
    void write(std::int64_t column, const ListedEntry* entries, std::int64_t n, std::int64_t* pooled_sum,
               std::int64_t* class_sum) {
        pooled_sum_ = pooled_sum_of_parts_ + column_sums_.pooled[column];
        class_sum_ = class_sum_of_parts_ + column_sums_.per_class[column];
        // Samples of the rest with the common code, were the column disjoint; below 0 where it is too large for that.
        const std::int64_t n_common = counts_.n_samples() - sizes_.total - counts_.n_listed(column);
        if (n == 0) {
            *pooled_sum = pooled_sum_ + terms_(std::max(n_common, std::int64_t(0)));
            if (class_sum != nullptr) *class_sum = class_sum_ + class_change_of_disjoint(column);
            return;
        }
        const std::int64_t n_co_occurrences = changes_.visit(column, co_occurrences_.count(column, entries, n));
        *pooled_sum = pooled_sum_ + terms_(n_common + n_co_occurrences);
        if (class_sum == nullptr) return;
        changes_.for_each_class([&](std::int32_t c, std::int64_t listed, std::int64_t co_occurring) {
            class_sum_ += terms_(n_in_rest(c) - listed + co_occurring) - class_rest_[c];
        });
        *class_sum = class_sum_;
    }

private:
    struct ChangePooled {
        SparsePartitionSums* sums;
        void operator()(std::int64_t before, std::int64_t after) const {
            sums->pooled_sum_ += sums->terms_(after) - sums->terms_(before);
        }
    };
    struct ChangeClass {
        SparsePartitionSums* sums;
        void operator()(std::int64_t before, std::int64_t after) const {
            sums->class_sum_ += sums->terms_(after) - sums->terms_(before);
        }
    };

    std::int64_t n_in_rest(std::int64_t c) const { return counts_.class_size(c) - sizes_.of_class[c]; }

    // What the listed codes of a disjoint column take from the rests of the classes.
    std::int64_t class_change_of_disjoint(std::int64_t column) {
        std::int64_t change = 0;
        const ListedCell* end = counts_.cells_end(column);
        for (const ListedCell* cell = counts_.cells_begin(column); cell != end;) {
            const std::int32_t c = cell->label;
            std::int64_t listed = 0;
            for (; cell != end && cell->label == c; ++cell) listed += cell->count;
            change += terms_(n_in_rest(c) - listed) - class_rest_[c];
        }
        return change;
    }

    const SparseCounts& counts_;
    PartitionSizes sizes_;
    ColumnSums column_sums_;
    CachedTerms terms_;
    CoOccurrences co_occurrences_;
    CellChanges<ChangePooled, ChangeClass> changes_;
    std::vector<std::int64_t> class_rest_;  // T of the samples of each class in the rest
    // Sums over the cells that are the same for every disjoint column: the parts, and in each class the rest.
    std::int64_t pooled_sum_of_parts_ = 0;
    std::int64_t class_sum_of_parts_ = 0;
    // The sums of the present column.
    std::int64_t pooled_sum_ = 0;
    std::int64_t class_sum_ = 0;
};

}  // namespace

void partition_sums_by_rows(const SparseCounts& counts, const Terms& terms, const SparsePartition& partition,
                            const ColumnSums& column_sums, std::int64_t first, std::int64_t last,
                            std::int64_t* pooled_sums, std::int64_t* class_sums) {
    SparsePartitionSums sums(counts, terms, partition, column_sums);
    const std::int32_t* columns = counts.listed_columns();
    const std::uint16_t* codes = counts.listed_codes();
    // A counting sort: the entries of the rows of the partition, by column.
    std::vector<std::int64_t> row_begin(std::size_t(partition.n_rows));  // its entries in the columns first .. last
    std::vector<std::int64_t> row_end(row_begin);
    std::vector<std::uint64_t> next(std::size_t(last - first + 1), 0);  // where the next entry of a column is written
    for (std::int64_t i = 0; i < partition.n_rows; ++i) {
        const std::int32_t* low = columns + counts.row_begin(partition.row[i]);
        const std::int32_t* high = columns + counts.row_end(partition.row[i]);
        if (first > 0) low = std::lower_bound(low, high, std::int32_t(first));
        if (last < counts.n_columns()) high = std::lower_bound(low, high, std::int32_t(last));
        row_begin[i] = low - columns;
        row_end[i] = high - columns;
        for (const std::int32_t* column = low; column != high; ++column) ++next[*column - first + 1];
    }
    for (std::int64_t j = 0; j < last - first; ++j) next[j + 1] += next[j];
    std::vector<ListedEntry> entries(std::size_t(next.back()));
    for (std::int64_t i = 0; i < partition.n_rows; ++i)
        for (std::int64_t e = row_begin[i]; e < row_end[i]; ++e)
            entries[next[columns[e] - first]++] = ListedEntry::of(i, codes[e]);
    std::uint64_t begin = 0;
    for (std::int64_t j = first; j < last; ++j) {
        const std::uint64_t end = next[j - first];  // behind the last entry of column j, now that all are written
        sums.write(j, entries.data() + begin, std::int64_t(end - begin), pooled_sums + j,
                   class_sums != nullptr ? class_sums + j : nullptr);
        begin = end;
    }
}

void partition_sums_by_columns(const SparseCounts& counts, const Terms& terms, const SparsePartition& partition,
                               const ColumnSums& column_sums, const std::int64_t* columns, std::int64_t n_columns,
                               std::int64_t* pooled_sums, std::int64_t* class_sums) {
    SparsePartitionSums sums(counts, terms, partition, column_sums);
    const std::vector<std::int32_t> positions = positions_of_rows(counts, partition);
    std::vector<ListedEntry> entries;
    for (std::int64_t k = 0; k < n_columns; ++k) {
        find_entries(counts.columns(), positions, columns[k], entries);
        sums.write(columns[k], entries.data(), std::int64_t(entries.size()), pooled_sums + k,
                   class_sums != nullptr ? class_sums + k : nullptr);
    }
}

std::int64_t partition_sums_cooccurring(const SparseCounts& counts, const Terms& terms,
                                        const SparsePartition& partition, const ColumnSums& column_sums,
                                        std::int64_t* columns, std::int64_t* pooled_sums) {
    struct ColumnEntry {
        std::int32_t column;
        ListedEntry entry;
        bool operator<(const ColumnEntry& other) const {
            return column != other.column ? column < other.column : entry < other.entry;
        }
    };
    std::vector<ColumnEntry> listed;
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
        sums.write(column, entries.data(), std::int64_t(entries.size()), pooled_sums + n_columns, nullptr);
    }
    return n_columns;
}

void partition_sums_disjoint(const SparseCounts& counts, const Terms& terms, const SparsePartition& partition,
                             const ColumnSums& column_sums, const std::int64_t* columns, std::int64_t n_columns,
                             std::int64_t* pooled_sums) {
    SparsePartitionSums sums(counts, terms, partition, column_sums);
    for (std::int64_t k = 0; k < n_columns; ++k) sums.write(columns[k], nullptr, 0, pooled_sums + k, nullptr);
}

}  // namespace bitsieve
