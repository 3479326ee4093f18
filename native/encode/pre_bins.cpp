#include "encode/pre_bins.hpp"

#include <algorithm>
#include <limits>

#include "encode/cuts.hpp"
#include "encode/hull.hpp"

namespace bitsieve {
namespace {

constexpr std::int64_t kBlockRows = 64;

// Successive rows. A number has all its rows in one block.
struct Block {
    std::int64_t end = 0;                    // the row after the last
    std::int64_t n_distinct = 0;             // numbers of the block
    std::int64_t events = 0, nonevents = 0;  // samples up to its end
};

struct WeightOne {
    std::int64_t operator[](std::int64_t) const { return 1; }
};

// The events among the samples of a row: all or none. Without a branch, as classes follow each other at random.
inline std::int64_t events_of(std::uint64_t key, std::int64_t weight) {
    return weight & -std::int64_t(is_event_of(key));
}

// The block behind another one; the first block is behind an empty one.
template <class Weights>
Block next_block(const SortedPiece& piece, const Weights& weights, const Block& previous) {
    const std::int64_t first = previous.end;
    std::int64_t end = std::min(first + kBlockRows, piece.n);
    while (end < piece.n && is_same_number(piece.keys[end - 1], piece.keys[end])) ++end;
    std::int64_t n_samples = 0;
    std::int64_t n_events = 0;
    for (std::int64_t i = first; i < end; ++i) {
        n_samples += weights[i];
        n_events += events_of(piece.keys[i], weights[i]);
    }
    std::int64_t n_distinct = 1;
    for (std::int64_t i = first + 1; i < end; ++i) n_distinct += !is_same_number(piece.keys[i - 1], piece.keys[i]);
    return {end, n_distinct, previous.events + n_events, previous.nonevents + n_samples - n_events};
}

template <class Weights>
std::vector<Block> blocks_of(const SortedPiece& piece, const Weights& weights) {
    std::vector<Block> blocks;
    blocks.reserve(std::size_t(piece.n / kBlockRows + 1));
    Block block;
    while (block.end < piece.n) {
        block = next_block(piece, weights, block);
        blocks.push_back(block);
    }
    return blocks;
}

// The hull of the ends of all blocks. A vertex of the hull of all numbers lies on it, or on the outer side of it.
// Blocks are asked for in their order.
class BlockHull {
public:
    BlockHull(const std::vector<Block>& blocks, bool rising) : rising_(rising), hull_(rising) {
        for (const Block& block : blocks) hull_.append(block);
        begin_edge();
    }

    // Whether a vertex may lie in a block: whether its outermost corner reaches the hull. On the way through the block,
    // events and nonevents rise from those of the previous block to its own.
    bool may_have_vertex(const Block& block, const Block& previous) {
        while (hull_.vertices()[edge_ + 1].end < block.end) {
            ++edge_;
            begin_edge();
        }
        return rising_ ? reaches(previous.events, block.nonevents) : reaches(block.events, previous.nonevents);
    }

    // Whether a point in the block that was asked for last is on the edge of the hull there, or on its outer side.
    bool reaches(std::int64_t events, std::int64_t nonevents) const {
        const Block& from = hull_.vertices()[edge_];
        const __int128 first = __int128(events - from.events) * edge_nonevents_;
        const __int128 second = __int128(nonevents - from.nonevents) * edge_events_;
        return rising_ ? first <= second : first >= second;
    }

private:
    void begin_edge() {
        const Block& from = hull_.vertices()[edge_];
        const Block& to = hull_.vertices()[edge_ + 1];
        edge_events_ = to.events - from.events;
        edge_nonevents_ = to.nonevents - from.nonevents;
    }

    bool rising_;
    ConvexHull<Block> hull_;
    std::size_t edge_ = 0;
    std::int64_t edge_events_ = 0, edge_nonevents_ = 0;
};

// Picks the numbers of a piece at which pre-bins end.
class EndFinder {
public:
    EndFinder(const PreBinRules& rules, const SortedPiece& piece) : rules_(rules), piece_(piece) {
        while (next_rank_ <= piece.n_before) set_next_rank();
    }

    // Whether a pre-bin ends by its rank among the first n samples of the piece.
    bool has_rank(std::int64_t n) const { return piece_.n_before + n >= next_rank_; }

    void append_by_rank(const PreBinEnd& end) {
        const std::int64_t n_samples = end.events + end.nonevents;
        if (!has_rank(n_samples)) return;
        by_rank_.push_back(end);
        while (has_rank(n_samples)) set_next_rank();
    }

    void append_rising(const PreBinEnd& end) { rising_.append(end); }
    void append_falling(const PreBinEnd& end) { falling_.append(end); }

