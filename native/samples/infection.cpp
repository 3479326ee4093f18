#include "samples/infection.hpp"

#include <algorithm>
#include <cmath>

namespace bitsieve {

namespace {

// at(first) + ... + at(last - 1) by halves, and by eight sums within 128: the rounding is that of numpy's sums.
template <class At>
double sum_by_halves(const At& at, std::int64_t first, std::int64_t last) {
    const std::int64_t n = last - first;
    double sum = 0.0;
    if (n > 128) {
        const std::int64_t middle = first + n / 2 / 8 * 8;
        return sum_by_halves(at, first, middle) + sum_by_halves(at, middle, last);
    }
    if (n >= 8) {
        double s[8];
        for (int j = 0; j < 8; ++j) s[j] = at(first + j);
        for (first += 8; first + 8 <= last; first += 8)
            for (int j = 0; j < 8; ++j) s[j] += at(first + j);
        sum = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    }
    for (; first < last; ++first) sum += at(first);
    return sum;
}

}  // namespace

InfectionStep infection_step(const double* weights, const double* gains, std::int64_t n, double tolerance) {
    const double mean = sum_by_halves([&](std::int64_t i) { return weights[i] * gains[i]; }, 0, n);
    const double unit = mean > 0 ? mean : 1.0;
    const auto squared_error = [&](std::int64_t i) {
        const double error = std::min(weights[i], (mean - gains[i]) / unit);
        return error * error;
    };
    if (sum_by_halves(squared_error, 0, n) <= tolerance * tolerance) return {-1, 0.0, false};
    std::int64_t best = 0;
    std::int64_t worst = -1;
    for (std::int64_t i = 0; i < n; ++i) {
        if (gains[i] - mean > gains[best] - mean) best = i;
        if (weights[i] > 0 && (worst < 0 || gains[i] - mean < gains[worst] - mean)) worst = i;
    }
    const bool infects = worst < 0 || gains[best] - mean >= mean - gains[worst];
    const std::int64_t i = infects ? best : worst;
    // The line goes on in the direction e_i - x: forwards up to e_i, or back until i has no weight left.
    const double curve = mean - 2 * gains[i];  // (e_i - x)'W(e_i - x), W_ii being 0
    const double furthest = infects ? 1.0 : -weights[i] / (1 - weights[i]);
    const double length = curve < 0 ? (mean - gains[i]) / curve : furthest;
    const bool takes_full_step = curve >= 0 || std::abs(length) >= std::abs(furthest);
    return {i, takes_full_step ? furthest : length, takes_full_step && !infects};
}

void infect(double* weights, double* gains, std::int64_t n, const InfectionStep& step, const double* change) {
    const double remaining_share = 1 - step.length;
    for (std::int64_t i = 0; i < n; ++i) {
        weights[i] *= remaining_share;
        gains[i] = gains[i] * remaining_share + change[i];
    }
    weights[step.index] = step.leaves ? 0.0 : weights[step.index] + step.length;
}

}  // namespace bitsieve
