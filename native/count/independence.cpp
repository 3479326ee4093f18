#include "count/independence.hpp"

#include <algorithm>
#include <numeric>

namespace bitsieve {

namespace {

constexpr std::int64_t kBlockCells = 1 << 18;        // 32-bit counts of a table: half of a common second-level cache
constexpr std::int64_t kMaxJointCells = 1 << 14;     // counts of a batch: half of a common first-level cache
constexpr std::int64_t kMinSamplesPerJointCell = 8;  // with fewer, adding up the joint cells takes longer than it saves
constexpr std::int64_t kMaxBatch = 8;                // variables
constexpr std::uint32_t kNoGroup = ~std::uint32_t(0);
static_assert(kMaxJointCells <= 1 << 16, "a joint code has 16 bits");

// The margins of the table of two variables in one stratum. Its rows and columns are the codes that occur.
struct StratumMargins {
    std::int64_t n_samples;
    const std::int64_t* row_sizes;
    std::int64_t n_rows;
    const std::int64_t* column_sizes;
    std::int64_t n_columns;

    bool both_vary() const { return n_rows > 1 && n_columns > 1; }
};

// Add the part of a stratum that follows from its margins to the sums of a test. Without `excess` that sum is left out.
void add_margins(const Terms& terms, const StratumMargins& stratum, ExpectedExcess* excess, IndependenceSums& sums) {
    std::int64_t information = terms(std::uint64_t(stratum.n_samples));
    for (std::int64_t r = 0; r < stratum.n_rows; ++r) information -= terms(std::uint64_t(stratum.row_sizes[r]));
    for (std::int64_t c = 0; c < stratum.n_columns; ++c) information -= terms(std::uint64_t(stratum.column_sizes[c]));
    sums.information += information;
    sums.degrees_of_freedom += (stratum.n_rows - 1) * (stratum.n_columns - 1);
    const std::int64_t rarest_row = *std::min_element(stratum.row_sizes, stratum.row_sizes + stratum.n_rows);
    const std::int64_t rarest_column =
        *std::min_element(stratum.column_sizes, stratum.column_sizes + stratum.n_columns);
    const double least_expected = double(rarest_row) * double(rarest_column) / double(stratum.n_samples);
    sums.least_expected = std::min(sums.least_expected, least_expected);
    if (excess == nullptr) return;
    for (std::int64_t r = 0; r < stratum.n_rows; ++r)
        for (std::int64_t c = 0; c < stratum.n_columns; ++c)
            sums.expected_excess += (*excess)(stratum.n_samples, stratum.row_sizes[r], stratum.column_sizes[c]);
}

// The part n^2 / m - n of a cell in Pearson's statistic: over a table these add up to the sum of (n - m)^2 / m. Empty
// cells add nothing.
double pearson_of_cell(std::int64_t count, std::int64_t row, std::int64_t column, std::int64_t n_samples) {
    const double n = double(count);
    return n / double(row) * n / double(column) * double(n_samples) - n;
}

// The sum of the rows of a table (row, code).
void add_up_rows(const std::uint32_t* cells, std::int64_t n_rows, std::int64_t n_codes,
                 std::vector<std::int64_t>& size_of_code) {
    std::copy(cells, cells + n_codes, size_of_code.begin());
    for (std::int64_t r = 1; r < n_rows; ++r)
        for (std::int64_t c = 0; c < n_codes; ++c) size_of_code[std::size_t(c)] += cells[r * n_codes + c];
}

// Add Pearson's statistic of a table (row, code) to the sums.
void add_pearson(const std::uint32_t* cells, const std::vector<std::int64_t>& size_of_code,
                 const StratumMargins& margins, IndependenceSums& sums) {
    const std::uint32_t* cell = cells;
    for (std::int64_t r = 0; r < margins.n_rows; ++r)
        for (const std::int64_t size : size_of_code) {
            if (*cell > 0) sums.pearson += pearson_of_cell(*cell, margins.row_sizes[r], size, margins.n_samples);
            ++cell;
        }
}

int bits_of(std::int64_t n_codes) {
    int bits = 0;
    while (std::int64_t(1) << bits < n_codes) ++bits;
    return bits;
}

// The variables others[first .. first + n - 1], which are counted together by joint codes. A joint code has the bits of
// all their codes, one after the other. A single variable has its own code as joint code.
struct VariableBatch {
    std::int64_t first;
    std::int64_t n;
    std::int64_t n_joint;  // joint codes
};

// The longest batch that starts with others[first] and has at most max_joint joint codes.
VariableBatch batch_from(std::int64_t first, const CodedVariables& variables, const std::int64_t* others,
                         std::int64_t n_others, std::int64_t max_joint) {
    VariableBatch batch{first, 1, variables.n_codes[std::size_t(others[first])]};
    int bits = bits_of(batch.n_joint);
    while (batch.n < kMaxBatch && first + batch.n < n_others) {
        bits += bits_of(variables.n_codes[std::size_t(others[first + batch.n])]);
        if (std::int64_t(1) << bits > max_joint) break;
        batch.n_joint = std::int64_t(1) << bits;
        ++batch.n;
    }
    return batch;
}

// Where the code of a variable stands in the joint codes of its batch, which are (outer, value, inner).
struct JointCodeLayout {
    std::int64_t n_outer;   // joint values of the variables before it
    std::int64_t n_values;  // a power of two; values from the number of its codes on do not occur
    std::int64_t n_inner;   // joint values of the variables behind it
};

// Add the counts of joint codes to those of the codes of one variable.
void add_up_joint_codes(const std::uint32_t* of_joint_codes, const JointCodeLayout& layout, std::int64_t n_codes,
                        std::uint32_t* of_codes) {
    for (std::int64_t outer = 0; outer < layout.n_outer; ++outer)
        for (std::int64_t code = 0; code < n_codes; ++code) {
            const std::uint32_t* inner = of_joint_codes + (outer * layout.n_values + code) * layout.n_inner;
            of_codes[code] += std::accumulate(inner, inner + layout.n_inner, 0u);
        }
}

// Counts the tables (group, code) of a block with each variable of a batch.
class BlockTables {
public:
    BlockTables(const CodedVariables& variables, const std::int64_t* others) : variables_(variables), others_(others) {}

