#include "sparse_counts.hpp"

#include <algorithm>
#include <utility>

namespace bitsieve {

namespace {

// What stands behind a listed code: sorts by class, then by code.
std::uint64_t key_of_cell(std::int32_t label, std::uint16_t code) { return (std::uint64_t(label) << 16) | code; }

}  // namespace

SparseCounts::SparseCounts(const ListedCodes& columns, const ListedRows& rows, std::int64_t block,
                           const std::int32_t* classes, std::int64_t n_classes, const std::uint32_t* weights)
    : columns_(columns), rows_(rows), classes_(classes), weights_(weights), class_size_(std::size_t(n_classes), 0) {
    for (std::int64_t i = 0; i < columns.n_rows; ++i) class_size_[classes[i]] += weight(i);
    for (const std::int64_t size : class_size_) n_samples_ += size;
    count_cells();
    turn_to_rows(block);
}

void SparseCounts::count_cells() {
    const std::int64_t n = columns_.n_columns;
    n_codes_.assign(std::size_t(n), 0);
    n_listed_.assign(std::size_t(n), 0);
    cell_start_.assign(std::size_t(n + 1), 0);
    std::size_t most = 0;  // cells there may be
    for (std::int64_t j = 0; j < n; ++j) {
        std::int32_t codes = 0;
        for (std::int64_t e = columns_.start[j]; e < columns_.start[j + 1]; ++e)
            codes = std::max(codes, std::int32_t(columns_.code[e]) + 1);
        n_codes_[j] = codes;
        most_codes_ = std::max(most_codes_, std::int64_t(codes));
        most += std::size_t(std::min(columns_.start[j + 1] - columns_.start[j], std::int64_t(codes) * n_classes()));
    }
    cells_.reserve(most);
    std::vector<std::uint32_t> table;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
    for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t begin = columns_.start[j], end = columns_.start[j + 1], codes = n_codes_[j];
        const std::int64_t size = codes * n_classes();
        std::uint32_t listed = 0;
        if (size <= 4 * (end - begin)) {
            table.assign(std::size_t(size), 0);
            for (std::int64_t e = begin; e < end; ++e)
                table[classes_[columns_.row[e]] * codes + columns_.code[e]] += weight(columns_.row[e]);
            for (std::int64_t cell = 0; cell < size; ++cell)
                if (table[cell]) cells_.push_back({std::int32_t(cell / codes), std::uint16_t(cell % codes), table[cell]});
        } else {
            keys.clear();
            for (std::int64_t e = begin; e < end; ++e)
                keys.emplace_back(key_of_cell(classes_[columns_.row[e]], columns_.code[e]), weight(columns_.row[e]));
            std::sort(keys.begin(), keys.end());
            for (std::size_t k = 0; k < keys.size(); ++k) {
                if (k && keys[k].first == keys[k - 1].first)
                    cells_.back().count += keys[k].second;
                else
                    cells_.push_back({std::int32_t(keys[k].first >> 16), std::uint16_t(keys[k].first), keys[k].second});
            }
        }
        cell_start_[j + 1] = std::int64_t(cells_.size());
        for (const ListedCell* cell = cells_begin(j); cell != cells_end(j); ++cell) listed += cell->count;
        n_listed_[j] = listed;
    }
}

void SparseCounts::turn_to_rows(std::int64_t block) {
    const std::int64_t n = columns_.n_columns, n_rows = columns_.n_rows;
    std::fill(rows_.start, rows_.start + n_rows + 1, 0);
    for (std::int64_t e = 0; e < columns_.start[n]; ++e) ++rows_.start[columns_.row[e] + 1];
    for (std::int64_t i = 0; i < n_rows; ++i) rows_.start[i + 1] += rows_.start[i];
    std::vector<std::int64_t> next(rows_.start, rows_.start + n_rows);
    std::vector<std::int64_t> place(columns_.start, columns_.start + n);  // of every column, what was not taken yet
    for (std::int64_t first = 0, last; first < n_rows; first = last) {
        const std::int64_t* beyond = std::upper_bound(rows_.start + first + 1, rows_.start + n_rows + 1, rows_.start[first] + block);
        last = std::max(beyond - rows_.start - 1, first + 1);
        for (std::int64_t j = 0; j < n; ++j) {
            std::int64_t e = place[j];
            for (const std::int64_t end = columns_.start[j + 1]; e < end && columns_.row[e] < last; ++e) {
                const std::int64_t to = next[columns_.row[e]]++;
                rows_.column[to] = std::int32_t(j);
                rows_.code[to] = columns_.code[e];
            }
            place[j] = e;
        }
    }
}

void SparseCounts::own_sums(const Terms& terms, std::int64_t first, std::int64_t last, std::int64_t* pooled,
                            std::int64_t* within) const {
    std::vector<std::uint32_t> of_code(std::size_t(most_codes_), 0);
    for (std::int64_t j = first; j < last; ++j) {
        std::int64_t alone = 0, with_class = 0;
        for (const ListedCell* cell = cells_begin(j); cell != cells_end(j); ++cell) {
            with_class += terms(cell->count);
            of_code[cell->code] += cell->count;
        }
        for (const ListedCell* cell = cells_begin(j); cell != cells_end(j); ++cell) {
            alone += terms(of_code[cell->code]);  // T[0] = 0
            of_code[cell->code] = 0;
        }
        pooled[j] = alone;
        within[j] = with_class;
    }
}

}  // namespace bitsieve
