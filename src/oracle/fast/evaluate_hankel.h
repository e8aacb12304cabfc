/* The loop of hankel.h, which has the reasons. A part of decide.c. */
#ifndef DETCHECK_ORACLE_FAST_EVALUATE_HANKEL_H
#define DETCHECK_ORACLE_FAST_EVALUATE_HANKEL_H

#include "oracle/fast/evaluate_rotation.h"
#include "oracle/fast/hankel.h"

/* a + b as a double, and the rest. */
INLINED double knuth_sum(double a, double b, double *rest) {
    double sum = a + b, part = sum - a;
    *rest = (a - (sum - part)) + (b - part);
    return sum;
}

/* M (p + tail + d) in two parts, in place of p and tail. */
INLINED void scale_turns(const struct hankel *hankel, double sign, const double *d, size_t count,
                         double *p, double *tail) {
    double m1 = sign * hankel->scale[0], m2 = sign * hankel->scale[1], m = m1 + m2;
    double m_tail = sign * hankel->scale_tail;
    for (size_t i = 0; i < count; i++) {
        double rest, s = knuth_sum(p[i], d[i], &rest), t = tail[i] + rest;
        double s1 = head_of(s), s2 = s - s1, w = s * m;
        double low = (((s1 * m1 - w) + s1 * m2) + s2 * m1) + s2 * m2;
        p[i] = knuth_sum(w, low + (m * t + m_tail * s), &tail[i]);
    }
}

INLINED void evaluate_hankel(const struct hankel *hankel, const struct rotation *rotation,
                             int log2_count, size_t at, size_t count, double *p, double *tail) {
    double other[DECISION_STRIP], other_tail[DECISION_STRIP], d[DECISION_STRIP];
    double step = power_of_two(1 - log2_count), start = (double)(int32_t)at * step - 1;
    if (hankel->second)
        evaluate_turns(rotation, at, count, p, tail, other, other_tail);
    else
        evaluate_turns(rotation, at, count, other, other_tail, p, tail);
    double swing = hankel->second ? 1 : -1;
    for (size_t i = 0; i < count; i++) {
        double t = start + (double)(int32_t)i * step;
        double u = hankel->real[HANKEL_TERMS - 1], v = hankel->imaginary[HANKEL_TERMS - 1];
        for (int j = HANKEL_TERMS - 2; j >= 0; j--) {
            u = u * t + hankel->real[j];
            v = v * t + hankel->imaginary[j];
        }
        d[i] = u * p[i] + swing * v * other[i];
    }
    scale_turns(hankel, rotation->sign, d, count, p, tail);
}

#endif
