// Prim's algorithm over F64x8, eight doubles of an instruction set, and its Mask.
//
// The points not yet in the tree lie in blocks of eight cells, all with bounding boxes. A new point of the tree is
// compared with the points of a block only when that matters: `bound` of a block is the least squared distance from its
// box to points of the tree that it was not compared with yet. While some bound is not above the shortest known edge,
// that block is brought up to date; then the shortest known edge is the shortest of all. In few dimensions a step
// therefore touches a few cells, in many all of them.

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kKeyBase = double(kMaxPoints);  // an edge as one number: low * kKeyBase + high

template <int kDims>
class Prim {
public:
    Prim(const Points& points, const Blocks& blocks)
        : dims_(kDims > 0 ? kDims : points.dims),
          n_points_(points.count),
          cell_capacity_(blocks.cell),
          n_blocks_(((points.count + 8 * cell_capacity_ - 1) / (8 * cell_capacity_) + 7) / 8 * 8),
          stride_((points.count + 7) / 8 * 8),
          coordinates_(to_size(n_blocks_ * 8 * cell_capacity_ * dims_), kInfinity),
          edge_length_(to_size(n_blocks_ * 8 * cell_capacity_), kInfinity),
          edge_origin_(edge_length_.size(), -1.0),
          point_(edge_length_.size(), 0.0),
          position_of_(to_size(n_points_)),
          n_left_(to_size(n_blocks_ * 8), 0),
          cells_(n_blocks_ * 8, dims_),
          blocks_(n_blocks_, dims_),
          cell_edge_(to_size(n_blocks_ * 8), kInfinity),
          bound_(to_size(n_blocks_), kInfinity),
          n_compared_(to_size(n_blocks_), 0),
          joined_(to_size(stride_ * dims_), kInfinity),
          joined_point_(to_size(n_points_)) {
        for (std::int64_t i = 0; i < n_points_; ++i) insert(points, blocks.order[to_size(i)], i);
    }

    void run(Edge* edges) {
        join(position_of_[0]);
        while (n_joined_ < n_points_) {
            const double key = shortest(update_bounds());
            const std::int64_t low = std::int64_t(key / kKeyBase);
            const std::int64_t high = std::int64_t(key - double(low) * kKeyBase);
            *edges++ = {low, high};
            join(position_of_[to_size(low)] >= 0 ? position_of_[to_size(low)] : position_of_[to_size(high)]);
        }
    }

private:
    // Of cells or blocks: their boxes, [dimension * count + i], and of the known edges from the tree to their points
    // the squared lengths of the shortest and of the longest.
    struct Boxes {
        std::int64_t count;
        std::vector<double> low, high, shortest, longest;

        Boxes(std::int64_t n, int dims)
            : count(n),
              low(to_size(n * dims), kInfinity),
              high(low),
              shortest(to_size(n), kInfinity),
              longest(to_size(n), -1.0) {}

        void extend(int k, std::int64_t i, double x) {
            double& l = low[to_size(k * count + i)];
            double& h = high[to_size(k * count + i)];
            h = l == kInfinity ? x : std::max(h, x);
            l = std::min(l, x);
        }
        void clear(int dims, std::int64_t i) {
            for (int k = 0; k < dims; ++k) low[to_size(k * count + i)] = high[to_size(k * count + i)] = kInfinity;
            shortest[to_size(i)] = kInfinity;
            longest[to_size(i)] = -1.0;
        }
    };

    static std::size_t to_size(std::int64_t n) { return std::size_t(n); }
    int dims() const { return kDims > 0 ? kDims : dims_; }

    void insert(const Points& points, std::int64_t point, std::int64_t position) {
        const std::int64_t cell = position / cell_capacity_;
        const std::int64_t block = cell / 8;
        const std::int64_t lane = position % cell_capacity_;
        for (int k = 0; k < dims(); ++k) {
            const double x = points.coordinates[to_size(k * n_points_ + point)];
            coordinates_[to_size((cell * dims() + k) * cell_capacity_ + lane)] = x;
            cells_.extend(k, cell, x);
            blocks_.extend(k, block, x);
        }
        point_[to_size(position)] = double(point);
        position_of_[to_size(point)] = position;
        ++n_left_[to_size(cell)];
        cells_.longest[to_size(cell)] = blocks_.longest[to_size(block)] = kInfinity;
    }

