// Prim's algorithm over F64x8, eight doubles of an instruction set, and its Mask.
//
// The points not yet in the tree lie in blocks of eight cells, all with bounding boxes. A new point of the tree is
// compared with the points of a block only when that matters: `bound` of a block is the least squared distance from its
// box to points of the tree that it was not compared with yet. While some bound is not above the shortest known edge,
// that block is brought up to date; then the shortest known edge is the shortest of all. In few dimensions a step
// therefore touches a few cells, in many all of them.

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kKey = double(kMaxPoints);  // an edge as one number: low * kKey + high

template <int kDims>
class Prim {
public:
    Prim(const Points& points, const Blocks& blocks)
        : dims_(kDims > 0 ? kDims : points.dims),
          n_points_(points.count),
          size_(blocks.cell),
          n_slots_(((points.count + 8 * size_ - 1) / (8 * size_) + 7) / 8 * 8),
          stride_((points.count + 7) / 8 * 8),
          x_(size(n_slots_ * 8 * size_ * dims_), kInfinity),
          best_(size(n_slots_ * 8 * size_), kInfinity),
          from_(best_.size(), -1.0),
          point_(best_.size(), 0.0),
          position_of_(size(n_points_)),
          n_left_(size(n_slots_ * 8), 0),
          cells_(n_slots_ * 8, dims_),
          blocks_(n_slots_, dims_),
          cell_edge_(size(n_slots_ * 8), kInfinity),
          bound_(size(n_slots_), kInfinity),
          n_seen_(size(n_slots_), 0),
          joined_(size(stride_ * dims_), kInfinity),
          joined_point_(size(n_points_)) {
        for (std::int64_t i = 0; i < n_points_; ++i) place(points, blocks.order[size(i)], i);
    }

