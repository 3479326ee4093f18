// Steps of infection and immunisation dynamics towards a local maximum of x'Wx on the simplex; see
// bitsieve/optimize/dominant_sets.py.
#pragma once

#include <cstdint>

namespace bitsieve {

// The weights go the share `length` of the way to all weight on `place`, or away from it; where it `leaves`, none is
// left on it. place < 0: the weights are an equilibrium.
struct InfectionStep {
    std::int64_t place;
    double length;
    bool leaves;
};

// The next step from weights of sum 1, given gains = W weights. W has a diagonal of 0.
InfectionStep infection_step(const double* weights, const double* gains, std::int64_t n, double tolerance);

// Takes it; change = length * the row of the place.
void infect(double* weights, double* gains, std::int64_t n, const InfectionStep& step, const double* change);

}  // namespace bitsieve
