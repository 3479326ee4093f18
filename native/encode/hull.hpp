// The convex hull of cumulated counts: the bins with the best rising (or falling) event rates, where nothing bounds them.
#pragma once

#include <cstdint>
#include <vector>

#include "encode/division_rules.hpp"

namespace bitsieve {

// Points are appended in their order, and those that are no vertex of the hull are dropped. A point has the numbers
// `events` and `nonevents` of the samples before it; the first point is the origin. Rates are compared in integers.
template <class Point>
class ConvexHull {
public:
    explicit ConvexHull(bool rising) : rising_(rising), vertices_(1) {}

    void append(const Point& point) {
        while (vertices_.size() > 1 && !turns(vertices_[vertices_.size() - 2], vertices_.back(), point))
            vertices_.pop_back();
        vertices_.push_back(point);
    }

    // The origin is the first.
    const std::vector<Point>& vertices() const { return vertices_; }

private:
    // Whether the event rate from a to b is smaller than that from b to c; larger, where the rates fall.
    bool turns(const Point& a, const Point& b, const Point& c) const {
        const __int128 first = __int128(b.events - a.events) * (c.nonevents - b.nonevents);
        const __int128 second = __int128(c.events - b.events) * (b.nonevents - a.nonevents);
        return rising_ ? first < second : first > second;
    }

    bool rising_;
    std::vector<Point> vertices_;
};

// How many bins lie before the end of each bin of the best rising division.
std::vector<std::int64_t> hull_vertices(const std::int64_t* events, const std::int64_t* nonevents, std::int64_t n_bins);

// The information value of that division, in nats.
double hull_information_value(const PreBins& bins, double smoothing);

}  // namespace bitsieve