    void run(Edge* edges) {
        join(position_of_[0]);
        while (n_joined_ < n_points_) {
            const double key = shortest(look_from_newest());
            const std::int64_t low = std::int64_t(key / kKey);
            const std::int64_t high = std::int64_t(key - double(low) * kKey);
            *edges++ = {low, high};
            join(position_of_[size(low)] >= 0 ? position_of_[size(low)] : position_of_[size(high)]);
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
              low(size(n * dims), kInfinity),
              high(low),
              shortest(size(n), kInfinity),
              longest(size(n), -1.0) {}

        void take_in(int k, std::int64_t i, double x) {
            double& l = low[size(k * count + i)];
            double& h = high[size(k * count + i)];
            h = l == kInfinity ? x : std::max(h, x);
            l = std::min(l, x);
        }
        void close(int dims, std::int64_t i) {
            for (int k = 0; k < dims; ++k) low[size(k * count + i)] = high[size(k * count + i)] = kInfinity;
            shortest[size(i)] = kInfinity;
            longest[size(i)] = -1.0;
        }
    };

    static std::size_t size(std::int64_t n) { return std::size_t(n); }
    int dims() const { return kDims > 0 ? kDims : dims_; }

    void place(const Points& points, std::int64_t point, std::int64_t at) {
        const std::int64_t cell = at / size_;
        const std::int64_t block = cell / 8;
        const std::int64_t lane = at % size_;
        for (int k = 0; k < dims(); ++k) {
            const double x = points.coordinates[size(k * n_points_ + point)];
            x_[size((cell * dims() + k) * size_ + lane)] = x;
            cells_.take_in(k, cell, x);
            blocks_.take_in(k, block, x);
        }
        point_[size(at)] = double(point);
        position_of_[size(point)] = at;
        ++n_left_[size(cell)];
        cells_.longest[size(cell)] = blocks_.longest[size(block)] = kInfinity;
    }

    // The point at this place moves to the tree, the last one of its cell into its place.
    void join(std::int64_t at) {
        const std::int64_t cell = at / size_;
        const std::int64_t start = cell * size_;
        const std::int64_t last = start + --n_left_[size(cell)];
        for (int k = 0; k < dims(); ++k) {
            double* x = &x_[size((cell * dims() + k) * size_)];
            joined_[size(k * stride_ + n_joined_)] = x[at - start];
            x[at - start] = x[last - start];
            x[last - start] = kInfinity;
        }
        const double point = joined_point_[size(n_joined_++)] = point_[size(at)];
        position_of_[size(std::int64_t(point_[size(last)]))] = at;
        position_of_[size(std::int64_t(point))] = -1;
        best_[size(at)] = best_[size(last)];
        from_[size(at)] = from_[size(last)];
        point_[size(at)] = point_[size(last)];
        best_[size(last)] = kInfinity;
        from_[size(last)] = -1.0;
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
            distance = F64x8::add(distance, square_outside(F64x8::broadcast(joined_[size(k * stride_ + joined)]),
                                                           F64x8::load(&boxes.low[size(k * boxes.count + first)]),
                                                           F64x8::load(&boxes.high[size(k * boxes.count + first)])));
        return distance;
    }

    // Squared distances from the box of a block to eight points of the tree.
    F64x8 to_joined(std::int64_t block, std::int64_t first) const {
        F64x8 distance = F64x8::broadcast(0.0);
        for (int k = 0; k < dims(); ++k)
            distance = F64x8::add(distance, square_outside(F64x8::load(&joined_[size(k * stride_ + first)]),
                                                           F64x8::broadcast(blocks_.low[size(k * n_slots_ + block)]),
                                                           F64x8::broadcast(blocks_.high[size(k * n_slots_ + block)])));
        return distance;
    }

    // Lowers the bounds by the newest point of the tree; the least of all bounds and known edges.
    double look_from_newest() {
        F64x8 least = F64x8::broadcast(kInfinity);
        for (std::int64_t b = 0; b < n_slots_; b += 8) {
            const F64x8 bound = F64x8::min(F64x8::load(&bound_[size(b)]), to_boxes(n_joined_ - 1, blocks_, b));
            bound.store(&bound_[size(b)]);
            least = F64x8::min(least, F64x8::min(bound, F64x8::load(&blocks_.shortest[size(b)])));
        }
        return least.least();
    }

    // The key of the shortest edge from the tree, given the least of bounds and known edges.
    double shortest(double least) {
        for (;;) {
            const F64x8 limit = F64x8::broadcast(least);
            bool any_updated = false;
            for (std::int64_t b = 0; b < n_slots_; b += 8)
                for (unsigned bits = F64x8::less_equal(F64x8::load(&bound_[size(b)]), limit).bits(); bits;
                     bits &= bits - 1) {
                    update_block(b + __builtin_ctz(bits));
                    any_updated = true;
                }
            if (!any_updated) break;
            F64x8 next = F64x8::broadcast(kInfinity);
            for (std::int64_t b = 0; b < n_slots_; b += 8)
                next = F64x8::min(next,
                                  F64x8::min(F64x8::load(&bound_[size(b)]), F64x8::load(&blocks_.shortest[size(b)])));
            least = next.least();
        }
        const F64x8 target = F64x8::broadcast(least);
        F64x8 key = F64x8::broadcast(kInfinity);
        for (std::int64_t b = 0; b < n_slots_; b += 8)
            for (unsigned bits = F64x8::equal(F64x8::load(&blocks_.shortest[size(b)]), target).bits(); bits;
                 bits &= bits - 1) {
                const std::int64_t cell = (b + __builtin_ctz(bits)) * 8;
                key = F64x8::min(key, F64x8::select(F64x8::equal(F64x8::load(&cells_.shortest[size(cell)]), target),
                                                    F64x8::load(&cell_edge_[size(cell)]), F64x8::broadcast(kInfinity)));
            }
        return key.least();
    }

    // Compares a block with the points that joined since it was last compared, as far as they can be nearest to one of
    // its own.
    void update_block(std::int64_t block) {
        std::int64_t& n_seen = n_seen_[size(block)];
        unsigned touched = 0;
        if (n_seen == 0) {  // the nearest one first: then most others are too far
            touched = approach(block, nearest(block));
            sum_up(block, touched);
        }
        touched = 0;
        const F64x8 reach = F64x8::broadcast(blocks_.longest[size(block)]);
        for (std::int64_t first = n_seen / 8 * 8; first < n_joined_; first += 8) {
            unsigned bits = F64x8::less_equal(to_joined(block, first), reach).bits();
            if (first < n_seen) bits = bits >> (n_seen - first) << (n_seen - first);
            for (; bits; bits &= bits - 1) touched |= approach(block, first + __builtin_ctz(bits));
        }
        n_seen = n_joined_;
        bound_[size(block)] = kInfinity;
        sum_up(block, touched);
    }

    std::int64_t nearest(std::int64_t block) const {
        F64x8 least = F64x8::broadcast(kInfinity);
        for (std::int64_t first = 0; first < n_joined_; first += 8) least = F64x8::min(least, to_joined(block, first));
        const F64x8 level = F64x8::broadcast(least.least());
        for (std::int64_t first = 0;; first += 8)
            if (const unsigned bits = F64x8::equal(to_joined(block, first), level).bits())
                return first + __builtin_ctz(bits);
    }

    // Takes a point of the tree into account; which cells of the block it may matter to.
    unsigned approach(std::int64_t block, std::int64_t joined) {
        const unsigned touched =
            F64x8::less_equal(to_boxes(joined, cells_, block * 8), F64x8::load(&cells_.longest[size(block * 8)]))
                .bits();
        const F64x8 u = F64x8::broadcast(joined_point_[size(joined)]);
        for (unsigned bits = touched; bits; bits &= bits - 1) {
            const std::int64_t cell = block * 8 + __builtin_ctz(bits);
            const std::int64_t start = cell * size_;
            const double* x = &x_[size(start * dims())];
            for (std::int64_t lane = 0; lane < n_left_[size(cell)]; lane += 8) {
                F64x8 distance = F64x8::broadcast(0.0);
                for (int k = 0; k < dims(); ++k) {
                    const F64x8 from = F64x8::broadcast(joined_[size(k * stride_ + joined)]);
                    const F64x8 side = F64x8::subtract(F64x8::load(x + k * size_ + lane), from);
                    distance = F64x8::add(distance, F64x8::multiply(side, side));
                }
                const F64x8 best = F64x8::load(&best_[size(start + lane)]);
                const F64x8 from = F64x8::load(&from_[size(start + lane)]);
                const Mask level = Mask::both(F64x8::equal(distance, best), F64x8::less(u, from));
                const Mask nearer = Mask::any(F64x8::less(distance, best), level);
                F64x8::select(nearer, distance, best).store(&best_[size(start + lane)]);
                F64x8::select(nearer, u, from).store(&from_[size(start + lane)]);
            }
        }
        return touched;
    }

    // Brings up to date what is known of the touched cells of a block, and of the block.
    void sum_up(std::int64_t block, unsigned touched) {
        if (touched == 0) return;
        for (; touched; touched &= touched - 1) sum_up_cell(block * 8 + __builtin_ctz(touched));
        blocks_.shortest[size(block)] = F64x8::load(&cells_.shortest[size(block * 8)]).least();
        blocks_.longest[size(block)] = F64x8::load(&cells_.longest[size(block * 8)]).greatest();
        if (blocks_.longest[size(block)] < 0.0) blocks_.close(dims(), block);
    }

    void sum_up_cell(std::int64_t cell) {
        const std::int64_t left = n_left_[size(cell)];
        const std::int64_t start = cell * size_;
        if (left == 0) return cells_.close(dims(), cell);
        F64x8 least = F64x8::broadcast(kInfinity);
        F64x8 greatest = F64x8::broadcast(0.0);
        for (std::int64_t lane = 0; lane < left; lane += 8) {
            const F64x8 best = F64x8::load(&best_[size(start + lane)]);
            least = F64x8::min(least, best);
            greatest = F64x8::max(
                greatest, F64x8::select(F64x8::less(best, F64x8::broadcast(kInfinity)), best, F64x8::broadcast(0.0)));
        }
        const F64x8 shortest = F64x8::broadcast(cells_.shortest[size(cell)] = least.least());
        cells_.longest[size(cell)] = greatest.greatest();
        F64x8 edge = F64x8::broadcast(kInfinity);
        for (std::int64_t lane = 0; lane < left; lane += 8) {
            const F64x8 from = F64x8::load(&from_[size(start + lane)]);
            const F64x8 point = F64x8::load(&point_[size(start + lane)]);
            const F64x8 key =
                F64x8::add(F64x8::multiply(F64x8::min(from, point), F64x8::broadcast(kKey)), F64x8::max(from, point));
            const Mask level = F64x8::equal(F64x8::load(&best_[size(start + lane)]), shortest);
            edge = F64x8::min(edge, F64x8::select(level, key, F64x8::broadcast(kInfinity)));
        }
        cell_edge_[size(cell)] = edge.least();
    }

    int dims_;
    std::int64_t n_points_, size_, n_slots_, stride_;  // a cell has room for `size` points; a slot is eight cells
    std::vector<double> x_;                            // of the points left: [(cell * dims + dimension) * size + lane]
    std::vector<double> best_, from_;        // the shortest known edge of each to the tree: squared length, and whence
    std::vector<double> point_;              // which point it is
    std::vector<std::int64_t> position_of_;  // where a point is, -1 if in the tree
    std::vector<std::int64_t> n_left_;       // how many points a cell has left
    Boxes cells_, blocks_;
    std::vector<double> cell_edge_;     // the key of the shortest known edge of a cell, lowest of equally long ones
    std::vector<double> bound_;         // see above
    std::vector<std::int64_t> n_seen_;  // how many points of the tree a block was compared with
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
        for (std::int64_t at = 0; n_left_ > 1;) {
            join(at);
            at = position_of(look_from_newest());
            const double u = from()[at];
            const double v = point()[at];
            *edges++ = {std::int64_t(std::min(u, v)), std::int64_t(std::max(u, v))};
        }
    }

private:
    static constexpr std::int64_t kPointsPerWord = 64;  // points, a bit each

