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
class TileWriter {
public:
    TileWriter(const PackedTable& packed, const PairFormula& formula, const Matrix<Real>& out)
        : tile_values_(packed.kernel().tile_values), formula_(formula), out_(out) {
        for (std::int64_t i = 1; i < packed.n_features(); ++i)
            is_symmetric_ = is_symmetric_ && formula.row[i] - formula.column[i] == formula.row[0] - formula.column[0];
    }

    // pooled_sums[a * 8 + b], and class_sums alike, are those of the features rows[a], a < n_rows, and columns[b]; -1:
    // no feature. Where the formula has no class sums, these may be anything.
    void write_tile(const std::int64_t* rows, int n_rows, const std::int64_t* columns, const std::int64_t* pooled_sums,
                    const std::int64_t* class_sums) const {
        const Side down(rows, n_rows, formula_, out_.position);
        const Side across(columns, kLanes, formula_, out_.position);
        double forward[kLanes * kLanes];
        tile_values_(n_rows, pooled_sums, formula_.pooled_sign, class_sums, formula_.class_sign, down.row,
                     across.column, formula_.one_bit, forward);
        if (is_symmetric_) {
            write(down, across, forward, kLanes, 1);
            write(across, down, forward, 1, kLanes);
            return;
        }
        double backward[kLanes * kLanes];
        tile_values_(n_rows, pooled_sums, formula_.pooled_sign, class_sums, formula_.class_sign, down.column,
                     across.row, formula_.one_bit, backward);
        if (formula_.symmetric)
            for (int i = 0; i < n_rows * kLanes; ++i) {
                const double mean = (forward[i] + backward[i]) * 0.5;
                forward[i] = mean;
                backward[i] = mean;
            }
        write(down, across, forward, kLanes, 1);
        write(across, down, backward, 1, kLanes);
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

    // Writes values[a * down_step + b * across_step] for feature a down and feature b across.
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

    const decltype(CountingKernel::tile_values) tile_values_;
    const PairFormula& formula_;
    const Matrix<Real>& out_;
    bool is_symmetric_ = true;  // value(i, j) == value(j, i) for all pairs, whatever their sums
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

namespace {

// What the tiles of a block are counted by, and written by.
template <class Real>
struct BlockJob {
    const PackedTable& packed;
    const Terms& terms;
    const TileWriter<Real> writer;
    const bool per_class;  // whether the formula has class sums
};

// The tiles of the SIMD group i with the groups [j, end), all of them kept as bytes.
template <class Real>
void write_counted_tiles(const BlockJob<Real>& job, std::int64_t i, std::int64_t j, std::int64_t end) {
    std::vector<std::int64_t> groups;
    for (; j < end; ++j) groups.push_back(j);
    const std::int64_t no_sums[kLanes * kLanes] = {};
    const std::int64_t* rows = job.packed.features(i);
    for_each_counted_group(
        job.packed, job.terms, i, -1, groups.data(), std::int64_t(groups.size()), job.per_class,
        [&](std::int64_t simd_group, const std::int64_t* pooled_sums, const std::int64_t* class_sums) {
            job.writer.write_tile(rows, kLanes, job.packed.features(simd_group), pooled_sums,
                                  job.per_class ? class_sums : no_sums);
        });
}

// The tiles of the SIMD group i with the groups [j, end), all of them planes, eight pivots at a time. Returns the first
// group that is left: those behind it have as many planes or more, too many for eight pivots.
template <class Real>
std::int64_t write_plane_tiles(const BlockJob<Real>& job, std::int64_t i, std::int64_t j, std::int64_t end) {
    const PlaneGroup rows = job.packed.group(i);
    const PivotPlanes pivots{rows.planes, rows.margins, rows.n_planes, kLanes, nullptr};
    std::int64_t pooled_sums[kLanes * kLanes] = {};
    std::int64_t class_sums[kLanes * kLanes] = {};
    for (; j < end; ++j) {
        const PlaneGroup columns = job.packed.group(j);
        if (rows.n_planes * columns.n_planes > kManyCells) break;
        job.packed.kernel().pair_sums(pivots, columns, job.packed.layout(), job.terms, pooled_sums,
                                      job.per_class ? class_sums : nullptr);
        job.writer.write_tile(job.packed.features(i), kLanes, job.packed.features(j), pooled_sums, class_sums);
    }
    return j;
}

// The tiles of the SIMD group i with the groups [j, end) in any form, one pivot at a time.
template <class Real>
void write_pivot_tiles(const BlockJob<Real>& job, std::int64_t i, std::int64_t j, std::int64_t end) {
    const std::int64_t* rows = job.packed.features(i);
    std::int64_t pooled_sums[kLanes] = {};
    std::int64_t class_sums[kLanes] = {};
    for (int lane = 0; lane < kLanes && rows[lane] >= 0; ++lane) {
        PivotCounter pivot(job.packed, rows[lane], (end - j) * kLanes);
        for (std::int64_t group = j; group < end; ++group) {
            pivot.group_sums(group, job.terms, pooled_sums, job.per_class ? class_sums : nullptr);
            job.writer.write_tile(rows + lane, 1, job.packed.features(group), pooled_sums, class_sums);
        }
    }
}

}  // namespace

template <class Real>
void matrix_block(const PackedTable& packed, const Terms& terms, const PairFormula& formula, std::int64_t i0,
                  std::int64_t i1, std::int64_t j0, std::int64_t j1, const Matrix<Real>& out) {
    const BlockJob<Real> job{packed, terms, TileWriter<Real>(packed, formula, out), formula.class_sign != 0};
    const std::int64_t narrow_end = std::min(j1, packed.n_narrow_groups());
    for (std::int64_t i = i0; i < i1; ++i) {
        std::int64_t j = std::max(i, j0);
        const bool is_narrow_pair = i < packed.n_narrow_groups() && j < narrow_end;
        if (is_narrow_pair && packed.uses_counters()) {
            write_counted_tiles(job, i, j, narrow_end);
            j = narrow_end;
        } else if (is_narrow_pair) {
            j = write_plane_tiles(job, i, j, narrow_end);
        }
        if (j < j1) write_pivot_tiles(job, i, j, j1);
    }
}

template <class Real>
void matrix_rows(const PackedTable& packed, const Terms& terms, const PairFormula& formula, const std::int64_t* pivots,
                 std::int64_t n_pivots, const std::int64_t* groups, std::int64_t n_groups,
                 const MatrixRows<Real>& out) {
    const auto tile_values = packed.kernel().tile_values;
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
                tile_values(1, pooled_sums, formula.pooled_sign, class_sums, formula.class_sign, &formula.row[i],
                            column, formula.one_bit, forward);
                if (formula.symmetric) {
                    tile_values(1, pooled_sums, formula.pooled_sign, class_sums, formula.class_sign, &formula.column[i],
                                row, formula.one_bit, backward);
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
