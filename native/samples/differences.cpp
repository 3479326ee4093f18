#include "samples/differences.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace bitsieve {

// Roundings of 2^-24: of each number, of each difference, of the sums of a chunk, and of the sum of the chunks.
DistanceError distance_error(std::int64_t n_columns) {
    const double rounding = std::ldexp(1.01, -24), n = double(n_columns);
    return {(double(kChunkColumns) + n / double(kChunkColumns) + 4) * rounding, n * rounding};
}

namespace {

// nearest(), where found(s) is the distance of sample s as it was found in float32, other columns included.
template <class Found>
void nearest_by(const DifferenceKernel& kernel, const NearestQuery& search, const Found& found, std::int64_t* out) {
    // The k smallest so far, the greatest of them in front.
    std::vector<double> heap;
    std::int64_t m = 0;
    for (; std::int64_t(heap.size()) < search.k; ++m)
        if (search.members[m] != search.sample) heap.push_back(found(search.members[m]));
    std::make_heap(heap.begin(), heap.end());
    for (; m < search.n_members; ++m) {
        const double here = found(search.members[m]);
        if (!(here < heap.front()) || search.members[m] == search.sample) continue;
        std::pop_heap(heap.begin(), heap.end());
        heap.back() = here;
        std::push_heap(heap.begin(), heap.end());
    }
    const DistanceError error = distance_error(search.n_columns);
    const auto at_most = [&](double here) { return (here + error.absolute) / (1 - error.relative); };
    const double bound = (at_most(heap.front()) + search.tolerance) * (1 + error.relative) + error.absolute;
    const double nearer = (heap.front() - error.absolute) / (1 + error.relative) - search.tolerance;

    // Those that may be among the nearest. Which are so for certain counts as a distance of -infinity; the others are
    // measured where there are more than can be chosen.
    std::vector<std::pair<double, std::int64_t>> exact;
    for (std::int64_t c = 0; c < search.n_members; ++c) {
        const std::int64_t s = search.members[c];
        const double here = found(s);
        if (!(here <= bound) || s == search.sample) continue;
        if (std::isinf(here)) throw std::invalid_argument("a distance is not finite");
        exact.push_back({at_most(here) < nearer ? -HUGE_VAL : 0.0, s});
    }
    if (std::int64_t(exact.size()) < search.k)
        throw std::invalid_argument("the distances found are not near the true ones");
    if (std::int64_t(exact.size()) > search.k)
        for (auto& [apart, s] : exact) {
            if (apart < 0.0) continue;
            if (search.n_columns > 0)
                apart = kernel.distance(search.grid + search.sample * search.n_columns,
                                        search.grid + s * search.n_columns, search.n_columns);
            if (search.added) apart += search.added[s];
            if (!std::isfinite(apart)) throw std::invalid_argument("a distance is not finite");
        }
    heap.clear();
    for (const auto& one : exact) heap.push_back(one.first);
    std::nth_element(heap.begin(), heap.begin() + (search.k - 1), heap.end());
    const double least = heap[std::size_t(search.k - 1)] - search.tolerance;
    const double most = heap[std::size_t(search.k - 1)] + search.tolerance;
    std::int64_t room =
        search.k - std::count_if(exact.begin(), exact.end(), [&](const auto& e) { return e.first < least; });
    for (const auto& [apart, s] : exact)
        if (apart < least || (apart <= most && room-- > 0)) *out++ = s;
}

}  // namespace

void nearest(const DifferenceKernel& kernel, const NearestQuery& search, std::int64_t* out) {
    const float* numbers = search.found;
    const double* added = search.added;
    if (numbers && added)
        return nearest_by(kernel, search, [=](std::int64_t s) { return double(numbers[s]) + added[s]; }, out);
    if (numbers) return nearest_by(kernel, search, [=](std::int64_t s) { return double(numbers[s]); }, out);
    nearest_by(kernel, search, [=](std::int64_t s) { return added ? added[s] : 0.0; }, out);
}

}  // namespace bitsieve
