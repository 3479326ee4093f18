// What the instruction sets share: blocks of near points, and points on a line.
#include "samples/spanning_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace bitsieve {

namespace {

// With at most min(kDense * dims^2, kMaxDense) points blocks cost more than they spare. Measured when blocks were
// introduced; the tree does not depend on it.
constexpr std::int64_t kDense = 256;
constexpr std::int64_t kMaxDense = 4096;

// Where so many points are halved: between blocks, or between cells within a block.
std::int64_t middle_of(std::int64_t count, std::int64_t cell) {
    const std::int64_t unit = count > 8 * cell ? 8 * cell : cell;
    return (count + unit - 1) / unit / 2 * unit;
}

// Halves order[first, last), down to cells, across the dimension in which its points lie furthest apart.
void halve(const Points& points, std::int64_t cell, std::int32_t* first, std::int32_t* last) {
    if (last - first <= cell) return;
    const double* widest = nullptr;
    double width = -1.0;
    for (int k = 0; k < points.dims; ++k) {
        const double* x = points.coordinates.data() + k * points.count;
        const auto [low, high] =
            std::minmax_element(first, last, [x](std::int32_t i, std::int32_t j) { return x[i] < x[j]; });
        if (x[*high] - x[*low] > width) {
            width = x[*high] - x[*low];
            widest = x;
        }
    }
    std::int32_t* middle = first + middle_of(last - first, cell);
    std::nth_element(first, middle, last, [widest](std::int32_t i, std::int32_t j) { return widest[i] < widest[j]; });
    halve(points, cell, first, middle);
    halve(points, cell, middle, last);
}

// The indices 0 ... count - 1 by rising y - least y, to 12 significant bits: near enough for boxes.
std::vector<std::int32_t> roughly_sorted(const double* y, std::int64_t count) {
    constexpr int kBits = 10;
    const double least = *std::min_element(y, y + count);
    std::vector<std::uint32_t> key(static_cast<std::size_t>(count));
    std::vector<std::int32_t> order(key.size());
    std::vector<std::int32_t> next(key.size());
    for (std::int64_t i = 0; i < count; ++i) {  // the bits of floats that are not negative rise with them
        const float above = float(y[i] - least);
        std::memcpy(&key[std::size_t(i)], &above, sizeof above);
    }
    std::iota(order.begin(), order.end(), 0);
    for (int shift = 32 - 2 * kBits - 1; shift < 31; shift += kBits) {
        std::int32_t start[(1 << kBits) + 1] = {};
        const auto digit = [shift](std::uint32_t k) { return k >> shift & ((1 << kBits) - 1); };
        for (const std::uint32_t k : key) ++start[digit(k) + 1];
        for (int i = 0; i < 1 << kBits; ++i) start[i + 1] += start[i];
        for (const std::int32_t i : order) next[std::size_t(start[digit(key[std::size_t(i)])]++)] = i;
        order.swap(next);
    }
    return order;
}

// The same cut for points in a plane, given in the orders of both dimensions, which is much faster than finding
// medians.
struct PlaneCut {
    const double *x, *y;
    std::int64_t cell;
    std::vector<std::int32_t> place_in_y;  // of each point in the order by y; points come sorted by x
    std::vector<std::int32_t> aside;

    void operator()(std::int32_t* by_x, std::int32_t* by_y, std::int64_t count) {
        if (count <= cell) return;
        const std::int64_t middle = middle_of(count, cell);
        if (x[by_x[count - 1]] - x[by_x[0]] >= y[by_y[count - 1]] - y[by_y[0]]) {
            const std::int32_t at = by_x[middle];
            part(by_y, count, [at](std::int32_t i) { return i >= at; });
        } else {
            const std::int32_t* place = place_in_y.data();
            const std::int32_t at = place[by_y[middle]];
            part(by_x, count, [at, place](std::int32_t i) { return place[i] >= at; });
        }
        (*this)(by_x, by_y, middle);
        (*this)(by_x + middle, by_y + middle, count - middle);
    }

    template <class IsAbove>
    void part(std::int32_t* order, std::int64_t count, IsAbove is_above) {
        std::int64_t below = 0;
        std::int64_t above = 0;
        for (std::int64_t i = 0; i < count; ++i) {  // without branches: they could not be foreseen
            const std::int32_t point = order[i];
            const bool is = is_above(point);
            order[below] = aside[std::size_t(above)] = point;
            below += !is;
            above += is;
        }
        std::copy(aside.begin(), aside.begin() + above, order + below);
    }
};

}  // namespace

