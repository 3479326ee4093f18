#include "count/independence.hpp"

#include <algorithm>

namespace bitsieve {

namespace {

constexpr std::int64_t kBlockCells = 1 << 18;  // 32-bit counts of one table: half of a common second-level cache
constexpr std::int64_t kFewCells = 1 << 10;    // where so few cells are counted, four samples are counted at a time
constexpr std::uint32_t kNoGroup = ~std::uint32_t(0);

// The sizes of the codes of two variables in one stratum: of those codes that occur.
struct StratumMargins {
    std::int64_t n_samples;
    const std::int64_t* rows;
    std::int64_t n_rows;
    const std::int64_t* columns;
    std::int64_t n_columns;

    bool both_vary() const { return n_rows > 1 && n_columns > 1; }
};

// All but the cells.
void add_margins(const Terms& terms, const StratumMargins& stratum, ExpectedExcess* excess, TestSums& sums) {
    std::int64_t information = terms(std::uint64_t(stratum.n_samples));
    for (std::int64_t r = 0; r < stratum.n_rows; ++r) information -= terms(std::uint64_t(stratum.rows[r]));
    for (std::int64_t c = 0; c < stratum.n_columns; ++c) information -= terms(std::uint64_t(stratum.columns[c]));
    sums.information += information;
    sums.degrees_of_freedom += (stratum.n_rows - 1) * (stratum.n_columns - 1);
    const std::int64_t rarest_row = *std::min_element(stratum.rows, stratum.rows + stratum.n_rows);
    const std::int64_t rarest_column = *std::min_element(stratum.columns, stratum.columns + stratum.n_columns);
    const double least_expected = double(rarest_row) * double(rarest_column) / double(stratum.n_samples);
    sums.least_expected = std::min(sums.least_expected, least_expected);
    if (excess == nullptr) return;
    for (std::int64_t r = 0; r < stratum.n_rows; ++r)
        for (std::int64_t c = 0; c < stratum.n_columns; ++c)
            sums.expected_excess += (*excess)(stratum.n_samples, stratum.rows[r], stratum.columns[c]);
}

// (n - m)^2 / m summed over the cells of a table is the sum of n^2 / m - n, to which empty cells add nothing.
double pearson_of_cell(std::int64_t count, std::int64_t row, std::int64_t column, std::int64_t n_samples) {
    const double n = double(count);
    return n / double(row) * n / double(column) * double(n_samples) - n;
}

// Counts the table (group, code) of a block with one variable.
class BlockTable {
public:
    void count(const VariableInStrata::Block& block, const std::uint16_t* codes, std::int64_t n_codes) {
        const std::int64_t n_cells = std::int64_t(block.group_sizes.size()) * n_codes;
        const std::int64_t n_samples = std::int64_t(block.samples.size());
        const std::uint32_t* samples = block.samples.data();
        const std::uint32_t* groups = block.groups.data();
        if (n_cells > kFewCells || n_cells * 8 > n_samples) {
            cells_.assign(std::size_t(n_cells), 0);
            for (std::int64_t t = 0; t < n_samples; ++t) ++cells_[groups[t] * std::size_t(n_codes) + codes[samples[t]]];
            return;
        }
        // Samples of one cell often follow each other, and each would wait for the one before: four tables, in turn.
        cells_.assign(std::size_t(4 * n_cells), 0);
        std::uint32_t* first = cells_.data();
        std::int64_t t = 0;
        for (; t + 4 <= n_samples; t += 4)
            for (int k = 0; k < 4; ++k)
                ++first[k * n_cells + groups[t + k] * n_codes + codes[samples[t + k]]];
        for (; t < n_samples; ++t) ++first[groups[t] * n_codes + codes[samples[t]]];
        for (std::int64_t cell = 0; cell < n_cells; ++cell)
            first[cell] += first[n_cells + cell] + first[2 * n_cells + cell] + first[3 * n_cells + cell];
    }

