#include "count/pair_matrix.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "count/pivot_counter.hpp"

namespace bitsieve {

namespace {

constexpr int kManyCells = 256;  // inner cells of a pair beyond which the tables of eight pivots exceed the cache

// Writes the numbers of a tile of pairs, rows x eight columns, and their mirror images.
template <class Real>
class Writer {
public:
    Writer(const PackedTable& packed, const PairFormula& formula, const Matrix<Real>& out)
        : values_(packed.kernel().tile_values), formula_(formula), out_(out) {
        for (std::int64_t i = 1; i < packed.n_features(); ++i)
            mirrored_ = mirrored_ && formula.row[i] - formula.column[i] == formula.row[0] - formula.column[0];
    }

    // sums of pairs: pooled_sums[a * 8 + b] for feature rows[a], a < n_rows, and columns[b]; -1: no feature.
    void tile(const std::int64_t* rows, int n_rows, const std::int64_t* columns, const std::int64_t* pooled_sums,
              const std::int64_t* class_sums) const {
        const Side down(rows, n_rows, formula_, out_.position);
        const Side across(columns, kLanes, formula_, out_.position);
        double forward[kLanes * kLanes];
        double backward[kLanes * kLanes];
        values_(n_rows, pooled_sums, formula_.pooled_sign, class_sums, formula_.class_sign, down.row, across.column,
                formula_.one_bit, forward);
        const double* mirror = forward;
        if (!mirrored_) {
            values_(n_rows, pooled_sums, formula_.pooled_sign, class_sums, formula_.class_sign, down.column, across.row,
                    formula_.one_bit, backward);
            mirror = backward;
        }
        if (formula_.symmetric)
            for (int i = 0; i < n_rows * kLanes; ++i) forward[i] = backward[i] = (forward[i] + mirror[i]) * 0.5;
        write(down, across, forward, kLanes, 1);
        write(across, down, mirror, 1, kLanes);
    }

private:
    // Eight features: the integers that they add to the number of a pair, and their positions in the matrix.
    struct Side {
        Side(const std::int64_t* features, int n, const PairFormula& formula, const std::int64_t* positions) : size(n) {
            for (int i = 0; i < kLanes; ++i) {
                const std::int64_t f = i < n ? features[i] : -1;
                row[i] = f < 0 ? 0 : formula.row[f];
                column[i] = f < 0 ? 0 : formula.column[f];
                position[i] = f < 0 ? -1 : positions[f];
                in_a_run = in_a_run && position[i] == position[0] + i;
            }
            in_a_run = in_a_run && position[0] >= 0;
        }
        int size;
        bool in_a_run = true;
        std::int64_t row[kLanes], column[kLanes], position[kLanes];
    };

    void write(const Side& down, const Side& across, const double* values, int down_step, int across_step) const {
        for (int a = 0; a < down.size; ++a) {
            if (down.position[a] < 0) continue;
            Real* out = out_.values + down.position[a] * out_.size;
            const double* value = values + a * down_step;
            if (across.in_a_run) {
                out += across.position[0];
                for (int b = 0; b < kLanes; ++b) out[b] = Real(value[b * across_step]);
            } else {
                for (int b = 0; b < across.size; ++b)
                    if (across.position[b] >= 0) out[across.position[b]] = Real(value[b * across_step]);
            }
        }
    }