Blocks blocks_of(const Points& points) {
    Blocks blocks;
    // A step looks at every block, and at all points of the near ones: in many dimensions nearly every block is near.
    // The factors were fitted to measured times for 2 to 10 dimensions; the tree does not depend on them.
    const double d = points.dims;
    const double points_of_block = std::sqrt(double(points.count)) * std::min(0.4 * d * d, 24.0);
    blocks.cell = std::max<std::int64_t>(std::int64_t(points_of_block) / 64 * 8, 8);
    blocks.order.resize(std::size_t(points.count));
    std::iota(blocks.order.begin(), blocks.order.end(), 0);
    if (points.dims == 2) {
        const double* x = points.coordinates.data();
        const double* y = x + points.count;
        std::vector<std::int32_t> by_y = roughly_sorted(y, points.count);
        PlaneCut cut{x, y, blocks.cell, by_y, by_y};
        for (std::size_t i = 0; i < by_y.size(); ++i) cut.place_in_y[std::size_t(by_y[i])] = std::int32_t(i);
        cut(blocks.order.data(), by_y.data(), points.count);
    } else {
        halve(points, blocks.cell, blocks.order.data(), blocks.order.data() + points.count);
    }
    return blocks;
}

void spanning_tree(const TreeKernel& kernel, const Points& points, std::vector<Edge>& edges) {
    edges.resize(std::size_t(points.count > 0 ? points.count - 1 : 0));
    if (points.dims == 1) {  // sorted already
        for (std::int64_t i = 0; i + 1 < points.count; ++i) edges[std::size_t(i)] = {i, i + 1};
    } else if (points.count > 1) {
        const auto tree = points.dims == 2 ? kernel.plane : kernel.space;
        if (points.count <= std::min<std::int64_t>(kDense * points.dims * points.dims, kMaxDense)) {
            tree(points, nullptr, edges.data());
        } else {
            const Blocks blocks = blocks_of(points);
            tree(points, &blocks, edges.data());
        }
    }
}

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
                       std::vector<std::int64_t> last_sample, std::vector<double> in_first,
                       std::vector<double> in_second)
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
    merged_points_.clear();
    std::vector<std::int64_t>& representative = by_last_;  // not needed any more
    std::int64_t before = -1;
    for (const std::int64_t point : order_) {
        const std::size_t p = std::size_t(point);
        const std::size_t b = std::size_t(before);
        if (before < 0 || shared_rank_[p] != shared_rank_[b] || last_rank_[p] != last_rank_[b]) {
            representative[merged_points_.size()] = point;
            merged_points_.push_back({0.0, 0.0, 0.0});
        }
        MergedPoint& place = merged_points_.back();
        place.count += 1.0;
        place.first += in_first_[p];
        place.second += in_second_[p];
        before = point;
    }
    points_.count = std::int64_t(merged_points_.size());
    points_.dims = shared_.dims + last.dims;
    points_.coordinates.resize(merged_points_.size() * std::size_t(points_.dims));
    double* out = points_.coordinates.data();
    for (int k = 0; k < shared_.dims; ++k)
        for (std::size_t i = 0; i < merged_points_.size(); ++i)
            *out++ = shared_.values[k * shared_.count + shared_rank_[std::size_t(representative[i])]];
    for (int k = 0; k < last.dims; ++k)
        for (std::size_t i = 0; i < merged_points_.size(); ++i)
            *out++ = last.values[k * last.count + last_rank_[std::size_t(representative[i])]];
}

double CrossEdges::operator()(const Ranked& last) {
    merge(last);
    spanning_tree(kernel_, points_, edges_);
    double sum = 0.0;
    for (const MergedPoint& place : merged_points_) sum += 2.0 * place.first * place.second / place.count;
    for (const Edge& edge : edges_) {
        const MergedPoint& a = merged_points_[std::size_t(edge.low)];
        const MergedPoint& b = merged_points_[std::size_t(edge.high)];
        sum += (a.first * b.second + a.second * b.first) / (a.count * b.count);
    }
    return sum;
}

}  // namespace bitsieve