    void count(const VariableInStrata::Block& block, const VariableBatch& batch) {
        n_groups_ = std::int64_t(block.group_sizes.size());
        n_joint_ = std::size_t(batch.n_joint);
        n_cells_ = std::size_t(n_groups_ + 1) * n_joint_;  // the last group is that of samples without a group
        const std::int64_t n_samples = std::int64_t(block.groups.size());
        n_copies_ = std::int64_t(n_cells_) * kSamplesPerCopiedCell <= n_samples ? kCopies : 1;
        joint_.assign(n_copies_ * n_cells_, 0);
        for (std::int64_t t = 0; t < n_samples; t += kChunk) {
            const std::int64_t n = std::min(kChunk, n_samples - t);
            if (block.has_all_samples())
                join_codes(batch, n, [t](const std::uint16_t* codes, std::int64_t i) { return codes[t + i]; });
            else
                join_codes(batch, n,
                           [samples = &block.samples[std::size_t(t)]](const std::uint16_t* codes, std::int64_t i) {
                               return codes[samples[i]];
                           });
            add_samples(&block.groups[std::size_t(t)], n);
        }
        for (std::size_t copy = 1; copy < n_copies_; ++copy)
            for (std::size_t cell = 0; cell < n_cells_; ++cell) joint_[cell] += joint_[copy * n_cells_ + cell];
    }