    const decltype(CountingKernel::tile_values) values_;
    const PairFormula& formula_;
    const Matrix<Real>& out_;
    bool mirrored_ = true;  // value(i, j) == value(j, i) for all pairs
};

}  // namespace

void row_sums(const PackedTable& packed, const Terms& terms, std::int64_t pivot_feature, const std::int64_t* groups,
              std::int64_t n_groups, std::int64_t* pooled_sums, std::int64_t* class_sums) {
    for_each_group(
        packed, terms, pivot_feature, groups, n_groups, class_sums != nullptr,
        [&](std::int64_t simd_group, const std::int64_t* group_pooled_sums, const std::int64_t* group_class_sums) {
            const std::int64_t* features = packed.features(simd_group);
            for (int lane = 0; lane < kLanes && features[lane] >= 0; ++lane) {
                pooled_sums[features[lane]] = group_pooled_sums[lane];
                if (class_sums) class_sums[features[lane]] = group_class_sums[lane];
            }
        });
}

void row_sums_within_strata(const PackedTable& packed, const Terms& terms, const StrataLayout& strata,
                            std::int64_t pivot_feature, const std::int64_t* groups, std::int64_t n_groups,
                            std::int64_t* stratum_sums, std::int64_t* class_sums) {
    PivotCounter pivot(packed, pivot_feature, n_groups * kLanes);
    std::int64_t group_stratum_sums[kLanes];
    std::int64_t group_class_sums[kLanes];
    for (std::int64_t g = 0; g < n_groups; ++g) {
        pivot.sums_within_strata(groups[g], strata, terms, group_stratum_sums, class_sums ? group_class_sums : nullptr);
        const std::int64_t* features = packed.features(groups[g]);
        for (int lane = 0; lane < kLanes && features[lane] >= 0; ++lane) {
            stratum_sums[features[lane]] = group_stratum_sums[lane];
            if (class_sums) class_sums[features[lane]] = group_class_sums[lane];
        }
    }
}

template <class Real>
void matrix_block(const PackedTable& packed, const Terms& terms, const PairFormula& formula, std::int64_t i0,
                  std::int64_t i1, std::int64_t j0, std::int64_t j1, const Matrix<Real>& out) {
    const Writer<Real> write(packed, formula, out);
    const ClassLayout layout = packed.layout();
    std::int64_t pooled_sums[kLanes * kLanes] = {};
    std::int64_t class_sums[kLanes * kLanes] = {};
    std::int64_t* const class_sums_or_null = formula.class_sign ? class_sums : nullptr;
    for (std::int64_t i = i0; i < i1; ++i) {
        const std::int64_t* rows = packed.features(i);
        std::int64_t j = std::max(i, j0);
        if (packed.uses_counters() && i < packed.n_narrow_groups() && j < std::min(j1, packed.n_narrow_groups())) {
            std::vector<std::int64_t> groups;
            for (; j < std::min(j1, packed.n_narrow_groups()); ++j) groups.push_back(j);
            for_each_counted_group(packed, terms, i, -1, groups.data(), std::int64_t(groups.size()),
                                   class_sums_or_null != nullptr,
                                   [&](std::int64_t simd_group, const std::int64_t* group_pooled_sums,
                                       const std::int64_t* group_class_sums) {
                                       write.tile(rows, kLanes, packed.features(simd_group), group_pooled_sums,
                                                  group_class_sums ? group_class_sums : class_sums);
                                   });
        }
        for (; i < packed.n_narrow_groups() && j < std::min(j1, packed.n_narrow_groups()); ++j) {
            const PlaneGroup pivots = packed.group(i);
            const PlaneGroup other = packed.group(j);
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
void matrix_rows(const PackedTable& packed, const Terms& terms, const PairFormula& formula, const std::int64_t* pivots,
                 std::int64_t n_pivots, const std::int64_t* groups, std::int64_t n_groups,
                 const MatrixRows<Real>& out) {
    const auto values = packed.kernel().tile_values;
    std::int64_t row[kLanes];
    std::int64_t column[kLanes];
    const std::int64_t no_sums[kLanes] = {};
    double forward[kLanes];
    double backward[kLanes];
    for (std::int64_t a = 0; a < n_pivots; ++a) {
        const std::int64_t i = pivots[a];
        for_each_group(
            packed, terms, i, groups, n_groups, formula.class_sign != 0,
            [&](std::int64_t simd_group, const std::int64_t* pooled_sums, const std::int64_t* class_sums_or_null) {
                const std::int64_t* features = packed.features(simd_group);
                const std::int64_t* class_sums = class_sums_or_null ? class_sums_or_null : no_sums;
                for (int b = 0; b < kLanes; ++b) {
                    row[b] = features[b] < 0 ? 0 : formula.row[features[b]];
                    column[b] = features[b] < 0 ? 0 : formula.column[features[b]];
                }
                values(1, pooled_sums, formula.pooled_sign, class_sums, formula.class_sign, &formula.row[i], column,
                       formula.one_bit, forward);
                if (formula.symmetric) {
                    values(1, pooled_sums, formula.pooled_sign, class_sums, formula.class_sign, &formula.column[i], row,
                           formula.one_bit, backward);
                    for (int b = 0; b < kLanes; ++b) forward[b] = (forward[b] + backward[b]) * 0.5;
                }
                for (int b = 0; b < kLanes && features[b] >= 0; ++b)
                    if (out.position[features[b]] >= 0)
                        out.values[a * out.size + out.position[features[b]]] = Real(forward[b]);
            });
    }
}

template void matrix_rows(const PackedTable&, const Terms&, const PairFormula&, const std::int64_t*, std::int64_t,
                          const std::int64_t*, std::int64_t, const MatrixRows<double>&);
template void matrix_rows(const PackedTable&, const Terms&, const PairFormula&, const std::int64_t*, std::int64_t,
                          const std::int64_t*, std::int64_t, const MatrixRows<float>&);
template void matrix_block(const PackedTable&, const Terms&, const PairFormula&, std::int64_t, std::int64_t,
                           std::int64_t, std::int64_t, const Matrix<double>&);
template void matrix_block(const PackedTable&, const Terms&, const PairFormula&, std::int64_t, std::int64_t,
                           std::int64_t, std::int64_t, const Matrix<float>&);

}  // namespace bitsieve
