#include "count/pivot_counter.hpp"

#include <algorithm>

namespace bitsieve {

namespace {

constexpr std::int64_t kSmallTable = 1 << 16;  // cells: 256 KiB of counters, twice, in the second-level cache

std::uint32_t take(std::uint32_t& cell) {
    const std::uint32_t count = cell;
    cell = 0;
    return count;
}

}  // namespace

TableCounter::TableCounter(const PackedTable& packed, std::int64_t feature)
    : packed_(packed), arity_(feature < 0 ? 1 : packed.arity(feature)) {
    if (feature < 0) scratch_.assign(std::size_t(packed.n_samples()), 0);
    codes_ = feature < 0 ? scratch_.data() : packed.codes(feature, scratch_);
}

template <class Pooled>
void TableCounter::small_table(const std::uint16_t* codes, std::int64_t n_codes, const Pooled& pooled_cell) {
    table_.assign(std::size_t(arity_ * n_codes), 0);
    for (std::int64_t t = 0; t < packed_.n_samples(); ++t) ++table_[codes_[t] * n_codes + codes[t]];
    for (const auto cell : table_) pooled_cell(cell);
}

template <class Pooled, class PerClass>
void TableCounter::small_tables(const std::uint16_t* codes, std::int64_t n_codes, const Pooled& pooled_cell,
                                const PerClass& class_cell) {
    const std::int64_t cells = arity_ * n_codes;
    table_.assign(std::size_t(cells), 0);
    pooled_.assign(std::size_t(cells), 0);
    std::int64_t first = 0;
    for (std::int64_t c = 0; c < packed_.n_classes(); ++c) {
        const std::int64_t last = first + packed_.class_size(c);
        for (std::int64_t t = first; t < last; ++t) ++table_[codes_[t] * n_codes + codes[t]];
        const auto finish = [&](std::int64_t cell) {
            pooled_[cell] += table_[cell];
            class_cell(take(table_[cell]));
        };
        if (last - first < cells)  // fewer samples than cells: visit only those that were touched
            for (std::int64_t t = first; t < last; ++t) finish(codes_[t] * n_codes + codes[t]);
        else
            for (std::int64_t cell = 0; cell < cells; ++cell) finish(cell);
        first = last;
    }
    for (const auto cell : pooled_) pooled_cell(cell);
}

// Sorts samples by the pivot's code, and by class and then code: counting sorts, stable.
void TableCounter::sort_samples() {
    if (!by_code_.empty()) return;
    by_code_.resize(std::size_t(packed_.n_samples()));
    by_class_and_code_.resize(by_code_.size());
    std::vector<std::int64_t> start(std::size_t(arity_) + 1);
    const auto sort = [&](std::int64_t first, std::int64_t last, std::uint32_t* out) {
        std::fill(start.begin(), start.end(), 0);
        for (std::int64_t t = first; t < last; ++t) ++start[codes_[t] + 1];
        for (std::int64_t a = 0; a < arity_; ++a) start[a + 1] += start[a];
        for (std::int64_t t = first; t < last; ++t) out[first + start[codes_[t]]++] = std::uint32_t(t);
    };
    sort(0, packed_.n_samples(), by_code_.data());
    std::int64_t first = 0;
    for (std::int64_t c = 0; c < packed_.n_classes(); first += packed_.class_size(c++)) {
        const std::int64_t last = first + packed_.class_size(c);
        if (last - first >= arity_) {
            sort(first, last, by_class_and_code_.data());
        } else {  // a class of few samples must not cost a pass over all codes
            std::uint32_t* out = by_class_and_code_.data();
            for (std::int64_t t = first; t < last; ++t) out[t] = std::uint32_t(t);
            std::sort(out + first, out + last, [this](std::uint32_t a, std::uint32_t b) {
                return codes_[a] != codes_[b] ? codes_[a] < codes_[b] : a < b;
            });
        }
    }
}

template <class Take>
void TableCounter::walk(const std::uint16_t* codes, const std::vector<std::uint32_t>& order, std::int64_t first,
                        std::int64_t last, const Take& count) {
    for (std::int64_t t = first, run = first; t < last; run = t) {
        const std::uint16_t code = codes_[order[t]];
        for (; t < last && codes_[order[t]] == code; ++t) ++table_[codes[order[t]]];
        for (std::int64_t u = run; u < t; ++u) count(take(table_[codes[order[u]]]));
    }
}

template <class Pooled, class PerClass>
void TableCounter::visit(std::int64_t other, bool per_class, const Pooled& pooled_cell, const PerClass& class_cell) {
    const std::uint16_t* codes = packed_.codes(other, other_scratch_);
    const std::int64_t n_codes = packed_.arity(other);
    if (arity_ * n_codes <= kSmallTable) {
        if (per_class) return small_tables(codes, n_codes, pooled_cell, class_cell);
        return small_table(codes, n_codes, pooled_cell);
    }
    sort_samples();
    table_.assign(std::size_t(n_codes), 0);
    walk(codes, by_code_, 0, packed_.n_samples(), pooled_cell);
    if (!per_class) return;
    std::int64_t first = 0;
    for (std::int64_t c = 0; c < packed_.n_classes(); first += packed_.class_size(c++))
        walk(codes, by_class_and_code_, first, first + packed_.class_size(c), class_cell);
}

void TableCounter::sums(std::int64_t other, const Terms& terms, std::int64_t* pooled_sums, std::int64_t* class_sums) {
    std::int64_t pooled_sum = 0;
    std::int64_t within_sum = 0;
    visit(
        other, class_sums != nullptr, [&](std::uint32_t count) { pooled_sum += terms(count); },
        [&](std::uint32_t count) { within_sum += terms(count); });
    *pooled_sums = pooled_sum;
    if (class_sums) *class_sums = within_sum;
}

void TableCounter::cells(std::int64_t other, std::int64_t* pooled_cells, std::int64_t* class_cells) {
    const auto append_to = [](std::int64_t*& out) {
        return [&out](std::uint32_t count) {
            if (count) *out++ = count;
        };
    };
    visit(other, class_cells != nullptr, append_to(pooled_cells), append_to(class_cells));
}

namespace {

constexpr std::int64_t kRowTableCells = 4096;  // of a row table, 32 KiB: the first-level cache

}  // namespace

void PivotCounter::group_sums(std::int64_t simd_group, const Terms& terms, std::int64_t* pooled_sums,
                              std::int64_t* class_sums) {
    const bool as_planes = !packed_.uses_counters() && (feature_ < 0 || !packed_.is_wide(feature_));
    if (as_planes && simd_group < packed_.n_narrow_groups()) {
        packed_.kernel().pair_sums(view(terms, class_sums != nullptr), packed_.group(simd_group), packed_.layout(),
                                   terms, pooled_sums, class_sums);
        return;
    }
    if (!codes_) codes_.emplace(packed_, feature_);
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::int64_t other = packed_.feature_at(simd_group, lane);
        if (other >= 0) codes_->sums(other, terms, pooled_sums + lane, class_sums ? class_sums + lane : nullptr);
    }
}

