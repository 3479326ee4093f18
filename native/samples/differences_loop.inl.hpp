// The loops of differences.hpp, compiled once per instruction set. The including file defines kVectorBytes, the size of
// a register, and kPivots and kVectors, the tile of distances that fills the registers.

typedef float Singles __attribute__((vector_size(kVectorBytes), may_alias, aligned(4)));
typedef std::int32_t SingleBits __attribute__((vector_size(kVectorBytes), may_alias, aligned(4)));
typedef double Doubles __attribute__((vector_size(kVectorBytes), may_alias, aligned(8)));
typedef std::int64_t DoubleBits __attribute__((vector_size(kVectorBytes), may_alias, aligned(8)));
constexpr std::int64_t kSingles = kVectorBytes / 4;  // floats of a register
constexpr std::int64_t kDoubles = kVectorBytes / 8;  // doubles of a register

inline __attribute__((always_inline)) Singles absolute(Singles x) { return Singles(SingleBits(x) & 0x7fffffff); }
inline __attribute__((always_inline)) Doubles absolute(Doubles x) {
    return Doubles(DoubleBits(x) & 0x7fffffffffffffffLL);
}

inline __attribute__((always_inline)) Singles load(const float* from) {
    return *reinterpret_cast<const Singles*>(from);
}
inline __attribute__((always_inline)) Doubles load(const double* from) {
    return *reinterpret_cast<const Doubles*>(from);
}

// Distances of N samples, the pivots, each at its place in a tile, from kVectors * kSingles samples of a tile.
template <int N>
inline __attribute__((always_inline)) void tile_distances(const float* const* pivots, const float* samples,
                                                          std::int64_t n_columns, float* out, std::int64_t out_stride) {
    const float* pivot[N];  // copies: stores to `out` would have the pointers read again
    for (int i = 0; i < N; ++i) pivot[i] = pivots[i];
    for (std::int64_t first = 0; first < n_columns; first += kChunkColumns) {
        const std::int64_t last = first + kChunkColumns < n_columns ? first + kChunkColumns : n_columns;
        Singles sum[N][kVectors] = {};
        for (std::int64_t f = first; f < last; ++f)
            for (int v = 0; v < kVectors; ++v) {
                const Singles values = load(samples + f * kTileSamples + v * kSingles);
                for (int i = 0; i < N; ++i) sum[i][v] += absolute(values - pivot[i][f * kTileSamples]);
            }
        for (int i = 0; i < N; ++i)
            for (int v = 0; v < kVectors; ++v) {
                Singles* to = reinterpret_cast<Singles*>(out + i * out_stride + v * kSingles);
                *to = first == 0 ? sum[i][v] : *to + sum[i][v];
            }
    }
}

void distances(const NumberTiles& tiles, const std::int64_t* samples, std::int64_t count, float* out) {
    const std::int64_t row = tiles.n_tiles * kTileSamples;
    const std::int64_t n_columns = tiles.n_columns;
    std::vector<const float*> pivots;
    pivots.reserve(static_cast<std::size_t>(count));
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

double distance(const double* a, const double* b, std::int64_t n_columns) {
    Doubles even = {};
    Doubles odd = {};
    std::int64_t f = 0;
    for (; f + 2 * kDoubles <= n_columns; f += 2 * kDoubles) {
        even += absolute(load(a + f) - load(b + f));
        odd += absolute(load(a + f + kDoubles) - load(b + f + kDoubles));
    }
    even += odd;
    double sum = 0;
    for (int lane = 0; lane < kDoubles; ++lane) sum += even[lane];
    for (; f < n_columns; ++f) sum += a[f] < b[f] ? b[f] - a[f] : a[f] - b[f];
    return sum;
}

void add_weighted(const double* numbers, const double* spans, std::int64_t n_columns, std::int64_t sample,
                  const std::int64_t* others, const double* weights, std::int64_t count, double* out) {
    const double* values = numbers + sample * n_columns;
    std::int64_t f = 0;
    for (; f + kDoubles <= n_columns; f += kDoubles) {
        const Doubles value = load(values + f);
        const Doubles span = load(spans + f);
        Doubles sum = {};
        for (std::int64_t r = 0; r < count; ++r)
            sum += absolute(load(numbers + others[r] * n_columns + f) - value) / span * weights[r];
        *reinterpret_cast<Doubles*>(out + f) += sum;
    }
    for (; f < n_columns; ++f) {
        double sum = 0;
        for (std::int64_t r = 0; r < count; ++r) {
            const double other = numbers[others[r] * n_columns + f];
            const double difference = other < values[f] ? values[f] - other : other - values[f];
            sum += difference / spans[f] * weights[r];
        }
        out[f] += sum;
    }
}