    const std::uint32_t* cells() const { return cells_.data(); }

private:
    std::vector<std::uint32_t> cells_;
};

}  // namespace

VariableInStrata::VariableInStrata(const CodedVariables& variables, std::int64_t variable, const Partition& strata)
    : n_samples_(variables.n_samples),
      n_strata_(strata.n_parts + variables.n_samples - strata.n_kept()),  // a part of one sample is not kept
      max_codes_(variables.max_codes()) {
    const std::uint16_t* codes = variables.codes(variable);
    const std::int64_t max_groups = std::max<std::int64_t>(1, kBlockCells / max_codes_);
    std::vector<std::int64_t> size_of_code(std::size_t(variables.n_codes[std::size_t(variable)]), 0);
    std::vector<std::uint32_t> group_of_code(size_of_code.size());
    std::vector<std::uint16_t> present;
    std::vector<std::uint32_t> group_of_sample(std::size_t(variables.n_samples), kNoGroup);  // in its block
    std::vector<std::uint32_t> block_of_sample(std::size_t(variables.n_samples));
    std::vector<std::int64_t> block_sizes;
    for (std::int64_t z = 0; z < strata.n_parts; ++z) {
        const std::uint32_t* first = strata.order + strata.starts[z];
        const std::uint32_t* last = strata.order + strata.starts[z + 1];
        present.clear();
        for (auto t = first; t != last; ++t)
            if (size_of_code[codes[*t]]++ == 0) present.push_back(codes[*t]);
        if (present.size() > 1) {
            std::sort(present.begin(), present.end());
            if (blocks_.empty() || std::int64_t(blocks_.back().group_sizes.size() + present.size()) > max_groups) {
                blocks_.emplace_back();
                block_sizes.push_back(0);
            }
            Block& block = blocks_.back();
            for (const auto code : present) {
                group_of_code[code] = std::uint32_t(block.group_sizes.size());
                block.group_sizes.push_back(size_of_code[code]);
            }
            block.strata.push_back({last - first, std::int64_t(block.group_sizes.size())});
            for (auto t = first; t != last; ++t) {
                group_of_sample[*t] = group_of_code[codes[*t]];
                block_of_sample[*t] = std::uint32_t(blocks_.size() - 1);
            }
            block_sizes.back() += last - first;
        }
        for (const auto code : present) size_of_code[code] = 0;
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        blocks_[b].samples.reserve(std::size_t(block_sizes[b]));
        blocks_[b].groups.reserve(std::size_t(block_sizes[b]));
    }
    for (std::int64_t t = 0; t < variables.n_samples; ++t) {
        if (group_of_sample[std::size_t(t)] == kNoGroup) continue;
        Block& block = blocks_[block_of_sample[std::size_t(t)]];
        block.samples.push_back(std::uint32_t(t));
        block.groups.push_back(group_of_sample[std::size_t(t)]);
    }
}

IndependenceSums::IndependenceSums(std::vector<std::int64_t> table, int shift)
    : table_(std::move(table)), terms_{table_.data(), table_.size(), shift} {}

std::unique_ptr<ExpectedExcess> IndependenceSums::borrow() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (idle_.empty()) return std::make_unique<ExpectedExcess>();
    std::unique_ptr<ExpectedExcess> excess = std::move(idle_.back());
    idle_.pop_back();
    return excess;
}

void IndependenceSums::give_back(std::unique_ptr<ExpectedExcess> excess) {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(excess));
}