    std::vector<PreBinEnd> ends(const PreBinEnd& last) const {
        std::vector<PreBinEnd> ends = by_rank_;
        ends.insert(ends.end(), rising_.vertices().begin() + 1, rising_.vertices().end());
        ends.insert(ends.end(), falling_.vertices().begin() + 1, falling_.vertices().end());
        ends.push_back(last);
        const auto is_before = [](const PreBinEnd& a, const PreBinEnd& b) { return a.n_distinct < b.n_distinct; };
        const auto is_same = [](const PreBinEnd& a, const PreBinEnd& b) { return a.n_distinct == b.n_distinct; };
        std::sort(ends.begin(), ends.end(), is_before);
        ends.erase(std::unique(ends.begin(), ends.end(), is_same), ends.end());
        return ends;
    }

private:
    // The rank of the next order statistic; after that of all samples there is none.
    void set_next_rank() {
        ++n_ranks_;
        if (n_ranks_ <= rules_.max_pre_bins)
            next_rank_ = std::max<std::int64_t>(1, rank_of_cut(n_ranks_, piece_.n_of_column, rules_.max_pre_bins));
        else
            next_rank_ = std::numeric_limits<std::int64_t>::max();
    }

    const PreBinRules& rules_;
    const SortedPiece& piece_;
    std::int64_t n_ranks_ = 0;
    std::int64_t next_rank_ = 0;
    std::vector<PreBinEnd> by_rank_;
    ConvexHull<PreBinEnd> rising_{true};
    ConvexHull<PreBinEnd> falling_{false};
};

// Reads the numbers of a piece, one after the other, or skips those of a block.
template <class Weights>
class NumberReader {
public:
    NumberReader(const SortedPiece& piece, const Weights& weights) : piece_(piece), weights_(weights) {}

    // Moves to the end of a block whose numbers are not looked at.
    void skip(const Block& block) {
        row_ = block.end;
        end_.n_distinct += block.n_distinct;
        end_.events = block.events;
        end_.nonevents = block.nonevents;
    }

    // Takes all rows of the next number.
    const PreBinEnd& read() {
        const std::uint64_t key = piece_.keys[row_];
        do {
            const std::int64_t events = events_of(piece_.keys[row_], weights_[row_]);
            end_.events += events;
            end_.nonevents += weights_[row_] - events;
            ++row_;
        } while (row_ < piece_.n && is_same_number(piece_.keys[row_], key));
        ++end_.n_distinct;
        end_.value = number_of(key, piece_.is_negative);
        end_.next_value = row_ < piece_.n ? number_of(piece_.keys[row_], piece_.is_negative)
                                          : std::numeric_limits<double>::infinity();
        return end_;
    }

    std::int64_t row() const { return row_; }

private:
    const SortedPiece& piece_;
    const Weights& weights_;
    std::int64_t row_ = 0;
    PreBinEnd end_;
};

template <class Weights>
std::vector<PreBinEnd> all_ends(const SortedPiece& piece, const Weights& weights) {
    NumberReader reader(piece, weights);
    std::vector<PreBinEnd> ends;
    while (reader.row() < piece.n) ends.push_back(reader.read());
    return ends;
}

template <class Weights>
std::vector<PreBinEnd> chosen_ends(const SortedPiece& piece, const Weights& weights, const std::vector<Block>& blocks,
                                   const PreBinRules& rules) {
    NumberReader reader(piece, weights);
    EndFinder finder(rules, piece);
    BlockHull rising(blocks, true);
    BlockHull falling(blocks, false);
    PreBinEnd last;
    Block previous;
    for (const Block& block : blocks) {
        const bool may_rise = rules.refine && rising.may_have_vertex(block, previous);
        const bool may_fall = rules.refine && falling.may_have_vertex(block, previous);
        const bool is_last = block.end == piece.n;
        previous = block;
        if (!may_rise && !may_fall && !is_last && !finder.has_rank(block.events + block.nonevents)) {
            reader.skip(block);
            continue;
        }
        while (reader.row() < block.end) {
            last = reader.read();
            finder.append_by_rank(last);
            if (may_rise && rising.reaches(last.events, last.nonevents)) finder.append_rising(last);
            if (may_fall && falling.reaches(last.events, last.nonevents)) finder.append_falling(last);
        }
    }
    return finder.ends(last);
}

template <class Weights>
std::vector<PreBinEnd> find_ends(const SortedPiece& piece, const Weights& weights, const PreBinRules& rules) {
    const std::vector<Block> blocks = blocks_of(piece, weights);
    std::int64_t n_distinct = 0;
    for (const Block& block : blocks) n_distinct += block.n_distinct;
    if (n_distinct <= rules.max_exact) return all_ends(piece, weights);
    return chosen_ends(piece, weights, blocks, rules);
}

}  // namespace

std::vector<PreBinEnd> find_pre_bins(const SortedPiece& piece, const PreBinRules& rules) {
    if (piece.weights == nullptr) return find_ends(piece, WeightOne{}, rules);
    return find_ends(piece, piece.weights, rules);
}

}  // namespace bitsieve
