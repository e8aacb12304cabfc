/* A call as slices of blocks, and its random bits. */
#include "op/mx/rows.h"

#include "detmath/random.h"

struct mx_call mx_call_of(const struct array_call *call, const struct format *element) {
    const struct parameters *given = call->parameters;
    const struct parameter_value *seed = &given->values[PARAMETER_STOCHASTIC];
    struct mx_call mx = {.call = call,
                         .slices = slices_of(call),
                         .stochastic = seed->present,
                         .seed = (uint64_t)seed->integer};
    mx.conversion = (struct block_conversion){
        .element = element,
        .profile = &profiles[parameter_integer(given, PARAMETER_PROFILE, 0)],
        .rounding = seed->present ? ROUND_STOCHASTIC : call->rounding,
        .random = {MX_RANDOM_BITS, 0}};
    mx.scales = mx.slices;
    mx.scales.length = (mx.slices.length + BLOCK_ELEMENTS - 1) / BLOCK_ELEMENTS;
    return mx;
}

uint64_t mx_random(const struct mx_call *mx, uint64_t index) {
    return mx->stochastic ? detmath_random(mx->seed, index) & ((1u << MX_RANDOM_BITS) - 1) : 0;
}
