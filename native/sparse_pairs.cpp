// The tables of a division of the samples with sparse columns of codes.
#include <algorithm>
#include <iterator>
#include <utility>

#include "sparse_counts.hpp"

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

// The samples of a column and a division that have both a listed code and a part other than the rest.
struct Hit {
    std::int32_t label;
    std::uint16_t code;
    std::uint32_t count;
};

// The sizes of a division: samples of every label and part, and of every class outside the rest.
struct Sizes {
    std::vector<std::int64_t> label, part, class_listed;
    std::int64_t listed = 0;

    Sizes(const SparseCounts& counts, const Division& division)
        : label(std::size_t(division.n_labels), 0), class_listed(std::size_t(counts.n_classes()), 0) {
        for (std::int64_t i = 0; i < division.n_rows; ++i) label[division.label[i]] += counts.weight(division.row[i]);
        for (std::int64_t l = 0; l < division.n_labels; ++l) {
            if (std::size_t(division.part_of[l]) >= part.size()) part.resize(std::size_t(division.part_of[l]) + 1, 0);
            part[division.part_of[l]] += label[l];
            class_listed[division.class_of[l]] += label[l];
            listed += label[l];
        }
    }
};

// The hits of one column, ordered by label and code, from places in the rows of the division and codes.
class Hits {
public:
    Hits(const SparseCounts& counts, const Division& division) : counts_(counts), division_(division) {}

    // An entry is (place << 16) | code.
    const std::vector<Hit>& of(std::int64_t column, const std::uint64_t* entries, std::int64_t n) {
        hits_.clear();
        const std::int64_t codes = counts_.n_codes(column), size = codes * division_.n_labels;
        if (size <= 4 * n + 16) {
            if (std::int64_t(table_.size()) < size) table_.resize(std::size_t(size), 0);
            for (std::int64_t e = 0; e < n; ++e)
                table_[label_of(entries[e]) * codes + std::int64_t(entries[e] & 0xffff)] += weight_of(entries[e]);
            for (std::int64_t cell = 0; cell < size; ++cell)
                if (table_[cell])
                    hits_.push_back({std::int32_t(cell / codes), std::uint16_t(cell % codes), std::exchange(table_[cell], 0)});
            return hits_;
        }
        keys_.clear();
        for (std::int64_t e = 0; e < n; ++e)
            keys_.emplace_back((std::uint64_t(label_of(entries[e])) << 16) | (entries[e] & 0xffff), weight_of(entries[e]));
        std::sort(keys_.begin(), keys_.end());
        for (std::size_t k = 0; k < keys_.size(); ++k) {
            if (k && keys_[k].first == keys_[k - 1].first)
                hits_.back().count += keys_[k].second;
            else
                hits_.push_back({std::int32_t(keys_[k].first >> 16), std::uint16_t(keys_[k].first), keys_[k].second});
        }
        return hits_;
    }

private:
    std::int64_t label_of(std::uint64_t entry) const { return division_.label[entry >> 16]; }
    std::uint32_t weight_of(std::uint64_t entry) const { return counts_.weight(division_.row[entry >> 16]); }

    const SparseCounts& counts_;
    const Division& division_;
    std::vector<std::uint32_t> table_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys_;
    std::vector<Hit> hits_;
};

const ListedCell* find_cell(const ListedCell* begin, const ListedCell* end, std::int32_t label, std::uint16_t code) {
    return std::lower_bound(begin, end, std::make_pair(label, code), [](const ListedCell& cell, const auto& wanted) {
        return cell.label != wanted.first ? cell.label < wanted.first : cell.code < wanted.second;
    });
}

// What visits the two tables of a division with a column: pooled and within(old, new) say that a cell holds `now` samples
// and would hold `before` if the column's listed codes met the rest alone.
template <class Pooled, class Within>
class TableWalk {
public:
    TableWalk(const SparseCounts& counts, const Division& division, const Sizes& sizes, Pooled pooled, Within within)
        : counts_(counts), division_(division), sizes_(sizes), pooled_(pooled), within_(within),
          part_code_(std::size_t(counts.most_codes()), 0), code_taken_(part_code_), code_total_(part_code_) {}