    int dims() const { return kDims > 0 ? kDims : dims_; }
    double* best() { return numbers_.data(); }     // of each point left, the shortest edge to the tree: squared length,
    double* from() { return best() + stride_; }    // and whence
    double* point() { return from() + stride_; }   // which point it is
    double* least() { return point() + stride_; }  // of a block and lane: the least of `best`
    double* x(int k) { return least() + stride_ * (k + 1); }
    double* newest() { return x(dims()); }  // of the point that joined last: its coordinates

    void join(std::int64_t at) {
        const std::int64_t last = --n_left_;
        for (int k = 0; k < dims(); ++k) {
            newest()[k] = x(k)[at];
            x(k)[at] = x(k)[last];
            x(k)[last] = kInfinity;
        }
        newest_point_ = point()[at];
        point()[at] = point()[last];
        best()[at] = best()[last];
        from()[at] = from()[last];
        best()[last] = kInfinity;
    }

    // Takes the newest point of the tree into account; the least squared length of an edge from the tree.
    double look_from_newest() {
        const F64x8 infinity = F64x8::broadcast(kInfinity);
        const F64x8 u = F64x8::broadcast(newest_point_);
        const std::int64_t stride = stride_;
        const std::int64_t left = n_left_;  // copies: stores to the arrays would have members read again
        const double* const coordinates = x(0);
        const double* const joined = newest();
        double* const bests = best();
        double* const origins = from();
        double* const leasts = least();
        F64x8 shortest = infinity;
        for (std::int64_t start = 0; start < left; start += kPointsPerWord) {
            F64x8 of_block = infinity;
            for (std::int64_t i = start, end = std::min(start + kPointsPerWord, left); i < end; i += 8) {
                F64x8 distance = F64x8::broadcast(0.0);
                for (int k = 0; k < dims(); ++k) {
                    const F64x8 side =
                        F64x8::subtract(F64x8::load(coordinates + k * stride + i), F64x8::broadcast(joined[k]));
                    distance = F64x8::add(distance, F64x8::multiply(side, side));
                }
                const F64x8 before = F64x8::load(bests + i);
                const F64x8 origin = F64x8::load(origins + i);
                const Mask level = Mask::both(F64x8::equal(distance, before), F64x8::less(u, origin));
                const F64x8 now = F64x8::min(distance, before);
                F64x8::select(Mask::any(F64x8::less(distance, before), level), u, origin).store(origins + i);
                now.store(bests + i);
                of_block = F64x8::min(of_block, now);
            }
            of_block.store(leasts + start / 8);
            shortest = F64x8::min(shortest, of_block);
        }
        return shortest.least();
    }

    // Where the first of the edges of this squared length is.
    std::int64_t position_of(double length) {
        const F64x8 target = F64x8::broadcast(length);
        std::int64_t place = -1;
        for (std::int64_t start = 0; start < n_left_; start += kPointsPerWord) {
            if (F64x8::equal(F64x8::load(least() + start / 8), target).bits() == 0) continue;
            std::uint64_t bits = 0;
            for (std::int64_t i = start; i < std::min(start + kPointsPerWord, n_left_); i += 8)
                bits |= std::uint64_t(F64x8::equal(F64x8::load(best() + i), target).bits()) << (i - start);
            for (; bits; bits &= bits - 1) {
                const std::int64_t i = start + __builtin_ctzll(bits);
                if (place < 0 || key(i) < key(place)) place = i;
            }
        }
        return place;
    }

    double key(std::int64_t i) {
        const double u = from()[i];
        const double v = point()[i];
        return std::min(u, v) * kKey + std::max(u, v);
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
