#include "samples/differences.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace bitsieve {

// Every number, difference, sum of a chunk and sum of chunks is rounded to a relative error of 2^-24 at most.
DistanceError distance_error(std::int64_t n_columns) {
    const double rounding = std::ldexp(1.01, -24);
    const double n = double(n_columns);
    return {(double(kChunkColumns) + n / double(kChunkColumns) + 4) * rounding, n * rounding};
}

namespace {

// What the k-th smallest float32 distance proves about the true distances, given the errors of both.
class Limits {
public:
    Limits(const NearestQuery& query, double kth_distance) : error_(distance_error(query.n_columns)) {
        farthest_ = (largest_true(kth_distance) + query.tolerance) * (1 + error_.relative) + error_.absolute;
        nearest_ = (kth_distance - error_.absolute) / (1 + error_.relative) - query.tolerance;
    }

    // Whether a sample at this float32 distance may be among the k nearest.
    bool may_be_near(double distance) const { return distance <= farthest_; }

    // Whether a sample at this float32 distance is among the k nearest for certain.
    bool is_near(double distance) const { return largest_true(distance) < nearest_; }

private:
    double largest_true(double distance) const { return (distance + error_.absolute) / (1 - error_.relative); }

    DistanceError error_;
    double farthest_, nearest_;
};

struct Candidate {
    double distance;  // exact; -infinity for a sample that is among the k nearest for certain
    std::int64_t sample;
};

// The k-th smallest float32 distance; distance_of(s) is that of sample s, what other columns add included.
template <class DistanceOf>
double kth_distance(const NearestQuery& query, const DistanceOf& distance_of) {
    std::vector<double> heap;  // the k smallest so far, the largest of them in front
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
    return heap.front();
}

// The members that may be among the k nearest. The distances of those that are not so for certain are still 0.
template <class DistanceOf>
std::vector<Candidate> find_candidates(const NearestQuery& query, const DistanceOf& distance_of, const Limits& limits) {
    std::vector<Candidate> candidates;
    for (std::int64_t m = 0; m < query.n_members; ++m) {
        const std::int64_t s = query.members[m];
        const double distance = distance_of(s);
        if (!limits.may_be_near(distance) || s == query.sample) continue;
        if (std::isinf(distance)) throw std::invalid_argument("a distance is not finite");
        candidates.push_back({limits.is_near(distance) ? -HUGE_VAL : 0.0, s});
    }
    if (std::int64_t(candidates.size()) < query.k)
        throw std::invalid_argument("the distances found are not near the true ones");
    return candidates;
}

// Computes in float64 the distances of the candidates that are not among the k nearest for certain.
void compute_exact_distances(const DifferenceKernel& kernel, const NearestQuery& query,
                             std::vector<Candidate>& candidates) {
    const double* numbers_of_sample = query.grid + query.sample * query.n_columns;
    for (Candidate& candidate : candidates) {
        if (candidate.distance < 0.0) continue;
        if (query.n_columns > 0) {
            const double* numbers = query.grid + candidate.sample * query.n_columns;
            candidate.distance = kernel.distance(numbers_of_sample, numbers, query.n_columns);
        }
        if (query.added) candidate.distance += query.added[candidate.sample];
        if (!std::isfinite(candidate.distance)) throw std::invalid_argument("a distance is not finite");
    }
}

// Writes the k nearest candidates in their order; of those that tie with the k-th, the first.
void write_nearest(const NearestQuery& query, const std::vector<Candidate>& candidates, std::int64_t* out) {
    std::vector<double> distances;
    distances.reserve(candidates.size());
    for (const Candidate& candidate : candidates) distances.push_back(candidate.distance);
    std::nth_element(distances.begin(), distances.begin() + (query.k - 1), distances.end());
    const double kth = distances[std::size_t(query.k - 1)];
    const double first_tie = kth - query.tolerance;
    const double last_tie = kth + query.tolerance;
    const auto is_nearer = [=](const Candidate& candidate) { return candidate.distance < first_tie; };
    std::int64_t n_ties_to_take = query.k - std::count_if(candidates.begin(), candidates.end(), is_nearer);
    for (const Candidate& candidate : candidates) {
        if (is_nearer(candidate)) {
            *out++ = candidate.sample;
        } else if (candidate.distance <= last_tie && n_ties_to_take > 0) {
            *out++ = candidate.sample;
            --n_ties_to_take;
        }
    }
}

// nearest(), given the function distance_of of kth_distance().
template <class DistanceOf>
void nearest_by(const DifferenceKernel& kernel, const NearestQuery& query, const DistanceOf& distance_of,
                std::int64_t* out) {
    const Limits limits(query, kth_distance(query, distance_of));
    std::vector<Candidate> candidates = find_candidates(query, distance_of, limits);
    const bool all_are_near = std::int64_t(candidates.size()) == query.k;
    if (!all_are_near) compute_exact_distances(kernel, query, candidates);
    write_nearest(query, candidates, out);
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
