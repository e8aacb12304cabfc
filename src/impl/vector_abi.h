/* Functions of vector registers: whole registers of fp32 or fp64 go in and come out.
 *
 * Symbols of these forms tell how they are called; LANES are the numbers in a register.
 *
 *   _ZGVeN8v_exp           of x86's vector function ABI: b, c, d, e for SSE, AVX, AVX2, AVX-512; LANES;
 *                          v for each operand (libmvec, SLEEF's libsleefgnuabi)
 *   Sleef_expd8_u10avx2    f or d for fp32 or fp64; LANES
 *   __svml_expf16_ha       f for fp32, nothing for fp64; LANES
 *
 * A symbol of another form is called with as many lanes as the user says, in the format that is
 * asked for. */
#ifndef DETCHECK_IMPL_VECTOR_ABI_H
#define DETCHECK_IMPL_VECTOR_ABI_H

#include "base/error.h"
#include "format/format.h"
#include "op/operation.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a function of two results leaves them. */
enum vector_pair {
    VECTOR_PAIR_STRUCT,    /* in a struct of two vectors, as C returns it: SLEEF; the rule */
    VECTOR_PAIR_REGISTERS, /* in the first two registers: SVML */
    VECTOR_PAIR_ADDRESSES, /* from two addresses on: "vl8l8" */
    VECTOR_PAIR_LANES      /* at an address for each lane: "vvv", libmvec */
};

struct vector_abi {
    size_t lanes;                /* 0 where there is no such function */
    const struct format *format; /* fp32 or fp64; NULL where the symbol does not tell */
    int vectors, addresses;      /* that the symbol names as parameters; 0 where it does not tell */
    enum vector_pair pair;
};

/* How the function of that symbol is called, with `lanes` where they are not 0. An error where the
 * symbol tells nothing and `lanes` is 0, or something else; where this processor lacks the
 * instructions; where the form is none that can be called. */
bool vector_abi_of_symbol(struct vector_abi *abi, const char *symbol, size_t lanes,
                          struct error *error);

/* Completes it for an operation that is computed in that format; false where the function cannot be
 * one of it. `symbol` is for the message. */
bool vector_abi_settle(struct vector_abi *abi, const char *symbol,
                       const struct operation *operation, const struct format *computed,
                       struct error *why);

/* Computes `count` elements of the results z from those of the operands x. The last register is
 * filled up with the last element. */
void vector_abi_call(const struct vector_abi *abi, void *function,
                     const struct operation *operation, void *const *z, const void *const *x,
                     size_t count);

typedef float vector_one_fp32(float);
typedef double vector_one_fp64(double);
union vector_one {
    vector_one_fp32 *fp32;
    vector_one_fp64 *fp64;
};

/* That function of one operand and one result, as one of a number with which it fills a register: in
 * this thread, until this is called again. NULL where no function of vectors can be called. */
union vector_one vector_abi_for_one(const struct vector_abi *abi, void *function);

#endif