    // The table (group, code) of the variable k of the batch, from the counts of joint codes.
    const std::uint32_t* of_variable(const VariableBatch& batch, std::int64_t k) {
        if (batch.n == 1) return joint_.data();
        const std::int64_t n_codes = codes_of(batch, k);
        const JointCodeLayout layout = layout_of(batch, k);
        table_.assign(std::size_t(n_groups_ * n_codes), 0);
        for (std::int64_t group = 0; group < n_groups_; ++group)
            add_up_joint_codes(&joint_[std::size_t(group) * n_joint_], layout, n_codes,
                               &table_[std::size_t(group * n_codes)]);
        return table_.data();
    }

private:
    std::int64_t codes_of(const VariableBatch& batch, std::int64_t k) const {
        return variables_.n_codes[std::size_t(others_[batch.first + k])];
    }

    JointCodeLayout layout_of(const VariableBatch& batch, std::int64_t k) const {
        int inner_bits = 0;
        for (std::int64_t behind = k + 1; behind < batch.n; ++behind) inner_bits += bits_of(codes_of(batch, behind));
        const std::int64_t n_values = std::int64_t(1) << bits_of(codes_of(batch, k));
        const std::int64_t n_inner = std::int64_t(1) << inner_bits;
        return {batch.n_joint / (n_inner * n_values), n_values, n_inner};
    }

    // Set the joint codes of n samples. code_of_sample(codes, i) is the code of the i-th of them.
    template <class CodeOfSample>
    void join_codes(const VariableBatch& batch, std::int64_t n, const CodeOfSample& code_of_sample) {
        const std::uint16_t* codes = variables_.codes(others_[batch.first]);
        for (std::int64_t i = 0; i < n; ++i) codes_[i] = code_of_sample(codes, i);
        for (std::int64_t k = 1; k < batch.n; ++k) {
            codes = variables_.codes(others_[batch.first + k]);
            const int bits = bits_of(codes_of(batch, k));
            for (std::int64_t i = 0; i < n; ++i)
                codes_[i] = std::uint16_t(codes_[i] << bits | code_of_sample(codes, i));
        }
    }

    // Count n samples. Neighbours often have the same cell, and would wait for each other: they go to several copies.
    void add_samples(const std::uint32_t* groups, std::int64_t n) {
        std::uint32_t* cells = joint_.data();
        std::int64_t i = 0;
        if (n_copies_ == kCopies)
            for (; i + std::int64_t(kCopies) <= n; i += kCopies)
                for (std::size_t copy = 0; copy < kCopies; ++copy)
                    ++cells[copy * n_cells_ + groups[i + copy] * n_joint_ + codes_[i + copy]];
        for (; i < n; ++i) ++cells[groups[i] * n_joint_ + codes_[i]];
    }

    static constexpr std::int64_t kChunk = 2048;  // samples, whose joint codes take 4 KiB
    static constexpr std::size_t kCopies = 4;
    static constexpr std::int64_t kSamplesPerCopiedCell = 16;

    const CodedVariables& variables_;
    const std::int64_t* others_;
    std::int64_t n_groups_ = 0;
    std::size_t n_joint_ = 0;
    std::size_t n_cells_ = 0;
    std::size_t n_copies_ = 1;
    std::uint16_t codes_[kChunk];       // joint codes
    std::vector<std::uint32_t> joint_;  // (copy, group, joint code)
    std::vector<std::uint32_t> table_;  // (group, code)
};

// The codes of a variable that occur in a stratum, and how many samples have each.
class CodesOfStratum {
public:
    explicit CodesOfStratum(std::int64_t n_codes) : size_of_code_(std::size_t(n_codes), 0) {}

    // Count the codes of the samples first .. last - 1.
    void count(const std::uint16_t* codes, const std::uint32_t* first, const std::uint32_t* last) {
        for (const auto code : present_) size_of_code_[code] = 0;
        present_.clear();
        for (auto t = first; t != last; ++t)
            if (size_of_code_[codes[*t]]++ == 0) present_.push_back(codes[*t]);
        std::sort(present_.begin(), present_.end());
    }

