/* The library's steps of optimisers, of arrays of any strides. */
#include "detmath/transformer.h"
#include "environment.h"
#include "places.h"
#include "training_list.h"

enum { MOST_ARRAYS = 4, AT_ONCE = 256 };
enum { PARAMETER, GRADIENT };

/* The arrays of a step: the parameter, the gradient, and what is kept of earlier steps. */
struct step {
    const struct detmath_strided *arrays[MOST_ARRAYS];
    int count;
    const struct detmath_sgd *sgd; /* or adam */
    const struct detmath_adam *adam;
};

static int check(const struct step *step) {
    int trouble = detmath_check_array(step->arrays[PARAMETER], 1);
    for (int i = 1; !trouble && i < step->count; i++) {
        const struct detmath_strided *y = i == GRADIENT ? step->arrays[PARAMETER] : step->arrays[i],
                                     *x = i == GRADIENT ? step->arrays[i] : step->arrays[PARAMETER];
        trouble = detmath_check_array(step->arrays[i], i != GRADIENT);
        if (!trouble && y->dimensions != x->dimensions)
            trouble = DETMATH_TROUBLE_EXTENTS;
        for (int k = 0; !trouble && k < x->dimensions; k++)
            trouble = y->extents[k] == x->extents[k] ? trouble : DETMATH_TROUBLE_EXTENTS;
    }
    for (int i = 0; !trouble && i < step->count; i++) {
        if (i != GRADIENT && !detmath_has_own_places(step->arrays[i]))
            trouble = DETMATH_TROUBLE_OVERLAP;
        for (int k = 0; !trouble && i != GRADIENT && k < step->count; k++)
            trouble = k == i ? trouble : detmath_check_overlap(step->arrays[i], step->arrays[k], 0);
    }
    return trouble;
}

static int run(const struct step *step) {
    struct detmath_places places[MOST_ARRAYS];
    float room[MOST_ARRAYS][AT_ONCE] = {{0}};
    size_t count = 1;
    const int trouble = check(step);
    if (trouble)
        return trouble;
    for (int i = 0; i < step->count; i++)
        places[i] = detmath_places_of(step->arrays[i]);
    for (int i = 0; i < step->arrays[PARAMETER]->dimensions; i++)
        count *= step->arrays[PARAMETER]->extents[i];
    const uint64_t set = detmath_environment_enter();
    for (size_t first = 0; first < count; first += AT_ONCE) {
        const size_t n = count - first < AT_ONCE ? count - first : AT_ONCE;
        for (int i = 0; i < step->count; i++)
            for (size_t k = 0; k < n; k++)
                room[i][k] = detmath_float_of(step->arrays[i], DETMATH_F32,
                                              detmath_place(&places[i], first + k));
        if (step->sgd)
            detmath_reductions()->training->sgd(room[0], room[1], room[2], n, step->sgd);
        else
            detmath_reductions()->training->adam(room[0], room[1], room[2], room[3], n, step->adam);
        for (int i = 0; i < step->count; i++)
            for (size_t k = 0; i != GRADIENT && k < n; k++)
                detmath_put_float(&places[i], first + k, room[i][k]);
    }
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

int detmath_sgd(const struct detmath_strided *parameter, const struct detmath_strided *gradient,
                const struct detmath_strided *velocity, const struct detmath_sgd *rates) {
    const struct step step = {{parameter, gradient, velocity}, velocity ? 3 : 2, rates, NULL};
    if (!velocity && rates->momentum != 0.0f)
        return DETMATH_TROUBLE_OPTIONS;
    return run(&step);
}

void detmath_adam_rates(struct detmath_adam *rates, float rate, float beta1, float beta2,
                        float epsilon, float decay, uint32_t step, int is_decoupled) {
    const uint64_t set = detmath_environment_enter();
    *rates = detmath_adam_of(rate, beta1, beta2, epsilon, decay, step, is_decoupled);
    detmath_environment_leave(set);
}

int detmath_adam(const struct detmath_strided *parameter, const struct detmath_strided *gradient,
                 const struct detmath_strided *mean, const struct detmath_strided *square,
                 const struct detmath_adam *rates) {
    const struct step step = {{parameter, gradient, mean, square}, MOST_ARRAYS, NULL, rates};
    return run(&step);
}
