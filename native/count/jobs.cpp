#include "count/jobs.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "count/pivot_counter.hpp"

namespace bitsieve {

namespace {

constexpr int kManyCells = 256;  // inner cells of a pair beyond which the tables of eight pivots exceed the cache

// Writes the numbers of a tile of pairs, rows x eight columns, and their mirror images.
template <class Real>
class Writer {
public:
    Writer(const PackedTable& packed, const PairForm& form, const Matrix<Real>& out)
        : values_(packed.kernel().tile_values), form_(form), out_(out) {
        for (std::int64_t i = 1; i < packed.n_features(); ++i)
            mirrored_ = mirrored_ && form.row[i] - form.column[i] == form.row[0] - form.column[0];
    }

    // sums of pairs: pooled_sums[a * 8 + b] for feature rows[a], a < n_rows, and columns[b]; -1: no feature.
    void tile(const std::int64_t* rows, int n_rows, const std::int64_t* columns, const std::int64_t* pooled_sums,
              const std::int64_t* class_sums) const {
        const Side down(rows, n_rows, form_, out_.place), across(columns, kLanes, form_, out_.place);
        double forward[kLanes * kLanes], backward[kLanes * kLanes];
        values_(n_rows, pooled_sums, form_.pooled_sign, class_sums, form_.class_sign, down.row, across.column,
                form_.one_bit, forward);
        const double* mirror = forward;
        if (!mirrored_) {
            values_(n_rows, pooled_sums, form_.pooled_sign, class_sums, form_.class_sign, down.column, across.row,
                    form_.one_bit, backward);
            mirror = backward;
        }
        if (form_.symmetric)
            for (int i = 0; i < n_rows * kLanes; ++i) forward[i] = backward[i] = (forward[i] + mirror[i]) * 0.5;
        write(down, across, forward, kLanes, 1);
        write(across, down, mirror, 1, kLanes);
    }

private:
    // Eight features: the integers they add to a pair's number, and where they stand in the matrix.
    struct Side {
        Side(const std::int64_t* features, int n, const PairForm& form, const std::int64_t* places) : size(n) {
            for (int i = 0; i < kLanes; ++i) {
                const std::int64_t f = i < n ? features[i] : -1;
                row[i] = f < 0 ? 0 : form.row[f];
                column[i] = f < 0 ? 0 : form.column[f];
                place[i] = f < 0 ? -1 : places[f];
                in_a_run = in_a_run && place[i] == place[0] + i;
            }
            in_a_run = in_a_run && place[0] >= 0;
        }
        int size;
        bool in_a_run = true;
        std::int64_t row[kLanes], column[kLanes], place[kLanes];
    };

    void write(const Side& down, const Side& across, const double* values, int down_step, int across_step) const {
        for (int a = 0; a < down.size; ++a) {
            if (down.place[a] < 0) continue;
            Real* out = out_.values + down.place[a] * out_.size;
            const double* value = values + a * down_step;
            if (across.in_a_run) {
                out += across.place[0];
                for (int b = 0; b < kLanes; ++b) out[b] = Real(value[b * across_step]);
            } else {
                for (int b = 0; b < across.size; ++b)
                    if (across.place[b] >= 0) out[across.place[b]] = Real(value[b * across_step]);
            }
        }
    }

