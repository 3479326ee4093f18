#include "encode/dependence.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "encode/mdl.hpp"
#include "encode/sorting.hpp"

namespace bitsieve {

namespace {

// The degrees of freedom and the sum of terms of one column and one class vector, over all parts.
struct DependenceSums {
    std::int64_t freedom = 0;
    std::int64_t sum = 0;
};

// Counts codes and classes within parts, for one column and class vector after the other.
class Dependence {
public:
    Dependence(const ClassVectors& vectors, const Parts& parts, const Terms& terms)
        : n_classes_(vectors.n_classes), parts_(parts), terms_(terms), classes_(vectors.n_classes) {}

    // codes[i] in [0, n_codes).
    DependenceSums count(const std::int32_t* codes, std::size_t n_codes, const std::int32_t* classes) {
        if (codes_.size() < n_codes) {
            codes_.resize(n_codes);
            cells_.resize(n_codes * n_classes_);
        }
        const auto code_of = [codes](std::uint32_t row) { return std::size_t(codes[row]); };
        const auto class_of = [classes](std::uint32_t row) { return std::size_t(classes[row]); };
        const auto cell_of = [&](std::uint32_t row) { return code_of(row) * n_classes_ + class_of(row); };
        DependenceSums sums;
        for (std::int64_t z = 0; z < parts_.n_parts; ++z) {
            const Rows rows{parts_.order + parts_.starts[z], parts_.order + parts_.starts[z + 1]};
            if (rows.size() < 2) continue;
            for (const std::uint32_t row : rows) {
                const std::size_t code = code_of(row);
                const std::size_t label = class_of(row);
                ++codes_[code];
                ++classes_[label];
                ++cells_[code * n_classes_ + label];
            }
            const Occupied codes_present = sum_and_clear(codes_, n_codes, rows, code_of);
            const Occupied classes_present = sum_and_clear(classes_, n_classes_, rows, class_of);
            const Occupied cells_present = sum_and_clear(cells_, n_codes * n_classes_, rows, cell_of);
            sums.freedom += (codes_present.n - 1) * (classes_present.n - 1);
            sums.sum += cells_present.sum - codes_present.sum - classes_present.sum + terms_(rows.size());
        }
        return sums;
    }

private:
    // The rows of a part.
    struct Rows {
        const std::uint32_t* first;
        const std::uint32_t* last;

        const std::uint32_t* begin() const { return first; }
        const std::uint32_t* end() const { return last; }
        std::size_t size() const { return std::size_t(last - first); }
    };

    // The counts that are not 0: how many these are, and the sum of their terms.
    struct Occupied {
        std::int64_t n = 0;
        std::int64_t sum = 0;
    };

    // Sums up counts[0 .. size), which are 0 afterwards. index_of(row): the count that a row of the part is in.
    template <class IndexOf>
    Occupied sum_and_clear(std::vector<std::uint32_t>& counts, std::size_t size, const Rows& rows,
                           const IndexOf& index_of) {
        Occupied occupied;
        const auto add_and_clear = [&](std::uint32_t& count) {
            if (count == 0) return;
            occupied.sum += terms_(count);
            ++occupied.n;
            count = 0;
        };
        if (rows.size() < size)  // fewer rows than counts: visit the counts of the rows alone
            for (const std::uint32_t row : rows) add_and_clear(counts[index_of(row)]);
        else
            for (std::size_t i = 0; i < size; ++i) add_and_clear(counts[i]);
        return occupied;
    }

    std::size_t n_classes_;
    Parts parts_;
    Terms terms_;
    std::vector<std::uint32_t> codes_, classes_, cells_;  // counts of a part; zeros between parts
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

    // Fills codes with the number of cuts below the value of each row; a missing one has the code behind the largest.
    void code(const std::vector<double>& cuts, std::vector<std::int32_t>& codes) const {
        const std::size_t missing_code = cuts.size() + 1;
        std::fill(codes.begin(), codes.end(), std::int32_t(missing_code));
        std::size_t n_below = 0;
        for (std::size_t i = 0; i < items.size(); ++i) {
            while (n_below < cuts.size() && values[i] > cuts[n_below]) ++n_below;
            codes[items[i].row] = std::int32_t(n_below);
        }
    }
};

// Finds the vectors of two classes by which a column may be cut. It is cut if its best first cut is accepted, which
// depends on two numbers: the samples left of the cut, and those of class 1 among them. For each number of samples
// there is an interval of the other number in which no cut is accepted. All vectors have equally many samples of class
// 1, as shuffles have. The counts of all vectors move on together, a byte each.
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
    for (std::int64_t b = 0; b < vectors.n_vectors; ++b) {
        const DependenceSums result = dependence.count(codes, std::size_t(n_codes), vectors.classes + b * n_rows);
        freedom[b] = result.freedom;
        sums[b] = result.sum;
    }
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
            const std::vector<double>* cuts = &no_cuts;
            if (may_be_cut == nullptr || may_be_cut[b]) {
                for (std::size_t i = 0; i < n_present; ++i) sorted_classes[i] = classes[sorted.items[i].row];
                cuts = &cutter.cuts(sorted.values.data(), sorted_classes.data(), nullptr, n_present);
            }
            if (cuts->empty() && cut_at_median) cuts = &sorted.median;
            DependenceSums result;  // 0 where the column has one code
            if (!cuts->empty() || some_missing) {
                sorted.code(*cuts, codes);
                result = dependence.count(codes.data(), cuts->size() + 2, classes);
            }
            freedom[j * vectors.n_vectors + b] = result.freedom;
            sums[j * vectors.n_vectors + b] = result.sum;
        }
    }
}

}  // namespace bitsieve