    const std::vector<std::uint16_t>& present() const { return present_; }  // ascending
    std::uint32_t size(std::uint16_t code) const { return size_of_code_[code]; }

private:
    std::vector<std::uint32_t> size_of_code_;
    std::vector<std::uint16_t> present_;
};

// The occupied cells of a table (stratum, row, column), ascending.
struct OccupiedCells {
    const std::int64_t* cells;
    const std::int64_t* counts;
    std::int64_t n_cells;
    std::int64_t n_rows, n_columns;

    // The index behind the last cell of the stratum that starts with cell `first`.
    std::int64_t end_of_stratum(std::int64_t first) const {
        const std::int64_t stratum = cells[first] / (n_rows * n_columns);
        const std::int64_t next_stratum = (stratum + 1) * n_rows * n_columns;
        std::int64_t end = first + 1;
        while (end < n_cells && cells[end] < next_stratum) ++end;
        return end;
    }
};

// One stratum of a table of occupied cells, and its margins.
class StratumOfCells {
public:
    explicit StratumOfCells(const OccupiedCells& table)
        : table_(table), size_of_column_(std::size_t(table.n_columns), 0) {}

    // Move to the stratum of the cells first .. end - 1.
    void move_to(std::int64_t first, std::int64_t end) {
        first_ = first;
        end_ = end;
        n_samples_ = 0;
        for (const auto column : present_) size_of_column_[column] = 0;
        present_.clear();
        row_sizes_.clear();
        column_sizes_.clear();
        std::int64_t latest_row = -1;
        for (std::int64_t i = first; i < end; ++i) {
            const std::int64_t row = table_.cells[i] / table_.n_columns;
            if (row != latest_row) row_sizes_.push_back(0);
            latest_row = row;
            const std::size_t column = std::size_t(table_.cells[i] - row * table_.n_columns);
            if (size_of_column_[column] == 0) present_.push_back(column);
            row_sizes_.back() += table_.counts[i];
            size_of_column_[column] += table_.counts[i];
            n_samples_ += table_.counts[i];
        }
        for (const auto column : present_) column_sizes_.push_back(size_of_column_[column]);
    }

    StratumMargins margins() const {
        return {n_samples_, row_sizes_.data(), std::int64_t(row_sizes_.size()), column_sizes_.data(),
                std::int64_t(column_sizes_.size())};
    }

