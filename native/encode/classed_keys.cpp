#include "encode/classed_keys.hpp"

#include <algorithm>
#include <limits>

namespace bitsieve {
namespace {

constexpr std::int64_t kBatchRows = 256;  // which stay in the first cache while they are compared with all limits

// The numbers of a few rows.
class Batch {
public:
    // NaN stands for a row that is not included: it reaches no limit.
    Batch(const ClassedColumn& column, std::int64_t first) : n_(std::min(kBatchRows, column.n_rows - first)) {
        const double* values = column.values + first;
        const bool* is_included = column.is_included + first;
        for (std::int64_t i = 0; i < n_; ++i)
            values_[i] = is_included[i] ? values[i] : std::numeric_limits<double>::quiet_NaN();
    }

    std::int64_t n_reaching(double limit) const {
        std::int64_t n = 0;
        for (std::int64_t i = 0; i < n_; ++i) n += limit <= values_[i];
        return n;
    }

    // How many limits each row reaches. Without branches: which limits a number reaches is anybody's guess.
    void find_pieces(const PieceLimits& limits, std::int64_t* piece_of_row) const {
        std::fill(piece_of_row, piece_of_row + n_, std::int64_t(0));
        for (std::int64_t j = 0; j < limits.n; ++j) {
            const double limit = limits.limits[j];
            for (std::int64_t i = 0; i < n_; ++i) piece_of_row[i] += limit <= values_[i];
        }
    }

    std::int64_t n() const { return n_; }

private:
    const std::int64_t n_;
    double values_[kBatchRows];
};

}  // namespace

std::vector<std::int64_t> count_reaching(const ClassedColumn& column, const PieceLimits& limits) {
    std::vector<std::int64_t> counts(std::size_t(limits.n + 1));
    for (std::int64_t first = 0; first < column.n_rows; first += kBatchRows) {
        const Batch batch(column, first);
        counts[0] += batch.n_reaching(-std::numeric_limits<double>::infinity());
        for (std::int64_t j = 0; j < limits.n; ++j) counts[j + 1] += batch.n_reaching(limits.limits[j]);
    }
    return counts;
}

bool place_keys(const ClassedColumn& column, const PieceLimits& limits, const Places& places) {
    std::int64_t piece_of_row[kBatchRows];
    for (std::int64_t first = 0; first < column.n_rows; first += kBatchRows) {
        const Batch batch(column, first);
        batch.find_pieces(limits, piece_of_row);
        for (std::int64_t i = 0; i < batch.n(); ++i) {
            const std::int64_t row = first + i;
            const std::int64_t piece = column.is_included[row] ? piece_of_row[i] : limits.n + 1;
            if (places.next[piece] == places.end[piece]) return false;
            const std::int64_t place = places.next[piece]++;
            places.keys[place] = classed_key(column.values[row], column.is_event[row]);
            if (column.weights != nullptr) places.weights[place] = column.weights[row];
        }
    }
    return true;
}

}  // namespace bitsieve