    // Moves the point at a position to the tree, and the last one of its cell to that position.
    void join(std::int64_t position) {
        const std::int64_t cell = position / cell_capacity_;
        const std::int64_t start = cell * cell_capacity_;
        const std::int64_t last = start + --n_left_[to_size(cell)];
        for (int k = 0; k < dims(); ++k) {
            double* x = &coordinates_[to_size((cell * dims() + k) * cell_capacity_)];
            joined_[to_size(k * stride_ + n_joined_)] = x[position - start];
            x[position - start] = x[last - start];
            x[last - start] = kInfinity;
        }
        const double point = joined_point_[to_size(n_joined_++)] = point_[to_size(position)];
        position_of_[to_size(std::int64_t(point_[to_size(last)]))] = position;
        position_of_[to_size(std::int64_t(point))] = -1;
        edge_length_[to_size(position)] = edge_length_[to_size(last)];
        edge_origin_[to_size(position)] = edge_origin_[to_size(last)];
        point_[to_size(position)] = point_[to_size(last)];
        edge_length_[to_size(last)] = kInfinity;
        edge_origin_[to_size(last)] = -1.0;
    }

    static F64x8 square_outside(F64x8 x, F64x8 low, F64x8 high) {
        const F64x8 outside =
            F64x8::max(F64x8::max(F64x8::subtract(low, x), F64x8::subtract(x, high)), F64x8::broadcast(0.0));
        return F64x8::multiply(outside, outside);
    }

    // Squared distances from a point of the tree to eight boxes.
    F64x8 to_boxes(std::int64_t joined, const Boxes& boxes, std::int64_t first) const {
        F64x8 distance = F64x8::broadcast(0.0);
        for (int k = 0; k < dims(); ++k)
            distance = F64x8::add(distance, square_outside(F64x8::broadcast(joined_[to_size(k * stride_ + joined)]),
                                                           F64x8::load(&boxes.low[to_size(k * boxes.count + first)]),
                                                           F64x8::load(&boxes.high[to_size(k * boxes.count + first)])));
        return distance;
    }

    // Squared distances from the box of a block to eight points of the tree.
    F64x8 to_joined(std::int64_t block, std::int64_t first) const {
        F64x8 distance = F64x8::broadcast(0.0);
        for (int k = 0; k < dims(); ++k)
            distance =
                F64x8::add(distance, square_outside(F64x8::load(&joined_[to_size(k * stride_ + first)]),
                                                    F64x8::broadcast(blocks_.low[to_size(k * n_blocks_ + block)]),
                                                    F64x8::broadcast(blocks_.high[to_size(k * n_blocks_ + block)])));
        return distance;
    }

    // Lowers the bounds by the newest point of the tree. Returns the least of all bounds and known edges.
    double update_bounds() {
        F64x8 least = F64x8::broadcast(kInfinity);
        for (std::int64_t b = 0; b < n_blocks_; b += 8) {
            const F64x8 bound = F64x8::min(F64x8::load(&bound_[to_size(b)]), to_boxes(n_joined_ - 1, blocks_, b));
            bound.store(&bound_[to_size(b)]);
            least = F64x8::min(least, F64x8::min(bound, F64x8::load(&blocks_.shortest[to_size(b)])));
        }
        return least.least();
    }

    // The key of the shortest edge from the tree, given the least of bounds and known edges.
    double shortest(double least) {
        for (;;) {
            const F64x8 limit = F64x8::broadcast(least);
            bool any_updated = false;
            for (std::int64_t b = 0; b < n_blocks_; b += 8)
                for (unsigned bits = F64x8::less_equal(F64x8::load(&bound_[to_size(b)]), limit).bits(); bits;
                     bits &= bits - 1) {
                    update_block(b + __builtin_ctz(bits));
                    any_updated = true;
                }
            if (!any_updated) break;
            F64x8 next = F64x8::broadcast(kInfinity);
            for (std::int64_t b = 0; b < n_blocks_; b += 8)
                next = F64x8::min(
                    next, F64x8::min(F64x8::load(&bound_[to_size(b)]), F64x8::load(&blocks_.shortest[to_size(b)])));
            least = next.least();
        }
        const F64x8 target = F64x8::broadcast(least);
        F64x8 key = F64x8::broadcast(kInfinity);
        for (std::int64_t b = 0; b < n_blocks_; b += 8)
            for (unsigned bits = F64x8::equal(F64x8::load(&blocks_.shortest[to_size(b)]), target).bits(); bits;
                 bits &= bits - 1) {
                const std::int64_t cell = (b + __builtin_ctz(bits)) * 8;
                key = F64x8::min(key,
                                 F64x8::select(F64x8::equal(F64x8::load(&cells_.shortest[to_size(cell)]), target),
                                               F64x8::load(&cell_edge_[to_size(cell)]), F64x8::broadcast(kInfinity)));
            }
        return key.least();
    }

