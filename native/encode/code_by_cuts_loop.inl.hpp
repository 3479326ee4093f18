// The loop of CutCounter, compiled once per instruction set. The including file defines kVectorBytes, the size of a
// register.

typedef double Doubles __attribute__((vector_size(kVectorBytes)));
typedef std::int64_t Counts __attribute__((vector_size(kVectorBytes)));
constexpr int kVectors = 4;  // whose counts stay in registers
constexpr std::int64_t kAtOnce = kVectors * kVectorBytes / 8;

template <bool kLeft>
inline __attribute__((always_inline)) void count_block(const double* values, const double* cuts, std::int64_t n_cuts,
                                                       std::int64_t missing_code, std::uint16_t* codes) {
    Doubles block[kVectors];
    Counts below[kVectors] = {};
    std::int64_t wide_codes[kAtOnce];
    std::memcpy(block, values, sizeof block);
    for (std::int64_t c = 0; c < n_cuts; ++c)
        for (int v = 0; v < kVectors; ++v) below[v] -= kLeft ? block[v] > cuts[c] : block[v] >= cuts[c];
    for (int v = 0; v < kVectors; ++v) below[v] |= (block[v] != block[v]) & missing_code;
    std::memcpy(wide_codes, below, sizeof wide_codes);
    for (std::int64_t i = 0; i < kAtOnce; ++i) codes[i] = std::uint16_t(wide_codes[i]);
}

template <bool kLeft>
void count_cuts(const double* values, std::int64_t n, const double* cuts, std::int64_t n_cuts,
                std::int64_t missing_code, std::uint16_t* codes) {
    std::int64_t first = 0;
    for (; first + kAtOnce <= n; first += kAtOnce)
        count_block<kLeft>(values + first, cuts, n_cuts, missing_code, codes + first);
    if (first == n) return;
    double rest[kAtOnce] = {};
    std::uint16_t codes_of_rest[kAtOnce];
    std::copy(values + first, values + n, rest);
    count_block<kLeft>(rest, cuts, n_cuts, missing_code, codes_of_rest);
    std::copy_n(codes_of_rest, n - first, codes + first);
}
