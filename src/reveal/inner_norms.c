/* The mean and the sum of squares of layer_norm and group_norm. */
#include "reveal/inner_parts.h"

#include <math.h>

enum { FEWEST_OF_MEAN = 5, FEWEST_BALANCED = 11 };

static size_t terms_of_line(const struct shape *shape, const struct parameters *parameters) {
    (void)parameters;
    return (size_t)shape->extents[shape->dimensions - 1];
}

static size_t terms_of_sample(const struct shape *shape, const struct parameters *parameters) {
    (void)parameters;
    return (size_t)(shape_elements(shape) / shape->extents[0]);
}

static bool fit_line(struct shape *shape, struct parameters *parameters, size_t terms,
                     size_t *lines, struct error *error) {
    (void)parameters;
    (void)error;
    if (!shape->dimensions)
        *shape = (struct shape){2, {1, terms}};
    shape->extents[shape->dimensions - 1] = terms;
    *lines = (size_t)shape_elements(shape) / terms;
    return true;
}

static bool has_enough(const char *sum, size_t terms, size_t fewest, struct error *error) {
    return terms >= fewest ||
           error_set(error, "%s shows its order only with %zu terms or more, not with %zu", sum,
                     fewest, terms);
}

static bool fit_mean(struct shape *shape, struct parameters *parameters, size_t terms,
                     size_t *lines, struct error *error) {
    (void)parameters;
    return has_enough("the mean of a norm", terms, FEWEST_OF_MEAN, error) &&
           fit_line(shape, parameters, terms, lines, error);
}

static bool fit_balanced(struct shape *shape, struct parameters *parameters, size_t terms,
                         size_t *lines, struct error *error) {
    (void)parameters;
    return has_enough("the sum of squares of a norm that takes a mean away", terms, FEWEST_BALANCED,
                      error) &&
           fit_line(shape, parameters, terms, lines, error);
}

static void copy_line(struct inner_call *inner, size_t line) {
    for (size_t i = line * inner->terms; i < (line + 1) * inner->terms; i++)
        array_set_code(&inner->call.operands[0], i, array_code(inner_terms(inner), i));
}

static void take_all(struct inner_call *inner) {
    for (size_t i = 0; i < inner->lines * inner->terms; i++)
        array_set_code(&inner->simple->results[0], i, array_code(&inner->call.results[0], i));
}

/* A weight of 1. */
static bool constants_of_norm(struct inner_call *inner, struct error *error) {
    (void)error;
    const struct array *weight = &inner->call.operands[1];
    for (size_t i = 0; weight->codes && i < shape_elements(&weight->shape); i++)
        inner_put(weight, i, 1);
    return true;
}

/* The largest magnitude of a line. */
static size_t find_largest(const struct inner_call *inner, size_t line) {
    size_t largest = line * inner->terms;
    for (size_t i = largest; i < (line + 1) * inner->terms; i++)
        if (fabs(inner_get(inner_terms(inner), i)) > fabs(inner_get(inner_terms(inner), largest)))
            largest = i;
    return largest;
}

/* Numbers in places that have none: false where there are too few. */
static bool fill(struct inner_call *inner, size_t line, const double *numbers, size_t count) {
    const size_t end = (line + 1) * inner->terms;
    size_t k = 0;
    for (size_t i = line * inner->terms; i < end && k < count; i++)
        if (inner_get(&inner->call.operands[0], i) == 0)
            inner_put(&inner->call.operands[0], i, numbers[k++]);
    return k == count;
}

/* Gives a large number and one or two small ones a sum of 0 that is exact in any order. The squares of what takes the
 * large one away are a few of its sixteenths and sixty-fourths, 7/32 in all: so far below it that a small square added to
 * these keeps the bits by which it is less than half of the large one's last bit. Two small ones have two signs. What
 * takes a single one away are four quarters of it, whose squares are a quarter of its own. */
static void balance(struct inner_call *inner, size_t line) {
    enum { GRID = 20 };
    const size_t largest = find_largest(inner, line);
    const double large = inner_get(inner_terms(inner), largest),
                 grid = ldexp(1, ilogb(large) - GRID);
    double small = 0;
    size_t count = 0;
    for (size_t i = line * inner->terms; i < (line + 1) * inner->terms; i++) {
        const double x = inner_get(inner_terms(inner), i);
        if (x == 0 || i == largest)
            continue;
        small = grid * nearbyint(x / grid);
        inner_put(&inner->call.operands[0], i, count++ ? -small : small);
    }
    const double quarter = -small / 4,
                 taken[] = {-large / 4, -large / 4, -large / 4, -large / 8, -large / 8,
                            quarter,    quarter,    quarter,    quarter};
    fill(inner, line, taken, count == 1 ? 9 : 5);
}