void PivotCounter::sums_within_strata(std::int64_t simd_group, const StrataLayout& strata, const Terms& terms,
                                      std::int64_t* stratum_sums, std::int64_t* class_sums) {
    packed_.kernel().strata_sums(view(terms, class_sums != nullptr), packed_.group(simd_group), packed_.layout(),
                                 strata, terms, stratum_sums, class_sums);
}

void PivotCounter::prepare(const Terms& terms, bool per_class) {
    if (ready_ || feature_ < 0) return;
    pivot_storage_ = packed_.pivot(feature_);
    make_row_tables(terms, per_class);
    ready_ = true;
}

PivotPlanes PivotCounter::view(const Terms& terms, bool per_class) {
    if (feature_ < 0) return {nullptr, nullptr, 0, 1, nullptr};
    prepare(terms, per_class);
    return {pivot_storage_->planes.get(), pivot_storage_->margins.data(), packed_.arity(feature_) - 1, 1,
            row_tables_.empty() ? nullptr : row_tables_.data()};
}

// Tables for every row of every class (or of the pooled table alone) that are smaller than what they save.
void PivotCounter::make_row_tables(const Terms& terms, bool per_class) {
    if (std::uint64_t(packed_.n_samples()) >= terms.limit || packed_.group(0).n_planes > 2) return;
    const ClassLayout layout = packed_.layout();
    const int n_planes = packed_.arity(feature_) - 1;
    std::vector<std::size_t> start;
    row_tables_.assign(std::size_t(layout.n_classes + 1) * (n_planes + 1), RowTable{nullptr, 0, 0});
    for (std::int64_t s = 0; s <= layout.n_classes; ++s) {
        std::int64_t last = layout.class_size[s];
        for (int r = 0; r <= n_planes; ++r) {
            const std::int64_t margin = r < n_planes ? pivot_storage_->margins[s * n_planes + r] : last;
            last -= margin;
            int shift = 0;
            while ((std::int64_t(1) << shift) <= margin) ++shift;
            row_tables_[s * (n_planes + 1) + r] = {nullptr, shift, margin};
            const std::int64_t cells = (margin + 1) << shift;
            const bool pays = cells <= std::min(kRowTableCells, n_pairs_) && (per_class || s == layout.n_classes);
            start.push_back(pays ? row_terms_.size() : std::size_t(-1));
            if (!pays) continue;
            row_terms_.resize(row_terms_.size() + std::size_t(cells));
            for (std::int64_t c1 = 0; c1 <= margin; ++c1)
                for (std::int64_t c0 = 0; c0 <= margin - c1; ++c0)
                    row_terms_[start.back() + std::size_t(c0 + (c1 << shift))] =
                        terms.table[c0] + terms.table[c1] + terms.table[margin - c0 - c1];
        }
    }
    for (std::size_t i = 0; i < start.size(); ++i)
        if (start[i] != std::size_t(-1)) row_tables_[i].terms = row_terms_.data() + start[i];
}

}  // namespace bitsieve
