#include "encode/sparse_bins.hpp"

#include <algorithm>

#include "encode/cuts.hpp"
#include "encode/mdl.hpp"
#include "encode/sorting.hpp"

namespace bitsieve {

namespace {

// The stored numbers of one column that are not NaN, ascending.
template <class Real>
class SortedColumn {
public:
    explicit SortedColumn(const StoredNumbers<Real>& table) : table_(table) {}

    void sort(std::int64_t j) {
        items_.clear();
        for (std::int64_t e = table_.start[j]; e < table_.start[j + 1]; ++e)
            if (table_.value[e] == table_.value[e])
                items_.push_back({key_of(double(table_.value[e])), std::uint32_t(table_.row[e])});
        sort_by_key(items_, spare_);
    }

    const std::vector<KeyedRow>& items() const { return items_; }
    bool is_constant() const { return items_.empty() || items_.front().key == items_.back().key; }

private:
    const StoredNumbers<Real>& table_;
    std::vector<KeyedRow> items_, spare_;
};

}  // namespace

template <class Real>
Ragged<double> stored_mdl_cuts(const StoredNumbers<Real>& table, std::int64_t first, std::int64_t last,
                               const RowClasses& rows, const Terms& terms) {
    Ragged<double> result;
    SortedColumn<Real> column(table);
    MdlCutter cutter(std::size_t(rows.n_classes), terms);
    std::vector<double> values;
    std::vector<std::int32_t> classes;
    std::vector<std::int64_t> weights;
    for (std::int64_t j = first; j < last; ++j) {
        column.sort(j);
        if (column.is_constant()) {
            result.append({});
            continue;
        }
        values.clear();
        classes.clear();
        weights.clear();
        for (const KeyedRow& item : column.items()) {
            values.push_back(value_of(item.key));
            classes.push_back(rows.classes[item.row]);
            if (rows.weights) weights.push_back(rows.weights[item.row]);
        }
        result.append(
            cutter.cuts(values.data(), classes.data(), rows.weights ? weights.data() : nullptr, values.size()));
    }
    return result;
}

template <class Real>
Ragged<double> stored_order_cuts(const StoredNumbers<Real>& table, std::int64_t first, std::int64_t last,
                                 std::int64_t n_bins, const std::int64_t* weights) {
    Ragged<double> result;
    SortedColumn<Real> column(table);
    std::vector<double> cuts;
    std::vector<std::int64_t> last_ranks;  // of each item
    for (std::int64_t j = first; j < last; ++j) {
        column.sort(j);
        if (column.is_constant()) {
            result.append({});
            continue;
        }
        const std::vector<KeyedRow>& items = column.items();
        last_ranks.clear();
        std::int64_t rank = 0;
        for (const KeyedRow& item : items) {
            rank += weights ? weights[item.row] : 1;
            last_ranks.push_back(rank);
        }
        cut_by_ranks(
            items.size(), n_bins, [&](std::size_t i) { return last_ranks[i]; },
            [&](std::size_t i) { return value_of(items[i].key); }, cuts);
        result.append(cuts);
    }
    return result;
}

template <class Real>
Ragged<double> stored_distinct(const StoredNumbers<Real>& table, std::int64_t first, std::int64_t last) {
    Ragged<double> result;
    SortedColumn<Real> column(table);
    for (std::int64_t j = first; j < last; ++j) {
        column.sort(j);
        const std::vector<KeyedRow>& items = column.items();
        for (std::size_t i = 0; i < items.size(); ++i)
            if (i == 0 || items[i].key != items[i - 1].key) result.values.push_back(value_of(items[i].key));
        result.ends.push_back(std::int64_t(result.values.size()));
    }
    return result;
}

template <class Real>
void code_stored(const StoredNumbers<Real>& table, std::int64_t first, std::int64_t last, const StoredBins& bins,
                 std::uint16_t* code) {
    std::int64_t begin = 0;  // of the cuts of column j
    for (std::int64_t j = first; j < last; ++j) {
        const std::int64_t k = j - first;
        const double* low = bins.cuts + begin;
        const double* high = bins.cuts + bins.ends[k];
        for (std::int64_t e = table.start[j]; e < table.start[j + 1]; ++e) {
            const double value = double(table.value[e]);
            if (value != value) {
                code[e] = std::uint16_t(bins.missing_code[k]);
                continue;
            }
            const double* next_cut =
                bins.left ? std::lower_bound(low, high, value) : std::upper_bound(low, high, value);
            code[e] = std::uint16_t(bins.base[k] + (next_cut - low));
        }
        begin = bins.ends[k];
    }
}

#define BITSIEVE_FOR_TYPE(Real)                                                                                        \
    template Ragged<double> stored_mdl_cuts(const StoredNumbers<Real>&, std::int64_t, std::int64_t, const RowClasses&, \
                                            const Terms&);                                                             \
    template Ragged<double> stored_order_cuts(const StoredNumbers<Real>&, std::int64_t, std::int64_t, std::int64_t,    \
                                              const std::int64_t*);                                                    \
    template Ragged<double> stored_distinct(const StoredNumbers<Real>&, std::int64_t, std::int64_t);                   \
    template void code_stored(const StoredNumbers<Real>&, std::int64_t, std::int64_t, const StoredBins&,               \
                              std::uint16_t*);
BITSIEVE_FOR_TYPE(float)
BITSIEVE_FOR_TYPE(double)

}  // namespace bitsieve