    const decltype(CountingKernel::tile_values) values_;
    const PairForm& form_;
    const Matrix<Real>& out_;
    bool mirrored_ = true;  // value(i, j) == value(j, i) for all pairs
};

}  // namespace

void row_sums(const PackedTable& packed, const Terms& terms, std::int64_t pivot_feature, const std::int64_t* groups,
              std::int64_t n_groups, std::int64_t* pooled_sums, std::int64_t* class_sums) {
    each_group(
        packed, terms, pivot_feature, groups, n_groups, class_sums != nullptr,
        [&](std::int64_t simd_group, const std::int64_t* group_pooled_sums, const std::int64_t* group_class_sums) {
            const std::int64_t* features = packed.features(simd_group);
            for (int lane = 0; lane < kLanes && features[lane] >= 0; ++lane) {
                pooled_sums[features[lane]] = group_pooled_sums[lane];
                if (class_sums) class_sums[features[lane]] = group_class_sums[lane];
            }
        });
}

template <class Real>
void matrix_block(const PackedTable& packed, const Terms& terms, const PairForm& form, std::int64_t i0, std::int64_t i1,
                  std::int64_t j0, std::int64_t j1, const Matrix<Real>& out) {
    const Writer<Real> write(packed, form, out);
    const ClassLayout layout = packed.layout();
    std::int64_t pooled_sums[kLanes * kLanes] = {}, class_sums[kLanes * kLanes] = {};
    std::int64_t* const class_sums_or_null = form.class_sign ? class_sums : nullptr;
    for (std::int64_t i = i0; i < i1; ++i) {
        const std::int64_t* rows = packed.features(i);
        std::int64_t j = std::max(i, j0);
        if (packed.uses_counters() && i < packed.n_narrow_groups() && j < std::min(j1, packed.n_narrow_groups())) {
            std::vector<std::int64_t> groups;
            for (; j < std::min(j1, packed.n_narrow_groups()); ++j) groups.push_back(j);
            each_counted_group(packed, terms, i, -1, groups.data(), std::int64_t(groups.size()),
                               class_sums_or_null != nullptr,
                               [&](std::int64_t simd_group, const std::int64_t* group_pooled_sums,
                                   const std::int64_t* group_class_sums) {
                                   write.tile(rows, kLanes, packed.features(simd_group), group_pooled_sums,
                                              group_class_sums ? group_class_sums : class_sums);
                               });
        }
        for (; i < packed.n_narrow_groups() && j < std::min(j1, packed.n_narrow_groups()); ++j) {
            const PlaneGroup pivots = packed.group(i), other = packed.group(j);
            if (pivots.n_planes * other.n_planes > kManyCells) break;
            packed.kernel().pair_sums({pivots.planes, pivots.margins, pivots.n_planes, kLanes, nullptr}, other, layout,
                                      terms, pooled_sums, class_sums_or_null);
            write.tile(rows, kLanes, packed.features(j), pooled_sums, class_sums);
        }
        for (int a = 0; a < kLanes && rows[a] >= 0 && j < j1; ++a) {
            PivotCounter pivot(packed, rows[a], (j1 - j) * kLanes);
            for (std::int64_t u = j; u < j1; ++u) {
                pivot.group_sums(u, terms, pooled_sums, class_sums_or_null);
                write.tile(rows + a, 1, packed.features(u), pooled_sums, class_sums);
            }
        }
    }
}

template <class Real>
void matrix_rows(const PackedTable& packed, const Terms& terms, const PairForm& form, const std::int64_t* pivots,
                 std::int64_t n_pivots, const std::int64_t* groups, std::int64_t n_groups,
                 const MatrixRows<Real>& out) {
    const auto values = packed.kernel().tile_values;
    std::int64_t row[kLanes], column[kLanes];
    const std::int64_t nothing[kLanes] = {};
    double forward[kLanes], backward[kLanes];
    for (std::int64_t a = 0; a < n_pivots; ++a) {
        const std::int64_t i = pivots[a];
        each_group(
            packed, terms, i, groups, n_groups, form.class_sign != 0,
            [&](std::int64_t simd_group, const std::int64_t* pooled_sums, const std::int64_t* class_sums_or_null) {
                const std::int64_t *features = packed.features(simd_group),
                                   *class_sums = class_sums_or_null ? class_sums_or_null : nothing;
                for (int b = 0; b < kLanes; ++b) {
                    row[b] = features[b] < 0 ? 0 : form.row[features[b]];
                    column[b] = features[b] < 0 ? 0 : form.column[features[b]];
                }
                values(1, pooled_sums, form.pooled_sign, class_sums, form.class_sign, &form.row[i], column,
                       form.one_bit, forward);
                if (form.symmetric) {
                    values(1, pooled_sums, form.pooled_sign, class_sums, form.class_sign, &form.column[i], row,
                           form.one_bit, backward);
                    for (int b = 0; b < kLanes; ++b) forward[b] = (forward[b] + backward[b]) * 0.5;
                }
                for (int b = 0; b < kLanes && features[b] >= 0; ++b)
                    if (out.place[features[b]] >= 0)
                        out.values[a * out.size + out.place[features[b]]] = Real(forward[b]);
            });
    }
}

template void matrix_rows(const PackedTable&, const Terms&, const PairForm&, const std::int64_t*, std::int64_t,
                          const std::int64_t*, std::int64_t, const MatrixRows<double>&);
template void matrix_rows(const PackedTable&, const Terms&, const PairForm&, const std::int64_t*, std::int64_t,
                          const std::int64_t*, std::int64_t, const MatrixRows<float>&);
template void matrix_block(const PackedTable&, const Terms&, const PairForm&, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, const Matrix<double>&);
template void matrix_block(const PackedTable&, const Terms&, const PairForm&, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, const Matrix<float>&);

// The cells of a pivot with features that are bit planes, counted a SIMD group at a time.

class PlaneCells {
public:
    // PivotCounter -1 is a constant.
    PlaneCells(const PackedTable& packed, std::int64_t pivot)
        : packed_(packed),
          arity_(pivot < 0 ? 1 : packed.arity(pivot)),
          as_planes_(!packed.uses_counters() && (pivot < 0 || !packed.is_wide(pivot))) {
        if (as_planes_ && pivot >= 0) taken_ = packed.pivot(pivot);
    }

