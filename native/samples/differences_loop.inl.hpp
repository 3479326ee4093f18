// The loops of differences.hpp, compiled once per instruction set. The including file defines kVectorBytes, the size of
// a register, and kPivots and kVectors, the tile of distances that fills the registers.

typedef float Singles __attribute__((vector_size(kVectorBytes), may_alias, aligned(4)));
typedef std::int32_t SingleBits __attribute__((vector_size(kVectorBytes), may_alias, aligned(4)));
typedef double Doubles __attribute__((vector_size(kVectorBytes), may_alias, aligned(8)));
typedef std::int64_t DoubleBits __attribute__((vector_size(kVectorBytes), may_alias, aligned(8)));
constexpr std::int64_t kSingles = kVectorBytes / 4, kDoubles = kVectorBytes / 8;

// Distances of n pivots, each where its tile has it, from kVectors * kSingles samples of a tile.
template <int N>
inline __attribute__((always_inline)) void tile_distances(const float* const* pivots, const float* samples,
                                                          std::int64_t n_columns, float* out, std::int64_t out_stride) {
    const float* own[N];
    for (int i = 0; i < N; ++i) own[i] = pivots[i];
    for (std::int64_t first = 0; first < n_columns; first += kChunkColumns) {
        const std::int64_t last = first + kChunkColumns < n_columns ? first + kChunkColumns : n_columns;
        Singles sum[N][kVectors] = {};
        for (std::int64_t f = first; f < last; ++f)
            for (int v = 0; v < kVectors; ++v) {
                const Singles other = *reinterpret_cast<const Singles*>(samples + f * kTileSamples + v * kSingles);
                for (int i = 0; i < N; ++i) {
                    const Singles apart = other - own[i][f * kTileSamples];
                    sum[i][v] += (Singles)((SingleBits)apart & 0x7fffffff);
                }
            }
        for (int i = 0; i < N; ++i)
            for (int v = 0; v < kVectors; ++v) {
                Singles* to = reinterpret_cast<Singles*>(out + i * out_stride + v * kSingles);
                *to = first == 0 ? sum[i][v] : *to + sum[i][v];
            }
    }
}

void distances(const NumberTiles& tiles, const std::int64_t* samples, std::int64_t count, float* out) {
    const std::int64_t row = tiles.n_tiles * kTileSamples, n_columns = tiles.n_columns;
    std::vector<const float*> pivots;
    for (std::int64_t i = 0; i < count; ++i)
        pivots.push_back(tiles.tile(samples[i] / kTileSamples) + samples[i] % kTileSamples);
    for (std::int64_t i = 0; n_columns == 0 && i < count * row; ++i) out[i] = 0;
    for (std::int64_t t = 0; t < tiles.n_tiles; ++t)
        for (std::int64_t s = 0; s < kTileSamples; s += kVectors * kSingles) {
            float* to = out + t * kTileSamples + s;
            std::int64_t i = 0;
            for (; i + kPivots <= count; i += kPivots)
                tile_distances<kPivots>(pivots.data() + i, tiles.tile(t) + s, n_columns, to + i * row, row);
            for (; i < count; ++i)
                tile_distances<1>(pivots.data() + i, tiles.tile(t) + s, n_columns, to + i * row, row);
        }
}

inline __attribute__((always_inline)) Doubles absolute(Doubles x) {
    return (Doubles)((DoubleBits)x & 0x7fffffffffffffffLL);
}

double distance(const double* a, const double* b, std::int64_t n_columns) {
    Doubles even = {}, odd = {};
    std::int64_t f = 0;
    for (; f + 2 * kDoubles <= n_columns; f += 2 * kDoubles) {
        even += absolute(*reinterpret_cast<const Doubles*>(a + f) - *reinterpret_cast<const Doubles*>(b + f));
        odd += absolute(*reinterpret_cast<const Doubles*>(a + f + kDoubles) -
                        *reinterpret_cast<const Doubles*>(b + f + kDoubles));
    }
    even += odd;
    double sum = 0;
    for (int lane = 0; lane < kDoubles; ++lane) sum += even[lane];
    for (; f < n_columns; ++f) sum += a[f] < b[f] ? b[f] - a[f] : a[f] - b[f];
    return sum;
}

void add_weighted(const double* numbers, const double* spans, std::int64_t n_columns, std::int64_t sample,
                  const std::int64_t* others, const double* weights, std::int64_t count, double* out) {
    const double* own = numbers + sample * n_columns;
    std::int64_t f = 0;
    for (; f + kDoubles <= n_columns; f += kDoubles) {
        const Doubles here = *reinterpret_cast<const Doubles*>(own + f),
                      span = *reinterpret_cast<const Doubles*>(spans + f);
        Doubles sum = {};
        for (std::int64_t r = 0; r < count; ++r) {
            const Doubles there = *reinterpret_cast<const Doubles*>(numbers + others[r] * n_columns + f);
            sum += absolute(there - here) / span * weights[r];
        }
        *reinterpret_cast<Doubles*>(out + f) += sum;
    }
    for (; f < n_columns; ++f) {
        double sum = 0;
        for (std::int64_t r = 0; r < count; ++r) {
            const double there = numbers[others[r] * n_columns + f];
            sum += (there < own[f] ? own[f] - there : there - own[f]) / spans[f] * weights[r];
        }
        out[f] += sum;
    }
}