static void lay_balanced(struct inner_call *inner) {
    for (size_t line = 0; line < inner->lines; line++) {
        double sum = 0;
        copy_line(inner, line);
        for (size_t i = 0; i < inner->terms; i++)
            sum += inner_get(inner_terms(inner), line * inner->terms + i);
        if (sum != 0)
            balance(inner, line);
    }
}

/* In a place that has no number one is laid that is about the mean: its result, beside that of another, says the mean to
 * the last bit. It is a term like others, so the simpler call has it too; the next call takes it out again. */
static void lay_mean(struct inner_call *inner) {
    enum { FEW_BITS = 12 };
    for (size_t line = 0; line < inner->lines; line++) {
        const struct array *x = inner_terms(inner);
        struct inner_beside *beside = &inner->beside[line];
        double sum = 0;
        if (beside->is_there && array_code(x, beside->place) == beside->code)
            array_set_code(x, beside->place, 0);
        beside->is_there = false;
        for (size_t i = line * inner->terms; i < (line + 1) * inner->terms; i++) {
            sum += inner_get(x, i);
            if (!beside->is_there && inner_get(x, i) == 0) {
                beside->is_there = true;
                beside->place = i;
            }
        }
        const double mean = sum / (double)(inner->terms - 1);
        int exponent;
        const double few = nearbyint(ldexp(frexp(mean, &exponent), FEW_BITS));
        if (beside->is_there) {
            inner_put(x, beside->place, ldexp(few, exponent - FEW_BITS));
            beside->code = array_code(x, beside->place);
        }
        copy_line(inner, line);
    }
}

/* (x - mean) r is a result, with the same r for all. */
static void take_mean(struct inner_call *inner) {
    const struct array *x = inner_terms(inner), *y = &inner->call.results[0];
    for (size_t line = 0; line < inner->lines; line++) {
        const size_t largest = find_largest(inner, line), place = inner->beside[line].place;
        const double r = (inner_get(y, largest) - inner_get(y, place)) /
                         (inner_get(x, largest) - inner_get(x, place));
        const double mean = inner_get(x, place) - inner_get(y, place) / r;
        inner_put(&inner->simple->results[0], line, isfinite(mean) ? mean : inner_get(x, place));
    }
}

static const struct through balanced = {NULL, "dot", TERMS_BALANCED, .shares = false},
                            plain = {NULL, "mean", TERMS_PLAIN, .shares = false};

/* All channels are one group. */
static bool fit_group(struct shape *shape, struct parameters *parameters, size_t terms,
                      size_t *lines, struct error *error) {
    (void)parameters;
    (void)error;
    if (shape->dimensions < 2)
        *shape = (struct shape){2, {1, terms}};
    for (int i = 1; i < shape->dimensions; i++)
        shape->extents[i] = i == 1 ? terms : 1;
    *lines = (size_t)shape->extents[0];
    return true;
}

static bool fit_group_mean(struct shape *shape, struct parameters *parameters, size_t terms,
                           size_t *lines, struct error *error) {
    (void)parameters;
    return has_enough("the mean of a norm", terms, FEWEST_OF_MEAN, error) &&
           fit_group(shape, parameters, terms, lines, error);
}

static bool fit_group_balanced(struct shape *shape, struct parameters *parameters, size_t terms,
                               size_t *lines, struct error *error) {
    (void)parameters;
    return has_enough("the sum of squares of a norm that takes a mean away", terms, FEWEST_BALANCED,
                      error) &&
           fit_group(shape, parameters, terms, lines, error);
}

const struct inner_sum inner_norms[] = {
    {"layer_norm", "mean", "mean", &plain, false, terms_of_line, fit_mean, constants_of_norm,
     lay_mean, take_mean},
    {"layer_norm", "squares", "rms_norm", &balanced, false, terms_of_line, fit_balanced,
     constants_of_norm, lay_balanced, take_all},
    {"group_norm", "mean", "mean", &plain, true, terms_of_sample, fit_group_mean, constants_of_norm,
     lay_mean, take_mean},
    {"group_norm", "squares", "rms_norm", &balanced, true, terms_of_sample, fit_group_balanced,
     constants_of_norm, lay_balanced, take_all},
    {0}};