    // Whether the pivot and a feature are both bit planes.
    bool hold(std::int64_t feature) const {
        return as_planes_ && packed_.simd_group_of(feature) < packed_.n_narrow_groups();
    }

    // row(c, a, cell) for every class c and code a of the pivot: cell[b * kLanes] samples have code b of the feature.
    template <class Row>
    void each_row(std::int64_t feature, Row&& row) {
        const std::int64_t simd_group = packed_.simd_group_of(feature);
        const PlaneGroup group = packed_.group(simd_group);
        const std::int64_t n_columns = group.n_planes + 1;
        if (simd_group != counted_) {
            tables_.resize(std::size_t(packed_.n_classes() * arity_ * n_columns * kLanes));
            const std::uint64_t* planes = taken_ ? taken_->planes.get() : nullptr;
            const std::uint32_t* margins = taken_ ? taken_->margins.data() : nullptr;
            const PivotPlanes view{planes, margins, int(arity_ - 1), 1, nullptr};
            packed_.kernel().pair_cells(view, group, packed_.layout(), tables_.data());
            counted_ = simd_group;
        }
        const std::uint64_t* cell = tables_.data() + packed_.lane_of(feature);
        for (std::int64_t c = 0; c < packed_.n_classes(); ++c)
            for (std::int64_t a = 0; a < arity_; ++a, cell += n_columns * kLanes) row(c, a, cell);
    }

private:
    const PackedTable& packed_;
    const std::int64_t arity_;
    const bool as_planes_;
    std::shared_ptr<const PackedTable::PivotStorage> taken_;
    std::vector<std::uint64_t> tables_;
    std::int64_t counted_ = -1;  // the SIMD group whose cells are in the tables
};

// The counts themselves of a pivot with some features; see jobs.hpp.

void pair_cells(const PackedTable& packed, std::int64_t pivot_feature, const std::int64_t* columns, std::int64_t n,
                std::int64_t pooled_width, std::int64_t* pooled_cells, std::int64_t class_width,
                std::int64_t* class_cells) {
    PlaneCells cells(packed, pivot_feature);
    std::optional<TableCounter> codes;
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t* pooled_row = pooled_cells + k * pooled_width;
        std::int64_t* class_row = class_cells ? class_cells + k * class_width : nullptr;
        if (!cells.hold(columns[k])) {
            if (!codes) codes.emplace(packed, pivot_feature);
            codes->cells(columns[k], pooled_row, class_row);
            continue;
        }
        const std::int64_t n_codes = packed.arity(columns[k]);
        cells.each_row(columns[k], [&](std::int64_t, std::int64_t a, const std::uint64_t* cell) {
            for (std::int64_t b = 0; b < n_codes; ++b) {
                const std::int64_t count = std::int64_t(cell[b * kLanes]);
                pooled_row[a * n_codes + b] += count;
                if (class_row && count) *class_row++ = count;
            }
        });
    }
}

// The tables themselves of a pivot with some features, every cell at its place; see jobs.hpp.

namespace {

// Counts sample by sample: for features that are not planes.
void add_samples(const PackedTable& packed, const std::uint16_t* pivot, const std::uint16_t* codes,
                 std::int64_t n_codes, std::int64_t n_classes, std::int64_t* table) {
    std::int64_t first = 0;
    for (std::int64_t c = 0; c < packed.n_classes(); ++c) {
        const std::int64_t last = first + packed.class_size(c);
        std::int64_t* of_class = table + (n_classes == 1 ? 0 : c);
        for (std::int64_t t = first; t < last; ++t)
            ++of_class[((pivot ? pivot[t] : 0) * n_codes + codes[t]) * n_classes];
        first = last;
    }
}

}  // namespace

void pair_tables(const PackedTable& packed, std::int64_t pivot_feature, std::int64_t n_rows,
                 const std::int64_t* columns, const std::int64_t* n_codes, std::int64_t n, std::int64_t n_classes,
                 std::int64_t* out) {
    PlaneCells cells(packed, pivot_feature);
    std::vector<std::uint16_t> pivot_scratch, scratch;
    const std::uint16_t* pivot_codes = nullptr;
    for (std::int64_t k = 0; k < n; out += n_rows * n_codes[k++] * n_classes) {
        const std::int64_t other = columns[k], width = n_codes[k], arity = packed.arity(other);
        if (!cells.hold(other)) {
            if (pivot_feature >= 0 && !pivot_codes) pivot_codes = packed.codes(pivot_feature, pivot_scratch);
            add_samples(packed, pivot_codes, packed.codes(other, scratch), width, n_classes, out);
            continue;
        }
        cells.each_row(other, [=](std::int64_t c, std::int64_t a, const std::uint64_t* cell) {
            std::int64_t* of_class = out + (n_classes == 1 ? 0 : c);
            for (std::int64_t b = 0; b < arity; ++b)
                of_class[(a * width + b) * n_classes] += std::int64_t(cell[b * kLanes]);
        });
    }
}