    // Add the cells to the sums.
    void add_cells(const Terms& terms, bool with_pearson, IndependenceSums& sums) const {
        for (std::int64_t i = first_; i < end_; ++i) sums.information += terms(std::uint64_t(table_.counts[i]));
        if (!with_pearson) return;
        const std::int64_t* row_size = row_sizes_.data();
        std::int64_t latest_row = table_.cells[first_] / table_.n_columns;
        for (std::int64_t i = first_; i < end_; ++i) {
            const std::int64_t row = table_.cells[i] / table_.n_columns;
            if (row != latest_row) ++row_size;
            latest_row = row;
            const std::int64_t column_size = size_of_column_[std::size_t(table_.cells[i] - row * table_.n_columns)];
            sums.pearson += pearson_of_cell(table_.counts[i], *row_size, column_size, n_samples_);
        }
    }

private:
    const OccupiedCells& table_;
    std::int64_t first_ = 0, end_ = 0;  // among the cells of the table
    std::int64_t n_samples_ = 0;
    std::vector<std::int64_t> size_of_column_;
    std::vector<std::size_t> present_;        // the columns that occur
    std::vector<std::int64_t> column_sizes_;  // of these
    std::vector<std::int64_t> row_sizes_;     // of the rows that occur
};

}  // namespace

Strata::Strata(std::int64_t n_samples) : n_samples_(n_samples), vectors_{} {
    vectors_.order.resize(std::size_t(n_samples));
    std::iota(vectors_.order.begin(), vectors_.order.end(), 0u);
    vectors_.starts = {0, n_samples};
}

Strata Strata::refined(const std::uint16_t* codes, std::int64_t n_codes) const {
    Strata strata(0);
    strata.n_samples_ = n_samples_;
    strata.vectors_ = refine(codes, n_codes, partition());
    return strata;
}

std::int64_t Strata::n_strata() const {
    const std::int64_t n_listed = vectors_.starts.back();  // each of the others is a stratum of its own
    return std::int64_t(vectors_.starts.size()) - 1 + n_samples_ - n_listed;
}

Partition Strata::partition() const {
    return {vectors_.order.data(), vectors_.starts.data(), std::int64_t(vectors_.starts.size()) - 1};
}

VariableInStrata::VariableInStrata(const CodedVariables& variables, std::int64_t variable, const Strata& strata)
    : n_samples_(variables.n_samples), n_strata_(strata.n_strata()), max_codes_(variables.max_codes()) {
    const std::uint16_t* codes = variables.codes(variable);
    const std::int64_t n_codes = variables.n_codes[std::size_t(variable)];
    const Partition partition = strata.partition();
    std::vector<std::uint32_t> group_of_sample(std::size_t(n_samples_), kNoGroup);  // among all groups
    std::vector<std::uint32_t> group_of_code(static_cast<std::size_t>(n_codes));
    CodesOfStratum stratum(n_codes);
    std::uint32_t n_groups = 0;
    for (std::int64_t z = 0; z < partition.n_parts; ++z) {
        const std::uint32_t* first = partition.order + partition.starts[z];
        const std::uint32_t* last = partition.order + partition.starts[z + 1];
        stratum.count(codes, first, last);
        if (stratum.present().size() < 2) continue;
        Block& block = block_with_room(stratum.present().size(), n_groups);
        for (const auto code : stratum.present()) {
            group_of_code[code] = n_groups++;
            block.group_sizes.push_back(stratum.size(code));
        }
        block.strata.push_back({last - first, std::int64_t(block.group_sizes.size())});
        for (auto t = first; t != last; ++t) group_of_sample[*t] = group_of_code[codes[*t]];
    }
    fill_blocks(group_of_sample);
}

VariableInStrata::Block& VariableInStrata::block_with_room(std::size_t n_more, std::uint32_t n_groups) {
    const std::size_t max_groups = std::size_t(std::max<std::int64_t>(1, kBlockCells / max_codes_));
    if (blocks_.empty() || blocks_.back().group_sizes.size() + n_more > max_groups) {
        blocks_.emplace_back();
        first_group_.push_back(n_groups);
    }
    return blocks_.back();
}

void VariableInStrata::fill_blocks(const std::vector<std::uint32_t>& group_of_sample) {
    if (blocks_.size() == 1 && 2 * blocks_.front().n_samples() > n_samples_) {
        Block& block = blocks_.front();
        const std::uint32_t no_group = std::uint32_t(block.group_sizes.size());
        block.groups.resize(group_of_sample.size());
        for (std::size_t t = 0; t < group_of_sample.size(); ++t)
            block.groups[t] = std::min(group_of_sample[t], no_group);
        return;
    }
    for (Block& block : blocks_) {
        block.samples.reserve(std::size_t(block.n_samples()));
        block.groups.reserve(std::size_t(block.n_samples()));
    }
    for (std::size_t t = 0; t < group_of_sample.size(); ++t) {
        if (group_of_sample[t] == kNoGroup) continue;
        const auto next = std::upper_bound(first_group_.begin(), first_group_.end(), group_of_sample[t]);
        const std::size_t b = std::size_t(next - first_group_.begin()) - 1;
        blocks_[b].samples.push_back(std::uint32_t(t));
        blocks_[b].groups.push_back(group_of_sample[t] - first_group_[b]);
    }
}

IndependenceCounter::IndependenceCounter(std::vector<std::int64_t> table, int shift)
    : table_(std::move(table)), terms_{table_.data(), table_.size(), shift} {}

IndependenceCounter::Borrowed IndependenceCounter::borrow() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (idle_.empty()) return {new ExpectedExcess(), Return{this}};
    ExpectedExcess* excess = idle_.back().release();
    idle_.pop_back();
    return {excess, Return{this}};
}

