#include "jobs.hpp"

#include <algorithm>
#include <optional>

#include "table_sums.hpp"

namespace bitsieve {

namespace {

constexpr int kManyCells = 256;  // inner cells of a pair from which eight pivots at once no longer fit the cache

// One pivot, prepared when first needed: as planes against groups, as codes against wide columns.
class Pivot {
public:
    Pivot(const Packed& packed, std::int64_t feature) : packed_(packed), feature_(feature) {}

    // The sums with the eight features of a unit; lanes without a feature are left alone or hold a constant's.
    void unit_sums(std::int64_t unit, const Terms& terms, std::int64_t* xy, std::int64_t* xyc) {
        if (unit < packed_.n_groups() && (feature_ < 0 || !packed_.is_wide(feature_))) {
            packed_.kernel().pair_sums(view(), packed_.group(unit), packed_.segments(), terms, xy, xyc);
            return;
        }
        if (!codes_) codes_.emplace(packed_, feature_);
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t other = packed_.feature_at(unit, lane);
            if (other >= 0) codes_->sums(other, terms, xy + lane, xyc ? xyc + lane : nullptr);
        }
    }

private:
    PivotView view() {
        if (feature_ < 0) return {nullptr, nullptr, 0, 1};
        if (!ready_) packed_.pivot(feature_, planes_, margins_);
        ready_ = true;
        return {planes_.data(), margins_.data(), packed_.arity(feature_) - 1, 1};
    }

    const Packed& packed_;
    const std::int64_t feature_;
    bool ready_ = false;
    std::vector<std::uint64_t> planes_;
    std::vector<std::uint32_t> margins_;
    std::optional<TablePivot> codes_;
};

template <class Real>
struct Writer {
    const PairForm& form;
    Real* out;
    std::int64_t n;

    double value(std::int64_t sum, std::int64_t i, std::int64_t j) const {
        return double(sum + form.row[i] + form.column[j]);
    }
    void operator()(std::int64_t i, std::int64_t j, std::int64_t xy, std::int64_t xyc) const {
        const std::int64_t sum = form.xy_weight * xy + form.xyc_weight * xyc;
        double ij = value(sum, i, j), ji = value(sum, j, i);
        if (form.symmetric) ij = ji = (ij + ji) * 0.5;
        out[i * n + j] = Real(ij / form.unit);
        out[j * n + i] = Real(ji / form.unit);
    }
};

}  // namespace

void row_sums(const Packed& packed, const Terms& terms, std::int64_t pivot_feature, const std::int64_t* units,
              std::int64_t n_units, std::int64_t* xy, std::int64_t* xyc) {
    Pivot pivot(packed, pivot_feature);
    std::int64_t unit_xy[kLanes], unit_xyc[kLanes];
    for (std::int64_t u = 0; u < n_units; ++u) {
        const std::int64_t unit = units[u];
        pivot.unit_sums(unit, terms, unit_xy, xyc ? unit_xyc : nullptr);
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t feature = packed.feature_at(unit, lane);
            if (feature < 0) continue;
            xy[feature] = unit_xy[lane];
            if (xyc) xyc[feature] = unit_xyc[lane];
        }
    }
}

template <class Real>
void matrix_block(const Packed& packed, const Terms& terms, const PairForm& form, std::int64_t i0, std::int64_t i1,
                  std::int64_t j0, std::int64_t j1, Real* out) {
    const Writer<Real> write{form, out, packed.n_features()};
    const Segments segments = packed.segments();
    std::int64_t xy[kLanes * kLanes] = {}, xyc[kLanes * kLanes] = {};
    std::int64_t* const within = form.xyc_weight ? xyc : nullptr;
    for (std::int64_t i = i0; i < i1; ++i) {
        std::int64_t rows[kLanes], columns[kLanes];
        for (int a = 0; a < kLanes; ++a) rows[a] = packed.feature_at(i, a);
        const std::int64_t start = std::max(i, j0);
        std::int64_t j = start;
        for (; i < packed.n_groups() && j < std::min(j1, packed.n_groups()); ++j) {
            const GroupView own = packed.group(i), other = packed.group(j);
            if (own.n_planes * other.n_planes > kManyCells) break;
            packed.kernel().pair_sums({own.planes, own.margins, own.n_planes, kLanes}, other, segments, terms, xy,
                                      within);
            for (int b = 0; b < kLanes; ++b) columns[b] = packed.feature_at(j, b);
            for (int a = 0; a < kLanes; ++a)
                for (int b = 0; b < kLanes; ++b)
                    if (rows[a] >= 0 && columns[b] >= 0)
                        write(rows[a], columns[b], xy[a * kLanes + b], xyc[a * kLanes + b]);
        }
        for (int a = 0; a < kLanes && rows[a] >= 0 && j < j1; ++a) {
            Pivot pivot(packed, rows[a]);
            for (std::int64_t u = j; u < j1; ++u) {
                pivot.unit_sums(u, terms, xy, within);
                for (int b = 0; b < kLanes; ++b) {
                    const std::int64_t column = packed.feature_at(u, b);
                    if (column >= 0) write(rows[a], column, xy[b], xyc[b]);
                }
            }
        }
    }
}

template void matrix_block(const Packed&, const Terms&, const PairForm&, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, double*);
template void matrix_block(const Packed&, const Terms&, const PairForm&, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, float*);

}  // namespace bitsieve
