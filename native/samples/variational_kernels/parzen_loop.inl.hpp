// The loops of parzen.hpp over F64x8, eight doubles of an instruction set: first sums of Gaussian kernels about single
// samples.

// log2 sum_j 2^exponents[j], `nearest` their greatest ones by lane: the sum is relative to the greatest of all, so that
// it does not underflow.
inline double log2_of_powers(const double* exponents, std::int64_t padded, const F64x8& nearest) {
    double lanes[8];
    nearest.store(lanes);
    const double greatest = *std::max_element(lanes, lanes + 8);
    const F64x8 top = F64x8::broadcast(greatest);
    F64x8 sum = F64x8::broadcast(0.0);
    for (std::int64_t j = 0; j < padded; j += 8)
        sum = F64x8::add(sum, exp2_of(F64x8::subtract(F64x8::load(exponents + j), top)));
    sum.store(lanes);
    double total = 0.0;
    for (double lane : lanes) total += lane;
    return greatest + log2_of(total);
}

// logs[n] = log2 sum_j 2^(-(scale_x (x_n - x_j))^2 - (scale_z (z_n - z_j))^2) over the points j in [first, last).
// z null: x alone.
void log_kernel_sums(const double* x, double scale_x, const double* z, double scale_z, std::int64_t n_samples,
                     std::int64_t first, std::int64_t last, double* logs) {
    const std::int64_t padded = (last - first + 7) / 8 * 8;
    const auto n_points = std::size_t(padded);
    std::vector<double> points_x(x + first, x + last);
    std::vector<double> points_z(n_points);
    std::vector<double> exponents(n_points);
    points_x.resize(n_points, HUGE_VAL);  // infinitely far
    if (z) std::copy(z + first, z + last, points_z.begin());
    const F64x8 all_scale_x = F64x8::broadcast(scale_x);
    const F64x8 all_scale_z = F64x8::broadcast(z ? scale_z : 0.0);
    const F64x8 zero = F64x8::broadcast(0.0);
    for (std::int64_t n = 0; n < n_samples; ++n) {
        const F64x8 sample_x = F64x8::broadcast(x[n]);
        const F64x8 sample_z = F64x8::broadcast(z ? z[n] : 0.0);
        F64x8 nearest = F64x8::broadcast(-HUGE_VAL);
        for (std::int64_t j = 0; j < padded; j += 8) {
            const F64x8 dx = F64x8::multiply(all_scale_x, F64x8::subtract(sample_x, F64x8::load(&points_x[j])));
            F64x8 exponent = F64x8::subtract(zero, F64x8::multiply(dx, dx));
            if (z) {
                const F64x8 dz = F64x8::multiply(all_scale_z, F64x8::subtract(sample_z, F64x8::load(&points_z[j])));
                exponent = F64x8::subtract(exponent, F64x8::multiply(dz, dz));
            }
            exponent.store(&exponents[j]);
            nearest = F64x8::max(nearest, exponent);
        }
        logs[n] = log2_of_powers(exponents.data(), padded, nearest);
    }
}

// Where the window of every sample begins on one axis of the grid, its weights, and the nodes of the axis.
struct Axis {
    std::vector<std::int64_t> first;
    std::vector<double> weights;
    std::int64_t n_nodes = 0;

    void set_coordinates(const std::vector<double>& coordinates) {
        const double min_coordinate = *std::min_element(coordinates.begin(), coordinates.end());
        const double powers = -kStep * kStep * 1.4426950408889634;  // 2^(powers m^2) = exp(-(m kStep)^2)
        double steps[kWindow / 2 + 1];
        for (int m = 0; m <= kWindow / 2; ++m) steps[m] = bitsieve::exp2_of(powers * m * m);
        first.resize(coordinates.size());
        middle_.resize(coordinates.size());
        fall_.resize(coordinates.size());
        std::int64_t last = 0;
        for (std::size_t n = 0; n < coordinates.size(); ++n) {
            const double position = (coordinates[n] - min_coordinate) / kStep;
            if (!(position >= 0 && position <= kMaxSteps))
                throw std::invalid_argument("the values of a column are not finite, or spread too wide");
            first[n] = std::int64_t(position);
            last = std::max(last, first[n]);
            const double r = position - double(first[n]);
            middle_[n] = powers * r * r;
            fall_[n] = 2.0 * powers * r;
        }
        shorten_gaps(last);
        exp2_all(middle_.data(), std::int64_t(coordinates.size()), middle_.data());
        exp2_all(fall_.data(), std::int64_t(coordinates.size()), fall_.data());
        weights.resize(coordinates.size() * kWindow);
        for (std::size_t n = 0; n < coordinates.size(); ++n) weigh(middle_[n], fall_[n], steps, &weights[n * kWindow]);
    }

private:
    std::vector<double> middle_, fall_;  // of every sample, for r below: the weight of node 0, and 2^(2 powers r)

