// The samples class by class.
#pragma once

#include <cstdint>
#include <vector>

namespace bitsieve {

// The rows class by class, those of a class in their order, and how many each class has. Throws std::invalid_argument where
// a class is not within 0 .. n_classes - 1. Cost: two passes over the classes.
struct ClassOrder {
    std::vector<std::uint32_t> rows;
    std::vector<std::int64_t> sizes;
};
ClassOrder class_order(const std::int32_t* classes, std::int64_t n_rows, std::int64_t n_classes);

}  // namespace bitsieve
