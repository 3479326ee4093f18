#include "encode/dependence.hpp"

#include <algorithm>
#include <optional>
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
            std::int64_t sum_of_codes = 0;
            std::int64_t sum_of_classes = 0;
            std::int64_t sum_of_cells = 0;
            std::int64_t n_codes_present = 0;
            std::int64_t n_classes_present = 0;
            std::int64_t ignored = 0;
            const auto code = [&](const std::uint32_t* row) { return std::size_t(codes[*row]); };
            const auto label = [&](const std::uint32_t* row) { return std::size_t(classes[*row]); };
            add_and_clear(codes_, n_codes, first, last, code, sum_of_codes, n_codes_present);
            add_and_clear(classes_, n_classes_, first, last, label, sum_of_classes, n_classes_present);
            add_and_clear(
                cells_, n_codes * n_classes_, first, last,
                [&](const std::uint32_t* row) { return code(row) * n_classes_ + label(row); }, sum_of_cells, ignored);
            freedom += (n_codes_present - 1) * (n_classes_present - 1);
            sum += sum_of_cells - sum_of_codes - sum_of_classes + terms_(std::uint64_t(last - first));
        }
    }

private:
    // Adds the terms of the counts that are not 0, and how many these are; the counts are 0 afterwards. index_of(row):
    // the count of the row.
    template <class IndexOf>
    void add_and_clear(std::vector<std::uint32_t>& counts, std::size_t size, const std::uint32_t* first,
                       const std::uint32_t* last, const IndexOf& index_of, std::int64_t& sum, std::int64_t& n_present) {
        const auto add = [&](std::uint32_t& count) {
            if (count == 0) return;
            sum += terms_(count);
            ++n_present;
            count = 0;
        };
        if (std::size_t(last - first) < size)
            for (const std::uint32_t* row = first; row != last; ++row) add(counts[index_of(row)]);
        else
            for (std::size_t i = 0; i < size; ++i) add(counts[i]);
    }

    std::size_t n_classes_;
    Parts parts_;
    Terms terms_;
    std::vector<std::uint32_t> codes_, classes_, cells_;
};

// A column in ascending order, without its missing values.
struct SortedColumn {
    std::vector<KeyedRow> items, scratch;
    std::vector<double> values;
    std::vector<double> median;  // none where no value lies above it

    void sort(const double* column, std::int64_t n) {
        sort_present(column, n, items, scratch);
        values.clear();
        for (const KeyedRow& item : items) values.push_back(value_of(item.key));
        median.clear();
        if (values.empty()) return;
        const double middle = values[(values.size() - 1) / 2];
        if (middle < values.back()) median.push_back(middle);
    }
};

// Tells apart the vectors of two classes by which a column may be cut from those by which it is not. A column is cut if
// its best first cut is accepted, which depends on two numbers: the samples left of it, and those of class 1 among them.
// For each number of samples an interval of the other number is known in which no cut is accepted. All vectors have
// equally many samples of class 1, as shuffles have. The counts of all vectors move on together, a byte each.
class FirstCuts {
public:
    static constexpr std::int64_t kMaxRows = 255;   // a count is a byte
    static constexpr std::int64_t kMinVectors = 8;  // for fewer the intervals take longer than the cuts

    static bool can_compare(const ClassVectors& vectors, std::int64_t n_rows) {
        if (vectors.n_classes != 2 || n_rows > kMaxRows || vectors.n_vectors < kMinVectors) return false;
        for (std::int64_t b = 1; b < vectors.n_vectors; ++b)
            if (count_of_ones(vectors, n_rows, b) != count_of_ones(vectors, n_rows, 0)) return false;
        return true;
    }

    FirstCuts(const ClassVectors& vectors, std::int64_t n_rows, const Terms& terms)
        : terms_(terms),
          acceptance_(terms),
          n_(std::uint64_t(n_rows)),
          n_ones_(count_of_ones(vectors, n_rows, 0)),
          n_vectors_(std::size_t(vectors.n_vectors)),
          is_one_(n_ * n_vectors_),
          refused_(n_),
          ones_(n_vectors_),
          may_be_cut_(n_vectors_) {
        for (std::size_t b = 0; b < n_vectors_; ++b)
            for (std::size_t i = 0; i < n_; ++i)
                is_one_[i * n_vectors_ + b] = std::uint8_t(vectors.classes[b * n_ + i]);
        for (std::uint64_t n_left = 1; n_left < n_; ++n_left) refused_[n_left] = refused_with(n_left);
    }

