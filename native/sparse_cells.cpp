// The counts of the cells of the tables of a division of the samples with sparse columns of codes.
#include <algorithm>
#include <iterator>
#include <utility>

#include "sparse_division.hpp"

namespace bitsieve {

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