namespace {

constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kShareOfPairs = 4;  // of all features about one in so many is counted with a pivot

}  // namespace

LazyMinima::LazyMinima(const PackedTable& packed, std::vector<std::int64_t> table, int shift,
                       std::vector<std::int64_t> start, double one_bit, double tie)
    : packed_(packed),
      table_(std::move(table)),
      terms_{table_.data(), table_.size(), shift},
      one_bit_(one_bit),
      tie_(tie),
      depth_(std::size_t(packed.n_simd_groups()), 0),
      lowest_(std::size_t(packed.n_simd_groups() * kLanes), kNothing) {
    for (std::int64_t f = 0; f < packed.n_features(); ++f)
        lowest_[std::size_t(packed.simd_group_of(f) * kLanes + packed.lane_of(f))] = start[std::size_t(f)];
}

void LazyMinima::add(std::int64_t feature, std::int64_t offset) {
    pivots_.emplace_back(packed_, feature, packed_.n_features() / kShareOfPairs);
    pivots_.back().prepare(terms_, true);
    offsets_.push_back(offset);
}

LazyMinima::Bound LazyMinima::bound(const bool* candidates, std::int64_t simd_group) const {
    std::int64_t most = kNothing;
    const std::int64_t* features = packed_.features(simd_group);
    for (int lane = 0; lane < kLanes; ++lane)
        if (features[lane] >= 0 && candidates[features[lane]])
            most = std::max(most, lowest_[std::size_t(simd_group * kLanes + lane)]);
    return {most, simd_group};
}

void LazyMinima::advance(std::int64_t simd_group) {
    std::int64_t pooled_sums[kLanes] = {}, class_sums[kLanes] = {};
    const std::size_t next = std::size_t(depth_[std::size_t(simd_group)]++);
    pivots_[next].group_sums(simd_group, terms_, pooled_sums, class_sums);
    for (int lane = 0; lane < kLanes; ++lane) {
        std::int64_t& lowest = lowest_[std::size_t(simd_group * kLanes + lane)];
        lowest = std::min(lowest, class_sums[lane] - pooled_sums[lane] + offsets_[next]);
    }
}

void LazyMinima::largest(const bool* candidates, std::int64_t first, std::int64_t last, std::int64_t* best_so_far) {
    const auto below = [](const Bound& a, const Bound& b) { return a.sum < b.sum; };
    const auto counts = [&](const Bound& of_group) {
        return reaches(of_group.sum, __atomic_load_n(best_so_far, __ATOMIC_RELAXED));
    };
    std::vector<Bound> waiting;
    for (std::int64_t g = first; g < last; ++g) {
        const Bound of_group = bound(candidates, g);
        if (of_group.sum != kNothing) waiting.push_back(of_group);
    }
    std::make_heap(waiting.begin(), waiting.end(), below);
    while (!waiting.empty() && counts(waiting.front())) {
        std::pop_heap(waiting.begin(), waiting.end(), below);
        Bound of_group = waiting.back();
        waiting.pop_back();
        std::int64_t& depth = depth_[std::size_t(of_group.simd_group)];
        while (depth < std::int64_t(pivots_.size()) && counts(of_group)) {
            advance(of_group.simd_group);
            of_group = bound(candidates, of_group.simd_group);
        }
        if (depth < std::int64_t(pivots_.size())) continue;
        std::int64_t known = __atomic_load_n(best_so_far, __ATOMIC_RELAXED);
        while (known < of_group.sum && !__atomic_compare_exchange_n(best_so_far, &known, of_group.sum, false,
                                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }
}

std::int64_t LazyMinima::first_at(const bool* candidates, std::int64_t largest, std::int64_t& minimum) const {
    std::int64_t first = packed_.n_features();
    for (std::int64_t g = 0; g < packed_.n_simd_groups(); ++g) {
        if (depth_[std::size_t(g)] < std::int64_t(pivots_.size())) continue;
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t feature = packed_.feature_at(g, lane), least = lowest_[std::size_t(g * kLanes + lane)];
            if (feature < 0 || feature >= first || !candidates[feature] || !reaches(least, largest)) continue;
            first = feature;
            minimum = least;
        }
    }
    return first < packed_.n_features() ? first : -1;
}

}  // namespace bitsieve
