/* Calls of a few terms that are not 0. */
#ifndef DETCHECK_REVEAL_SHOT_H
#define DETCHECK_REVEAL_SHOT_H

#include "reveal/aim.h"

enum { SHOT_TERMS = 4 };

/* One call, or a line of one: terms that are not 0, and the result. */
struct shot {
    size_t count, term[SHOT_TERMS];
    double value[SHOT_TERMS],
        factor[SHOT_TERMS]; /* a factor other than 0: the second of a product */
    double result;
};

/* Makes the calls, of which the lines of one are several. */
bool shoot(struct aim *aim, struct shot *shots, size_t count, struct error *error);

/* a and b meet in addition v, c joins them in the one above it. */
struct shot shot_at(const struct aim *aim, size_t v, double a, double b, double c);
/* The same with numbers in units of aim->large, in which the results come, too. */
struct shot large_shot_at(const struct aim *aim, size_t v, double a, double b, double c);
bool shoot_large(struct aim *aim, struct shot *shots, size_t count, struct error *error);

/* A term of a child: itself, or one of its own. */
size_t term_in(const struct aim *aim, int32_t child);
/* A term that joins an addition from outside: in the one above it. */
size_t term_beside(const struct aim *aim, size_t v);

/* Whether a subnormal result is flushed (aim_last.c): `keeps` says that additions lose nothing. */
bool aim_last(struct aim *aim, bool keeps, struct error *error);

/* Whether products of a format are exact in fp32 but for its range, as those of bf16 are. */
bool products_leave_fp32(const struct format *format);

/* Which products are rounded before they are added (products.c). */
bool aim_products(struct aim *aim, struct error *error);

#endif
