/* The loop of cotangent.h, which has the reasons. A part of decide.c. */
#ifndef DETCHECK_ORACLE_FAST_EVALUATE_COTANGENT_H
#define DETCHECK_ORACLE_FAST_EVALUATE_COTANGENT_H

#include "oracle/fast/cotangent.h"
#include "oracle/fast/evaluate_rotation.h"

/* Turns the polynomial's values p into base + p + pi cot(pi |x|), in two parts. */
INLINED void add_cotangents(const struct rotation *rotation, double base, size_t at, size_t count,
                            double *p, double *tail) {
    double v[DECISION_STRIP], v_tail[DECISION_STRIP], s[DECISION_STRIP], s_tail[DECISION_STRIP];
    evaluate_turns(rotation, at, count, s, s_tail, v, v_tail);
    divide_turns(s, s_tail, COTANGENT_MOST, count, v, v_tail);
    for (size_t i = 0; i < count; i++) {
        double v1 = head_of(v[i]), v2 = v[i] - v1, w = v[i] * COTANGENT_PI;
        double rest = ((v1 * COTANGENT_PI_1 - w) + v1 * COTANGENT_PI_2 + v2 * COTANGENT_PI_1) +
                      v2 * COTANGENT_PI_2;
        rest += v[i] * COTANGENT_PI_TAIL + v_tail[i] * COTANGENT_PI;
        double sum = base + w, part = sum - base;
        double low = ((base - (sum - part)) + (w - part)) + (rest + p[i]);
        double value = sum + low, moved = value - sum;
        tail[i] = (sum - (value - moved)) + (low - moved);
        p[i] = value;
    }
}

#endif