    // Compares a block with the points that joined since it was last compared, as far as they can be nearest to one of
    // its own.
    void update_block(std::int64_t block) {
        std::int64_t& n_compared = n_compared_[to_size(block)];
        unsigned touched = 0;
        if (n_compared == 0) {  // the nearest one first: then most others are too far
            touched = compare(block, nearest(block));
            update_summary(block, touched);
        }
        touched = 0;
        const F64x8 reach = F64x8::broadcast(blocks_.longest[to_size(block)]);
        for (std::int64_t first = n_compared / 8 * 8; first < n_joined_; first += 8) {
            unsigned bits = F64x8::less_equal(to_joined(block, first), reach).bits();
            if (first < n_compared) bits = bits >> (n_compared - first) << (n_compared - first);
            for (; bits; bits &= bits - 1) touched |= compare(block, first + __builtin_ctz(bits));
        }
        n_compared = n_joined_;
        bound_[to_size(block)] = kInfinity;
        update_summary(block, touched);
    }

    std::int64_t nearest(std::int64_t block) const {
        F64x8 least = F64x8::broadcast(kInfinity);
        for (std::int64_t first = 0; first < n_joined_; first += 8) least = F64x8::min(least, to_joined(block, first));
        const F64x8 smallest = F64x8::broadcast(least.least());
        for (std::int64_t first = 0;; first += 8)
            if (const unsigned bits = F64x8::equal(to_joined(block, first), smallest).bits())
                return first + __builtin_ctz(bits);
    }

    // Compares a point of the tree with a block. Returns the cells in which it may be the nearest to a point, a bit each.
    unsigned compare(std::int64_t block, std::int64_t joined) {
        const unsigned touched =
            F64x8::less_equal(to_boxes(joined, cells_, block * 8), F64x8::load(&cells_.longest[to_size(block * 8)]))
                .bits();
        const F64x8 u = F64x8::broadcast(joined_point_[to_size(joined)]);
        for (unsigned bits = touched; bits; bits &= bits - 1) {
            const std::int64_t cell = block * 8 + __builtin_ctz(bits);
            const std::int64_t start = cell * cell_capacity_;
            const double* x = &coordinates_[to_size(start * dims())];
            for (std::int64_t lane = 0; lane < n_left_[to_size(cell)]; lane += 8) {
                F64x8 distance = F64x8::broadcast(0.0);
                for (int k = 0; k < dims(); ++k) {
                    const F64x8 from = F64x8::broadcast(joined_[to_size(k * stride_ + joined)]);
                    const F64x8 side = F64x8::subtract(F64x8::load(x + k * cell_capacity_ + lane), from);
                    distance = F64x8::add(distance, F64x8::multiply(side, side));
                }
                const F64x8 best = F64x8::load(&edge_length_[to_size(start + lane)]);
                const F64x8 from = F64x8::load(&edge_origin_[to_size(start + lane)]);
                const Mask is_tied = Mask::both(F64x8::equal(distance, best), F64x8::less(u, from));
                const Mask is_nearer = Mask::any(F64x8::less(distance, best), is_tied);
                F64x8::select(is_nearer, distance, best).store(&edge_length_[to_size(start + lane)]);
                F64x8::select(is_nearer, u, from).store(&edge_origin_[to_size(start + lane)]);
            }
        }
        return touched;
    }

