#include "encode/hull.hpp"

namespace bitsieve {
namespace {

struct Point {
    std::int64_t n_bins = 0, events = 0, nonevents = 0;  // before it
};

ConvexHull<Point> hull_of(const std::int64_t* events, const std::int64_t* nonevents, std::int64_t n_bins) {
    ConvexHull<Point> hull(true);
    Point point;
    for (std::int64_t b = 0; b < n_bins; ++b) {
        point.n_bins = b + 1;
        point.events += events[b];
        point.nonevents += nonevents[b];
        hull.append(point);
    }
    return hull;
}

}  // namespace

std::vector<std::int64_t> hull_vertices(const std::int64_t* events, const std::int64_t* nonevents,
                                        std::int64_t n_bins) {
    const ConvexHull<Point> hull = hull_of(events, nonevents, n_bins);
    std::vector<std::int64_t> ends;
    for (const Point& vertex : hull.vertices())
        if (vertex.n_bins > 0) ends.push_back(vertex.n_bins);
    return ends;
}

double hull_information_value(const PreBins& bins, double smoothing) {
    DivisionRules rules{};
    rules.objective = BinObjective::kInformationValue;
    rules.smoothing = smoothing;
    const BinValue value_of(bins, rules);
    const ConvexHull<Point> hull = hull_of(bins.events, bins.nonevents, bins.n_bins);
    double sum = 0;
    Point previous;
    for (const Point& vertex : hull.vertices()) {
        const std::int64_t n_events = vertex.events - previous.events;
        const std::int64_t n_rows = n_events + vertex.nonevents - previous.nonevents;
        if (n_rows > 0) sum += value_of({n_events, n_rows});
        previous = vertex;
    }
    return sum;
}

}  // namespace bitsieve
