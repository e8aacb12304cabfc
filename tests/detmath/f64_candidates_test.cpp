/* The quick phases of cr in fp64: the exact result lies between what the two candidates are rounded from, so that it is rounded as
 * both where they agree. Prints of each phase the largest share of what a candidate adds that was found wrong; above 1, the bound
 * does not hold, whether or not an operand is near enough to a middle to be rounded wrongly by that.
 *     f64_candidates_test [-n COUNT] [-seed SEED] [NAME...]      COUNT operands of each binade and function; all functions */
#include "f64.h"
#include "integer_powers.h"

#include "traced.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#define DETMATH_HARDWARE_FMA 1
#define DETMATH_QUICK_F64    1
#define __builtin_fma        trace::fma
#define double traced
#include "detmath/families_f64.h"
#undef double

namespace {

/* Both candidates of a phase, of which *other is the second; and of a pair, the second result's. */
struct phase {
    const char *name;
    traced (*unary)(traced, traced *);
    traced (*binary)(traced, traced, traced *, detmath_u64 *);
    traced (*pair)(traced, traced *, traced *, traced *);
    traced (*quick)(traced, traced *, detmath_u64 *);
    detmath_u64 (*away)(traced);
    exact results[2];
};

#define UNARY(NAME, WHICH)                                                                         \
    {#NAME " " #WHICH,                                                                             \
     detmath_cr_##NAME##_f64_##WHICH,                                                              \
     nullptr,                                                                                      \
     nullptr,                                                                                      \
     nullptr,                                                                                      \
     detmath_cr_##NAME##_f64_away,                                                                 \
     {{mpfr_##NAME, nullptr}, {}}},
#define WITH_AWAY(NAME, WHICH)                                                                     \
    {#NAME " " #WHICH,                                                                             \
     nullptr,                                                                                      \
     nullptr,                                                                                      \
     nullptr,                                                                                      \
     detmath_cr_##NAME##_f64_##WHICH,                                                              \
     nullptr,                                                                                      \
     {{mpfr_##NAME, nullptr}, {}}},
#define QUICK(NAME) WITH_AWAY(NAME, quick)
#define QUICK_BINARY(NAME, BITS, WHICH)                                                            \
    {#NAME " " #WHICH " quick",   nullptr, detmath##BITS##_f64_quick, nullptr, nullptr, nullptr,   \
     {{nullptr, mpfr_##NAME}, {}}},
#define BINARY(NAME, WHICH)                                                                        \
    {#NAME " " #WHICH, nullptr, detmath_cr_##NAME##_f64_##WHICH, nullptr,                          \
     nullptr,          nullptr, {{nullptr, mpfr_##NAME}, {}}},
#define PAIR(NAME, A, B, WHICH)                                                                    \
    {#NAME " " #WHICH,                                                                             \
     nullptr,                                                                                      \
     nullptr,                                                                                      \
     detmath_cr_##NAME##_f64_##WHICH,                                                              \
     nullptr,                                                                                      \
     detmath_cr_##A##_f64_away,                                                                    \
     {{mpfr_##A, nullptr}, {mpfr_##B, nullptr}}},
#define UNARY_FIRST(NAME)    UNARY(NAME, first) UNARY(NAME, steps)
#define UNARY_OFTEN(NAME)    UNARY_FIRST(NAME)
#define UNARY_PAIRS(NAME)    UNARY_FIRST(NAME)
#define UNARY_ZEROS(NAME)    UNARY_FIRST(NAME)
#define UNARY_RANGE(NAME)    UNARY_FIRST(NAME)
#define UNARY_ANGLE(NAME)    UNARY_FIRST(NAME)
#define UNARY_PI_ANGLE(NAME) UNARY_FIRST(NAME)
#define UNARY_ROUNDED(NAME)  /* has no candidates */
const phase phases[] = {
#define DETMATH_UNARY_F64(NAME, CR, BUDGET)  UNARY_##CR(NAME)
#define DETMATH_BINARY_F64(NAME, CR, BUDGET) BINARY(NAME, first) BINARY(NAME, steps)
#define DETMATH_PAIR_F64(NAME, A, B)         PAIR(NAME, A, B, first) PAIR(NAME, A, B, steps)
#include "detmath/functions_f64.inc"
    QUICK(exp) QUICK(exp2) QUICK(log) QUICK(log2) QUICK(atan) QUICK(cosh) QUICK(acosh) QUICK(lgamma)
        WITH_AWAY(tgamma, nearer) WITH_AWAY(lgamma, nearer) QUICK_BINARY(pow, _cr_pow, cr)
            QUICK_BINARY(pow, _pow, det)};

std::uint64_t seed = 14;
mpfr_t first, second, right, ends[2], distance, width;

/* The newest step up to number `before`, counted from 1, that made a number of that size and is not in `used`; 0 if there is none. */
std::size_t made(double size, std::size_t before, const std::vector<std::size_t> &used) {
    for (std::size_t i = before; i > 0 && i + trace::KEPT > trace::count; i--)
        if (std::fabs(trace::number(i - 1).result) == size &&
            std::find(used.begin(), used.end(), i) == used.end())
            return i;
    return 0;
}

/* The size of what a candidate was rounded from. A product by a power of two rounds nothing: it is what its operand was. */
bool exact_of(mpfr_t exact, double candidate, std::vector<std::size_t> &used) {
    double size = std::fabs(candidate), scale = 1;
    for (std::size_t before = trace::count;;) {
        const std::size_t i = made(size, before, used);
        if (i == 0)
            return false;
        used.push_back(i);
        const trace::step step = trace::number(i - 1);
        int exponent;
        const bool scaled =
            !step.is_sum && step.c == 0 && std::fabs(std::frexp(step.b, &exponent)) == 0.5;
        if (!scaled) {
            mpfr_set_d(exact, step.a, MPFR_RNDN);
            mpfr_mul_d(exact, exact, step.b, MPFR_RNDN);
            mpfr_add_d(exact, exact, step.c, MPFR_RNDN);
            mpfr_abs(exact, exact, MPFR_RNDN);
            mpfr_mul_d(exact, exact, scale, MPFR_RNDN);
            return true;
        }
        scale *= std::fabs(step.b);
        size = std::fabs(step.a);
        before = i - 1;
    }
}

struct worst {
    double share = 0, x = 0, y = 0;
    long judged = 0, unknown = 0;
};

/* Whether these differ by less than 0.15 of its last place from one number, to which they are rounded whatever the bound is. */
bool are_next_to_a_number(std::initializer_list<mpfr_srcptr> numbers) {
    const double number = mpfr_get_d(*numbers.begin(), MPFR_RNDN);
    for (mpfr_srcptr each : numbers) {
        mpfr_sub_d(distance, each, number, MPFR_RNDN);
        if (!(std::fabs(mpfr_get_d(distance, MPFR_RNDN)) <
              std::ldexp(0.15, std::ilogb(number) - 52)))
            return false;
    }
    return true;
}

/* How far the result is from the middle between what both candidates were rounded from, in halves of the distance of these. */
void judge(worst &found, const exact &function, double x, double y, const double candidates[2],
           std::vector<std::size_t> &used) {
    call_exact(function, right, first, second);
    if (!mpfr_regular_p(right))
        return;
    mpfr_abs(right, right, MPFR_RNDN);
    for (int i = 0; i < 2; i++)
        if (!exact_of(ends[i], candidates[i], used)) {
            found.unknown++;
            return;
        }
    found.judged++;
    if (are_next_to_a_number({right, ends[0], ends[1]}))
        return;
    mpfr_sub(width, ends[0], ends[1], MPFR_RNDN);
    mpfr_add(distance, ends[0], ends[1], MPFR_RNDN);
    mpfr_mul_2ui(right, right, 1, MPFR_RNDN);
    mpfr_sub(distance, right, distance, MPFR_RNDN);
    if (mpfr_zero_p(distance))
        return;
    mpfr_div(distance, distance, width, MPFR_RNDN);
    const double share = std::fabs(mpfr_get_d(distance, MPFR_RNDN));
    if (share > found.share) {
        found.share = share;
        found.x = x;
        found.y = y;
    }
}

void call_phase(worst &found, const phase &phase, double x, double y) {
    traced z[4];
    detmath_u64 away = phase.away ? phase.away(x) : 0;
    if (away)
        return;
    trace::count = 0;
    if (phase.unary)
        z[0] = phase.unary(x, &z[1]);
    else if (phase.binary)
        z[0] = phase.binary(x, y, &z[1], &away);
    else if (phase.quick)
        z[0] = phase.quick(x, &z[1], &away);
    else
        z[0] = phase.pair(x, &z[1], &z[2], &z[3]);
    if (away)
        return;
    mpfr_set_d(first, x, MPFR_RNDN);
    mpfr_set_d(second, y, MPFR_RNDN);
    std::vector<std::size_t> used;
    for (int i = 0; i < (phase.pair ? 2 : 1); i++) {
        const double candidates[2] = {z[2 * i].value, z[2 * i + 1].value};
        judge(found, phase.results[i], x, y, candidates, used);
    }
}

/* Operands of every exponent, or so far from 1, pi k/16 and k/16 log 2; and such as f64_test draws; and powers midway between
 * rows of their table. */
worst run(const phase &phase, long count) {
    worst found;
    const std::string name(phase.name, std::strcspn(phase.name, " "));
    const bool whole = takes_integer(name.c_str());
    const auto draw_second = [whole] {
        const double y = draw_operand(&seed, random_bits(&seed));
        const double n = std::rint(std::exp2(12 * random_unit(&seed)));
        return !whole ? y : random_bits(&seed) & 1 ? n : -n;
    };
    for (int exponent = -60; exponent <= 12; exponent++)
        for (long i = 0; i < count; i++) {
            const double k = static_cast<double>(random_bits(&seed) & 255);
            const double from[] = {0, 0, 1, 0x1.921fb54442d18p-3 * k, 0x1.62e42fefa39efp-5 * k};
            const double size = std::ldexp(random_significand(&seed), exponent);
            const double near = exponent < 0 ? from[random_bits(&seed) % 5] : 0;
            const double x = near + (random_bits(&seed) & 1 ? size : -size);
            call_phase(found, phase, random_bits(&seed) & 1 ? x : -x, draw_second());
            call_phase(found, phase, draw_operand(&seed, random_bits(&seed)), draw_second());
            if (is_power(name.c_str())) {
                double base, order;
                draw_power_midway(&seed, name.c_str(), &base, &order);
                call_phase(found, phase, base, order);
            }
        }
    return found;
}

/* Functions that are no sum at last, but corrected by what a residual says; f64_test has them. */
const char *const without_candidates[] = {"sqrt", "recip"};

/* Operands for which a bound did not hold once. */
const struct {
    const char *name;
    double x, y;
} before[] = {
    {"pow", 0x1.f522a2cf6191p-1, -0x1.01b43c88c4df9p+15},
    {"pow", 0x1.fb12f4cbc9b9p-1, 0x1.1ecada156c0d4p+1},
    {"sin", 0x1.1217d9e05b5ddp+490, 0},
    {"sin", 0x1.e107454aa7587p+3, 0},
    {"cos", 0x1.b6cc508805ea6p+950, 0},
    {"asin", 0x1.e139d26f5134dp-2, 0},
    {"acos", -0x1.e157e51e3b704p-2, 0},
    {"acos", -0x1.cb3b399d747f3p-55, 0},
    {"asinh", 0x1.17b6124fb4795p-26, 0},
    {"expm1", -0x1.cfb5ef1b31e5p+4, 0},
    {"expm1", -0x1.028fcf0f5ec88p+5, 0},
    {"lgamma", 0x1.ec75ee3c726fep-1, 0},
    {"lgamma", -0x1.3beafa4b7a8d1p+1, 0},
};

bool is_of(const phase &phase, const char *name) {
    const std::size_t length = std::strcspn(phase.name, " ");
    return std::strlen(name) == length && !std::strncmp(name, phase.name, length);
}

} // namespace

int main(int argc, char **argv) {
    long count = 8;
    std::vector<const char *> names;
    for (int i = 1; i < argc; i++) {
        if (!std::strcmp(argv[i], "-n") && i + 1 < argc)
            count = std::atol(argv[++i]);
        else if (!std::strcmp(argv[i], "-seed") && i + 1 < argc)
            seed = std::strtoull(argv[++i], nullptr, 10);
        else
            names.push_back(argv[i]);
    }
    mpfr_inits2(53, first, second, (mpfr_ptr)0);
    mpfr_inits2(320, right, ends[0], ends[1], distance, width, (mpfr_ptr)0);
    int wrong = 0;
    for (const phase &each : phases) {
        if (!names.empty() && std::none_of(names.begin(), names.end(),
                                           [&](const char *name) { return is_of(each, name); }))
            continue;
        if (std::any_of(std::begin(without_candidates), std::end(without_candidates),
                        [&](const char *name) { return is_of(each, name); }))
            continue;
        worst found = run(each, count);
        for (const auto &operands : before)
            if (is_of(each, operands.name))
                call_phase(found, each, operands.x, operands.y);
        const bool holds = found.share <= 1 && found.judged > 0 && found.unknown == 0;
        std::printf("%-14s %8ld judged, %ld unknown, share %.4f at %a, %a%s\n", each.name,
                    found.judged, found.unknown, found.share, found.x, found.y,
                    holds ? "" : ": does not hold");
        wrong += !holds;
    }
    return wrong != 0;
}