    // Calls for all cells that the hits change. Returns the number of samples hit; taken(c) afterwards: those of a class.
    std::int64_t walk(std::int64_t column, const std::vector<Hit>& hits) {
        begin_ = counts_.cells_begin(column);
        end_ = counts_.cells_end(column);
        taken_.assign(std::size_t(end_ - begin_), 0);
        std::int64_t all = 0;
        for (std::size_t i = 0; i < hits.size();) all += walk_part(hits, i);
        for (const ListedCell* cell = begin_; cell != end_; ++cell) {
            code_total_[cell->code] += cell->count;
            if (const std::int64_t hit = taken_[cell - begin_]) within_(cell->count, cell->count - hit);
        }
        for (const ListedCell* cell = begin_; cell != end_; ++cell) {
            const std::int64_t total = std::exchange(code_total_[cell->code], 0);
            if (const std::int64_t hit = std::exchange(code_taken_[cell->code], 0)) pooled_(total, total - hit);
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
    std::int64_t walk_part(const std::vector<Hit>& hits, std::size_t& i) {
        const std::size_t first = i;
        const std::int32_t part = division_.part_of[hits[i].label];
        std::int64_t in_part = 0;
        while (i < hits.size() && division_.part_of[hits[i].label] == part) {
            const std::int32_t label = hits[i].label, its_class = division_.class_of[label];
            std::int64_t in_label = 0;
            for (; i < hits.size() && hits[i].label == label; ++i) {
                const Hit& hit = hits[i];
                within_(0, hit.count);
                in_label += hit.count;
                part_code_[hit.code] += hit.count;
                taken_[find_cell(begin_, end_, its_class, hit.code) - begin_] += hit.count;
            }
            within_(sizes_.label[label], sizes_.label[label] - in_label);
            in_part += in_label;
        }
        for (std::size_t k = first; k < i; ++k)
            if (const std::int64_t count = std::exchange(part_code_[hits[k].code], 0)) {
                pooled_(0, count);
                code_taken_[hits[k].code] += count;
            }
        pooled_(sizes_.part[part], sizes_.part[part] - in_part);
        return in_part;
    }

    const SparseCounts& counts_;
    const Division& division_;
    const Sizes& sizes_;
    Pooled pooled_;
    Within within_;
    std::vector<std::int64_t> part_code_, code_taken_, code_total_, taken_;
    const ListedCell *begin_ = nullptr, *end_ = nullptr;
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
            *xy = pooled_ + terms_(left);
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

// The places of the rows in the division; -1: the rest.
std::vector<std::int32_t> places_of_rows(const SparseCounts& counts, const Division& division) {
    std::vector<std::int32_t> place(std::size_t(counts.n_rows()), -1);
    for (std::int64_t i = 0; i < division.n_rows; ++i) place[division.row[i]] = std::int32_t(i);
    return place;
}

void entries_of(const ListedCodes& columns, const std::vector<std::int32_t>& place, std::int64_t column,
                std::vector<std::uint64_t>& entries) {
    entries.clear();
    for (std::int64_t e = columns.start[column]; e < columns.start[column + 1]; ++e)
        if (const std::int32_t at = place[columns.row[e]]; at >= 0) entries.push_back((std::uint64_t(at) << 16) | columns.code[e]);
}

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

bool division_cells(const SparseCounts& counts, const Division& division, const std::int64_t* columns,
                    std::int64_t n_columns, std::int64_t* xy, std::int64_t width, std::int64_t* xyc,
                    std::int64_t width_within) {
    const Sizes sizes(counts, division);
    const std::vector<std::int32_t> place = places_of_rows(counts, division);
    std::vector<std::uint64_t> entries;
    Hits hits(counts, division);
    std::vector<std::int64_t> pooled, within, code_total(std::size_t(counts.most_codes()), 0);
    // A cell that loses what it would hold is taken out of the list again; the rest of the cells are as the margins say.
    std::vector<std::int64_t> gone, gone_within;
    const auto change = [](std::vector<std::int64_t>& made, std::vector<std::int64_t>& lost) {
        return [&made, &lost](std::int64_t before, std::int64_t now) {
            if (now) made.push_back(now);
            if (before) lost.push_back(before);
        };
    };
    const auto note = change(pooled, gone), note_within = change(within, gone_within);
    TableWalk walk(counts, division, sizes, note, note_within);
    const auto settle = [](std::vector<std::int64_t>& made, std::vector<std::int64_t>& lost, std::int64_t* out,
                           std::int64_t room) {
        std::sort(made.begin(), made.end());
        std::sort(lost.begin(), lost.end());
        std::vector<std::int64_t> left;
        std::set_difference(made.begin(), made.end(), lost.begin(), lost.end(), std::back_inserter(left));
        while (!left.empty() && left.front() == 0) left.erase(left.begin());
        if (std::int64_t(left.size()) > room) return false;
        std::copy(left.begin(), left.end(), out);
        return true;
    };
    for (std::int64_t k = 0; k < n_columns; ++k) {
        const std::int64_t j = columns[k];
        entries_of(counts.columns(), place, j, entries);
        pooled = sizes.part;
        within = sizes.label;
        gone.clear();
        gone_within.clear();
        const ListedCell *begin = counts.cells_begin(j), *end = counts.cells_end(j);
        for (const ListedCell* cell = begin; cell != end; ++cell) {
            within.push_back(cell->count);
            code_total[cell->code] += cell->count;
        }
        for (const ListedCell* cell = begin; cell != end; ++cell)
            if (const std::int64_t total = std::exchange(code_total[cell->code], 0)) pooled.push_back(total);
        const std::int64_t hit = walk.walk(j, hits.of(j, entries.data(), std::int64_t(entries.size())));
        pooled.push_back(counts.n_samples() - sizes.listed - counts.n_listed(j) + hit);
        if (!settle(pooled, gone, xy + k * width, width)) return false;
        if (!xyc) continue;
        std::vector<std::int64_t> rest(std::size_t(counts.n_classes()));
        for (std::int64_t c = 0; c < counts.n_classes(); ++c) rest[c] = counts.class_size(c) - sizes.class_listed[c];
        walk.each_class([&](std::int32_t c, std::int64_t listed, std::int64_t both) { rest[c] += both - listed; });
        within.insert(within.end(), rest.begin(), rest.end());
        if (!settle(within, gone_within, xyc + k * width_within, width_within)) return false;
    }
    return true;
}

}  // namespace bitsieve
