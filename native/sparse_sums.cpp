// Sums of T over the tables of a division of the samples with sparse columns of codes.
#include <algorithm>
#include <utility>

#include "sparse_division.hpp"

namespace bitsieve {

namespace {

// T, of large counts too: the same few counts come again and again.
class RememberedTerms {
public:
    explicit RememberedTerms(const Terms& terms) : terms_(terms), known_(kSlots, {0, 0}) {}

    std::int64_t operator()(std::int64_t count) {
        const std::uint64_t c = std::uint64_t(count);
        if (c < terms_.limit) return terms_.table[c];
        auto& [key, value] = known_[c % kSlots];
        if (key != c) {
            key = c;
            value = terms_(c);
        }
        return value;
    }

private:
    static constexpr std::size_t kSlots = 4096;
    Terms terms_;
    std::vector<std::pair<std::uint64_t, std::int64_t>> known_;
};

// Sums over the tables of a division with one column after the other.
class DivisionSums {
public:
    DivisionSums(const SparseCounts& counts, const Terms& terms, const Division& division, const OwnSums& own)
        : counts_(counts), sizes_(counts, division), own_(own), terms_(terms), hits_(counts, division),
          walk_(counts, division, sizes_, Change{this, false}, Change{this, true}),
          class_rest_(std::size_t(counts.n_classes())) {
        for (const std::int64_t size : sizes_.part) base_ += terms_(size);
        for (const std::int64_t size : sizes_.label) base_within_ += terms_(size);
        for (std::int64_t c = 0; c < counts.n_classes(); ++c) {
            class_rest_[c] = terms_(counts.class_size(c) - sizes_.class_listed[c]);
            base_within_ += class_rest_[c];
        }
    }

    void add(std::int64_t column, const std::uint64_t* entries, std::int64_t n, std::int64_t* xy, std::int64_t* xyc) {
        pooled_ = base_ + own_.pooled[column];
        within_ = base_within_ + own_.within[column];
        const std::int64_t left = counts_.n_samples() - sizes_.listed - counts_.n_listed(column);
        if (n == 0) {
            *xy = pooled_ + terms_(std::max(left, std::int64_t(0)));  // below 0: no column of its size is apart
            if (xyc) *xyc = within_ + untouched_classes(column);
            return;
        }
        const std::int64_t hit = walk_.walk(column, hits_.of(column, entries, n));
        *xy = pooled_ + terms_(left + hit);
        if (!xyc) return;
        walk_.each_class([&](std::int32_t c, std::int64_t listed, std::int64_t both) {
            within_ += terms_(rest_of(c) - listed + both) - class_rest_[c];
        });
        *xyc = within_;
    }

private:
    struct Change {
        DivisionSums* sums;
        bool within;
        void operator()(std::int64_t before, std::int64_t now) const {
            (within ? sums->within_ : sums->pooled_) += sums->terms_(now) - sums->terms_(before);
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
    OwnSums own_;
    RememberedTerms terms_;
    Hits hits_;
    TableWalk<Change, Change> walk_;
    std::vector<std::int64_t> class_rest_;  // T of the samples of a class in the rest
    std::int64_t base_ = 0, base_within_ = 0, pooled_ = 0, within_ = 0;
};

}  // namespace

void division_sums_by_rows(const SparseCounts& counts, const Terms& terms, const Division& division, const OwnSums& own,
                           std::int64_t first, std::int64_t last, std::int64_t* xy, std::int64_t* xyc) {
    DivisionSums sums(counts, terms, division, own);
    const std::int32_t* columns = counts.listed_columns();
    const std::uint16_t* codes = counts.listed_codes();
    std::vector<std::int64_t> begin(std::size_t(division.n_rows)), end(begin);
    std::vector<std::uint64_t> next(std::size_t(last - first + 1), 0);
    for (std::int64_t i = 0; i < division.n_rows; ++i) {
        const std::int32_t *low = columns + counts.row_begin(division.row[i]), *high = columns + counts.row_end(division.row[i]);
        if (first > 0) low = std::lower_bound(low, high, std::int32_t(first));
        if (last < counts.n_columns()) high = std::lower_bound(low, high, std::int32_t(last));
        begin[i] = low - columns;
        end[i] = high - columns;
        for (; low != high; ++low) ++next[*low - first + 1];
    }
    for (std::int64_t j = 0; j < last - first; ++j) next[j + 1] += next[j];
    std::vector<std::uint64_t> entries(std::size_t(next.back()));
    for (std::int64_t i = 0; i < division.n_rows; ++i)
        for (std::int64_t e = begin[i]; e < end[i]; ++e)
            entries[next[columns[e] - first]++] = (std::uint64_t(i) << 16) | codes[e];
    std::uint64_t done = 0;  // next[j] is by now where the entries of column j end
    for (std::int64_t j = first; j < last; done = next[j++ - first])
        sums.add(j, entries.data() + done, std::int64_t(next[j - first] - done), xy + j, xyc ? xyc + j : nullptr);
}

void division_sums_by_columns(const SparseCounts& counts, const Terms& terms, const Division& division, const OwnSums& own,
                              const std::int64_t* columns, std::int64_t n_columns, std::int64_t* xy, std::int64_t* xyc) {
    DivisionSums sums(counts, terms, division, own);
    const std::vector<std::int32_t> place = places_of_rows(counts, division);
    std::vector<std::uint64_t> entries;
    for (std::int64_t k = 0; k < n_columns; ++k) {
        entries_of(counts.columns(), place, columns[k], entries);
        sums.add(columns[k], entries.data(), std::int64_t(entries.size()), xy + k, xyc ? xyc + k : nullptr);
    }
}

std::int64_t division_sums_met(const SparseCounts& counts, const Terms& terms, const Division& division, const OwnSums& own,
                               std::int64_t* columns, std::int64_t* xy) {
    struct Met {
        std::int32_t column;
        std::uint64_t entry;
        bool operator<(const Met& other) const { return column != other.column ? column < other.column : entry < other.entry; }
    };
    std::vector<Met> met;
    for (std::int64_t i = 0; i < division.n_rows; ++i)
        for (std::int64_t e = counts.row_begin(division.row[i]); e < counts.row_end(division.row[i]); ++e)
            met.push_back({counts.listed_columns()[e], (std::uint64_t(i) << 16) | counts.listed_codes()[e]});
    std::sort(met.begin(), met.end());
    DivisionSums sums(counts, terms, division, own);
    std::vector<std::uint64_t> entries;
    std::int64_t n_columns = 0;
    for (std::size_t k = 0; k < met.size(); ++n_columns) {
        const std::int32_t column = met[k].column;
        entries.clear();
        for (; k < met.size() && met[k].column == column; ++k) entries.push_back(met[k].entry);
        columns[n_columns] = column;
        sums.add(column, entries.data(), std::int64_t(entries.size()), xy + n_columns, nullptr);
    }
    return n_columns;
}

void division_sums_apart(const SparseCounts& counts, const Terms& terms, const Division& division, const OwnSums& own,
                         const std::int64_t* columns, std::int64_t n_columns, std::int64_t* xy) {
    DivisionSums sums(counts, terms, division, own);
    for (std::int64_t k = 0; k < n_columns; ++k) sums.add(columns[k], nullptr, 0, xy + k, nullptr);
}

}  // namespace bitsieve
