// Steps of infection and immunisation dynamics towards a local maximum of x'Wx on the simplex; see
// bitsieve/optimize/dominant_sets.py.
#pragma once

#include <cstdint>

namespace bitsieve {

// One step: the weights move the share `length` of the way towards all weight on `index` (away from it if negative). If
// it `leaves`, `index` has no weight afterwards. index < 0: the weights are an equilibrium, and there is no step.
struct InfectionStep {
    std::int64_t index;
    double length;
    bool leaves;
};

// The next step from weights of sum 1, given gains = W weights. W has a diagonal of 0.
InfectionStep infection_step(const double* weights, const double* gains, std::int64_t n, double tolerance);

// Takes the step: updates the weights and their gains. change = length * row `index` of W.
void infect(double* weights, double* gains, std::int64_t n, const InfectionStep& step, const double* change);

}  // namespace bitsieve
