#include "encode/dependence.hpp"

#include <algorithm>
#include <vector>

#include "encode/mdl.hpp"
#include "encode/sorting.hpp"

namespace bitsieve {

namespace {

// Counts a code and a class for every sample of a part, part by part.
class Dependence {
public:
    Dependence(const ClassVectors& vectors, const Parts& parts, const Terms& terms)
        : n_classes_(vectors.n_classes), parts_(parts), terms_(terms), classes_(vectors.n_classes) {}

    // codes[i] in [0, n_codes).
    void count(const std::int32_t* codes, std::size_t n_codes, const std::int32_t* classes, std::int64_t& freedom,
               std::int64_t& sum) {
        if (codes_.size() < n_codes) {
            codes_.resize(n_codes);
            cells_.resize(n_codes * n_classes_);
        }
        freedom = sum = 0;
        for (std::int64_t z = 0; z < parts_.n_parts; ++z) {
            const std::uint32_t* first = parts_.order + parts_.starts[z];
            const std::uint32_t* last = parts_.order + parts_.starts[z + 1];
            if (last - first < 2) continue;
            for (const std::uint32_t* row = first; row != last; ++row) {
                const std::size_t code = std::size_t(codes[*row]);
                const std::size_t label = std::size_t(classes[*row]);
                ++codes_[code];
                ++classes_[label];
                ++cells_[code * n_classes_ + label];
            }
            std::int64_t of_codes = 0;
            std::int64_t of_classes = 0;
            std::int64_t of_cells = 0;
            std::int64_t n_of_codes = 0;
            std::int64_t n_of_classes = 0;
            std::int64_t ignored = 0;
            const auto code = [&](const std::uint32_t* row) { return std::size_t(codes[*row]); };
            const auto label = [&](const std::uint32_t* row) { return std::size_t(classes[*row]); };
            take(codes_, n_codes, first, last, code, of_codes, n_of_codes);
            take(classes_, n_classes_, first, last, label, of_classes, n_of_classes);
            take(
                cells_, n_codes * n_classes_, first, last,
                [&](const std::uint32_t* row) { return code(row) * n_classes_ + label(row); }, of_cells, ignored);
            freedom += (n_of_codes - 1) * (n_of_classes - 1);
            sum += of_cells - of_codes - of_classes + terms_(std::uint64_t(last - first));
        }
    }

private:
    // The terms of the counts that are not 0, and how many these are; the counts are 0 afterwards.
    template <class Place>
    void take(std::vector<std::uint32_t>& counts, std::size_t size, const std::uint32_t* first,
              const std::uint32_t* last, const Place& place, std::int64_t& sum, std::int64_t& n_present) {
        const auto finish = [&](std::uint32_t& count) {
            if (count == 0) return;
            sum += terms_(count);
            ++n_present;
            count = 0;
        };
        if (std::size_t(last - first) < size)
            for (const std::uint32_t* row = first; row != last; ++row) finish(counts[place(row)]);
        else
            for (std::size_t i = 0; i < size; ++i) finish(counts[i]);
    }

    std::size_t n_classes_;
    Parts parts_;
    Terms terms_;
    std::vector<std::uint32_t> codes_, classes_, cells_;
};

// A column in ascending order, without its missing values.
struct SortedColumn {
    std::vector<KeyedRow> items, spare;
    std::vector<double> values;
    std::vector<double> median;  // none where no value lies above it

    void sort(const double* column, std::int64_t n) {
        items.clear();
        for (std::int64_t i = 0; i < n; ++i)
            if (column[i] == column[i]) items.push_back({key_of(column[i]), std::uint32_t(i)});
        sort_by_key(items, spare);
        values.clear();
        for (const KeyedRow& item : items) values.push_back(value_of(item.key));
        median.clear();
        if (values.empty()) return;
        const double middle = values[(values.size() - 1) / 2];
        if (middle < values.back()) median.push_back(middle);
    }
};

}  // namespace

void dependence_of_codes(const std::int32_t* codes, std::int64_t n_rows, std::int64_t n_codes,
                         const ClassVectors& vectors, const Parts& parts, const Terms& terms, std::int64_t* freedom,
                         std::int64_t* sums) {
    Dependence dependence(vectors, parts, terms);
    for (std::int64_t b = 0; b < vectors.n_vectors; ++b)
        dependence.count(codes, std::size_t(n_codes), vectors.classes + b * n_rows, freedom[b], sums[b]);
}

void dependence_of_cuts(const double* columns, std::int64_t n_rows, std::int64_t n_columns, const ClassVectors& vectors,
                        const Parts& parts, const Terms& terms, bool cut_at_median, std::int64_t* freedom,
                        std::int64_t* sums) {
    Dependence dependence(vectors, parts, terms);
    MdlCutter cutter(vectors.n_classes, terms);
    SortedColumn sorted;
    std::vector<std::int32_t> ordered;
    std::vector<std::int32_t> codes(static_cast<std::size_t>(n_rows));
    for (std::int64_t j = 0; j < n_columns; ++j) {
        sorted.sort(columns + j * n_rows, n_rows);
        const std::size_t n_there = sorted.items.size();
        const bool some_missing = n_there > 0 && std::int64_t(n_there) < n_rows;
        ordered.resize(n_there);
        for (std::int64_t b = 0; b < vectors.n_vectors; ++b) {
            const std::int32_t* classes = vectors.classes + b * n_rows;
            std::int64_t& of_freedom = freedom[j * vectors.n_vectors + b];
            std::int64_t& of_sum = sums[j * vectors.n_vectors + b];
            of_freedom = of_sum = 0;
            for (std::size_t i = 0; i < n_there; ++i) ordered[i] = classes[sorted.items[i].row];
            const auto* cuts = &cutter.cuts(sorted.values.data(), ordered.data(), nullptr, n_there);
            if (cuts->empty() && cut_at_median) cuts = &sorted.median;
            if (cuts->empty() && !some_missing) continue;
            std::fill(codes.begin(), codes.end(), std::int32_t(cuts->size() + 1));  // of what is missing
            for (std::size_t i = 0, code = 0; i < n_there; ++i) {
                while (code < cuts->size() && sorted.values[i] > (*cuts)[code]) ++code;
                codes[sorted.items[i].row] = std::int32_t(code);
            }
            dependence.count(codes.data(), cuts->size() + 2, classes, of_freedom, of_sum);
        }
    }
}

}  // namespace bitsieve