    // Computes the shortest and the longest edges of the touched cells of a block anew, and of the block.
    void update_summary(std::int64_t block, unsigned touched) {
        if (touched == 0) return;
        for (; touched; touched &= touched - 1) update_cell_summary(block * 8 + __builtin_ctz(touched));
        blocks_.shortest[to_size(block)] = F64x8::load(&cells_.shortest[to_size(block * 8)]).least();
        blocks_.longest[to_size(block)] = F64x8::load(&cells_.longest[to_size(block * 8)]).greatest();
        if (blocks_.longest[to_size(block)] < 0.0) blocks_.clear(dims(), block);
    }

    void update_cell_summary(std::int64_t cell) {
        const std::int64_t left = n_left_[to_size(cell)];
        const std::int64_t start = cell * cell_capacity_;
        if (left == 0) return cells_.clear(dims(), cell);
        F64x8 least = F64x8::broadcast(kInfinity);
        F64x8 greatest = F64x8::broadcast(0.0);
        for (std::int64_t lane = 0; lane < left; lane += 8) {
            const F64x8 best = F64x8::load(&edge_length_[to_size(start + lane)]);
            least = F64x8::min(least, best);
            greatest = F64x8::max(
                greatest, F64x8::select(F64x8::less(best, F64x8::broadcast(kInfinity)), best, F64x8::broadcast(0.0)));
        }
        const F64x8 shortest = F64x8::broadcast(cells_.shortest[to_size(cell)] = least.least());
        cells_.longest[to_size(cell)] = greatest.greatest();
        F64x8 edge = F64x8::broadcast(kInfinity);
        for (std::int64_t lane = 0; lane < left; lane += 8) {
            const F64x8 from = F64x8::load(&edge_origin_[to_size(start + lane)]);
            const F64x8 point = F64x8::load(&point_[to_size(start + lane)]);
            const F64x8 key = F64x8::add(F64x8::multiply(F64x8::min(from, point), F64x8::broadcast(kKeyBase)),
                                         F64x8::max(from, point));
            const Mask is_shortest = F64x8::equal(F64x8::load(&edge_length_[to_size(start + lane)]), shortest);
            edge = F64x8::min(edge, F64x8::select(is_shortest, key, F64x8::broadcast(kInfinity)));
        }
        cell_edge_[to_size(cell)] = edge.least();
    }

    int dims_;
    std::int64_t n_points_, cell_capacity_, n_blocks_,
        stride_;                       // a block is eight cells; the number of blocks is rounded up to eight
    std::vector<double> coordinates_;  // of the points left: [(cell * dims + dimension) * capacity + lane]
    std::vector<double> edge_length_,
        edge_origin_;  // the shortest known edge of each point left: squared length, and its point in the tree
    std::vector<double> point_;              // which point it is
    std::vector<std::int64_t> position_of_;  // where a point is, -1 if in the tree
    std::vector<std::int64_t> n_left_;       // how many points a cell has left
    Boxes cells_, blocks_;
    std::vector<double> cell_edge_;         // the key of the shortest known edge of a cell, lowest of equally long ones
    std::vector<double> bound_;             // see above
    std::vector<std::int64_t> n_compared_;  // how many points of the tree a block was compared with
    std::int64_t n_joined_ = 0;
    std::vector<double> joined_, joined_point_;  // the tree: [dimension * stride + order of joining]
};

// The same tree by a look at all points left in every step, which is quicker while they are few. They lie without gaps:
// the last one takes the place of one that joins the tree.
template <int kDims>
class DensePrim {
public:
    explicit DensePrim(const Points& points)
        : dims_(kDims > 0 ? kDims : points.dims),
          n_left_(points.count),
          stride_((n_left_ + 7) / 8 * 8),
          numbers_(std::size_t(stride_ * (dims() + 4) + dims()), kInfinity) {
        for (std::int64_t i = 0; i < n_left_; ++i) point()[i] = double(i);
        for (int k = 0; k < dims(); ++k) std::copy_n(&points.coordinates[std::size_t(k * n_left_)], n_left_, x(k));
    }

    void run(Edge* edges) {
        for (std::int64_t position = 0; n_left_ > 1;) {
            join(position);
            position = position_of(update_edges());
            const double u = edge_origin()[position];
            const double v = point()[position];
            *edges++ = {std::int64_t(std::min(u, v)), std::int64_t(std::max(u, v))};
        }
    }

private:
    static constexpr std::int64_t kPointsPerWord = 64;  // points, a bit each

