/* The loops of rotation.h, which has the reasons. A part of decide.c. */
#ifndef DETCHECK_ORACLE_FAST_EVALUATE_ROTATION_H
#define DETCHECK_ORACLE_FAST_EVALUATE_ROTATION_H

#include "oracle/fast/decide.h"
#include "oracle/fast/doubles.h"

/* A c + B s for many c and s, in two parts. */
struct combination {
    double a1, a2, a3, a12, a23, b1, b2, b3, b12, b23;
};

INLINED struct combination combine(const double *a, const double *b, double sign) {
    struct combination ab = {a[0], a[1], a[2], a[0] + a[1], a[1] + a[2], 0, 0, 0, 0, 0};
    ab.b1 = sign * b[0];
    ab.b2 = sign * b[1];
    ab.b3 = sign * b[2];
    ab.b12 = ab.b1 + ab.b2;
    ab.b23 = ab.b2 + ab.b3;
    return ab;
}

/* The value is what is returned and *rest. */
INLINED double combined(const struct combination *ab, double c1, double c2, double c3, double s1,
                        double s2, double s3, double *rest) {
    double main = ab->a1 * c1 + ab->b1 * s1;
    double mid = (ab->a1 * c2 + ab->a2 * c1) + (ab->b1 * s2 + ab->b2 * s1);
    double low = ((ab->a12 * c3 + ab->a23 * c2) + (ab->b12 * s3 + ab->b23 * s2)) +
                 (ab->a3 * c1 + ab->b3 * s1);
    double sum = main + mid;
    *rest = (mid - (sum - main)) + low;
    return sum;
}

/* sum + rest as RN(sum + rest) and a tail. */
INLINED double normalized(double sum, double rest, double *tail) {
    double p = sum + rest;
    *tail = rest - (p - sum);
    return p;
}

/* v in three parts. */
INLINED void split_parts(double sum, double rest, double *parts) {
    parts[0] = (sum + 0x1.8p26) - 0x1.8p26;
    double left = sum - parts[0];
    parts[1] = (left + 0x1.8p0) - 0x1.8p0;
    parts[2] = (left - parts[1]) + rest;
}

/* The turn, and then another one. */
INLINED struct turn turned(const struct turn *turn, const struct turn *by) {
    struct combination sine = combine(turn->sine, turn->cosine, 1);
    struct combination cosine = combine(turn->cosine, turn->sine, -1);
    const double *c = by->cosine, *s = by->sine;
    struct turn result;
    double sum, rest;
    sum = combined(&sine, c[0], c[1], c[2], s[0], s[1], s[2], &rest);
    split_parts(sum, rest, result.sine);
    sum = combined(&cosine, c[0], c[1], c[2], s[0], s[1], s[2], &rest);
    split_parts(sum, rest, result.cosine);
    return result;
}

/* A c + B s for inputs number l and on of a row, as values with their tails. */
INLINED void evaluate_row(const struct rotation_table *table, const struct combination *given,
                          size_t l, size_t count, double *p, double *tail) {
    const double *c1 = table->cosines[0] + l, *c2 = table->cosines[1] + l;
    const double *c3 = table->cosines[2] + l, *s1 = table->sines[0] + l;
    const double *s2 = table->sines[1] + l, *s3 = table->sines[2] + l;
    const struct combination ab = *given;
    for (size_t i = 0; i < count; i++) {
        double rest, sum = combined(&ab, c1[i], c2[i], c3[i], s1[i], s2[i], s3[i], &rest);
        p[i] = normalized(sum, rest, &tail[i]);
    }
}

/* The first 26 bits. */
INLINED double head_of(double value) {
    return from_bits(bits_of(value) & ~(((uint64_t)1 << 27) - 1));
}

/* Divides values p + tail by those of q, such as sines by cosines. Quotients above `most` are NaN. */
INLINED void divide_turns(const double *q, const double *q_tail, double most, size_t count,
                          double *p, double *tail) {
    for (size_t i = 0; i < count; i++) {
        double v = p[i] / q[i], v1 = head_of(v), v2 = v - v1, q1 = head_of(q[i]), q2 = q[i] - q1;
        double rest = (((p[i] - v1 * q1) - v1 * q2) - v2 * q1) - v2 * q2;
        rest = (rest + (tail[i] - v * q_tail[i])) / q[i];
        double value = normalized(v, rest, &tail[i]);
        p[i] = size_of_double(v) <= most ? value : from_bits(~(uint64_t)0 >> 1);
    }
}

/* Sines p + tail, or cosines, or (to q) both. */
INLINED void evaluate_turns(const struct rotation *rotation, size_t at, size_t count, double *p,
                            double *tail, double *q, double *q_tail) {
    const struct rotation_table *table = rotation->table;
    for (size_t done = 0, many; done < count; done += many) {
        size_t row = (at + done) / ROTATION_STEPS, l = (at + done) % ROTATION_STEPS;
        many = ROTATION_STEPS - l < count - done ? ROTATION_STEPS - l : count - done;
        struct turn turn = turned(&rotation->first, &table->rows[1][row / ROTATION_ROWS]);
        turn = turned(&turn, &table->rows[0][row % ROTATION_ROWS]);
        struct combination sine = combine(turn.sine, turn.cosine, 1);
        struct combination cosine = combine(turn.cosine, turn.sine, -1);
        bool cosine_wanted = rotation->function == REDUCTION_COS;
        evaluate_row(table, cosine_wanted ? &cosine : &sine, l, many, p + done, tail + done);
        if (rotation->function > REDUCTION_COS)
            evaluate_row(table, &cosine, l, many, q + done, q_tail + done);
    }
}

INLINED void evaluate_rotation(const struct rotation *rotation, size_t at, size_t count, double *p,
                               double *tail) {
    double q[DECISION_STRIP], q_tail[DECISION_STRIP];
    evaluate_turns(rotation, at, count, p, tail, q, q_tail);
    if (rotation->function == REDUCTION_TAN)
        divide_turns(q, q_tail, ROTATION_MOST_TANGENT, count, p, tail);
    double sign = rotation->function == REDUCTION_COS ? 1 : rotation->sign;
    for (size_t i = 0; i < count; i++) {
        p[i] *= sign;
        tail[i] *= sign;
    }
}

#endif