void IndependenceCounter::Return::operator()(ExpectedExcess* excess) const {
    const std::lock_guard<std::mutex> lock(owner->mutex_);
    owner->idle_.emplace_back(excess);
}

std::vector<IndependenceSums> IndependenceCounter::of_variables(const VariableInStrata& grouped,
                                                                const CodedVariables& variables,
                                                                const std::int64_t* others, std::int64_t n_others,
                                                                OptionalSums optional) {
    std::vector<IndependenceSums> out(static_cast<std::size_t>(n_others));
    for (IndependenceSums& sums : out) sums.n_strata = grouped.n_strata();
    std::int64_t n_samples = 0;
    std::int64_t n_groups = 0;
    for (const auto& block : grouped.blocks()) {
        n_samples += block.n_samples();
        n_groups += std::int64_t(block.group_sizes.size());
    }
    if (n_groups == 0) return out;
    const std::int64_t max_joint = std::min(kMaxJointCells, n_samples / kMinSamplesPerJointCell) / n_groups;
    const auto excess = borrow();
    BlockTables tables(variables, others);
    for (std::int64_t k = 0; k < n_others;) {
        const VariableBatch batch = batch_from(k, variables, others, n_others, max_joint);
        for (const auto& block : grouped.blocks()) {
            tables.count(block, batch);
            for (std::int64_t i = 0; i < batch.n; ++i)
                add_block(block, tables.of_variable(batch, i), variables.n_codes[std::size_t(others[k + i])], optional,
                          excess.get(), out[std::size_t(k + i)]);
        }
        k += batch.n;
    }
    return out;
}

// Add the strata of a block to the sums, from the block's table (group, code) with a variable.
void IndependenceCounter::add_block(const VariableInStrata::Block& block, const std::uint32_t* cells,
                                    std::int64_t n_codes, OptionalSums optional, ExpectedExcess* excess,
                                    IndependenceSums& sums) const {
    std::vector<std::int64_t> size_of_code(static_cast<std::size_t>(n_codes));
    std::vector<std::int64_t> column_sizes;  // of the codes that occur in a stratum
    std::int64_t group = 0;
    for (const auto& stratum : block.strata) {
        const std::int64_t n_rows = stratum.groups_end - group;
        add_up_rows(cells, n_rows, n_codes, size_of_code);
        column_sizes.clear();
        for (const auto size : size_of_code)
            if (size > 0) column_sizes.push_back(size);
        const StratumMargins margins{stratum.n_samples, &block.group_sizes[std::size_t(group)], n_rows,
                                     column_sizes.data(), std::int64_t(column_sizes.size())};
        if (margins.both_vary()) {
            add_margins(terms_, margins, optional.expected_excess ? excess : nullptr, sums);
            for (std::int64_t cell = 0; cell < n_rows * n_codes; ++cell) sums.information += terms_(cells[cell]);
            if (optional.pearson) add_pearson(cells, size_of_code, margins, sums);
        }
        cells += n_rows * n_codes;
        group = stratum.groups_end;
    }
}

IndependenceSums IndependenceCounter::of_table(const std::int64_t* cells, const std::int64_t* counts,
                                               std::int64_t n_cells, std::int64_t n_rows, std::int64_t n_columns,
                                               OptionalSums optional) {
    const auto excess = borrow();
    const OccupiedCells table{cells, counts, n_cells, n_rows, n_columns};
    StratumOfCells stratum(table);
    IndependenceSums sums;
    std::int64_t end = 0;
    for (std::int64_t first = 0; first < n_cells; first = end) {
        end = table.end_of_stratum(first);
        stratum.move_to(first, end);
        ++sums.n_strata;
        const StratumMargins margins = stratum.margins();
        if (margins.both_vary()) {
            add_margins(terms_, margins, optional.expected_excess ? excess.get() : nullptr, sums);
            stratum.add_cells(terms_, optional.pearson, sums);
        }
    }
    return sums;
}

}  // namespace bitsieve
