/* Laying terms, calling, and taking them away again. */
#include "reveal/shot.h"

const struct format *kept_format(enum kept_class kept) {
    static const int numbers[KEPT_CLASSES] = {-1,          FORMAT_BF16, FORMAT_FP16,
                                              FORMAT_FP32, FORMAT_FP64, -1};
    return numbers[kept] < 0 ? NULL : &formats[numbers[kept]];
}

static void lay(struct subject *subject, size_t line, const struct shot *shot, bool clears) {
    for (size_t k = 0; k < shot->count; k++)
        if (clears)
            subject_set_factors(subject, line, shot->term[k], 0, 1);
        else if (shot->factor[k] != 0)
            subject_set_factors(subject, line, shot->term[k], shot->value[k], shot->factor[k]);
        else
            subject_set(subject, line, shot->term[k], shot->value[k]);
}

/* Second factors of lines that share them are those of the last line, so such shots go one by one. */
bool shoot(struct aim *aim, struct shot *shots, size_t count, struct error *error) {
    struct subject *subject = aim->subject;
    bool has_factors = false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < shots[i].count; k++)
            has_factors |= shots[i].factor[k] != 0;
    size_t lines = has_factors && subject->shared ? 1 : subject->probed;
    subject_set_all(subject, 0);
    for (size_t at = 0; at < count; at += lines) {
        size_t there = count - at < lines ? count - at : lines;
        for (size_t line = 0; line < there; line++)
            lay(subject, line, &shots[at + line], false);
        if (!subject_call(subject, error))
            return false;
        aim->calls++;
        for (size_t line = 0; line < there; line++) {
            shots[at + line].result = subject_result(subject, line) * aim->scale;
            lay(subject, line, &shots[at + line], true);
        }
    }
    return true;
}

size_t term_in(const struct aim *aim, int32_t child) {
    return order_is_term(child) ? (size_t)child : aim->one[~child];
}

size_t term_beside(const struct aim *aim, size_t v) {
    const struct order_addition *above = &aim->tree->additions[aim->above[v]];
    const int32_t *children = aim->tree->children + above->first;
    for (uint32_t k = 0; k < above->children; k++)
        if (children[k] != ~(int32_t)v)
            return term_in(aim, children[k]);
    return term_in(aim, children[0]);
}

struct shot shot_at(const struct aim *aim, size_t v, double a, double b, double c) {
    const int32_t *children = aim->tree->children + aim->tree->additions[v].first;
    return (struct shot){
        3,
        {term_in(aim, children[0]), term_in(aim, children[1]), term_beside(aim, v)},
        {a, b, c},
        {0},
        0};
}

struct shot large_shot_at(const struct aim *aim, size_t v, double a, double b, double c) {
    return shot_at(aim, v, aim->large * a, aim->large * b, aim->large * c);
}

bool shoot_large(struct aim *aim, struct shot *shots, size_t count, struct error *error) {
    if (!shoot(aim, shots, count, error))
        return false;
    for (size_t i = 0; i < count; i++)
        shots[i].result /= aim->large;
    return true;
}
