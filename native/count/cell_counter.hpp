// Counts of pairs of a label and a code, of which few may occur.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace bitsieve {

// How many samples have a label and a code.
struct ListedCell {
    std::int32_t label;
    std::uint16_t code;
    std::uint32_t count;
};

class CellCounter {
public:
    // Appends the cells of the pairs label(e), code(e) for e < n, each counted weight(e) times, by label, then by code.
    // They are counted in a table where it has few cells for so many pairs, else sorted; the cells are the same.
    template <class Label, class Code, class Weight>
    void append_counts(std::int64_t n, std::int64_t n_labels, std::int64_t n_codes, const Label& label,
                       const Code& code, const Weight& weight, std::vector<ListedCell>& cells) {
        if (n_labels * n_codes <= kCellsPerPair * n + kFreeCells)
            count_in_table(n, n_labels, n_codes, label, code, weight, cells);
        else
            count_sorted(n, label, code, weight, cells);
    }

private:
    // Sorting a pair is taken for as dear as reading and clearing four cells; sixteen cells are read in no time.
    // Choices, not measurements: the cells are the same.
    static constexpr std::int64_t kCellsPerPair = 4;
    static constexpr std::int64_t kFreeCells = 16;

    template <class Label, class Code, class Weight>
    void count_in_table(std::int64_t n, std::int64_t n_labels, std::int64_t n_codes, const Label& label,
                        const Code& code, const Weight& weight, std::vector<ListedCell>& cells) {
        const std::int64_t size = n_labels * n_codes;
        if (std::int64_t(table_.size()) < size) table_.resize(std::size_t(size), 0);
        for (std::int64_t e = 0; e < n; ++e) table_[std::size_t(label(e) * n_codes + code(e))] += weight(e);
        for (std::int64_t cell = 0; cell < size; ++cell)
            if (const std::uint32_t count = std::exchange(table_[std::size_t(cell)], 0))
                cells.push_back({std::int32_t(cell / n_codes), std::uint16_t(cell % n_codes), count});
    }

    template <class Label, class Code, class Weight>
    void count_sorted(std::int64_t n, const Label& label, const Code& code, const Weight& weight,
                      std::vector<ListedCell>& cells) {
        pairs_.clear();
        for (std::int64_t e = 0; e < n; ++e) pairs_.push_back({std::int32_t(label(e)), code(e), weight(e)});
        std::sort(pairs_.begin(), pairs_.end(), [](const ListedCell& a, const ListedCell& b) {
            return a.label != b.label ? a.label < b.label : a.code < b.code;
        });
        for (std::size_t k = 0; k < pairs_.size(); ++k) {
            if (k > 0 && pairs_[k].label == pairs_[k - 1].label && pairs_[k].code == pairs_[k - 1].code)
                cells.back().count += pairs_[k].count;
            else
                cells.push_back(pairs_[k]);
        }
    }

    std::vector<std::uint32_t> table_;  // zeros between calls
    std::vector<ListedCell> pairs_;
};

}  // namespace bitsieve