    int dims() const { return kDims > 0 ? kDims : dims_; }
    double* edge_length() { return numbers_.data(); }          // of each point left, the shortest edge: squared length,
    double* edge_origin() { return edge_length() + stride_; }  // and its point in the tree
    double* point() { return edge_origin() + stride_; }        // which point it is
    double* least() { return point() + stride_; }              // of a block and lane: the least of `edge_length`
    double* x(int k) { return least() + stride_ * (k + 1); }
    double* newest() { return x(dims()); }  // of the point that joined last: its coordinates

    void join(std::int64_t position) {
        const std::int64_t last = --n_left_;
        for (int k = 0; k < dims(); ++k) {
            newest()[k] = x(k)[position];
            x(k)[position] = x(k)[last];
            x(k)[last] = kInfinity;
        }
        newest_point_ = point()[position];
        point()[position] = point()[last];
        edge_length()[position] = edge_length()[last];
        edge_origin()[position] = edge_origin()[last];
        edge_length()[last] = kInfinity;
    }

    // Takes the newest point of the tree into account; the least squared length of an edge from the tree.
    double update_edges() {
        const F64x8 infinity = F64x8::broadcast(kInfinity);
        const F64x8 u = F64x8::broadcast(newest_point_);
        const std::int64_t stride = stride_;
        const std::int64_t left = n_left_;  // copies: stores to the arrays would have members read again
        const double* const coordinates = x(0);
        const double* const joined = newest();
        double* const lengths = edge_length();
        double* const origins = edge_origin();
        double* const leasts = least();
        F64x8 shortest = infinity;
        for (std::int64_t start = 0; start < left; start += kPointsPerWord) {
            F64x8 block_shortest = infinity;
            for (std::int64_t i = start, end = std::min(start + kPointsPerWord, left); i < end; i += 8) {
                F64x8 distance = F64x8::broadcast(0.0);
                for (int k = 0; k < dims(); ++k) {
                    const F64x8 side =
                        F64x8::subtract(F64x8::load(coordinates + k * stride + i), F64x8::broadcast(joined[k]));
                    distance = F64x8::add(distance, F64x8::multiply(side, side));
                }
                const F64x8 before = F64x8::load(lengths + i);
                const F64x8 origin = F64x8::load(origins + i);
                const Mask is_tied = Mask::both(F64x8::equal(distance, before), F64x8::less(u, origin));
                const F64x8 now = F64x8::min(distance, before);
                F64x8::select(Mask::any(F64x8::less(distance, before), is_tied), u, origin).store(origins + i);
                now.store(lengths + i);
                block_shortest = F64x8::min(block_shortest, now);
            }
            block_shortest.store(leasts + start / 8);
            shortest = F64x8::min(shortest, block_shortest);
        }
        return shortest.least();
    }

    // Where the first of the edges of this squared length is.
    std::int64_t position_of(double length) {
        const F64x8 target = F64x8::broadcast(length);
        std::int64_t first_position = -1;
        for (std::int64_t start = 0; start < n_left_; start += kPointsPerWord) {
            if (F64x8::equal(F64x8::load(least() + start / 8), target).bits() == 0) continue;
            std::uint64_t bits = 0;
            for (std::int64_t i = start; i < std::min(start + kPointsPerWord, n_left_); i += 8)
                bits |= std::uint64_t(F64x8::equal(F64x8::load(edge_length() + i), target).bits()) << (i - start);
            for (; bits; bits &= bits - 1) {
                const std::int64_t i = start + __builtin_ctzll(bits);
                if (first_position < 0 || key(i) < key(first_position)) first_position = i;
            }
        }
        return first_position;
    }

    double key(std::int64_t i) {
        const double u = edge_origin()[i];
        const double v = point()[i];
        return std::min(u, v) * kKeyBase + std::max(u, v);
    }

    int dims_;
    std::int64_t n_left_, stride_;
    std::vector<double> numbers_;
    double newest_point_ = 0.0;
};

template <int kDims>
void prim(const Points& points, const Blocks* blocks, Edge* edges) {
    if (blocks)
        Prim<kDims>(points, *blocks).run(edges);
    else
        DensePrim<kDims>(points).run(edges);
}