std::vector<TestSums> IndependenceSums::of_variables(const VariableInStrata& grouped, const CodedVariables& variables,
                                                     const std::int64_t* others, std::int64_t n_others,
                                                     OptionalSums optional) {
    std::unique_ptr<ExpectedExcess> excess = borrow();
    std::vector<TestSums> out(static_cast<std::size_t>(n_others));
    BlockTable table;
    std::vector<std::int64_t> size_of_code;
    std::vector<std::int64_t> columns;  // the sizes of the codes that occur in a stratum
    for (std::int64_t k = 0; k < n_others; ++k) {
        const std::int64_t n_codes = variables.n_codes[std::size_t(others[k])];
        size_of_code.resize(std::size_t(n_codes));
        TestSums& sums = out[std::size_t(k)];
        sums.n_strata = grouped.n_strata();
        for (const auto& block : grouped.blocks()) {
            table.count(block, variables.codes(others[k]), n_codes);
            const std::uint32_t* cells = table.cells();  // of the next stratum
            std::int64_t group = 0;
            for (const auto& stratum : block.strata) {
                const std::int64_t n_rows = stratum.groups_end - group;
                std::copy(cells, cells + n_codes, size_of_code.begin());
                for (std::int64_t r = 1; r < n_rows; ++r)
                    for (std::int64_t c = 0; c < n_codes; ++c) size_of_code[std::size_t(c)] += cells[r * n_codes + c];
                columns.clear();
                for (const auto size : size_of_code)
                    if (size > 0) columns.push_back(size);
                const StratumMargins margins{stratum.n_samples, &block.group_sizes[std::size_t(group)], n_rows,
                                             columns.data(), std::int64_t(columns.size())};
                if (margins.both_vary()) {
                    add_margins(terms_, margins, optional.expected_excess ? excess.get() : nullptr, sums);
                    for (std::int64_t cell = 0; cell < n_rows * n_codes; ++cell)
                        sums.information += terms_(cells[cell]);
                    if (optional.pearson)
                        for (std::int64_t r = 0; r < n_rows; ++r)
                            for (std::int64_t c = 0; c < n_codes; ++c)
                                if (cells[r * n_codes + c] > 0)
                                    sums.pearson += pearson_of_cell(cells[r * n_codes + c], margins.rows[r],
                                                                    size_of_code[std::size_t(c)], stratum.n_samples);
                }
                cells += n_rows * n_codes;
                group = stratum.groups_end;
            }
        }
    }
    give_back(std::move(excess));
    return out;
}

TestSums IndependenceSums::of_table(const std::int64_t* cells, const std::int64_t* counts, std::int64_t n_cells,
                                    std::int64_t n_rows, std::int64_t n_columns, OptionalSums optional) {
    std::unique_ptr<ExpectedExcess> excess = borrow();
    TestSums sums;
    std::vector<std::int64_t> size_of_column(std::size_t(n_columns), 0);
    std::vector<std::int64_t> present;  // columns that occur in a stratum
    std::vector<std::int64_t> columns;  // their sizes
    std::vector<std::int64_t> rows;     // the sizes of the rows that occur
    std::int64_t end = 0;
    for (std::int64_t first = 0; first < n_cells; first = end) {
        const std::int64_t stratum = cells[first] / (n_rows * n_columns);
        ++sums.n_strata;
        std::int64_t n_samples = 0;
        std::int64_t latest_row = -1;
        rows.clear();
        present.clear();
        columns.clear();
        for (end = first; end < n_cells && cells[end] / (n_rows * n_columns) == stratum; ++end) {
            const std::int64_t row = cells[end] / n_columns;
            const std::int64_t column = cells[end] % n_columns;
            if (row != latest_row) rows.push_back(0);
            latest_row = row;
            rows.back() += counts[end];
            if (size_of_column[std::size_t(column)] == 0) present.push_back(column);
            size_of_column[std::size_t(column)] += counts[end];
            n_samples += counts[end];
        }
        for (const auto column : present) columns.push_back(size_of_column[std::size_t(column)]);
        const StratumMargins margins{n_samples, rows.data(), std::int64_t(rows.size()), columns.data(),
                                     std::int64_t(columns.size())};
        if (margins.both_vary()) {
            add_margins(terms_, margins, optional.expected_excess ? excess.get() : nullptr, sums);
            std::int64_t r = -1;
            latest_row = -1;
            for (std::int64_t i = first; i < end; ++i) {
                sums.information += terms_(std::uint64_t(counts[i]));
                r += cells[i] / n_columns != latest_row;
                latest_row = cells[i] / n_columns;
                if (optional.pearson)
                    sums.pearson += pearson_of_cell(counts[i], rows[std::size_t(r)],
                                                    size_of_column[std::size_t(cells[i] % n_columns)], n_samples);
            }
        }
        for (const auto column : present) size_of_column[std::size_t(column)] = 0;
    }
    give_back(std::move(excess));
    return sums;
}

}  // namespace bitsieve
