#include "count/pivot_counter.hpp"

#include <algorithm>

namespace bitsieve {

namespace {

constexpr std::int64_t kSmallTable = 1 << 16;  // cells: 256 KiB of counters, twice, in the second-level cache

std::uint32_t count_and_clear(std::uint32_t& cell) {
    const std::uint32_t count = cell;
    cell = 0;
    return count;
}

}  // namespace

TableCounter::TableCounter(const PackedTable& packed, std::int64_t feature)
    : packed_(packed), arity_(feature < 0 ? 1 : packed.arity(feature)) {
    if (feature < 0) scratch_.assign(std::size_t(packed.n_samples()), 0);
    pivot_codes_ = feature < 0 ? scratch_.data() : packed.codes(feature, scratch_);
}

template <class VisitCell>
void TableCounter::visit_small_table(OtherFeature other, const VisitCell& visit_pooled) {
    table_.assign(std::size_t(arity_ * other.arity), 0);
    for (std::int64_t t = 0; t < packed_.n_samples(); ++t) ++table_[pivot_codes_[t] * other.arity + other.codes[t]];
    for (const std::uint32_t count : table_) visit_pooled(count);
}

template <class VisitPooled, class VisitClass>
void TableCounter::visit_small_tables(OtherFeature other, const VisitPooled& visit_pooled,
                                      const VisitClass& visit_class) {
    const std::int64_t n_cells = arity_ * other.arity;
    table_.assign(std::size_t(n_cells), 0);
    pooled_.assign(std::size_t(n_cells), 0);
    const auto cell_of = [&](std::int64_t t) { return pivot_codes_[t] * other.arity + other.codes[t]; };
    const auto finish_cell = [&](std::int64_t cell) {
        pooled_[cell] += table_[cell];
        visit_class(count_and_clear(table_[cell]));
    };
    std::int64_t first = 0;
    for (std::int64_t c = 0; c < packed_.n_classes(); ++c) {
        const std::int64_t last = first + packed_.class_size(c);
        for (std::int64_t t = first; t < last; ++t) ++table_[cell_of(t)];
        if (last - first < n_cells)  // fewer samples than cells: only the cells of the samples are visited
            for (std::int64_t t = first; t < last; ++t) finish_cell(cell_of(t));
        else
            for (std::int64_t cell = 0; cell < n_cells; ++cell) finish_cell(cell);
        first = last;
    }
    for (const std::uint32_t count : pooled_) visit_pooled(count);
}

// Sorts samples by the pivot's code, and by class and then code: counting sorts, stable.
void TableCounter::sort_samples() {
    if (!by_code_.empty()) return;
    by_code_.resize(std::size_t(packed_.n_samples()));
    by_class_and_code_.resize(by_code_.size());
    std::vector<std::int64_t> start(std::size_t(arity_) + 1);
    const auto counting_sort = [&](std::int64_t first, std::int64_t last, std::uint32_t* out) {
        std::fill(start.begin(), start.end(), 0);
        for (std::int64_t t = first; t < last; ++t) ++start[pivot_codes_[t] + 1];
        for (std::int64_t a = 0; a < arity_; ++a) start[a + 1] += start[a];
        for (std::int64_t t = first; t < last; ++t) out[first + start[pivot_codes_[t]]++] = std::uint32_t(t);
    };
    counting_sort(0, packed_.n_samples(), by_code_.data());
    std::int64_t first = 0;
    for (std::int64_t c = 0; c < packed_.n_classes(); ++c) {
        const std::int64_t last = first + packed_.class_size(c);
        if (last - first >= arity_) {
            counting_sort(first, last, by_class_and_code_.data());
        } else {  // a class of few samples must not cost a pass over all codes
            std::uint32_t* out = by_class_and_code_.data();
            for (std::int64_t t = first; t < last; ++t) out[t] = std::uint32_t(t);
            std::sort(out + first, out + last, [this](std::uint32_t a, std::uint32_t b) {
                return pivot_codes_[a] != pivot_codes_[b] ? pivot_codes_[a] < pivot_codes_[b] : a < b;
            });
        }
        first = last;
    }
}

template <class VisitCell>
void TableCounter::visit_rows(OtherFeature other, const std::uint32_t* samples, std::int64_t n,
                              const VisitCell& visit_cell) {
    std::int64_t begin = 0;
    while (begin < n) {
        const std::uint16_t pivot_code = pivot_codes_[samples[begin]];
        std::int64_t end = begin;
        for (; end < n && pivot_codes_[samples[end]] == pivot_code; ++end) ++table_[other.codes[samples[end]]];
        // The first sample of a cell finds its count, the others find 0: an empty cell, which adds nothing.
        for (std::int64_t i = begin; i < end; ++i) visit_cell(count_and_clear(table_[other.codes[samples[i]]]));
        begin = end;
    }
}

template <class VisitPooled, class VisitClass>
void TableCounter::visit(std::int64_t other_feature, bool per_class, const VisitPooled& visit_pooled,
                         const VisitClass& visit_class) {
    const OtherFeature other{packed_.codes(other_feature, other_scratch_), packed_.arity(other_feature)};
    if (arity_ * other.arity <= kSmallTable) {
        if (per_class) return visit_small_tables(other, visit_pooled, visit_class);
        return visit_small_table(other, visit_pooled);
    }
    sort_samples();
    table_.assign(std::size_t(other.arity), 0);
    visit_rows(other, by_code_.data(), packed_.n_samples(), visit_pooled);
    if (!per_class) return;
    const std::uint32_t* class_samples = by_class_and_code_.data();
    for (std::int64_t c = 0; c < packed_.n_classes(); ++c) {
        visit_rows(other, class_samples, packed_.class_size(c), visit_class);
        class_samples += packed_.class_size(c);
    }
}

void TableCounter::sums(std::int64_t other, const Terms& terms, std::int64_t* pooled_sums, std::int64_t* class_sums) {
    std::int64_t pooled_sum = 0;
    std::int64_t class_sum = 0;
    visit(
        other, class_sums != nullptr, [&](std::uint32_t count) { pooled_sum += terms(count); },
        [&](std::uint32_t count) { class_sum += terms(count); });
    *pooled_sums = pooled_sum;
    if (class_sums != nullptr) *class_sums = class_sum;
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
        packed_.kernel().pair_sums(pivot_planes(terms, class_sums != nullptr), packed_.group(simd_group),
                                   packed_.layout(), terms, pooled_sums, class_sums);
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
    packed_.kernel().strata_sums(pivot_planes(terms, class_sums != nullptr), packed_.group(simd_group),
                                 packed_.layout(), strata, terms, stratum_sums, class_sums);
}

void PivotCounter::prepare(const Terms& terms, bool per_class) {
    if (ready_ || feature_ < 0) return;
    pivot_storage_ = packed_.pivot(feature_);
    make_row_tables(terms, per_class);
    ready_ = true;
}

PivotPlanes PivotCounter::pivot_planes(const Terms& terms, bool per_class) {
    if (feature_ < 0) return {nullptr, nullptr, 0, 1, nullptr};  // a constant has one code, and so no planes
    prepare(terms, per_class);
    return {pivot_storage_->planes.get(), pivot_storage_->margins.data(), packed_.arity(feature_) - 1, 1,
            row_tables_.empty() ? nullptr : row_tables_.data()};
}

// Makes tables for those rows of every class, and of the pooled table, whose table is smaller than what it saves.
void PivotCounter::make_row_tables(const Terms& terms, bool per_class) {
    if (std::uint64_t(packed_.n_samples()) >= terms.limit || packed_.group(0).n_planes > 2) return;
    constexpr std::size_t kNoTable = std::size_t(-1);
    const ClassLayout layout = packed_.layout();
    const int n_planes = packed_.arity(feature_) - 1;
    const std::int64_t max_cells = std::min(kRowTableCells, n_pairs_);
    std::vector<std::size_t> start;  // of each table in row_terms_
    for (std::int64_t class_index = 0; class_index <= layout.n_classes; ++class_index) {
        const bool is_looked_up = per_class || class_index == layout.n_classes;
        const std::uint32_t* margins = pivot_storage_->margins.data() + class_index * n_planes;
        std::int64_t last_margin = layout.class_size[class_index];  // of the last row: what the others leave
        for (int row = 0; row <= n_planes; ++row) {
            const std::int64_t margin = row < n_planes ? margins[row] : last_margin;
            last_margin -= margin;
            int shift = 0;
            while ((std::int64_t(1) << shift) <= margin) ++shift;
            row_tables_.push_back({nullptr, shift, margin});
            const bool pays = is_looked_up && (margin + 1) << shift <= max_cells;
            start.push_back(pays ? row_terms_.size() : kNoTable);
            if (pays) append_row_terms(row_tables_.back(), terms);
        }
    }
    // Only now: the terms move in memory while tables are appended.
    for (std::size_t i = 0; i < start.size(); ++i)
        if (start[i] != kNoTable) row_tables_[i].terms = row_terms_.data() + start[i];
}

void PivotCounter::append_row_terms(const RowTable& table, const Terms& terms) {
    const std::size_t start = row_terms_.size();
    row_terms_.resize(start + (std::size_t(table.margin + 1) << table.shift));
    for (std::int64_t c1 = 0; c1 <= table.margin; ++c1)
        for (std::int64_t c0 = 0; c0 <= table.margin - c1; ++c0)
            row_terms_[start + std::size_t(c0 + (c1 << table.shift))] =
                terms.table[c0] + terms.table[c1] + terms.table[table.margin - c0 - c1];
}

}  // namespace bitsieve
