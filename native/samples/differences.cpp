#include "samples/differences.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace bitsieve {

// Roundings of 2^-24: of each number, of each difference, of the sums of a chunk, and of the sum of the chunks.
DistanceError distance_error(std::int64_t n_columns) {
    const double rounding = std::ldexp(1.01, -24);
    const double n = double(n_columns);
    return {(double(kChunkColumns) + n / double(kChunkColumns) + 4) * rounding, n * rounding};
}

namespace {

// nearest(), given distance_of(s): the float32 distance of sample s, what other columns add included.
template <class DistanceOf>
void nearest_by(const DifferenceKernel& kernel, const NearestQuery& query, const DistanceOf& distance_of,
                std::int64_t* out) {
    // The k smallest so far, the greatest of them in front.
    std::vector<double> heap;
    std::int64_t m = 0;
    for (; std::int64_t(heap.size()) < query.k; ++m)
        if (query.members[m] != query.sample) heap.push_back(distance_of(query.members[m]));
    std::make_heap(heap.begin(), heap.end());
    for (; m < query.n_members; ++m) {
        const double distance = distance_of(query.members[m]);
        if (!(distance < heap.front()) || query.members[m] == query.sample) continue;
        std::pop_heap(heap.begin(), heap.end());
        heap.back() = distance;
        std::push_heap(heap.begin(), heap.end());
    }
    const DistanceError error = distance_error(query.n_columns);
    const auto greatest_true_distance = [&](double distance) {
        return (distance + error.absolute) / (1 - error.relative);
    };
    const double bound =
        (greatest_true_distance(heap.front()) + query.tolerance) * (1 + error.relative) + error.absolute;
    const double nearer = (heap.front() - error.absolute) / (1 + error.relative) - query.tolerance;

    // The members that may be among the nearest. One that is so for certain gets the distance -infinity; the distances
    // of the others are computed in float64 if there are more than k.
    std::vector<std::pair<double, std::int64_t>> exact;
    for (std::int64_t c = 0; c < query.n_members; ++c) {
        const std::int64_t s = query.members[c];
        const double distance = distance_of(s);
        if (!(distance <= bound) || s == query.sample) continue;
        if (std::isinf(distance)) throw std::invalid_argument("a distance is not finite");
        exact.push_back({greatest_true_distance(distance) < nearer ? -HUGE_VAL : 0.0, s});
    }
    if (std::int64_t(exact.size()) < query.k)
        throw std::invalid_argument("the distances found are not near the true ones");
    if (std::int64_t(exact.size()) > query.k)
        for (auto& [distance_to_query, s] : exact) {
            if (distance_to_query < 0.0) continue;
            if (query.n_columns > 0)
                distance_to_query = kernel.distance(query.grid + query.sample * query.n_columns,
                                                    query.grid + s * query.n_columns, query.n_columns);
            if (query.added) distance_to_query += query.added[s];
            if (!std::isfinite(distance_to_query)) throw std::invalid_argument("a distance is not finite");
        }
    heap.clear();
    for (const auto& member : exact) heap.push_back(member.first);
    std::nth_element(heap.begin(), heap.begin() + (query.k - 1), heap.end());
    const double kth = heap[std::size_t(query.k - 1)];
    const double first_tie = kth - query.tolerance;
    const double last_tie = kth + query.tolerance;
    std::int64_t n_ties_left =
        query.k - std::count_if(exact.begin(), exact.end(), [&](const auto& e) { return e.first < first_tie; });
    for (const auto& [distance_to_query, s] : exact)
        if (distance_to_query < first_tie || (distance_to_query <= last_tie && n_ties_left-- > 0)) *out++ = s;
}

}  // namespace

void nearest(const DifferenceKernel& kernel, const NearestQuery& query, std::int64_t* out) {
    const float* numbers = query.distances;
    const double* added = query.added;
    if (numbers && added)
        return nearest_by(kernel, query, [=](std::int64_t s) { return double(numbers[s]) + added[s]; }, out);
    if (numbers) return nearest_by(kernel, query, [=](std::int64_t s) { return double(numbers[s]); }, out);
    nearest_by(kernel, query, [=](std::int64_t s) { return added ? added[s] : 0.0; }, out);
}

}  // namespace bitsieve