    // Weights exp(-((r - m) kStep)^2) of the nodes m = 1 - kWindow / 2 .. kWindow / 2, for r in [0, 1).
    static void weigh(double middle, double fall, const double* steps, double* out) {
        const double rise = 1.0 / fall;
        double* zero = out + kWindow / 2 - 1;
        zero[0] = middle;
        double up = middle;
        double down = middle;
        for (int m = 1; m <= kWindow / 2; ++m) {
            up *= rise;
            zero[m] = up * steps[m];
            if (m == kWindow / 2) break;
            down *= fall;
            zero[-m] = down * steps[m];
        }
    }

    // Stretches of more than kWindow nodes without a sample become kWindow long: windows meet across none.
    void shorten_gaps(std::int64_t last) {
        std::vector<std::int64_t> moved(std::size_t(last + 1), -1);  // where a node goes; -1: no window begins there
        for (const std::int64_t node : first) moved[std::size_t(node)] = 0;
        std::int64_t end = 0;
        std::int64_t previous = 0;
        for (std::int64_t node = 0; node <= last; ++node) {
            if (moved[std::size_t(node)] < 0) continue;
            end += std::min<std::int64_t>(node - previous, kWindow);
            previous = node;
            moved[std::size_t(node)] = end;
        }
        for (std::int64_t& node : first) node = moved[std::size_t(node)];
        n_nodes = end + kWindow;
    }
};

// sum_n log2(factor sums[n]): logarithms of products of eight, each at least near 1 and at most n.
double sum_of_logs(const std::vector<double>& sums, double factor) {
    double total = 0.0;
    for (std::size_t n = 0; n < sums.size(); n += 8) {
        double product = 1.0;
        for (std::size_t i = n; i < std::min(n + 8, sums.size()); ++i) product *= factor * sums[i];
        total += bitsieve::log2_of(product);
    }
    return total;
}

double logs_on_grid(const Axis& x, const Axis& y, std::vector<double>& nodes, std::vector<double>& sums) {
    static_assert(kWindow == 24, "a row of a window is three times eight doubles");
    nodes.assign(std::size_t(x.n_nodes * y.n_nodes), 0.0);
    for (std::size_t n = 0; n < sums.size(); ++n) {
        double* corner = &nodes[std::size_t(x.first[n] * y.n_nodes + y.first[n])];
        const double* wx = &x.weights[n * kWindow];
        const double* wy = &y.weights[n * kWindow];
        const F64x8 y0 = F64x8::load(wy);
        const F64x8 y1 = F64x8::load(wy + 8);
        const F64x8 y2 = F64x8::load(wy + 16);
        for (int k = 0; k < kWindow; ++k, corner += y.n_nodes) {
            const F64x8 weight = F64x8::broadcast(wx[k]);
            F64x8::add(F64x8::load(corner), F64x8::multiply(weight, y0)).store(corner);
            F64x8::add(F64x8::load(corner + 8), F64x8::multiply(weight, y1)).store(corner + 8);
            F64x8::add(F64x8::load(corner + 16), F64x8::multiply(weight, y2)).store(corner + 16);
        }
    }
    for (std::size_t n = 0; n < sums.size(); ++n) {
        const double* corner = &nodes[std::size_t(x.first[n] * y.n_nodes + y.first[n])];
        const double* wx = &x.weights[n * kWindow];
        const double* wy = &y.weights[n * kWindow];
        F64x8 s0 = F64x8::broadcast(0.0);
        F64x8 s1 = s0;
        F64x8 s2 = s0;
        for (int k = 0; k < kWindow; ++k, corner += y.n_nodes) {
            const F64x8 weight = F64x8::broadcast(wx[k]);
            s0 = F64x8::add(s0, F64x8::multiply(weight, F64x8::load(corner)));
            s1 = F64x8::add(s1, F64x8::multiply(weight, F64x8::load(corner + 8)));
            s2 = F64x8::add(s2, F64x8::multiply(weight, F64x8::load(corner + 16)));
        }
        const F64x8 sum =
            F64x8::add(F64x8::add(F64x8::multiply(s0, F64x8::load(wy)), F64x8::multiply(s1, F64x8::load(wy + 8))),
                       F64x8::multiply(s2, F64x8::load(wy + 16)));
        double lanes[8];
        sum.store(lanes);
        sums[n] = ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
    }
    return sum_of_logs(sums, kStep * kStep * 0.63661977236758134);  // (kStep sqrt(2 / pi))^2
}

