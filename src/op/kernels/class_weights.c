/* Weights of the classes of a cross entropy, exactly. */
#include "op/kernels/class_weights.h"

#include "op/array/slices.h"

void class_weights_open(struct class_weights *weights, const struct array_call *call, int operand,
                        uint64_t classes, const struct real *smoothing) {
    *weights = (struct class_weights){.call = call, .operand = operand, .classes = classes};
    arf_init(weights->share);
    arf_init(weights->kept);
    arf_init(weights->all);
    arf_init(weights->weight);
    arf_init(weights->own);
    arf_init(weights->factor);
    arf_set_real(weights->share, smoothing);
    arf_sub_ui(weights->kept, weights->share, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_neg(weights->kept, weights->kept);
    for (uint64_t i = 0; i < classes; i++)
        if (class_weights_load(weights, i))
            arf_add(weights->all, weights->all, weights->weight, ARF_PREC_EXACT, ARF_RND_DOWN);
        else
            weights->has_bad = true;
}

void class_weights_close(struct class_weights *weights) {
    arf_clear(weights->share);
    arf_clear(weights->kept);
    arf_clear(weights->all);
    arf_clear(weights->weight);
    arf_clear(weights->own);
    arf_clear(weights->factor);
}

bool class_weights_load(struct class_weights *weights, uint64_t class) {
    const struct format *format = weights->call->results[0].format;
    arf_one(weights->weight);
    if (!weights->operand)
        return true;
    const struct real weight = format_decode(
        format, element_load(&weights->call->operands[weights->operand], format, class));
    if (weight.kind != REAL_ZERO && (weight.kind != REAL_FINITE || weight.negative))
        return false;
    arf_set_real(weights->weight, &weight);
    return true;
}

bool class_weights_lack(struct class_weights *weights, int64_t target) {
    return target < 0 || (uint64_t)target >= weights->classes ||
           !class_weights_load(weights, (uint64_t)target) ||
           (weights->has_bad && !arf_is_zero(weights->share));
}

void class_weights_find_factor(struct class_weights *weights, int64_t target) {
    class_weights_load(weights, (uint64_t)target);
    arf_mul_ui(weights->own, weights->kept, (ulong)weights->classes, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul(weights->own, weights->own, weights->weight, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul(weights->factor, weights->share, weights->all, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_add(weights->factor, weights->factor, weights->own, ARF_PREC_EXACT, ARF_RND_DOWN);
}