    // A flag for each vector. The samples are all that there are, by rising value.
    const std::vector<std::uint8_t>& may_cut(const std::vector<KeyedRow>& samples) {
        std::fill(ones_.begin(), ones_.end(), std::uint8_t(0));
        std::fill(may_be_cut_.begin(), may_be_cut_.end(), std::uint8_t(0));
        for (std::size_t i = 0; i + 1 < n_; ++i) {
            const std::uint8_t* is_one = is_one_.data() + samples[i].row * n_vectors_;
            std::uint8_t* ones = ones_.data();
            std::uint8_t* may = may_be_cut_.data();
            const std::uint8_t low = refused_[i + 1].low;
            const std::uint8_t high = refused_[i + 1].high;
            for (std::size_t b = 0; b < n_vectors_; ++b) {
                const std::uint8_t n_ones = std::uint8_t(ones[b] + is_one[b]);
                ones[b] = n_ones;
                may[b] |= std::uint8_t(n_ones < low) | std::uint8_t(n_ones > high);
            }
        }
        return may_be_cut_;
    }

private:
    struct Interval {
        std::uint8_t low, high;
    };

    static std::uint64_t count_of_ones(const ClassVectors& vectors, std::int64_t n_rows, std::int64_t vector) {
        const std::int32_t* first = vectors.classes + vector * n_rows;
        return std::uint64_t(std::count(first, first + n_rows, 1));
    }

    // The longest interval around the mean in which no cut is accepted.
    Interval refused_with(std::uint64_t n_left) {
        const std::uint64_t mean = n_left * n_ones_ / n_;
        if (accepts(n_left, mean)) return {1, 0};  // empty
        const std::uint64_t min_ones = n_left + n_ones_ > n_ ? n_left + n_ones_ - n_ : 0;
        const std::uint64_t max_ones = std::min(n_left, n_ones_);
        std::uint64_t low = mean;
        std::uint64_t high = mean;
        while (low > min_ones && !accepts(n_left, low - 1)) --low;
        while (high < max_ones && !accepts(n_left, high + 1)) ++high;
        return {std::uint8_t(low), std::uint8_t(high)};
    }

    bool accepts(std::uint64_t n_left, std::uint64_t n_ones) {
        const Summary all = summary(n_, n_ones_);
        const Summary left = summary(n_left, n_ones);
        const Summary right = summary(n_ - n_left, n_ones_ - n_ones);
        return left.entropy + right.entropy <= acceptance_.max_entropy(all) && acceptance_.accepts(all, left, right);
    }

    Summary summary(std::uint64_t n, std::uint64_t n_ones) const {
        const std::uint64_t classes = std::uint64_t(n_ones > 0) + std::uint64_t(n_ones < n);
        return {n, classes, terms_(n) - terms_(n_ones) - terms_(n - n_ones)};
    }

    Terms terms_;
    Acceptance acceptance_;
    std::uint64_t n_, n_ones_;
    std::size_t n_vectors_;
    std::vector<std::uint8_t> is_one_;  // n_vectors for each sample
    std::vector<Interval> refused_;     // by the samples left of a cut
    std::vector<std::uint8_t> ones_, may_be_cut_;
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
    std::optional<FirstCuts> first_cuts;
    if (FirstCuts::can_compare(vectors, n_rows)) first_cuts.emplace(vectors, n_rows, terms);
    const std::vector<double> no_cuts;
    SortedColumn sorted;
    std::vector<std::int32_t> sorted_classes;
    std::vector<std::int32_t> codes(static_cast<std::size_t>(n_rows));
    for (std::int64_t j = 0; j < n_columns; ++j) {
        sorted.sort(columns + j * n_rows, n_rows);
        const std::size_t n_present = sorted.items.size();
        const bool some_missing = n_present > 0 && std::int64_t(n_present) < n_rows;
        sorted_classes.resize(n_present);
        const std::uint8_t* may_be_cut = nullptr;  // null: by any vector
        if (first_cuts && std::int64_t(n_present) == n_rows) may_be_cut = first_cuts->may_cut(sorted.items).data();
        for (std::int64_t b = 0; b < vectors.n_vectors; ++b) {
            const std::int32_t* classes = vectors.classes + b * n_rows;
            std::int64_t& freedom_of_vector = freedom[j * vectors.n_vectors + b];
            std::int64_t& sum_of_vector = sums[j * vectors.n_vectors + b];
            freedom_of_vector = sum_of_vector = 0;
            const std::vector<double>* cuts = &no_cuts;
            if (may_be_cut == nullptr || may_be_cut[b]) {
                for (std::size_t i = 0; i < n_present; ++i) sorted_classes[i] = classes[sorted.items[i].row];
                cuts = &cutter.cuts(sorted.values.data(), sorted_classes.data(), nullptr, n_present);
            }
            if (cuts->empty() && cut_at_median) cuts = &sorted.median;
            if (cuts->empty() && !some_missing) continue;
            std::fill(codes.begin(), codes.end(), std::int32_t(cuts->size() + 1));  // of what is missing
            for (std::size_t i = 0, code = 0; i < n_present; ++i) {
                while (code < cuts->size() && sorted.values[i] > (*cuts)[code]) ++code;
                codes[sorted.items[i].row] = std::int32_t(code);
            }
            dependence.count(codes.data(), cuts->size() + 2, classes, freedom_of_vector, sum_of_vector);
        }
    }
}

}  // namespace bitsieve
