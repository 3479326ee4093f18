#include "jobs.hpp"

#include <algorithm>
#include <optional>

#include "table_sums.hpp"

namespace bitsieve {

namespace {

constexpr int kManyCells = 256;  // inner cells of a pair beyond which the tables of eight pivots exceed the cache
constexpr std::int64_t kRowTableCells = 4096;  // of a row table, 32 KiB: the first-level cache

// One pivot, prepared when first needed: as planes for narrow features, as codes for wide ones. n_pairs is how many
// features it will be counted with, and so how much preparation pays.
class Pivot {
public:
    Pivot(const Packed& packed, std::int64_t feature, std::int64_t n_pairs)
        : packed_(packed), feature_(feature), n_pairs_(n_pairs) {}

    // The sums with the eight features of a SIMD group; those of a lane without a feature mean nothing.
    void group_sums(std::int64_t simd_group, const Terms& terms, std::int64_t* xy, std::int64_t* xyc) {
        const bool as_planes = !packed_.uses_counters() && (feature_ < 0 || !packed_.is_wide(feature_));
        if (as_planes && simd_group < packed_.n_narrow_groups()) {
            packed_.kernel().pair_sums(view(terms, xyc != nullptr), packed_.group(simd_group), packed_.segments(), terms, xy,
                                       xyc);
            return;
        }
        if (!codes_) codes_.emplace(packed_, feature_);
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t other = packed_.feature_at(simd_group, lane);
            if (other >= 0) codes_->sums(other, terms, xy + lane, xyc ? xyc + lane : nullptr);
        }
    }

private:
    PivotView view(const Terms& terms, bool within) {
        if (feature_ < 0) return {nullptr, nullptr, 0, 1, nullptr};
        const int n_planes = packed_.arity(feature_) - 1;
        if (!ready_) {
            packed_.pivot(feature_, planes_, margins_);
            make_row_tables(terms, within);
            ready_ = true;
        }
        return {planes_.data(), margins_.data(), n_planes, 1, row_tables_.empty() ? nullptr : row_tables_.data()};
    }

