#include "cross_edges.hpp"

#include <algorithm>
#include <numeric>

namespace bitsieve {
namespace {

// Reads `from` and writes it to `to` by rising rank; equal ranks stay in their order.
void sort_by_rank(const std::vector<std::uint32_t>& rank, std::size_t n_ranks, const std::vector<std::int64_t>& from,
                  std::vector<std::int64_t>& start, std::vector<std::int64_t>& to) {
    start.assign(n_ranks + 1, 0);
    for (const std::uint32_t r : rank) ++start[r + 1];
    for (std::size_t r = 0; r < n_ranks; ++r) start[r + 1] += start[r];
    for (const std::int64_t p : from) to[std::size_t(start[rank[std::size_t(p)]]++)] = p;
}

}  // namespace

CrossEdges::CrossEdges(const TreeKernel& kernel, const Ranked& shared, std::vector<std::int64_t> shared_sample,
                       std::vector<std::int64_t> last_sample, std::vector<double> in_first, std::vector<double> in_second)
    : kernel_(kernel),
      shared_(shared),
      shared_sample_(std::move(shared_sample)),
      last_sample_(std::move(last_sample)),
      in_first_(std::move(in_first)),
      in_second_(std::move(in_second)),
      shared_rank_(shared_sample_.size()),
      last_rank_(shared_sample_.size()),
      by_last_(shared_sample_.size()),
      order_(shared_sample_.size()) {
    for (std::size_t p = 0; p < shared_rank_.size(); ++p) shared_rank_[p] = shared_.ranks[shared_sample_[p]];
}

void CrossEdges::merge(const Ranked& last) {
    for (std::size_t p = 0; p < last_rank_.size(); ++p) last_rank_[p] = last.ranks[last_sample_[p]];
    std::iota(order_.begin(), order_.end(), 0);
    sort_by_rank(last_rank_, std::size_t(last.count), order_, start_, by_last_);
    sort_by_rank(shared_rank_, std::size_t(shared_.count), by_last_, start_, order_);
    places_.clear();
    std::vector<std::int64_t>& one_of_place = by_last_;  // not needed any more
    std::int64_t before = -1;
    for (const std::int64_t point : order_) {
        const std::size_t p = std::size_t(point), b = std::size_t(before);
        if (before < 0 || shared_rank_[p] != shared_rank_[b] || last_rank_[p] != last_rank_[b]) {
            one_of_place[places_.size()] = point;
            places_.push_back({0.0, 0.0, 0.0});
        }
        Place& place = places_.back();
        place.count += 1.0;
        place.first += in_first_[p];
        place.second += in_second_[p];
        before = point;
    }
    points_.count = std::int64_t(places_.size());
    points_.dims = shared_.dims + last.dims;
    points_.coordinates.resize(places_.size() * std::size_t(points_.dims));
    double* out = points_.coordinates.data();
    for (int k = 0; k < shared_.dims; ++k)
        for (std::size_t i = 0; i < places_.size(); ++i)
            *out++ = shared_.values[k * shared_.count + shared_rank_[std::size_t(one_of_place[i])]];
    for (int k = 0; k < last.dims; ++k)
        for (std::size_t i = 0; i < places_.size(); ++i)
            *out++ = last.values[k * last.count + last_rank_[std::size_t(one_of_place[i])]];
}

double CrossEdges::operator()(const Ranked& last) {
    merge(last);
    spanning_tree(kernel_, points_, edges_);
    double sum = 0.0;
    for (const Place& place : places_) sum += 2.0 * place.first * place.second / place.count;
    for (const Edge& edge : edges_) {
        const Place &a = places_[std::size_t(edge.low)], &b = places_[std::size_t(edge.high)];
        sum += (a.first * b.second + a.second * b.first) / (a.count * b.count);
    }
    return sum;
}

}  // namespace bitsieve