double logs_one_by_one(const std::vector<double>& x, const std::vector<double>& y, std::vector<double>& logs) {
    const double scale = 0.84932180028801907;  // 2^(-(scale u)^2) = exp(-u^2 / 2)
    log_kernel_sums(x.data(), scale, y.data(), scale, std::int64_t(x.size()), 0, std::int64_t(x.size()), logs.data());
    double total = 0.0;
    for (const double log : logs) total += log;
    return total;
}

void grid_logs(const ParzenPairs& pairs, double* out) {
    const auto n_samples = std::size_t(pairs.n_samples);
    std::vector<double> x(n_samples);
    std::vector<double> y(n_samples);
    std::vector<double> sums(n_samples);
    std::vector<double> nodes;
    for (std::size_t n = 0; n < n_samples; ++n) x[n] = pairs.unit * pairs.x[n];
    Axis along_x;
    Axis along_y;
    along_x.set_coordinates(x);
    for (std::int64_t o = 0; o < pairs.n_others; ++o) {
        const double* other = pairs.y + o * pairs.n_samples;
        for (std::size_t n = 0; n < n_samples; ++n) y[n] = pairs.scale[o] * (other[n] - pairs.slope[o] * pairs.x[n]);
        along_y.set_coordinates(y);
        out[o] = along_x.n_nodes <= pairs.max_nodes / along_y.n_nodes ? logs_on_grid(along_x, along_y, nodes, sums)
                                                                      : logs_one_by_one(x, y, sums);
    }
}

void joint_logs(const JointPoints& joint, double* logs) {
    const std::int64_t n_points = joint.end_point - joint.first_point;
    const std::int64_t padded = (n_points + 7) / 8 * 8;
    std::vector<double> shared(std::size_t(padded * joint.n_shared));
    std::vector<double> own(std::size_t(padded * joint.n_candidates));
    std::vector<double> base(std::size_t(padded), -HUGE_VAL);
    std::vector<double> exponents(base);
    for (std::int64_t k = 0; k < joint.n_shared; ++k)
        std::copy_n(joint.shared + k * joint.n_samples + joint.first_point, n_points, &shared[std::size_t(k * padded)]);
    for (std::int64_t o = 0; o < joint.n_candidates; ++o)
        std::copy_n(joint.own + o * joint.n_samples + joint.first_point, n_points, &own[std::size_t(o * padded)]);
    for (std::int64_t n = joint.first_query; n < joint.end_query; ++n) {
        std::fill_n(base.begin(), n_points, 0.0);
        for (std::int64_t k = 0; k < joint.n_shared; ++k) {
            const F64x8 coordinate = F64x8::broadcast(joint.shared[k * joint.n_samples + n]);
            for (std::int64_t j = 0; j < padded; j += 8) {
                const F64x8 difference = F64x8::subtract(coordinate, F64x8::load(&shared[std::size_t(k * padded + j)]));
                F64x8::subtract(F64x8::load(&base[std::size_t(j)]), F64x8::multiply(difference, difference))
                    .store(&base[std::size_t(j)]);
            }
        }
        for (std::int64_t o = 0; o < joint.n_candidates; ++o) {
            const F64x8 coordinate = F64x8::broadcast(joint.own[o * joint.n_samples + n]);
            F64x8 nearest = F64x8::broadcast(-HUGE_VAL);
            for (std::int64_t j = 0; j < padded; j += 8) {
                const F64x8 difference = F64x8::subtract(coordinate, F64x8::load(&own[std::size_t(o * padded + j)]));
                const F64x8 exponent =
                    F64x8::subtract(F64x8::load(&base[std::size_t(j)]), F64x8::multiply(difference, difference));
                exponent.store(&exponents[std::size_t(j)]);
                nearest = F64x8::max(nearest, exponent);
            }
            logs[o * joint.n_samples + n] = log2_of_powers(exponents.data(), padded, nearest);
        }
    }
}
