/* Inputs that no search is needed for. */
#ifndef DETCHECK_VECTOR_CHOOSE_DRAW_H
#define DETCHECK_VECTOR_CHOOSE_DRAW_H

#include "base/stage.h"
#include "sweep/domain.h"
#include "vector/vector.h"

struct choice_rules {
    uint64_t count; /* of binade edges, hard and random inputs: at most as many of each */
    uint64_t seed;
    int threads;
    const struct stage *stage; /* told of the search for hard inputs; may be NULL */
    const char *hard; /* a file of inputs that may be hard, besides those that are drawn; or NULL */
    struct error *hard_note; /* with a file: takes a note of the first value that was rounded */
};

/* Where there are no more inputs than this, or than rules.count: every one. */
enum { CHOOSE_ALL = 256 };

/* What is drawn of an operand that is an integer in C, and its landmarks (sweep/integers.h); where none is one, the
 * ranges of the row. */
struct choose_integers {
    struct integer_draws draws; /* without an operation: none is an integer */
    struct code_set sets[MAX_OPERANDS], landmarks[MAX_OPERANDS];
};

bool choose_integers_open(struct choose_integers *integers, const struct operation *operation,
                          const struct format *format, struct error *error);
void choose_integers_close(struct choose_integers *integers);

/* These add inputs without uniting them; false when there is no memory. One input; all tuples of
 * special values (`integers` may be NULL); and every input, where there are few. */
bool choose_add(struct vector_choices *choices, const uint64_t *codes, int operands,
                enum vector_flag flag);
bool choose_special(struct vector_choices *choices, const struct binding_request *computed,
                    const struct choose_integers *integers);
bool choose_every(struct vector_choices *choices, const struct binding_request *computed,
                  const struct choice_rules *rules);

/* The operands of input number `input` of all that there are, which have 63 bits at most. */
void choose_split(const struct format *format, int operands, uint64_t input, uint64_t *codes);

/* The binades of a format by magnitude, subnormal ones first: their number, and the codes first to
 * last of the magnitudes in one. */
int choose_binade_count(const struct format *format);
void choose_binade(const struct format *format, int binade, uint64_t *first, uint64_t *last);

/* The operands of draw number `index`: a binade in turn, a fraction and a sign at random. Of
 * several operands only the even draws are spread over all binades; those of the odd ones lie in
 * the binades 2^-8 to 2^7, where operations of two operands have more to decide. An integer
 * is drawn beside the other operand; `integers` may be NULL. Scale and element of a scaled number are drawn as two
 * operands are. */
void choose_draw(const struct format *format, int operands, uint64_t seed, uint64_t index,
                 uint64_t count, const struct choose_integers *integers, uint64_t *codes);

#endif