    // Tables for every row of every class (or of the pooled table alone) that are smaller than what they save.
    void make_row_tables(const Terms& terms, bool within) {
        if (std::uint64_t(packed_.n_samples()) >= terms.limit || packed_.group(0).n_planes > 2) return;
        const Segments segments = packed_.segments();
        const int n_planes = packed_.arity(feature_) - 1;
        std::vector<std::size_t> start;
        row_tables_.assign(std::size_t(segments.count + 1) * (n_planes + 1), RowTable{nullptr, 0, 0});
        for (std::int64_t s = 0; s <= segments.count; ++s) {
            std::int64_t last = segments.size[s];
            for (int r = 0; r <= n_planes; ++r) {
                const std::int64_t margin = r < n_planes ? margins_[s * n_planes + r] : last;
                last -= margin;
                int shift = 0;
                while ((std::int64_t(1) << shift) <= margin) ++shift;
                row_tables_[s * (n_planes + 1) + r] = {nullptr, shift, margin};
                const std::int64_t cells = (margin + 1) << shift;
                const bool pays = cells <= std::min(kRowTableCells, n_pairs_) && (within || s == segments.count);
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

    const Packed& packed_;
    const std::int64_t feature_, n_pairs_;
    bool ready_ = false;
    std::vector<std::uint64_t> planes_;
    std::vector<std::uint32_t> margins_;
    std::vector<RowTable> row_tables_;
    std::vector<std::int64_t> row_terms_;
    std::optional<TablePivot> codes_;
};

// Writes the numbers of a tile of pairs, rows x eight columns, and their mirror images.
template <class Real>
class Writer {
public:
    Writer(const Packed& packed, const PairForm& form, const Matrix<Real>& out)
        : values_(packed.kernel().tile_values), form_(form), out_(out) {
        for (std::int64_t i = 1; i < packed.n_features(); ++i)
            mirrored_ = mirrored_ && form.row[i] - form.column[i] == form.row[0] - form.column[0];
    }

    // sums of pairs: xy[a * 8 + b] for feature rows[a], a < n_rows, and columns[b]; -1: no feature.
    void tile(const std::int64_t* rows, int n_rows, const std::int64_t* columns, const std::int64_t* xy,
              const std::int64_t* xyc) const {
        const Side down(rows, n_rows, form_, out_.place), across(columns, kLanes, form_, out_.place);
        double forward[kLanes * kLanes], backward[kLanes * kLanes];
        values_(n_rows, xy, form_.xy_sign, xyc, form_.xyc_sign, down.row, across.column, form_.one_bit, forward);
        const double* mirror = forward;
        if (!mirrored_) {
            values_(n_rows, xy, form_.xy_sign, xyc, form_.xyc_sign, down.column, across.row, form_.one_bit, backward);
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

    const decltype(Kernel::tile_values) values_;
    const PairForm& form_;
    const Matrix<Real>& out_;
    bool mirrored_ = true;  // value(i, j) == value(j, i) for all pairs
};

}  // namespace

// By packed counters: the features of one SIMD group as pivots, all (lane -1) or one, or a constant (pivot_group -1), with
// other SIMD groups, as many at a time as have their counters in the second-level cache. `take(group, xy, xyc)` is handed
// the sums with each group, [pivot][lane].
template <class Take>
void each_counted_group(const Packed& packed, const Terms& terms, std::int64_t pivot_group, int lane,
                        const std::int64_t* groups, std::int64_t n_groups, bool within, const Take& take) {
    constexpr std::int64_t kAtOnce = 16;
    BytePivots pivots{nullptr, 1, 1};
    if (pivot_group >= 0) {
        const ByteGroup rows = packed.byte_group(pivot_group);
        pivots = {rows.rows + std::max(lane, 0), rows.n_codes, lane < 0 ? kLanes : 1};
    }
    const std::int64_t step = std::int64_t(pivots.lanes) * kLanes;
    ByteGroup at_once[kAtOnce];
    std::vector<std::int64_t> xy(std::size_t(kAtOnce * step)), xyc(within ? xy.size() : 0);
    for (std::int64_t first = 0; first < n_groups; first += kAtOnce) {
        const std::int64_t n = std::min(kAtOnce, n_groups - first);
        for (std::int64_t g = 0; g < n; ++g) at_once[g] = packed.byte_group(groups[first + g]);
        packed.kernel().counter_sums(pivots, at_once, int(n), packed.segments(), terms, xy.data(),
                                     within ? xyc.data() : nullptr);
        for (std::int64_t g = 0; g < n; ++g)
            take(groups[first + g], xy.data() + g * step, within ? xyc.data() + g * step : nullptr);
    }
}

// The sums of one pivot (-1: a constant) with each SIMD group; `take(group, xy, xyc)` is handed those of a group.
template <class Take>
void each_group(const Packed& packed, const Terms& terms, std::int64_t pivot_feature, const std::int64_t* groups,
                std::int64_t n_groups, bool within, const Take& take) {
    std::int64_t n_counted = 0;  // groups that come first and are kept as bytes, if the pivot is too
    if (packed.uses_counters() && (pivot_feature < 0 || !packed.is_wide(pivot_feature)))
        while (n_counted < n_groups && groups[n_counted] < packed.n_narrow_groups()) ++n_counted;
    if (n_counted > 0)
        each_counted_group(packed, terms, pivot_feature < 0 ? -1 : packed.simd_group_of(pivot_feature),
                           pivot_feature < 0 ? 0 : packed.lane_of(pivot_feature), groups, n_counted, within, take);
    Pivot pivot(packed, pivot_feature, n_groups * kLanes);
    std::int64_t xy[kLanes] = {}, xyc[kLanes] = {};
    for (std::int64_t g = n_counted; g < n_groups; ++g) {
        pivot.group_sums(groups[g], terms, xy, within ? xyc : nullptr);
        take(groups[g], xy, xyc);
    }
}

void row_sums(const Packed& packed, const Terms& terms, std::int64_t pivot_feature, const std::int64_t* groups,
              std::int64_t n_groups, std::int64_t* xy, std::int64_t* xyc) {
    each_group(packed, terms, pivot_feature, groups, n_groups, xyc != nullptr,
              [&](std::int64_t simd_group, const std::int64_t* group_xy, const std::int64_t* group_xyc) {
                  const std::int64_t* features = packed.features(simd_group);
                  for (int lane = 0; lane < kLanes && features[lane] >= 0; ++lane) {
                      xy[features[lane]] = group_xy[lane];
                      if (xyc) xyc[features[lane]] = group_xyc[lane];
                  }
              });
}

template <class Real>
void matrix_block(const Packed& packed, const Terms& terms, const PairForm& form, std::int64_t i0, std::int64_t i1,
                  std::int64_t j0, std::int64_t j1, const Matrix<Real>& out) {
    const Writer<Real> write(packed, form, out);
    const Segments segments = packed.segments();
    std::int64_t xy[kLanes * kLanes] = {}, xyc[kLanes * kLanes] = {};
    std::int64_t* const within = form.xyc_sign ? xyc : nullptr;
    for (std::int64_t i = i0; i < i1; ++i) {
        const std::int64_t* rows = packed.features(i);
        std::int64_t j = std::max(i, j0);
        if (packed.uses_counters() && i < packed.n_narrow_groups() && j < std::min(j1, packed.n_narrow_groups())) {
            std::vector<std::int64_t> groups;
            for (; j < std::min(j1, packed.n_narrow_groups()); ++j) groups.push_back(j);
            each_counted_group(packed, terms, i, -1, groups.data(), std::int64_t(groups.size()), within != nullptr,
                        [&](std::int64_t simd_group, const std::int64_t* group_xy, const std::int64_t* group_xyc) {
                            write.tile(rows, kLanes, packed.features(simd_group), group_xy, group_xyc ? group_xyc : xyc);
                        });
        }
        for (; i < packed.n_narrow_groups() && j < std::min(j1, packed.n_narrow_groups()); ++j) {
            const GroupView pivots = packed.group(i), other = packed.group(j);
            if (pivots.n_planes * other.n_planes > kManyCells) break;
            packed.kernel().pair_sums({pivots.planes, pivots.margins, pivots.n_planes, kLanes, nullptr}, other, segments,
                                      terms, xy, within);
            write.tile(rows, kLanes, packed.features(j), xy, xyc);
        }
        for (int a = 0; a < kLanes && rows[a] >= 0 && j < j1; ++a) {
            Pivot pivot(packed, rows[a], (j1 - j) * kLanes);
            for (std::int64_t u = j; u < j1; ++u) {
                pivot.group_sums(u, terms, xy, within);
                write.tile(rows + a, 1, packed.features(u), xy, xyc);
            }
        }
    }
}

template <class Real>
void matrix_rows(const Packed& packed, const Terms& terms, const PairForm& form, const std::int64_t* pivots,
                 std::int64_t n_pivots, const std::int64_t* groups, std::int64_t n_groups, const Rows<Real>& out) {
    const auto values = packed.kernel().tile_values;
    std::int64_t row[kLanes], column[kLanes];
    const std::int64_t nothing[kLanes] = {};
    double forward[kLanes], backward[kLanes];
    for (std::int64_t a = 0; a < n_pivots; ++a) {
        const std::int64_t i = pivots[a];
        each_group(packed, terms, i, groups, n_groups, form.xyc_sign != 0,
                  [&](std::int64_t simd_group, const std::int64_t* xy, const std::int64_t* within) {
                      const std::int64_t *features = packed.features(simd_group), *xyc = within ? within : nothing;
                      for (int b = 0; b < kLanes; ++b) {
                          row[b] = features[b] < 0 ? 0 : form.row[features[b]];
                          column[b] = features[b] < 0 ? 0 : form.column[features[b]];
                      }
                      values(1, xy, form.xy_sign, xyc, form.xyc_sign, &form.row[i], column, form.one_bit, forward);
                      if (form.symmetric) {
                          values(1, xy, form.xy_sign, xyc, form.xyc_sign, &form.column[i], row, form.one_bit, backward);
                          for (int b = 0; b < kLanes; ++b) forward[b] = (forward[b] + backward[b]) * 0.5;
                      }
                      for (int b = 0; b < kLanes && features[b] >= 0; ++b)
                          if (out.place[features[b]] >= 0)
                              out.values[a * out.size + out.place[features[b]]] = Real(forward[b]);
                  });
    }
}

template void matrix_rows(const Packed&, const Terms&, const PairForm&, const std::int64_t*, std::int64_t,
                          const std::int64_t*, std::int64_t, const Rows<double>&);
template void matrix_rows(const Packed&, const Terms&, const PairForm&, const std::int64_t*, std::int64_t,
                          const std::int64_t*, std::int64_t, const Rows<float>&);
template void matrix_block(const Packed&, const Terms&, const PairForm&, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, const Matrix<double>&);
template void matrix_block(const Packed&, const Terms&, const PairForm&, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, const Matrix<float>&);

}  // namespace bitsieve
