// The samples class by class; see class_order.hpp.
#include "class_order.hpp"

#include <stdexcept>

namespace bitsieve {

ClassOrder class_order(const std::int32_t* classes, std::int64_t n_rows, std::int64_t n_classes) {
    ClassOrder found{std::vector<std::uint32_t>(std::size_t(n_rows)), std::vector<std::int64_t>(std::size_t(n_classes))};
    std::vector<std::int64_t> other(found.sizes);  // neighbours of one class do not wait for each other
    for (std::int64_t i = 0; i < n_rows; ++i) {
        if (classes[i] < 0 || classes[i] >= n_classes) throw std::invalid_argument("a class is out of range");
        ++(i % 2 ? other : found.sizes)[std::size_t(classes[i])];
    }
    std::vector<std::uint32_t*> end(other.size());
    std::uint32_t* next = found.rows.data();
    for (std::size_t c = 0; c < end.size(); ++c) {
        end[c] = next;
        next += found.sizes[c] += other[c];
    }
    for (std::int64_t i = 0; i < n_rows; ++i) *end[std::size_t(classes[i])]++ = std::uint32_t(i);
    return found;
}

}  // namespace bitsieve
