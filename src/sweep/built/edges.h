/* How operands are found for a result at an end of the format, by operation. */
#ifndef DETCHECK_SWEEP_BUILT_EDGES_H
#define DETCHECK_SWEEP_BUILT_EDGES_H

#include "sweep/built/solver.h"

/* What the operand that is not `known`, the first or the second, has to be for the result that is wanted, where the
 * known one is `one`. Not a number where nothing gives that result. */
typedef void partner_function(const struct builder *builder, mpfr_ptr partner, mpfr_srcptr wanted,
                              mpfr_srcptr one, int known);

/* Which operand is drawn, and from where. */
enum known_operand {
    KNOWN_NONE,     /* there is one operand */
    KNOWN_ANYWHERE, /* either, from all numbers */
    KNOWN_NEAR,     /* either, of an exponent near that of the result */
    KNOWN_LEG,      /* likewise; and of triangles whose sides are whole numbers */
    KNOWN_POWER,    /* either, mostly near 1 */
    KNOWN_ORDER     /* the second, an integer */
};

struct edge_row {
    const char *operation;
    partner_function *partner; /* for fma, of its product */
    enum known_operand known;
};

#endif
