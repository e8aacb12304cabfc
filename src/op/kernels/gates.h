/* What gated activations and their gradients share. */
#ifndef DETCHECK_OP_KERNELS_GATES_H
#define DETCHECK_OP_KERNELS_GATES_H

#include "op/array/slices.h"
#include "op/enclose.h"
#include "op/operation.h"

#include "detmath/gates.h"

/* A row's own facts. */
struct gate_facts {
    bool is_gelu;
    bool is_packed; /* both operands are halves of the lines of one array */
};

enum detmath_gate gate_of(const struct array_call *call);

/* One element: which function, x and u. */
struct gate {
    const struct result_rule *activation;
    enum detmath_gate which;
    struct real x, u;
    struct real g; /* of a gradient */
    arf_t base, value, divisor;
    arb_t rest, t;
};

/* From this exponent of x on an activation of a negative x is below all numbers of any format, whatever u is. */
enum { GATE_FAR_EXPONENT = 14 };

void gate_open(struct gate *gate, const struct array_call *call);
void gate_close(struct gate *gate);
/* The activation of x, times u. */
bool gate_find(struct gate *gate, int precision, struct real *y, struct error *error);

/* Where the operands of an element are. */
struct gate_places {
    struct slices slices;
    bool is_packed, reverse;
};
struct gate_places gate_places_of(const struct array_call *call);
/* The index of x (which = 0) or u of element number `element` in their array. */
uint64_t gate_place(const struct gate_places *places, int which, uint64_t element);
struct real gate_operand(const struct array_call *call, const struct gate_places *places, int which,
                         uint64_t element);

/* Halves a shape along the lines of the call. */
bool gate_halve(const struct array_call *call, struct shape *shape, struct error *error);
extern const struct shape gate_even_shapes[];

#endif
