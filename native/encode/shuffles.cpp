#include "encode/shuffles.hpp"

#include <algorithm>
#include <vector>

#include "encode/random_keys.hpp"

namespace bitsieve {

namespace {

struct KeyedClass {
    double key;
    std::int32_t label;
};

// Sorts the classes of the samples of a part by their keys.
class SortByKeys {
public:
    const std::vector<KeyedClass>& sorted(const std::uint32_t* samples, std::size_t n, const double* keys,
                                          const std::int32_t* classes) {
        place(samples, n, keys, classes);
        insert();
        return items_;
    }

private:
    // Counts the keys of each of n equal intervals of [0, 1), and places the samples interval by interval.
    void place(const std::uint32_t* samples, std::size_t n, const double* keys, const std::int32_t* classes) {
        items_.resize(n);
        next_place_.assign(n + 1, 0);
        for (std::size_t k = 0; k < n; ++k) ++next_place_[interval(keys[samples[k]], n) + 1];
        for (std::size_t i = 1; i < n; ++i) next_place_[i] += next_place_[i - 1];
        for (std::size_t k = 0; k < n; ++k) {
            const double key = keys[samples[k]];
            items_[next_place_[interval(key, n)]++] = {key, classes[samples[k]]};
        }
    }

    static std::size_t interval(double key, std::size_t n) {
        return std::min(static_cast<std::size_t>(key * double(n)), n - 1);
    }

    void insert() {
        for (std::size_t k = 1; k < items_.size(); ++k) {
            const KeyedClass item = items_[k];
            std::size_t place = k;
            for (; place > 0 && items_[place - 1].key > item.key; --place) items_[place] = items_[place - 1];
            items_[place] = item;
        }
    }

    std::vector<KeyedClass> items_;
    std::vector<std::uint32_t> next_place_;  // of each interval
};

}  // namespace

void shuffle_classes(const std::int32_t* classes, std::int64_t n_rows, const Parts& parts, const std::uint64_t* seeds,
                     std::int64_t n_shuffles, std::int32_t* shuffles) {
    SortByKeys sort;
    std::vector<double> keys(static_cast<std::size_t>(n_rows));
    for (std::int64_t s = 0; s < n_shuffles; ++s) {
        RandomKeys random(seeds[s]);
        for (double& key : keys) key = random.next();
        std::int32_t* shuffle = shuffles + s * n_rows;
        for (std::int64_t z = 0; z < parts.n_parts; ++z) {
            const std::uint32_t* samples = parts.order + parts.starts[z];
            const std::size_t n = static_cast<std::size_t>(parts.starts[z + 1] - parts.starts[z]);
            const std::vector<KeyedClass>& sorted = sort.sorted(samples, n, keys.data(), classes);
            for (std::size_t k = 0; k < n; ++k) shuffle[samples[k]] = sorted[k].label;
        }
    }
}

}  // namespace bitsieve
